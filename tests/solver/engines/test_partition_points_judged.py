"""Squared error where more than sizes of groups matters: moves that are judged, bounds by sizes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    KCAnonymity,
    RecordTracing,
    TCloseness,
)
from optanon.models.table import Microdata
from optanon.solver.colgen.points.table import PointRows
from optanon.solver.engines.partition import plan
from optanon.solver.engines.partition.plan import Plan, first_levels
from optanon.solver.engines.partition.points import search
from optanon.solver.engines.partition.points.search import PointsSearch
from optanon.solver.search import choose, solve_problem
from optanon.solver.settings import Settings, Watch
from optanon.solver.verify.checking import verify

ASKED: dict[str, list[Requirement]] = {
    "distinct": [KCAnonymity(k=2), DistinctLDiversity(l=2)],
    "shares": [KCAnonymity(k=3, c="1/2")],
    "entropy": [EntropyLDiversity(l="3/2")],
    "closeness": [KCAnonymity(k=2), TCloseness(t="2/5")],
}


def drawn(kind: str, many: int, seed: int, wide: int = 12) -> Problem:
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.integers(0, wide, (many, 2)), columns=["x", "y"])
    frame = frame.assign(
        id=[f"r{i}" for i in range(many)], v=random.permutation((list("abcab") * many)[:many])
    )
    table = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"x": "numeric", "y": "numeric"}, sensitive="v"
    )
    return Problem(table=table, policy=Policy(ASKED[kind], ["squared_error"]))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ASKED)
def test_small_tables_against_all_partitions(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = drawn(kind, 9, seed)
    everybody = problem.assemble([list(range(9))])
    assert not list(problem.check(everybody))
    exact = solve_problem(problem, engine="subsets")
    assert "subsets" in choose(problem)[0].name  # so small that all sets are gone through
    monkeypatch.setattr(plan, "POINTS", replace(plan.POINTS, judged=0))
    monkeypatch.setattr(search, "LIMITS", replace(search.LIMITS, moves=3_000))
    found = Plan.of(replace(problem))
    assert isinstance(found, Plan)
    assert isinstance(found.points, PointRows)
    answer = PointsSearch(problem, Settings(seed=seed), Watch(), found.points).run()
    assert answer.release is not None
    assert not list(problem.check(answer.release))
    assert problem.objective(answer.release) == exact.objective
    assert answer.bounds[0] is not None
    assert 0 < answer.bounds[0] <= exact.objective[0]


@pytest.mark.parametrize("kind", ["distinct", "closeness"])
def test_larger_ones_are_bounded_by_sizes_and_verified(kind: str) -> None:
    problem = drawn(kind, 60, 7, wide=100)
    engine, why = choose(problem)
    assert (engine.name, why) == ("partition", "60 tuples")
    result = solve_problem(problem, time_limit=2, seed=1)
    sizes = replace(problem, policy=Policy([KCAnonymity(k=2)], ["squared_error"]))
    alone = solve_problem(sizes, time_limit=2, seed=1)
    assert result.certificate is not None
    assert result.bound[0] is not None
    assert alone.bound[0] is not None
    assert 0.9 * alone.bound[0] <= result.bound[0] <= alone.objective[0] <= result.objective[0]
    outcome = verify(result.certificate, problem, result.release)
    assert outcome.whole


@pytest.mark.parametrize("rule", [KAnonymity(k=1), RecordTracing(k=2)], ids=str)
def test_where_everybody_may_be_alone_nobody_searches_by_pairs(rule: Requirement):
    problem = replace(drawn("distinct", 20, 1), policy=Policy([rule], ["squared_error"]))
    found = Plan.of(problem)
    assert isinstance(found, Plan)
    assert found.points is None
    assert first_levels(problem) is None
    result = solve_problem(problem, engine="partition", time_limit=5.0, workers=1, display=False)
    assert result.objective == result.bound == (0,)
