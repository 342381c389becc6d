"""The compiled search where every needed group has exactly one tuple of each sensitive value.

So it is under m-invariance with m values. A group is anchored at its row of value 0; a branch takes the
value with the fewest candidates. Two bounds strike candidates out: the group's other values at
their best duals within the box that the candidate makes, and the same with the box averaged over
the boxes of all further members, each of which the final box contains. Cut penalties only grow.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ..covering import Ints
from ..limits import PRICING
from .boxes import LOW, box_with, pair_cost, side_cost, to_cell
from .keeping import counted_in, counted_out, kept_best
from .question import Question

__all__ = ["Shelf", "search_one_per_value", "shelf"]

PASSES = PRICING.passes
"""How often candidates are tested again with what the test before left."""


class Shelf(NamedTuple):
    """Best duals by value, and working memory.

    Attributes
    ----------
    cell_best : shape (cells, values)
        Largest dual in a cell.
    listed, box, chance : shape (depths, rows)
        Candidates, what a group with each costs, and the most profit it can have.
    taken : shape (depths, rows)
        Candidates of the value that the depth branches on, best first.
    hope : shape (depths, rows)
        Most profit of a group with each of them.
    """

    cell_best: Ints
    listed: NDArray[np.int32]
    box: Ints
    chance: Ints
    taken: NDArray[np.int32]
    hope: Ints


def shelf(q: Question, values: int) -> Shelf:
    """Working memory for one thread."""
    rows, cells = len(q.value), len(q.cells.start) - 1
    cell_best = np.full((cells, values), LOW // 4, dtype=np.int64)
    cell = np.repeat(np.arange(cells), np.diff(q.cells.start))
    np.maximum.at(cell_best, (cell, q.value), q.dual)

    def memory() -> Ints:
        return np.zeros((values + 1, rows), dtype=np.int64)

    return Shelf(
        cell_best, memory().astype(np.int32), memory(), memory(), memory().astype(np.int32), memory()
    )


@borrowing
def _root(
    codes: Ints,
    weight: Ints,
    tree: Ints,
    side: Ints,
    table: Ints,
    start: Ints,
    cell_lo: Ints,
    cell_hi: Ints,
    cell_best: Ints,
    value: Ints,
    dual: Ints,
    each: int,
    i: int,
    floor: int,
    listed: NDArray[np.int32],
    active: Ints,
    away: Ints,
    best: Ints,
    next_best: Ints,
) -> int:
    """Rows of other values that can be in a paying group with row i; how many.

    `each` is what one unit of box cost costs a whole group.
    """
    cells, values = cell_best.shape
    own, never = value[i], LOW // 4
    kept = cells
    for v in range(values):
        best[v] = never
    for c in range(cells):
        active[c] = c
        away[c] = each * to_cell(codes, weight, tree, side, table, i, cell_lo, cell_hi, c)
        for v in range(values):
            best[v] = max(best[v], cell_best[c, v])
    for _ in range(PASSES):
        total = dual[i]
        for v in range(values):
            if v != own:
                if best[v] == never:
                    return 0
                total += best[v]
            next_best[v] = never
        left = 0
        for k in range(kept):
            c, fits = active[k], False
            for v in range(values):
                if (
                    v != own
                    and cell_best[c, v] > never
                    and total - best[v] + cell_best[c, v] - away[k] > floor
                ):
                    fits = True
                    next_best[v] = max(next_best[v], cell_best[c, v])
            if fits:
                active[left], away[left] = c, away[k]
                left += 1
        same = left == kept
        kept = left
        for v in range(values):
            same = same and (v == own or next_best[v] == best[v])
            best[v] = next_best[v]
        if same:
            break
    total = dual[i]
    for v in range(values):
        if v != own:
            if best[v] == never:
                return 0
            total += best[v]
    found = 0
    for k in range(kept):
        c = active[k]
        for u in range(start[c], start[c + 1]):
            v = value[u]
            if v == own or dual[u] > best[v]:
                # A dual above the best: the row's cell has been ruled out for its value.
                continue
            box = pair_cost(codes, weight, tree, side, table, i, u)
            if total - best[v] + dual[u] - each * box > floor:
                listed[0, found] = u
                found += 1
    return found


@compiled
def search_one_per_value(
    q: Question,
    s: Shelf,
    anchors: Ints,
    floor: int,
    per_anchor: int,
    nodes: int,
    groups: NDArray[np.int32],
    profits: Ints,
    best: Ints,
) -> tuple[int, int, int]:
    """As `search.search`, with anchors of value 0; `best` of other rows stays as it is."""
    codes, weight, tree, side, table = q.geometry
    start, cell_lo, cell_hi = q.cells
    value, dual = q.value, q.dual
    cell_best, listed, boxes, chance, taken, hope = s
    cells, values = cell_best.shape
    attributes, never = codes.shape[1], LOW // 4
    each = values * q.scale
    active, away = np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64)
    top, mean, many = (
        np.empty(values, dtype=np.int64),
        np.empty(values, dtype=np.int64),
        np.empty(values, dtype=np.int64),
    )
    length, width, at = (
        np.zeros(values + 1, dtype=np.int64),
        np.zeros(values + 1, dtype=np.int64),
        np.zeros(values + 1, dtype=np.int64),
    )
    lo, hi = (
        np.empty((values + 1, attributes), dtype=np.int64),
        np.empty((values + 1, attributes), dtype=np.int64),
    )
    sure, member = np.zeros(values + 1, dtype=np.int64), np.zeros(values + 1, dtype=np.int64)
    used, touched = np.zeros(values, dtype=np.bool_), np.zeros(len(q.cuts.dual) + 1, dtype=np.int64)
    total, cut_short, visited = 0, 0, 0
    for i in anchors:
        length[0] = _root(
            codes, weight, tree, side, table, start, cell_lo, cell_hi, cell_best, value, dual, each, i, floor,
            listed, active, away, top, mean,
        )  # fmt: skip
        if length[0] == 0 and values > 1:
            continue
        low, base, limit, stopped = floor, total, visited + nodes, False
        used[:] = False
        r, u, fresh = 1, i, True
        while r > 0:
            if fresh:
                # Row u becomes the r-th member.
                fresh = False
                member[r], used[value[u]] = u, True
                so_far = (0 if r == 1 else sure[r - 1]) + dual[u] + counted_in(q.cuts, touched, u)
                sure[r] = so_far
                for a in range(attributes):
                    x = codes[u, a]
                    lo[r, a] = x if r == 1 else min(lo[r - 1, a], x)
                    hi[r, a] = x if r == 1 else max(hi[r - 1, a], x)
                width[r], at[r] = 0, 0
                if r == values:
                    box = 0
                    for a in range(attributes):
                        box += side_cost(weight, tree, side, table, a, lo[r, a], hi[r, a])
                    profit = so_far - each * box
                    if profit > low:
                        best[i] = max(best[i], profit)
                        total, low = kept_best(
                            groups, profits, member[1:], r, profit, base, total, per_anchor, low
                        )
                        if total < 0:
                            return len(profits), -1, visited
                else:
                    open_ = values - r
                    left, dead = 0, False
                    for b in range(length[r - 1]):
                        w = listed[r - 1, b]
                        if not used[value[w]]:
                            listed[r, left] = w
                            boxes[r, left] = each * box_with(codes, weight, tree, side, table, w, lo, hi, r)
                            left += 1
                    for again in range(PASSES):
                        for v in range(values):
                            top[v], mean[v], many[v] = never, never, 0
                        for b in range(left):
                            w = listed[r, b]
                            v = value[w]
                            top[v] = max(top[v], dual[w])
                            mean[v] = max(mean[v], open_ * dual[w] - boxes[r, b])
                            many[v] += 1
                        sum_top, sum_mean = 0, 0
                        for v in range(values):
                            if not used[v]:
                                dead = dead or many[v] == 0
                                sum_top += top[v]
                                sum_mean += mean[v]
                        if dead:
                            break
                        kept = 0
                        for b in range(left):
                            w = listed[r, b]
                            v, box = value[w], boxes[r, b]
                            most = so_far + dual[w] + sum_top - top[v] - box
                            spread = open_ * (so_far + dual[w]) - box + sum_mean - mean[v]
                            most = min(most, spread // open_)
                            if most > low:
                                listed[r, kept], boxes[r, kept], chance[r, kept] = w, box, most
                                kept += 1
                        if kept == left and again > 0:
                            break
                        left = kept
                    length[r] = 0 if dead else left
                    if not dead and left > 0:
                        # The same counts, for what is left.
                        for v in range(values):
                            many[v] = 0
                        for b in range(left):
                            many[value[listed[r, b]]] += 1
                        few = -1
                        for v in range(values):
                            if not used[v] and (few < 0 or many[v] < many[few]):
                                few = v
                        number = 0
                        for b in range(left):
                            if value[listed[r, b]] == few:
                                chance[r, number], boxes[r, number] = chance[r, b], listed[r, b]
                                number += 1
                        order = np.argsort(-chance[r, :number])
                        for b in range(number):
                            taken[r, b] = boxes[r, order[b]]
                            hope[r, b] = chance[r, order[b]]
                        width[r] = number
            if visited >= limit and not stopped:
                stopped = True
                cut_short += 1
                for k in range(1, r + 1):
                    if at[k] < width[k]:
                        best[i] = max(best[i], hope[k, at[k]])
            if at[r] < width[r] and not stopped and hope[r, at[r]] > low:
                u = taken[r, at[r]]
                at[r] += 1
                r += 1
                visited += 1
                fresh = True
            else:
                w = member[r]
                used[value[w]] = False
                counted_out(q.cuts, touched, w)
                r -= 1
    return total, cut_short, visited
