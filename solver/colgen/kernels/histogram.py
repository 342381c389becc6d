"""The compiled search for groups that pay: depth first, integers only.

A group is searched from its anchor, its lowest row. The candidates for further members are
kept per depth, sorted by falling dual; every bound below is the profit a group could reach if
the best remaining duals came without widening the box any more:
``duals so far + best remaining duals - size * box cost``. Box cost and size only grow, cut
penalties (at most 0) only add up, so each is an upper bound and nothing that pays is lost.

Functions here take plain arrays where they are called often: taking an array out of a tuple counts
references, which costs more than the work itself.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ..covering import Ints
from .boxes import LOW, box_with
from .candidates import candidates
from .keeping import counted_in, counted_out, kept_best
from .question import Question, Stack

__all__ = ["search"]


@borrowing
def _reach(
    dual: Ints,
    listed: NDArray[np.int32],
    r: int,
    at: int,
    end: int,
    sure: int,
    size: int,
    box: int,
    least: int,
    most: int,
    enough: int,
) -> int:
    """No group of `size` members and some candidates at depth r from `at` on has a higher profit.

    Stops at the first value above `enough`.
    """
    best = sure - size * box if size >= least else LOW
    while at < end and size < most and best <= enough:
        gain = dual[listed[r, at]]
        if size >= least and gain <= box:
            break
        sure += gain
        size += 1
        at += 1
        if size >= least:
            best = max(best, sure - size * box)
    return best


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
    codes, weight, tree, side, table = q.geometry
    start, cell_lo, cell_hi = q.cells
    step, missing, needed, alike, largest, beyond, often = q.steps
    value, dual, scale, falling, copies = q.value, q.dual, q.scale, q.falling, q.copies
    listed, length, at, lo, hi = s.listed, s.length, s.at, s.lo, s.hi
    sure, boxes, state, member = s.sure, s.box, s.state, s.member
    seen, taken, touched, top = s.seen, s.taken, s.touched, s.top
    rank, cell_best, tail_best, active, away, near, way = (
        q.rank,
        q.cell_best,
        q.tail_best,
        s.active,
        s.away,
        s.near,
        s.way,
    )
    deep, attributes = len(member) - 1, codes.shape[1]
    most = deep
    if beyond:
        most = 0
        for u in range(len(q.counts)):
            most += q.counts[u]
    total, cut_short, visited, home = 0, 0, 0, 0
    for i in anchors:
        first = step[0, 0 if alike else value[i]]
        if first < 0:
            continue
        while start[home] > i:
            home = 0
        while start[home + 1] <= i:
            home += 1
        size = candidates(
            codes, weight, tree, side, table, start, cell_lo, cell_hi, cell_best, tail_best, dual, rank,
            scale, i, home, max(1, missing[0]), most, floor, active, away, near, way,
        )  # fmt: skip
        filled = 0
        for place in np.sort(near[:size]):
            u = falling[place]
            for _ in range(copies[u] - (1 if u == i else 0)):
                listed[1, filled] = u
                filled += 1
        length[1], at[1] = filled, 0
        low, base, limit, stopped = floor, total, visited + nodes, False
        r, u, fresh = 1, i, True
        while r > 0:
            if fresh:
                # Row u becomes the r-th member.
                fresh = False
                member[r] = u
                v = value[u]
                state[r] = first if r == 1 else step[state[r - 1], seen[v] if alike else v]
                seen[v] += 1
                so_far = (0 if r == 1 else sure[r - 1]) + dual[u] + counted_in(q.cuts, touched, u)
                sure[r] = so_far
                if r == 1:
                    for a in range(attributes):
                        lo[1, a], hi[1, a] = codes[u, a], codes[u, a]
                    boxes[1] = 0
                else:
                    boxes[r] = scale * box_with(codes, weight, tree, side, table, u, lo, hi, r - 1)
                    for a in range(attributes):
                        x = codes[u, a]
                        lo[r, a], hi[r, a] = min(lo[r - 1, a], x), max(hi[r - 1, a], x)
                profit = so_far - r * boxes[r]
                if needed[state[r]] and profit > low:
                    best[i] = max(best[i], profit)
                    total, low = kept_best(
                        groups, profits, member[1:], r, profit, base, total, per_anchor, low
                    )
                    if total < 0:
                        return len(profits), -1, visited
                if r > 1:
                    # Candidates after the one just taken that can still pay, for depth r.
                    length[r], at[r] = 0, 0
                    if r < deep or beyond:
                        begin, end, now = at[r - 1], length[r - 1], state[r]
                        while begin > 0 and listed[r - 1, begin - 1] == u:
                            begin -= 1
                        begin += 1
                        # Best sums of 1, 2, ... of what may still come, no value too often.
                        sums, stop = 0, begin
                        while stop < end and sums < largest - r - 1:
                            w = listed[r - 1, stop]
                            if seen[value[w]] + taken[value[w]] < often:
                                taken[value[w]] += 1
                                sums += 1
                                top[sums] = top[sums - 1] + dual[w]
                            stop += 1
                        for b in range(begin, stop):
                            taken[value[listed[r - 1, b]]] = 0
                        kept, needs = 0, max(1, missing[now])
                        for b in range(begin, end):
                            w = listed[r - 1, b]
                            v = value[w]
                            if r < largest and step[now, seen[v] if alike else v] < 0:
                                continue
                            box = scale * box_with(codes, weight, tree, side, table, w, lo, hi, r)
                            gain, fits = so_far + dual[w], False
                            for k in range(needs - 1, sums + 1):
                                if gain + top[k] - (r + 1 + k) * box > low:
                                    fits = True
                                    break
                            if not fits and beyond:
                                fits = (
                                    _reach(
                                        dual,
                                        listed,
                                        r - 1,
                                        begin,
                                        end,
                                        gain,
                                        r + 1,
                                        box,
                                        r + needs,
                                        most,
                                        low,
                                    )
                                    > low
                                )
                            if fits:
                                listed[r, kept] = w
                                kept += 1
                        length[r] = kept
                        if r == deep and kept > 0:
                            reach = _reach(
                                dual, listed, r, 0, kept, so_far, r, boxes[r], r + needs, most, -LOW
                            )
                            if reach > low:
                                best[i] = max(best[i], reach)
                                cut_short += 1
            if visited >= limit and not stopped:
                stopped = True
                cut_short += 1
                for k in range(1, r + 1):
                    if at[k] < length[k]:
                        reach = _reach(
                            dual, listed, k, at[k], length[k], sure[k], k, boxes[k],
                            k + max(1, missing[state[k]]), most, -LOW,
                        )  # fmt: skip
                        best[i] = max(best[i], reach)
            if (
                r < deep
                and at[r] < length[r]
                and not stopped
                and _reach(
                    dual, listed, r, at[r], length[r], sure[r], r, boxes[r],
                    r + max(1, missing[state[r]]), most, low,
                )
                > low
            ):  # fmt: skip
                u = listed[r, at[r]]
                while at[r] < length[r] and listed[r, at[r]] == u:
                    at[r] += 1
                v = value[u]
                if step[state[r], seen[v] if alike else v] >= 0:
                    r += 1
                    visited += 1
                    fresh = True
            else:
                w = member[r]
                seen[value[w]] -= 1
                counted_out(q.cuts, touched, w)
                r -= 1
    return total, cut_short, visited
