"""Groups of tuples that single tuples are moved between, compiled: the state of `annealing`.

Units are single tuples. Whether a group is admissible is looked up by its *mark*, a sum of random numbers,
one per value and count: it changes by one term as a tuple comes or goes, and two histograms have the same
mark with a chance of about 2**-64 (a release is judged again as a whole before it is believed). A mark that
is not known yet counts as not admissible, and its histogram is written down to be judged between two calls.

Invariants: ``member[of[u], seat[u]] == u``; `lo`, `hi`, `cost` and `mark` are those of the group's members; a
group of size 0 is on the stack `free`; groups too large to be listed have number -1 and are left alone.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import compiled
from ..table import Geometry, Ints
from .boxes import side_cost

__all__ = [
    "BAD",
    "GOOD",
    "Groups",
    "Marked",
    "Marks",
    "Units",
    "admits",
    "below",
    "box_beside",
    "box_without",
    "chance",
    "cost_of",
    "entered",
    "mark_after",
    "move",
    "often_in",
    "place",
]

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


class Marked(NamedTuple):
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
def below(state: Marks, limit: int) -> int:
    """A random number from 0 on, below a limit."""
    return np.int64(_draw(state) % np.uint64(limit))


@compiled
def chance(state: Marks) -> float:
    """A random number from 0 on, below 1."""
    return np.float64(_draw(state) >> np.uint64(11)) * 2.0**-53


@compiled
def place(key: Marks, mark: np.uint64) -> int:
    """Where a mark is in the table, or the free place where it would be; marks are never 0."""
    at = np.int64(mark % np.uint64(len(key)))
    while key[at] != np.uint64(0) and key[at] != mark:
        at = at + 1 if at + 1 < len(key) else 0
    return at


@compiled
def often_in(units: Units, groups: Groups, g: int, value: int) -> int:
    """How often a value is in a group."""
    found, values, row, member = 0, units.value, units.row, groups.member
    for e in range(groups.size[g]):
        found += values[row[member[g, e]]] == value
    return found


@compiled
def mark_after(units: Units, groups: Groups, v: Marked, g: int, out: int, into: int) -> np.uint64:
    """The mark of a group without unit `out` and with unit `into` (-1: none)."""
    mark = groups.mark[g]
    gone = units.value[units.row[out]] if out >= 0 else -1
    new = units.value[units.row[into]] if into >= 0 else -1
    if gone == new:
        return mark
    if gone >= 0:
        often = often_in(units, groups, g, gone)
        mark = mark - v.term[gone, often] + v.term[gone, often - 1]
    if new >= 0:
        often = often_in(units, groups, g, new)
        mark = mark - v.term[new, often] + v.term[new, often + 1]
    return mark


@compiled
def admits(units: Units, groups: Groups, v: Marked, mark: np.uint64, g: int, out: int, into: int) -> bool:
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
def cost_of(g: Geometry, lo: Ints, hi: Ints) -> int:
    """Cost per tuple of a box."""
    total, weight, tree, side, table = 0, g.weight, g.tree, g.side, g.table
    for a in range(len(weight)):
        total += side_cost(weight, tree, side, table, a, lo[a], hi[a])
    return total


@compiled
def box_without(
    units: Units, geometry: Geometry, groups: Groups, g: int, out: int, lo: Ints, hi: Ints
) -> None:
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
def box_beside(geometry: Geometry, row: int, lo: Ints, hi: Ints, low: Ints, high: Ints) -> int:
    """Cost per tuple of a box with a row added to it; the box is written to `low`, `high`."""
    codes, total, weight, tree, side = geometry.codes, 0, geometry.weight, geometry.tree, geometry.side
    table = geometry.table
    for a in range(len(lo)):
        x = codes[row, a]
        low[a], high[a] = min(lo[a], x), max(hi[a], x)
        total += side_cost(weight, tree, side, table, a, low[a], high[a])
    return total


@compiled
def entered(units: Units, geometry: Geometry, groups: Groups, v: Marked, g: int) -> None:
    """Write box, cost and mark of a group down, from its members."""
    box_without(units, geometry, groups, g, -1, groups.lo[g], groups.hi[g])
    groups.cost[g] = groups.size[g] * cost_of(geometry, groups.lo[g], groups.hi[g])
    groups.mark[g] = np.uint64(0)
    size = groups.size[g]
    for e in range(size):
        value = units.value[units.row[groups.member[g, e]]]
        groups.size[g] = e
        often = often_in(units, groups, g, value)
        groups.mark[g] += v.term[value, often + 1] - v.term[value, often]
    groups.size[g] = size


@compiled
def _removed(units: Units, geometry: Geometry, groups: Groups, v: Marked, u: int) -> None:
    """Take a unit out of its group; a group that is empty then goes onto the stack."""
    g, size = groups.of[u], groups.size
    groups.mark[g] = mark_after(units, groups, v, g, u, -1)
    last = groups.member[g, size[g] - 1]
    groups.member[g, groups.seat[u]], groups.seat[last] = last, groups.seat[u]
    size[g] -= 1
    groups.total[1] -= groups.cost[g]
    groups.cost[g] = 0
    if size[g]:
        box_without(units, geometry, groups, g, -1, groups.lo[g], groups.hi[g])
        groups.cost[g] = size[g] * cost_of(geometry, groups.lo[g], groups.hi[g])
        groups.total[1] += groups.cost[g]
    else:
        groups.free[groups.total[0]] = g
        groups.total[0] += 1


@compiled
def move(units: Units, geometry: Geometry, groups: Groups, v: Marked, u: int, into: int) -> None:
    """Move a unit to another group, perhaps one taken from the stack."""
    _removed(units, geometry, groups, v, u)
    size, r, lo, hi = groups.size, units.row[u], groups.lo[into], groups.hi[into]
    if size[into] == 0:
        groups.mark[into] = np.uint64(0)
        for a in range(len(lo)):
            lo[a] = hi[a] = geometry.codes[r, a]
    groups.mark[into] = mark_after(units, groups, v, into, -1, u)
    box = box_beside(geometry, r, lo, hi, lo, hi)
    groups.member[into, size[into]], groups.seat[u], groups.of[u] = u, size[into], into
    size[into] += 1
    groups.total[1] += size[into] * box - groups.cost[into]
    groups.cost[into] = size[into] * box
