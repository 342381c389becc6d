"""Policies whose admissible histograms are too many to be listed, on tables too large for lists of groups."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from clocks import worked
from oracle.partition import LEAVES, REGIONS

from optanon.bench.engine import engine_table
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import KCAnonymity, TCloseness
from optanon.models.table import Microdata
from optanon.solver.colgen.structure.histograms import Histograms, Judge
from optanon.solver.engines.partition import histogram
from optanon.solver.engines.partition.objective import Objective
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.search import solve_problem
from optanon.solver.settings import Settings, Watch
from optanon.solver.verify.checking import verify


def tabled(*requirements: Requirement, tuples: int = 240, attributes: int = 3) -> Problem:
    """A dozen values, some of them rare."""
    random = np.random.default_rng(3)
    age = random.integers(20, 60, tuples)
    frame = pd.DataFrame(
        {
            "id": range(tuples),
            "age": age,
            "region": random.choice(LEAVES, tuples),
            "hours": random.integers(0, 40, tuples) + age // 2,
            "value": random.choice(list("abcdefghijkl"), tuples, p=np.arange(12, 0, -1) / 78),
        }
    )
    known = {"age": "numeric", "region": REGIONS, "hours": "numeric"}
    table = Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers=dict(list(known.items())[:attributes]),
        sensitive="value",
    )
    return Problem(table=table, policy=Policy(list(requirements), ["information_loss"]))


@pytest.mark.parametrize(
    "attributes",
    [
        pytest.param(1, id="ordered"),
        pytest.param(2, id="taxonomy", marks=pytest.mark.slow),
        pytest.param(3, id="two ordered", marks=pytest.mark.slow),
    ],
)
def test_releases_by_moves_and_bounds_of_a_part(attributes: int, monkeypatch: pytest.MonkeyPatch):
    worked(monkeypatch)
    problem = tabled(KCAnonymity(k=8), TCloseness(t="0.2"), attributes=attributes)
    assert isinstance(Histograms.of(problem), str)
    result = solve_problem(problem, time_limit=2.0, seed=1, workers=1)
    assert result.release is not None
    assert len(result.release.groups) > 3
    (value,), (bound,) = result.objective, result.bound
    assert bound is not None
    assert 0 < bound <= value
    whole = problem.objective(problem.assemble([range(len(problem.table))]))[0]
    assert value < 0.9 * whole
    assert result.certificate is not None
    assert verify(result.certificate, problem, result.release).whole


def test_tables_that_break_the_policy_as_a_whole_and_small_ones_are_not_planned_so():
    assert Plan.of(tabled(KCAnonymity(k=8), TCloseness(t="0.2"))) == Plan.of(tabled(KCAnonymity(k=8)))
    for problem in (
        tabled(KCAnonymity(k=300), TCloseness(t="0.2")),
        tabled(KCAnonymity(k=8), TCloseness(t="0.2"), tuples=30),
    ):
        plan = Plan.of(problem)
        assert isinstance(plan, str) or plan.objective is None


@pytest.mark.parametrize("tuples", [40, 100])
def test_small_tables_that_need_large_groups_have_a_bound_that_says_something(tuples: int):
    """The simplex method cannot rule large groups out, or histograms are too many to be listed."""
    problem = tabled(KCAnonymity(k=3), TCloseness(t="0.3"), tuples=tuples)
    result = solve_problem(problem, time_limit=2.0, seed=1, workers=1)
    (value,), (bound,) = result.objective, result.bound
    assert bound is not None
    assert value / 10 < bound <= value


@pytest.mark.parametrize("order", [None, tuple("abcdefghijkl")], ids=["equal", "ordered"])
def test_the_bound_is_near_the_release_and_knows_values(
    order: tuple[str, ...] | None, monkeypatch: pytest.MonkeyPatch
):
    """It was that of the sizes alone, about half of what is lost."""
    worked(monkeypatch)
    sizes, alike = KCAnonymity(k=6), TCloseness(t="0.3" if order is None else "0.1", order=order)
    whole, part = (
        solve_problem(tabled(*asked, tuples=80, attributes=2), time_limit=2.0, seed=1, workers=1)
        for asked in ((sizes, alike), (sizes,))
    )
    (value,), (bound,), (known,) = whole.objective, whole.bound, part.bound
    assert bound is not None
    assert known is not None
    assert known < bound
    assert value <= bound * Fraction(6, 5)


@pytest.mark.parametrize(("tuples", "seed"), [(30, 5), (40, 11)])
def test_no_release_is_made_of_groups_that_only_a_part_of_the_policy_admits(
    tuples: int, seed: int, monkeypatch: pytest.MonkeyPatch
):
    """Where boxes are too many to price values, the linear program knows nothing of them."""
    monkeypatch.setattr(histogram, "near_shares", lambda *_: None)
    policy = Policy([KCAnonymity(k=3), TCloseness(t="0.3")], ["information_loss"])
    problem = Problem(table=engine_table("kc", tuples, seed), policy=policy)
    judge, objective = Judge(problem), Objective.of(problem)
    assert isinstance(objective, Objective)
    search = histogram.HistogramSearch(problem, Settings(seed=1, time_limit=2.0), Watch(), objective)
    answer = search.run()
    assert not search.listed
    assert search.simplex is not None
    assert search.root.duals is not None
    assert answer.release is not None
    for group in answer.release.groups:
        assert judge.admits(tuple(group.histogram.get(value, 0) for value in judge.names))
