"""The compiled search for groups of points that pay, by reverse search: each is met once, none is missed.

Sizes are searched one by one. For size s, groups whose reduced cost is below a threshold are those in which
the weights of all pairs, which hold the duals and the threshold, add up to less than nothing (`weight`).
Taking out the member with the largest sum of weights to the others does not raise the mean weight of a pair.
So every such group is reached from a pair by groups whose weights add up to less than nothing, too, and by
one way only if a new member must be the one that would be taken out (of equal ones the last). Penalties of
cuts only grow with the group: they count against the sum as soon as they are met.

A row of several tuples has a place for each; a later place is taken only after the one before it.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ..covering import Ints
from ..kernels.keeping import counted_in, counted_out
from ..kernels.question import CutIndex

__all__ = ["PointDesk", "PointQuestion", "chosen", "desk", "lowered", "profits", "search"]


class PointQuestion(NamedTuple):
    """One size and its threshold.

    Attributes
    ----------
    pairs : shape (places, places)
        Costs of pairs.
    row, before : shape (places,)
        The row of each place, and the place of the same row that must be taken before it, or -1.
    dual : shape (places,)
        In 1 / scale of a cost.
    size, scale
    slack : int
        Groups of at most so much scaled reduced cost are sought.
    cuts : CutIndex
        By row.
    sure : int
        Penalty of every group of this size, beside those of `cuts`.
    block : shape (places,)
        Groups whose members have the same number here, not -1, are left out; see `blocks`.
    """

    pairs: Ints
    row: Ints
    before: Ints
    dual: Ints
    size: int
    scale: int
    slack: int
    cuts: CutIndex
    sure: int
    block: Ints


class PointDesk(NamedTuple):
    """Working memory of a thread: by number of members, and the group so far."""

    sums: Ints
    open: NDArray[np.int32]
    many: Ints
    at: Ints
    degree: Ints
    total: Ints
    penalty: Ints
    member: Ints
    touched: Ints


def desk(q: PointQuestion) -> PointDesk:
    """Working memory for one thread."""
    places, deep = len(q.row), q.size + 1

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return PointDesk(
        zeros(deep, places),
        np.zeros((deep, places), dtype=np.int32),
        zeros(deep),
        zeros(deep),
        zeros(deep, deep),
        zeros(deep),
        zeros(deep),
        zeros(deep),
        zeros(len(q.cuts.dual) + 1),
    )


@borrowing
def _open(q: PointQuestion, m: PointDesk, size: int, v: int) -> None:
    """Place `v` is member number `size - 1`: sums of weights to all places, and those that may be next."""
    places = len(q.row)
    times, own = (q.size - 1) * q.scale, q.size * q.dual[v] + 2 * (q.slack + q.scale)
    sums, line = m.sums[size], q.pairs[v]
    if size == 1:
        for u in range(places):
            sums[u] = times * line[u] - q.size * q.dual[u] - own
    else:
        above = m.sums[size - 1]
        for u in range(places):
            sums[u] = above[u] + times * line[u] - q.size * q.dual[u] - own
    limit = -m.total[size] - (size + 1) * size * m.penalty[size]
    many = 0
    first = m.member[0] + 1 if size == 1 else 0
    for u in range(first, places):
        if sums[u] < limit:
            m.open[size, many] = u
            many += 1
    m.many[size], m.at[size] = many, 0


@borrowing
def _next(q: PointQuestion, m: PointDesk, size: int) -> int:
    """The next place that may be member number `size`, with degrees written down; -1 if there is none."""
    times, shift = (q.size - 1) * q.scale, 2 * (q.slack + q.scale)
    while m.at[size] < m.many[size]:
        v = m.open[size, m.at[size]]
        m.at[size] += 1
        mine, fits = m.sums[size, v], q.before[v] < 0
        for a in range(size):
            u = m.member[a]
            if u == v:
                fits = False
                break
            if u == q.before[v]:
                fits = True
            weight = times * q.pairs[u, v] - q.size * (q.dual[u] + q.dual[v]) - shift
            degree = m.degree[size, a] + weight
            if degree > mine or (degree == mine and u > v):
                fits = False
                break
            m.degree[size + 1, a] = degree
        # A break before the one that must be there also ends here.
        if fits:
            m.degree[size + 1, size] = mine
            return v
    return -1


@borrowing
def _joined(q: PointQuestion, m: PointDesk, size: int, v: int) -> bool:
    """Make a place member number `size`, unless no group with it can be wanted."""
    m.member[size] = v
    m.total[size + 1] = m.total[size] + m.sums[size, v]
    m.penalty[size + 1] = m.penalty[size] - counted_in(q.cuts, m.touched, q.row[v])
    if m.total[size + 1] + (size + 1) * size * m.penalty[size + 1] < 0:
        return True
    counted_out(q.cuts, m.touched, q.row[v])
    return False


@borrowing
def _gain(q: PointQuestion, m: PointDesk) -> int:
    """Minus the scaled reduced cost of a group."""
    cost, dual = 0, 0
    for a in range(q.size):
        dual += q.dual[m.member[a]]
        for b in range(a):
            cost += q.pairs[m.member[b], m.member[a]]
    return dual - m.penalty[q.size] - q.scale * (cost // q.size)


@borrowing
def _crosses(q: PointQuestion, m: PointDesk) -> bool:
    """Whether a group lies in no block."""
    own = q.block[m.member[0]]
    crosses = own < 0
    for a in range(1, q.size):
        crosses = crosses or q.block[m.member[a]] != own
    return crosses


@borrowing
def _write(q: PointQuestion, m: PointDesk, gain: int, line: NDArray[np.int32], worst: Ints) -> None:
    share = -(-gain // q.size)
    for a in range(len(line)):
        line[a] = q.row[m.member[a]] if a < q.size else -1
    for a in range(q.size):
        r = q.row[m.member[a]]
        worst[r] = max(worst[r], share)


@borrowing
def search(
    q: PointQuestion,
    m: PointDesk,
    anchors: Ints,
    nodes: int,
    members: NDArray[np.int32],
    gains: Ints,
    worst: Ints,
) -> tuple[int, int, int]:
    """Find the groups that begin with some places; how many, and -1 if there was no room for all of them.

    Parameters
    ----------
    nodes
        After so many members that were put in at any place for one anchor, all is given up.
    members, gains, worst
        Filled: rows of groups, minus their reduced costs, and by row how much lower its dual would have to be
        if all members of a group shared what it lacks.
    """
    found, all_seen = 0, 0
    for i in anchors:
        if q.before[i] >= 0:
            continue
        seen, size = 0, 1
        m.member[0], m.total[1], m.degree[1, 0] = i, 0, 0
        m.penalty[1] = q.sure - counted_in(q.cuts, m.touched, q.row[i])
        _open(q, m, 1, i)
        while size >= 1:
            v = _next(q, m, size)
            if v < 0:
                size -= 1
                counted_out(q.cuts, m.touched, q.row[m.member[size]])
                continue
            seen += 1
            all_seen += 1
            if not _joined(q, m, size, v):
                continue
            size += 1
            if size < q.size:
                _open(q, m, size, v)
            full = seen > nodes
            if size == q.size:
                size -= 1
                counted_out(q.cuts, m.touched, q.row[v])
                gain = _gain(q, m)
                if -gain <= q.slack and _crosses(q, m):
                    if found < len(members):
                        gains[found] = gain
                        _write(q, m, gain, members[found], worst)
                        found += 1
                    else:
                        full = True
            if full:
                for a in range(size):
                    counted_out(q.cuts, m.touched, q.row[m.member[a]])
                return found, -1, all_seen
    return found, 0, all_seen


@compiled
def profits(
    lines: NDArray[np.int32], cost: Ints, dual: Ints, scale: int, cuts: CutIndex, touched: Ints
) -> Ints:
    """Minus the scaled reduced costs of groups."""
    found = np.zeros(len(lines), dtype=np.int64)
    for j in range(len(lines)):
        total = -cost[j] * scale
        for a in range(lines.shape[1]):
            r = lines[j, a]
            if r < 0:
                break
            total += dual[r] + counted_in(cuts, touched, r)
        for a in range(lines.shape[1]):
            r = lines[j, a]
            if r < 0:
                break
            counted_out(cuts, touched, r)
        found[j] = total
    return found


@compiled
def lowered(lines: NDArray[np.int32], profit: Ints, rows: int) -> Ints:
    """By how much duals must fall so that no group of a list pays: each group asks for what others left.

    One pass, groups of the largest profit first; the members of a group share what it still lacks.
    """
    by = np.zeros(rows, dtype=np.int64)
    for j in range(len(lines)):
        left, size = profit[j], 0
        for a in range(lines.shape[1]):
            if lines[j, a] < 0:
                break
            left -= by[lines[j, a]]
            size += 1
        if left > 0:
            for a in range(size):
                by[lines[j, a]] += -(-left // size)
    return by


@compiled
def chosen(lines: NDArray[np.int32], rows: int, often: int) -> NDArray[np.bool_]:
    """Groups in which some row is not yet in `often` groups before it."""
    times, kept = np.zeros(rows, dtype=np.int64), np.zeros(len(lines), dtype=np.bool_)
    for j in range(len(lines)):
        few = often
        for a in range(lines.shape[1]):
            if lines[j, a] >= 0:
                few = min(few, times[lines[j, a]])
        if few < often:
            kept[j] = True
            for a in range(lines.shape[1]):
                if lines[j, a] >= 0:
                    times[lines[j, a]] += 1
    return kept
