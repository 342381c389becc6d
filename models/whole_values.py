"""What is asked of how often groups have each value, in whole numbers that are added up value by value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext
from itertools import accumulate

from .parameters import in_int64
from .structure import EntropyRule, RecursiveRule, SharesRule, ValuesRule

__all__ = ["WholeValues", "whole_values"]

UNIT = 1 << 16
DIGITS = 40
SURE = Decimal(10) ** -20
"""More than what so many digits may be wrong by."""
MOST_TUPLES = 10_000
"""All sizes of groups are written down."""


@dataclass(frozen=True, kw_only=True)
class WholeValues:
    """A group of s tuples is away from what is asked by some sum over its values, up to ``budget[s]``.

    A value that n of its tuples have adds ``max(0, weight[n] - s share)``. Of values that have an order, each
    adds ``places |weight[n] - s share|``, where n tuples have it or one before it.

    Attributes
    ----------
    weight : tuple of int
        By number of tuples, rising ever faster.
    share : tuple of int
        By value, in the order of the counts they were made of; of values in order, by place.
    budget : tuple of int
        By size.
    unit : int
        About what one tuple more is away by.
    exact : bool
        Whether the rule admits all groups within the budget, not only such.
    order, places : tuple of int
        The numbers of values in their order, and how many places are up to the next one.
    """

    weight: tuple[int, ...]
    share: tuple[int, ...]
    budget: tuple[int, ...]
    unit: int
    exact: bool
    order: tuple[int, ...] = ()
    places: tuple[int, ...] = ()


def whole_values(
    rule: ValuesRule, counts: Mapping[str, int], reference: Mapping[str, int]
) -> WholeValues | None:
    """What a rule asks of groups of a table; every group that keeps it is within the budget.

    None if the table is too large, numbers are too long for 64 bits, or the rule speaks of another table.

    Parameters
    ----------
    rule : ValuesRule
    counts : mapping
        How many tuples of the table have each value.
    reference : mapping
        The counts that shares are compared with.
    """
    tuples = sum(counts.values())
    if tuples > MOST_TUPLES:
        return None
    match rule:
        case EntropyRule():
            return _mixed(rule, len(counts), tuples)
        case RecursiveRule(c=c, rank=rank):
            fits = in_int64(4 * (tuples + rank) * (c.numerator + c.denominator))
            return _recursive(rule, len(counts), tuples) if fits else None
        case SharesRule(order=order):
            other = counts != {name: count for name, count in reference.items() if count}
            if other or not set(counts) <= set(counts if order is None else order):
                return None
            return _near(rule, list(counts.values())) if order is None else _ordered(rule, order, counts)


def _near(rule: SharesRule, counts: list[int]) -> WholeValues:
    """Shares differ by so much in all: half of that is above the table's, half below."""
    total, most = sum(counts), rule.most
    return WholeValues(
        weight=tuple(total * n for n in range(total + 1)),
        share=tuple(counts),
        budget=tuple(most.numerator * total * s // (2 * most.denominator) for s in range(total + 1)),
        unit=total,
        exact=True,
    )


def _ordered(rule: SharesRule, order: tuple[str, ...], counts: Mapping[str, int]) -> WholeValues:
    """Shares of all values up to each differ by so much in all."""
    total, most, number = sum(counts.values()), rule.most, {name: v for v, name in enumerate(counts)}
    there = [place for place, name in enumerate(order) if name in number]
    known = [order[place] for place in there]
    return WholeValues(
        weight=tuple(total * n for n in range(total + 1)),
        share=tuple(accumulate(counts[name] for name in known)),
        budget=tuple(most.numerator * total * s // most.denominator for s in range(total + 1)),
        unit=total,
        exact=True,
        order=tuple(number[name] for name in known),
        places=tuple(b - a for a, b in zip(there, [*there[1:], len(order) - 1], strict=True)),
    )


def _mixed(rule: EntropyRule, values: int, tuples: int) -> WholeValues:
    """``n log n``, never too large, may be ``s log (s / least)`` in all, never too small, in 1 / `UNIT`.

    What is rounded admits more, by some ten-thousandths of a tuple. O(tuples) logarithms of `DIGITS` digits.
    """
    with localcontext(prec=DIGITS):
        logs = [Decimal(n).ln() for n in range(1, tuples + 1)]
        each = Decimal(rule.least.numerator).ln() - Decimal(rule.least.denominator).ln()
        weight = [UNIT * n * log for n, log in enumerate(logs, start=1)]
        budget = [w - UNIT * n * each for n, w in enumerate(weight, start=1)]
        below = [0, *(max(0, _floor(w - SURE)) for w in weight)]
        above = [0, *(_floor(b + SURE) for b in budget)]
    return WholeValues(
        weight=tuple(below),
        share=(0,) * values,
        budget=tuple(above),
        unit=max(1, *below[:3]),
        exact=False,
    )


def _recursive(rule: RecursiveRule, values: int, tuples: int) -> WholeValues:
    """No value is more than a share of the group's size, as far as its own count says that.

    With ``n_1 < c (n_r + ...)`` each of the ranks before r has a tuple, so that of s tuples the sum has at
    most ``s - n_1 - (r - 2)``; all, if r is 1. Where the most frequent value keeps to that, every value does.
    It is less than what is asked, and says enough where groups are large. In groups of r tuples or more the
    weights, less the share of a size, rise ever faster.
    """
    a, b, apart = rule.c.numerator, rule.c.denominator, max(0, rule.rank - 2)
    own = b if rule.rank == 1 else a + b
    weight = (0, *(own * n + a * apart + 1 for n in range(1, tuples + 1)))
    return WholeValues(
        weight=weight,
        share=(a,) * values,
        budget=(0,) * (tuples + 1),
        unit=weight[-1] // max(1, tuples),
        exact=False,
    )


def _floor(x: Decimal) -> int:
    return int(x.to_integral_value(ROUND_FLOOR))
