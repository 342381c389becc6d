"""Moves between groups, compiled: the inner loop of `annealing`.

Units are single tuples. A unit is moved to the group of one at a place near its own, exchanged with a member
of it, or a whole group is made, dissolved, split or merged; moves of several units are made one by one and
taken back if they end badly. Whether a group is admissible is looked up by its *mark*, a sum of random
numbers, one per value and count: it changes by one term as a tuple comes or goes, and two histograms have the
same mark with a chance of about 2**-64 (a release is judged again as a whole before it is believed). A mark
that is not known yet counts as not admissible, and its histogram is written down to be judged between two
calls.

Invariants: ``member[of[u], seat[u]] == u``; `lo`, `hi`, `cost` and `mark` are those of the group's members; a
group of size 0 is on the stack `free`; groups too large to be listed have number -1 and are left alone.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import compiled
from ..table import Geometry, Ints
from .boxes import side_cost

__all__ = ["BAD", "GOOD", "Groups", "Marks", "Units", "Verdicts", "anneal", "entered", "place"]

Marks = NDArray[np.uint64]
GOOD, BAD, ASKED = 1, 2, 3


class Units(NamedTuple):
    """Tuples: the row of each; the value and the place of each row (equal quasi-identifiers, one place).

    `near` holds the places nearest to each place; tuples of place p are ``unit[first[p] : first[p + 1]]``.
    `alike` holds how often a value may be in a smallest group.
    """

    row: Ints
    value: Ints
    place: Ints
    near: Ints
    unit: Ints
    first: Ints
    alike: Ints


class Groups(NamedTuple):
    """Members, boxes, costs and marks; `free` is a stack of empty groups.

    `total` holds the height of that stack and the cost of all groups. A line of `member` has room for one
    more than a group may have: in an exchange a unit comes before the other goes.
    """

    of: Ints
    seat: Ints
    member: Ints
    size: Ints
    lo: Ints
    hi: Ints
    cost: Ints
    mark: Marks
    free: Ints
    total: Ints


class Verdicts(NamedTuple):
    """What is known of marks, in a hash table; histograms that nobody has judged yet are in `asked`."""

    term: Marks
    key: Marks
    good: NDArray[np.int8]
    asked: Ints
    number: Ints


@compiled
def _draw(state: Marks) -> np.uint64:
    """A step of SplitMix64 (Steele, Lea, Flood)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def _below(state: Marks, limit: int) -> int:
    return np.int64(_draw(state) % np.uint64(limit))


@compiled
def _chance(state: Marks) -> float:
    return np.float64(_draw(state) >> np.uint64(11)) * 2.0**-53


@compiled
def place(key: Marks, mark: np.uint64) -> int:
    """Where a mark is in the table, or the free place where it would be; marks are never 0."""
    at = np.int64(mark % np.uint64(len(key)))
    while key[at] != np.uint64(0) and key[at] != mark:
        at = at + 1 if at + 1 < len(key) else 0
    return at


@compiled
def _often(units: Units, groups: Groups, g: int, value: int) -> int:
    found, values, row, member = 0, units.value, units.row, groups.member
    for e in range(groups.size[g]):
        found += values[row[member[g, e]]] == value
    return found


@compiled
def _after(units: Units, groups: Groups, v: Verdicts, g: int, out: int, into: int) -> np.uint64:
    """The mark of a group without unit `out` and with unit `into` (-1: none)."""
    mark = groups.mark[g]
    gone = units.value[units.row[out]] if out >= 0 else -1
    new = units.value[units.row[into]] if into >= 0 else -1
    if gone == new:
        return mark
    if gone >= 0:
        often = _often(units, groups, g, gone)
        mark = mark - v.term[gone, often] + v.term[gone, often - 1]
    if new >= 0:
        often = _often(units, groups, g, new)
        mark = mark - v.term[new, often] + v.term[new, often + 1]
    return mark


@compiled
def _admits(units: Units, groups: Groups, v: Verdicts, mark: np.uint64, g: int, out: int, into: int) -> bool:
    """Whether the group with this mark is admissible, as far as is known: g without `out`, with `into`."""
    at = place(v.key, mark)
    if v.key[at] == mark:
        return v.good[at] == GOOD
    if v.number[0] < len(v.asked):
        v.key[at], v.good[at] = mark, ASKED
        line = v.number[0]
        v.asked[line] = 0
        for e in range(groups.size[g]):
            v.asked[line, units.value[units.row[groups.member[g, e]]]] += 1
        if out >= 0:
            v.asked[line, units.value[units.row[out]]] -= 1
        if into >= 0:
            v.asked[line, units.value[units.row[into]]] += 1
        v.number[0] += 1
    return False


@compiled
def _box(g: Geometry, lo: Ints, hi: Ints) -> int:
    total, weight, tree, side, table = 0, g.weight, g.tree, g.side, g.table
    for a in range(len(weight)):
        total += side_cost(weight, tree, side, table, a, lo[a], hi[a])
    return total


@compiled
def _without(units: Units, geometry: Geometry, groups: Groups, g: int, out: int, lo: Ints, hi: Ints) -> None:
    """The box of a group without a unit (-1: with all)."""
    first, member, row, codes = True, groups.member, units.row, geometry.codes
    for e in range(groups.size[g]):
        u = member[g, e]
        if u == out:
            continue
        r = row[u]
        for a in range(len(lo)):
            x = codes[r, a]
            lo[a] = x if first else min(lo[a], x)
            hi[a] = x if first else max(hi[a], x)
        first = False


@compiled
def _with(geometry: Geometry, row: int, lo: Ints, hi: Ints, low: Ints, high: Ints) -> int:
    """Cost per tuple of a box with a row added to it; the box is written to `low`, `high`."""
    codes, total, weight, tree, side = geometry.codes, 0, geometry.weight, geometry.tree, geometry.side
    table = geometry.table
    for a in range(len(lo)):
        x = codes[row, a]
        low[a], high[a] = min(lo[a], x), max(hi[a], x)
        total += side_cost(weight, tree, side, table, a, low[a], high[a])
    return total


@compiled
def entered(units: Units, geometry: Geometry, groups: Groups, v: Verdicts, g: int) -> None:
    """Write box, cost and mark of a group down, from its members."""
    _without(units, geometry, groups, g, -1, groups.lo[g], groups.hi[g])
    groups.cost[g] = groups.size[g] * _box(geometry, groups.lo[g], groups.hi[g])
    groups.mark[g] = np.uint64(0)
    size = groups.size[g]
    for e in range(size):
        value = units.value[units.row[groups.member[g, e]]]
        groups.size[g] = e
        often = _often(units, groups, g, value)
        groups.mark[g] += v.term[value, often + 1] - v.term[value, often]
    groups.size[g] = size


@compiled
def _removed(units: Units, geometry: Geometry, groups: Groups, v: Verdicts, u: int) -> None:
    """Take a unit out of its group; a group that is empty then goes onto the stack."""
    g, size = groups.of[u], groups.size
    groups.mark[g] = _after(units, groups, v, g, u, -1)
    last = groups.member[g, size[g] - 1]
    groups.member[g, groups.seat[u]], groups.seat[last] = last, groups.seat[u]
    size[g] -= 1
    groups.total[1] -= groups.cost[g]
    groups.cost[g] = 0
    if size[g]:
        _without(units, geometry, groups, g, -1, groups.lo[g], groups.hi[g])
        groups.cost[g] = size[g] * _box(geometry, groups.lo[g], groups.hi[g])
        groups.total[1] += groups.cost[g]
    else:
        groups.free[groups.total[0]] = g
        groups.total[0] += 1


@compiled
def _move(units: Units, geometry: Geometry, groups: Groups, v: Verdicts, u: int, into: int) -> None:
    """Move a unit to another group, perhaps one taken from the stack."""
    _removed(units, geometry, groups, v, u)
    size, r, lo, hi = groups.size, units.row[u], groups.lo[into], groups.hi[into]
    if size[into] == 0:
        groups.mark[into] = np.uint64(0)
        for a in range(len(lo)):
            lo[a] = hi[a] = geometry.codes[r, a]
    groups.mark[into] = _after(units, groups, v, into, -1, u)
    box = _with(geometry, r, lo, hi, lo, hi)
    groups.member[into, size[into]], groups.seat[u], groups.of[u] = u, size[into], into
    size[into] += 1
    groups.total[1] += size[into] * box - groups.cost[into]
    groups.cost[into] = size[into] * box


@compiled
def _near(units: Units, state: Marks, u: int) -> int:
    """Some unit of a place near a unit's, nearer ones more often."""
    share = _chance(state)
    p = units.near[units.place[units.row[u]], np.int64(share * share * units.near.shape[1])]
    return units.unit[units.first[p] + _below(state, units.first[p + 1] - units.first[p])]


@compiled
def _takes(delta: int, heat: float, state: Marks) -> bool:
    return delta <= 0 or (delta < 40 * heat and _chance(state) < math.exp(-delta / heat))


@compiled
def _step(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Verdicts,
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
    _without(units, geometry, groups, a, u, box[0], box[1])
    roomy = size[b] + 1 < groups.member.shape[1]
    if (
        roomy
        and _admits(units, groups, v, _after(units, groups, v, a, u, -1), a, u, -1)
        and _admits(units, groups, v, _after(units, groups, v, b, -1, u), b, -1, u)
    ):
        r, before = units.row[u], groups.cost[a] + groups.cost[b]
        cost = (size[a] - 1) * _box(geometry, box[0], box[1])
        cost += (size[b] + 1) * _with(geometry, r, groups.lo[b], groups.hi[b], box[2], box[3])
        if _takes(cost - before, heat, state):
            _move(units, geometry, groups, v, u, b)
    else:
        _exchange(units, geometry, groups, v, u, b, heat, state, box)


@compiled
def _exchange(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Verdicts,
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
        cost = size[a] * _with(geometry, units.row[w], box[0], box[1], box[4], box[5])
        if cost >= best:
            continue
        _without(units, geometry, groups, b, w, box[2], box[3])
        if size[b] == 1:
            for k in range(box.shape[1]):
                box[2, k] = box[3, k] = geometry.codes[units.row[u], k]
        cost += size[b] * _with(geometry, units.row[u], box[2], box[3], box[4], box[5])
        if cost < best and _swaps(units, groups, v, u, w):
            best, partner = cost, w
    if partner >= 0 and _takes(best - groups.cost[a] - groups.cost[b], heat, state):
        _move(units, geometry, groups, v, u, b)
        _move(units, geometry, groups, v, partner, a)


@compiled
def _swaps(units: Units, groups: Groups, v: Verdicts, u: int, w: int) -> bool:
    """Whether two units' groups stay admissible if they are exchanged."""
    if units.value[units.row[u]] == units.value[units.row[w]]:
        return True
    a, b = groups.of[u], groups.of[w]
    if not _admits(units, groups, v, _after(units, groups, v, a, u, w), a, u, w):
        return False
    return _admits(units, groups, v, _after(units, groups, v, b, w, u), b, w, u)


@compiled
def _tried(
    units: Units, geometry: Geometry, groups: Groups, v: Verdicts, trail: Ints, moved: int, u: int, into: int
) -> int:
    """Move a unit and write down where it was; how many have been moved."""
    trail[moved, 0], trail[moved, 1] = u, groups.of[u]
    _move(units, geometry, groups, v, u, into)
    return moved + 1


@compiled
def _settle(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Verdicts,
    trail: Ints,
    moved: int,
    keep: bool,
) -> None:
    """Keep the moves of a trail if all groups that they touched are admissible, else take them back."""
    for k in range(moved):
        for side in range(2):
            g = trail[k, 1] if side else groups.of[trail[k, 0]]
            if groups.size[g] and not _admits(units, groups, v, groups.mark[g], g, -1, -1):
                keep = False
    if keep:
        return
    for k in range(moved - 1, -1, -1):
        into = trail[k, 1]
        if groups.size[into] == 0:
            _unstacked(groups, into)
        _move(units, geometry, groups, v, trail[k, 0], into)


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
    v: Verdicts,
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
        begin = _below(state, often)
        for e in range(min(often, least)):
            w = units.unit[units.first[p] + (begin + e) % often]
            b = groups.of[w]
            if b < 0 or b == g or groups.size[b] <= least:
                continue
            value = units.value[units.row[w]]
            if _often(units, groups, g, value) >= units.alike[value]:
                continue
            moved = _tried(units, geometry, groups, v, trail, moved, w, g)
            if moved >= least and _admits(units, groups, v, groups.mark[g], g, -1, -1):
                return moved
            if moved + 1 >= groups.member.shape[1]:
                return moved
    return moved


@compiled
def _scattered(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Verdicts,
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
            cost = _with(geometry, units.row[u], groups.lo[b], groups.hi[b], box[0], box[1])
            cost = (size[b] + 1) * cost - groups.cost[b]
            if cost < best and _admits(units, groups, v, _after(units, groups, v, b, -1, u), b, -1, u):
                best, into = cost, b
        if into < 0:
            return moved
        moved = _tried(units, geometry, groups, v, trail, moved, u, into)
    return moved


@compiled
def _cut(
    units: Units, geometry: Geometry, groups: Groups, v: Verdicts, u: int, least: int, trail: Ints, box: Ints
) -> int:
    """A new group of a unit and the members of its group that it costs least to have with it."""
    a, g = groups.of[u], groups.free[groups.total[0] - 1]
    groups.total[0] -= 1
    moved = _tried(units, geometry, groups, v, trail, 0, u, g)
    while groups.size[a] > least:
        if moved >= least and _admits(units, groups, v, groups.mark[g], g, -1, -1):
            break
        best, chosen = np.int64(1) << 60, -1
        for e in range(groups.size[a]):
            w = groups.member[a, e]
            cost = _with(geometry, units.row[w], groups.lo[g], groups.hi[g], box[0], box[1])
            if cost < best:
                best, chosen = cost, w
        moved = _tried(units, geometry, groups, v, trail, moved, chosen, g)
    return moved


@compiled
def _joined(
    units: Units, geometry: Geometry, groups: Groups, v: Verdicts, u: int, state: Marks, trail: Ints
) -> int:
    """A unit's group goes into a near one, if there is room; how many were moved."""
    a, b, moved = groups.of[u], groups.of[_near(units, state, u)], 0
    if b < 0 or a == b or groups.size[a] + groups.size[b] >= groups.member.shape[1]:
        return 0
    while groups.size[a]:
        w = groups.member[a, groups.size[a] - 1]
        moved = _tried(units, geometry, groups, v, trail, moved, w, b)
    return moved


GATHER, SCATTER, CUT, JOIN = 0.04, 0.08, 0.10, 0.105
"""Shares of the moves, added up; the rest are moves and exchanges of single units."""


@compiled
def anneal(
    units: Units,
    geometry: Geometry,
    groups: Groups,
    v: Verdicts,
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
        u = _below(state, len(units.row))
        a = groups.of[u]
        if a < 0 or (groups.cost[a] == 0 and _chance(state) < 0.9):
            continue
        kind = _chance(state)
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
