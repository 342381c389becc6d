"""The best group of every box at integer duals, and duals at which no group pays. Compiled.

From each first code of a cell the interval grows code by code as long as the best duals of the
whole cell could pay for it; members are kept in the order of their duals.

What is the best group of a box is said in `best`.

*Repair* goes through all boxes once. Where a group pays, the duals of those of its rows are lowered that it
has the largest part of, so that it pays no more. Duals only fall, so boxes done stay done: in the end no
group pays. Where a search is too long, the best group without cuts is made not to pay instead.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing
from ..covering import Ints
from ..limits import PRICING
from .best import filled, of_box, put_in
from .desk import BestGroups, Desk, keep, lower_duals
from .question import NONE, ScanInput

__all__ = ["desk", "promising", "room", "walk"]


def desk(asked: ScanInput, stop: NDArray[np.bool_] | None = None) -> Desk:
    """Working memory for one thread."""

    def zeros(places: int) -> Ints:
        return np.zeros(places, dtype=np.int64)

    rows, values = len(asked.counts) + 1, int(asked.value.max(initial=0)) + 1
    deep = (int(asked.counts.sum()) if asked.form.endless else asked.form.most) + 2
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
        zeros(deep),
        zeros(rows),
        zeros(rows),
        zeros(len(asked.form.cap)),
        zeros(values),
        zeros(values),
        zeros(values),
        zeros(1),
        np.zeros(1, dtype=np.bool_) if stop is None else stop,
    )


def room(asked: ScanInput, per_anchor: int) -> BestGroups:
    """Room for so many groups per anchor."""
    rows, most = len(asked.counts), asked.form.most
    if asked.form.endless:
        most = min(most, max(2 * asked.form.least, PRICING.box_room // rows))
    return BestGroups(
        np.full((rows, per_anchor, most), -1, dtype=np.int32),
        np.zeros((rows, per_anchor), dtype=np.int64),
    )


@borrowing
def _best_duals(q: ScanInput, d: Desk, c: int) -> tuple[int, int]:
    """For each kind of group, the sum of the largest duals of its fewest members in a cell.

    Returns the sum for all but one of the fewest members of any kind, and the dual of that one.
    """
    size, f = 0, q.form
    for e in range(q.grid.start[c], q.grid.start[c + 1]):
        size = put_in(q, d, size, q.grid.row[e], f.kept, -NONE)
    for x in range(len(f.cap)):
        total, taken = 0, 0
        for e in range(size):
            v = q.value[d.row[e]]
            much = min(d.copies[e], f.cap[x] - d.more[v], f.low[x] - taken)
            total += much * q.dual[d.row[e]]
            taken += much
            d.more[v] += much
        for e in range(size):
            d.more[q.value[d.row[e]]] = 0
        d.top[x] = total if taken == f.low[x] else NONE
    others, last, left = 0, NONE, f.least
    for e in range(size):
        if left <= d.copies[e]:
            return others + (left - 1) * q.dual[d.row[e]], q.dual[d.row[e]]
        others += d.copies[e] * q.dual[d.row[e]]
        left -= d.copies[e]
    return others, last


@borrowing
def promising(dual: int, least: int, cost: int, others: int, last: int) -> bool:
    """Whether a row of this dual may be in a group that pays, at a cost per tuple; see `_best_duals`.

    Numbers alone are passed: with the whole question, this call takes most of a sweep.
    Besides it there are the largest duals, at best; of further members none brings anything that does not
    pay its own way.
    """
    return last > cost or dual + others > least * cost


@borrowing
def _hopeless(q: ScanInput, d: Desk, cost: int) -> bool:
    """Whether not even the best duals of the cell would pay: fewest members have the largest mean."""
    hopeless = True
    for x in range(len(d.top)):
        hopeless = hopeless and d.top[x] <= q.form.low[x] * cost
    return hopeless


@borrowing
def _cut_down(q: ScanInput, d: Desk, many: int, most: int) -> int:
    """Of a group as many members as a column has room for, one of each needed value first; how many."""
    if many <= most:
        return many
    held = 0
    for x in range(many):
        new = True
        for y in range(held):
            new = new and q.value[d.group[y]] != q.value[d.group[x]]
        if new and held < q.form.values:
            d.group[held], d.group[x] = d.group[x], d.group[held]
            held += 1
    return most


@borrowing
def _sorted(q: ScanInput, d: Desk, size: int) -> None:
    """Put the rows in order again."""
    for e in range(1, size):
        r, copies, p = d.row[e], d.copies[e], e
        while p > 0 and q.dual[d.row[p - 1]] < q.dual[r]:
            d.row[p], d.copies[p] = d.row[p - 1], d.copies[p - 1]
            p -= 1
        d.row[p], d.copies[p] = r, copies


@borrowing
def walk(q: ScanInput, cells: Ints, d: Desk, found: BestGroups, lower: bool) -> int:
    """Go through some cells; returns how many searches were cut short.

    Finds the best groups from each first code or, with `lower`, lowers the question's duals until none pays,
    and finds groups that did.
    """
    g, dual, short, most = q.grid, q.dual, 0, found.member.shape[2]
    for c in cells:
        others, last = _best_duals(q, d, c)
        at, end = g.start[c], g.start[c + 1]
        while at < end:
            a, i, size, best = g.code[g.row[at]], at, 0, 0
            following = at
            while following < end and g.code[g.row[following]] == a:
                following += 1
            while i < end:
                b = g.code[g.row[i]]
                cost = q.scale * (g.cost[c] + g.weight * (b - a))
                if _hopeless(q, d, cost):
                    break
                while i < end and g.code[g.row[i]] == b:
                    kept = q.form.kept if len(q.cuts.cut) == 0 else -1
                    if promising(dual[g.row[i]], q.form.least, cost, others, last):
                        size = put_in(q, d, size, g.row[i], kept, cost if q.form.endless else -NONE)
                    i += 1
                while filled(q, d, size, cost, 0, 0, 0)[0] > best:
                    if d.stop[0]:
                        return short
                    profit, many, sure = of_box(q, d, size, a, b, cost, best)
                    short += not sure
                    if not lower:
                        if many:
                            best = profit
                            keep(found, d.group, _cut_down(q, d, many, most), profit)
                        break
                    if not sure:
                        profit, many = filled(q, d, size, cost, 0, 0, 0)
                        for x in range(many):
                            d.group[x] = d.tried[x]
                    if not many:
                        break
                    lower_duals(d.group, many, d.times, q.counts, profit, dual)
                    keep(found, d.group, _cut_down(q, d, many, most), profit)
                    if len(q.cuts.cut):
                        _sorted(q, d, size)
                        continue
                    # Rows that were dropped may be better now.
                    size = 0
                    for e in range(at, i):
                        if promising(dual[g.row[e]], q.form.least, cost, others, last):
                            pays = cost if q.form.endless else -NONE
                            size = put_in(q, d, size, g.row[e], q.form.kept, pays)
            at = following
    return short
