"""All groups of points with a profit, without a solver: they grow member by member, each in one way.

A group S of s has a profit above a floor only if

    sum of pairs of S:  (s - 1) scale cost(u, v) - s (dual(u) + dual(v)) + 2 (floor - scale)

and s (s - 1) times its penalties are below 0 (costs are rounded down: hence the last scale). Let T be S
without the member whose pairs sum up to most. That is no less than the mean member's, so the mean pair of T
is no more than that of S, and T has no more penalties: with t for s, T's sum is below 0, too. So every such
S is met if groups grow member by member while their sums are below 0; in one way only if each new member
has to be the one that would be taken out (of equal ones the last). Tuples at one point come in their order.

For k above `DEEPEST` sets of `FEW` tuples are tried, at F times their cost: if none costs less than its
duals, no group does (``F = (k - 1) m / (k (m - 1))`` for m = `FEW`; a group of s is covered by its sets of
m, each with weight ``1 / C(s - 1, m - 1)``, at (m - 1) s / (m (s - 1)) times its cost, which is at most 1 /
F).
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import compiled
from ...models.errors import CertificateError
from .duals import ClaimedDuals
from .given import Given
from .listing import Penalties
from .outcome import UndecidedError
from .point_rows import CheckedPoints
from .priced import refuted
from .rows import Ints

__all__ = ["DEEPEST", "LIMIT", "listed"]

DEEPEST, FEW = 6, 5
"""Of larger groups sets of so few are tried."""
MOST_GROUPS = 4_000_000
"""Groups that are listed, at most."""
MOST_TRIED = 40_000_000_000
"""Members that are tried, all in all."""
LIMIT = 1 << 62
"""No sum that is met may be larger."""
ROOM = 1_000_000
"""Of those with some first members."""
AT_ONCE = 16
"""First members between two looks at the clock."""


class _SizeQuestion(NamedTuple):
    """One size: places of points, and the place of the same point that comes before, or -1.

    `pairs` are of places; groups inside one `block` (-1 for none) are left out; `sure` is the penalty of cuts
    over all points, the same for all groups of the size.
    """

    pairs: Ints
    point: Ints
    before: Ints
    dual: Ints
    size: int
    scale: int
    floor: int
    penalties: Penalties
    sure: int
    block: Ints


class _WalkDesk(NamedTuple):
    """By number of members: each place's sum with them, theirs with one another, the next place to try.

    And what their pairs and penalties add up to.
    """

    sums: Ints
    degree: Ints
    at: Ints
    member: Ints
    total: Ints
    penalty: Ints
    touched: Ints
    tried: Ints


def listed(
    given: Given, points: CheckedPoints, duals: ClaimedDuals, k: int, floor: int, block: Ints | None = None
) -> NDArray[np.int32]:
    """All groups, in no block, with a profit above a floor, which is at most 0; see the module.

    Raises
    ------
    CertificateError
        If a group costs less than its duals.
    UndecidedError
        If there are too many groups, or time is over.
    """
    pairs, sizes = points.pairs, range(k, 2 * k)
    if k > DEEPEST:
        if duals.cuts or floor < 0:
            raise CertificateError("sets of a few tuples stand for large groups without cuts only")
        pairs, sizes = pairs * ((k - 1) * FEW) // (k * (FEW - 1)), range(FEW, FEW + 1)
    point = np.repeat(np.arange(len(points)), np.minimum(points.count, sizes[-1]))
    again = np.append(False, point[1:] == point[:-1])
    before = np.where(again, np.arange(len(point)) - 1, -1)
    if again.any():
        pairs = pairs[np.ix_(point, point)]
    found, tried = [np.empty((0, sizes[-1]), dtype=np.int32)], 0
    parts = np.full(len(point), -1, dtype=np.int64) if block is None else block[point]
    everywhere = [found for found in duals.cuts if len(found[0].rows) == len(points)]
    others = replace(duals, cuts=tuple(cut for cut in duals.cuts if cut not in everywhere))
    for size in sizes:
        sure = -sum(dual * (size // cut.over) for cut, dual in everywhere)
        asked = _SizeQuestion(
            pairs, point, before, duals.rows[point], size, duals.scale, floor, others.penalties(), sure, parts
        )
        if _largest(asked) > LIMIT:
            raise CertificateError("the proof's numbers are too large to be checked in 64 bits")
        memory = _memory(asked, len(duals.cuts))
        for at in range(0, len(point), AT_ONCE):
            if given.over() and at:
                raise UndecidedError("not all groups of points could be gone through in time")
            room = np.empty((ROOM, sizes[-1]), dtype=np.int32)
            firsts = np.arange(at, min(at + AT_ONCE, len(point)))
            number = _walked(asked, memory, firsts, room)
            if number < 0:
                raise refuted(room[0])
            found.append(_rising(room[:number]))
            tried += int(memory.tried[0])
            if sum(map(len, found)) > MOST_GROUPS or number == ROOM or tried > MOST_TRIED:
                raise UndecidedError("there are too many groups of points to be gone through again")
    return np.concatenate(found)


def _rising(groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """Members of each group in rising order, -1 last."""
    last = np.iinfo(np.int32).max
    ordered = np.sort(np.where(groups < 0, last, groups), axis=1)
    return np.where(ordered == last, -1, ordered).astype(np.int32)


def _largest(asked: _SizeQuestion) -> int:
    """No sum of a walk is further from 0."""
    size, many = asked.size, asked.size * (asked.size - 1)
    pair = (size - 1) * asked.scale * int(asked.pairs.max(initial=0))
    pair += 2 * size * int(np.abs(asked.dual).max(initial=0)) + 2 * (abs(asked.floor) + asked.scale)
    return many * (pair + asked.sure - size * sum(asked.penalties.dual.tolist()))


def _memory(asked: _SizeQuestion, cuts: int) -> _WalkDesk:
    places, deep = len(asked.point), asked.size + 1

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return _WalkDesk(
        zeros(deep, places),
        zeros(deep, deep),
        zeros(deep),
        zeros(deep),
        zeros(deep),
        zeros(deep),
        zeros(cuts),
        zeros(1),
    )


@compiled
def _met(q: _SizeQuestion, m: _WalkDesk, place: int, step: int) -> int:
    """Count a place in the cuts, or take it out again; how much more the penalties are with it."""
    more, p = 0, q.point[place]
    for e in range(q.penalties.start[p], q.penalties.start[p + 1]):
        c = q.penalties.cut[e]
        before = m.touched[c] // q.penalties.over[c]
        m.touched[c] += step * q.penalties.times[e]
        more -= q.penalties.dual[c] * (m.touched[c] // q.penalties.over[c] - before)
    return more


@compiled
def _entered(q: _SizeQuestion, m: _WalkDesk, size: int, place: int) -> None:
    """A place is member number `size`, counted from 1: add its pairs to the sums."""
    times, own = (q.size - 1) * q.scale, 2 * (q.floor - q.scale) - q.size * q.dual[place]
    line, above, sums = q.pairs[place], m.sums[size - 1], m.sums[size]
    for v in range(len(q.point)):
        sums[v] = above[v] + times * line[v] - q.size * q.dual[v] + own
    m.at[size] = 0
    m.tried[0] += len(q.point)


@compiled
def _last(q: _SizeQuestion, m: _WalkDesk, size: int, v: int) -> bool:
    """Whether of a group with one more place that is the one to be taken out; writes down their sums."""
    mine, in_order = m.sums[size, v], q.before[v] < 0
    for a in range(size):
        u = m.member[a]
        if u == v:
            return False
        in_order = in_order or u == q.before[v]
        sums = m.degree[size, a] + (q.size - 1) * q.scale * q.pairs[v, u]
        sums += 2 * (q.floor - q.scale) - q.size * (q.dual[u] + q.dual[v])
        if sums > mine or (sums == mine and u > v):
            return False
        m.degree[size + 1, a] = sums
    m.degree[size + 1, size] = mine
    return in_order


@compiled
def _profit(q: _SizeQuestion, m: _WalkDesk) -> int:
    dual, cost = 0, 0
    for a in range(q.size):
        dual += q.dual[m.member[a]]
        for b in range(a):
            cost += q.pairs[m.member[a], m.member[b]]
    return dual - m.penalty[q.size] - q.scale * (cost // q.size)


@compiled
def _enclosed(q: _SizeQuestion, m: _WalkDesk) -> bool:
    """Whether a group lies in a block."""
    own = q.block[m.member[0]]
    enclosed = own >= 0
    for a in range(1, q.size):
        enclosed = enclosed and q.block[m.member[a]] == own
    return enclosed


@compiled
def _walked(q: _SizeQuestion, m: _WalkDesk, firsts: Ints, room: NDArray[np.int32]) -> int:
    """Write down the groups that grow from some places; -1 if one pays, which is first in `room` then."""
    number = 0
    m.tried[0] = 0
    for i in firsts:
        if q.before[i] >= 0:
            continue
        m.member[0] = i
        m.penalty[1] = q.sure + _met(q, m, i, 1)
        _entered(q, m, 1, i)
        size = 1
        while size >= 1:
            v = m.at[size]
            limit = -m.total[size] - (size + 1) * size * m.penalty[size]
            while v < len(q.point) and (m.sums[size, v] >= limit or not _last(q, m, size, v)):
                v += 1
            m.at[size] = v + 1
            if v == len(q.point):
                size -= 1
                _met(q, m, m.member[size], -1)
                continue
            m.member[size] = v
            m.total[size + 1] = m.total[size] + m.sums[size, v]
            m.penalty[size + 1] = m.penalty[size] + _met(q, m, v, 1)
            if m.total[size + 1] + (size + 1) * size * m.penalty[size + 1] >= 0:
                _met(q, m, v, -1)
                continue
            if size + 1 < q.size:
                size += 1
                _entered(q, m, size, v)
                continue
            _met(q, m, v, -1)
            profit = _profit(q, m)
            if profit > q.floor and not _enclosed(q, m):
                at = 0 if profit > 0 else number
                for a in range(room.shape[1]):
                    room[at, a] = q.point[m.member[a]] if a < q.size else -1
                if profit > 0:
                    return -1
                number += 1
                if number == len(room):
                    return number
    return number
