"""Stages of the points plan: a longer limit begins with all that a shorter one does."""

from __future__ import annotations

from random import Random

import pytest
from cases.points import drawn
from courses import grown, searched

from optanon.solver.engines.partition.plan import Plan
from optanon.solver.schedule import STAGES


@pytest.mark.parametrize(
    ("kind", "tick"), [("blocks", 0.005), ("blocks", 0.02), ("many", 0.02), ("deep", 0.02)]
)
def test_of_any_two_limits_the_longer_never_ends_worse(
    kind: str, tick: float, monkeypatch: pytest.MonkeyPatch
):
    problem = drawn(kind)
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    assert plan.name == "points"
    random = Random(1)
    limits = [1.0, *sorted(round(STAGES.limits[0] * 40 ** random.random(), 2) for _ in range(4))]
    found = [searched(problem, limit, monkeypatch, tick) for limit in (limits[0], *limits)][1:]
    grown(limits, found, trees=kind == "many")
    one, other = found[0], found[-1]
    assert tick > 0.01 or other.losses < one.losses or (other.bounds[0] or 0) > (one.bounds[0] or 0)
