"""Moves of one person, all of them looked at: changes of places, and moves to another group.

A move is refused here if it costs too much, leaves a value too large a share of a group, or leaves too many
people fewer values by set intersection than are needed: that takes nanoseconds. Who is left can still be
inferred from several releases together; see `judge`.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .....models.compiled import borrowing, compiled
from ....baselines.widths import LARGEST, Ints, beside, hull_without
from .arrays import Board, NewGroups, PublishedPast, later_cost, short

__all__ = ["MovesFound", "Rule", "later", "linked", "linked_to", "scan"]


class Rule(NamedTuple):
    """What is asked of groups.

    Attributes
    ----------
    needed : int
        Values that everybody keeps.
    part, whole : int
        No value is more than ``part / whole`` of a group.
    least : int
        Tuples of a group.
    price : int
        Of a person who has fewer values.
    """

    needed: int
    part: int
    whole: int
    least: int
    price: int


class MovesFound(NamedTuple):
    """What a scan fills in, and what it asks of those before.

    Attributes
    ----------
    lines : int64 array
        Of each move: partner or -1, group, cost, place of the near row, people short of values in both.
    tried : int64 array
        The last person who was moved to each group.
    refused, closed : int64 arrays
        The move before which one was refused that is still the same: a change with a near row, and a move to
        its group.
    """

    lines: Ints
    tried: Ints
    refused: Ints
    closed: Ints


@borrowing
def _changed(past: PublishedPast, groups: NewGroups, rule: Rule, g: int, out: int, into: int) -> int:
    """People short of values in a group after one left (or nobody: -1) and one came; -1 if it is refused."""
    size = groups.size[g] - (out >= 0) + (into >= 0)
    if size < rule.least or size > groups.member.shape[1]:
        return -1
    mask = np.int64(0)
    for v in range(groups.counts.shape[1]):
        count = groups.counts[g, v]
        count -= out >= 0 and past.value[out] == v
        count += into >= 0 and past.value[into] == v
        if count > 0:
            mask |= np.int64(1) << v
            if count * rule.whole > rule.part * size:
                return -1
    found = 0 if into < 0 else short(past, into, mask, rule.needed)
    if mask == groups.mask[g]:
        own = 0 if out < 0 else short(past, out, mask, rule.needed)
        return found + groups.short[g] - own
    for i in range(groups.size[g]):
        p = groups.member[g, i]
        if p != out:
            found += short(past, p, mask, rule.needed)
    return found


@borrowing
def later(past: PublishedPast, groups: NewGroups, g: int, out: int, out2: int, into: int, into2: int) -> int:
    """What a group will probably cost in later releases after some left and some came (-1: nobody)."""
    found, mask = np.int64(0), np.int64(0)
    if len(past.later.cost) == 0:
        return found
    for v in range(groups.counts.shape[1]):
        count = groups.counts[g, v]
        for p in (out, out2):
            count -= p >= 0 and past.value[p] == v
        for p in (into, into2):
            count += p >= 0 and past.value[p] == v
        if count > 0:
            mask |= np.int64(1) << v
    for p in (into, into2):
        if p >= 0:
            found += later_cost(past, p, mask)
    for i in range(groups.size[g]):
        p = groups.member[g, i]
        if p not in (out, out2):
            found += later_cost(past, p, mask)
    return found


@borrowing
def _noted(found: Ints, count: int, q: int, b: int, cost: int, z: int, less: int) -> int:
    """Write a line; how many there are now."""
    found[count, 0], found[count, 1], found[count, 2], found[count, 3], found[count, 4] = q, b, cost, z, less
    return count + 1


@compiled
def scan(board: Board, rule: Rule, p: int, bar: int, moves: MovesFound) -> int:
    """Moves of a person that cost under `bar` more; how many lines they fill."""
    past, groups, codes, sides, near = board
    found, tried, refused, closed = moves
    width, far, count = codes.shape[1], np.int64(LARGEST), 0
    lo, hi = np.empty(width, dtype=np.int64), np.empty(width, dtype=np.int64)
    low, high = np.empty(width, dtype=np.int64), np.empty(width, dtype=np.int64)
    a = groups.of[p]
    size, before = groups.size[a], groups.cost[a]
    hull_without(codes, groups.member, groups.size, a, p, -1, lo, hi)
    rest = np.int64(0) if size < 2 else (size - 1) * beside(sides, lo, hi, lo, far)
    tried[:] = -1
    for z in range(near.shape[1]):
        q = near[p, z]
        b = groups.of[q]
        if b < 0 or b == a or count == len(found):
            continue
        since = max(groups.since[a], groups.since[b])
        there = groups.cost[b]
        mine = size * beside(sides, lo, hi, codes[q], far) if size > 1 else np.int64(0)
        if mine - before - there < bar and refused[p, z] < since:
            hull_without(codes, groups.member, groups.size, b, q, -1, low, high)
            other = (
                groups.size[b] * beside(sides, low, high, codes[p], far)
                if groups.size[b] > 1
                else np.int64(0)
            )
            cost = mine - before + other - there
            if cost < bar:
                cost += later(past, groups, a, p, -1, q, -1) + later(past, groups, b, q, -1, p, -1)
            less = _less(past, groups, rule, a, b, p, q, bar - cost) if cost < bar else -1
            if less >= 0:
                count = _noted(found, count, q, b, cost, z, less)
        if tried[b] == p or count == len(found):
            continue
        tried[b] = p
        if closed[p, z] >= since:
            continue
        hull_without(codes, groups.member, groups.size, b, -1, -1, low, high)
        cost = rest - before + (groups.size[b] + 1) * beside(sides, low, high, codes[p], far) - there
        if cost < bar:
            cost += later(past, groups, a, p, -1, -1, -1) + later(past, groups, b, -1, -1, p, -1)
        less = _less(past, groups, rule, a, b, p, -1, bar - cost) if cost < bar else -1
        if less >= 0:
            count = _noted(found, count, -1, b, cost, z, less)
    return count


@borrowing
def _less(
    past: PublishedPast, groups: NewGroups, rule: Rule, a: int, b: int, p: int, q: int, room: int
) -> int:
    """People short of values in group a, without p and with q (or nobody: -1), and b, the other way round.

    -1 if they may not stand so; `room` is what these people may cost, apart from those who are it in b.
    """
    one = 0 if q < 0 and groups.size[a] == 1 else _changed(past, groups, rule, a, p, q)
    if one < 0:
        return -1
    two = _changed(past, groups, rule, b, q, p)
    return one + two if two >= 0 and (one + two - groups.short[b]) * rule.price < room else -1


@borrowing
def linked(
    past: PublishedPast, groups: NewGroups, p: int, mark: int, met: Ints, old: Ints, new: Ints, people: Ints
) -> int:
    """Everybody whom groups of all releases link to a person, by fewest links; how many.

    `mark` is set on all that was met.
    """
    people[0], met[p], head, count = p, mark, 0, 1
    while head < count:
        q = people[head]
        head += 1
        for r in range(past.place.shape[1]):
            g = past.place[q, r]
            if g >= 0 and old[g] != mark:
                old[g] = mark
                for z in range(past.start[g], past.start[g + 1]):
                    if met[past.member[z]] != mark:
                        met[past.member[z]] = mark
                        people[count] = past.member[z]
                        count += 1
        g = groups.of[q]
        if g >= 0 and new[g] != mark:
            new[g] = mark
            for i in range(groups.size[g]):
                if met[groups.member[g, i]] != mark:
                    met[groups.member[g, i]] = mark
                    people[count] = groups.member[g, i]
                    count += 1
    return count


@compiled
def linked_to(past: PublishedPast, groups: NewGroups, p: int) -> Ints:
    """Everybody whom groups of all releases link to a person, by fewest links."""
    met, people = np.zeros(len(past.value), dtype=np.int64), np.empty(len(past.value), dtype=np.int64)
    old, new = np.zeros(len(past.fakes), dtype=np.int64), np.zeros(len(groups.size), dtype=np.int64)
    return people[: linked(past, groups, p, 1, met, old, new, people)].copy()
