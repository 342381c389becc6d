"""Duals of a table at which no group pays in any box, box by box without listing them. Compiled.

Boxes are entered attribute by attribute, each by its nodes (an interval of codes, where it has no taxonomy),
one ordered attribute last: there the intervals grow code by code, as in `scan`. Where the largest duals do
not pay for the attributes so far, nothing that lies deeper does. Where a group pays, duals are lowered, so
that in the end none does in the boxes that were entered; lower duals spoil no other box.

Intervals of other ordered attributes grow code by code as well, and keep the largest duals of their rows.
Both ends of the smallest interval around a group are codes of members, so their
largest duals count. That is so for groups of the least size; larger ones are worth no more if no further
member pays its own way.
Codes of these attributes are numbered: what is kept of them does not grow with how far apart they are.

So boxes may be shared out: whatever others make of the same duals, the least of them, row by row, is right
for all. Nodes that lie beside one another hold other rows, and nothing is lost.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ....models.copying import copy_row
from ..covering import Geometry, Ints
from ..kernels.boxes import side_cost
from ..table import Rows
from .desk import BestGroups, Desk
from .question import NONE, BoxGrid, ScanInput
from .scan import promising, walk

__all__ = ["Entered", "Nodes", "codes_of", "entered", "lower", "nodes_of"]


class Nodes(NamedTuple):
    """Attribute ``order[a]`` has nodes ``start[a]`` to ``start[a + 1]``: codes `low` to `high` at a `price`.

    Codes are those of `codes_of`.

    Attributes
    ----------
    after : shape (nodes,)
        Of an interval, the first node that begins with another code; else the next node.
    walked : int
        The attribute that comes last, -1 if there is none.
    """

    order: Ints
    start: Ints
    low: Ints
    high: Ints
    price: Ints
    after: Ints
    walked: int


class Grown(NamedTuple):
    """Intervals that are open, by attribute without a taxonomy.

    Attributes
    ----------
    row : shape (attributes, rows)
        The rows that are left, by their code of it.
    there : shape (attributes, codes)
        Whether some of them has a code.
    low, first, last
        The first code of the intervals, where its rows begin, and where those begin that are in none yet.
    top, filled : shape (attributes, least), shape (attributes,)
        The largest duals of the rows in the interval, falling, as many as a group has tuples at least; how
        many there are.
    left, rest
        The largest dual at the first code, and what all rows from there on are worth.
    """

    row: NDArray[np.int32]
    there: NDArray[np.bool_]
    low: Ints
    first: Ints
    last: Ints
    top: Ints
    filled: Ints
    left: Ints
    rest: Ints


class Entered(NamedTuple):
    """What is open.

    Attributes
    ----------
    part, many, price, worth, node
        By attribute: rows by code of the last one, how many, what the nodes so far cost, the sum of as many
        of their largest duals as a group has tuples at least, the next node.
    grown : Grown
    top
        Working memory for the largest duals.
    start, each, only
        The box that is walked along, as a grid of one cell.
    """

    part: NDArray[np.int32]
    many: Ints
    price: Ints
    worth: Ints
    node: Ints
    grown: Grown
    top: Ints
    start: Ints
    each: Ints
    only: Ints


def entered(rows: int, nodes: Nodes, least: int) -> Entered:
    """Working memory for one thread."""
    levels, codes = len(nodes.order), int(nodes.high.max(initial=0)) + 1

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return Entered(
        np.zeros((levels + 1, rows), dtype=np.int32),
        zeros(levels + 1),
        zeros(levels + 1),
        zeros(levels + 1),
        zeros(levels + 1),
        Grown(
            np.zeros((levels, rows), dtype=np.int32),
            np.zeros((levels, codes), dtype=np.bool_),
            zeros(levels),
            zeros(levels),
            zeros(levels),
            zeros(levels, least),
            zeros(levels),
            zeros(levels),
            zeros(levels),
        ),
        zeros(least),
        zeros(2),
        zeros(1),
        zeros(1),
    )


def nodes_of(rows: Rows) -> Nodes:
    """Taxonomies first, those of many codes before others; then ordered attributes."""
    g = rows.geometry
    many = [len(np.unique(g.codes[:, a])) for a in range(g.codes.shape[1])]
    ordered = [a for a in range(len(many)) if g.tree[a] < 0]
    walked = max(ordered, key=lambda a: many[a], default=-1)
    others = sorted((a for a in range(len(many)) if a != walked), key=lambda a: (g.tree[a] < 0, -many[a]))
    found = [_nodes(g, a) for a in others]
    flat = [node for own in found for node in own]
    low, high, price = np.array(flat, dtype=np.int64).reshape(-1, 3).T.copy()
    start = np.append(0, np.cumsum([len(own) for own in found])).astype(np.int64)
    after = np.arange(1, len(low) + 1)
    for a, begin, end in zip(others, start[:-1], start[1:], strict=True):
        if g.tree[a] < 0:
            after[begin:end] = begin + np.searchsorted(low[begin:end], low[begin:end], side="right")
    return Nodes(np.array(others, dtype=np.int64), start, low, high, price, after, walked)


def codes_of(rows: Rows, nodes: Nodes) -> Ints:
    """Codes of rows; of attributes without taxonomies their numbers, but for the one that is walked."""
    found = rows.geometry.codes.copy()
    for a in nodes.order:
        if rows.geometry.tree[a] < 0:
            found[:, a] = np.unique(found[:, a], return_inverse=True)[1]
    return found


def _nodes(g: Geometry, a: int) -> list[tuple[int, int, int]]:
    """From, to and price: intervals by their ends; of a taxonomy smaller ones first, as they may pay."""
    known = np.unique(g.codes[:, a]).tolist()
    if g.tree[a] < 0:
        weight = int(g.weight[a])
        return [(i, i + j, weight * (y - x)) for i, x in enumerate(known) for j, y in enumerate(known[i:])]
    side = int(g.side[a])
    price = g.table[g.tree[a] : g.tree[a] + side * side].reshape(side, side)
    found = [
        (x, y, int(price[x, y]))
        for x in range(side)
        for y in range(x, side)
        if (x == 0 or price[x - 1, y] > price[x, y]) and (y == side - 1 or price[x, y + 1] > price[x, y])
    ]
    return sorted(found, key=lambda node: (node[1] - node[0], node[0]))


@borrowing
def _put(q: ScanInput, r: int, top: Ints, filled: int) -> int:
    """Put the dual of a row among the largest, as often as it is there; how many there are then."""
    x = q.dual[r]
    for _ in range(min(q.counts[r], len(top))):
        if filled == len(top):
            if x <= top[filled - 1]:
                break
            filled -= 1
        at = filled
        while at > 0 and top[at - 1] < x:
            top[at] = top[at - 1]
            at -= 1
        top[at] = x
        filled += 1
    return filled


@compiled
def _worth(q: ScanInput, inside: NDArray[np.int32], top: Ints) -> int:
    """The sum of as many of the largest duals of some rows as a group has tuples at least; or `NONE`."""
    filled = 0
    for r in inside:
        filled = _put(q, r, top, filled)
    return top.sum() if filled == len(top) else NONE


@compiled
def _opened(g: Geometry, nodes: Nodes, m: Entered, level: int) -> None:
    """Begin with the nodes of the next attribute for the rows that are left."""
    m.node[level] = nodes.start[level]
    a, part, w = nodes.order[level], m.part[level, : m.many[level]], m.grown
    if g.tree[a] >= 0:
        return
    w.low[level], w.first[level], w.there[level] = -1, 0, False
    place = np.zeros(w.there.shape[1] + 1, dtype=np.int64)
    for r in part:
        w.there[level, g.codes[r, a]] = True
        place[g.codes[r, a] + 1] += 1
    place = np.cumsum(place)
    for r in part:
        w.row[level, place[g.codes[r, a]]] = r
        place[g.codes[r, a]] += 1


@borrowing
def _begun(q: ScanInput, g: Geometry, nodes: Nodes, m: Entered, level: int, low: int) -> None:
    """Begin with the intervals from a code on."""
    w, a, many = m.grown, nodes.order[level], m.many[level]
    at = w.first[level]
    while at < many and g.codes[w.row[level, at], a] < low:
        at += 1
    w.low[level], w.first[level], w.last[level], w.filled[level], w.left[level] = low, at, at, 0, NONE
    w.rest[level] = _worth(q, w.row[level, at:many], m.top)


@compiled
def _interval(q: ScanInput, g: Geometry, nodes: Nodes, m: Entered, level: int, n: int, least: int) -> int:
    """What the rows of an interval are worth at most, if both ends are codes of some; or `NONE`.

    Where no longer interval from the same code is worth `least` more than its price, they are passed over.
    """
    w, a, low, high = m.grown, nodes.order[level], nodes.low[n], nodes.high[n]
    if not w.there[level, low]:
        m.node[level] = nodes.after[n]
        return NONE
    if w.low[level] != low:
        _begun(q, g, nodes, m, level, low)
    if w.rest[level] <= least:
        m.node[level] = nodes.after[n]
        return NONE
    if not w.there[level, high]:
        return NONE
    at, filled, right, top = w.last[level], w.filled[level], NONE, w.top[level]
    while at < m.many[level] and g.codes[w.row[level, at], a] <= high:
        r = w.row[level, at]
        x, code = q.dual[r], g.codes[r, a]
        filled, at = _put(q, r, top, filled), at + 1
        if code == low:
            w.left[level] = max(w.left[level], x)
        if code == high:
            right = max(right, x)
    w.last[level], w.filled[level] = at, filled
    if filled < len(top):
        return NONE
    worth = top.sum()
    # Only where nobody beyond the ends and the others of a smallest group is worth more than the price.
    if low < high and filled > 1 and top[filled - 2] * len(top) <= least:
        worth = min(worth, worth - top[filled - 1] - top[filled - 2] + w.left[level] + right)
    return worth


@borrowing
def _inside(g: Geometry, nodes: Nodes, m: Entered, level: int, n: int) -> int:
    """The rows in a node, for the next attribute; 0 if they cost less in a smaller node that has them all."""
    a, size, low, high = nodes.order[level], 0, nodes.high[n], nodes.low[n]
    following = m.part[level + 1]
    for r in m.part[level, : m.many[level]]:
        x = g.codes[r, a]
        if nodes.low[n] <= x <= nodes.high[n]:
            following[size] = r
            size += 1
            low, high = min(low, x), max(high, x)
    # The ends of an interval are codes of some rows.
    dear = (
        size
        and g.tree[a] >= 0
        and side_cost(g.weight, g.tree, g.side, g.table, a, low, high) < nodes.price[n]
    )
    return 0 if dear else size


@borrowing
def _promising(q: ScanInput, m: Entered, level: int, size: int, cost: int, worth: int) -> int:
    """Leave out those rows of a box that are in no group that pays; how many are left.

    The largest duals are in `top`, and `worth` together.
    """
    part, last, kept = m.part[level], m.top[-1], 0
    for e in range(size):
        if promising(q.dual[part[e]], q.form.least, cost, worth - last, last):
            part[kept] = part[e]
            kept += 1
    return kept


@compiled
def lower(
    q: ScanInput,
    g: Geometry,
    nodes: Nodes,
    allowed: NDArray[np.bool_],
    inside: NDArray[np.int32],
    m: Entered,
    d: Desk,
    none: BestGroups,
) -> int:
    """Lower the question's duals until no group pays in the boxes of allowed nodes; searches cut short.

    -1 if another thread said stop before all boxes were gone through.
    """
    levels, level, short, each = len(nodes.order), 0, 0, q.form.least * q.scale
    copy_row(inside, m.part[0])
    m.many[0], m.price[0], m.worth[0] = len(inside), 0, _worth(q, inside, m.top)
    if levels:
        _opened(g, nodes, m, 0)
    while level >= 0:
        if d.stop[0]:
            return -1
        part = m.part[level, : m.many[level]]
        if level == levels:
            m.start[1], m.each[0] = m.many[level], m.price[level]
            grid = BoxGrid(m.start, part, m.each, q.grid.code, q.grid.weight)
            asked = ScanInput(grid, q.value, q.counts, q.dual, q.scale, q.form, q.cuts, q.nodes)
            short += walk(asked, m.only, d, none, True)
            level -= 1
            continue
        n, a = m.node[level], nodes.order[level]
        if n == nodes.start[level + 1]:
            level -= 1
            continue
        m.node[level] += 1
        price = m.price[level] + nodes.price[n]
        # Rows inside have no larger duals than those of the part had, and duals only fall.
        if not allowed[n] or m.worth[level] <= each * price:
            continue
        if g.tree[a] < 0 and _interval(q, g, nodes, m, level, n, each * price) <= each * price:
            continue
        size = _inside(g, nodes, m, level, n)
        worth = _worth(q, m.part[level + 1, :size], m.top)
        if worth > each * price:
            size = _promising(q, m, level + 1, size, q.scale * price, worth)
            level += 1
            m.many[level], m.price[level], m.worth[level] = size, price, worth
            if level < levels:
                _opened(g, nodes, m, level)
    return short
