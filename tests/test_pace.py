"""Fast tests are the first draws of each kind, and no draw is neither fast nor slow."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from pace import FEW, LONG, beyond, long, measured

import optanon

ROOT = Path(optanon.__file__).parent


def test_the_first_draws_of_each_kind_are_fast():
    seeds = [("a", {"name": name, "seed": seed}) for name in "xy" for seed in range(FEW + 2)]
    assert beyond(seeds) == 2 * [*[False] * FEW, True, True]
    assert beyond(reversed(seeds)) == 2 * [*[False] * FEW, True, True]


def test_what_is_not_drawn_is_fast():
    assert beyond([("a", {})] * 9 + [("b", {"name": n}) for n in range(9)]) == [False] * 18


def test_what_takes_long_with_all_its_parts_is_listed():
    said = [
        "= slowest durations =",
        f"{LONG - 0.01:.2f}s call     tests/test_a.py::test_one[x y]",
        "0.01s teardown tests/test_a.py::test_one[x y]",
        f"{LONG - 0.01:.2f}s setup    tests/test_a.py::test_two",
        f"{LONG:.2f}s call     tests/b/test_c.py::test_three",
    ]
    assert measured(said) == ["tests/b/test_c.py::test_three", "tests/test_a.py::test_one[x y]"]


def test_what_is_listed_is_there():
    for name in long():
        file, function = re.split(r"::|\[", name)[:2]
        assert f"def {function}(" in (ROOT / file).read_text(), name


def test_the_gate_runs_what_is_fast_and_what_is_slow():
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert "-m 'not slow'" in options["addopts"]
    gate = (ROOT / ".ci" / "run").read_text().splitlines()
    assert "pytest -n auto --dist worksteal -m slow --ignore tests/web" in gate
    assert any("pytest -m slow -rs tests/web;" in line for line in gate)
    assert 'bash -euxc "$(readme tests)"' in gate
