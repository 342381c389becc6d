"""A program outside the package, checked against its types: `py.typed` is there, and says what is meant."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import optanon

PROGRAM = """
from fractions import Fraction

import optanon as oa
import pandas as pd

frame = pd.DataFrame({"id": ["a", "b"], "age": [1, 2], "ill": ["x", "y"]})
policy = oa.Policy([oa.KAnonymity(k=2)], minimize=["information_loss"])
result: oa.Result = oa.solve(frame, policy, respondent="id", quasi_identifiers=["age"], sensitive="ill")
value: Fraction = result.objective[0]
release: oa.Release | None = result.release
wrong: int = oa.Status.OPTIMAL
oa.KAnonymity(k="two")
"""
WRONG = [11, 12]
"""Lines that a checker must refuse; it must refuse no other."""


def outside(folder: Path) -> Path:
    (folder / "program.py").write_text(PROGRAM.lstrip("\n"), encoding="utf-8")
    return folder / "program.py"


def surroundings() -> dict[str, str]:
    """Where the package is found, if it is not installed."""
    return {**os.environ, "MYPYPATH": str(Path(optanon.__file__).parents[1])}


@pytest.mark.slow
def test_pyright_knows_the_types(tmp_path: Path):
    program = outside(tmp_path)
    pyright = Path(sys.executable).with_name("basedpyright")
    paths = {"extraPaths": [str(Path(optanon.__file__).parents[1])], "typeCheckingMode": "standard"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(paths), encoding="utf-8")
    command = [str(pyright), "--pythonpath", sys.executable, "--outputjson", "-p", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [each for each in found if each["severity"] == "error"]
    assert [each["range"]["start"]["line"] + 1 for each in errors] == WRONG, found
    assert all(each["file"] == str(program) for each in errors)


@pytest.mark.slow
def test_mypy_knows_the_types(tmp_path: Path):
    program = outside(tmp_path)
    mypy = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache")]
    command = [*mypy, "--follow-imports=silent", "--ignore-missing-imports", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=surroundings())
    lines = [int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line]
    assert lines == WRONG, done.stdout
