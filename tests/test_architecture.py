"""The picture of the rooms is drawn from the code, and what the page says of files is there."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import optanon

ROOT = Path(optanon.__file__).parent
DRAWING = runpy.run_path(str(ROOT / "docs" / "draw_rooms.py"))


def test_every_room_is_drawn_with_what_it_imports():
    found = DRAWING["arrows"]()
    folders = {file.parent.name for file in (ROOT / "solver").glob("*/__init__.py")}
    assert set(found) == {"models", "instances", "solver"} | {f"solver/{name}" for name in folders}
    assert found["models"] == set()
    assert found["instances"] == {"models"}
    assert {"solver/engines", "solver/insight"} <= found["solver/cli"]
    assert all("cli" not in other for room, to in found.items() for other in to)
    picture = DRAWING["drawn"]()
    assert all(f">{room}</text>" in picture for room in found)


def test_a_room_stands_above_what_it_imports():
    found = {"a": {"b", "c"}, "b": {"c"}, "c": set[str](), "d": {"c", "e"}, "e": {"d"}}
    back = DRAWING["upward"](found)
    assert len(back) == 1
    assert back < {("d", "e"), ("e", "d")}
    height = DRAWING["floors"](found, back)
    assert (height["c"], height["b"], height["a"]) == (0, 1, 2)
    assert ("a", "c") not in DRAWING["needed"](found, back)
    assert ("a", "b") in DRAWING["needed"](found, back)


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_files_that_are_named_are_there(page: str):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:models|instances|solver|tests|docs)/[\w/.]*)`", text)
    assert len(named) > 5
    assert [name for name in named if not (ROOT / name).exists()] == []
