"""Duals at sight: what it costs a tuple, in any group of k, to reach the furthest of k - 1 others.

A box around a group costs each member at least what the smallest box around it and any other member costs,
and of k - 1 others the furthest costs at least the (k - 1)-th least of all. So no group's members have duals
that add up to more than it costs, whatever the table: a bound before any linear program, and where boxes are
too many to be gone through.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import isqrt

import numpy as np

from ...models.compiled import borrowing, compiled
from ..settings import Clock
from .covering import Cells, Geometry, Ints, bounded_runs
from .duals import Duals
from .kernels.boxes import pair_cost, to_cell
from .table import Rows

__all__ = ["at_sight"]

AT_ONCE = 64
"""Cells whose rows are asked about between two looks at the clock."""


def at_sight(rows: Rows, least: int, workers: int, clock: Clock) -> Duals | None:
    """Duals that are feasible for groups of at least so many tuples; None if time was over before.

    Complexity: O(square root of cells) per row, and the cells near it.
    """
    found, cells = np.zeros(len(rows), dtype=np.int64), len(rows.cells.start) - 1
    if least > 1:
        regions = _regions(rows.cells)
        with ThreadPoolExecutor(max(1, workers)) as pool:
            some = partial(_some, rows, regions, least, clock, found)
            if not all(pool.map(some, range(0, cells, AT_ONCE))):
                return None
    return Duals(rows=found, cuts=np.zeros(0, dtype=np.int64), scale=1)


def _some(rows: Rows, regions: Cells, least: int, clock: Clock, found: Ints, at: int) -> bool:
    """Write the duals of the rows of some cells; whether there was time."""
    if clock.over:
        return False
    end = min(at + AT_ONCE, len(rows.cells.start) - 1)
    _reach(rows.geometry, rows.cells, regions, rows.count, least - 1, at, end, found)
    return True


def _regions(cells: Cells) -> Cells:
    """Runs of cells, and the boxes around them."""
    number = len(cells.start) - 1
    start = np.append(np.arange(0, number, max(1, isqrt(number))), number)
    return bounded_runs(start, cells.lo, cells.hi)


@compiled
def _reach(
    g: Geometry, cells: Cells, regions: Cells, count: Ints, others: int, begin: int, end: int, found: Ints
) -> None:
    far, many = np.empty(others, dtype=np.int64), len(regions.start) - 1
    codes, weight, tree, side, table = g.codes, g.weight, g.tree, g.side, g.table
    for c in range(begin, end):
        home = np.searchsorted(regions.start, c, side="right") - 1
        for i in range(cells.start[c], cells.start[c + 1]):
            size = min(count[i] - 1, others)
            far[:size] = 0
            size = _nearer(g, count, i, cells.start[c], cells.start[c + 1], far, size)
            for step in range(2 * many):
                r = home - step // 2 - 1 if step % 2 else home + step // 2
                if r < 0 or r >= many:
                    continue
                if size == others:
                    if far[others - 1] == 0:
                        break
                    way = to_cell(codes, weight, tree, side, table, i, regions.lo, regions.hi, r)
                    if way >= far[others - 1]:
                        continue
                for d in range(regions.start[r], regions.start[r + 1]):
                    if d == c:
                        continue
                    if size == others:
                        way = to_cell(codes, weight, tree, side, table, i, cells.lo, cells.hi, d)
                        if way >= far[others - 1]:
                            continue
                    size = _nearer(g, count, i, cells.start[d], cells.start[d + 1], far, size)
            if size == others:
                found[i] = far[others - 1]


@borrowing
def _nearer(g: Geometry, count: Ints, i: int, begin: int, end: int, far: Ints, size: int) -> int:
    """Put what it costs a row to reach others among the least so far; how many there are now."""
    others = len(far)
    for u in range(begin, end):
        if u == i:
            continue
        way = pair_cost(g.codes, g.weight, g.tree, g.side, g.table, i, u)
        for _ in range(min(count[u], others)):
            if size == others and way >= far[others - 1]:
                break
            at = size if size < others else others - 1
            while at > 0 and far[at - 1] > way:
                far[at] = far[at - 1]
                at -= 1
            far[at] = way
            size = min(size + 1, others)
    return size
