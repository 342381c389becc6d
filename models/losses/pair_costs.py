"""Squared error in whole numbers that are never too high: what pairs of points cost, and groups of them.

A group of s points costs the squared distances of its pairs, added up and divided by s. A distance is a sum
over attributes of a rational price times the square of a whole number (a difference of codes). It is computed
in floating point, where each of few operations errs by at most one part in 2^53, then lowered by one part in
2^44 and rounded down: so the sum of pairs over s, rounded down again, is at most the cost. Every product and
sum is an operation of its own, so every machine makes the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..domain import Codes

__all__ = ["FINE", "MOST_CODE", "group_costs", "pair_costs", "places", "squares"]

FINE = 1 << 32
"""What a percent costs."""
LOWERED = 1 - 2.0**-44
MOST_CODE = 1 << 50
"""Larger codes are not exact in floating point."""
AT_ONCE = 256
FEW_ALIKE = 20
"""Where no more than one tuple in so many is at a point with an earlier one, all are told apart."""


def places(codes: Codes) -> tuple[tuple[int, ...], ...]:
    """Tuples at one point, in the order of the first ones; each alone where few share a point.

    Tuples that share a row make searches shorter, but a cut can then name them only together, and some cuts
    name one of two.
    """
    alike: dict[tuple[int, ...], list[int]] = {}
    for t, point in enumerate(map(tuple, codes.tolist())):
        alike.setdefault(point, []).append(t)
    if FEW_ALIKE * (len(codes) - len(alike)) <= len(codes):
        return tuple((t,) for t in range(len(codes)))
    return tuple(map(tuple, alike.values()))


def pair_costs(codes: Codes, prices: Sequence[Fraction]) -> Codes:
    """What each pair of points adds to a group's sum; see the module.

    Parameters
    ----------
    codes : int array, shape (points, attributes)
        From 0 to `MOST_CODE`.
    prices
        Of the square of a step of one code, in percent.
    """
    floats = codes.astype(np.float64)
    found = np.empty((len(codes), len(codes)), dtype=np.int64)
    for at in range(0, len(codes), AT_ONCE):
        total = np.zeros((len(floats[at : at + AT_ONCE]), len(codes)))
        for a, price in enumerate(prices):
            gap = floats[at : at + AT_ONCE, a, None] - floats[None, :, a]
            gap *= gap
            gap *= float(price * FINE)
            total += gap
        total *= LOWERED
        found[at : at + AT_ONCE] = np.floor(total)
    return found


def group_costs(pairs: Codes, lines: NDArray[np.int32]) -> Codes:
    """Cost of groups, one per line (points, then -1), rounded down."""
    total, there = np.zeros(len(lines), dtype=np.int64), lines >= 0
    for b in range(1, lines.shape[1]):
        both = np.flatnonzero(there[:, b])
        for a in range(b if len(both) else 0):
            total[both] += pairs[lines[both, a], lines[both, b]]
    return total // np.maximum(1, there.sum(axis=1))


def squares(codes: Codes, prices: Sequence[Fraction]) -> Fraction:
    """Exact squared error of points as one group, in percent."""
    found = Fraction(0)
    for a, price in enumerate(prices):
        own = [int(x) for x in codes[:, a].tolist()]
        found += price * (sum(x * x for x in own) - Fraction(sum(own) ** 2, len(own)))
    return found
