"""Weights and budgets in whole numbers, against what requirements say of counts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, combinations_with_replacement, product
from math import prod

import numpy as np
import pytest

from optanon.models.structure import EntropyRule, RecursiveRule, SharesRule
from optanon.models.whole_values import UNIT, WholeValues, whole_values

TABLE = {"a": 9, "b": 5, "c": 5, "d": 1}


def histograms() -> list[tuple[int, ...]]:
    return [counts for many in range(1, 5) for counts in combinations_with_replacement(range(1, 6), many)]


def within(asked: WholeValues, counts: Sequence[int]) -> bool:
    """Whether what a group is away by is no more than it may be."""
    size = sum(counts)
    if asked.order:
        upto = accumulate(counts[v] for v in asked.order)
        sums = zip(upto, asked.share, asked.places, strict=True)
        away = sum(places * abs(asked.weight[n] - size * share) for n, share, places in sums)
    else:
        each = zip(counts, asked.share, strict=False)
        away = sum(max(0, asked.weight[n] - size * share) for n, share in each)
    return away <= asked.budget[size]


@pytest.mark.parametrize("least", [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)])
def test_no_group_that_is_mixed_enough_is_left_out_and_hardly_another_let_in(least: Fraction):
    asked = whole_values(EntropyRule(least=least), TABLE, TABLE)
    assert asked is not None
    for counts in histograms():
        size = sum(counts)
        kept = prod(n**n for n in counts) <= (Fraction(size) / least) ** size
        assert within(asked, counts) == kept
    assert (np.diff(asked.weight, 2) >= 0).all()
    assert asked.weight[2] == int(2 * np.log(2) * UNIT)


@pytest.mark.parametrize("c", [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(7, 2)])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_no_value_of_a_recursively_diverse_group_is_above_its_share(c: Fraction, rank: int):
    asked = whole_values(RecursiveRule(c=c, rank=rank), TABLE, TABLE)
    assert asked is not None
    refused = 0
    for counts in histograms():
        size, most = sum(counts), max(counts)
        rest = sum(sorted(counts, reverse=True)[rank - 1 :])
        if most < c * rest:
            assert within(asked, counts)
        elif size >= rank:
            refused += not within(asked, counts)
            assert rank > 2 or not within(asked, counts)
    assert refused or (rank == 1 and c > 1)  # everybody keeps that


@pytest.mark.parametrize("most", [Fraction(0), Fraction(1, 10), Fraction(3, 7), Fraction(1)])
@pytest.mark.parametrize("order", [None, ("a", "b", "c", "d"), ("x", "d", "y", "z", "b", "a", "c", "w")])
def test_shares_are_near_the_tables_exactly_where_nothing_is_above_the_budget(
    most: Fraction, order: tuple[str, ...] | None
):
    asked = whole_values(SharesRule(most=most, order=order), TABLE, TABLE)
    assert asked is not None
    assert asked.exact
    said = set[bool]()
    for counts in product(range(4), repeat=4):
        if any(counts):
            group = dict(zip(TABLE, counts, strict=True))
            gaps = [
                Fraction(group.get(name, 0), sum(counts)) - Fraction(TABLE.get(name, 0), 20)
                for name in order or TABLE
            ]
            kept = sum(map(abs, accumulate(gaps) if order else gaps)) <= most
            assert within(asked, counts) == kept
            said.add(kept)
    assert False in said
    assert True in said or most < Fraction(3, 7)


def test_of_another_table_or_in_too_long_numbers_nothing_is_said():
    shares = SharesRule(most=Fraction(1, 2))
    assert whole_values(shares, TABLE, TABLE | {"a": 8}) is None
    assert whole_values(shares, TABLE, TABLE | {"e": 0}) is not None
    assert whole_values(SharesRule(most=Fraction(1), order=("a", "b", "c")), TABLE, TABLE) is None
    assert whole_values(RecursiveRule(c=Fraction(1 << 60, 3), rank=2), TABLE, TABLE) is None
    assert whole_values(shares, {"a": 10_001}, {"a": 10_001}) is None
