"""The smallest group of t-closeness: no histogram of fewer tuples is near enough, one of that size is."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pandas as pd
import pytest

from optanon import Microdata, Policy, Problem, TCloseness

F = Fraction


def histograms(size: int, values: int) -> Iterator[tuple[int, ...]]:
    """All counts of so many values that add up to a size."""
    if values == 1:
        yield (size,)
        return
    for count in range(size + 1):
        for rest in histograms(size - count, values - 1):
            yield (count, *rest)


def smallest(rule: TCloseness, counts: dict[str, int]) -> int:
    """By all histograms of one size after the other."""
    return next(
        size
        for size in range(1, sum(counts.values()) + 1)
        if any(
            rule.distance(dict(zip(counts, each, strict=True)), counts) <= rule.t
            for each in histograms(size, len(counts))
        )
    )


@pytest.mark.parametrize("seed", range(60))
def test_the_least_size_is_that_of_all_histograms(seed: int):
    random = Random(seed)
    ordered, values = bool(seed % 2), random.randint(2, 4)
    names = tuple("abcd"[:values])
    counts = {value: random.randint(0 if ordered and place else 1, 5) for place, value in enumerate(names)}
    rule = TCloseness(t=F(random.randint(0, 10), random.randint(10, 20)), order=names if ordered else None)
    people = [value for value, count in counts.items() for _ in range(count)]
    frame = pd.DataFrame({"id": range(len(people)), "age": range(len(people)), "value": people})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="value")
    assert rule.bounds(Problem(table=table, policy=Policy([rule]))).smallest == smallest(rule, counts)


def test_a_table_of_many_people_is_looked_at_by_parts():
    frame = pd.DataFrame({"id": range(2_500), "age": 1, "value": ["a", *"b" * 2_499]})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="value")
    for t, size in ((0, 2_500), (F(1, 2_500), 1), (F(1, 2_501), 1_251)):
        rule = TCloseness(t=t)
        found = rule.bounds(Problem(table=table, policy=Policy([rule]))).smallest
        assert found == size, t
