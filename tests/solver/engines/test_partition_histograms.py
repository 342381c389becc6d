"""Needed histograms: how large they get, and that everything else splits."""

from __future__ import annotations

import pandas as pd
import pytest

from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import (
    ConstantRatio,
    DistinctLDiversity,
    KCAnonymity,
    TCloseness,
    WeakMInvariance,
)
from optanon.models.table import Microdata, Sensitive
from optanon.solver.colgen.structure.histograms import Histograms, Judge


def problem(requirements: list[Requirement], each: int = 20, values: str = "abcdefghijkl") -> Problem:
    frame = pd.DataFrame({"v": list(values * each)}).assign(id=range(each * len(values)), q=0)
    private = Sensitive(name="v", persistence="both")
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["q"], sensitive=private)
    return Problem(table=table, policy=Policy(requirements))


def needed(asked: Problem) -> list[tuple[int, ...]]:
    found = Histograms.of(asked)
    assert isinstance(found, Histograms)
    return [state for state, flag in zip(found.states, found.steps.needed, strict=True) if flag]


# Known from enumerating all histograms up to far larger sizes.
LARGEST = [
    (3, "1/2", 6),
    (4, "1/2", 7),
    (5, "1/2", 10),
    (5, "1/4", 12),
    (4, "1/3", 9),
    (5, "7/10", 13),
    (10, "1/2", 19),
    (5, "1", 9),
]


@pytest.mark.parametrize(("k", "c", "largest"), LARGEST)
def test_the_largest_group_needed_for_kc_anonymity(k: int, c: str, largest: int):
    assert max(map(sum, needed(problem([KCAnonymity(k=k, c=c)])))) == largest


def test_the_groups_needed_for_3_anonymity_with_shares_of_half():
    # By hand: two 3-groups merge to 6 and more tuples, except where one value has half of them.
    found = needed(problem([KCAnonymity(k=3, c="1/2")]))
    assert (3, 3) in found
    assert (1, 1, 1) in found
    assert (2, 2) in found
    assert (2, 2, 2) not in found


def test_weak_m_invariance_needs_m_to_2m_minus_1_values_once():
    assert needed(problem([WeakMInvariance(m=3)])) == [(1,) * values for values in (3, 4, 5)]


def test_a_fixed_multiplicity_is_kept():
    assert needed(problem([WeakMInvariance(m=2, multiplicity=2)])) == [(2, 2), (2, 2, 2)]


def test_sizes_that_others_imply_do_not_spoil_the_largest_size():
    alone = needed(problem([WeakMInvariance(m=3)]))
    assert needed(problem([KCAnonymity(k=2), WeakMInvariance(m=3), KCAnonymity(k=3)])) == alone
    # Two that imply one another count once: here groups of 2 would keep m = 2 but not k = 3.
    both = needed(problem([KCAnonymity(k=3), KCAnonymity(k=3), WeakMInvariance(m=2)], each=6, values="ab"))
    assert min(map(sum, both)) == 4


def test_requirements_that_small_groups_keep_anyway_do_not_spoil_the_largest_size():
    alone = needed(problem([WeakMInvariance(m=3)]))
    diverse = [DistinctLDiversity(l=3), WeakMInvariance(m=3)]
    assert needed(problem(diverse)) == alone
    # Protected values are told apart: the same histograms, value by value.
    told = needed(problem([*diverse, ConstantRatio(l=3, k=1)], values="abcde"))
    assert {tuple(sorted(filter(None, state))) for state in told} == set(alone)
    # l = 4 binds: groups of three go, so six values no longer split into two threes.
    strict = needed(problem([DistinctLDiversity(l=4), WeakMInvariance(m=3)], each=2))
    assert max(map(sum, strict)) == 7


def test_diversity_alone_sets_no_largest_size():
    found = Histograms.of(problem([DistinctLDiversity(l=3)]))
    assert isinstance(found, Histograms)
    assert found.steps.beyond


@pytest.mark.parametrize(
    "requirements",
    [
        [KCAnonymity(k=3, c="1/2")],
        [KCAnonymity(k=2, c="2/3"), DistinctLDiversity(l=2)],
        [TCloseness(t="1/3")],
        [WeakMInvariance(m=2)],
    ],
)
def test_every_admissible_histogram_is_a_sum_of_needed_ones(requirements: list[Requirement]):
    asked = problem(requirements, each=4, values="abc")
    judge, alike = Judge(asked), Judge(asked).alike
    parts = needed(asked)
    for a in range(5):
        for b in range(5):
            for c in range(5):
                if judge.admits((a, b, c)):
                    assert _sums(tuple(sorted((a, b, c), reverse=True)) if alike else (a, b, c), parts, alike)


def _sums(left: tuple[int, ...], parts: list[tuple[int, ...]], alike: bool) -> bool:
    """Whether a histogram is a sum of needed ones (in any arrangement, if values are alike)."""
    if not any(left):
        return True
    for part in parts:
        padded = (*part, 0, 0, 0)[:3]
        orders = {padded} if not alike else {tuple(padded[i] for i in o) for o in _ORDERS}
        for order in orders:
            rest = tuple(x - y for x, y in zip(left, order, strict=True))
            if min(rest) >= 0 and _sums(rest, parts, alike):
                return True
    return False


_ORDERS = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
