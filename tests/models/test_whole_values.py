"""Weights and budgets in whole numbers, against what requirements say of counts."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod

import numpy as np
import pytest

from optanon.models.whole_values import UNIT, whole_entropy, whole_recursive


def histograms() -> list[tuple[int, ...]]:
    return [counts for many in range(1, 5) for counts in combinations_with_replacement(range(1, 6), many)]


@pytest.mark.parametrize("least", [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)])
def test_no_group_that_is_mixed_enough_is_left_out_and_hardly_another_let_in(least: Fraction):
    weight, budget = whole_entropy(least, 20)
    for counts in histograms():
        size = sum(counts)
        kept = prod(n**n for n in counts) <= (Fraction(size) / least) ** size
        assert (sum(weight[n] for n in counts) <= budget[size]) == kept
    assert (np.diff(weight, 2) >= 0).all()
    assert weight[2] == int(2 * np.log(2) * UNIT)


@pytest.mark.parametrize("c", [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(7, 2)])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_no_value_of_a_recursively_diverse_group_is_above_its_share(c: Fraction, rank: int):
    weight, share = whole_recursive(c, rank, 20)
    refused = 0
    for counts in histograms():
        size, most = sum(counts), max(counts)
        rest = sum(sorted(counts, reverse=True)[rank - 1 :])
        if most < c * rest:
            assert all(weight[n] <= share * size for n in counts)
        elif size >= rank:
            refused += any(weight[n] > share * size for n in counts)
            assert rank > 2 or weight[most] > share * size
    assert refused or (rank == 1 and c > 1)  # everybody keeps that
