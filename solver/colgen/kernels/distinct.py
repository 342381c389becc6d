"""The compiled search for all-new groups that pay: distinct values, depth first, integers only.

A group is searched from its anchor, its lowest row; further rows are taken in the order of falling
duals. A group of r rows below the least number m of values has m - r counterfeits, which add
their dual and no cost. The bound of a partial group: its duals, the best duals of further different
values, counterfeits up to m, less the size in real tuples times the box as it is.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ..covering import Ints
from .boxes import LOW
from .keeping import counted_in, counted_out, kept_best
from .lists import Asked, side

__all__ = ["search_distinct"]


@borrowing
def _reach(
    sure: int,
    rows: int,
    box: int,
    fake: int,
    least: int,
    most: int,
    top: Ints,
    tops: int,
    skip: int,
    own: int,
) -> int:
    """No group of `rows` rows and some of the best further ones has a higher profit.

    ``top[k]`` is the sum of the best k duals of different values; the one of rank `skip` (or none,
    if it is negative) is `own` and must not be taken.
    """
    best = LOW
    for more in range(min(tops, most - rows) + 1):
        size = rows + more
        gain = top[more]
        if 0 <= skip < more:
            if more + 1 > tops:
                break
            gain = top[more + 1] - own
        best = max(best, sure + gain + max(0, least - size) * fake - size * box)
    return best


@borrowing
def _further(
    q: Asked, given: NDArray[np.int32], r: int, sure: int, lo: Ints, hi: Ints, least: int, low: int,
    used: NDArray[np.bool_], rank: Ints, own: Ints, top: Ints, rows: NDArray[np.int32], bound: Ints,
) -> int:  # fmt: skip
    """Write down which of the given rows (by falling dual) may join a group of r rows and still pay.

    Gives how many, with the bounds of the groups they make; `rank` is -1 everywhere before and after.
    """
    most, tops, length = 2 * least - 1, 0, 0
    for u in given:
        v = q.value[u]
        if used[v] or rank[v] >= 0:
            continue
        if tops == most - r:
            break
        rank[v], own[v] = tops, q.dual[u]
        tops += 1
        top[tops] = top[tops - 1] + own[v]
    for u in given:
        v = q.value[u]
        if used[v]:
            continue
        wide = 0
        for a in range(len(lo)):
            x = q.geometry.codes[u, a]
            wide += side(q.geometry, a, min(lo[a], x), max(hi[a], x))
        reach = _reach(
            sure + q.dual[u], r + 1, wide * q.scale, q.fake, least, most, top, tops, rank[v], own[v]
        )
        if reach > low:
            rows[length], bound[length] = u, reach
            length += 1
    for u in given:
        rank[q.value[u]] = -1
    return length


@compiled
def search_distinct(
    q: Asked,
    fresh: Ints,
    values: int,
    least: int,
    anchors: Ints,
    floor: int,
    per_anchor: int,
    nodes: int,
    groups: NDArray[np.int32],
    profits: Ints,
    best: Ints,
) -> tuple[int, int, int]:
    """Find all-new groups with a profit above `floor`; parameters and answers as of `search_signatures`.

    Parameters
    ----------
    fresh
        New rows by falling dual.
    values
        Number of sensitive values.
    least
        Fewest values of a group; it has at most ``2 * least - 1``.
    """
    most, attributes = 2 * least - 1, q.geometry.codes.shape[1]
    rows = np.zeros((most + 2, len(fresh) + 1), dtype=np.int32)
    bound = np.zeros((most + 2, len(fresh) + 1), dtype=np.int64)
    length, at = np.zeros(most + 2, dtype=np.int64), np.zeros(most + 2, dtype=np.int64)
    lo = np.zeros((most + 2, attributes), dtype=np.int64)
    hi = np.zeros((most + 2, attributes), dtype=np.int64)
    sure, box = np.zeros(most + 2, dtype=np.int64), np.zeros(most + 2, dtype=np.int64)
    members = np.zeros(most + 2, dtype=np.int32)
    used, rank = np.zeros(values, dtype=np.bool_), np.full(values, -1, dtype=np.int64)
    top, own = np.zeros(most + 3, dtype=np.int64), np.zeros(values, dtype=np.int64)
    touched = np.zeros(len(q.cuts.dual) + 1, dtype=np.int64)
    total, cut_short, visited = 0, 0, 0
    for i in anchors:
        low, base, limit, stopped = floor, total, visited + nodes, False
        length[0] = 0
        for e in range(len(fresh)):
            u = fresh[e]
            if u > i and q.value[u] != q.value[i]:
                rows[0, length[0]] = u
                length[0] += 1
        for a in range(attributes):
            lo[1, a] = q.geometry.codes[i, a]
            hi[1, a] = lo[1, a]
        sure[1], box[1], members[0] = q.dual[i], 0, i
        used[q.value[i]] = True
        counted_in(q.cuts, touched, i)
        at[0] = 0
        r, new = 1, True
        while r > 0:
            if new:
                new = False
                profit = sure[r] + max(0, least - r) * q.fake - r * box[r]
                if profit > low:
                    best[i] = max(best[i], profit)
                    total, low = kept_best(groups, profits, members, r, profit, base, total, per_anchor, low)
                    if total < 0:
                        return len(profits), -1, visited
                length[r], at[r] = 0, 0
                if r < most:
                    length[r] = _further(
                        q, rows[r - 1, at[r - 1] : length[r - 1]], r, sure[r], lo[r], hi[r], least, low, used,
                        rank, own, top, rows[r], bound[r],
                    )  # fmt: skip
            if visited >= limit and not stopped:
                stopped = True
                cut_short += 1
                for k in range(1, r + 1):
                    for e in range(at[k], length[k]):
                        best[i] = max(best[i], bound[k, e])
            while at[r] < length[r] and bound[r, at[r]] <= low:
                at[r] += 1
            if at[r] < length[r] and not stopped:
                u = rows[r, at[r]]
                at[r] += 1
                visited += 1
                members[r] = u
                r += 1
                sure[r] = sure[r - 1] + q.dual[u]
                wide = 0
                for a in range(attributes):
                    x = q.geometry.codes[u, a]
                    lo[r, a], hi[r, a] = min(lo[r - 1, a], x), max(hi[r - 1, a], x)
                    wide += side(q.geometry, a, lo[r, a], hi[r, a])
                box[r] = wide * q.scale
                used[q.value[u]] = True
                sure[r] += counted_in(q.cuts, touched, u)
                new = True
            else:
                u = members[r - 1]
                used[q.value[u]] = False
                counted_out(q.cuts, touched, u)
                r -= 1
    return total, cut_short, visited
