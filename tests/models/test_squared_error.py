"""Squared error: the published measure, what it refuses, and the optimum of small tables."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import optanon as oa
from optanon.models.errors import PolicyError
from optanon.models.losses import loss
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.models.table import Microdata
from optanon.solver.engines.assignment.engine import AssignmentEngine
from optanon.solver.search import solve_problem
from optanon.solver.status import Status

POINTS = [(1, 10), (2, 30), (3, 10), (8, 50), (9, 20), (10, 20), (30, 5)]


def table(points: list[tuple[int, int]] = POINTS) -> Microdata:
    frame = pd.DataFrame(points, columns=["x", "y"])
    frame = frame.assign(id=[f"r{i}" for i in range(len(frame))], v="a")
    return Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"x": "numeric", "y": "numeric"}, sensitive="v"
    )


def shares(groups: list[list[int]], points: list[tuple[int, int]] = POINTS) -> tuple[float, float]:
    """100 SSE / SST as microaggregation publishes it: of z-scores, and of numbers as they are."""
    numbers = np.array(points, dtype=float)
    found: list[float] = []
    for scaled in (numbers / numbers.std(axis=0), numbers):
        error = sum(((scaled[g] - scaled[g].mean(axis=0)) ** 2).sum() for g in groups)
        found.append(100 * error / ((scaled - scaled.mean(axis=0)) ** 2).sum())
    return found[0], found[1]


def test_it_is_the_published_share_of_squares():
    problem = Problem(table=table(), policy=Policy([KCAnonymity(k=1)]))
    for groups in ([[0, 1, 2], [3, 4, 5, 6]], [[0, 3], [1, 4], [2, 5], [6]], [list(range(7))]):
        release = problem.assemble(groups)
        for name, wanted in zip(("squared_error", "squared_error_unscaled"), shares(groups), strict=True):
            assert float(loss(name).value(release, problem.table)) == pytest.approx(wanted)
    whole = problem.assemble([list(range(7))])
    assert loss("squared_error").value(whole, problem.table) == 100


def test_z_scores_do_not_see_units_and_weights_count():
    problem = Problem(table=table(), policy=Policy([KCAnonymity(k=1)]))
    wide = Problem(table=table([(x, 1000 * y + 7) for x, y in POINTS]), policy=problem.policy)
    groups = [[0, 1, 2], [3, 4, 5, 6]]
    values = [loss("squared_error").value(p.assemble(groups), p.table) for p in (problem, wide)]
    assert values[0] == values[1]
    only = problem.table.weighted({"y": Fraction(0)})
    alone = Problem(table=only, policy=problem.policy).assemble(groups)
    x = np.array([p[0] for p in POINTS], dtype=float)
    wanted = 100 * sum(((x[g] - x[g].mean()) ** 2).sum() for g in groups) / ((x - x.mean()) ** 2).sum()
    assert float(loss("squared_error").value(alone, only)) == pytest.approx(wanted)


def partitions(rows: list[int], k: int) -> list[list[list[int]]]:
    if not rows:
        return [[]]
    found: list[list[list[int]]] = []
    for size in range(k, len(rows) + 1):
        for others in combinations(rows[1:], size - 1):
            rest = [r for r in rows[1:] if r not in others]
            found += [[[rows[0], *others], *more] for more in partitions(rest, k)]
    return found


@pytest.mark.parametrize("name", ["squared_error", "squared_error_unscaled"])
@pytest.mark.parametrize("engine", ["subsets", "assignment"])
def test_engines_find_the_least(name: str, engine: str):
    problem = Problem(table=table(), policy=Policy([KCAnonymity(k=2)], [name]))
    at = 0 if name == "squared_error" else 1
    best = min(shares(groups)[at] for groups in partitions(list(range(7)), 2))
    result = solve_problem(problem, engine=engine, workers=1, display=False)
    assert float(result.objective[0]) == pytest.approx(best)
    assert result.bounds[0] is not None
    assert result.bounds[0] <= result.objective[0]
    if engine == "subsets":
        assert result.status is Status.OPTIMAL
        assert result.certificate is not None
        assert oa.verify(result.certificate, problem, result.release).whole


def test_what_has_no_model_is_said_and_searched_otherwise():
    """Squares beyond 64 bits: the direct model refuses, and a release is found without it."""
    random = np.random.default_rng(1)
    points = [(int(x), int(y)) for x, y in random.integers(0, 2**39, (40, 2))]
    problem = Problem(table=table(points), policy=Policy([KCAnonymity(k=3)], ["squared_error"]))
    reason = AssignmentEngine().refuses(problem)
    assert reason is not None
    assert "squares too large for 64 bits" in reason
    result = solve_problem(problem, time_limit=3, workers=1, display=False)
    assert result.engine.startswith("partition")
    assert result.release is not None
    assert 0 < result.objective[0] < 100


def test_columns_that_no_loss_measures_are_refused():
    frame = pd.DataFrame({"id": ["a", "b"], "x": [1, 2], "sex": ["f", "m"], "v": ["u", "u"]})
    mixed = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"x": "numeric", "sex": "flat"}, sensitive="v"
    )
    with pytest.raises(PolicyError, match="'sex' holds categories: minimize a loss of boxes"):
        Problem(table=mixed, policy=Policy([KCAnonymity(k=2)], ["suppressed", "squared_error"]))
    both = Policy([KCAnonymity(k=2)], ["squared_error", "information_loss"])
    assert Problem(table=mixed, policy=both).table is mixed
