"""First groups where shares of values have to be near the table's: near tuples, as even as the policy asks.

Around one tuple after the other, drawn at random, a group grows to a given size: always by the free tuple
that makes its box least dear, of those whose values the group has not too many of. With s tuples of which n
have a value that has the share p in the table, ``sum max(0, n - p s)`` is how many are too many; a group of
the given size is admissible if that is at most ``t s``, so a part of it may be as near tuples happen to be.

What is free has to stay near the table's shares, too: as soon as it is half as far from them as is allowed,
groups take values about as what is free has them. Only near tuples in the order of the rows are looked at,
so many of each value. Several sizes are tried.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ...settings import Clock
from ..column import Group
from ..covering import Geometry, Ints
from ..kernels.boxes import box_with
from ..structure.histograms import Judge
from ..structure.marked import Closeness
from ..table import Rows
from .left_over import joined
from .limits import SPREADING as LIMITS

__all__ = ["NearShares"]

Floats = NDArray[np.float64]


class NearShares:
    """Sizes of groups that are tried one after the other; called again, it goes on where time was over.

    The whole table must be admissible, and merging must keep the policy.
    """

    def __init__(self, rows: Rows, judge: Judge, seed: int) -> None:
        self.rows, self.judge, self.seed = rows, judge, seed
        self._unit = np.repeat(np.arange(len(rows), dtype=np.int64), rows.count)
        close, self._needed = Closeness.of(judge, len(self._unit)), 0.0
        # Where shares of all values up to each matter, or none do, there is nothing to try.
        self._close = None if close is None or close.within[3] else close
        self._sizes = [] if self._close is None else self._tried(self._close.smallest(judge))

    def _tried(self, size: int) -> list[int]:
        """Groups of the smallest size are even: near tuples are not."""
        sizes = list[int]()
        for _ in range(LIMITS.grown):
            size += max(1, size * LIMITS.larger // 100)
            if size <= len(self._unit):
                sizes.append(size)
        return sizes

    def run(self, clock: Clock) -> list[Group] | None:
        """Groups of rows (with repeats), the cheapest of the sizes tried; None if there are none in time.

        Complexity: per size, group and tuple in it, a box for each of `LIMITS.near` tuples of each value.
        """
        rows, judge, unit, best, least = self.rows, self.judge, self._unit, None, 0
        while self._close is not None and self._sizes and clock.fits(self._needed) and not clock.over:
            began = clock.seconds
            of, grown = _of_size(rows, self._close, unit, self._sizes[0], self.seed, clock)
            # At this pace, a size that time is over for needs so much of it.
            self._needed = (clock.seconds - began) / max(grown, LIMITS.least)
            if grown < 1:
                break
            if np.count_nonzero(of < 0) <= LIMITS.left * len(unit):
                groups = _released(rows, judge, unit, of, clock)
                cost = sum(rows.group_costs(groups))
                if best is None or cost < least:
                    best, least = groups, cost
            if not clock.over:
                self._sizes.pop(0)
        return best


def _of_size(
    rows: Rows, close: Closeness, unit: Ints, size: int, seed: int, clock: Clock
) -> tuple[Ints, float]:
    """The group of each unit (-1: none), all of one size; the share of the tuples that there was time for."""
    total, below, above = close.within[:3].tolist()
    share, there = np.zeros(len(close.others.names)), close.close[0] >= 0
    share[close.close[0][there]] = close.close[1][there] / total
    value, free = rows.value[unit], np.ones(len(unit), dtype=np.bool_)
    of, listed = np.full(len(unit), -1, dtype=np.int64), np.argsort(value, kind="stable")
    order, number = np.random.default_rng(seed).permutation(len(unit)), 0
    for begun in range(0, len(order), LIMITS.at_once):
        if clock.over:
            return of, float((of >= 0).mean())
        if np.count_nonzero(free[order[:begun]]) > LIMITS.left * len(unit):
            break  # too small: nothing grows any more, and that takes long
        listed = listed[free[listed]]
        number = _grown(
            rows.geometry,
            unit,
            value,
            share,
            above / (2 * below * total),
            order[begun : begun + LIMITS.at_once],
            listed,
            (size, LIMITS.near, number),
            free,
            of,
        )
    return of, 1.0


def _released(rows: Rows, judge: Judge, unit: Ints, of: Ints, clock: Clock) -> list[Group] | None:
    """The admissible groups, with everybody else where that costs least; merged for those who fit nowhere."""
    inside = np.flatnonzero(of >= 0)
    order = inside[np.argsort(of[inside], kind="stable")]
    cuts = np.flatnonzero(np.diff(of[order])) + 1
    made = [unit[part].tolist() for part in np.split(order, cuts) if len(part)]
    good, last = list[list[int]](), unit[of < 0].tolist()
    for group in made:
        if judge.admits(tuple(np.bincount(rows.value[group], minlength=len(judge.names)).tolist())):
            good.append(group)
        else:
            last += group
    last = joined(rows, judge, good, last, rows.value, clock) if good else last
    counts = np.bincount(rows.value[last], minlength=len(judge.names)) if last else None
    while counts is not None and good and not judge.admits(tuple(counts.tolist())):
        last += good.pop()
        counts = np.bincount(rows.value[last], minlength=len(judge.names))
    return [tuple(sorted(group)) for group in (*good, *([last] if last else []))]


@compiled
def _looked_at(listed: Ints, first: Ints, free: NDArray[np.bool_], seed: int, near: int, seen: Ints) -> int:
    """Write the nearest free tuples of each value down; how many there are."""
    many = 0
    for v in range(len(first) - 1):
        at = first[v] + np.searchsorted(listed[first[v] : first[v + 1]], seed)
        for back in range(2):
            place, taken = (at - 1 if back else at), 0
            while first[v] <= place < first[v + 1] and taken < near:
                u = listed[place]
                if free[u] and u != seed:
                    seen[many] = u
                    many, taken = many + 1, taken + 1
                place += -1 if back else 1
    return many


@borrowing
def _too_many(often: int, expected: float) -> float:
    """By how much one more of a value raises what a group has too many of."""
    return max(0.0, often + 1 - expected) - max(0.0, often - expected)


@compiled
def _group_of(
    g: Geometry,
    unit: Ints,
    value: Ints,
    expected: Floats,
    most: float,
    near: Ints,
    room: Floats,
    free: NDArray[np.bool_],
    group: Ints,
) -> int:
    """Grow a group from its first tuple by near ones, with up to so many of a value; how many it then has.

    `expected` is what a group has of each value if it is even; all together may be beyond that by `most`.
    """
    attributes, had, beyond = g.codes.shape[1], 0, 0.0
    lo, hi = np.empty((1, attributes), dtype=np.int64), np.empty((1, attributes), dtype=np.int64)
    inside, chosen = np.zeros(len(expected), dtype=np.int64), group[0]
    while chosen >= 0:
        v = value[chosen]
        beyond += _too_many(inside[v], expected[v])
        inside[v] += 1
        group[had], free[chosen] = chosen, False
        had += 1
        for a in range(attributes):
            x = g.codes[unit[chosen], a]
            lo[0, a] = x if had == 1 else min(lo[0, a], x)
            hi[0, a] = x if had == 1 else max(hi[0, a], x)
        chosen, least = -1, np.int64(1) << 60
        for at in range(len(near) if had < len(group) else 0):
            u = near[at]
            w = value[u]
            if not free[u] or inside[w] > room[w]:
                continue
            if beyond + _too_many(inside[w], expected[w]) > most + 1e-9:
                continue
            cost = box_with(g.codes, g.weight, g.tree, g.side, g.table, unit[u], lo, hi, 0)
            if cost < least:
                least, chosen = cost, u
    return had


@compiled
def _grown(
    g: Geometry,
    unit: Ints,
    value: Ints,
    share: Floats,
    most: float,
    seeds: Ints,
    listed: Ints,
    sizes: tuple[int, int, int],
    free: NDArray[np.bool_],
    of: Ints,
) -> int:
    """Grow groups around free tuples; `listed` are the free ones, value by value. How many there are then.

    `sizes` are that of a group, how many tuples are looked at, and how many groups there are.
    """
    values, (size, near, number) = len(share), sizes
    first = np.zeros(values + 1, dtype=np.int64)
    for u in listed:
        first[value[u] + 1] += 1
    left = first[1:].astype(np.float64)
    first, rest = np.cumsum(first), left.sum()
    seen, group = np.empty(2 * near * values, dtype=np.int64), np.empty(size, dtype=np.int64)
    room = np.empty(values, dtype=np.float64)
    for seed in seeds:
        if not free[seed] or rest < size:
            continue
        many, far = _looked_at(listed, first, free, seed, near, seen), 0.0
        for v in range(values):
            far += max(0.0, left[v] - rest * share[v])
        # As soon as what is free is far from the shares, groups are about as that is.
        for v in range(values):
            room[v] = size * left[v] / rest if far > most * rest / 2 else size
        group[0] = seed
        had = _group_of(g, unit, value, size * share, most * size, seen[:many], room, free, group)
        for at in range(had):
            u = group[at]
            if had < size:
                free[u] = True
            else:
                of[u] = number
                left[value[u]] -= 1
                rest -= 1
        if had == size:
            number += 1
    return number
