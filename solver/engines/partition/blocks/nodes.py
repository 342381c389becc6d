"""Duals of a table at which no group pays in any box, box by box without listing them. Compiled.

Boxes are entered attribute by attribute, each by its nodes (an interval of codes, where it has no taxonomy),
one ordered attribute last: there the intervals grow code by code, as in `colgen.boxes.scan`. Where the
largest duals do not pay for the attributes so far, nothing that lies deeper does. Where a group pays, duals
are lowered, so that in the end none does in the boxes that were entered; lower duals spoil no other box.

So boxes may be shared out: whatever others make of the same duals, the least of them, row by row, is right
for all. Nodes that lie beside one another hold other rows, and nothing is lost.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....models.compiled import compiled
from ....colgen.boxes.desk import BestGroups, Desk
from ....colgen.boxes.grid import BoxGrid
from ....colgen.boxes.scan import ScanInput, walk
from ....colgen.covering import Geometry, Ints
from ....colgen.kernels.boxes import side_cost
from ....colgen.table import Rows

__all__ = ["Entered", "Nodes", "entered", "lower", "nodes_of"]


class Nodes(NamedTuple):
    """Attribute ``order[a]`` has nodes ``start[a]`` to ``start[a + 1]``: codes `low` to `high` at a `price`.

    Attributes
    ----------
    walked : int
        The attribute that comes last, -1 if there is none.
    """

    order: Ints
    start: Ints
    low: Ints
    high: Ints
    price: Ints
    walked: int


class Entered(NamedTuple):
    """What is open, by attribute: rows by code of the last one, how many, their price, the next node."""

    part: NDArray[np.int32]
    many: Ints
    price: Ints
    node: Ints
    top: Ints
    start: Ints
    each: Ints
    only: Ints


def entered(rows: int, levels: int, least: int) -> Entered:
    """Working memory for one thread."""
    return Entered(
        np.zeros((levels + 1, rows), dtype=np.int32),
        np.zeros(levels + 1, dtype=np.int64),
        np.zeros(levels + 1, dtype=np.int64),
        np.zeros(levels + 1, dtype=np.int64),
        np.zeros(least, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
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
    return Nodes(
        np.array(others, dtype=np.int64),
        np.append(0, np.cumsum([len(own) for own in found])).astype(np.int64),
        low,
        high,
        price,
        walked,
    )


def _nodes(g: Geometry, a: int) -> list[tuple[int, int, int]]:
    """From, to and price; smaller ones first, as they are the ones that pay."""
    known = np.unique(g.codes[:, a]).tolist()
    if g.tree[a] < 0:
        weight = int(g.weight[a])
        found = [(x, y, weight * (y - x)) for i, x in enumerate(known) for y in known[i:]]
    else:
        side = int(g.side[a])
        price = g.table[g.tree[a] : g.tree[a] + side * side].reshape(side, side)
        found = [
            (x, y, int(price[x, y]))
            for x in range(side)
            for y in range(x, side)
            if (x == 0 or price[x - 1, y] > price[x, y]) and (y == side - 1 or price[x, y + 1] > price[x, y])
        ]
    return sorted(found, key=lambda node: (node[1] - node[0], node[0]))


@compiled
def _pays(q: ScanInput, inside: NDArray[np.int32], price: int, top: Ints) -> bool:
    """Whether the largest duals of some rows pay for what the nodes so far cost."""
    filled = 0
    for r in inside:
        for _ in range(min(q.counts[r], q.form.least)):
            x = q.dual[r]
            if filled == q.form.least:
                if x <= top[filled - 1]:
                    break
                filled -= 1
            at = filled
            while at > 0 and top[at - 1] < x:
                top[at] = top[at - 1]
                at -= 1
            top[at] = x
            filled += 1
    return filled == q.form.least and top.sum() > q.form.least * q.scale * price


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
    """Lower the question's duals until no group pays in the boxes of allowed nodes; searches cut short."""
    levels, level, short = len(nodes.order), 0, 0
    m.part[0, : len(inside)] = inside
    m.many[0], m.price[0], m.node[0] = len(inside), 0, nodes.start[0]
    while level >= 0:
        part = m.part[level, : m.many[level]]
        if level == levels:
            m.start[1], m.each[0] = m.many[level], m.price[level]
            grid = BoxGrid(m.start, part, m.each, q.grid.code, q.grid.weight)
            asked = ScanInput(grid, q.value, q.counts, q.dual, q.scale, q.form, q.cuts, q.nodes)
            short += walk(asked, m.only, d, none, True)
            level -= 1
            continue
        n = m.node[level]
        if n == nodes.start[level + 1]:
            level -= 1
            continue
        m.node[level] += 1
        if not allowed[n]:
            continue
        a, size, low, high = nodes.order[level], 0, nodes.high[n], nodes.low[n]
        following = m.part[level + 1]
        for r in part:
            x = g.codes[r, a]
            if nodes.low[n] <= x <= nodes.high[n]:
                following[size] = r
                size += 1
                low, high = min(low, x), max(high, x)
        # Where a smaller node has the same rows, they cost less there.
        if size == 0 or side_cost(g.weight, g.tree, g.side, g.table, a, low, high) < nodes.price[n]:
            continue
        price = m.price[level] + nodes.price[n]
        if _pays(q, following[:size], price, m.top):
            level += 1
            m.many[level], m.price[level] = size, price
            if level < levels:
                m.node[level] = nodes.start[level]
    return short
