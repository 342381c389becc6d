"""Simulated annealing over groups of points: tuples move, change places, groups are dissolved and begun.

A group keeps the sum of its pairs' costs, so a move is judged by a few sums of pairs. Moves look at near rows
only. It starts from any release of groups of k to 2k - 1 and remembers the best one it met.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import compiled
from ...settings import Clock
from ..column import Group
from ..covering import Ints
from .limits import POINTS as LIMITS
from .table import PointRows

__all__ = ["annealed"]

Floats = NDArray[np.float64]


class _Gathered(NamedTuple):
    """Groups by number; `sums` holds the costs of their pairs, `home` and `place` where each tuple is."""

    member: Ints
    size: Ints
    sums: Floats
    home: Ints
    place: Ints


def annealed(
    rows: PointRows,
    groups: Sequence[Group],
    k: int,
    *,
    moves: int,
    seed: int,
    clock: Clock,
    warm: float = 1.0,
) -> Iterator[tuple[Group, ...]]:
    """Groups of releases, the best so far after each part of the moves.

    Parameters
    ----------
    groups
        Of k to 2k - 1 tuples.
    moves
        That are tried, in parts; the temperature falls from part to part.
    clock
        Looked at between the parts: where they take longer than planned, the temperature falls with it.
    warm
        The first temperature, as a share of the usual one: little changes a good release little.
    """
    row = np.repeat(np.arange(len(rows)), rows.count)
    state = _started(rows, row, groups, k)
    many = min(len(row) - 1, max(LIMITS.least_near, 3 * k))
    near = _near(rows.pairs, row, many)
    total = float((state.sums / np.maximum(1, state.size)).sum())
    best, home = np.array([total]), state.home.copy()
    hot, cold = (total / len(row) * part for part in (LIMITS.hot * warm, LIMITS.cold))
    np.random.seed(seed)
    for part in range(LIMITS.parts):
        if clock.over:
            return
        late = clock.seconds / clock.limit if clock.limit else 0.0
        heat = hot * (cold / hot) ** max(part / (LIMITS.parts - 1), late)
        total = _moved(
            rows.pairs, row, near, state, k, moves // LIMITS.parts, heat, seed + part, total, best, home
        )
        yield _groups(row, home)


def _started(rows: PointRows, row: Ints, groups: Sequence[Group], k: int) -> _Gathered:
    left: list[list[int]] = [[] for _ in range(len(rows))]
    for place, r in enumerate(row.tolist()):
        left[r].append(place)
    most = len(row) // k + 1
    state = _Gathered(
        np.zeros((most, 2 * k), dtype=np.int64),
        np.zeros(most, dtype=np.int64),
        np.zeros(most),
        np.zeros(len(row), dtype=np.int64),
        np.zeros(len(row), dtype=np.int64),
    )
    for g, group in enumerate(groups):
        for at, r in enumerate(group):
            t = left[r].pop()
            state.member[g, at], state.home[t], state.place[t] = t, g, at
        state.size[g] = len(group)
        state.sums[g] = rows.pairs[np.ix_(list(group), list(group))].sum() / 2
    return state


def _groups(row: Ints, home: Ints) -> tuple[Group, ...]:
    order = np.argsort(home, kind="stable")
    cuts = np.flatnonzero(np.diff(home[order])) + 1
    return tuple(tuple(sorted(row[part].tolist())) for part in np.split(order, cuts))


@compiled
def _near(pairs: Ints, row: Ints, many: int) -> NDArray[np.int32]:
    """The nearest other tuples of each tuple, nearest first."""
    found = np.empty((len(row), many), dtype=np.int32)
    for t in range(len(row)):
        way = pairs[row[t]][row]
        way[t] = -1
        found[t] = np.argsort(way)[1 : many + 1]
    return found


@compiled
def _way(pairs: Ints, row: Ints, s: _Gathered, t: int, g: int) -> float:
    """Sum of a tuple's pairs with a group."""
    total = 0.0
    for a in range(s.size[g]):
        total += pairs[row[t], row[s.member[g, a]]]
    return total


@compiled
def _cost(s: _Gathered, g: int) -> float:
    return s.sums[g] / s.size[g] if s.size[g] else 0.0


@compiled
def _take(pairs: Ints, row: Ints, s: _Gathered, t: int) -> None:
    g, at = s.home[t], s.place[t]
    s.sums[g] -= _way(pairs, row, s, t, g)
    last = s.member[g, s.size[g] - 1]
    s.member[g, at], s.place[last] = last, at
    s.size[g] -= 1


@compiled
def _give(pairs: Ints, row: Ints, s: _Gathered, t: int, g: int) -> None:
    s.sums[g] += _way(pairs, row, s, t, g)
    at = s.size[g]
    s.member[g, at], s.place[t], s.home[t] = t, at, g
    s.size[g] += 1


@compiled
def _undo(pairs: Ints, row: Ints, s: _Gathered, log: Ints, many: int) -> None:
    for e in range(many - 1, -1, -1):
        _take(pairs, row, s, log[e, 0])
        _give(pairs, row, s, log[e, 0], log[e, 1])


@compiled
def _exchanged(
    pairs: Ints, row: Ints, near: NDArray[np.int32], s: _Gathered, k: int, i: int, limit: float
) -> float:
    """Move a tuple to a near group, or exchange it with one of that; 0 if that changes too much."""
    home = s.home[i]
    j = near[i, int(np.random.random() * np.random.random() * near.shape[1])]
    other = s.home[j]
    if other == home:
        return 0.0
    here, there = _way(pairs, row, s, i, home), _way(pairs, row, s, i, other)
    before = _cost(s, home) + _cost(s, other)
    if s.size[home] > k and s.size[other] < 2 * k - 1 and np.random.random() < 0.5:
        after = (s.sums[home] - here) / (s.size[home] - 1) + (s.sums[other] + there) / (s.size[other] + 1)
        if after - before < limit:
            _take(pairs, row, s, i)
            _give(pairs, row, s, i, other)
            return after - before
        return 0.0
    v, far = s.member[other, np.random.randint(s.size[other])], -1
    if np.random.random() < 0.5:
        for a in range(s.size[other]):
            u = s.member[other, a]
            if u != j and pairs[row[j], row[u]] > far:
                v, far = u, pairs[row[j], row[u]]
    both = pairs[row[i], row[v]]
    mine = (s.sums[home] - here + _way(pairs, row, s, v, home) - both) / s.size[home]
    its = (s.sums[other] - _way(pairs, row, s, v, other) + there - both) / s.size[other]
    change = mine + its - before
    if change >= limit:
        return 0.0
    _take(pairs, row, s, i)
    _take(pairs, row, s, v)
    _give(pairs, row, s, i, other)
    _give(pairs, row, s, v, home)
    return change


@compiled
def _dissolved(
    pairs: Ints, row: Ints, near: NDArray[np.int32], s: _Gathered, k: int, g: int, limit: float, log: Ints
) -> float:
    """Give the members of a group to near ones; what it changes, 0 if that is too much."""
    change, many = -_cost(s, g), 0
    while s.size[g]:
        t, best, least = s.member[g, np.random.randint(s.size[g])], -1, np.inf
        for z in range(near.shape[1]):
            other = s.home[near[t, z]]
            if other != g and s.size[other] < 2 * k - 1:
                more = (s.sums[other] + _way(pairs, row, s, t, other)) / (s.size[other] + 1) - _cost(s, other)
                if more < least:
                    best, least = other, more
        if best < 0:
            _undo(pairs, row, s, log, many)
            return 0.0
        change += least
        log[many, 0], log[many, 1] = t, g
        many += 1
        _take(pairs, row, s, t)
        _give(pairs, row, s, t, best)
    if change < limit:
        return change
    _undo(pairs, row, s, log, many)
    return 0.0


@compiled
def _begun(
    pairs: Ints,
    row: Ints,
    near: NDArray[np.int32],
    s: _Gathered,
    k: int,
    i: int,
    free: int,
    limit: float,
    log: Ints,
) -> float:
    """Begin a group around a tuple with what others can spare; what it changes, 0 if that is too much."""
    change, many = 0.0, 0
    for z in range(-1, near.shape[1]):
        t = i if z < 0 else near[i, z]
        g = s.home[t]
        if g == free or s.size[g] <= k:
            if z < 0:
                return 0.0
            continue
        before = _cost(s, g)
        log[many, 0], log[many, 1] = t, g
        many += 1
        _take(pairs, row, s, t)
        change += _cost(s, g) - before
        _give(pairs, row, s, t, free)
        if s.size[free] == k:
            break
    change += _cost(s, free)
    if s.size[free] == k and change < limit:
        return change
    _undo(pairs, row, s, log, many)
    return 0.0


@compiled
def _moved(
    pairs: Ints, row: Ints, near: NDArray[np.int32], s: _Gathered, k: int, moves: int, heat: float, seed: int,
    total: float, best: Floats, home: Ints,
) -> float:  # fmt: skip
    """Try moves at one temperature; the total after them."""
    np.random.seed(seed)
    log = np.empty((4 * k, 2), dtype=np.int64)
    for _ in range(moves):
        i = np.random.randint(len(row))
        limit = -heat * np.log1p(-np.random.random())
        kind = np.random.random()
        if kind < 0.94:
            change = _exchanged(pairs, row, near, s, k, i, limit)
        elif kind < 0.97:
            g = s.home[i]
            change = _dissolved(pairs, row, near, s, k, g, limit, log) if s.size[g] <= k + 1 else 0.0
        else:
            free = -1
            for g in range(len(s.size)):
                if s.size[g] == 0:
                    free = g
                    break
            change = 0.0 if free < 0 else _begun(pairs, row, near, s, k, i, free, limit, log)
        if change:
            total += change
            if total < best[0] * (1 - 1e-12):
                best[0] = total
                home[:] = s.home
    return total
