"""Tuples left over: each goes where it costs least, as one would look for it by hand."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from oracle.partition import random_problem

from optanon.models.requirement import Requirement
from optanon.models.requirements import DistinctLDiversity, KCAnonymity
from optanon.solver.colgen.column import lines_of
from optanon.solver.colgen.histogram_pricing import HistogramPricing
from optanon.solver.colgen.pool import Pool
from optanon.solver.colgen.primal.left_over import joined
from optanon.solver.colgen.primal.rounding import rounded
from optanon.solver.colgen.primal.start import halved
from optanon.solver.colgen.structure.histograms import Histograms, Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.settings import Clock

POLICIES = (
    [KCAnonymity(k=4)],
    [KCAnonymity(k=3, c=Fraction(1, 2))],
    [KCAnonymity(k=3), DistinctLDiversity(l=2)],
)


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_each_goes_where_it_costs_least(policy: Sequence[Requirement], seed: int):
    judge = Judge(random_problem(seed, 60, policy))
    rows = Rows.of(judge.problem, blind=judge.blind)
    groups = halved(rows, judge)
    assert groups is not None
    found, expected = [list(group) for group in groups], [list(group) for group in groups]
    left = np.random.default_rng(seed).integers(len(rows), size=25).tolist()
    rest = joined(rows, judge, found, left, rows.value)
    for place, r in enumerate(left):
        able = [at for at, group in enumerate(expected) if admitted(judge, rows, [*group, r])]
        if not able:
            assert rest == left[place:]
            break
        best = min(able, key=lambda at: more(rows, expected[at], r))
        expected[best].append(r)
    else:
        assert rest == []
    assert found == expected


def admitted(judge: Judge, rows: Rows, group: list[int]) -> bool:
    wide = 1 if judge.blind else len(judge.names)
    return judge.admits(tuple(np.bincount(rows.value[group], minlength=wide).tolist()))


def more(rows: Rows, group: list[int], r: int) -> int:
    before, after = rows.group_costs([tuple(group), (*group, r)])
    return after - before


def test_a_rounding_that_leaves_too_many_is_none():
    problem = random_problem(0, 60, [KCAnonymity(k=3)])
    judge, histograms = Judge(problem), Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    rows = Rows.of(problem, blind=judge.blind)
    groups = halved(rows, judge)
    assert groups is not None
    columns = Pool(HistogramPricing(rows, histograms), max(map(len, groups)))
    columns.add(lines_of(groups[:2]))
    ones = np.ones(2)
    assert rounded(rows, judge, columns, ones, ones, buckets=False) is not None
    assert rounded(rows, judge, columns, ones, ones, buckets=False, most_left=0.25) is None


def test_when_time_is_over_nobody_is_put_anywhere():
    judge = Judge(random_problem(0, 60))
    rows = Rows.of(judge.problem, blind=judge.blind)
    groups = [list(group) for group in halved(rows, judge) or ()]
    sizes = list(map(len, groups))
    assert joined(rows, judge, groups, [0, 1], rows.value, Clock(0.0)) == [0, 1]
    assert list(map(len, groups)) == sizes
