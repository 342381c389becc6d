"""The groups of one box, without a solver: whether one of the tried sizes pays among the rows of an interval.

Groups that are tried are those of the sizes of needed ones in which no value is more frequent than in all of
these: if none of them pays, no needed one does. Without cuts the best of a size takes rows by falling duals,
but not those whose value it has often enough. Where groups of any size need some different values, and
nothing else, it first takes the best row of one value after the other, until it has enough of them; then the
others in order, as many as the least size asks for, and whoever pays for its own place. (If a better group
lacks one of the first rows, exchange it for a row of its value, or of a value that is not needed.)

Cuts only take away, so where that group pays, groups are tried member by member, in the order of duals, as
long as the rest could pay without cuts.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import borrowing, compiled
from .listing_state import Penalties
from .rows import Ints

__all__ = [
    "LOW",
    "MOST_TRIED",
    "BoxMemory",
    "BoxNodes",
    "BoxQuestion",
    "Sizes",
    "largest",
    "memory_of",
    "placed",
    "put",
    "shown_to_pay",
    "without_cuts",
]

MOST_TRIED = 100_000_000
"""Partial groups that are looked at: a minute or two."""
LOW = -(1 << 62)


class BoxNodes(NamedTuple):
    """Attribute a has nodes ``start[a]`` to ``start[a + 1]``: codes `low` to `high` at a `price`.

    `free` says of which attributes all intervals are nodes.
    """

    start: Ints
    low: Ints
    high: Ints
    price: Ints
    free: NDArray[np.bool_]


class Sizes(NamedTuple):
    """Groups of ``least[k]`` to ``most[k]`` tuples have no value more than ``often[k]`` times, for each k.

    They have `different` values, at least. With `joined` any number of tuples may join a group.
    """

    least: Ints
    most: Ints
    often: Ints
    different: int
    joined: bool


class BoxQuestion(NamedTuple):
    """Duals, and what groups cost in them; `code` by attribute, the one that is walked along last.

    No group has fewer tuples than `fewest`, a value more often than `often`, or more tuples than `most`.
    """

    code: Ints
    nodes: BoxNodes
    step: int
    value: Ints
    counts: Ints
    dual: Ints
    scale: int
    sizes: Sizes
    fewest: int
    often: int
    most: int
    penalties: Penalties


class BoxMemory(NamedTuple):
    """What is open.

    Attributes
    ----------
    part, many, cost, hope, node
        By attribute: rows, how many, what the nodes so far cost, what the fewest rows would bring at that,
        the next node.
    there
        By attribute of which all intervals are nodes: how many rows have a code.
    row, copies, used
        Rows of the interval by falling dual; how often they may be taken, and are.
    touched
        Multipliers of the members in each cut.
    seen, more
        How often each value is among the members, and among rows that are put to them.
    before
        Whether a row of the interval is taken before all others; no, between two uses.
    item, following, profit
        By member: its place, the place where the next one may be, the profit with it.
    tried
        How many partial groups were looked at, and how many rows in nodes.
    """

    part: Ints
    many: Ints
    cost: Ints
    hope: Ints
    node: Ints
    there: Ints
    row: Ints
    copies: Ints
    used: Ints
    touched: Ints
    seen: Ints
    more: Ints
    before: Ints
    item: Ints
    following: Ints
    profit: Ints
    tried: Ints


def memory_of(levels: int, q: BoxQuestion, cuts: int) -> BoxMemory:
    """Room for a walk over so many attributes under so many cuts."""
    rows, values = len(q.code), int(q.value.max(initial=0)) + 1
    most = int(q.counts.sum()) if q.sizes.joined else q.most

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return BoxMemory(
        part=zeros(levels + 1, rows),
        many=zeros(levels + 1),
        cost=zeros(levels + 1),
        hope=zeros(levels + 1),
        node=zeros(levels + 1),
        there=zeros(levels, int(q.nodes.high.max(initial=0)) + 1),
        row=zeros(rows),
        copies=zeros(rows),
        used=zeros(rows),
        touched=zeros(cuts),
        seen=zeros(values),
        more=zeros(values),
        before=zeros(rows),
        item=zeros(most + 1),
        following=zeros(most + 1),
        profit=zeros(most + 1),
        tried=zeros(2),
    )


@compiled
def without_cuts(q: BoxQuestion, inside: Ints, cost: int) -> int:
    """What the fewest rows with the largest duals would bring, at most; `LOW` if there are too few.

    A row takes the place of the last of its value, if there are enough of these, or of the last of all.
    """
    found = LOW
    for k in range(len(q.sizes.least)):
        least, often, filled = q.sizes.least[k], q.sizes.often[k], 0
        top, kind = np.empty(least, dtype=np.int64), np.empty(least, dtype=np.int64)
        for r in inside:
            x, v = q.dual[r], q.value[r]
            for _ in range(min(q.counts[r], least)):
                if filled == least and x <= top[filled - 1]:
                    break
                same, last = 0, filled - 1
                for at in range(filled):
                    if kind[at] == v:
                        same += 1
                        last = at if same >= often else last
                out = last if same >= often else filled - 1
                if same >= often or filled == least:
                    if top[out] >= x:
                        break
                    for at in range(out, filled - 1):
                        top[at], kind[at] = top[at + 1], kind[at + 1]
                    filled -= 1
                at = filled
                while at > 0 and top[at - 1] < x:
                    top[at], kind[at] = top[at - 1], kind[at - 1]
                    at -= 1
                top[at], kind[at] = x, v
                filled += 1
        if filled == least:
            found = max(found, top.sum() - least * q.scale * cost)
    return found


@compiled
def largest(q: BoxQuestion, inside: Ints) -> tuple[int, int]:
    """Of the largest duals, as many as a group has at least: the sum of all but the last, and the last."""
    top, filled = np.full(q.fewest, LOW, dtype=np.int64), 0
    for r in inside:
        for _ in range(min(q.counts[r], q.fewest)):
            if q.dual[r] <= top[-1]:
                break
            at = min(filled, q.fewest - 1)
            while at > 0 and top[at - 1] < q.dual[r]:
                top[at] = top[at - 1]
                at -= 1
            top[at] = q.dual[r]
            filled = min(filled + 1, q.fewest)
    if filled < q.fewest:
        return LOW, LOW
    return top[:-1].sum(), top[-1]


@borrowing
def placed(q: BoxQuestion, m: BoxMemory, size: int, r: int) -> int:
    """Put a row among those of an interval, by falling dual; how many there are then."""
    at = size
    while at > 0 and q.dual[m.row[at - 1]] < q.dual[r]:
        m.row[at], m.copies[at] = m.row[at - 1], m.copies[at - 1]
        at -= 1
    m.row[at], m.copies[at] = r, min(q.counts[r], q.often)
    return size + 1


@borrowing
def put(q: BoxQuestion, m: BoxMemory, size: int, r: int, each: int) -> int:
    """Put a row in its place, and those out that no group could have; how many there are then.

    Without cuts those that come after enough tuples of their value are of no use; where any number may join,
    these are as many as a group has at least, and all that do not pay `each` are of no use after them.
    """
    size = placed(q, m, size, r)
    if len(q.penalties.cut):
        return size
    times, kept = 0, 0
    enough, paying = (q.fewest, each) if q.sizes.joined else (q.often, -LOW)
    for e in range(size):
        if q.value[m.row[e]] == q.value[r]:
            if times >= enough and q.dual[m.row[e]] <= paying:
                continue
            times += m.copies[e]
        m.row[kept], m.copies[kept] = m.row[e], m.copies[e]
        kept += 1
    return kept


@borrowing
def shown_to_pay(q: BoxQuestion, m: BoxMemory, size: int, each: int) -> bool:
    """Whether a group of so many rows pays, at so much for each member."""
    return _hope(q, m, size, each, 0, 0, 0) > 0 and (len(q.penalties.cut) == 0 or _tried(q, m, size, each))


@borrowing
def _hope(q: BoxQuestion, m: BoxMemory, size: int, each: int, members: int, begin: int, profit: int) -> int:
    """The most a group reaches without further cuts, with rows from a place on; `LOW` if there is none."""
    best = LOW
    for k in range(len(q.sizes.least)):
        total, taken, often, end = profit, members, q.sizes.often[k], begin
        if not _limited(q, m, members, often):
            continue
        missing, place = _missing(q, m, members), begin
        while missing > 0 and place < size:
            v = q.value[m.row[place]]
            if m.seen[v] + m.more[v] == 0 and m.copies[place] > m.used[place]:
                m.before[place], m.more[v] = 1, 1
                total, taken = total + q.dual[m.row[place]] - each, taken + 1
                missing -= 1
            place += 1
        while end < size and missing <= 0:
            r = m.row[end]
            gain, v = q.dual[r] - each, q.value[r]
            wanted = q.sizes.most[k] if gain > 0 else q.sizes.least[k]
            if taken >= wanted:
                break
            free = m.copies[end] - m.used[end] - m.before[end]
            times = min(free, wanted - taken, often - m.seen[v] - m.more[v])
            if times > 0:
                total, taken = total + times * gain, taken + times
                m.more[v] += times
            end += 1
        for e in range(begin, max(end, place)):
            m.more[q.value[m.row[e]]] = m.before[e] = 0
        if missing <= 0 and q.sizes.least[k] <= taken <= q.sizes.most[k]:
            best = max(best, total)
    return best


@borrowing
def _limited(q: BoxQuestion, m: BoxMemory, members: int, often: int) -> bool:
    """Whether no value is more frequent among the members."""
    limited = True
    for x in range(members):
        limited = limited and m.seen[q.value[m.row[m.item[x]]]] <= often
    return limited


@borrowing
def _missing(q: BoxQuestion, m: BoxMemory, members: int) -> int:
    """Different values that the members still lack, if there are to be more than one."""
    if q.sizes.different == 1:
        return 0
    missing = q.sizes.different
    for v in range(len(m.seen) if members else 0):
        missing -= m.seen[v] > 0
    return missing


@borrowing
def _complete(q: BoxQuestion, m: BoxMemory, members: int) -> bool:
    """Whether the members are a group that is tried."""
    if _missing(q, m, members) > 0:
        return False
    for k in range(len(q.sizes.least)):
        inside = q.sizes.least[k] <= members <= q.sizes.most[k]
        if inside and _limited(q, m, members, q.sizes.often[k]):
            return True
    return False


@borrowing
def _tried(q: BoxQuestion, m: BoxMemory, size: int, each: int) -> bool:
    """Whether a group of the interval pays with the cuts; members come in the order of the rows."""
    p, depth = q.penalties, 0
    m.following[0] = m.profit[0] = 0
    while True:
        e = m.following[depth]
        while e < size and m.used[e] == m.copies[e]:
            e += 1
        if (
            e < size
            and depth < q.most
            and m.tried[0] <= MOST_TRIED
            and _hope(q, m, size, each, depth, e, m.profit[depth]) > 0
        ):
            m.tried[0] += 1
            r = m.row[e]
            gain = q.dual[r] - each
            m.used[e] += 1
            m.seen[q.value[r]] += 1
            for x in range(p.start[r], p.start[r + 1]):
                c = p.cut[x]
                before = m.touched[c] // p.over[c]
                m.touched[c] += p.times[x]
                gain += p.dual[c] * (m.touched[c] // p.over[c] - before)
            m.item[depth], m.following[depth] = e, e + 1
            depth += 1
            m.following[depth], m.profit[depth] = e, m.profit[depth - 1] + gain
            if m.profit[depth] > 0 and _complete(q, m, depth):
                return True
            continue
        if depth == 0:
            return False
        depth -= 1
        e = m.item[depth]
        m.used[e] -= 1
        m.seen[q.value[m.row[e]]] -= 1
        for x in range(p.start[m.row[e]], p.start[m.row[e] + 1]):
            m.touched[p.cut[x]] -= p.times[x]
