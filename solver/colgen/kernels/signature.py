"""The compiled search for groups of a bucket that pay: depth first, integers only.

A group is searched from its anchor, its lowest returning row. Each value of the signature has as
many places as the group publishes it; places are filled value by value, the value with the
fewest candidates first, by rows or, all that are left, by counterfeits. A counterfeit adds its
dual and no cost. The bound of a partial group is its profit so far plus, for each open place, the
better of a counterfeit and the best candidate's dual less the box as it is: boxes only grow.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ....models.copying import copy_row
from ..covering import Ints
from .boxes import LOW
from .keeping import counted_in, counted_out, kept_best
from .lists import Asked, Lists, side

__all__ = ["search_signatures"]


@borrowing
def _gain(q: Asked, rows: NDArray[np.int32], first: int, last: int, places: int, box: int) -> tuple[int, int]:
    """The most that some places can add under a box, and what the least of them adds then."""
    total, least = 0, 0
    for j in range(places):
        least = q.fake
        if first + j < last:
            least = max(least, q.dual[rows[first + j]] - box)
        total += least
    return total, least


@compiled
def _begin(q: Asked, w: Lists, i: int, times: int, rows: NDArray[np.int32], off: Ints) -> None:
    """Candidates beside anchor i, by value of the signature and falling dual, with copies."""
    b = w.home[i]
    at = 0
    start, end = w.signature_start[b], w.signature_start[b + 1]
    for t in range(end - start):
        v = w.signature[start + t]
        off[t] = at
        for e in range(w.returning_start[b], w.returning_start[b + 1]):
            u = w.returning[e]
            if u >= i and q.value[u] == v:
                for _ in range(min(times, q.copies[u]) - (1 if u == i else 0)):
                    rows[at] = u
                    at += 1
        for e in range(w.fresh_start[v], w.fresh_start[v + 1]):
            for _ in range(min(times, q.copies[w.fresh[e]])):
                rows[at] = w.fresh[e]
                at += 1
        order = np.argsort(-q.dual[rows[off[t] : at]], kind="mergesort")
        copy_row(rows[off[t] : at][order], rows[off[t] :])
    off[end - start] = at


@borrowing
def _box_with(q: Asked, lo: Ints, hi: Ints, u: int) -> int:
    """Scaled cost of the box over codes lo to hi and row u."""
    total = 0
    for a in range(len(lo)):
        x = q.geometry.codes[u, a]
        total += side(q.geometry, a, min(lo[a], x), max(hi[a], x))
    return total * q.scale


@borrowing
def _allowed(w: Lists, table: NDArray[np.bool_], members: NDArray[np.int32], size: int, met: Ints) -> bool:
    """Whether all meetings of a group so far are in a table of verdicts."""
    for k in range(size):
        u = members[k]
        for e in range(w.trace_start[u], w.trace_start[u + 1]):
            if not table[w.kind[w.trace[e]], size, met[w.trace[e]]]:
                return False
    return True


@compiled
def search_signatures(
    q: Asked,
    w: Lists,
    times: int,
    anchors: Ints,
    floor: int,
    per_anchor: int,
    nodes: int,
    groups: NDArray[np.int32],
    profits: Ints,
    best: Ints,
) -> tuple[int, int, int]:
    """Find groups that publish each value `times` times and whose profit is above `floor`.

    Profit is the sum of the members' duals, the counterfeits' duals and penalties of cuts, minus scaled
    cost. Parameters and answers are those of the engine's search without history: `best` is raised
    to a bound on the profit of each anchor's groups.
    """
    widest = 0
    for b in range(len(w.signature_start) - 1):
        widest = max(widest, w.signature_start[b + 1] - w.signature_start[b])
    deep = widest * times
    levels, attributes = deep + 2, q.geometry.codes.shape[1]
    room = 0
    for u in range(len(q.copies)):
        room += min(times, q.copies[u])
    rows = np.zeros((levels, room + 1), dtype=np.int32)
    value_of_best = np.zeros((levels, room + 1), dtype=np.int64)
    off = np.zeros((levels, widest + 1), dtype=np.int64)
    lo, hi = np.zeros((levels, attributes), dtype=np.int64), np.zeros((levels, attributes), dtype=np.int64)
    sure, box = np.zeros(levels, dtype=np.int64), np.zeros(levels, dtype=np.int64)
    real, branch = np.zeros(levels, dtype=np.int64), np.zeros(levels, dtype=np.int64)
    picked = np.zeros(levels, dtype=np.int64)
    fake_reach, place = np.zeros(levels, dtype=np.int64), np.zeros(levels, dtype=np.int64)
    open_at = np.zeros((levels, widest), dtype=np.int64)
    members = np.zeros(deep + 1, dtype=np.int32)
    gains, leasts = np.zeros(widest, dtype=np.int64), np.zeros(widest, dtype=np.int64)
    met = np.zeros(len(w.kind) + 1, dtype=np.int64)
    touched = np.zeros(len(q.cuts.dual) + 1, dtype=np.int64)
    safe, possible = w.safe[times - 1], w.possible[times - 1]
    total, cut_short, visited = 0, 0, 0
    for i in anchors:
        b = w.home[i]
        size = w.signature_start[b + 1] - w.signature_start[b]
        _begin(q, w, i, times, rows[0], off[0])
        low, base, limit, stopped = floor, total, visited + nodes, False
        # Level 1: the anchor alone.
        for a in range(attributes):
            lo[1, a] = q.geometry.codes[i, a]
            hi[1, a] = lo[1, a]
        sure[1], box[1], real[1] = q.dual[i], 0, 1
        for t in range(size):
            open_at[1, t] = times
            if w.signature[w.signature_start[b] + t] == q.value[i]:
                open_at[1, t] = times - 1
        members[0] = i
        for e in range(w.trace_start[i], w.trace_start[i + 1]):
            met[w.trace[e]] += 1
        counted_in(q.cuts, touched, i)
        branch[0], place[0], picked[1] = -1, -1, i
        r, new = 1, True
        while r > 0:
            if new:
                new = False
                branch[r], fake_reach[r] = -1, LOW
                left = 0
                for t in range(size):
                    left += open_at[r, t]
                k = real[r]
                if left == 0:
                    profit = sure[r] - k * box[r]
                    if profit > low and _allowed(w, safe, members, k, met):
                        best[i] = max(best[i], profit)
                        total, low = kept_best(
                            groups, profits, members, k, profit, base, total, per_anchor, low
                        )
                        if total < 0:
                            return len(profits), -1, visited
                elif _allowed(w, possible, members, k, met):
                    # Which candidates can still pay.
                    reach = sure[r] - k * box[r]
                    for t in range(size):
                        first = off[r - 1, t]
                        if t == branch[r - 1] and place[r - 1] >= 0:
                            first = place[r - 1] + 1
                        gains[t], leasts[t] = _gain(
                            q, rows[r - 1], first, off[r - 1, t + 1], open_at[r, t], box[r]
                        )
                        reach += gains[t]
                    kept, few, chosen = 0, 1 << 60, -1
                    if reach > low:
                        for t in range(size):
                            off[r, t] = kept
                            if open_at[r, t] == 0:
                                continue
                            first = off[r - 1, t]
                            if t == branch[r - 1] and place[r - 1] >= 0:
                                first = place[r - 1] + 1
                            for e in range(first, off[r - 1, t + 1]):
                                u = rows[r - 1, e]
                                wide = _box_with(q, lo[r], hi[r], u)
                                with_it = sure[r] + q.dual[u] - (k + 1) * wide
                                if with_it + (reach - sure[r] + k * box[r]) - leasts[t] <= low:
                                    continue
                                for o in range(size):
                                    places = open_at[r, o] - (1 if o == t else 0)
                                    if places > 0:
                                        from_ = off[r - 1, o]
                                        if o == branch[r - 1] and place[r - 1] >= 0:
                                            from_ = place[r - 1] + 1
                                        more, _ = _gain(
                                            q, rows[r - 1], from_, off[r - 1, o + 1], places, wide
                                        )
                                        with_it += more
                                if with_it > low:
                                    rows[r, kept] = u
                                    value_of_best[r, kept] = with_it
                                    kept += 1
                            # A value that was begun is finished first.
                            number = kept - off[r, t]
                            if t == branch[r - 1] and place[r - 1] >= 0:
                                number = -1
                            if number < few:
                                few, chosen = number, t
                        off[r, size] = kept
                        branch[r] = chosen
                        reach = sure[r] - k * box[r] + open_at[r, chosen] * q.fake
                        for t in range(size):
                            if t != chosen:
                                more, _ = _gain(q, rows[r], off[r, t], off[r, t + 1], open_at[r, t], box[r])
                                reach += more
                        fake_reach[r] = reach
            if visited >= limit and not stopped:
                stopped = True
                cut_short += 1
                for k in range(1, r + 1):
                    if branch[k] >= 0:
                        best[i] = max(best[i], fake_reach[k])
                        for e in range(off[k, branch[k]], off[k, branch[k] + 1]):
                            best[i] = max(best[i], value_of_best[k, e])
            chosen, most = -2, low
            if branch[r] >= 0 and not stopped:
                t = branch[r]
                if fake_reach[r] > most:
                    chosen, most = -1, fake_reach[r]
                for e in range(off[r, t], off[r, t + 1]):
                    if value_of_best[r, e] > most:
                        chosen, most = e, value_of_best[r, e]
            if chosen == -2:
                u = picked[r]
                if u >= 0:
                    for e in range(w.trace_start[u], w.trace_start[u + 1]):
                        met[w.trace[e]] -= 1
                    counted_out(q.cuts, touched, u)
                r -= 1
                continue
            visited += 1
            t, k = branch[r], real[r]
            for o in range(size):
                open_at[r + 1, o] = open_at[r, o]
            if chosen == -1:
                fake_reach[r] = LOW
                place[r] = -1
                picked[r + 1], real[r + 1] = -1, k
                sure[r + 1] = sure[r] + open_at[r, t] * q.fake
                box[r + 1] = box[r]
                open_at[r + 1, t] = 0
                for a in range(attributes):
                    lo[r + 1, a], hi[r + 1, a] = lo[r, a], hi[r, a]
            else:
                u = rows[r, chosen]
                # Further copies of the row stand for the same choice.
                for e in range(off[r, t], off[r, t + 1]):
                    if rows[r, e] == u:
                        value_of_best[r, e] = LOW
                while chosen > off[r, t] and rows[r, chosen - 1] == u:
                    chosen -= 1
                place[r] = chosen
                picked[r + 1], real[r + 1], members[k] = u, k + 1, u
                sure[r + 1] = sure[r] + q.dual[u]
                wide = 0
                for a in range(attributes):
                    x = q.geometry.codes[u, a]
                    lo[r + 1, a], hi[r + 1, a] = min(lo[r, a], x), max(hi[r, a], x)
                    wide += side(q.geometry, a, lo[r + 1, a], hi[r + 1, a])
                box[r + 1] = wide * q.scale
                open_at[r + 1, t] -= 1
                for e in range(w.trace_start[u], w.trace_start[u + 1]):
                    met[w.trace[e]] += 1
                sure[r + 1] += counted_in(q.cuts, touched, u)
            r += 1
            new = True
    return total, cut_short, visited
