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
from ..covering import Geometry, Ints
from ..primal.limits import ANNEALING
from .boxes import box_cost, box_with, side_cost
from .groups import (
    GOOD,
    Groups,
    Marked,
    Marks,
    Units,
    ask,
    below,
    box_without,
    chance,
    mark_after,
    move,
    often_in,
    stands,
    verdict,
)

__all__ = ["anneal"]


@compiled
def _near(units: Units, state: Marks, u: int) -> int:
    """Some unit of a place near a unit's, nearer ones more often."""
    share = chance(state)
    p = units.near[units.place[units.row[u]], np.int64(share * share * units.near.shape[1])]
    return units.unit[units.first[p] + below(state, units.first[p + 1] - units.first[p])]


@compiled
def _allowed(heat: float, state: Marks) -> int:
    """How much dearer a move may make groups: drawn before, so that dear ones are left early."""
    return np.int64(-heat * math.log(1.0 - chance(state)))


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
    """Move a unit to a near group; if that is too dear or not admissible, exchange it for the best there."""
    a, b = groups.of[u], groups.of[_near(units, state, u)]
    size = groups.size
    if b < 0 or a == b or size[a] == 1:
        return
    lo, hi, row, member, r = box[0], box[1], units.row, groups.member, units.row[u]
    weight, tree, side, table = geometry.weight, geometry.tree, geometry.side, geometry.table
    most = groups.cost[a] + groups.cost[b] + _allowed(heat, state)
    box_without(geometry.codes, row, member, size[a], a, u, lo, hi, 0)
    if size[b] + 1 < member.shape[1]:
        cost = (size[a] - 1) * box_cost(weight, tree, side, table, lo, hi, 0)
        if cost <= most:
            with_u = box_with(geometry.codes, weight, tree, side, table, r, groups.lo, groups.hi, b)
            cost += (size[b] + 1) * with_u
        if cost <= most and _passes(units, groups, v, u, a, b):
            move(units, geometry, groups, v, u, b)
            return
    _exchange(units, geometry, groups, v, u, b, most, lo, hi)


@compiled
def _passes(units: Units, groups: Groups, v: Marked, u: int, a: int, b: int) -> bool:
    """Whether a unit may go from one group to another, as far as is known."""
    value, row, member, size, marks = units.value, units.row, groups.member, groups.size, groups.mark
    key, good, term = v.key, v.good, v.term
    mark = mark_after(value, row, member, size, marks, term, a, u, -1)
    found = verdict(key, good, mark)
    if found == 0:
        ask(units, groups, v, mark, a, u, -1)
    if found != GOOD:
        return False
    mark = mark_after(value, row, member, size, marks, term, b, -1, u)
    found = verdict(key, good, mark)
    if found == 0:
        ask(units, groups, v, mark, b, -1, u)
    return found == GOOD


@compiled
def _exchange(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Marked,
    u: int,
    b: int,
    most: int,
    lo: Ints,
    hi: Ints,
) -> None:
    """Exchange a unit for the best member of a group if both then cost `most` at most, and it is elsewhere.

    Line 0 of `lo`, `hi` is its own group without it.
    """
    a, row, member = groups.of[u], units.row, groups.member
    codes, many, others, r = geometry.codes, groups.size[b], groups.size[a], row[u]
    weight, tree, side, table = geometry.weight, geometry.tree, geometry.side, geometry.table
    # The two least and the two largest codes of the group: what is left without one of its members.
    for e in range(many):
        w = row[member[b, e]]
        for c in range(codes.shape[1]):
            x = codes[w, c]
            if e == 0 or x < lo[1, c]:
                lo[2, c] = x if e == 0 else lo[1, c]
                lo[1, c] = x
            elif e == 1 or x < lo[2, c]:
                lo[2, c] = x
            if e == 0 or x > hi[1, c]:
                hi[2, c] = x if e == 0 else hi[1, c]
                hi[1, c] = x
            elif e == 1 or x > hi[2, c]:
                hi[2, c] = x
    best, partner = most + 1, -1
    for e in range(many):
        w, cost = row[member[b, e]], 0
        if units.place[w] == units.place[r]:
            continue
        for c in range(codes.shape[1]):
            x, y = codes[r, c], codes[w, c]
            cost += others * side_cost(weight, tree, side, table, c, min(lo[0, c], y), max(hi[0, c], y))
            low, high = lo[2 if y == lo[1, c] else 1, c], hi[2 if y == hi[1, c] else 1, c]
            if many == 1:
                low = high = x
            cost += many * side_cost(weight, tree, side, table, c, min(low, x), max(high, x))
            if cost >= best:
                break
        if cost < best and _swaps(units, groups, v, u, member[b, e]):
            best, partner = cost, member[b, e]
    if partner >= 0:
        move(units, geometry, groups, v, u, b)
        move(units, geometry, groups, v, partner, a)


@compiled
def _swaps(units: Units, groups: Groups, v: Marked, u: int, w: int) -> bool:
    """Whether two units' groups stay admissible if they are exchanged, as far as is known."""
    value, row, member, size, marks = units.value, units.row, groups.member, groups.size, groups.mark
    key, good, term = v.key, v.good, v.term
    if value[row[u]] == value[row[w]]:
        return True
    a, b = groups.of[u], groups.of[w]
    mark = mark_after(value, row, member, size, marks, term, a, u, w)
    found = verdict(key, good, mark)
    if found == 0:
        ask(units, groups, v, mark, a, u, w)
    if found != GOOD:
        return False
    mark = mark_after(value, row, member, size, marks, term, b, w, u)
    found = verdict(key, good, mark)
    if found == 0:
        ask(units, groups, v, mark, b, w, u)
    return found == GOOD


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
            if groups.size[g] and not stands(units, groups, v, g):
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
            if (
                often_in(units.value, units.row, groups.member, groups.size[g], g, value)
                >= units.alike[value]
            ):
                continue
            moved = _tried(units, geometry, groups, v, trail, moved, w, g)
            if moved >= least and stands(units, groups, v, g):
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
) -> int:
    """Each member of a group to the near group that it costs least; how many were moved."""
    moved, size, row, member, codes = 0, groups.size, units.row, groups.member, geometry.codes
    weight, tree, side, table = geometry.weight, geometry.tree, geometry.side, geometry.table
    value, marks, key, good, term = units.value, groups.mark, v.key, v.good, v.term
    while size[g]:
        u = member[g, size[g] - 1]
        best, into = np.int64(1) << 60, -1
        for _ in range(units.near.shape[1] // 2):
            b = groups.of[_near(units, state, u)]
            if b < 0 or b == g or size[b] + 1 >= member.shape[1]:
                continue
            each = box_with(codes, weight, tree, side, table, row[u], groups.lo, groups.hi, b)
            cost = (size[b] + 1) * each - groups.cost[b]
            if cost >= best:
                continue
            mark = mark_after(value, row, member, size, marks, term, b, -1, u)
            found = verdict(key, good, mark)
            if found == 0:
                ask(units, groups, v, mark, b, -1, u)
            if found == GOOD:
                best, into = cost, b
        if into < 0:
            return moved
        moved = _tried(units, geometry, groups, v, trail, moved, u, into)
    return moved


@compiled
def _cut(units: Units, geometry: Geometry, groups: Groups, v: Marked, u: int, least: int, trail: Ints) -> int:
    """A new group of a unit and the members of its group that it costs least to have with it."""
    a, g, row, codes = groups.of[u], groups.free[groups.total[0] - 1], units.row, geometry.codes
    weight, tree, side, table = geometry.weight, geometry.tree, geometry.side, geometry.table
    groups.total[0] -= 1
    moved = _tried(units, geometry, groups, v, trail, 0, u, g)
    while groups.size[a] > least:
        if moved >= least and stands(units, groups, v, g):
            break
        best, chosen = np.int64(1) << 60, -1
        for e in range(groups.size[a]):
            w = groups.member[a, e]
            cost = box_with(codes, weight, tree, side, table, row[w], groups.lo, groups.hi, g)
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
    box = np.empty((2, 3, geometry.codes.shape[1]), dtype=np.int64)
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
                moved = _scattered(units, geometry, groups, v, a, state, trail)
        elif kind < CUT:
            if size >= 2 * least and groups.total[0]:
                moved = _cut(units, geometry, groups, v, u, least, trail)
        else:
            moved = _joined(units, geometry, groups, v, u, state, trail)
        if moved:
            keep = groups.total[1] - before <= _allowed(heat, state)
            _settle(units, geometry, groups, v, trail, moved, keep)
    return moves
