"""The best group of every box at integer duals, and duals at which no group pays. Compiled.

In a box all tuples cost the same, so without cuts the best group is that of the largest duals: as many as a
group has to have, and more while they pay. From each first code of a cell the interval grows code by code
as long as the best duals of the whole cell could pay for it; members are kept in the order of their duals.

Cuts only take away. Where the best group without them pays, the best with them is found depth first, bounded
by what the rest would bring without them.

*Repair* goes through all boxes once. Where a group pays, the duals of those of its rows are lowered that it
has the largest part of, so that it pays no more. Duals only fall, so boxes done stay done: in the end no
group pays. Where a search is too long, the best group without cuts is made not to pay instead.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import compiled
from ..kernels.question import CutIndex
from ..table import Ints
from .grid import BoxGrid

__all__ = ["BestGroups", "Desk", "ScanInput", "desk", "room", "walk"]

NONE = -(1 << 62)
CUT_SHORT = -1
"""A search that ended at its limit."""


class ScanInput(NamedTuple):
    """What is searched: groups of `least` to `most` tuples; duals in 1 / `scale` of a cost."""

    grid: BoxGrid
    counts: Ints
    dual: Ints
    scale: int
    least: int
    most: int
    cuts: CutIndex
    nodes: int


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
    group, tried, top
        Rows of the best group, of the one at hand; the best duals.
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
    top: Ints


class BestGroups(NamedTuple):
    """Groups by anchor (their first row), as many as there is room for: members and profits."""

    member: NDArray[np.int32]
    profit: Ints


def desk(asked: ScanInput) -> Desk:
    """Working memory for one thread."""

    def zeros(places: int) -> Ints:
        return np.zeros(places, dtype=np.int64)

    rows, deep = len(asked.counts) + 1, asked.most + 2
    return Desk(
        zeros(rows),
        zeros(rows),
        zeros(rows),
        zeros(len(asked.cuts.dual) + 1),
        zeros(deep),
        zeros(deep),
        zeros(deep),
        zeros(deep),
        zeros(deep),
        zeros(asked.least),
    )


def room(asked: ScanInput, per_anchor: int) -> BestGroups:
    """Room for so many groups per anchor."""
    rows = len(asked.counts)
    return BestGroups(
        np.full((rows, per_anchor, asked.most), -1, dtype=np.int32),
        np.zeros((rows, per_anchor), dtype=np.int64),
    )


@compiled
def _best_duals(q: ScanInput, c: int, top: Ints) -> int:
    """Sum of the `least` largest duals in a cell."""
    filled = 0
    for e in range(q.grid.start[c], q.grid.start[c + 1]):
        r = q.grid.row[e]
        x = q.dual[r]
        for _ in range(min(q.counts[r], q.least)):
            if filled == q.least and x <= top[filled - 1]:
                break
            p = filled if filled < q.least else filled - 1
            while p > 0 and top[p - 1] < x:
                top[p] = top[p - 1]
                p -= 1
            top[p] = x
            filled = min(q.least, filled + 1)
    if filled < q.least:
        return NONE
    total = 0
    for p in range(filled):
        total += top[p]
    return total


@compiled
def _entered(q: ScanInput, d: Desk, size: int, r: int, kept: int) -> int:
    """Put a row in its place, and drop the last if there are more than are kept; the new size."""
    x = q.dual[r]
    if size == kept and x <= q.dual[d.row[size - 1]]:
        return size
    p = size if size < kept else kept - 1
    while p > 0 and q.dual[d.row[p - 1]] < x:
        d.row[p], d.copies[p] = d.row[p - 1], d.copies[p - 1]
        p -= 1
    d.row[p], d.copies[p] = r, min(q.counts[r], q.most)
    return min(kept, size + 1)


@compiled
def _plain(q: ScanInput, d: Desk, size: int, cost: int) -> tuple[int, int]:
    """Profit and size of the best group without cuts; its rows are in `tried`."""
    total, taken = 0, 0
    for e in range(size):
        gain = q.dual[d.row[e]] - cost
        if taken >= q.least and gain <= 0:
            break
        for _ in range(d.copies[e]):
            if taken == q.most:
                break
            total += gain
            d.tried[taken] = d.row[e]
            taken += 1
            if taken >= q.least and gain <= 0:
                break
        if taken == q.most:
            break
    return (total, taken) if taken >= q.least else (NONE, 0)


@compiled
def _take(q: ScanInput, d: Desk, depth: int, e: int, cost: int) -> None:
    """Item e as the next member."""
    d.used[e] += 1
    d.item[depth] = e
    value = d.value[depth] + q.dual[d.row[e]] - cost
    for x in range(q.cuts.start[d.row[e]], q.cuts.start[d.row[e] + 1]):
        c = q.cuts.cut[x]
        d.touched[c] += 1
        if d.touched[c] % q.cuts.divisor[c] == 0:
            value += q.cuts.dual[c]
    d.value[depth + 1] = value


@compiled
def _drop(q: ScanInput, d: Desk, depth: int) -> None:
    e = d.item[depth]
    d.used[e] -= 1
    for x in range(q.cuts.start[d.row[e]], q.cuts.start[d.row[e] + 1]):
        d.touched[q.cuts.cut[x]] -= 1


@compiled
def _hope(q: ScanInput, d: Desk, size: int, cost: int, depth: int, first: int) -> int:
    """Most that a group with so many members reaches with items from `first` on."""
    total, taken = d.value[depth], depth
    for e in range(first, size):
        gain = q.dual[d.row[e]] - cost
        if taken == q.most or (taken >= q.least and gain <= 0):
            break
        much = min(d.copies[e] - d.used[e], (q.most if gain > 0 else q.least) - taken)
        if much > 0:
            total += much * gain
            taken += much
    return total if taken >= q.least else NONE


@compiled
def _deeper(q: ScanInput, d: Desk, size: int, cost: int, begun: int, best: int) -> tuple[int, int, int]:
    """The best group beyond `best` with the first `begun` members: profit, size (0: none), nodes (or -1)."""
    depth, found, nodes = begun, 0, 0
    d.following[depth] = 0
    if q.least <= begun <= q.most and d.value[begun] > best:
        best, found = d.value[begun], begun
        for x in range(begun):
            d.tried[x] = d.row[d.item[x]]
    while True:
        e = d.following[depth]
        while e < size and d.used[e] >= d.copies[e]:
            e += 1
        if nodes >= 0 and e < size and depth < q.most and _hope(q, d, size, cost, depth, e) > best:
            nodes += 1
            if nodes > q.nodes:
                nodes = CUT_SHORT
                continue
            _take(q, d, depth, e, cost)
            d.following[depth] = e + 1
            depth += 1
            d.following[depth] = e
            if depth >= q.least and d.value[depth] > best:
                best, found = d.value[depth], depth
                for x in range(depth):
                    d.tried[x] = d.row[d.item[x]]
            continue
        if depth == begun:
            return best, found, nodes
        depth -= 1
        _drop(q, d, depth)


@compiled
def _of_box(q: ScanInput, d: Desk, size: int, a: int, b: int, cost: int, best: int) -> tuple[int, int, bool]:
    """The best group beyond `best` with members at both ends: profit, size (0: none), whether it is sure."""
    if len(q.cuts.cut) == 0:
        profit, many = _plain(q, d, size, cost)
        if profit <= best:
            return best, 0, True
        for x in range(many):
            d.group[x] = d.tried[x]
        return profit, many, True
    found, sure = 0, True
    d.value[0] = 0
    for e in range(size):
        if q.grid.code[d.row[e]] != b:
            continue
        _take(q, d, 0, e, cost)
        for f in range(size if a < b else 1):
            if a < b and q.grid.code[d.row[f]] != a:
                continue
            begun = 1
            if a < b:
                _take(q, d, 1, f, cost)
                begun = 2
            profit, many, nodes = _deeper(q, d, size, cost, begun, best)
            sure = sure and nodes >= 0
            if many:
                best, found = profit, many
                for x in range(many):
                    d.group[x] = d.tried[x]
            if a < b:
                _drop(q, d, 1)
        _drop(q, d, 0)
    return best, found, sure


@compiled
def _lowered(q: ScanInput, d: Desk, many: int, profit: int, dual: Ints) -> None:
    """Lower duals of the group's rows that it has the largest part of, until it does not pay."""
    part, whole, sum_of = 0, 1, 0
    for x in range(many):
        r, times = d.group[x], 0
        for y in range(many):
            times += d.group[y] == r
        if times * whole > part * q.counts[r]:
            part, whole, sum_of = times, q.counts[r], 0
        if times * whole == part * q.counts[r]:
            sum_of += 1
    by = -(-profit // sum_of)
    for x in range(many):
        r, times, first = d.group[x], 0, True
        for y in range(many):
            times += d.group[y] == r
            first = first and (y >= x or d.group[y] != r)
        if first and times * whole == part * q.counts[r]:
            dual[r] -= by


@compiled
def _sorted(q: ScanInput, d: Desk, size: int) -> None:
    """Put the rows in order again."""
    for e in range(1, size):
        r, copies, p = d.row[e], d.copies[e], e
        while p > 0 and q.dual[d.row[p - 1]] < q.dual[r]:
            d.row[p], d.copies[p] = d.row[p - 1], d.copies[p - 1]
            p -= 1
        d.row[p], d.copies[p] = r, copies


@compiled
def _kept(found: BestGroups, d: Desk, many: int, profit: int) -> None:
    """Keep a group if it is among the best of its anchor."""
    for x in range(1, many):
        r, p = d.group[x], x
        while p > 0 and d.group[p - 1] > r:
            d.group[p] = d.group[p - 1]
            p -= 1
        d.group[p] = r
    anchor, worst = d.group[0], 0
    for line in range(found.profit.shape[1]):
        same = found.profit[anchor, line] > 0
        for x in range(found.member.shape[2]):
            same = same and found.member[anchor, line, x] == (d.group[x] if x < many else -1)
        if same:
            found.profit[anchor, line] = max(profit, found.profit[anchor, line])
            return
        if found.profit[anchor, line] < found.profit[anchor, worst]:
            worst = line
    if profit > found.profit[anchor, worst]:
        found.profit[anchor, worst] = profit
        for x in range(found.member.shape[2]):
            found.member[anchor, worst, x] = d.group[x] if x < many else -1


@compiled
def walk(q: ScanInput, cells: Ints, d: Desk, found: BestGroups, lower: bool) -> int:
    """Go through some cells; returns how many searches were cut short.

    Finds the best groups from each first code or, with `lower`, lowers the question's duals until none pays.
    """
    g, dual, short = q.grid, q.dual, 0
    for c in cells:
        hope, end = _best_duals(q, c, d.top), g.start[c + 1]
        if hope == NONE:
            continue
        at = g.start[c]
        while at < end:
            a, i, size, best = g.code[g.row[at]], at, 0, 0
            following = at
            while following < end and g.code[g.row[following]] == a:
                following += 1
            while i < end:
                b = g.code[g.row[i]]
                cost = q.scale * (g.cost[c] + g.weight * (b - a))
                if hope <= q.least * cost:
                    break
                while i < end and g.code[g.row[i]] == b:
                    kept = q.most if len(q.cuts.cut) == 0 else len(dual)
                    size = _entered(q, d, size, g.row[i], kept)
                    i += 1
                while _plain(q, d, size, cost)[0] > best:
                    profit, many, sure = _of_box(q, d, size, a, b, cost, best)
                    short += not sure
                    if not lower:
                        if many:
                            best = profit
                            _kept(found, d, many, profit)
                        break
                    if not sure:
                        profit, many = _plain(q, d, size, cost)
                        for x in range(many):
                            d.group[x] = d.tried[x]
                    if not many:
                        break
                    _lowered(q, d, many, profit, dual)
                    _sorted(q, d, size)
            at = following
    return short
