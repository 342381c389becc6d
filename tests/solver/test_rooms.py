"""Arrows between the solver's rooms run down: possible worlds know no question, backends no engine."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import optanon

ROOT = Path(optanon.__file__).parent

ABOVE = {
    "backends": ("worlds", "exact", "colgen", "engines", "baselines", "insight", "cli", "web", "search"),
    "worlds": ("engines", "baselines", "colgen", "insight", "cli", "web", "search"),
}


def imported(path: Path) -> set[str]:
    """Modules of the package that a file imports, as full names."""
    here = ("optanon", *path.relative_to(ROOT).with_suffix("").parts)
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = ".".join([*here[: len(here) - node.level], *(node.module or "").split(".")]).rstrip(".")
            found |= {base, *(f"{base}.{name.name}" for name in node.names)}
    return found


@pytest.mark.parametrize("room", ABOVE)
def test_a_room_imports_no_room_above_it(room: str):
    files = sorted((ROOT / "solver" / room).rglob("*.py"))
    assert files
    above = tuple(f"optanon.solver.{name}" for name in ABOVE[room])
    for path in files:
        wrong = {
            name for name in imported(path) for top in above if name == top or name.startswith(f"{top}.")
        }
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"


def test_every_question_has_a_folder_of_its_own():
    insight = ROOT / "solver" / "insight"
    assert [path.name for path in insight.glob("*.py")] == ["__init__.py"]
    folders = {path.parent.name for path in insight.glob("*/__init__.py")}
    assert folders == {"audit", "backtest", "what_if", "explain", "comparison", "frontier", "report"}
