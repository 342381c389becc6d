"""Moves between groups, compiled: the inner loop of `annealing`.

A unit is moved to the group of one at a place near its own, exchanged with a member of it, or a whole group
is made, dissolved, split or merged; moves of several units are made one by one and taken back if they end
badly. What groups are, and what they keep true, is in `groups`.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import math

import numpy as np

from ....models.compiled import compiled
from ...limits import ANNEALING
from ..table import Geometry, Ints
from .groups import (
    Groups,
    Marked,
    Marks,
    Units,
    admits,
    below,
    box_beside,
    box_without,
    chance,
    cost_of,
    mark_after,
    move,
    often_in,
)

__all__ = ["anneal"]


@compiled
def _near(units: Units, state: Marks, u: int) -> int:
    """Some unit of a place near a unit's, nearer ones more often."""
    share = chance(state)
    p = units.near[units.place[units.row[u]], np.int64(share * share * units.near.shape[1])]
    return units.unit[units.first[p] + below(state, units.first[p + 1] - units.first[p])]


@compiled
def _takes(delta: int, heat: float, state: Marks) -> bool:
    return delta <= 0 or (delta < 40 * heat and chance(state) < math.exp(-delta / heat))


@compiled
def _step(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Marked,
    u: int,
    heat: float,
    state: Marks,
    box: Ints,
) -> None:
    """Move a unit to a near group; if that is not admissible, exchange it for the best member there."""
    a, b = groups.of[u], groups.of[_near(units, state, u)]
    size = groups.size
    if b < 0 or a == b or size[a] == 1:
        return
    box_without(units, geometry, groups, a, u, box[0], box[1])
    roomy = size[b] + 1 < groups.member.shape[1]
    if (
        roomy
        and admits(units, groups, v, mark_after(units, groups, v, a, u, -1), a, u, -1)
        and admits(units, groups, v, mark_after(units, groups, v, b, -1, u), b, -1, u)
    ):
        r, before = units.row[u], groups.cost[a] + groups.cost[b]
        cost = (size[a] - 1) * cost_of(geometry, box[0], box[1])
        cost += (size[b] + 1) * box_beside(geometry, r, groups.lo[b], groups.hi[b], box[2], box[3])
        if _takes(cost - before, heat, state):
            move(units, geometry, groups, v, u, b)
    else:
        _exchange(units, geometry, groups, v, u, b, heat, state, box)


@compiled
def _exchange(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Marked,
    u: int,
    b: int,
    heat: float,
    state: Marks,
    box: Ints,
) -> None:
    """Exchange a unit for the best member of a group; `box` begins with that of its own without it."""
    a, size = groups.of[u], groups.size
    best, partner = np.int64(1) << 60, -1
    for e in range(size[b]):
        w = groups.member[b, e]
        cost = size[a] * box_beside(geometry, units.row[w], box[0], box[1], box[4], box[5])
        if cost >= best:
            continue
        box_without(units, geometry, groups, b, w, box[2], box[3])
        if size[b] == 1:
            for k in range(box.shape[1]):
                box[2, k] = box[3, k] = geometry.codes[units.row[u], k]
        cost += size[b] * box_beside(geometry, units.row[u], box[2], box[3], box[4], box[5])
        if cost < best and _swaps(units, groups, v, u, w):
            best, partner = cost, w
    if partner >= 0 and _takes(best - groups.cost[a] - groups.cost[b], heat, state):
        move(units, geometry, groups, v, u, b)
        move(units, geometry, groups, v, partner, a)


@compiled
def _swaps(units: Units, groups: Groups, v: Marked, u: int, w: int) -> bool:
    """Whether two units' groups stay admissible if they are exchanged."""
    if units.value[units.row[u]] == units.value[units.row[w]]:
        return True
    a, b = groups.of[u], groups.of[w]
    if not admits(units, groups, v, mark_after(units, groups, v, a, u, w), a, u, w):
        return False
    return admits(units, groups, v, mark_after(units, groups, v, b, w, u), b, w, u)


@compiled
def _tried(
    units: Units, geometry: Geometry, groups: Groups, v: Marked, trail: Ints, moved: int, u: int, into: int
) -> int:
    """Move a unit and write down where it was; how many have been moved."""
    trail[moved, 0], trail[moved, 1] = u, groups.of[u]
    move(units, geometry, groups, v, u, into)
    return moved + 1


@compiled
def _settle(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Marked,
    trail: Ints,
    moved: int,
    keep: bool,
) -> None:
    """Keep the moves of a trail if all groups that they touched are admissible, else take them back."""
    for k in range(moved):
        for side in range(2):
            g = trail[k, 1] if side else groups.of[trail[k, 0]]
            if groups.size[g] and not admits(units, groups, v, groups.mark[g], g, -1, -1):
                keep = False
    if keep:
        return
    for k in range(moved - 1, -1, -1):
        into = trail[k, 1]
        if groups.size[into] == 0:
            _unstacked(groups, into)
        move(units, geometry, groups, v, trail[k, 0], into)


@compiled
def _unstacked(groups: Groups, g: int) -> None:
    top = groups.total[0] - 1
    for at in range(top, -1, -1):
        if groups.free[at] == g:
            groups.free[at], groups.free[top] = groups.free[top], g
            break
    groups.total[0] = top


@compiled
def _gathered(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Marked,
    u: int,
    least: int,
    state: Marks,
    trail: Ints,
) -> int:
    """A new group of a unit and near ones, from groups that have more than they need; how many were moved."""
    g = groups.free[groups.total[0] - 1]
    groups.total[0] -= 1
    moved = _tried(units, geometry, groups, v, trail, 0, u, g)
    for q in range(units.near.shape[1]):
        p = units.near[units.place[units.row[u]], q]
        often = units.first[p + 1] - units.first[p]
        begin = below(state, often)
        for e in range(min(often, least)):
            w = units.unit[units.first[p] + (begin + e) % often]
            b = groups.of[w]
            if b < 0 or b == g or groups.size[b] <= least:
                continue
            value = units.value[units.row[w]]
            if often_in(units, groups, g, value) >= units.alike[value]:
                continue
            moved = _tried(units, geometry, groups, v, trail, moved, w, g)
            if moved >= least and admits(units, groups, v, groups.mark[g], g, -1, -1):
                return moved
            if moved + 1 >= groups.member.shape[1]:
                return moved
    return moved


@compiled
def _scattered(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Marked,
    g: int,
    state: Marks,
    trail: Ints,
    box: Ints,
) -> int:
    """Each member of a group to the near group that it costs least; how many were moved."""
    moved, size = 0, groups.size
    while size[g]:
        u = groups.member[g, size[g] - 1]
        best, into = np.int64(1) << 60, -1
        for _ in range(units.near.shape[1] // 2):
            b = groups.of[_near(units, state, u)]
            if b < 0 or b == g or size[b] + 1 >= groups.member.shape[1]:
                continue
            cost = box_beside(geometry, units.row[u], groups.lo[b], groups.hi[b], box[0], box[1])
            cost = (size[b] + 1) * cost - groups.cost[b]
            if cost < best and admits(units, groups, v, mark_after(units, groups, v, b, -1, u), b, -1, u):
                best, into = cost, b
        if into < 0:
            return moved
        moved = _tried(units, geometry, groups, v, trail, moved, u, into)
    return moved


@compiled
def _cut(
    units: Units, geometry: Geometry, groups: Groups, v: Marked, u: int, least: int, trail: Ints, box: Ints
) -> int:
    """A new group of a unit and the members of its group that it costs least to have with it."""
    a, g = groups.of[u], groups.free[groups.total[0] - 1]
    groups.total[0] -= 1
    moved = _tried(units, geometry, groups, v, trail, 0, u, g)
    while groups.size[a] > least:
        if moved >= least and admits(units, groups, v, groups.mark[g], g, -1, -1):
            break
        best, chosen = np.int64(1) << 60, -1
        for e in range(groups.size[a]):
            w = groups.member[a, e]
            cost = box_beside(geometry, units.row[w], groups.lo[g], groups.hi[g], box[0], box[1])
            if cost < best:
                best, chosen = cost, w
        moved = _tried(units, geometry, groups, v, trail, moved, chosen, g)
    return moved


@compiled
def _joined(
    units: Units, geometry: Geometry, groups: Groups, v: Marked, u: int, state: Marks, trail: Ints
) -> int:
    """A unit's group goes into a near one, if there is room; how many were moved."""
    a, b, moved = groups.of[u], groups.of[_near(units, state, u)], 0
    if b < 0 or a == b or groups.size[a] + groups.size[b] >= groups.member.shape[1]:
        return 0
    while groups.size[a]:
        w = groups.member[a, groups.size[a] - 1]
        moved = _tried(units, geometry, groups, v, trail, moved, w, b)
    return moved


GATHER, SCATTER, CUT, JOIN = ANNEALING.gather, ANNEALING.scatter, ANNEALING.cut, ANNEALING.join
"""Shares of the moves, added up; the rest are moves and exchanges of single units."""


@compiled
def anneal(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Marked,
    least: int,
    moves: int,
    heat: float,
    cool: float,
    state: Marks,
) -> int:
    """Try so many moves while it gets cooler, until there is no room for histograms to be judged.

    Returns how many were tried.
    """
    box = np.empty((6, geometry.codes.shape[1]), dtype=np.int64)
    trail = np.empty((2 * groups.member.shape[1], 2), dtype=np.int64)
    for done in range(moves):
        if v.number[0] >= len(v.asked):
            return done
        heat *= cool
        u = below(state, len(units.row))
        a = groups.of[u]
        if a < 0 or (groups.cost[a] == 0 and chance(state) < 0.9):
            continue
        kind = chance(state)
        if kind >= JOIN:
            _step(units, geometry, groups, v, u, heat, state, box)
            continue
        before, moved, size = groups.total[1], 0, groups.size[a]
        if kind < GATHER:
            if size > least and groups.total[0]:
                moved = _gathered(units, geometry, groups, v, u, least, state, trail)
        elif kind < SCATTER:
            if size <= least + 2:
                moved = _scattered(units, geometry, groups, v, a, state, trail, box)
        elif kind < CUT:
            if size >= 2 * least and groups.total[0]:
                moved = _cut(units, geometry, groups, v, u, least, trail, box)
        else:
            moved = _joined(units, geometry, groups, v, u, state, trail)
        if moved:
            keep = _takes(groups.total[1] - before, heat, state)
            _settle(units, geometry, groups, v, trail, moved, keep)
    return moves
