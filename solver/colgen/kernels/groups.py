"""Groups of tuples that single tuples are moved between, compiled: the state of `annealing`.

Units are single tuples. Whether a group is admissible is looked up by its *mark*, a sum of random numbers,
one per value and count: it changes by one term as a tuple comes or goes, and two histograms have the same
mark with a chance of about 2**-64 (a release is judged again as a whole before it is believed). A mark that
is not known yet counts as not admissible, and its histogram is written down to be judged between two calls.
Where shares of values have to be near given ones there are too many histograms for that: `_near_enough`
counts, and marks stand for what else is asked.

Invariants: ``member[of[u], seat[u]] == u``; `lo`, `hi`, `cost` and `mark` are those of the group's members; a
group of size 0 is on the stack `free`; groups too large to be listed have number -1 and are left alone.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing
from ..covering import Geometry, Ints
from .boxes import box_cost

__all__ = [
    "BAD",
    "GOOD",
    "Groups",
    "Marked",
    "Marks",
    "Units",
    "below",
    "box_without",
    "chance",
    "entered",
    "fits",
    "mark_after",
    "move",
    "often_in",
    "place",
    "stands",
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
    more than a group may have: in an exchange a unit comes before the other goes. `held` holds how often a
    group has each value, if shares of values matter.
    """

    of: Ints
    seat: Ints
    member: Ints
    size: Ints
    lo: Ints
    hi: Ints
    cost: Ints
    mark: Marks
    held: Ints
    free: Ints
    total: Ints


class Marked(NamedTuple):
    """What is known of marks, in a hash table; histograms that nobody has judged yet are in `asked`.

    `close` holds which shares values must have about (see `Closeness`): their numbers, -1 for one that the
    table lacks, and counts. `within` says how near; it is empty if shares do not matter.
    """

    term: Marks
    key: Marks
    good: NDArray[np.int8]
    asked: Ints
    number: Ints
    close: Ints
    within: Ints


class HasValues(Protocol):
    """Tuples of which each has a row, and each row a value."""

    @property
    def row(self) -> Ints: ...
    @property
    def value(self) -> Ints: ...


class HasMarks(Protocol):
    """Groups with members and marks, whatever else is known of them."""

    @property
    def member(self) -> Ints: ...
    @property
    def size(self) -> Ints: ...
    @property
    def mark(self) -> Marks: ...
    @property
    def held(self) -> Ints: ...


@borrowing
def _draw(state: Marks) -> np.uint64:
    """A step of SplitMix64 (Steele, Lea, Flood)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@borrowing
def below(state: Marks, limit: int) -> int:
    """A random number from 0 on, below a limit of less than 2**32."""
    return np.int64(((_draw(state) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@borrowing
def chance(state: Marks) -> float:
    """A random number from 0 on, below 1."""
    return np.float64(_draw(state) >> np.uint64(11)) * 2.0**-53


@borrowing
def place(key: Marks, mark: np.uint64) -> int:
    """Where a mark is in the table, or the free place where it would be; marks are never 0."""
    at = np.int64(mark % np.uint64(len(key)))
    while key[at] != np.uint64(0) and key[at] != mark:
        at = at + 1 if at + 1 < len(key) else 0
    return at


@borrowing
def often_in(value: Ints, row: Ints, member: Ints, size: int, g: int, v: int) -> int:
    """How often a value is among the first members of a group."""
    found = 0
    for e in range(size):
        found += value[row[member[g, e]]] == v
    return found


@borrowing
def mark_after(
    value: Ints, row: Ints, member: Ints, size: Ints, marks: Marks, term: Marks, g: int, out: int, into: int
) -> np.uint64:
    """The mark of a group without unit `out` and with unit `into` (-1: none)."""
    mark = marks[g]
    gone = value[row[out]] if out >= 0 else -1
    new = value[row[into]] if into >= 0 else -1
    if gone == new:
        return mark
    if gone >= 0:
        often = often_in(value, row, member, size[g], g, gone)
        mark = mark - term[gone, often] + term[gone, often - 1]
    if new >= 0:
        often = often_in(value, row, member, size[g], g, new)
        mark = mark - term[new, often] + term[new, often + 1]
    return mark


@borrowing
def _verdict(key: Marks, good: NDArray[np.int8], mark: np.uint64) -> int:
    """What is known of a mark: `GOOD`, `BAD`, that it was asked for, or nothing (0)."""
    at = place(key, mark)
    return np.int64(good[at]) if key[at] == mark else 0


@borrowing
def _ask(units: HasValues, groups: HasMarks, v: Marked, mark: np.uint64, g: int, out: int, into: int) -> None:
    """Write the histogram of a mark down that nothing is known of: that of g without `out`, with `into`."""
    if v.number[0] == len(v.asked):
        return
    at = place(v.key, mark)
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


@borrowing
def _near_enough(close: Ints, within: Ints, held: Ints, g: int, size: int, gone: int, new: int) -> bool:
    """Whether a group's shares are near the given ones: with one less of a value, and one more of another."""
    total, far, run = within[0], np.int64(0), np.int64(0)
    for at in range(close.shape[1]):
        value = close[0, at]
        often = held[g, value] - (value == gone) + (value == new) if value >= 0 else 0
        gap = total * often - size * close[1, at]
        if within[3]:
            run += gap
            gap = run
        far += abs(gap)
    return within[1] * far <= within[2] * size


@borrowing
def fits(units: HasValues, groups: HasMarks, v: Marked, g: int, out: int, into: int) -> bool:
    """Whether a group is admissible without unit `out`, with unit `into` (-1: none), as far as is known."""
    value, row, member, size, marks = units.value, units.row, groups.member, groups.size, groups.mark
    if len(v.within):
        gone = value[row[out]] if out >= 0 else -1
        new = value[row[into]] if into >= 0 else -1
        many = size[g] - (out >= 0) + (into >= 0)
        if not _near_enough(v.close, v.within, groups.held, g, many, gone, new):
            return False
    mark = mark_after(value, row, member, size, marks, v.term, g, out, into)
    found = _verdict(v.key, v.good, mark)
    if found == 0:
        _ask(units, groups, v, mark, g, out, into)
    return found == GOOD


@borrowing
def stands(units: HasValues, groups: HasMarks, v: Marked, g: int) -> bool:
    """Whether a group is admissible as it is, as far as is known."""
    return fits(units, groups, v, g, -1, -1)


@borrowing
def box_without(
    codes: Ints, row: Ints, member: Ints, size: int, g: int, out: int, lo: Ints, hi: Ints, line: int
) -> None:
    """The box of a group of some size without a unit (-1: with all), to a line of `lo` and `hi`."""
    first = True
    for e in range(size):
        u = member[g, e]
        if u == out:
            continue
        r = row[u]
        for a in range(codes.shape[1]):
            x = codes[r, a]
            lo[line, a] = x if first else min(lo[line, a], x)
            hi[line, a] = x if first else max(hi[line, a], x)
        first = False


@borrowing
def entered(units: Units, geometry: Geometry, groups: Groups, v: Marked, g: int) -> None:
    """Write box, cost and mark of a group down, from its members."""
    size, lo, hi = groups.size[g], groups.lo, groups.hi
    box_without(geometry.codes, units.row, groups.member, size, g, -1, lo, hi, g)
    each = box_cost(geometry.weight, geometry.tree, geometry.side, geometry.table, lo, hi, g)
    groups.cost[g], groups.mark[g] = size * each, np.uint64(0)
    if len(v.within):
        groups.held[g] = 0
    for e in range(size):
        value = units.value[units.row[groups.member[g, e]]]
        if len(v.within):
            groups.held[g, value] += 1
        often = often_in(units.value, units.row, groups.member, e, g, value)
        groups.mark[g] += v.term[value, often + 1] - v.term[value, often]


@borrowing
def move(units: Units, geometry: Geometry, groups: Groups, v: Marked, u: int, into: int) -> None:
    """Move a unit to another group, perhaps one taken from the stack; a group that is empty goes onto it."""
    value, row, size, member, marks = units.value, units.row, groups.size, groups.member, groups.mark
    weight, tree, side, table = geometry.weight, geometry.tree, geometry.side, geometry.table
    g, r, codes, lo, hi, cost = groups.of[u], row[u], geometry.codes, groups.lo, groups.hi, groups.cost
    marks[g] = mark_after(value, row, member, size, marks, v.term, g, u, -1)
    last, total = member[g, size[g] - 1], groups.total
    member[g, groups.seat[u]], groups.seat[last] = last, groups.seat[u]
    size[g] -= 1
    total[1] -= cost[g]
    if size[g]:
        box_without(codes, row, member, size[g], g, -1, lo, hi, g)
    else:
        groups.free[total[0]] = g
        total[0] += 1
    cost[g] = size[g] * box_cost(weight, tree, side, table, lo, hi, g)
    first = size[into] == 0
    if first:
        marks[into] = np.uint64(0)
    if len(v.within):
        groups.held[g, value[r]] -= 1
        groups.held[into, value[r]] += 1
    marks[into] = mark_after(value, row, member, size, marks, v.term, into, -1, u)
    for a in range(codes.shape[1]):
        x = codes[r, a]
        lo[into, a] = x if first else min(lo[into, a], x)
        hi[into, a] = x if first else max(hi[into, a], x)
    member[into, size[into]], groups.seat[u], groups.of[u] = u, size[into], into
    size[into] += 1
    each = box_cost(weight, tree, side, table, lo, hi, into)
    total[1] += cost[g] + size[into] * each - cost[into]
    cost[into] = size[into] * each
