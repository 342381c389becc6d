"""Working memory of a search through boxes, and the groups that it keeps. Compiled."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing
from ...exact.incidence import Members
from ..covering import Ints

__all__ = ["BestGroups", "Desk", "keep", "lower_duals", "slender"]


class Desk(NamedTuple):
    """Working memory.

    Attributes
    ----------
    row, copies, used
        Rows in the interval by falling dual, how often a group may have them, and has.
    touched
        How many members each cut's set has.
    item, following, value
        By depth: the item taken, the first that may come next, the profit.
    group, tried, other
        Rows of the best group, of the one at hand, of one beside it.
    times
        How often the group has each row, and 0 between two groups.
    first
        Of the rows in the interval, whether the best of a value is taken before others; 0 between two uses.
    top
        By kind of group in the form: the best duals of a cell.
    often, more
        How often each value is in the group, and in what is put to it.
    worst
        No row of a value enters whose dual is not above this.
    tries
        How often a best group was sought.
    stop
        Whether another thread says stop.
    """

    row: Ints
    copies: Ints
    used: Ints
    touched: Ints
    item: Ints
    following: Ints
    value: Ints
    group: Ints
    tried: Ints
    other: Ints
    times: Ints
    first: Ints
    top: Ints
    often: Ints
    more: Ints
    worst: Ints
    tries: Ints
    stop: NDArray[np.bool_]


class BestGroups(NamedTuple):
    """Groups by anchor (their first row), as many as there is room for: members and profits."""

    member: NDArray[np.int32]
    profit: Ints


def slender(lines: Members) -> Members:
    """Columns without places that none of them needs."""
    return lines[:, : max(1, int((lines >= 0).sum(axis=1).max(initial=0)))]


@borrowing
def keep(found: BestGroups, group: Ints, many: int, profit: int) -> None:
    """Keep a group, the first `many` of some rows, put in order, if it is among its anchor's best."""
    for x in range(1, many):
        r, p = group[x], x
        while p > 0 and group[p - 1] > r:
            group[p] = group[p - 1]
            p -= 1
        group[p] = r
    anchor, worst = group[0], 0
    for line in range(found.profit.shape[1]):
        same = found.profit[anchor, line] > 0
        for x in range(found.member.shape[2]):
            same = same and found.member[anchor, line, x] == (group[x] if x < many else -1)
        if same:
            found.profit[anchor, line] = max(profit, found.profit[anchor, line])
            return
        if found.profit[anchor, line] < found.profit[anchor, worst]:
            worst = line
    if profit > found.profit[anchor, worst]:
        found.profit[anchor, worst] = profit
        for x in range(found.member.shape[2]):
            found.member[anchor, worst, x] = group[x] if x < many else -1


@borrowing
def lower_duals(group: Ints, many: int, times: Ints, counts: Ints, profit: int, dual: Ints) -> None:
    """Lower duals of those rows of a group that it has the largest part of, until it does not pay.

    The group is the first `many` of some rows; `times` is 0 for each row, before and after.
    """
    part, whole, sum_of = 0, 1, 0
    for x in range(many):
        times[group[x]] += 1
    for x in range(many):
        r = group[x]
        if times[r] * whole > part * counts[r]:
            part, whole, sum_of = times[r], counts[r], 0
        if times[r] * whole == part * counts[r]:
            sum_of += 1
    by = -(-profit // sum_of)
    for x in range(many):
        r = group[x]
        if times[r] * whole == part * counts[r]:
            dual[r] -= by
        times[r] = 0
