"""Tuples left over: each goes into the group that it costs least and that stays admissible. Compiled.

Where groups may not grow, as their sizes are limited, near ones of them become groups of their own.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing
from ...settings import Clock
from ..covering import Geometry, Ints
from ..kernels.boxes import box_with
from ..structure.histograms import Judge
from ..table import Rows

__all__ = ["gathered", "joined"]


def joined(
    rows: Rows,
    judge: Judge,
    groups: Sequence[list[int]],
    left: Sequence[int],
    value: Ints,
    clock: Clock | None = None,
) -> list[int]:
    """Put tuples into groups, one after the other; those from the first on that fits nowhere, or is too late.

    Parameters
    ----------
    rows, judge
    groups
        Of rows, all admissible; they grow.
    left
        Rows, with repeats.
    value
        Of each row, as the judge tells values apart.
    clock

    Notes
    -----
    Complexity: O(groups) per tuple, and the verdicts on one group with one more of each value.
    """
    if not groups or not left or (clock is not None and clock.over):
        return list(left)
    sizes = np.fromiter(map(len, groups), dtype=np.int64, count=len(groups))
    members, first = np.array([r for group in groups for r in group]), np.cumsum(sizes) - sizes
    codes = rows.geometry.codes[members]
    lo, hi = np.minimum.reduceat(codes, first), np.maximum.reduceat(codes, first)
    cost = np.where(sizes == 1, rows.single, sizes * rows.box_cost(lo, hi))
    wide = judge.told_apart
    line = np.repeat(np.arange(len(groups)), sizes)
    counts = np.bincount(line * wide + value[members], minlength=len(groups) * wide).reshape(-1, wide)
    needed, kind = np.unique(value[np.array(left)], return_inverse=True)
    more = np.eye(wide, dtype=np.int64)[needed]
    takes = _takes(judge, counts, more)
    for place, (r, of) in enumerate(zip(left, kind.tolist(), strict=True)):
        at, added = _cheapest(rows.geometry, r, lo, hi, sizes, cost, takes[of])
        if at < 0 or (clock is not None and clock.over):
            return list(left[place:])
        groups[at].append(r)
        own = rows.geometry.codes[r]
        lo[at], hi[at] = np.minimum(lo[at], own), np.maximum(hi[at], own)
        sizes[at] += 1
        cost[at] += added
        counts[at] += more[of]
        takes[:, at] = _admitted(judge, counts[at] + more)
    return []


def gathered(
    rows: Rows, judge: Judge, left: Sequence[int], value: Ints, clock: Clock | None = None
) -> tuple[list[list[int]], list[int]]:
    """Make groups of tuples, the most remote one first, each of the fewest near tuples that may be one.

    Parameters
    ----------
    rows, judge, value, clock
        As in `joined`; when the clock is over, no further group is begun.
    left
        Rows, with repeats.

    Returns
    -------
    tuple
        Groups of rows, all admissible, and the rows in none: too few, or no group was found for the next.

    Notes
    -----
    A heuristic: rows that are returned may have an admissible group still. Complexity: O(tuples) for each
    tuple that is put into a group.
    """
    groups, rest = list[list[int]](), np.array(left, dtype=np.int64)
    codes, wide = rows.geometry.codes, judge.told_apart
    while len(rest) >= judge.least and not (clock is not None and clock.over):
        everybody = codes[rest]
        # Who is at the edge costs most together with the middle of all.
        middle = np.sort(everybody, axis=0)[len(rest) // 2]
        first = int(np.argmax(rows.box_cost(np.minimum(everybody, middle), np.maximum(everybody, middle))))
        low = high = everybody[first]
        chosen, counts = [first], np.bincount([value[rest[first]]], minlength=wide)
        free = np.ones(len(rest), dtype=np.bool_)
        free[first] = False
        while not judge.admits(tuple(counts.tolist())):
            may = free & (judge.blind | (counts[value[rest]] < judge.most_alike))
            if not may.any():
                return groups, rest.tolist()
            cost = rows.box_cost(np.minimum(everybody, low), np.maximum(everybody, high))
            at = int(np.argmin(np.where(may, cost, np.iinfo(np.int64).max)))
            chosen.append(at)
            free[at] = False
            counts[value[rest[at]]] += 1
            low, high = np.minimum(low, everybody[at]), np.maximum(high, everybody[at])
        groups.append(sorted(rest[chosen].tolist()))
        rest = rest[free]
    return groups, rest.tolist()


def _takes(judge: Judge, counts: Ints, more: Ints) -> NDArray[np.bool_]:
    """Whether histograms (columns) take one more of a value (lines); equal ones are asked about once."""
    kinds, kind = np.unique(counts, axis=0, return_inverse=True)
    return np.array([_admitted(judge, kinds + one) for one in more])[:, kind.ravel()]


def _admitted(judge: Judge, counts: Ints) -> NDArray[np.bool_]:
    """Verdicts on histograms, one per line; where values are alike, the judge remembers them."""
    if not (judge.alike or judge.blind):
        return judge.verdicts(counts)
    return np.array([judge.admits(tuple(line)) for line in counts.tolist()], dtype=np.bool_)


@borrowing
def _cheapest(
    g: Geometry, r: int, lo: Ints, hi: Ints, size: Ints, cost: Ints, takes: NDArray[np.bool_]
) -> tuple[int, int]:
    """The group that a row costs least, of those that take it, and what it costs; -1 if none does."""
    best, least = -1, np.int64(1) << 60
    for at in range(len(size)):
        if takes[at]:
            with_r = box_with(g.codes, g.weight, g.tree, g.side, g.table, r, lo, hi, at)
            more = (size[at] + 1) * with_r - cost[at]
            if more < least:
                best, least = at, more
    return best, least
