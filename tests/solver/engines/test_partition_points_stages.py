"""Stages of the points plan: a longer limit begins with all that a shorter one does."""

from __future__ import annotations

from random import Random

import pytest
from cases.points import asked, drawn
from courses import grown, searched

from optanon.models.problem import Problem
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.schedule import STAGES


def problem_of(kind: str) -> Problem:
    """Groups of k, or of sets of few tuples (k = 8); or far clusters that become blocks."""
    if kind != "large k":
        return drawn(kind)
    random = Random(3)
    return asked([[random.randrange(1000), random.randrange(1000)] for _ in range(70)], 8)


@pytest.mark.parametrize(("kind", "tick"), [("plain", 0.1), ("blocks", 0.005), ("large k", 0.1)])
def test_of_any_two_limits_the_longer_never_ends_worse(
    kind: str, tick: float, monkeypatch: pytest.MonkeyPatch
):
    problem = problem_of(kind)
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    assert plan.name == "points"
    random = Random(kind)
    limits = [1.0, *sorted(round(STAGES.limits[0] * 40 ** random.random(), 2) for _ in range(6))]
    found = [searched(problem, limit, monkeypatch, tick) for limit in (limits[0], *limits)][1:]
    grown(limits, found)
    one, other = found[0], found[-1]
    assert other.losses < one.losses or (other.bounds[0] or 0) > (one.bounds[0] or 0)
