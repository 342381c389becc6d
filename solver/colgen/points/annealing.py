"""Simulated annealing over groups of points: tuples move, change places, groups are dissolved and begun.

A group keeps the sum of its pairs' costs, so a move is judged by a few sums of pairs. Moves look at near rows
only. It starts from any release and remembers the best one it met. Where only sizes matter groups have k to
2k - 1 tuples; otherwise they are as large as they have to be, and a move is made if the groups after it are
admissible, as far as is known (`structure.marked`).
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ....models.copying import copy_row
from ...settings import Clock
from ..column import Group
from ..covering import Ints
from ..kernels.groups import Marked, Marks, fits, mark_after, stands
from ..structure.histograms import Judge
from ..structure.marked import Closeness, MarkedVerdicts
from .limits import POINTS as LIMITS
from .table import PointRows

__all__ = ["annealed"]

Floats = NDArray[np.float64]

NOTHING = Marked(
    term=np.zeros((0, 0), dtype=np.uint64),
    key=np.zeros(1, dtype=np.uint64),
    good=np.zeros(1, dtype=np.int8),
    asked=np.zeros((0, 0), dtype=np.int64),
    number=np.zeros(1, dtype=np.int64),
    close=np.zeros((2, 0), dtype=np.int64),
    within=np.zeros(0, dtype=np.int64),
)
"""Where only sizes matter nothing is looked up."""


class _Tuples(NamedTuple):
    """The row of each tuple, the value of each row where values matter, and what groups may be.

    `near` holds the nearest other tuples of each, nearest first.
    """

    row: Ints
    value: Ints
    near: NDArray[np.int32]
    least: int
    most: int


class _Gathered(NamedTuple):
    """Groups by number; `sums` holds the costs of their pairs, `home` and `place` where each tuple is.

    `mark` and `held` are as `kernels.groups` says, where values matter.
    """

    member: Ints
    size: Ints
    sums: Floats
    home: Ints
    place: Ints
    mark: Marks
    held: Ints


def annealed(
    rows: PointRows,
    groups: Sequence[Group],
    k: int,
    *,
    moves: int,
    seed: int,
    clock: Clock,
    warm: float = 1.0,
    judge: Judge | None = None,
) -> Iterator[tuple[Group, ...]]:
    """Groups of releases, the best so far after each part of the moves.

    Parameters
    ----------
    groups
        Of k to 2k - 1 tuples; with a judge admissible ones, of any number from k on.
    moves
        That are tried, in parts; the temperature falls from part to part.
    clock
        Looked at between the parts: where they take longer than planned, the temperature falls with it.
    warm
        The first temperature, in parts of the usual one (above 0): little changes a good release little.
    judge : Judge, optional
        Of groups, where more than their sizes matters; rows are single tuples then.
    """
    row = np.repeat(np.arange(len(rows)), rows.count)
    most = 2 * k - 1 if judge is None else max(2 * k, max(map(len, groups)) + k)
    verdicts = None if judge is None else MarkedVerdicts(judge, Closeness.of(judge, len(row)), most, seed)
    known = NOTHING if verdicts is None else verdicts.marked
    many = min(len(row) - 1, max(LIMITS.least_near, 3 * k))
    value = np.zeros_like(rows.value) if judge is None or judge.blind else rows.value
    tuples = _Tuples(row, value, _near(rows.pairs, row, many), k, most)
    state = _started(rows, tuples, groups, known)
    if verdicts is not None:
        verdicts.admit(state.mark[: len(groups)])
    total = float((state.sums / np.maximum(1, state.size)).sum())
    best, home = np.array([total]), state.home.copy()
    hot, cold = (total / len(row) * part for part in (LIMITS.hot * warm, LIMITS.cold))
    for part in range(LIMITS.parts):
        if clock.over:
            return
        late = clock.seconds / clock.limit if clock.limit else 0.0
        heat = hot * (cold / hot) ** max(part / (LIMITS.parts - 1), late)
        for some, asked in enumerate(_asked(moves // LIMITS.parts, judge)):
            known = NOTHING if verdicts is None else verdicts.marked
            own = seed + part + LIMITS.parts * some
            total = _moved(rows.pairs, tuples, state, known, asked, heat, own, total, best, home)
            if verdicts is not None:
                verdicts.learn()
        yield _groups(row, home)


def _asked(moves: int, judge: Judge | None) -> Iterator[int]:
    """Moves in a row: groups that are not known to be admissible wait until they are judged after them."""
    while moves > 0:
        some = moves if judge is None else min(moves, LIMITS.judged_moves)
        yield some
        moves -= some


def _started(rows: PointRows, tuples: _Tuples, groups: Sequence[Group], v: Marked) -> _Gathered:
    left: list[list[int]] = [[] for _ in range(len(rows))]
    for place, r in enumerate(tuples.row.tolist()):
        left[r].append(place)
    home = np.empty(len(tuples.row), dtype=np.int64)
    for g, group in enumerate(groups):
        home[[left[r].pop() for r in group]] = g
    many, counted = len(tuples.row) // tuples.least + 1, len(v.term) if len(v.within) else 0
    state = _Gathered(
        np.zeros((many, tuples.most + 1), dtype=np.int64),
        np.zeros(many, dtype=np.int64),
        np.zeros(many),
        np.zeros(len(tuples.row), dtype=np.int64),
        np.zeros(len(tuples.row), dtype=np.int64),
        np.zeros(many, dtype=np.uint64),
        np.zeros((many, counted), dtype=np.int64),
    )
    _settle(rows.pairs, tuples, state, v, home)
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


@borrowing
def _way(pairs: Ints, row: Ints, s: _Gathered, t: int, g: int) -> float:
    """Sum of a tuple's pairs with a group."""
    total = 0.0
    for a in range(s.size[g]):
        total += pairs[row[t], row[s.member[g, a]]]
    return total


@borrowing
def _cost(s: _Gathered, g: int) -> float:
    return s.sums[g] / s.size[g] if s.size[g] else 0.0


@borrowing
def _allowed(tuples: _Tuples, s: _Gathered, v: Marked, g: int, out: int, into: int) -> bool:
    """Whether a group is admissible without one tuple, with another (-1: none), as far as is known."""
    return len(v.term) == 0 or fits(tuples, s, v, g, out, into)


@borrowing
def _remark(tuples: _Tuples, s: _Gathered, v: Marked, g: int, out: int, into: int) -> None:
    """Keep the mark of a group, before one tuple leaves or another comes."""
    if len(v.term):
        s.mark[g] = mark_after(tuples.value, tuples.row, s.member, s.size, s.mark, v.term, g, out, into)
        if len(v.within):
            t = max(out, into)
            s.held[g, tuples.value[tuples.row[t]]] += 1 if into >= 0 else -1


@borrowing
def _take(pairs: Ints, tuples: _Tuples, s: _Gathered, v: Marked, t: int) -> None:
    g, at = s.home[t], s.place[t]
    _remark(tuples, s, v, g, t, -1)
    s.sums[g] -= _way(pairs, tuples.row, s, t, g)
    last = s.member[g, s.size[g] - 1]
    s.member[g, at], s.place[last] = last, at
    s.size[g] -= 1


@borrowing
def _give(pairs: Ints, tuples: _Tuples, s: _Gathered, v: Marked, t: int, g: int) -> None:
    _remark(tuples, s, v, g, -1, t)
    s.sums[g] += _way(pairs, tuples.row, s, t, g)
    at = s.size[g]
    s.member[g, at], s.place[t], s.home[t] = t, at, g
    s.size[g] += 1


@borrowing
def _settle(pairs: Ints, tuples: _Tuples, s: _Gathered, v: Marked, home: Ints) -> None:
    for t in range(len(home)):
        _give(pairs, tuples, s, v, t, home[t])


@borrowing
def _undo(pairs: Ints, tuples: _Tuples, s: _Gathered, v: Marked, log: Ints, many: int) -> None:
    for e in range(many - 1, -1, -1):
        _take(pairs, tuples, s, v, log[e, 0])
        _give(pairs, tuples, s, v, log[e, 0], log[e, 1])


@borrowing
def _exchanged(pairs: Ints, tuples: _Tuples, s: _Gathered, v: Marked, i: int, limit: float) -> float:
    """Move a tuple to a near group, or exchange it with one of that; 0 if that changes too much."""
    row, near = tuples.row, tuples.near
    home = s.home[i]
    j = near[i, int(np.random.random() * np.random.random() * near.shape[1])]
    other = s.home[j]
    if other == home:
        return 0.0
    here, there = _way(pairs, row, s, i, home), _way(pairs, row, s, i, other)
    before = _cost(s, home) + _cost(s, other)
    if s.size[home] > tuples.least and s.size[other] < tuples.most and np.random.random() < 0.5:
        after = (s.sums[home] - here) / (s.size[home] - 1) + (s.sums[other] + there) / (s.size[other] + 1)
        if (
            after - before < limit
            and _allowed(tuples, s, v, home, i, -1)
            and _allowed(tuples, s, v, other, -1, i)
        ):
            _take(pairs, tuples, s, v, i)
            _give(pairs, tuples, s, v, i, other)
            return after - before
        return 0.0
    u, far = s.member[other, np.random.randint(s.size[other])], -1
    if np.random.random() < 0.5:
        for a in range(s.size[other]):
            w = s.member[other, a]
            if w != j and pairs[row[j], row[w]] > far:
                u, far = w, pairs[row[j], row[w]]
    both = pairs[row[i], row[u]]
    mine = (s.sums[home] - here + _way(pairs, row, s, u, home) - both) / s.size[home]
    its = (s.sums[other] - _way(pairs, row, s, u, other) + there - both) / s.size[other]
    change = mine + its - before
    if change >= limit:
        return 0.0
    if not (_allowed(tuples, s, v, home, i, u) and _allowed(tuples, s, v, other, u, i)):
        return 0.0
    _take(pairs, tuples, s, v, i)
    _take(pairs, tuples, s, v, u)
    _give(pairs, tuples, s, v, i, other)
    _give(pairs, tuples, s, v, u, home)
    return change


@borrowing
def _dissolved(
    pairs: Ints, tuples: _Tuples, s: _Gathered, v: Marked, g: int, limit: float, log: Ints
) -> float:
    """Give the members of a group to near ones; what it changes, 0 if that is too much."""
    row, near = tuples.row, tuples.near
    change, many = -_cost(s, g), 0
    while s.size[g]:
        t, best, least = s.member[g, np.random.randint(s.size[g])], -1, np.inf
        for z in range(near.shape[1]):
            other = s.home[near[t, z]]
            if other != g and s.size[other] < tuples.most:
                more = (s.sums[other] + _way(pairs, row, s, t, other)) / (s.size[other] + 1) - _cost(s, other)
                if more < least and _allowed(tuples, s, v, other, -1, t):
                    best, least = other, more
        if best < 0:
            _undo(pairs, tuples, s, v, log, many)
            return 0.0
        change += least
        log[many, 0], log[many, 1] = t, g
        many += 1
        _take(pairs, tuples, s, v, t)
        _give(pairs, tuples, s, v, t, best)
    if change < limit:
        return change
    _undo(pairs, tuples, s, v, log, many)
    return 0.0


@borrowing
def _begun(
    pairs: Ints, tuples: _Tuples, s: _Gathered, v: Marked, i: int, free: int, limit: float, log: Ints
) -> float:
    """Begin a group around a tuple with what others can spare; what it changes, 0 if that is too much."""
    near, k = tuples.near, tuples.least
    change, many, done = 0.0, 0, False
    for z in range(-1, near.shape[1]):
        t = i if z < 0 else near[i, z]
        g = s.home[t]
        if g == free or s.size[g] <= k or not _allowed(tuples, s, v, g, t, -1):
            if z < 0:
                return 0.0
            continue
        before = _cost(s, g)
        log[many, 0], log[many, 1] = t, g
        many += 1
        _take(pairs, tuples, s, v, t)
        change += _cost(s, g) - before
        _give(pairs, tuples, s, v, t, free)
        done = s.size[free] >= k and (len(v.term) == 0 or stands(tuples, s, v, free))
        if done or s.size[free] == tuples.most:
            break
    change += _cost(s, free)
    if done and change < limit:
        return change
    _undo(pairs, tuples, s, v, log, many)
    return 0.0


@compiled
def _moved(
    pairs: Ints, tuples: _Tuples, s: _Gathered, v: Marked, moves: int, heat: float, seed: int, total: float,
    best: Floats, home: Ints,
) -> float:  # fmt: skip
    """Try moves at one temperature; the total after them."""
    np.random.seed(seed)
    log = np.empty((2 * len(s.member[0]), 2), dtype=np.int64)
    for _ in range(moves):
        i = np.random.randint(len(tuples.row))
        limit = -heat * np.log1p(-np.random.random())
        kind = np.random.random()
        if kind < 0.94:
            change = _exchanged(pairs, tuples, s, v, i, limit)
        elif kind < 0.97:
            g = s.home[i]
            few = s.size[g] <= tuples.least + 1 or len(v.term) > 0
            change = _dissolved(pairs, tuples, s, v, g, limit, log) if few else 0.0
        else:
            free = -1
            for g in range(len(s.size)):
                if s.size[g] == 0:
                    free = g
                    break
            change = 0.0 if free < 0 else _begun(pairs, tuples, s, v, i, free, limit, log)
        if change:
            total += change
            if total < best[0] * (1 - 1e-12):
                best[0] = total
                copy_row(s.home, home)
    return total
