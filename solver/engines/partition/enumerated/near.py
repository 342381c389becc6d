"""All groups of real tuples whose cost, at given duals, is low enough for a better release.

Any group counts here, not only those with an indecomposable histogram: requirements on people, whole
releases and series may need a group that values alone would let split.

The search goes depth first in the order of rows, the lowest row of a group first. For a group P so far, a
row w that may still come and the cost c(w) per tuple of the box around P and w: whoever
joins with w pays at least the larger of c(w) and the own c. So the least reduced cost of any
group with P and w is at least

    |P| c(w) - dual(P) + penalties(P) + (c(w) - dual(w)) + sum_u min(0, max(c(u), c(w)) - dual(u))

over the other rows u, because boxes and the penalties of cuts only grow. Rows above the limit are left
out for all that follows.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .....models.compiled import compiled
from ....colgen.covering import Geometry, Ints
from ....colgen.cuts import Cuts
from ....colgen.duals import Duals
from ....colgen.kernels.boxes import box_with
from ....colgen.kernels.question import CutIndex
from ....colgen.table import Rows
from ....schedule import ENUMERATED
from ....settings import Clock
from .limits import ENUMERATED_LIMITS as LIMITS

__all__ = ["near_groups"]


def near_groups(
    rows: Rows, home: Ints, duals: Duals, cuts: Cuts, slack: int, room: int, clock: Clock
) -> list[tuple[int, ...]] | None:
    """All groups whose reduced cost is at most `slack`; None if more than `room`, too long, or time is over.

    Parameters
    ----------
    rows : Rows
    home : int array, shape (tuples,)
        Row of each tuple of the microdata.
    duals, cuts
        Any duals; cut duals at most 0.
    slack : int
        Scaled as the duals.
    room : int
    clock : Clock

    Returns
    -------
    list of tuple of int
        Rows of the microdata, rising.
    """
    order = np.argsort(home, kind="stable")
    lines = home[order]
    fine = rows.geometry
    geometry = Geometry(
        fine.codes[lines], fine.weight * duals.scale, fine.tree, fine.side, fine.table * duals.scale
    )
    index, dual = cuts.index(duals.cuts), duals.rows[lines]
    groups = np.empty((room, len(order)), dtype=np.bool_)
    total = 0
    for anchor in range(len(order)):
        left = clock.left
        if left == 0:
            return None
        most = LIMITS.work if left is None else min(LIMITS.work, int(ENUMERATED.listing.value * left))
        total = _from(anchor, geometry, dual, lines, index, slack, groups, total, most)
        if total < 0:
            return None
    return [tuple(sorted(order[line].tolist())) for line in groups[:total]]


@compiled
def _from(
    anchor: int,
    geometry: Geometry,
    dual: Ints,
    lines: Ints,
    index: CutIndex,
    slack: int,
    groups: NDArray[np.bool_],
    total: int,
    limit: int,
) -> int:
    """List the groups whose first tuple is the anchor after the first `total`; -1 without room for all."""
    codes, weight, tree, side, table = geometry
    cut_start, cut_of, cut_dual, cut_over = index
    n, attributes = codes.shape
    lo = np.empty((n + 1, attributes), dtype=np.int64)
    hi = np.empty((n + 1, attributes), dtype=np.int64)
    listed = np.empty((n + 1, n), dtype=np.int64)
    price = np.empty((n + 1, n), dtype=np.int64)
    length = np.zeros(n + 1, dtype=np.int64)
    at = np.zeros(n + 1, dtype=np.int64)
    member = np.empty(n + 1, dtype=np.int64)
    value = np.zeros(n + 1, dtype=np.int64)
    penalty = np.zeros(n + 1, dtype=np.int64)
    met = np.zeros(len(cut_dual), dtype=np.int64)
    inside = np.zeros(n, dtype=np.bool_)
    stays = np.zeros(n, dtype=np.bool_)
    listed[0, 0] = anchor
    length[0] = 1
    price[0, 0] = 0
    depth, work = 0, 0
    while depth >= 0:
        if at[depth] >= length[depth]:
            depth -= 1
            if depth >= 0:
                gone = member[depth]
                inside[gone] = False
                for k in range(cut_start[lines[gone]], cut_start[lines[gone] + 1]):
                    met[cut_of[k]] -= 1
            continue
        u = listed[depth, at[depth]]
        cost = price[depth, at[depth]]
        at[depth] += 1
        extra = 0
        for k in range(cut_start[lines[u]], cut_start[lines[u] + 1]):
            c = cut_of[k]
            if (met[c] + 1) % cut_over[c] == 0:
                extra -= cut_dual[c]
        size = depth + 1
        paid = value[depth] + dual[u]
        fined = penalty[depth] + extra
        if size * cost - paid + fined <= slack:
            if total >= len(groups):
                return -1
            groups[total] = inside
            groups[total, u] = True
            total += 1
        below = depth + 1
        if depth == 0:
            lo[below] = codes[u]
            hi[below] = codes[u]
        else:
            for a in range(attributes):
                lo[below, a] = min(lo[depth, a], codes[u, a])
                hi[below, a] = max(hi[depth, a], codes[u, a])
        count = 0
        if depth == 0:
            for w in range(anchor + 1, n):
                listed[below, count] = w
                count += 1
        else:
            for i in range(at[depth], length[depth]):
                listed[below, count] = listed[depth, i]
                count += 1
        for i in range(count):
            price[below, i] = box_with(codes, weight, tree, side, table, listed[below, i], lo, hi, below)
        work += 1 + 2 * count * count
        if work > limit:
            return -1
        for _ in range(2):
            kept = 0
            for i in range(count):
                own = price[below, i]
                least = (size + 1) * own - paid + fined - dual[listed[below, i]]
                for j in range(count):
                    if j != i:
                        least += min(0, max(own, price[below, j]) - dual[listed[below, j]])
                stays[i] = least <= slack
                kept += stays[i]
            if kept == count:
                break
            kept = 0
            for i in range(count):
                if stays[i]:
                    listed[below, kept], price[below, kept] = listed[below, i], price[below, i]
                    kept += 1
            count = kept
        if count == 0:
            continue
        member[depth] = u
        inside[u] = True
        for k in range(cut_start[lines[u]], cut_start[lines[u] + 1]):
            met[cut_of[k]] += 1
        value[below], penalty[below] = paid, fined
        length[below], at[below] = count, 0
        depth = below
    return total
