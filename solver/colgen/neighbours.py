"""What a tuple costs in the smallest admissible group of its nearest neighbours: a first guess of duals."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import borrowing, compiled
from ..settings import Clock
from .covering import Cells, Geometry, Ints, Steps
from .kernels.boxes import pair_cost, side_cost
from .limits import NEIGHBOURS as LIMITS
from .table import Rows

__all__ = ["Nearby", "around", "near_places", "nearest"]


def around(rows: Rows, steps: Steps, clock: Clock | None = None) -> NDArray[np.float64]:
    """Per row, the cost per tuple of a group grown over nearest neighbours.

    Infinite if none was found, or time was over before.

    Complexity: O(cells) per row and a sort of the cells near it.
    """
    found = np.full(len(rows), np.inf)
    order = np.random.default_rng(0).permutation(len(rows))  # if time ends, a sample of all
    for at in range(0, len(rows), LIMITS.at_once):
        if clock is not None and clock.over:
            break
        part = order[at : at + LIMITS.at_once]
        tried = min(LIMITS.tried, len(rows))
        _around(rows.geometry, rows.cells, rows.value, rows.count, steps, tried, part, found)
    return found


def nearest(rows: Rows, clock: Clock | None = None) -> Ints | None:
    """The nearest rows of each, itself first; shape (rows, neighbours), where too few with itself again.

    In large tables those are looked at that come soon before or after it in the order of the rows. None if
    time was over before.

    Complexity: O(cells looked at) per row.
    """
    found = np.empty((len(rows), min(LIMITS.kept, len(rows))), dtype=np.int64)
    reach, cells = max(LIMITS.reach, LIMITS.looked // len(rows)), len(rows.cells.start) - 1
    for at in range(0, cells, LIMITS.at_once):
        if clock is not None and clock.over:
            return None
        _nearest(rows.geometry, rows.cells, reach, at, min(cells, at + LIMITS.at_once), found)
    return found


@dataclass(frozen=True, kw_only=True)
class Nearby:
    """Rows by their quasi-identifiers.

    Attributes
    ----------
    place : shape (rows,)
        The place of each row: the same for all with the same quasi-identifiers.
    near : shape (places, neighbours)
        The nearest places of each, itself first.
    """

    place: Ints
    near: Ints


def near_places(rows: Rows, clock: Clock | None = None) -> Nearby | None:
    """The `nearest` places of each place; None if time was over before."""
    places, place = rows.places()
    near = nearest(places, clock)
    return None if near is None else Nearby(place=place, near=near)


@borrowing
def _grow(
    g: Geometry, value: Ints, count: Ints, steps: Steps, i: int, near: Ints, lo: Ints, hi: Ints, seen: Ints
) -> float:
    """Cost per tuple once the rows from `near`, taken where the automaton allows, make a needed group."""
    state, box = 0, -1.0
    for a in range(g.codes.shape[1]):
        lo[a], hi[a] = g.codes[i, a], g.codes[i, a]
    for place in range(len(near)):
        u = near[place]
        taken = False
        for _ in range(count[u]):
            after = steps.step[state, seen[value[u]] if steps.alike else value[u]]
            if after < 0:
                break
            state, taken = after, True
            seen[value[u]] += 1
            if steps.needed[state]:
                break
        if taken:
            for a in range(g.codes.shape[1]):
                lo[a], hi[a] = min(lo[a], g.codes[u, a]), max(hi[a], g.codes[u, a])
        if steps.needed[state]:
            box = 0.0
            for a in range(g.codes.shape[1]):
                box += side_cost(g.weight, g.tree, g.side, g.table, a, lo[a], hi[a])
            break
    for place in range(len(near)):
        seen[value[near[place]]] = 0
    return box


@compiled
def _around(
    g: Geometry,
    cells: Cells,
    value: Ints,
    count: Ints,
    steps: Steps,
    most: int,
    part: Ints,
    found: NDArray[np.float64],
) -> None:
    rows, attributes, number = len(value), g.codes.shape[1], len(cells.start) - 1
    lo, hi = np.empty(attributes, dtype=np.int64), np.empty(attributes, dtype=np.int64)
    seen = np.zeros(value.max() + 1, dtype=np.int64)
    near, far = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    least = np.empty(number, dtype=np.int64)
    for i in part:
        home = np.searchsorted(cells.start, i, side="right") - 1
        size = _near(g, cells, home, number, i, near, far, least)
        box = _grow(g, value, count, steps, i, near[:size], lo, hi, seen)
        if box < 0:
            ways = np.empty(rows, dtype=np.int64)
            codes, weight, tree, side, table = g.codes, g.weight, g.tree, g.side, g.table
            for u in range(rows):
                ways[u] = pair_cost(codes, weight, tree, side, table, i, u) if u != i else -1
            box = _grow(g, value, count, steps, i, np.argsort(ways), lo, hi, seen)
        if box >= 0:
            found[i] = box


@borrowing
def _near(
    g: Geometry, cells: Cells, home: int, reach: int, i: int, near: Ints, far: Ints, least: Ints
) -> int:
    """The nearest rows to a row, and how far they are; it comes first itself, whatever else is there.

    Cells are looked at from its own on, on both sides in turn: what is near in their order mostly is near.
    """
    number, most = len(cells.start) - 1, len(near)
    near[0], far[0], size = i, -1, 1
    _least(g, cells, i, max(0, home - reach), min(number, home + reach + 1), least)
    for step in range(2 * min(reach, number)):
        c = home - step // 2 - 1 if step % 2 else home + step // 2
        if c < 0 or c >= number:
            continue
        if size == most and least[c] >= far[size - 1]:
            continue
        for u in range(cells.start[c], cells.start[c + 1]):
            apart = pair_cost(g.codes, g.weight, g.tree, g.side, g.table, i, u)
            if u == i or (size == most and apart >= far[size - 1]):
                continue
            place = size if size < most else most - 1
            while place > 1 and far[place - 1] > apart:
                near[place], far[place] = near[place - 1], far[place - 1]
                place -= 1
            near[place], far[place] = u, apart
            size = min(most, size + 1)
    return size


@borrowing
def _least(g: Geometry, cells: Cells, i: int, first: int, end: int, least: Ints) -> None:
    """What a box around a row and any row of each of these cells costs at least.

    Attribute by attribute, for all cells: five times as fast as cell by cell.
    """
    own = least[first:end]
    own[:] = 0
    for a in range(g.codes.shape[1]):
        x, low, high = g.codes[i, a], cells.lo[first:end, a], cells.hi[first:end, a]
        if g.tree[a] < 0:
            weight = g.weight[a]
            for c in range(len(own)):
                own[c] += weight * max(0, max(low[c] - x, x - high[c]))
        else:
            table, side = g.table[g.tree[a] :], g.side[a]
            for c in range(len(own)):
                if x < low[c]:
                    own[c] += table[x * side + low[c]]
                elif x > high[c]:
                    own[c] += table[high[c] * side + x]


@compiled
def _nearest(g: Geometry, cells: Cells, reach: int, begin: int, end: int, near: Ints) -> None:
    far, least = np.empty(near.shape[1], dtype=np.int64), np.empty(len(cells.lo), dtype=np.int64)
    for c in range(begin, end):
        for i in range(cells.start[c], cells.start[c + 1]):
            size = _near(g, cells, c, reach, i, near[i], far, least)
            near[i, size:] = i
