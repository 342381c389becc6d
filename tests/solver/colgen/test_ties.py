"""First groups of tuples that are alike: always a release, and one that costs nothing where it can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import count

import numpy as np
import pandas as pd
import pytest
from oracle.partition import POLICIES, random_problem

import optanon as oa
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.solver.colgen.column import Group
from optanon.solver.colgen.primal.ties import tied
from optanon.solver.colgen.structure.histograms import Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.settings import Clock


def made(problem: Problem, clock: Clock | None = None) -> tuple[Rows, list[Group] | None]:
    judge = Judge(problem)
    rows = Rows.of(problem, blind=judge.blind)
    return rows, tied(rows, judge, dear=0.225, clock=clock or Clock())


def crowded(values: list[str], places: list[int], requirement: oa.KCAnonymity) -> Problem:
    frame = pd.DataFrame({"id": range(len(values)), "a": places, "v": values})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers={"a": "numeric"}, sensitive="v")
    return Problem(table=table, policy=oa.Policy([requirement], ["information_loss"]))


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_every_tuple_is_in_one_admissible_group(policy: Sequence[Requirement], seed: int):
    problem = random_problem(seed, 40, policy)
    asked = count()
    for clock in (Clock(), Clock(stop=lambda: next(asked) > 45)):  # the second ends on the way
        rows, groups = made(problem, clock)
        if groups is not None:  # else somebody fits nowhere
            released(problem, rows, groups)
        assert groups is not None or clock.stop is not None or not Judge(problem).blind  # sizes always fit


def released(problem: Problem, rows: Rows, groups: list[Group]) -> None:
    assert Counter(row for group in groups for row in group) == dict(enumerate(rows.count.tolist()))
    left = [list(behind) for behind in rows.tuples]
    release = problem.assemble([[left[row].pop() for row in group] for group in groups])
    assert next(problem.check(release), None) is None


def test_alike_tuples_cost_nothing():
    values, places = list("abcabcabcxyzxyz"), [1] * 9 + [7] * 6
    rows, groups = made(crowded(values, places, oa.KCAnonymity(k=3, c=Fraction(1, 2))))
    assert groups is not None
    assert sum(rows.group_costs(groups)) == 0
    assert max(map(len, groups)) < 6


def test_a_surplus_goes_to_places_near_by():
    values, places = list("aaaabcdcd"), [1] * 5 + [2] * 4
    rows, groups = made(crowded(values, places, oa.KCAnonymity(k=3, c=Fraction(1, 2))))
    assert groups is not None
    assert sum(rows.group_costs(groups)) > 0


def test_who_fits_nowhere_or_has_no_time_ends_it():
    problem = crowded(list("aaab"), [1, 1, 1, 1], oa.KCAnonymity(k=2, c=Fraction(1, 2)))
    assert made(problem)[1] is None
    assert made(random_problem(0, 40), Clock(0.0))[1] is None


@pytest.mark.parametrize("seed", range(5))
def test_places_are_rows_with_equal_quasi_identifiers(seed: int):
    problem = random_problem(seed, 80)
    rows = Rows.of(problem)
    places, place = rows.places()
    codes = rows.geometry.codes
    assert np.array_equal(places.geometry.codes[place], codes)
    assert len(places) == len(np.unique(codes, axis=0))
    assert places.count.sum() == rows.count.sum()
