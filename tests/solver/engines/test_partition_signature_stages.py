"""Stages of first releases by signatures: a longer limit begins with all that a shorter one does."""

from __future__ import annotations

from random import Random

import pytest
from cases.released_before import drawn
from courses import grown, searched

from optanon.solver.engines.partition.plan import Plan
from optanon.solver.schedule import STAGES

CASES = [(kind, tuples, tick) for kind in ("skewed", "uniform") for tuples, tick in ((60, 0.08), (60, 0.004))]


@pytest.mark.parametrize(("kind", "tuples", "tick"), [*CASES, ("uniform", 150, 0.02), ("skewed", 150, 0.3)])
def test_of_any_two_limits_the_longer_never_ends_worse(
    kind: str, tuples: int, tick: float, monkeypatch: pytest.MonkeyPatch
):
    problem = drawn(kind, tuples, 1, 0)
    assert problem is not None
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    assert plan.name == "signature"
    random = Random(tuples)
    limits = [1.0, *sorted(round(STAGES.limits[0] * 40 ** random.random(), 2) for _ in range(6))]
    found = [searched(problem, limit, monkeypatch, tick) for limit in (limits[0], *limits)][1:]
    grown(limits, found)
    assert found[-1].losses < found[0].losses or found[-1].bounds > found[0].bounds
