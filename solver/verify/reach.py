"""Duals that can be seen to be feasible without a box: each tuple's is no more than it has to pay anyway.

In a group of k or more a tuple pays for a box in which k - 1 others are. If fewer than k - 1 other tuples are
so near that the smallest box around both costs less than the tuple's dual, it pays at least its dual; and a
group whose members all do costs no less than their duals add up to. Tuples are looked for cell by cell: none
is near in a cell of which not even the nearest corner is.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from time import thread_time
from typing import NamedTuple

import numpy as np

from ...models.compiled import borrowing
from .duals import ClaimedDuals
from .outcome import UndecidedError
from .rows import Boxes, CheckedRows, Ints

__all__ = ["paid_anyway"]

CELL = 32
"""Rows of a cell, at most."""
TRIED = 8
"""Rows that are asked about first: of duals that a linear program found one is mostly too high there."""
AT_ONCE = 16
"""Cells between two looks at the clock."""
PATIENCE = 0.5
"""Seconds of computing that most tables need: a bound is not given up for less, however late it is."""


class _Runs(NamedTuple):
    """Parts of a sequence and the corners of each."""

    start: Ints
    low: Ints
    high: Ints


def paid_anyway(
    rows: CheckedRows, duals: ClaimedDuals, least: int, over: Callable[[], bool] | None = None
) -> bool:
    """Whether each tuple pays its dual in any group of at least so many; False says nothing of the duals.

    Raises
    ------
    UndecidedError
        If that cannot be told in time.
    """
    boxes, count, pays, scale, others = rows.boxes, rows.count, duals.rows, duals.scale, least - 1
    if duals.cuts or duals.fake or not len(rows):
        return False
    everybody = np.arange(len(rows), dtype=np.int64)
    whole = _runs(boxes.code, boxes.code, np.array([0, len(rows)], dtype=np.int64))
    one = whole._replace(start=np.array([0, 1], dtype=np.int64))
    tried = np.append(np.argmax(pays), np.linspace(0, len(rows) - 1, TRIED).astype(np.int64))
    if not _pay(boxes, count, everybody, whole, one, pays, scale, others, tried):
        return False
    order, start = _in_cells(boxes)
    code, number = boxes.code[order], len(start) - 1
    cells = _runs(code, code, start)
    ends = np.append(np.arange(0, number, max(1, isqrt(number))), number).astype(np.int64)
    regions = _runs(cells.low, cells.high, ends)
    until = thread_time() + PATIENCE  # what came before may have waited for the compiler
    for at in range(0, number, AT_ONCE):
        if over is not None and over() and thread_time() > until:
            raise UndecidedError("not all tuples could be looked at in time")
        asked = order[start[at] : start[min(at + AT_ONCE, number)]]
        if not _pay(boxes, count, order, cells, regions, pays, scale, others, asked):
            return False
    return True


def _runs(low: Ints, high: Ints, start: Ints) -> _Runs:
    first = start[:-1]
    return _Runs(start, np.minimum.reduceat(low, first, axis=0), np.maximum.reduceat(high, first, axis=0))


def _in_cells(boxes: Boxes) -> tuple[Ints, Ints]:
    """Rows in an order in which those of a cell are near one another, and where cells begin."""
    pending, done = [np.arange(len(boxes.code), dtype=np.int64)], list[Ints]()
    free = boxes.start < 0
    while pending:
        part = pending.pop()
        if len(part) <= CELL:
            done.append(part)
            continue
        code = boxes.code[part]
        low, high = code.min(axis=0), code.max(axis=0)
        nodes = boxes.table[np.where(free, 0, boxes.start + low * boxes.side + high)]
        wide = np.where(free, boxes.price * (high - low), nodes)
        part = part[np.argsort(code[:, int(np.argmax(wide))], kind="stable")]
        pending += [part[len(part) // 2 :], part[: len(part) // 2]]
    start = np.append(0, np.cumsum([len(part) for part in done])).astype(np.int64)
    return np.concatenate(done), start


@borrowing
def _beyond(boxes: Boxes, i: int, low: Ints, high: Ints, reach: int, scale: int) -> bool:
    """Whether a box around a row and any corner of a run costs no less than that."""
    cost = 0
    for a in range(boxes.code.shape[1]):
        x = boxes.code[i, a]
        y = low[a] if x < low[a] else (high[a] if x > high[a] else x)
        if boxes.start[a] < 0:
            cost += boxes.price[a] * abs(y - x)
        else:
            cost += boxes.table[boxes.start[a] + min(x, y) * boxes.side[a] + max(x, y)]
        if cost * scale >= reach:
            return True
    return False


@borrowing
def _pay(
    boxes: Boxes,
    count: Ints,
    order: Ints,
    cells: _Runs,
    regions: _Runs,
    pays: Ints,
    scale: int,
    others: int,
    asked: Ints,
) -> bool:
    for i in asked:
        if pays[i] <= 0:
            continue
        near = count[i] - 1
        for r in range(len(regions.start) - 1):
            if _beyond(boxes, i, regions.low[r], regions.high[r], pays[i], scale):
                continue
            for c in range(regions.start[r], regions.start[r + 1]):
                if _beyond(boxes, i, cells.low[c], cells.high[c], pays[i], scale):
                    continue
                for place in range(cells.start[c], cells.start[c + 1]):
                    u = order[place]
                    if u != i and not _beyond(boxes, i, boxes.code[u], boxes.code[u], pays[i], scale):
                        near += count[u]
                if near >= others:
                    return False
        if near >= others:
            return False
    return True
