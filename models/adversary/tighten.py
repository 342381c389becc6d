"""The compiled heart of bound propagation."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np

from ..compiled import compiled
from .rows import Integers

__all__ = ["tighten"]


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
) -> tuple[bool, Integers]:
    """Tighten bounds in place, row by row, until nothing changes.

    Returns whether the rows have not contradicted each other, and the log: per conclusion the row,
    its multiplier, the column, the side and the bound.
    """
    height = len(start) - 1
    log = np.empty((256, 5), dtype=np.int64)
    count = 0
    waiting = np.ones(height, dtype=np.bool_)
    queue = np.arange(height)
    head = 0
    length = height
    while length > 0:
        r = queue[head]
        head = (head + 1) % height
        length -= 1
        waiting[r] = False
        least = 0
        most = 0
        for p in range(start[r], start[r + 1]):
            if sign[p] > 0:
                least += lower[column[p]]
                most += upper[column[p]]
            else:
                least -= upper[column[p]]
                most -= lower[column[p]]
        if least > high[r] or most < low[r]:
            return False, log[:count].copy()
        if least >= low[r] and most <= high[r]:
            continue
        for p in range(start[r], start[r + 1]):
            j = column[p]
            width = upper[j] - lower[j]
            if width == 0:
                continue
            # How far the column can be from the end where it adds least, and most, to the row.
            room = min(width, high[r] - least)
            gap = min(width, most - low[r])
            changed = False
            for side in (1, -1):
                reach = room if side == sign[p] else gap
                if reach >= width:
                    continue
                if side > 0:
                    upper[j] = lower[j] + reach
                else:
                    lower[j] = upper[j] - reach
                if side == sign[p]:
                    most -= width - reach
                    gap = min(gap, most - low[r])
                else:
                    least += width - reach
                    room = min(room, high[r] - least)
                width = upper[j] - lower[j]
                gap = min(gap, width)
                room = min(room, width)
                if count == len(log):
                    grown = np.empty((2 * count, 5), dtype=np.int64)
                    grown[:count] = log
                    log = grown
                log[count, 0] = r
                log[count, 1] = side * sign[p]
                log[count, 2] = j
                log[count, 3] = side
                log[count, 4] = upper[j] if side > 0 else lower[j]
                count += 1
                changed = True
                if width < 0:
                    return False, log[:count].copy()
            if changed:
                for z in range(first[j], first[j + 1]):
                    other = row[z]
                    if not waiting[other]:
                        waiting[other] = True
                        queue[(head + length) % height] = other
                        length += 1
    return True, log[:count].copy()
