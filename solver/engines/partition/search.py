"""The compiled search for groups that pay: depth first, integers only.

A group is searched from its anchor, its lowest row. The candidates for further members are
kept per depth, sorted by falling dual; every bound below is the profit a group could reach if
the best remaining duals came without widening the box any more:
``duals so far + best remaining duals - size * box cost``. Box cost and size only grow, cut
penalties (at most 0) only add up, so each is an upper bound and nothing that pays is lost.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled
from .question import Question, Stack
from .rows import Geometry, Ints

__all__ = ["search"]

LOW = -(1 << 62)


@compiled
def _side(g: Geometry, a: int, lo: int, hi: int) -> int:
    """Cost of one attribute's cell over codes lo to hi."""
    if g.tree[a] < 0:
        return g.weight[a] * (hi - lo)
    return g.table[g.tree[a] + lo * g.side[a] + hi]


@compiled
def _pair(q: Question, i: int, u: int) -> int:
    """Scaled cost of the box over two rows."""
    total = 0
    for a in range(q.geometry.codes.shape[1]):
        x, y = q.geometry.codes[i, a], q.geometry.codes[u, a]
        total += _side(q.geometry, a, min(x, y), max(x, y))
    return total * q.scale


@compiled
def _to_cell(q: Question, i: int, c: int) -> int:
    """No box over row i and a row of cell c has a lower scaled cost."""
    total = 0
    for a in range(q.geometry.codes.shape[1]):
        x = q.geometry.codes[i, a]
        if x < q.cells.lo[c, a]:
            total += _side(q.geometry, a, x, q.cells.lo[c, a])
        elif x > q.cells.hi[c, a]:
            total += _side(q.geometry, a, q.cells.hi[c, a], x)
    return total * q.scale


@compiled
def _label(q: Question, s: Stack, u: int) -> int:
    """How the automaton reads row u."""
    return s.seen[q.value[u]] if q.steps.alike else q.value[u]


@compiled
def _pays(both: int, best: int, box: int, least: int, most: int, floor: int) -> bool:
    """Whether two members and up to most - 2 others of dual `best` can come above `floor`."""
    others = most - 2 if best > box else max(0, least - 2)
    return both + others * best - (others + 2) * box > floor


@compiled
def _begin(q: Question, s: Stack, i: int, most: int, floor: int) -> None:
    """List the rows from i on that can be in a paying group with it, by falling dual.

    Whole cells are skipped first. The best dual among what is left tightens the test, so it is
    repeated a few times.
    """
    dual, start, best = q.dual, q.cells.start, q.tail_best[0]
    least, cells, home = max(1, q.steps.missing[0]), len(q.cell_best), 0
    while start[home + 1] <= i:
        home += 1
    kept = 0
    for c in range(home, cells):
        s.active[kept] = c
        kept += 1
    best, new = q.tail_best[home], q.tail_best[home]
    for again in range(4):
        if again > 0 and new >= best:
            break
        best, new, left = new, LOW, 0
        for k in range(kept):
            c = s.active[k]
            if _pays(dual[i] + q.cell_best[c], best, _to_cell(q, i, c), least, most, floor):
                s.active[left] = c
                left += 1
                new = max(new, q.cell_best[c])
        kept = left
    best, last = min(best, new), LOW
    for again in range(4):
        if again > 0 and last >= best:
            break
        if again > 0:
            best = last
        last = LOW
        for k in range(kept):
            for u in range(max(i, start[s.active[k]]), start[s.active[k] + 1]):
                if again == 0:
                    s.way[u] = _pair(q, i, u)
                elif not s.near[u]:
                    continue
                s.near[u] = _pays(dual[i] + dual[u], best, s.way[u], least, most, floor)
                if s.near[u]:
                    last = max(last, dual[u])
    size = 0
    for k in range(len(q.falling)):
        u = q.falling[k]
        if s.near[u]:
            s.near[u] = False
            for _ in range(q.copies[u] - (1 if u == i else 0)):
                s.listed[1, size] = u
                size += 1
    s.length[1], s.at[1] = size, 0


@compiled
def _reach(
    q: Question, s: Stack, r: int, at: int, sure: int, size: int, box: int, least: int, most: int
) -> int:
    """No group of `size` members and some of the candidates at depth r from `at` on has a higher profit."""
    best = sure - size * box if size >= least else LOW
    while at < s.length[r] and size < most:
        gain = q.dual[s.listed[r, at]]
        if size >= least and gain <= box:
            break
        sure += gain
        size += 1
        at += 1
        if size >= least:
            best = max(best, sure - size * box)
    return best


@compiled
def _further(q: Question, s: Stack, r: int, most: int) -> int:
    """No group that goes on from the candidates left at depth r has a higher profit."""
    least = r + max(1, q.steps.missing[s.state[r]])
    return _reach(q, s, r, s.at[r], s.sure[r], r, s.box[r], least, most)


@compiled
def _enter(q: Question, s: Stack, r: int, u: int) -> None:
    """Make row u the r-th member."""
    s.member[r] = u
    s.state[r] = q.steps.step[s.state[r - 1], _label(q, s, u)]
    s.sure[r] = s.sure[r - 1] + q.dual[u]
    box = 0
    for a in range(q.geometry.codes.shape[1]):
        x = q.geometry.codes[u, a]
        s.lo[r, a], s.hi[r, a] = x, x
        if r > 1:
            s.lo[r, a], s.hi[r, a] = min(s.lo[r - 1, a], x), max(s.hi[r - 1, a], x)
            box += _side(q.geometry, a, s.lo[r, a], s.hi[r, a])
    s.box[r] = box * q.scale
    s.seen[q.value[u]] += 1
    for e in range(q.cuts.start[u], q.cuts.start[u + 1]):
        c = q.cuts.cut[e]
        s.touched[c] += 1
        if s.touched[c] % 2 == 0:
            s.sure[r] += q.cuts.dual[c]


@compiled
def _leave(q: Question, s: Stack, u: int) -> None:
    """Take row u back."""
    s.seen[q.value[u]] -= 1
    for e in range(q.cuts.start[u], q.cuts.start[u + 1]):
        s.touched[q.cuts.cut[e]] -= 1


@compiled
def _list(q: Question, s: Stack, r: int, a: int, most: int, low: int) -> None:
    """Fill depth r with those candidates of depth r - 1 after place `a` that can still pay.

    The innermost loop of all: everything it reads is taken out of the tuples first.
    """
    codes, weight, tree, side, table = q.geometry
    seen, taken, top = s.seen, s.taken, s.top
    value, dual, scale, step = q.value, q.dual, q.scale, q.steps.step[s.state[r]]
    alike, beyond, deepest = q.steps.alike, q.steps.beyond, r >= q.steps.largest
    before, into, lo, hi = s.listed[r - 1], s.listed[r], s.lo[r], s.hi[r]
    sure, end, stop = s.sure[r], s.length[r - 1], a + 1
    # Best sums of 1, 2, ... of what may still come, no value too often.
    sums = 0
    while stop < end and sums < q.steps.largest - r - 1:
        w = before[stop]
        if seen[value[w]] + taken[value[w]] < q.steps.most:
            taken[value[w]] += 1
            sums += 1
            top[sums] = top[sums - 1] + dual[w]
        stop += 1
    for b in range(a + 1, stop):
        taken[value[before[b]]] = 0
    kept, needs = 0, max(1, q.steps.missing[s.state[r]])
    for b in range(a + 1, end):
        w = before[b]
        v = value[w]
        if not deepest and step[seen[v] if alike else v] < 0:
            continue
        box = 0
        for d in range(codes.shape[1]):
            x = codes[w, d]
            x, y = min(lo[d], x), max(hi[d], x)
            if tree[d] < 0:
                box += weight[d] * (y - x)
            else:
                box += table[tree[d] + x * side[d] + y]
        box *= scale
        fits = False
        for k in range(needs - 1, sums + 1):
            if sure + dual[w] + top[k] - (r + 1 + k) * box > low:
                fits = True
                break
        if not fits and beyond:
            fits = _reach(q, s, r - 1, a + 1, sure + dual[w], r + 1, box, r + needs, most) > low
        if fits:
            into[kept] = w
            kept += 1
    s.length[r], s.at[r] = kept, 0


@compiled
def search(
    q: Question,
    s: Stack,
    anchors: Ints,
    floor: int,
    per_anchor: int,
    nodes: int,
    groups: NDArray[np.int32],
    profits: Ints,
    best: Ints,
) -> tuple[int, int, int]:
    """Find groups whose profit (duals and penalties minus scaled cost) is above `floor`.

    Parameters
    ----------
    q : Question
    s : Stack
    anchors
        Lowest rows to search from.
    floor
        Least profit that does not interest.
    per_anchor
        Only the best so many groups of each anchor; 0 for all of them.
    nodes
        Most nodes per anchor; an anchor that stops there still has a valid bound.
    groups, profits
        Filled: one group per line, padded with -1.
    best : shape (rows,), zeros
        Filled: no needed group with this anchor has a higher profit, or than `floor` if that is higher.

    Returns
    -------
    found : int
        How many groups.
    cut_short : int
        How often a search was not carried to its end; -1 if `groups` was too small (`best` is then void).
    visited : int
        Nodes.
    """
    deep = s.member.shape[0] - 1
    most = deep
    if q.steps.beyond:
        most = 0
        for u in range(len(q.counts)):
            most += q.counts[u]
    total, cut_short, visited, place = 0, 0, 0, 0
    for i in anchors:
        if q.steps.step[0, _label(q, s, i)] < 0:
            continue
        _begin(q, s, i, most, floor)
        low, base, limit, stopped = floor, total, visited + nodes, False
        r = 1
        _enter(q, s, r, i)
        fresh = True
        while r > 0:
            if fresh:
                fresh = False
                profit = s.sure[r] - r * s.box[r]
                if q.steps.needed[s.state[r]] and profit > low:
                    best[i] = max(best[i], profit)
                    slot = total
                    if 0 < per_anchor <= total - base:
                        slot = base
                        for k in range(base, total):
                            if profits[k] < profits[slot]:
                                slot = k
                    if slot >= len(profits):
                        return total, -1, visited
                    for k in range(deep):
                        groups[slot, k] = s.member[k + 1] if k < r else -1
                    profits[slot] = profit
                    if slot == total:
                        total += 1
                    if 0 < per_anchor <= total - base:
                        low = profits[base]
                        for k in range(base, total):
                            low = min(low, profits[k])
                if r > 1:
                    s.length[r] = 0
                    if r < deep or q.steps.beyond:
                        _list(q, s, r, place, most, low)
                if r == deep and s.length[r] > 0 and q.steps.beyond:
                    reach = _further(q, s, r, most)
                    if reach > low:
                        best[i] = max(best[i], reach)
                        cut_short += 1
            if visited >= limit and not stopped:
                stopped = True
                cut_short += 1
                for k in range(1, r + 1):
                    if s.at[k] < s.length[k]:
                        best[i] = max(best[i], _further(q, s, k, most))
            if r < deep and s.at[r] < s.length[r] and not stopped and _further(q, s, r, most) > low:
                place = s.at[r]
                u = s.listed[r, place]
                while s.at[r] < s.length[r] and s.listed[r, s.at[r]] == u:
                    s.at[r] += 1
                if q.steps.step[s.state[r], _label(q, s, u)] >= 0:
                    r += 1
                    visited += 1
                    _enter(q, s, r, u)
                    fresh = True
            else:
                _leave(q, s, s.member[r])
                r -= 1
    return total, cut_short, visited
