"""What is asked of how values are mixed, in whole numbers that are added up value by value."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction

__all__ = ["whole_entropy", "whole_recursive"]

UNIT = 1 << 16
DIGITS = 40
SURE = Decimal(10) ** -20
"""More than what so many digits may be wrong by."""


def whole_entropy(least: Fraction, tuples: int) -> tuple[list[int], list[int]]:
    """``n log n`` of up to so many tuples, never too large; ``s log (s / least)``, never too small.

    In 1 / `UNIT`. So every group with ``sum n log n <= s log (s / least)`` keeps the same in whole numbers,
    and whoever adds these up proves nothing too much. O(tuples) logarithms of `DIGITS` digits.
    """
    with localcontext(prec=DIGITS):
        logs = [Decimal(n).ln() for n in range(1, tuples + 1)]
        each = Decimal(least.numerator).ln() - Decimal(least.denominator).ln()
        weight = [UNIT * n * log for n, log in enumerate(logs, start=1)]
        budget = [w - UNIT * n * each for n, w in enumerate(weight, start=1)]
        below = [0, *(max(0, _floor(w - SURE)) for w in weight)]
        above = [0, *(_floor(b + SURE) for b in budget)]
    return below, above


def whole_recursive(c: Fraction, rank: int, tuples: int) -> tuple[list[int], int]:
    """Weights of up to so many tuples of a value, and a share: none is more than the share of a group's size.

    With ``n_1 < c (n_r + ...)`` each of the ranks before r has a tuple, so that of s tuples the sum has at
    most ``s - n_1 - (r - 2)``; all, if r is 1. Where the most frequent value keeps to that, every value does.
    It is less than what is asked, and says enough where groups are large. In groups of r tuples or more the
    weights, less the share of a size, rise ever faster.
    """
    a, b, apart = c.numerator, c.denominator, max(0, rank - 2)
    own = b if rank == 1 else a + b
    return [0, *(own * n + a * apart + 1 for n in range(1, tuples + 1))], a


def _floor(x: Decimal) -> int:
    return int(x.to_integral_value(ROUND_FLOOR))
