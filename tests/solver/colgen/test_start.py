"""First groups: parts of the table that can be dealt to groups of different values are cut further."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from oracle.partition import random_problem

import optanon as oa
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import DistinctLDiversity, KCAnonymity, WeakMInvariance
from optanon.solver.colgen.histogram_pricing import HistogramPricing
from optanon.solver.colgen.pool import Pool
from optanon.solver.colgen.primal.rounding import balanced, fitting
from optanon.solver.colgen.primal.start import chopped, halved
from optanon.solver.colgen.structure.histograms import Histograms, Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.settings import Clock


def of_values(values: str, *requirements: Requirement) -> Problem:
    frame = pd.DataFrame({"id": range(len(values)), "a": range(len(values)), "v": list(values)})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers={"a": "numeric"}, sensitive="v")
    return Problem(table=table, policy=oa.Policy(requirements, ["information_loss"]))


def makes_groups(judge: Judge, counts: tuple[int, ...]) -> bool:
    """Whether tuples make admissible groups: the first one, and whatever is in its group, in all ways."""
    if not any(counts):
        return True
    first = next(v for v, often in enumerate(counts) if often)
    return any(
        part[first] and judge.admits(part) and makes_groups(judge, tuple(np.subtract(counts, part).tolist()))
        for part in product(*(range(often + 1) for often in counts))
    )


@pytest.mark.parametrize("m", [2, 3])
def test_what_counts_as_divisible_makes_groups_of_different_values(m: int):
    judge = Judge(of_values("aaabbbcccddd", WeakMInvariance(m=m)))
    assert judge.different
    told = 0
    for counts in product(range(4), repeat=4):
        known = any(counts) and judge.divisible(np.array([counts]))[0]
        if known:
            told += not judge.admits(counts)
            assert makes_groups(judge, counts)
        if any(counts):
            assert judge.divides(np.array(counts)) == known
    assert told > 30


def test_where_everybody_together_may_do_verdicts_are_all():
    for requirements in ([KCAnonymity(k=2)], [DistinctLDiversity(l=2)]):
        judge = Judge(of_values("aabbccd", *requirements))
        assert not judge.different
        counts = np.array([line for line in product(range(3), range(3), range(3), range(2)) if any(line)])
        wide = counts.sum(axis=1, keepdims=True) if judge.blind else counts
        assert (judge.divisible(wide) == judge.verdicts(wide)).all()
        assert judge.alone().different is judge.different


@pytest.mark.parametrize("seed", range(8))
def test_groups_have_different_values_though_the_whole_table_is_no_group(seed: int):
    problem = random_problem(seed, 61, [WeakMInvariance(m=2)])
    judge = Judge(problem)
    rows = Rows.of(problem, blind=judge.blind)
    everybody = np.repeat(np.arange(len(rows)), rows.count)
    assert not judge.admits_all
    ways = halved(rows, judge), halved(rows, judge, Clock(1e-9)), chopped([everybody], judge, rows.value)
    for found in ways:
        assert found is not None
        assert Counter(row for group in found for row in group) == Counter(everybody.tolist())
        for group in found:
            assert judge.admits(tuple(np.bincount(rows.value[list(group)], minlength=len(judge.names))))
            assert len(set(rows.value[list(group)].tolist())) == len(group)


def test_a_group_is_taken_as_often_as_asked_and_as_there_are_tuples():
    frame = pd.DataFrame({"id": range(9), "a": [0] * 9, "v": list("aaabbbbcc")})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers={"a": "numeric"}, sensitive="v")
    problem = Problem(table=table, policy=oa.Policy([WeakMInvariance(m=2)], ["information_loss"]))
    rows, histograms = Rows.of(problem, blind=False), Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    of = [int(np.flatnonzero(rows.value == value)[0]) for value in range(3)]
    assert rows.count[of].tolist() == [3, 4, 2]
    columns = Pool(HistogramPricing(rows, histograms), 2)
    columns.add([tuple(sorted(pair)) for pair in ((of[0], of[1]), (of[1], of[2]))])
    amount, none = np.array([2.6, 1.4]), np.zeros(2)
    first, second = (tuple(row for row in line if row >= 0) for line in columns.lines.tolist())
    groups, left = fitting(rows, columns, amount, none)
    assert groups == [first, second]
    assert len(left) == 5
    groups, left = fitting(rows, columns, amount, none, np.array([3, 2]))
    assert groups == [first] * 3 + [second]
    assert left.tolist() == [of[2]]


def test_groups_without_the_frequent_value_are_given_up_from_the_last_on():
    judge, value = Judge(of_values("aabbccddeeff", WeakMInvariance(m=2))), np.repeat(np.arange(6), 2)
    groups = [(2, 4), (0, 5), (6, 8), (7, 10)]
    left = np.array([1, 1, 1, 3])
    kept, rest = balanced(judge, value, groups, left)
    assert kept == [(2, 4), (0, 5), (6, 8)]
    assert rest.tolist() == [1, 1, 1, 3, 7, 10]
    # Three of a value and one other group without it: too few.
    assert balanced(judge, value, [(0, 5)], left[:3]) == ([(0, 5)], pytest.approx(left[:3]))
