"""Fast tests are the first draws of each kind, and no draw is neither fast nor slow."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pace import FEW, beyond

import optanon

ROOT = Path(optanon.__file__).parent


def test_the_first_draws_of_each_kind_are_fast():
    seeds = [("a", {"name": name, "seed": seed}) for name in "xy" for seed in range(FEW + 2)]
    assert beyond(seeds) == 2 * [*[False] * FEW, True, True]
    assert beyond(reversed(seeds)) == 2 * [*[False] * FEW, True, True]


def test_what_is_not_drawn_is_fast():
    assert beyond([("a", {})] * 9 + [("b", {"name": n}) for n in range(9)]) == [False] * 18


def test_the_gate_runs_what_is_fast_and_what_is_slow():
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert "-m 'not slow'" in options["addopts"]
    gate = (ROOT / ".ci" / "run").read_text().splitlines()
    assert "pytest -n auto --dist worksteal -m slow" in gate
    assert 'bash -euxc "$(readme tests)"' in gate
