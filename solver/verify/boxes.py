"""Whether a needed group pays, judged by its size and its most frequent value: all boxes are gone through.

A box holds all groups that cost at most its price per tuple. Every group lies in the box of the smallest
nodes, and the shortest interval, around it, and costs exactly that: duals are feasible if in no box, at its
price, a group has a profit above 0 (`listing` says what that is). Boxes are entered attribute by attribute,
each by its nodes (any interval of codes, if it has no taxonomy), the one with the most codes last: rows that
could not pay even for the attributes so far are left there. In the end intervals grow from each first code.

Groups that are tried are those of the sizes of needed ones in which no value is more frequent than in all of
these: if none of them pays, no needed one does. Without cuts the best of a size takes rows by falling duals,
but not those whose value it has often enough. Cuts only take away, so where that group pays, groups are tried
member by member, in the order of duals, as long as the rest could pay without cuts.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import inf
from time import perf_counter
from typing import NamedTuple

import numpy as np

from ...models.compiled import compiled
from .duals import ClaimedDuals
from .histograms import Needed
from .listing_search import Penalties
from .outcome import UndecidedError
from .rows import Boxes, CheckedRows, Ints

__all__ = ["Walk"]

MOST_ENTERED = 10_000_000_000
"""Rows of all boxes together; few are entered, as most could not pay long before."""
MOST_CODES = 1_000
"""Codes of an attribute of which all intervals are tried."""
MOST_TRIED = 100_000_000
"""Partial groups that are looked at: a minute or two."""
LOW = -(1 << 62)
AHEAD = 2
"""Attributes that are entered before the clock is looked at."""
PATIENCE = 0.5
"""Seconds that most walks need: a bound is not given up for less, however late it is."""


class _Nodes(NamedTuple):
    """Attribute a has nodes ``start[a]`` to ``start[a + 1]``: codes `low` to `high` at a `price`."""

    start: Ints
    low: Ints
    high: Ints
    price: Ints


class Sizes(NamedTuple):
    """Groups of ``least[k]`` to ``most[k]`` tuples have no value more than ``often[k]`` times, for each k."""

    least: Ints
    most: Ints
    often: Ints


class _BoxQuestion(NamedTuple):
    """Duals, and what groups cost in them; `code` by attribute, the one that is walked along last.

    No group has fewer tuples than `fewest`, a value more often than `often`, or more tuples than `most`.
    """

    code: Ints
    nodes: _Nodes
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


class _Memory(NamedTuple):
    """What is open.

    Attributes
    ----------
    part, many, cost, node
        By attribute: rows, how many, what the nodes so far cost, the next node.
    row, copies, used
        Rows of the interval by falling dual; how often they may be taken, and are.
    touched
        Multipliers of the members in each cut.
    seen, more
        How often each value is among the members, and among rows that are put to them.
    item, following, profit
        By member: its place, the place where the next one may be, the profit with it.
    tried
        How many partial groups were looked at.
    """

    part: Ints
    many: Ints
    cost: Ints
    node: Ints
    row: Ints
    copies: Ints
    used: Ints
    touched: Ints
    seen: Ints
    more: Ints
    item: Ints
    following: Ints
    profit: Ints
    tried: Ints


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A table of which all boxes can be gone through, for groups of some sizes."""

    rows: CheckedRows
    order: tuple[int, ...]
    nodes: tuple[tuple[tuple[int, int, int], ...], ...]
    sizes: Sizes

    @classmethod
    def of(cls, rows: CheckedRows, needed: Needed) -> Walk | None:
        """None if it matters which value it is, groups may have any size, or there are too many boxes."""
        sizes = _sizes(needed)
        if sizes is None:
            return None
        code, start = rows.boxes.code, rows.boxes.start
        many = [len(np.unique(code[:, a])) for a in range(code.shape[1])]
        free = [a for a in range(len(many)) if start[a] < 0]
        last = max(free, key=lambda a: many[a], default=None)
        others = [a for a in range(len(many)) if a != last]
        if any(many[a] > MOST_CODES for a in others):
            return None
        nodes = [_nodes(rows.boxes, a) for a in others]
        entered = np.ones(len(rows))
        for a, found in zip(others, nodes, strict=True):
            entered *= sum(((lo <= code[:, a]) & (code[:, a] <= hi)).astype(float) for lo, hi, _ in found)
        if float(entered.sum()) > MOST_ENTERED:
            return None
        order = (*others, *(() if last is None else (last,)))
        return cls(rows=rows, order=order, nodes=tuple(nodes), sizes=sizes)

    @property
    def by_size(self) -> bool:
        """Whether every group of a size is tried because it is needed: no value can be too frequent."""
        return bool((self.sizes.often >= self.sizes.most).all())

    def pays(self, duals: ClaimedDuals, over: Callable[[], bool] | None = None) -> bool:
        """Whether some group costs less than its duals.

        Raises
        ------
        UndecidedError
            If that cannot be told in time.
        """
        boxes, others = self.rows.boxes, len(self.nodes)
        code = boxes.code[:, list(self.order)]
        walked = code[:, -1] if len(self.order) > others else np.zeros(len(code), dtype=np.int64)
        step = int(boxes.price[self.order[-1]]) if len(self.order) > others else 0
        flat = [node for nodes in self.nodes for node in nodes]
        low, high, price = np.array(flat, dtype=np.int64).reshape(-1, 3).T.copy()
        asked = _BoxQuestion(
            np.column_stack([code[:, :others], walked]).astype(np.int64),
            _Nodes(np.cumsum([0, *map(len, self.nodes)]).astype(np.int64), low, high, price),
            step,
            self.rows.value,
            self.rows.count,
            duals.rows,
            duals.scale,
            self.sizes,
            int(self.sizes.least.min()),
            int(self.sizes.often.max()),
            int(self.sizes.most.max()),
            duals.penalties(),
        )
        memory = _memory(others, asked, len(duals.cuts))
        order = np.argsort(walked, kind="stable").astype(np.int64)
        until = inf  # the first boxes may wait for the compiler, which hears no clock
        for chosen in product(*self.nodes[:AHEAD]):
            inside, cost = order, 0
            for a, (lo, hi, each) in enumerate(chosen):
                inside, cost = inside[(lo <= code[inside, a]) & (code[inside, a] <= hi)], cost + each
            if over is not None and over() and perf_counter() > until:
                raise UndecidedError("not all boxes could be gone through in time")
            if _entered(asked, memory, min(AHEAD, others), inside, cost):
                return True
            if until == inf:
                until = perf_counter() + PATIENCE
            if memory.tried[0] > MOST_TRIED:
                raise UndecidedError("there are too many groups to be tried under the cuts")
        return False


def _memory(levels: int, q: _BoxQuestion, cuts: int) -> _Memory:
    rows, most, values = len(q.code), q.most, int(q.value.max(initial=0)) + 1

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return _Memory(
        part=zeros(levels + 1, rows),
        many=zeros(levels + 1),
        cost=zeros(levels + 1),
        node=zeros(levels + 1),
        row=zeros(rows),
        copies=zeros(rows),
        used=zeros(rows),
        touched=zeros(cuts),
        seen=zeros(values),
        more=zeros(values),
        item=zeros(most + 1),
        following=zeros(most + 1),
        profit=zeros(most + 1),
        tried=zeros(1),
    )


def _sizes(needed: Needed) -> Sizes | None:
    """How often a value is in needed groups of each size, at most; sizes of one limit together."""
    if needed.beyond or not needed.alike:
        return None
    # Steps lead to larger groups, and say how often the new tuple's value was there before.
    size, often = {0: 0}, {0: 0}
    edge = [0]
    while edge:
        state = edge.pop()
        for label, after in enumerate(needed.step[state].tolist()):
            if after >= 0:
                if after not in size:
                    edge.append(after)
                size[after], often[after] = size[state] + 1, max(often[state], label + 1)
    limit: dict[int, int] = {}
    for state in np.flatnonzero(needed.whole).tolist():
        limit[size[state]] = max(limit.get(size[state], 0), often[state])
    if not limit:
        return None
    found: list[list[int]] = []
    for tuples, times in sorted(limit.items()):
        known = max(limit) if times == tuples else times
        if found and found[-1][1:] == [tuples - 1, known]:
            found[-1][1] = tuples
        else:
            found.append([tuples, tuples, known])
    return Sizes(*np.array(found, dtype=np.int64).T.copy())


def _nodes(boxes: Boxes, a: int) -> tuple[tuple[int, int, int], ...]:
    """Codes from, to and price of the nodes of an attribute, each the smallest one around its codes."""
    if boxes.start[a] < 0:
        known, each = np.unique(boxes.code[:, a]).tolist(), int(boxes.price[a])
        return tuple((x, y, each * (y - x)) for i, x in enumerate(known) for y in known[i:])
    side = int(boxes.side[a])
    price = boxes.table[boxes.start[a] : boxes.start[a] + side * side].reshape(side, side)
    return tuple(
        (x, y, int(price[x, y]))
        for x in range(side)
        for y in range(x, side)
        if (x == 0 or price[x - 1, y] > price[x, y]) and (y == side - 1 or price[x, y + 1] > price[x, y])
    )


@compiled
def _entered(q: _BoxQuestion, m: _Memory, begin: int, inside: Ints, cost: int) -> bool:
    """Whether a group pays among rows (by code of the last attribute) at what the nodes so far cost."""
    levels, level = len(q.nodes.start) - 1, begin
    if _without_cuts(q, inside, cost) <= 0:
        return False
    m.part[level, : len(inside)] = inside
    m.many[level], m.cost[level], m.node[level] = len(inside), cost, q.nodes.start[level]
    while level >= begin:
        n, part = m.node[level], m.part[level, : m.many[level]]
        if level == levels:
            if _grown(q, m, part, m.cost[level]):
                return True
            level -= 1
            continue
        if n == q.nodes.start[level + 1]:
            level -= 1
            continue
        m.node[level] += 1
        size, low, high = 0, q.nodes.high[n], q.nodes.low[n]
        for r in part:
            x = q.code[r, level]
            if q.nodes.low[n] <= x <= q.nodes.high[n]:
                m.part[level + 1, size] = r
                size += 1
                low, high = min(low, x), max(high, x)
        # Where a smaller node has the same rows, they cost less there.
        tight = size > 0
        for o in range(q.nodes.start[level], q.nodes.start[level + 1]):
            if q.nodes.low[o] <= low and high <= q.nodes.high[o] and q.nodes.price[o] < q.nodes.price[n]:
                tight = False
                break
        more = m.cost[level] + q.nodes.price[n]
        if tight and _without_cuts(q, m.part[level + 1, :size], more) > 0:
            level += 1
            m.many[level], m.cost[level], m.node[level] = size, more, q.nodes.start[level]
    return False


@compiled
def _without_cuts(q: _BoxQuestion, inside: Ints, cost: int) -> int:
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
def _put(q: _BoxQuestion, m: _Memory, size: int, r: int) -> int:
    """Put a row among those of an interval, by falling dual; how many there are then.

    Without cuts those that come after enough tuples of their value are of no use.
    """
    at = size
    while at > 0 and q.dual[m.row[at - 1]] < q.dual[r]:
        m.row[at], m.copies[at] = m.row[at - 1], m.copies[at - 1]
        at -= 1
    m.row[at], m.copies[at] = r, min(q.counts[r], q.often)
    size += 1
    if len(q.penalties.cut):
        return size
    times, kept = 0, 0
    for e in range(size):
        if q.value[m.row[e]] == q.value[r]:
            if times >= q.often:
                continue
            times += m.copies[e]
        m.row[kept], m.copies[kept] = m.row[e], m.copies[e]
        kept += 1
    return kept


@compiled
def _grown(q: _BoxQuestion, m: _Memory, inside: Ints, cost: int) -> bool:
    """Whether a group pays in an interval of the last attribute."""
    last = q.code.shape[1] - 1
    for i in range(len(inside)):
        first = q.code[inside[i], last]
        if i > 0 and q.code[inside[i - 1], last] == first:
            continue
        best = _without_cuts(q, inside[i:], cost)
        if best <= 0:
            return False
        size = 0
        for j in range(i, len(inside)):
            r = inside[j]
            wide = q.scale * q.step * (q.code[r, last] - first)
            if best <= q.fewest * wide:
                break
            size = _put(q, m, size, r)
            if j + 1 < len(inside) and q.code[inside[j + 1], last] == q.code[r, last]:
                continue
            each = q.scale * cost + wide
            if _hope(q, m, size, each, 0, 0, 0) > 0 and (
                len(q.penalties.cut) == 0 or _tried(q, m, size, each)
            ):
                return True
    return False


@compiled
def _hope(q: _BoxQuestion, m: _Memory, size: int, each: int, members: int, begin: int, profit: int) -> int:
    """The most a group reaches without further cuts, with rows from a place on; `LOW` if there is none."""
    best = LOW
    for k in range(len(q.sizes.least)):
        total, taken, often, end = profit, members, q.sizes.often[k], begin
        if not _limited(q, m, members, often):
            continue
        while end < size:
            r = m.row[end]
            gain, v = q.dual[r] - each, q.value[r]
            wanted = q.sizes.most[k] if gain > 0 else q.sizes.least[k]
            if taken >= wanted:
                break
            times = min(m.copies[end] - m.used[end], wanted - taken, often - m.seen[v] - m.more[v])
            if times > 0:
                total, taken = total + times * gain, taken + times
                m.more[v] += times
            end += 1
        for e in range(begin, end):
            m.more[q.value[m.row[e]]] = 0
        if q.sizes.least[k] <= taken <= q.sizes.most[k]:
            best = max(best, total)
    return best


@compiled
def _limited(q: _BoxQuestion, m: _Memory, members: int, often: int) -> bool:
    """Whether no value is more frequent among the members."""
    limited = True
    for x in range(members):
        limited = limited and m.seen[q.value[m.row[m.item[x]]]] <= often
    return limited


@compiled
def _complete(q: _BoxQuestion, m: _Memory, members: int) -> bool:
    """Whether the members are a group that is tried."""
    for k in range(len(q.sizes.least)):
        inside = q.sizes.least[k] <= members <= q.sizes.most[k]
        if inside and _limited(q, m, members, q.sizes.often[k]):
            return True
    return False


@compiled
def _tried(q: _BoxQuestion, m: _Memory, size: int, each: int) -> bool:
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
