"""The compiled heart of bound propagation: told once for the audit, the counting of worlds and explanations.

Each row bounds each of its columns by what the others can be at most and at least. Where that ends does not
depend on the order of the rows, so whoever changed few bounds starts with few rows.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..compiled import borrowing, compiled
from .rows import Compact, Integers

__all__ = ["tighten", "tightened"]

NOTED = 256
"""Conclusions a log has room for at first."""


def tightened(
    rows: Compact, low: Integers, high: Integers, lower: Integers, upper: Integers, *, noting: bool = False
) -> tuple[bool, Integers]:
    """Tighten bounds in place by every row until nothing changes.

    Returns whether the rows have not contradicted each other, and the log if it was asked for: per
    conclusion the row, its multiplier, the column, the side and the bound.
    """
    fits, log, count = tighten(
        rows.start,
        rows.column,
        rows.sign,
        rows.first,
        rows.row,
        low,
        high,
        lower,
        upper,
        np.arange(rows.height, dtype=np.int64),
        rows.height,
        np.ones(rows.height, dtype=np.bool_),
        np.empty((NOTED if noting else 0, 5), dtype=np.int64),
    )
    return fits, log[:count]


@compiled
def tighten(
    start: Integers,
    column: Integers,
    sign: Integers,
    first: Integers,
    row: Integers,
    low: Integers,
    high: Integers,
    lower: Integers,
    upper: Integers,
    queue: Integers,
    length: int,
    waiting: NDArray[np.bool_],
    log: Integers,
) -> tuple[bool, Integers, int]:
    """As `tightened`, from the first `length` rows of the queue on, which are `waiting`.

    There is room for every row in the queue, and nothing is noted in a log without room. In the end no row
    is waiting. Returns the log and how many conclusions it has, too.
    """
    height, head, count, fits = len(queue), 0, 0, True
    while length > 0:
        r = queue[head]
        head = (head + 1) % height
        length -= 1
        waiting[r] = False
        if not fits:
            continue
        least, most = _reach(start, column, sign, lower, upper, r)
        fits = least <= high[r] and most >= low[r]
        if not fits or (least >= low[r] and most <= high[r]):
            continue
        for p in range(start[r], start[r + 1]):
            j = column[p]
            if lower[j] == upper[j]:
                continue
            # How far the column can be from the end where it adds least, and most, to the row.
            room, gap = high[r] - least, most - low[r]
            if sign[p] > 0:
                up, down = min(upper[j], lower[j] + room), max(lower[j], upper[j] - gap)
                least, most = least + down - lower[j], most + up - upper[j]
            else:
                up, down = min(upper[j], lower[j] + gap), max(lower[j], upper[j] - room)
                least, most = least + upper[j] - up, most + lower[j] - down
            if up == upper[j] and down == lower[j]:
                continue
            if len(log):
                log, count = _noted(log, count, r, sign[p], j, upper[j] - up, lower[j] - down, up, down)
            lower[j], upper[j] = down, up
            if down > up:
                fits = False
                break
            for z in range(first[j], first[j + 1]):
                other = row[z]
                if not waiting[other]:
                    waiting[other] = True
                    queue[(head + length) % height] = other
                    length += 1
    return fits, log, count


@borrowing
def _reach(
    start: Integers, column: Integers, sign: Integers, lower: Integers, upper: Integers, r: int
) -> tuple[int, int]:
    """The least and the most that a row can add up to."""
    least, most = 0, 0
    for p in range(start[r], start[r + 1]):
        if sign[p] > 0:
            least += lower[column[p]]
            most += upper[column[p]]
        else:
            least -= upper[column[p]]
            most -= lower[column[p]]
    return least, most


@compiled
def _noted(
    log: Integers, count: int, r: int, sign: int, j: int, lowered: int, raised: int, up: int, down: int
) -> tuple[Integers, int]:
    """Write down the new bounds of a column, the upper one first."""
    if count + 2 > len(log):
        log = np.concatenate((log, np.empty_like(log)))
    for side, changed, bound in ((1, lowered, up), (-1, raised, down)):
        if changed != 0:
            log[count, 0] = r
            log[count, 1] = side * sign
            log[count, 2] = j
            log[count, 3] = side
            log[count, 4] = bound
            count += 1
    return log, count
