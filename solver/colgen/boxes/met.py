"""Groups in boxes that leave each member enough of the values its earlier groups have in common. Compiled.

Every member has a mask, the values that all of its earlier groups publish. A group keeps the masks if its
own values meet that of each member in as many as are needed.

In a box all tuples cost the same. Without masks the best group has all that pay their own way, and more up to
the least size. If these are too few values for a member, another value of its mask is needed, or it is not in
the group. So values are taken in or left out one by one, depth first: what those allowed bring at most bounds
the rest. *Allowed* is who meets the values of all others that are allowed in enough.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing
from ..covering import Ints
from .desk import BestGroups, keep, lower_duals
from .question import NONE, BoxGrid
from .scan import promising

__all__ = ["MetDesk", "MetInput", "met_desk", "walk_met"]


class MetInput(NamedTuple):
    """What is searched: groups of at least `least` rows that keep the masks; duals in 1 / `scale` of a cost.

    At most `nodes` choices are looked at in a box.
    """

    grid: BoxGrid
    value: Ints
    counts: Ints
    mask: Ints
    dual: Ints
    scale: int
    least: int
    needed: int
    nodes: int


class MetDesk(NamedTuple):
    """Working memory.

    Attributes
    ----------
    row : int64 array
        Of the interval, by falling dual.
    allowed : bool array
        Whether a row of the interval is allowed.
    first : int64 array
        Of each value, the place of its best allowed row; -1 if it has none.
    group, tried : int64 arrays
        Members of the best group, and of the one at hand.
    ins, outs : int64 arrays
        Values that are to be in the group, and out of it, of choices that wait.
    times : int64 array
        0 for each row, between two uses.
    tries : shape (1,)
        How often values were chosen.
    """

    row: Ints
    allowed: NDArray[np.bool_]
    first: Ints
    group: Ints
    tried: Ints
    ins: Ints
    outs: Ints
    times: Ints
    tries: Ints


def met_desk(asked: MetInput) -> MetDesk:
    """Working memory for one thread."""
    rows, tuples, values = len(asked.value), int(asked.counts.sum()), int(asked.value.max(initial=0)) + 1

    def zeros(places: int) -> Ints:
        return np.zeros(places, dtype=np.int64)

    return MetDesk(
        row=zeros(rows),
        allowed=np.zeros(rows, dtype=np.bool_),
        first=zeros(values),
        group=zeros(tuples),
        tried=zeros(tuples),
        ins=zeros(values + 2),
        outs=zeros(values + 2),
        times=zeros(rows),
        tries=zeros(1),
    )


@borrowing
def _enough(mask: int, needed: int) -> bool:
    """Whether a set has so many values."""
    for _ in range(needed - 1):
        mask &= mask - 1
    return mask != 0


@borrowing
def _allow(q: MetInput, d: MetDesk, size: int, out: int) -> int:
    """Find who is allowed without some values; the values of these."""
    inside, before = ~out, np.int64(0)
    while inside != before:
        before, inside = inside, np.int64(0)
        d.first[:] = -1
        for e in range(size):
            r = d.row[e]
            bit = np.int64(1) << q.value[r]
            d.allowed[e] = before & bit != 0 and _enough(q.mask[r] & before, q.needed)
            if d.allowed[e]:
                inside |= bit
                if d.first[q.value[r]] < 0:
                    d.first[q.value[r]] = e
    return inside


@borrowing
def _put_together(q: MetInput, d: MetDesk, size: int, cost: int, wanted: int) -> tuple[int, int]:
    """The best rows that are allowed, masks apart, with all values wanted: profit and how many, in `tried`.

    No profit if they are too few.
    """
    total, many = np.int64(0), 0
    for v in range(len(d.first)):
        e = d.first[v]
        if wanted >> v & 1 and q.dual[d.row[e]] <= cost:
            d.tried[many] = d.row[e]
            total += q.dual[d.row[e]] - cost
            many += 1
    forced = many
    for e in range(size):
        gain = q.dual[d.row[e]] - cost
        if gain <= 0:
            break
        for _ in range(q.counts[d.row[e]] if d.allowed[e] else 0):
            d.tried[many] = d.row[e]
            total += gain
            many += 1
    e = 0
    while many < q.least and e < size:
        r = d.row[e]
        gain, left = q.dual[r] - cost, q.counts[r] if d.allowed[e] and q.dual[r] <= cost else 0
        for x in range(forced):
            left -= d.tried[x] == r
        while left > 0 and many < q.least:
            d.tried[many] = r
            total += gain
            many += 1
            left -= 1
        e += 1
    return (total, many) if many >= q.least else (NONE, 0)


@borrowing
def _missing(q: MetInput, d: MetDesk, many: int) -> int:
    """A member that the rows at hand leave too few values, -1 if there is none."""
    values = np.int64(0)
    for x in range(many):
        values |= np.int64(1) << q.value[d.tried[x]]
    for x in range(many):
        if not _enough(q.mask[d.tried[x]] & values, q.needed):
            return d.tried[x]
    return -1


@borrowing
def _value_for(q: MetInput, d: MetDesk, r: int, many: int, inside: int) -> int:
    """A value that is allowed, in a row's mask and not among the rows at hand: the one whose best is best."""
    left = q.mask[r] & inside
    for x in range(many):
        left &= ~(np.int64(1) << q.value[d.tried[x]])
    found = -1
    for v in range(len(d.first)):
        if left >> v & 1 and (found < 0 or d.first[v] < d.first[found]):
            found = v
    return found


@borrowing
def _best(q: MetInput, d: MetDesk, size: int, cost: int, best: int) -> tuple[int, int, bool]:
    """The best group of the interval beyond `best`: profit, size (0: none), whether it is sure."""
    found, waiting, nodes = 0, 1, 0
    d.ins[0], d.outs[0] = 0, 0
    while waiting > 0:
        waiting -= 1
        wanted, out = d.ins[waiting], d.outs[waiting]
        nodes += 1
        if nodes > q.nodes:
            return best, found, False
        inside = _allow(q, d, size, out)
        if wanted & ~inside != 0:
            continue
        profit, many = _put_together(q, d, size, cost, wanted)
        if profit <= best:
            continue
        lacks = _missing(q, d, many)
        if lacks < 0:
            best, found = profit, many
            for x in range(many):
                d.group[x] = d.tried[x]
            continue
        bit = np.int64(1) << _value_for(q, d, lacks, many, inside)
        d.ins[waiting], d.outs[waiting] = wanted, out | bit
        d.ins[waiting + 1], d.outs[waiting + 1] = wanted | bit, out
        waiting += 2
    d.tries[0] += nodes
    return best, found, True


@borrowing
def _largest(q: MetInput, c: int) -> tuple[int, int]:
    """Of the largest duals of a cell, as many as a group needs: the sum of all but the last, and the last."""
    others, last, left, above = np.int64(0), np.int64(NONE), q.least, np.int64(-NONE)
    while left > 0:
        best, copies = np.int64(NONE), np.int64(0)
        for e in range(q.grid.start[c], q.grid.start[c + 1]):
            x = q.dual[q.grid.row[e]]
            if best < x < above:
                best, copies = x, 0
            if x == best:
                copies += q.counts[q.grid.row[e]]
        if copies == 0:
            return others, np.int64(NONE)
        taken = min(left, copies)
        left -= taken
        others += (taken if left > 0 else taken - 1) * best
        last, above = best, best
    return others, last


@borrowing
def _insert(q: MetInput, d: MetDesk, size: int, r: int) -> int:
    """Put a row in its place; how many there are then."""
    p = size
    while p > 0 and q.dual[d.row[p - 1]] < q.dual[r]:
        d.row[p] = d.row[p - 1]
        p -= 1
    d.row[p] = r
    return size + 1


@borrowing
def _lowered(q: MetInput, d: MetDesk, size: int, cost: int, found: BestGroups) -> int:
    """Lower duals until no group of the interval pays; how many searches were cut short."""
    short = 0
    while True:
        profit, many, sure = _best(q, d, size, cost, 0)
        if not sure:  # what is allowed is made not to pay, whatever its masks
            short += 1
            _allow(q, d, size, 0)
            profit, many = _put_together(q, d, size, cost, 0)
            for x in range(many):
                d.group[x] = d.tried[x]
        if many == 0:
            return short
        lower_duals(d.group, many, d.times, q.counts, profit, q.dual)
        if sure and many <= found.member.shape[2]:
            keep(found, d.group, many, profit)
        for e in range(1, size):
            r, p = d.row[e], e
            while p > 0 and q.dual[d.row[p - 1]] < q.dual[r]:
                d.row[p] = d.row[p - 1]
                p -= 1
            d.row[p] = r


@borrowing
def walk_met(q: MetInput, cells: Ints, d: MetDesk, found: BestGroups, lower: bool) -> int:
    """Go through some cells; returns how many searches were cut short.

    Finds the best groups from each first code or, with `lower`, lowers the question's duals until none pays,
    and finds groups that did.
    """
    g, short = q.grid, 0
    for c in cells:
        others, last = _largest(q, c)
        at, end = g.start[c], g.start[c + 1]
        if last == NONE:
            continue
        while at < end:
            a, i, size, best = g.code[g.row[at]], at, 0, 0
            following = at
            while following < end and g.code[g.row[following]] == a:
                following += 1
            while i < end:
                b = g.code[g.row[i]]
                cost = q.scale * (g.cost[c] + g.weight * (b - a))
                if others + last <= q.least * cost and last <= cost:
                    break
                while i < end and g.code[g.row[i]] == b:
                    if promising(q.dual[g.row[i]], q.least, cost, others, last):
                        size = _insert(q, d, size, g.row[i])
                    i += 1
                if lower:
                    short += _lowered(q, d, size, cost, found)
                    continue
                profit, many, sure = _best(q, d, size, cost, best)
                short += not sure
                if many:
                    best = profit
                    if many <= found.member.shape[2]:
                        keep(found, d.group, many, profit)
            at = following
    return short
