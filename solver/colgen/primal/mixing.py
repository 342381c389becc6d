"""New tuples put into groups of their own, compiled: each with the nearest ones of other values."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ...settings import Clock
from ..covering import Ints
from ..structure.types import Types
from .free import Free, apart, near_rows
from .limits import MIXING as LIMITS
from .shuffling import shuffled, state_of

__all__ = ["grouped"]

Floats = NDArray[np.float64]


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


@borrowing
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
    near = np.empty(2 * reach, dtype=np.int64)
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
            for k in range(near_rows(after, before, left, rows, begin, middle, end, reach, near)):
                far = _way(points, anchor, near[k])
                if nearest[v] < 0 or far < way[v]:
                    nearest[v], way[v] = near[k], far
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
