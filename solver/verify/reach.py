"""Duals that can be seen to be feasible without a box: each tuple's is no more than it has to pay anyway.

In a group of k or more a tuple pays for a box in which k - 1 others are. If fewer than k - 1 other tuples are
so near that the smallest box around both costs less than the tuple's dual, it pays at least its dual; and a
group whose members all do costs no less than their duals add up to. Tuples are looked for along one
attribute, as far as its own share of the box costs less than the dual.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from ...models.compiled import compiled
from .duals import ClaimedDuals
from .outcome import UndecidedError
from .rows import Boxes, CheckedRows, Ints

__all__ = ["paid_anyway"]

MOST_PAIRS = 4_000_000_000
"""Of a tuple and another one along the attribute."""
AT_ONCE = 1 << 11
"""Rows between two looks at the clock."""
PATIENCE = 0.5
"""Seconds that most tables need: a bound is not given up for less, however late it is."""


def paid_anyway(
    rows: CheckedRows, duals: ClaimedDuals, least: int, over: Callable[[], bool] | None = None
) -> bool:
    """Whether each tuple pays its dual in any group of at least so many; False says nothing of the duals.

    Raises
    ------
    UndecidedError
        If that cannot be told in time.
    """
    boxes, pays = rows.boxes, duals.rows
    free = [a for a in range(boxes.code.shape[1]) if boxes.start[a] < 0]
    if not free or duals.cuts or duals.fake:
        return False
    windows = [_window(boxes.code[:, a] * boxes.price[a] * duals.scale, pays) for a in free]
    order, first, last = min(windows, key=lambda window: int((window[2] - window[1]).sum()))
    if int((last - first).sum()) > MOST_PAIRS:
        return False
    until = None  # the first rows may wait for the compiler, which hears no clock
    for at in range(0, len(order), AT_ONCE):
        if until is not None and over is not None and over() and perf_counter() > until:
            raise UndecidedError("not all tuples could be looked at in time")
        end = min(at + AT_ONCE, len(order))
        if not _pay(boxes, rows.count, order, first, last, pays, duals.scale, least - 1, at, end):
            return False
        until = until or perf_counter() + PATIENCE
    return True


def _window(along: Ints, pays: Ints) -> tuple[Ints, Ints, Ints]:
    """Rows in the order of an attribute's costs; from where to where each may be near another one."""
    order = np.argsort(along, kind="stable")
    sorted_, reach = along[order], np.maximum(pays[order], 0)
    first = np.searchsorted(sorted_, sorted_ - reach, side="right")
    last = np.searchsorted(sorted_, sorted_ + reach, side="left")
    return order, np.minimum(first, last), last


@compiled
def _pay(
    boxes: Boxes,
    count: Ints,
    order: Ints,
    first: Ints,
    last: Ints,
    pays: Ints,
    scale: int,
    others: int,
    begin: int,
    end: int,
) -> bool:
    code, price, start, side, table = boxes.code, boxes.price, boxes.start, boxes.side, boxes.table
    for at in range(begin, end):
        i = order[at]
        near = 0 if pays[i] <= 0 else count[i] - 1
        for place in range(first[at], last[at]):
            if near >= others and pays[i] > 0:
                return False
            u, cost = order[place], 0
            if u == i:
                continue
            for a in range(code.shape[1]):
                x, y = min(code[i, a], code[u, a]), max(code[i, a], code[u, a])
                cost += price[a] * (y - x) if start[a] < 0 else table[start[a] + x * side[a] + y]
                if cost * scale >= pays[i]:
                    break
            if cost * scale < pays[i]:
                near += count[u]
        if near >= others and pays[i] > 0:
            return False
    return True
