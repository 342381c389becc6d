"""All groups of points with a profit, without a solver: they grow member by member, each in one way.

A group S of s has a profit above a floor only if

    sum of pairs of S:  (s - 1) scale cost(u, v) - s (dual(u) + dual(v)) + 2 (floor - scale)

and s (s - 1) times its penalties are below 0 (costs are rounded down: hence the last scale). Let T be S
without the member whose pairs sum up to most. That is no less than the mean member's, so the mean pair of T
is no more than that of S, and T has no more penalties: with t for s, T's sum is below 0, too. So every such
S is met if groups grow member by member while their sums are below 0; in one way only if each new member
has to be the one that would be taken out (of equal ones the last). Tuples at one point come in their order.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import borrowing
from .listing_state import Penalties
from .rows import Ints

__all__ = ["SizeQuestion", "WalkDesk", "largest", "walk_memory", "walked"]


class SizeQuestion(NamedTuple):
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


class WalkDesk(NamedTuple):
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


def largest(asked: SizeQuestion) -> int:
    """No sum of a walk is further from 0."""
    size, many = asked.size, asked.size * (asked.size - 1)
    pair = (size - 1) * asked.scale * int(asked.pairs.max(initial=0))
    pair += 2 * size * int(np.abs(asked.dual).max(initial=0)) + 2 * (abs(asked.floor) + asked.scale)
    return many * (pair + asked.sure - size * sum(asked.penalties.dual.tolist()))


def walk_memory(asked: SizeQuestion, cuts: int) -> WalkDesk:
    """Working memory, for so many cuts."""
    places, deep = len(asked.point), asked.size + 1

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return WalkDesk(
        zeros(deep, places),
        zeros(deep, deep),
        zeros(deep),
        zeros(deep),
        zeros(deep),
        zeros(deep),
        zeros(cuts),
        zeros(1),
    )


@borrowing
def _met(q: SizeQuestion, m: WalkDesk, place: int, step: int) -> int:
    """Count a place in the cuts, or take it out again; how much more the penalties are with it."""
    more, p = 0, q.point[place]
    for e in range(q.penalties.start[p], q.penalties.start[p + 1]):
        c = q.penalties.cut[e]
        before = m.touched[c] // q.penalties.over[c]
        m.touched[c] += step * q.penalties.times[e]
        more -= q.penalties.dual[c] * (m.touched[c] // q.penalties.over[c] - before)
    return more


@borrowing
def _entered(q: SizeQuestion, m: WalkDesk, size: int, place: int) -> None:
    """A place is member number `size`, counted from 1: add its pairs to the sums."""
    times, own = (q.size - 1) * q.scale, 2 * (q.floor - q.scale) - q.size * q.dual[place]
    line, above, sums = q.pairs[place], m.sums[size - 1], m.sums[size]
    for v in range(len(q.point)):
        sums[v] = above[v] + times * line[v] - q.size * q.dual[v] + own
    m.at[size] = 0
    m.tried[0] += len(q.point)


@borrowing
def _last(q: SizeQuestion, m: WalkDesk, size: int, v: int) -> bool:
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


@borrowing
def _profit(q: SizeQuestion, m: WalkDesk) -> int:
    dual, cost = 0, 0
    for a in range(q.size):
        dual += q.dual[m.member[a]]
        for b in range(a):
            cost += q.pairs[m.member[a], m.member[b]]
    return dual - m.penalty[q.size] - q.scale * (cost // q.size)


@borrowing
def _enclosed(q: SizeQuestion, m: WalkDesk) -> bool:
    """Whether a group lies in a block."""
    own = q.block[m.member[0]]
    enclosed = own >= 0
    for a in range(1, q.size):
        enclosed = enclosed and q.block[m.member[a]] == own
    return enclosed


@borrowing
def walked(q: SizeQuestion, m: WalkDesk, firsts: Ints, room: NDArray[np.int32]) -> int:
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
