"""Whether one more cut leaves a difference that is not (k, c), compiled; before it all were.

The minimum cuts of `models.adversary.overlap`, asked for one answer only: yes, they are all (k, c). Sides are
*outer* and *inner* groups; cells are the pairs with common people. A new difference has exactly one half of
the cut group: a closed set with both, or with neither, was one before. So only pushes from a half, as an
outer group, or from an outer group that it shares people with, as an inner one, can find fewer than k people;
and where no half can be inner nothing is new. If nothing at all gets away from there, the closed set shares
people with no other group, and harms only somebody within: each of its people is asked for.

All this is exact if the groups of both releases are (k, c) themselves: the closed set that a push shows then
has an inner group, since outer ones alone are neither small nor uneven. Else the checker looks after a no.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...models.compiled import borrowing, compiled
from .growing_arrays import Beside, Ints, Old, Parts

__all__ = ["surely_even"]


class _Cells(NamedTuple):
    """Pairs of an outer and a usable inner group with people in common.

    Attributes
    ----------
    outer, inner : int64 array
    at : int64 array
        Where the rows of each cell begin in `rows`, which end with the rest of none.
    rows : int64 array
        Values of the people, cell by cell.
    outer_at, inner_at, by_inner : int64 array
        Cells of each outer group (they are in that order), and of each inner one.
    """

    outer: Ints
    inner: Ints
    at: Ints
    rows: Ints
    outer_at: Ints
    inner_at: Ints
    by_inner: Ints


class _Residual(NamedTuple):
    """Residual flow: what a cell lets pass inward and what may leave at a node, with their turns."""

    room: Ints
    room_turn: Ints
    drain: Ints
    drain_turn: Ints
    seen: Ints
    parent: Ints
    by: Ints
    queue: Ints
    weights: Ints
    """Of a tuple with another value, and what is taken off for one with the value; k, or 0."""


@compiled
def surely_even(
    old: Old, parts: Parts, joined: Beside, halves: tuple[int, int], k: int, over: int, under: int, fair: bool
) -> bool:
    """Whether all differences with exactly one of two halves are seen to be (k, c), c being over / under.

    Exact if the groups are `fair`: (k, c) themselves.
    """
    part, new = halves
    groups, older, values = new + 1, joined.meets.shape[1], len(joined.room)
    fresh = np.zeros((groups, values), dtype=np.int64)
    for v in range(values):
        for f in range(groups):
            fresh[f, v] = joined.room[v, f] - joined.filled[v, f]
    news = fresh.sum(axis=1)
    everybody = np.ones(older, dtype=np.bool_)
    cells = _cells(old.value, parts.start, parts.size, parts.order, old.home, everybody, older, groups)
    starts = np.array([part, new])
    if not _even(cells, fresh, starts, k, over, under, fair):
        return False
    usable = news == 0
    if not (usable[part] or usable[new]):
        return True
    beyond = np.ascontiguousarray(old.supply.T)
    sizes = old.member_at[1:] - old.member_at[:-1]
    cells = _cells(old.value, old.member_at[:-1], sizes, old.member, parts.now, usable, groups, older)
    for i in range(len(cells.outer)):
        for j in range(cells.at[i], cells.at[i + 1]):
            beyond[cells.outer[i], cells.rows[j]] -= 1
    starts = np.empty(2, dtype=np.int64)
    count = 0
    for half in (part, new):
        if usable[half]:
            starts[count] = old.home[parts.order[parts.start[half]]]
            count += 1
    return _even(cells, beyond, starts[:count], k, over, under, fair)


@compiled
def _cells(
    value: Ints,
    start: Ints,
    size: Ints,
    order: Ints,
    home: Ints,
    usable: Ints,
    inner_count: int,
    outer_count: int,
) -> _Cells:
    """Cells of segments of rows with the homes of these rows; homes below 0 and unusable ones have none."""
    slot, last = np.zeros(inner_count, dtype=np.int64), np.full(inner_count, -1, dtype=np.int64)
    counts = np.zeros(len(home), dtype=np.int64)
    outer, inner = counts.copy(), counts.copy()
    outer_at = np.zeros(outer_count + 1, dtype=np.int64)
    found, people = 0, 0
    for f in range(outer_count):
        for i in range(start[f], start[f] + size[f]):
            e = home[order[i]]
            if e < 0 or not usable[e]:
                continue
            if last[e] != f:
                last[e], slot[e] = f, found
                outer[found], inner[found] = f, e
                found += 1
            counts[slot[e]] += 1
            people += 1
        outer_at[f + 1] = found
    at = np.zeros(found + 1, dtype=np.int64)
    inner_at = np.zeros(inner_count + 1, dtype=np.int64)
    for i in range(found):
        at[i + 1] = at[i] + counts[i]
        inner_at[inner[i] + 1] += 1
    inner_at = np.cumsum(inner_at)
    free, place = inner_at.copy(), at.copy()
    by_inner, rows = np.empty(found, dtype=np.int64), np.empty(people, dtype=np.int64)
    for i in range(found):
        by_inner[free[inner[i]]] = i
        free[inner[i]] += 1
    last[:] = -1
    for f in range(outer_count):
        for i in range(outer_at[f], outer_at[f + 1]):
            slot[inner[i]] = i
        for i in range(start[f], start[f] + size[f]):
            e = home[order[i]]
            if e >= 0 and usable[e]:
                rows[place[slot[e]]] = value[order[i]]
                place[slot[e]] += 1
    return _Cells(outer[:found], inner[:found], at, rows, outer_at, inner_at, by_inner)


@compiled
def _even(cells: _Cells, rest: Ints, starts: Ints, k: int, over: int, under: int, fair: bool) -> bool:
    """Whether pushes see no small difference from some outer groups, and no uneven one at all."""
    outer_count, values = rest.shape
    nodes, width = outer_count + len(cells.inner_at) - 1, len(cells.outer)
    flow = _Residual(
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(nodes, dtype=np.int64),
        np.zeros(nodes, dtype=np.int64),
        np.zeros(nodes, dtype=np.int64),
        np.zeros(nodes, dtype=np.int64),
        np.zeros(nodes, dtype=np.int64),
        np.empty(nodes, dtype=np.int64),
        np.array([1, 0]),
    )
    size = rest.sum(axis=1)
    turn, step = 0, 0
    for start in starts:
        turn += 1
        left, step = _push(cells, flow, size, start, k, 0, turn, step)
        if left > 0 and (left < k or not fair):
            return False
        if left > 0:
            few, turn, step = _few_within(cells, flow, size, k, turn, step)
            if few:
                return False
    flow.weights[0], flow.weights[1] = over, under
    base = np.empty((values, outer_count), dtype=np.int64)
    for f in range(outer_count):
        for v in range(values):
            base[v, f] = over * size[f] - under * rest[f, v]
    for i in range(width):
        first, last = cells.at[i], cells.at[i + 1]
        for j in range(min(values, last - first)):
            v = j if values < last - first else cells.rows[first + j]
            if values < last - first or _first(cells, i, first + j):
                base[v, cells.outer[i]] += min(0, _weight(cells, flow, i, v))
    for v in range(values):
        turn += 1
        for f in range(outer_count):
            if base[v, f] < 0:
                left, step = _push(cells, flow, base[v], f, -base[v, f], v, turn, step)
                if left > 0:
                    return False
    return True


@compiled
def _few_within(
    cells: _Cells, flow: _Residual, size: Ints, k: int, turn: int, step: int
) -> tuple[bool, int, int]:
    """Whether some of the people among what the last search reached are in a difference of fewer than k.

    Returns the numbers of turns and searches, too.
    """
    reached = np.flatnonzero(flow.seen[: len(size)] == step)
    for f in reached:
        for i in range(cells.outer_at[f], cells.outer_at[f + 1]):
            turn += 1
            out = len(size) + cells.inner[i]  # left out of the closed set: anything may leave here
            flow.drain[out], flow.drain_turn[out] = k, turn
            left, step = _push(cells, flow, size, f, k, 0, turn, step)
            if left > 0:
                return True, turn, step
    return False, turn, step


@borrowing
def _first(cells: _Cells, cell: int, place: int) -> bool:
    """Whether a value comes in a cell for the first time."""
    for j in range(cells.at[cell], place):  # noqa: SIM110 - compiled
        if cells.rows[j] == cells.rows[place]:
            return False
    return True


@borrowing
def _weight(cells: _Cells, flow: _Residual, cell: int, v: int) -> int:
    first, last = cells.at[cell], cells.at[cell + 1]
    found = flow.weights[0] * (last - first)
    if flow.weights[1] > 0:
        for j in range(first, last):
            if cells.rows[j] == v:
                found -= flow.weights[1]
    return found


@borrowing
def _room(cells: _Cells, flow: _Residual, cell: int, v: int, turn: int) -> int:
    if flow.room_turn[cell] != turn:
        flow.room_turn[cell] = turn
        flow.room[cell] = max(0, _weight(cells, flow, cell, v))
    return flow.room[cell]


@borrowing
def _drain(cells: _Cells, flow: _Residual, base: Ints, node: int, v: int, turn: int) -> int:
    if flow.drain_turn[node] != turn:
        flow.drain_turn[node] = turn
        if node < len(base):
            flow.drain[node] = max(0, base[node])
        else:
            flow.drain[node] = 0
            e = node - len(base)
            for i in range(cells.inner_at[e], cells.inner_at[e + 1]):
                flow.drain[node] -= min(0, _weight(cells, flow, cells.by_inner[i], v))
    return flow.drain[node]


@borrowing
def _push(
    cells: _Cells, flow: _Residual, base: Ints, start: int, amount: int, v: int, turn: int, step: int
) -> tuple[int, int]:
    """Push so much from a node to where it may leave: what did not get away, and the number of searches."""
    while amount > 0:
        step += 1
        end = _path(cells, flow, base, start, v, turn, step)
        if end < 0:
            return amount, step
        most, node = min(amount, flow.drain[end]), end
        while node != start:
            if flow.parent[node] < len(base):
                most = min(most, flow.room[flow.by[node]])
            node = flow.parent[node]
        amount -= most
        flow.drain[end] -= most
        node = end
        while node != start:
            inward = flow.parent[node] < len(base)
            _room(cells, flow, flow.by[node], v, turn)
            flow.room[flow.by[node]] += -most if inward else most
            node = flow.parent[node]
    return 0, step


@borrowing
def _path(cells: _Cells, flow: _Residual, base: Ints, start: int, v: int, turn: int, step: int) -> int:
    """The nearest node where something may leave, -1 if none is reached."""
    flow.queue[0], flow.seen[start] = start, step
    reached, done = 1, 0
    while done < reached:
        node = flow.queue[done]
        done += 1
        if _drain(cells, flow, base, node, v, turn) > 0:
            return node
        outward = node >= len(base)
        place = node - len(base) if outward else node
        first = cells.inner_at[place] if outward else cells.outer_at[place]
        last = cells.inner_at[place + 1] if outward else cells.outer_at[place + 1]
        for i in range(first, last):
            cell = cells.by_inner[i] if outward else i
            other = cells.outer[cell] if outward else len(base) + cells.inner[cell]
            if flow.seen[other] != step and (outward or _room(cells, flow, cell, v, turn) > 0):
                flow.seen[other], flow.parent[other], flow.by[other] = step, node, cell
                flow.queue[reached] = other
                reached += 1
    return -1
