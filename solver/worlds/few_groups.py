"""Whether a few groups leave any world: bounds and branching on a small dense table, compiled.

Explanations ask thousands of such questions about three or four groups each; for most of them the setting
up of a linear program costs more than the answer. Everything is in whole numbers, and the search is
complete unless it gives up.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...models.adversary.rows import Integers
from ...models.adversary.tighten import tighten
from ...models.compiled import borrowing, compiled
from ...models.copying import copy_row

__all__ = ["EXCLUDED", "OPEN", "POSSIBLE", "any_world"]

EXCLUDED, POSSIBLE, OPEN = 0, 1, 2

NODES = 400
"""Most branchings of one question."""

DEPTH = 60
"""Most branchings on one way."""


@compiled
def any_world(
    place: Integers,
    sizes: Integers,
    allowed: NDArray[np.bool_],
    low: Integers,
    high: Integers,
    active: NDArray[np.bool_],
) -> int:
    """Whether counts fit some groups.

    Parameters
    ----------
    place : int64 array, shape (cells, releases)
        Group of each cell, -1 if there is none.
    sizes : int64 array, per cell
    allowed : bool array, shape (cells, values)
    low, high : int64 arrays, shape (groups, values)
        How many respondents of a group have a value, at least and at most.
    active : bool array, per group that is asked about

    Returns
    -------
    int
        `EXCLUDED` if no world fits, `POSSIBLE` if one does, `OPEN` if the search gave up.
    """
    values, depth, nodes = allowed.shape[1], 0, 0
    start, column, first, row, least, most, reach = _rows(place, sizes, allowed, low, high, active)
    ones, none = np.ones(len(column), dtype=np.int64), np.empty((0, 5), dtype=np.int64)
    queue, length, waits = np.arange(len(least)), len(least), np.ones(len(least), dtype=np.bool_)
    lower = np.zeros((DEPTH + 1, len(reach)), dtype=np.int64)
    upper = np.zeros((DEPTH + 1, len(reach)), dtype=np.int64)
    upper[0] = reach
    # Per level the branch not yet tried: a count, its end that moves, and where to.
    branch = np.zeros((DEPTH + 1, 3), dtype=np.int64)
    while True:
        down, up = lower[depth], upper[depth]
        fits, _, _ = tighten(
            start, column, ones, first, row, least, most, down, up, queue, length, waits, none
        )
        if fits:
            chosen = _loosest(down, up, values)
            if chosen < 0:
                return POSSIBLE
            if depth == DEPTH or nodes == NODES:
                return OPEN
            at = _middle(down, up, chosen, values, sizes[chosen // values])
            side = -1 if at > down[chosen] else 1
            branch[depth, 0], branch[depth, 1], branch[depth, 2] = chosen, -side, at + side
            depth, nodes = depth + 1, nodes + 1
            lower[depth], upper[depth] = down, up
            _bound(lower[depth], upper[depth], chosen, side, at)
        else:
            depth -= 1
            if depth < 0:
                return EXCLUDED
            chosen = branch[depth, 0]
            _bound(lower[depth], upper[depth], chosen, branch[depth, 1], branch[depth, 2])
        length = first[chosen + 1] - first[chosen]
        copy_row(row[first[chosen] : first[chosen + 1]], queue)
        waits[queue[:length]] = True


@borrowing
def _bound(lower: Integers, upper: Integers, j: int, side: int, end: int) -> None:
    if side > 0:
        upper[j] = end
    else:
        lower[j] = end


@compiled
def _rows(
    place: Integers,
    sizes: Integers,
    allowed: NDArray[np.bool_],
    low: Integers,
    high: Integers,
    active: NDArray[np.bool_],
) -> tuple[Integers, Integers, Integers, Integers, Integers, Integers, Integers]:
    """Rows of the cells, then of each group and value, over counts of all cells and values.

    By rows, by columns, sides, and the most of each count. What no active group tells about has no entry.
    """
    cells, values = allowed.shape
    first = np.zeros(cells * values + 1, dtype=np.int64)
    row = np.empty(cells * values * (1 + place.shape[1]), dtype=np.int64)
    least = np.zeros(cells + len(active) * values, dtype=np.int64)
    most, reach = np.zeros_like(least), np.zeros(cells * values, dtype=np.int64)
    for g in range(len(active)):
        if active[g]:
            at = cells + g * values
            least[at : at + values], most[at : at + values] = low[g], high[g]
    filled = 0
    for c in range(cells):
        for v in range(values):
            j, at = c * values + v, filled
            for g in place[c]:
                if g >= 0 and active[g]:
                    row[filled] = cells + g * values + v
                    reach[j] = high[g, v] if filled == at else min(reach[j], high[g, v])
                    filled += 1
            if filled > at:
                row[filled] = c
                filled += 1
                least[c] = most[c] = sizes[c]
                reach[j] = min(reach[j], sizes[c]) if allowed[c, v] else 0
            first[j + 1] = filled
    start = np.zeros(len(least) + 1, dtype=np.int64)
    start[1:] = np.cumsum(np.bincount(row[:filled], minlength=len(least)))
    column, free = np.empty(filled, dtype=np.int64), start[:-1].copy()
    for j in range(cells * values):
        for r in row[first[j] : first[j + 1]]:
            column[free[r]] = j
            free[r] += 1
    return start, column, first, row, least, most, reach


@compiled
def _loosest(lower: Integers, upper: Integers, values: int) -> int:
    """An open count of the cell with the fewest open ones, and of it the one with the widest bounds."""
    best, fewest = -1, 0
    for c in range(0, len(lower), values):
        number = (lower[c : c + values] < upper[c : c + values]).sum()
        if number and (best < 0 or number < fewest):
            best, fewest = c, number
    return best if best < 0 else best + np.argmax(upper[best : best + values] - lower[best : best + values])


@compiled
def _middle(lower: Integers, upper: Integers, chosen: int, values: int, size: int) -> int:
    """As much as would be there if all counts of the cell were as far from their ends."""
    least, most = lower[chosen], upper[chosen]
    cell = chosen - chosen % values
    down, up = lower[cell : cell + values].sum(), upper[cell : cell + values].sum()
    return least + ((most - least) * (size - down) * 2 + up - down) // (2 * (up - down))
