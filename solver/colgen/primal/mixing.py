"""New tuples put where they are near, compiled: into groups that lack a value, and into groups of their own.

Rows are in kd order, neighbours near one another. So only a window of the rows of a value around
a place is looked at: all of them in small tables, fewer the larger the table, so that the work grows
with the number of tuples alone.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import compiled
from ...limits import MIXING as LIMITS
from ...settings import Clock
from ..kernels.boxes import box_with
from ..structure.types import Types
from ..table import Geometry, Ints
from .dealing import shuffled, state_of

__all__ = ["Free", "apart", "grouped", "joined", "neighbours"]

Floats = NDArray[np.float64]


class Free:
    """New tuples that are in no group yet.

    Attributes
    ----------
    left : int array, shape (rows,)
        How many of each row.
    rows, start : int arrays
        The new rows, by value and place; where each value starts.
    """

    def __init__(self, types: Types) -> None:
        new = types.home < 0
        self.values = len(types.rules.values)
        self.left = np.where(new, types.rows.count, 0)
        found = np.flatnonzero(new)
        self.rows = found[np.argsort(types.rows.value[found], kind="stable")]
        counts = np.bincount(types.rows.value[found], minlength=self.values)
        self.start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        # The next place to each side with tuples left; paths are shortened whenever they are walked.
        self.after = np.arange(len(found) + 1, dtype=np.int64)
        self.before = np.arange(len(found) + 1, dtype=np.int64)

    def back(self, rows: Ints) -> None:
        """Take tuples back."""
        np.add.at(self.left, rows, 1)
        self.after[:] = self.before[:] = np.arange(len(self.after))

    def reach(self, types: Types, searches: int, width: int) -> int:
        """Rows to each side that so many searches among `width` lists may look at."""
        attributes = types.rows.geometry.codes.shape[1]
        return min(LIMITS.most, max(LIMITS.least, LIMITS.work // max(1, 2 * searches * width * attributes)))


def apart(types: Types) -> Floats:
    """Rows as points: one step of a code is as long as it costs; a taxonomy's leaves lie a share apart."""
    geometry = types.rows.geometry
    share = types.rows.scale // np.maximum(1, geometry.side)
    step = np.where(geometry.tree < 0, geometry.weight, share).astype(float)
    return geometry.codes * step / types.rows.scale


def joined(
    types: Types, free: Free, groups: list[list[int]], bucket: Ints, wanted: Ints, random: Random
) -> None:
    """Put new tuples into groups of a bucket that lack their values, each the cheapest one near by.

    Parameters
    ----------
    groups
        Rows of each group, groups of a bucket one after the other; they grow.
    bucket
        Of each group.
    wanted : int array, shape (buckets, values)
        How many new tuples of each value join each bucket.
    """
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    flat = np.array([r for group in groups for r in group], dtype=np.int64)
    owner = np.repeat(np.arange(len(groups)), sizes)
    asked = np.flatnonzero(wanted.any(axis=1))
    total = int(wanted.sum())
    if not total:
        return
    where, what = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    lacking = np.ones((len(groups), free.values), dtype=np.bool_)
    lacking[owner, types.rows.value[flat]] = False
    first = np.searchsorted(bucket, np.arange(len(wanted) + 1)).astype(np.int64)
    codes = types.rows.geometry.codes
    lo = np.zeros((len(groups), codes.shape[1]), dtype=np.int64)
    hi = np.zeros_like(lo)
    begins = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    some = sizes > 0
    if len(flat):
        lo[some] = np.minimum.reduceat(codes[flat], begins[some], axis=0)
        hi[some] = np.maximum.reduceat(codes[flat], begins[some], axis=0)
    centre = np.where(some, np.append(flat, 0)[np.minimum(begins, len(flat))], -1)
    made = _join(
        types.rows.geometry,
        free.left,
        free.rows,
        free.start,
        free.after,
        free.before,
        asked,
        wanted,
        first,
        lacking,
        sizes,
        lo,
        hi,
        centre,
        free.reach(types, total, 1),
        state_of(random),
        where,
        what,
    )
    for q, r in zip(where[:made].tolist(), what[:made].tolist(), strict=True):
        groups[q].append(r)


def grouped(types: Types, free: Free, random: Random, clock: Clock | None = None) -> list[tuple[int, ...]]:
    """All new tuples that are left, each with the nearest ones of other values; the last group is larger.

    A group of m may leave at most 1/m of the others with one value: values that would have more
    must be in it. There are at most m of them while m groups or more are to be made, and then at most
    2m - 1: the last groups are as large as that. The caller sees to it that it holds in the beginning.
    When the clock is over, next neighbours in the order of rows are as near as it gets.
    """
    values, least = types.rows.value, types.rules.least
    counts = np.bincount(values, weights=free.left, minlength=free.values).astype(np.int64)
    order = np.flatnonzero(free.left)
    mixed, state = free.rows.copy(), state_of(random)
    shuffled(order, len(order), state)
    for v in range(free.values):
        shuffled(mixed[free.start[v] : free.start[v + 1]], int(free.start[v + 1] - free.start[v]), state)
    at, at_value = np.zeros(1, dtype=np.int64), free.start[:-1].copy()
    points, found = apart(types), list[tuple[int, ...]]()
    reach = free.reach(types, -(-int(counts.sum()) // least), free.values)
    while int(counts.sum()) >= max(2, least) * least:
        late = clock is not None and clock.over
        made = np.empty((LIMITS.chunk, least), dtype=np.int64)
        number = _group(
            points,
            values,
            free.left,
            free.rows,
            free.start,
            free.after,
            free.before,
            1 if late else reach,
            order,
            at,
            mixed,
            at_value,
            counts,
            made,
        )
        found += map(tuple, np.sort(made[:number], axis=1).tolist())
    while int(counts.sum()) >= 2 * least:
        # As many values as have one tuple for each group that is left, most frequent ones first.
        full = int((counts == int(counts.sum()) // least).sum())
        chosen = np.argsort(-counts, kind="stable")[: max(least, full)]
        group = [int(np.flatnonzero((free.left > 0) & (values == v))[0]) for v in chosen.tolist()]
        free.left[group] -= 1
        counts[chosen] -= 1
        found.append(tuple(sorted(group)))
    rest = tuple(np.flatnonzero(free.left).tolist())
    free.left[list(rest)] = 0
    return [*found, rest] if rest else found


def neighbours(types: Types, clock: Clock | None = None) -> Floats:
    """Cost of the way from each row to its m-th nearest value, its own counted: a guess at duals.

    No member of a group of m different real tuples has a smaller box, if all rows are within reach. If time
    ends, the mean stands for the rows that are left.
    """
    rows, g = types.rows, types.rows.geometry
    wide = [len(signature) for signature in types.rules.signatures]
    signature = np.array([v for s in types.rules.signatures for v in s], dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(wide)]).astype(np.int64)
    reach = min(LIMITS.most, max(LIMITS.least, LIMITS.work // max(1, 2 * len(rows) * g.codes.shape[1])))
    found = np.zeros(len(rows))
    for at in range(0, len(rows), LIMITS.chunk):
        if clock is not None and clock.over:
            found[at:] = found[:at].mean() if at else 0.0
            break
        last = min(len(rows), at + LIMITS.chunk)
        number = len(types.rules.values)
        _measure(
            g, rows.value, types.home, signature, start, number, types.rules.least, reach, at, last, found
        )
    return found


@compiled
def _right(after: Ints, left: Ints, rows: Ints, i: int, end: int) -> int:
    """The first place from i on with a tuple left, or `end`."""
    found = i
    while found < end and left[rows[found]] == 0:
        found = max(after[found], found + 1)
    while i < found:
        i, after[i] = max(after[i], i + 1), found
    return found


@compiled
def _left(before: Ints, left: Ints, rows: Ints, i: int, begin: int) -> int:
    """The last place up to i with a tuple left, or one before `begin`."""
    found = i
    while found >= begin and left[rows[found]] == 0:
        found = min(before[found], found - 1)
    while i > found:
        i, before[i] = min(before[i], i - 1), found
    return found


@compiled
def _join(
    g: Geometry,
    left: Ints,
    rows: Ints,
    start: Ints,
    after: Ints,
    before: Ints,
    asked: Ints,
    wanted: Ints,
    first: Ints,
    lacking: NDArray[np.bool_],
    sizes: Ints,
    lo: Ints,
    hi: Ints,
    centre: Ints,
    reach: int,
    state: Ints,
    where: Ints,
    what: Ints,
) -> int:
    """Choose a new tuple for groups that lack its value; how many were chosen."""
    made = 0
    most = 0
    for b in asked:
        most = max(most, first[b + 1] - first[b])
    some = np.empty(most, dtype=np.int64)
    for b in asked:
        for v in range(wanted.shape[1]):
            if wanted[b, v] == 0:
                continue
            number = 0
            for q in range(first[b], first[b + 1]):
                if lacking[q, v]:
                    some[number] = q
                    number += 1
            shuffled(some, number, state)
            begin, end = start[v], start[v + 1]
            for j in range(min(number, wanted[b, v])):
                q = some[j]
                middle = begin + np.searchsorted(rows[begin:end], max(0, centre[q]))
                best, least = -1, 0
                i = _right(after, left, rows, middle, end)
                for _ in range(reach):
                    if i >= end or (best >= 0 and sizes[q] == 0):
                        break
                    cost = 0
                    if sizes[q]:
                        cost = box_with(g.codes, g.weight, g.tree, g.side, g.table, rows[i], lo, hi, q)
                    if best < 0 or cost < least:
                        best, least = rows[i], cost
                    i = _right(after, left, rows, i + 1, end)
                i = _left(before, left, rows, middle - 1, begin)
                for _ in range(reach):
                    if i < begin or (best >= 0 and sizes[q] == 0):
                        break
                    cost = 0
                    if sizes[q]:
                        cost = box_with(g.codes, g.weight, g.tree, g.side, g.table, rows[i], lo, hi, q)
                    if best < 0 or cost < least:
                        best, least = rows[i], cost
                    i = _left(before, left, rows, i - 1, begin)
                if best < 0:
                    break
                left[best] -= 1
                lacking[q, v] = False
                where[made], what[made] = q, best
                made += 1
                for a in range(g.codes.shape[1]):
                    x = g.codes[best, a]
                    lo[q, a] = x if sizes[q] == 0 else min(lo[q, a], x)
                    hi[q, a] = x if sizes[q] == 0 else max(hi[q, a], x)
                if sizes[q] == 0:
                    centre[q] = best
                sizes[q] += 1
    return made


@compiled
def _way(points: Floats, one: int, other: int) -> float:
    total = 0.0
    for a in range(points.shape[1]):
        total += abs(points[one, a] - points[other, a])
    return total


@compiled
def _group(
    points: Floats,
    value: Ints,
    left: Ints,
    rows: Ints,
    start: Ints,
    after: Ints,
    before: Ints,
    reach: int,
    order: Ints,
    at: Ints,
    mixed: Ints,
    at_value: Ints,
    counts: Ints,
    made: Ints,
) -> int:
    """Make groups of m (the width of `made`) different values until it is full, or fewer than m are left."""
    values, least = len(counts), made.shape[1]
    nearest, way = np.empty(values, dtype=np.int64), np.empty(values)
    total = counts.sum()
    for number in range(len(made)):
        if total < max(2, least) * least:
            return number
        while left[order[at[0]]] == 0:
            at[0] += 1
        anchor, forced = order[at[0]], -1
        for v in range(values):
            if least * counts[v] > total - least and (forced < 0 or v == value[anchor]):
                forced = v
        if forced >= 0 and forced != value[anchor]:
            while left[mixed[at_value[forced]]] == 0:
                at_value[forced] += 1
            anchor = mixed[at_value[forced]]
        for v in range(values):
            nearest[v] = -1
            if counts[v] == 0:
                continue
            if v == value[anchor]:
                nearest[v], way[v] = anchor, -2.0
                continue
            begin, end = start[v], start[v + 1]
            middle = begin + np.searchsorted(rows[begin:end], anchor)
            i = _right(after, left, rows, middle, end)
            for _ in range(reach):
                if i >= end:
                    break
                far = _way(points, anchor, rows[i])
                if nearest[v] < 0 or far < way[v]:
                    nearest[v], way[v] = rows[i], far
                i = _right(after, left, rows, i + 1, end)
            i = _left(before, left, rows, middle - 1, begin)
            for _ in range(reach):
                if i < begin:
                    break
                far = _way(points, anchor, rows[i])
                if nearest[v] < 0 or far < way[v]:
                    nearest[v], way[v] = rows[i], far
                i = _left(before, left, rows, i - 1, begin)
            if least * counts[v] > total - least:
                way[v] = -1.0
        for place in range(least):
            best = -1
            for v in range(values):
                if nearest[v] >= 0 and (best < 0 or way[v] < way[best]):
                    best = v
            made[number, place] = nearest[best]
            left[nearest[best]] -= 1
            nearest[best] = -1
            counts[best] -= 1
        total -= least
    return len(made)


@compiled
def _measure(
    g: Geometry,
    value: Ints,
    home: Ints,
    signature: Ints,
    start: Ints,
    values: int,
    least: int,
    reach: int,
    first: int,
    last: int,
    found: Floats,
) -> None:
    """Fill in `found` for rows `first` to `last`."""
    way, asked = np.empty(values, dtype=np.int64), np.empty(values, dtype=np.bool_)
    near = np.empty(least, dtype=np.int64)
    for r in range(first, last):
        b = home[r]
        way[:] = -1
        asked[:] = b < 0
        if b >= 0:
            for e in range(start[b], start[b + 1]):
                asked[signature[e]] = True
        asked[value[r]] = False
        for u in range(max(0, r - reach), min(len(value), r + reach + 1)):
            v = value[u]
            if not asked[v] or not (home[u] < 0 or home[u] == b):
                continue
            cost = 0
            for a in range(g.codes.shape[1]):
                low, high = min(g.codes[r, a], g.codes[u, a]), max(g.codes[r, a], g.codes[u, a])
                if g.tree[a] < 0:
                    cost += g.weight[a] * (high - low)
                else:
                    cost += g.table[g.tree[a] + low * g.side[a] + high]
            if way[v] < 0 or cost < way[v]:
                way[v] = cost
        size = 0
        for v in range(values):
            if way[v] < 0:
                continue
            place = min(size, least - 1)
            if size == least - 1 and (place == 0 or near[place - 1] <= way[v]):
                continue
            size = min(least - 1, size + 1)
            place = size - 1
            while place > 0 and near[place - 1] > way[v]:
                near[place] = near[place - 1]
                place -= 1
            near[place] = way[v]
        found[r] = near[size - 1] if size else 0.0
