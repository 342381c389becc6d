"""The best group of a box at integer duals. Compiled.

In a box all tuples cost the same, so without cuts the best group of some sizes, no value more often than
they allow, has the largest duals (such sets are a matroid): as many as a group has to have, and more while
they pay. If it must have so many different values, it has the best tuples of the values whose best are best
(whatever group lacks one of them may have it for another tuple that brings no more), then the largest duals
of all others.

Cuts only take away. Where the best group without them pays, the best with them is found depth first, bounded
by what the rest would bring without them.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from ....models.compiled import borrowing
from ..kernels.keeping import counted_in, counted_out
from .desk import Desk
from .question import NONE, ScanInput

__all__ = ["filled", "of_box", "put_in"]

CUT_SHORT = -1
"""A search that ended at its limit."""


@borrowing
def put_in(q: ScanInput, d: Desk, size: int, r: int, kept: int, pays: int) -> int:
    """Put a row in its place, and drop those of its value that no group could have; the new size.

    That is where so many as are `kept` come before, unless its dual is above what `pays` its own way. A
    negative number keeps all.
    """
    x, v, p = q.dual[r], q.value[r], size
    if size == 0:
        d.worst[:] = NONE
    if x <= d.worst[v] and x <= pays:
        return size
    while p > 0 and q.dual[d.row[p - 1]] < x:
        d.row[p], d.copies[p] = d.row[p - 1], d.copies[p - 1]
        p -= 1
    d.row[p], d.copies[p] = r, min(q.counts[r], q.form.often)
    size += 1
    if kept < 0:
        return size
    before, end = 0, 0
    for e in range(size):
        same = q.value[d.row[e]] == v
        if same and before >= kept and q.dual[d.row[e]] <= pays:
            continue
        if same:
            before += d.copies[e]
            d.worst[v] = q.dual[d.row[e]] if before >= kept else NONE
        if end < e:
            d.row[end], d.copies[end] = d.row[e], d.copies[e]
        end += 1
    return end


@borrowing
def _lacking(q: ScanInput, d: Desk, depth: int) -> int:
    """How many more different values the members so far must be joined by."""
    lacking = q.form.values if q.form.values > 1 else 0
    for v in range(len(d.often) if lacking and depth else 0):
        lacking -= d.often[v] > 0
    return lacking


@borrowing
def filled(
    q: ScanInput, d: Desk, size: int, cost: int, depth: int, first: int, profit: int
) -> tuple[int, int]:
    """Profit and size of the best group without further cuts, beginning with the members so far.

    Others are items from `first` on; their rows are in `tried`, after the places of the members.
    """
    best, many, f = NONE, 0, q.form
    lacking = _lacking(q, d, depth)
    d.tries[0] += 1
    for x in range(len(f.cap)):
        total, taken, cap, able = profit, depth, f.cap[x], depth <= f.high[x]
        for y in range(depth):
            able = able and d.often[q.value[d.row[d.item[y]]]] <= cap
        if not able:
            continue
        left, found = lacking, first
        while left > 0 and found < size:
            r = d.row[found]
            v = q.value[r]
            if d.often[v] == 0 and d.more[v] == 0 and d.used[found] < d.copies[found]:
                d.first[found], d.more[v], d.other[taken] = 1, 1, r
                total += q.dual[r] - cost
                taken += 1
                left -= 1
            found += 1
        end = first
        while end < size:
            r = d.row[end]
            v, gain = q.value[r], q.dual[r] - cost
            wanted = f.high[x] if gain > 0 else f.low[x]
            if taken >= wanted or left > 0:
                break
            much = d.copies[end] - d.used[end] - d.first[end]
            much = min(much, cap - d.often[v] - d.more[v], wanted - taken)
            for _ in range(much):
                d.other[taken] = r
                taken += 1
            total += max(0, much) * gain
            d.more[v] += max(0, much)
            end += 1
        for e in range(first, max(end, found)):
            d.more[q.value[d.row[e]]] = d.first[e] = 0
        if taken >= f.low[x] and left <= 0 and total > best:
            best, many = total, taken
            for y in range(depth, taken):
                d.tried[y] = d.other[y]
    return best, many


@borrowing
def _whole(q: ScanInput, d: Desk, depth: int) -> bool:
    """Whether the members so far are a group of the form."""
    f = q.form
    if _lacking(q, d, depth) > 0:
        return False
    for x in range(len(f.cap)):
        able = f.low[x] <= depth <= f.high[x]
        for y in range(depth):
            able = able and d.often[q.value[d.row[d.item[y]]]] <= f.cap[x]
        if able:
            return True
    return False


@borrowing
def _take(q: ScanInput, d: Desk, depth: int, e: int, cost: int) -> None:
    """Item e as the next member."""
    d.used[e] += 1
    d.often[q.value[d.row[e]]] += 1
    d.item[depth] = e
    bring = q.dual[d.row[e]] + counted_in(q.cuts, d.touched, d.row[e])
    d.value[depth + 1] = d.value[depth] + bring - cost


@borrowing
def _drop(q: ScanInput, d: Desk, depth: int) -> None:
    e = d.item[depth]
    d.used[e] -= 1
    d.often[q.value[d.row[e]]] -= 1
    counted_out(q.cuts, d.touched, d.row[e])


@borrowing
def _deeper(
    q: ScanInput, d: Desk, size: int, cost: int, begun: int, best: int, room: int
) -> tuple[int, int, int]:
    """The best group beyond `best` with the first `begun` members: profit, size (0: none), nodes (or -1).

    More than `room` nodes are not looked at.
    """
    depth, found, nodes = begun, 0, 0
    d.following[depth] = 0
    if d.value[begun] > best and _whole(q, d, begun):
        best, found = d.value[begun], begun
        for x in range(begun):
            d.group[x] = d.row[d.item[x]]
    while True:
        e = d.following[depth]
        while e < size and d.used[e] >= d.copies[e]:
            e += 1
        if (
            nodes >= 0
            and e < size
            and (depth < q.form.most or q.form.endless)
            and filled(q, d, size, cost, depth, e, d.value[depth])[0] > best
        ):
            nodes += 1
            if nodes > room:
                nodes = CUT_SHORT
                continue
            _take(q, d, depth, e, cost)
            d.following[depth] = e + 1
            depth += 1
            d.following[depth] = e
            if d.value[depth] > best and _whole(q, d, depth):
                best, found = d.value[depth], depth
                for x in range(depth):
                    d.group[x] = d.row[d.item[x]]
            continue
        if depth == begun:
            return best, found, nodes
        depth -= 1
        _drop(q, d, depth)


@borrowing
def of_box(q: ScanInput, d: Desk, size: int, a: int, b: int, cost: int, best: int) -> tuple[int, int, bool]:
    """The best group beyond `best` with members at both ends: profit, size (0: none), whether it is sure."""
    if len(q.cuts.cut) == 0:
        profit, many = filled(q, d, size, cost, 0, 0, 0)
        for x in range(many):
            d.group[x] = d.tried[x]
        return (profit, many, True) if profit > best else (best, 0, True)
    found, room = 0, q.nodes
    d.value[0] = 0
    for e in range(size):
        if room < 0 or q.grid.code[d.row[e]] != b:
            continue
        _take(q, d, 0, e, cost)
        for f in range(size if a < b else 1):
            if room < 0 or (a < b and q.grid.code[d.row[f]] != a):
                continue
            begun = 1
            if a < b:
                _take(q, d, 1, f, cost)
                begun = 2
            profit, many, nodes = _deeper(q, d, size, cost, begun, best, room)
            room = CUT_SHORT if nodes < 0 else room - nodes
            if many:
                best, found = profit, many
            if a < b:
                _drop(q, d, 1)
        _drop(q, d, 0)
    return best, found, room >= 0
