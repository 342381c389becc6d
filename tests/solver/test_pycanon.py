"""pyCANON's verdicts beside ours on 200 random tables; where they differ, why.

pyCANON says the largest parameters a published table has. Agreement means: our requirement with these
parameters is kept, and with the next ones it is broken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import floor, prod
from random import Random
from typing import Any

import pandas as pd
import pytest

from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release, published_frame
from optanon.models.requirement import Requirement
from optanon.models.requirements import (
    DistinctLDiversity,
    EntropyLDiversity,
    KCAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from optanon.models.table import Microdata

anonymity: Any = pytest.importorskip("pycanon.anonymity", reason="needs pip install optanon[bench]")

TABLES = 200


def release_of(groups: Sequence[Sequence[int]]) -> Release:
    """A release whose groups publish these values, in boxes of their own."""
    rows = [
        (f"r{g}.{i}", 10 * g + i % 2, value)
        for g, values in enumerate(groups)
        for i, value in enumerate(values)
    ]
    table = Microdata.from_frame(
        pd.DataFrame(rows, columns=["id", "x", "value"]),
        respondent="id",
        quasi_identifiers={"x": "numeric"},
        sensitive="value",
    )
    problem = Problem(table=table, policy=Policy([KCAnonymity(k=1)]))
    starts = [sum(map(len, groups[:g])) for g in range(len(groups) + 1)]
    return problem.assemble([range(first, last) for first, last in pairwise(starts)])


def as_they_see_it(release: Release, *, numbers: bool = False) -> pd.DataFrame:
    frame = published_frame(release)[["x", "value"]]
    return frame.astype({"value": int}) if numbers else frame


def groups_of(seed: int) -> list[list[int]]:
    random = Random(seed)
    values = range(random.randint(2, 5))
    groups = [
        [random.choice(values) for _ in range(random.randint(1, 9))] for _ in range(random.randint(1, 5))
    ]
    groups[0] += [0, 1]  # two different values at least
    if seed % 3 == 0:  # every value equally often
        groups = [sorted(set(group)) * random.randint(1, 3) for group in groups]
    return groups


def kept(requirement: Requirement, release: Release) -> bool:
    return next(requirement.check(release, History()), None) is None


@pytest.fixture(scope="module")
def tables() -> list[tuple[Release, pd.DataFrame]]:
    releases = [release_of(groups_of(seed)) for seed in range(TABLES)]
    return [(release, as_they_see_it(release)) for release in releases]


Tables = list[tuple[Release, pd.DataFrame]]


def test_k(tables: Tables):
    for release, frame in tables:
        k = int(anonymity.k_anonymity(frame, ["x"]))
        assert kept(KCAnonymity(k=k), release)
        assert not kept(KCAnonymity(k=k + 1), release)


def test_the_largest_share(tables: Tables):
    for release, frame in tables:
        share, _ = anonymity.alpha_k_anonymity(frame, ["x"], ["value"])
        exact = Fraction(float(share)).limit_denominator(100)
        assert kept(KCAnonymity(k=1, c=exact), release)
        assert not kept(KCAnonymity(k=1, c=exact - Fraction(1, 1000)), release)


def test_distinct_l(tables: Tables):
    for release, frame in tables:
        l = int(anonymity.l_diversity(frame, ["x"], ["value"]))  # noqa: E741
        assert kept(DistinctLDiversity(l=l), release)
        assert not kept(DistinctLDiversity(l=l + 1), release)


def test_entropy_l_but_for_ties_that_floating_point_misses(tables: Tables):
    """It rounds exp(entropy) down, so l equal counts may come out as l - 1; ours is exact."""
    ties = 0
    for release, frame in tables:
        l = int(anonymity.entropy_l_diversity(frame, ["x"], ["value"]))  # noqa: E741
        assert kept(EntropyLDiversity(l=l), release)
        if kept(EntropyLDiversity(l=l + 1), release):
            # Then the worst group is exactly at l + 1: size**size = (l + 1)**size prod n**n.
            sizes = [(group.size, prod(n**n for n in group.histogram.values())) for group in release.groups]
            assert any(size**size == (l + 1) ** size * power for size, power in sizes)
            ties += 1
    assert 0 < ties <= TABLES // 2
    # Two equal counts have entropy log 2, and e to that power is 1.99... in floating point.
    release = release_of([[0, 1]])
    assert anonymity.entropy_l_diversity(as_they_see_it(release), ["x"], ["value"]) == 1
    assert kept(EntropyLDiversity(l=2), release)


def test_recursive_c_l_agrees_where_all_values_are_equally_frequent(tables: Tables):
    """There the order of the counts, which pyCANON takes the other way round, plays no part."""
    seen = 0
    for release, frame in tables:
        if any(len(set(group.histogram.values())) > 1 for group in release.groups):
            continue
        c, l = anonymity.recursive_c_l_diversity(frame, ["x"], ["value"])  # noqa: E741
        if l < 2:  # pyCANON gives no c then
            continue
        seen += 1
        assert kept(RecursiveCLDiversity(c=Fraction(int(c)), l=int(l)), release)
        assert int(c) == 1 or not kept(RecursiveCLDiversity(c=Fraction(int(c) - 1), l=int(l)), release)
    assert seen >= 20


def least_c(release: Release, l: int, *, falling: bool) -> int:  # noqa: E741
    """The least whole c of recursive (c, l)-diversity, with counts sorted either way."""
    orders = [sorted(group.histogram.values(), reverse=falling) for group in release.groups]
    return max(floor(Fraction(counts[0], sum(counts[l - 1 :]))) + 1 for counts in orders)


def test_recursive_c_l_differs_because_pycanon_sorts_the_counts_upwards(tables: Tables):
    """By definition n_1 is the most frequent value; pyCANON 1.3 takes the rarest one for it."""
    differ = seen = 0
    for release, frame in tables:
        c, l = anonymity.recursive_c_l_diversity(frame, ["x"], ["value"])  # noqa: E741
        if l < 2:
            continue
        seen += 1
        ours = least_c(release, int(l), falling=True)
        assert kept(RecursiveCLDiversity(c=Fraction(ours), l=int(l)), release)
        assert ours == 1 or not kept(RecursiveCLDiversity(c=Fraction(ours - 1), l=int(l)), release)
        assert int(c) == least_c(release, int(l), falling=False)
        differ += int(c) != ours
    assert seen >= TABLES // 4
    assert differ
    # Counts 3 and 1: 3 < c * 1 needs c = 4, but pyCANON calls the table (1, 2)-diverse.
    release = release_of([[0, 0, 0, 1]])
    assert anonymity.recursive_c_l_diversity(as_they_see_it(release), ["x"], ["value"]) == (1, 2)
    assert kept(RecursiveCLDiversity(c=Fraction(4), l=2), release)
    assert not kept(RecursiveCLDiversity(c=Fraction(3), l=2), release)


def exact_t(release: Release, order: tuple[str, ...] | None) -> Fraction:
    whole = Counter(release.histogram)
    return max(TCloseness(t=1, order=order).distance(group.histogram, whole) for group in release.groups)


def test_t_with_equal_distances(tables: Tables):
    for release, frame in tables:
        t = exact_t(release, None)
        assert float(t) == pytest.approx(anonymity.t_closeness(frame, ["x"], ["value"]), abs=1e-9)
        assert kept(TCloseness(t=t), release)
        assert t == 0 or not kept(TCloseness(t=t - Fraction(1, 10**6) * t), release)


def test_t_with_ordered_values(tables: Tables):
    for release, _ in tables:
        numbers = as_they_see_it(release, numbers=True)
        order = tuple(str(value) for value in sorted({int(v) for v in release.histogram}))
        t = exact_t(release, order)
        assert float(t) == pytest.approx(anonymity.t_closeness(numbers, ["x"], ["value"]), abs=1e-9)
        assert kept(TCloseness(t=t, order=order), release)


def test_ordered_t_differs_where_a_declared_value_does_not_occur():
    """Neighbours are the declared values here, the observed ones in pyCANON."""
    release = release_of([[0, 0], [0, 2]])
    numbers = as_they_see_it(release, numbers=True)
    assert anonymity.t_closeness(numbers, ["x"], ["value"]) == pytest.approx(1 / 4)
    assert exact_t(release, ("0", "2")) == Fraction(1, 4)
    assert exact_t(release, ("0", "1", "2")) == Fraction(1, 4)  # a gap of 2 of 2 steps is the same
    assert exact_t(release, ("0", "1", "2", "3")) == Fraction(1, 6)  # 2 of 3 steps is not


def test_groups_with_equal_boxes_are_one_class_to_pycanon():
    """It sees cells only; a release also says by its group numbers which rows belong together."""
    rows = pd.DataFrame(
        [("a", 1, "u"), ("b", 2, "v"), ("c", 1, "u"), ("d", 2, "v")], columns=["id", "x", "v"]
    )
    table = Microdata.from_frame(rows, respondent="id", quasi_identifiers={"x": "numeric"}, sensitive="v")
    release = Problem(table=table, policy=Policy([KCAnonymity(k=1)])).assemble([[0, 1], [2, 3]])
    assert anonymity.k_anonymity(published_frame(release)[["x", "v"]], ["x"]) == 4
    assert not kept(KCAnonymity(k=3), release)
