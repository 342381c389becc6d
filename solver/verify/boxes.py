"""Whether a needed group pays, judged by its size and its most frequent value: all boxes are gone through.

A box holds all groups that cost at most its price per tuple. Every group lies in the box of the smallest
nodes, and the shortest interval, around it, and costs exactly that: duals are feasible if in no box, at its
price, a group has a profit above 0 (`listing` says what that is). Boxes are entered attribute by attribute,
each by its nodes (any interval of codes, if it has no taxonomy), the one with the most codes last: rows that
could not pay even for the attributes so far are left there. In the end intervals grow from each first code.

Which groups are tried in a box is said in `box_groups`.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import borrowing, compiled
from ...models.copying import copy_row
from ...models.moment import moment
from .box_groups import (
    MOST_TRIED,
    BoxMemory,
    BoxNodes,
    BoxQuestion,
    Sizes,
    largest,
    memory_of,
    placed,
    put,
    shown_to_pay,
    without_cuts,
)
from .duals import ClaimedDuals
from .histograms import ENDLESS, Needed
from .met_groups import MetAsked, MetMemory, met_memory, met_pays
from .outcome import UndecidedError
from .rows import Boxes, CheckedRows, Ints
from .shares_groups import SharesAsked, SharesMemory, shares_memory, shares_pay

__all__ = ["Walk"]

MOST_ENTERED = 10_000_000_000
"""Rows of all boxes together that are entered: some minutes. Most could not pay long before."""
MOST_CODES = 1_000
"""Codes of an attribute of which all intervals are tried."""
AHEAD = 2
"""Attributes that are entered before the clock is looked at."""
PATIENCE = 0.5
"""Seconds that most walks need: a bound is not given up for less, however late it is."""


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A table of which all boxes can be gone through, for groups of some sizes.

    Attributes
    ----------
    rows : CheckedRows
    code : shape (rows, attributes)
        Codes; of which all intervals are nodes they are numbered, and the last attribute's are as they are.
    order, nodes, sizes
    near : SharesAsked, MetAsked or None
        What is asked besides a least size, if it is that.
    """

    rows: CheckedRows
    code: Ints
    order: tuple[int, ...]
    nodes: tuple[tuple[tuple[int, int, int], ...], ...]
    sizes: Sizes
    near: SharesAsked | MetAsked | None

    @classmethod
    def of(
        cls, rows: CheckedRows, needed: Needed | None, near: SharesAsked | MetAsked | None = None
    ) -> Walk | None:
        """None if it matters which value it is, groups may have any size, or there are too many boxes.

        Unless values are to be `near` the table's or to meet masks, and nothing else is asked but a size.
        """
        sizes = None if needed is None else _sizes(needed)
        if sizes is not None:
            near = None
        elif near is not None:
            sizes = _from(near.least, 1)
        if sizes is None:
            return None
        code, start = rows.boxes.code.copy(), rows.boxes.start
        many = [len(np.unique(code[:, a])) for a in range(code.shape[1])]
        free = [a for a in range(len(many)) if start[a] < 0]
        last = max(free, key=lambda a: many[a], default=None)
        # Taxonomies first, those of many codes before others: little is left to enter after them.
        others = sorted((a for a in range(len(many)) if a != last), key=lambda a: (a in free, -many[a]))
        if any(many[a] > MOST_CODES for a in others):
            return None
        nodes = [_nodes(rows.boxes, a) for a in others]
        for a in others:
            if a in free:
                code[:, a] = np.unique(code[:, a], return_inverse=True)[1]
        entered = np.ones(len(rows))
        for a, found in zip(others, nodes, strict=True):
            entered *= _covering(found, int(code[:, a].max()))[code[:, a]]
        # Under taxonomies most of them are never entered; numbers alone are told apart sooner as groups.
        if len(free) == len(many) and float(entered.sum()) > MOST_ENTERED:
            return None
        order = (*others, *(() if last is None else (last,)))
        return cls(rows=rows, code=code, order=order, nodes=tuple(nodes), sizes=sizes, near=near)

    @property
    def exact(self) -> bool:
        """Whether every group that is tried keeps what is asked: no value can be too frequent."""
        if isinstance(self.near, SharesAsked):
            return self.near.values.exact
        return bool((self.sizes.often >= self.sizes.most).all())

    def pays(self, duals: ClaimedDuals, over: Callable[[], bool] | None = None, workers: int = 1) -> bool:
        """Whether some group costs less than its duals; boxes are shared out to threads.

        Raises
        ------
        UndecidedError
            If that cannot be told in time.
        """
        asked, last = self._asked(duals)
        order = np.argsort(last, kind="stable").astype(np.int64)
        # Intervals after the first attribute are left to the compiled walk, which passes most of them over.
        begin = min(AHEAD, len(self.nodes))
        begin = min(begin, max(1, int(np.argmax(np.append(asked.nodes.free, True)))))
        memories = [memory_of(len(self.nodes), asked, len(duals.cuts)) for _ in range(workers)]

        near, values = self.near, int(self.rows.value.max(initial=0)) + 1
        shares = [shares_memory(near) if isinstance(near, SharesAsked) else None for _ in range(workers)]
        masks = [met_memory(near, values) if isinstance(near, MetAsked) else None for _ in range(workers)]

        def entered(worker: int, first: int, until: int | None = None) -> Iterator[bool]:
            for box in islice(product(*self.nodes[:begin]), first, until, workers):
                inside, cost = order, 0
                for a, (lo, hi, each) in enumerate(box):
                    code = asked.code[inside, a]
                    inside, cost = inside[(lo <= code) & (code <= hi)], cost + each
                yield _entered(asked, memories[worker], shares[worker], masks[worker], begin, inside, cost)
                if sum(int(memory.tried[0]) for memory in memories) > MOST_TRIED:
                    raise UndecidedError("there are too many groups to be tried under the cuts")
                if sum(int(memory.tried[1]) for memory in memories) > MOST_ENTERED:
                    raise UndecidedError("there are too many boxes to be gone through")

        if any(entered(0, 0, 1)):  # it may wait for the compiler, which hears no clock
            return True
        patient = moment() + PATIENCE

        def some(worker: int) -> bool:
            for pays in entered(worker, 1 + worker):
                if pays:
                    return True
                if over is not None and over() and moment() > patient:
                    raise UndecidedError("not all boxes could be gone through in time")
            return False

        if workers == 1:
            return some(0)
        with ThreadPoolExecutor(workers) as pool:
            return any(list(pool.map(some, range(workers))))

    def _asked(self, duals: ClaimedDuals) -> tuple[BoxQuestion, Ints]:
        """The table at some duals, and codes of the attribute that is walked; 0 if there is none."""
        boxes, others = self.rows.boxes, len(self.nodes)
        code = self.code[:, list(self.order)]
        walked = code[:, -1] if len(self.order) > others else np.zeros(len(code), dtype=np.int64)
        step = int(boxes.price[self.order[-1]]) if len(self.order) > others else 0
        flat = [node for nodes in self.nodes for node in nodes]
        low, high, price = np.array(flat, dtype=np.int64).reshape(-1, 3).T.copy()
        free = np.array([boxes.start[a] < 0 for a in self.order[:others]], dtype=np.bool_)
        asked = BoxQuestion(
            np.column_stack([code[:, :others], walked]).astype(np.int64, order="C"),  # one layout to compile
            BoxNodes(np.cumsum([0, *map(len, self.nodes)]).astype(np.int64), low, high, price, free),
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
        return asked, walked


def _sizes(needed: Needed) -> Sizes | None:
    """How often a value is in needed groups of each size, at most; sizes of one limit together."""
    if needed.distinct is not None:
        return _any_size(needed, needed.distinct)
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
    return Sizes(*np.array(found, dtype=np.int64).T.copy(), different=1, joined=False)


def _any_size(needed: Needed, different: int) -> Sizes:
    """From the size of the smallest group with so many different values on."""
    size, edge = 0, {0}
    while not needed.whole[list(edge)].any():
        following = (after for state in edge for after in needed.step[state].tolist())
        size, edge = size + 1, {after for after in following if after >= 0}
    return _from(size, different)


def _from(size: int, different: int) -> Sizes:
    """From a size on, with so many different values."""
    least, most = np.array([size], dtype=np.int64), np.array([ENDLESS], dtype=np.int64)
    return Sizes(least, most, most, different=different, joined=True)


def _covering(nodes: Iterable[tuple[int, int, int]], last: int) -> NDArray[np.float64]:
    """How many of some intervals cover each code from 0 to `last`."""
    ends = np.array([(lo, hi) for lo, hi, _ in nodes], dtype=np.int64)
    room = max(last, int(ends.max())) + 2
    begun, over = np.bincount(ends[:, 0], minlength=room), np.bincount(ends[:, 1] + 1, minlength=room)
    return np.cumsum(begun - over).astype(float)


def _nodes(boxes: Boxes, a: int) -> tuple[tuple[int, int, int], ...]:
    """Codes from, to and price of the nodes of an attribute, each the smallest one around its codes.

    Without a taxonomy codes are numbered.
    """
    if boxes.start[a] < 0:
        known, each = np.unique(boxes.code[:, a]).tolist(), int(boxes.price[a])
        return tuple((i, i + j, each * (y - x)) for i, x in enumerate(known) for j, y in enumerate(known[i:]))
    side = int(boxes.side[a])
    price = boxes.table[boxes.start[a] : boxes.start[a] + side * side].reshape(side, side)
    return tuple(
        (x, y, int(price[x, y]))
        for x in range(side)
        for y in range(x, side)
        if (x == 0 or price[x - 1, y] > price[x, y]) and (y == side - 1 or price[x, y + 1] > price[x, y])
    )


@borrowing
def _opened(q: BoxQuestion, m: BoxMemory, level: int, size: int, cost: int, hope: int) -> None:
    """Begin with the nodes of an attribute for the rows that are left."""
    m.many[level], m.cost[level], m.hope[level] = size, cost, hope
    if level == len(q.nodes.free):
        return
    m.node[level] = q.nodes.start[level]
    if q.nodes.free[level]:
        m.there[level] = 0
        for r in m.part[level, :size]:
            m.there[level, q.code[r, level]] += 1


@borrowing
def _inside(q: BoxQuestion, m: BoxMemory, level: int, n: int) -> int:
    """The rows in a node, for the next attribute; 0 if a smaller node has the same ones, at a lower price."""
    size, low, high, free = 0, q.nodes.low[n], q.nodes.high[n], q.nodes.free[level]
    if free and (m.there[level, low] == 0 or m.there[level, high] == 0):
        return 0
    least, most = high, low
    for r in m.part[level, : m.many[level]]:
        x = q.code[r, level]
        if low <= x <= high:
            m.part[level + 1, size] = r
            size += 1
            least, most = min(least, x), max(most, x)
    for o in range(0 if free else q.nodes.start[level], 0 if free else q.nodes.start[level + 1]):
        if q.nodes.low[o] <= least and most <= q.nodes.high[o] and q.nodes.price[o] < q.nodes.price[n]:
            return 0
    return size


@borrowing
def _may_pay(dual: int, fewest: int, each: int, others: int, following: int) -> bool:
    """Whether a group with a row of this dual could pay, at so much for each member or more; see `largest`.

    The fewest members with it have the largest duals beside it, at best. Of others none has more than the one
    that follows these, so that where that does not pay its own way, none brings anything.
    """
    return following > each or dual + others > fewest * each


@borrowing
def _left(q: BoxQuestion, part: Ints, size: int, each: int) -> int:
    """Keep those rows of a part, in their order, with which a group could pay; how many are left."""
    others, following = largest(q, part[:size])
    kept = 0
    for e in range(size):
        if _may_pay(q.dual[part[e]], q.fewest, each, others, following):
            part[kept] = part[e]
            kept += 1
    return kept


@compiled
def _entered(
    q: BoxQuestion,
    m: BoxMemory,
    n: SharesMemory | None,
    k: MetMemory | None,
    begin: int,
    inside: Ints,
    cost: int,
) -> bool:
    """Whether a group pays among rows (by code of the last attribute) at what the nodes so far cost."""
    levels, level = len(q.nodes.start) - 1, begin
    hope = without_cuts(q, inside, cost)
    if hope <= 0:
        return False
    copy_row(inside, m.part[level])
    _opened(q, m, level, _left(q, m.part[level], len(inside), q.scale * cost), cost, hope)
    while level >= begin:
        if level == levels:
            if _grown(q, m, n, k, m.part[level, : m.many[level]], m.cost[level]):
                return True
            level -= 1
            continue
        node = m.node[level]
        if node == q.nodes.start[level + 1]:
            level -= 1
            continue
        m.node[level] += 1
        # Fewer rows bring no more, and the fewest of them pay this price, too.
        if m.hope[level] <= q.fewest * q.scale * q.nodes.price[node]:
            continue
        size, more = _inside(q, m, level, node), m.cost[level] + q.nodes.price[node]
        hope = without_cuts(q, m.part[level + 1, :size], more) if size else 0
        m.tried[1] += m.many[level]
        if hope > 0:
            size = _left(q, m.part[level + 1], size, q.scale * more)
            level += 1
            _opened(q, m, level, size, more, hope)
    return False


@borrowing
def _grown(
    q: BoxQuestion, m: BoxMemory, n: SharesMemory | None, k: MetMemory | None, inside: Ints, cost: int
) -> bool:
    """Whether a group pays in an interval of the last attribute."""
    last = q.code.shape[1] - 1
    for i in range(len(inside)):
        first = q.code[inside[i], last]
        if i > 0 and q.code[inside[i - 1], last] == first:
            continue
        best = without_cuts(q, inside[i:], cost)
        if best <= 0:
            return False
        size, (others, following) = 0, largest(q, inside[i:])
        for j in range(i, len(inside)):
            r = inside[j]
            wide = q.scale * q.step * (q.code[r, last] - first)
            if best <= q.fewest * wide:
                break
            each = q.scale * cost + wide
            if _may_pay(q.dual[r], q.fewest, each, others, following):
                alone = n is None and k is None
                size = put(q, m, size, r, each) if alone else placed(q, m, size, r)
            if j + 1 < len(inside) and q.code[inside[j + 1], last] == q.code[r, last]:
                continue
            if n is not None:
                if shares_pay(q, m, n, size, each):
                    return True
            elif k is not None:
                if met_pays(q, m, k, size, each):
                    return True
            elif shown_to_pay(q, m, size, each):
                return True
    return False
