"""Moves between groups, compiled: the inner loop of `annealing`.

A unit is moved to the group of one at a place near its own, exchanged with a member of it, or a whole group
is made, dissolved, split or merged; moves of several units are made one by one and taken back if they end
badly. What groups are, and what they keep true, is in `groups`.

Most moves are dear, and seen to be so by a few plain arrays: taking them out of tuples counts references, and
costs more than the look.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import math

import numpy as np

from ....models.compiled import borrowing, compiled
from ..covering import Geometry, Ints
from ..primal.limits import ANNEALING
from .boxes import box_cost, box_with, side_cost
from .groups import Groups, Marked, Marks, Units, below, box_without, chance, fits, move, often_in, stands

__all__ = ["anneal"]


@borrowing
def _near(place: Ints, near: Ints, unit: Ints, first: Ints, r: int, state: Marks) -> int:
    """Some unit of a place near a row's, nearer ones more often."""
    share = chance(state)
    p = near[place[r], np.int64(share * share * near.shape[1])]
    return unit[first[p] + below(state, first[p + 1] - first[p])]


@borrowing
def _allowed(heat: float, state: Marks) -> int:
    """How much dearer a move may make groups: drawn before, so that dear ones are left early."""
    return np.int64(-heat * math.log(1.0 - chance(state)))


@borrowing
def _moves_cheaply(
    codes: Ints,
    weight: Ints,
    tree: Ints,
    side: Ints,
    table: Ints,
    row: Ints,
    member: Ints,
    size: Ints,
    ends: tuple[Ints, Ints],
    u: int,
    a: int,
    b: int,
    most: int,
    box: Ints,
) -> bool:
    """Whether two groups cost `most` at most if a unit goes from one to the other, and there is room.

    The box of its group without it is written to line 0; `ends` are all groups' boxes.
    """
    lo, hi = box[0], box[1]
    box_without(codes, row, member, size[a], a, u, lo, hi, 0)
    if size[b] + 1 >= member.shape[1]:
        return False
    cost = (size[a] - 1) * box_cost(weight, tree, side, table, lo, hi, 0)
    if cost > most:
        return False
    with_u = box_with(codes, weight, tree, side, table, row[u], ends[0], ends[1], b)
    return cost + (size[b] + 1) * with_u <= most


@borrowing
def _may_pay(
    codes: Ints,
    weight: Ints,
    tree: Ints,
    side: Ints,
    table: Ints,
    row: Ints,
    member: Ints,
    size: Ints,
    u: int,
    a: int,
    b: int,
    most: int,
    box: Ints,
) -> bool:
    """Whether two groups may cost `most` at most if a unit is exchanged for a member of the other one.

    Line 0 is its own group without it. The two least and the two largest codes of the other group are written
    to lines 1 and 2: what is left without one of its members.
    """
    lo, hi, many = box[0], box[1], size[b]
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
    cost = size[a] * box_cost(weight, tree, side, table, lo, hi, 0)
    if many > 1:
        # Whoever goes, the other group has all that is between the second ends.
        cost += many * box_with(codes, weight, tree, side, table, row[u], lo, hi, 2)
    return cost <= most


@borrowing
def _exchange(
    units: Units, geometry: Geometry, groups: Groups, v: Marked, u: int, b: int, most: int, box: Ints
) -> None:
    """Exchange a unit for the best member of a group if both then cost `most` at most, and it is elsewhere.

    The lines of `box` are as `_may_pay` leaves them.
    """
    a, row, member, lo, hi = groups.of[u], units.row, groups.member, box[0], box[1]
    codes, many, others, r = geometry.codes, groups.size[b], groups.size[a], row[u]
    weight, tree, side, table = geometry.weight, geometry.tree, geometry.side, geometry.table
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


@borrowing
def _swaps(units: Units, groups: Groups, v: Marked, u: int, w: int) -> bool:
    """Whether two units' groups stay admissible if they are exchanged, as far as is known."""
    value, row, of = units.value, units.row, groups.of
    if value[row[u]] == value[row[w]]:
        return True
    return fits(units, groups, v, of[u], u, w) and fits(units, groups, v, of[w], w, u)


@borrowing
def _tried(
    units: Units, geometry: Geometry, groups: Groups, v: Marked, trail: Ints, moved: int, u: int, into: int
) -> int:
    """Move a unit and write down where it was; how many have been moved."""
    trail[moved, 0], trail[moved, 1] = u, groups.of[u]
    move(units, geometry, groups, v, u, into)
    return moved + 1


@borrowing
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
    for k in range(moved if keep else 0):
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


@borrowing
def _unstacked(groups: Groups, g: int) -> None:
    top = groups.total[0] - 1
    for at in range(top, -1, -1):
        if groups.free[at] == g:
            groups.free[at], groups.free[top] = groups.free[top], g
            break
    groups.total[0] = top


@borrowing
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
    row, near, unit, first = units.row, units.near, units.unit, units.first
    values, alike = units.value, units.alike
    of, size, member, home = groups.of, groups.size, groups.member, units.place[units.row[u]]
    g = groups.free[groups.total[0] - 1]
    groups.total[0] -= 1
    moved = _tried(units, geometry, groups, v, trail, 0, u, g)
    for q in range(near.shape[1]):
        p = near[home, q]
        often = first[p + 1] - first[p]
        begin = below(state, often)
        for e in range(min(often, least)):
            w = unit[first[p] + (begin + e) % often]
            b = of[w]
            if b < 0 or b == g or size[b] <= least:
                continue
            value = values[row[w]]
            if often_in(values, row, member, size[g], g, value) >= alike[value]:
                continue
            moved = _tried(units, geometry, groups, v, trail, moved, w, g)
            if moved >= least and stands(units, groups, v, g):
                return moved
            if moved + 1 >= member.shape[1]:
                return moved
    return moved


@borrowing
def _scattered(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Marked,
    g: int,
    most: int,
    state: Marks,
    trail: Ints,
) -> int:
    """Each member of a group to the near group that it costs least; how many were moved.

    It ends early where that is more than `most` dearer than the group.
    """
    moved, size, row, member, codes = 0, groups.size, units.row, groups.member, geometry.codes
    of, lo, hi, costs, left = groups.of, groups.lo, groups.hi, groups.cost, groups.cost[g] + most
    place, near, unit, first = units.place, units.near, units.unit, units.first
    weight, tree, side, table = geometry.weight, geometry.tree, geometry.side, geometry.table
    while size[g]:
        u = member[g, size[g] - 1]
        best, into = np.int64(1) << 60, -1
        for _ in range(near.shape[1] // 2):
            b = of[_near(place, near, unit, first, row[u], state)]
            if b < 0 or b == g or size[b] + 1 >= member.shape[1]:
                continue
            each = box_with(codes, weight, tree, side, table, row[u], lo, hi, b)
            cost = (size[b] + 1) * each - costs[b]
            if cost < best and fits(units, groups, v, b, -1, u):
                best, into = cost, b
        left -= best
        if into < 0 or left < 0:
            return moved
        moved = _tried(units, geometry, groups, v, trail, moved, u, into)
    return moved


@borrowing
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


@borrowing
def _joined(
    units: Units, geometry: Geometry, groups: Groups, v: Marked, u: int, state: Marks, trail: Ints
) -> int:
    """A unit's group goes into a near one, if there is room; how many were moved."""
    place, near, unit, first = units.place, units.near, units.unit, units.first
    a, b, moved = groups.of[u], groups.of[_near(place, near, unit, first, units.row[u], state)], 0
    if b < 0 or a == b or groups.size[a] + groups.size[b] >= groups.member.shape[1]:
        return 0
    while groups.size[a]:
        w = groups.member[a, groups.size[a] - 1]
        moved = _tried(units, geometry, groups, v, trail, moved, w, b)
    return moved


FREE = ANNEALING.free
GATHER, SCATTER, CUT, JOIN = ANNEALING.gather, ANNEALING.scatter, ANNEALING.cut, ANNEALING.join
"""Shares of the moves, added up; the rest are moves and exchanges of single units."""


@borrowing
def _several(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Marked,
    u: int,
    least: int,
    kind: float,
    heat: float,
    state: Marks,
    trail: Ints,
) -> None:
    """Make, dissolve, cut or merge a group; taken back if that is too dear or not admissible."""
    a, before, moved = groups.of[u], groups.total[1], 0
    size, most = groups.size[a], _allowed(heat, state)
    if kind < GATHER:
        if size > least and groups.total[0]:
            moved = _gathered(units, geometry, groups, v, u, least, state, trail)
    elif kind < SCATTER:
        if size <= least + 2:
            moved = _scattered(units, geometry, groups, v, a, most, state, trail)
    elif kind < CUT:
        if size >= 2 * least and groups.total[0]:
            moved = _cut(units, geometry, groups, v, u, least, trail)
    else:
        moved = _joined(units, geometry, groups, v, u, state, trail)
    if moved:
        _settle(units, geometry, groups, v, trail, moved, groups.total[1] - before <= most)


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
    of, cost, size, member, ends = groups.of, groups.cost, groups.size, groups.member, (groups.lo, groups.hi)
    row, place, near, unit, first = units.row, units.place, units.near, units.unit, units.first
    codes, weight, tree, side, table = geometry
    number, room = v.number, len(v.asked)
    for done in range(moves):
        if number[0] >= room:
            return done
        heat *= cool
        u = below(state, len(row))
        a = of[u]
        if a < 0 or (cost[a] == 0 and chance(state) < FREE):
            continue
        kind = chance(state)
        if kind < JOIN:
            _several(units, geometry, groups, v, u, least, kind, heat, state, trail)
            continue
        # Move a unit to a near group; if that is too dear or not admissible, exchange it for the best there.
        b = of[_near(place, near, unit, first, row[u], state)]
        if b < 0 or a == b or size[a] == 1:
            continue
        most = cost[a] + cost[b] + _allowed(heat, state)
        if (
            _moves_cheaply(codes, weight, tree, side, table, row, member, size, ends, u, a, b, most, box)
            and fits(units, groups, v, a, u, -1)
            and fits(units, groups, v, b, -1, u)
        ):
            move(units, geometry, groups, v, u, b)
        elif _may_pay(codes, weight, tree, side, table, row, member, size, u, a, b, most, box):
            _exchange(units, geometry, groups, v, u, b, most, box)
    return moves
