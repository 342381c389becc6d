"""Where a linear program had no time for any bound, what tuples pay anyway is one."""

from __future__ import annotations

from fractions import Fraction

import pytest

from optanon.instances.generators import clustered_table, generated_roles
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import DistinctLDiversity, KCAnonymity, TCloseness
from optanon.solver.engines.partition import histogram
from optanon.solver.engines.partition.histogram import HistogramSearch
from optanon.solver.engines.partition.loosened import Loosened
from optanon.solver.engines.partition.objective import Objective
from optanon.solver.engines.partition.scale import Scaled
from optanon.solver.settings import Settings, Watch
from optanon.solver.verify.bounds import derived
from optanon.solver.verify.given import Given


@pytest.mark.parametrize(
    ("requirements", "suppressed"),
    [
        ([KCAnonymity(k=3)], 0),
        ([KCAnonymity(k=3), DistinctLDiversity(l=2)], 0),
        ([KCAnonymity(k=3), TCloseness(t=Fraction(1, 2))], 0),
        ([KCAnonymity(k=3)], 4),
    ],
    ids=["k", "l", "t", "suppressing"],
)
def test_a_bound_without_any_linear_program(
    requirements: list[Requirement], suppressed: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(histogram, "by_boxes", lambda *given: None)  # pyright: ignore[reportUnknownLambdaType]
    for program in (Scaled, Loosened):
        monkeypatch.setattr(program, "run", lambda *given: False)  # pyright: ignore[reportUnknownLambdaType]
    table = generated_roles().table(clustered_table(220, seed=4))
    problem = Problem(table=table, policy=Policy(requirements, max_suppressed=suppressed))
    objective = Objective.of(problem)
    assert isinstance(objective, Objective)
    search = HistogramSearch(problem, Settings(), Watch(), objective)
    answer = search.run()
    assert answer.release is not None
    values = problem.objective(answer.release)
    (claim,) = answer.claims
    given = Given(problem=problem, values=values, release=answer.release)
    assert [line.bound for line in derived(given, claim) if not line.trusted] == [answer.bounds[0]]
    assert 0 < (answer.bounds[0] or 0) <= values[0]
