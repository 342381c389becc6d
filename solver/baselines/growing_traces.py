r"""Whether one more cut lets somebody trace a record, compiled; before it nobody could.

The residual graph of `models.adversary.tracing`, of one value, read for what can change. Every earlier
group has a record that goes on into a group with such a record, and FREE leads to all of these: so what
reaches FREE is one strongly connected part, and

* an earlier group next to one with somebody new of its value reaches FREE at once; if all do, so does
  everything, and only people in the box of the cut group can be lost, to earlier groups that it met;
* else groups are asked round by round which reach it. The others are *blocked*: an edge between blocked ones
  is feasible if they are strongly connected among themselves, edges between a blocked one and another never
  are, and new records in blocked groups continue earlier ones in every matching.

The ends of an edge that is used are strongly connected, so feasible is having the same label. Values that
nobody in the cut group has keep their graph.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np

from ...models.compiled import borrowing, compiled
from .growing_arrays import Beside, Bits, Ints, Old, Parts, covers

__all__ = ["traced"]


@compiled
def traced(
    old: Old,
    parts: Parts,
    joined: Beside,
    near: Bits,
    halves: tuple[int, int],
    people: int,
    asked: tuple[bool, bool, bool],
) -> bool:
    """Whether a record fits fewer than so many people since a group was cut.

    Parameters
    ----------
    old, parts, joined
    near : bool array
        Earlier groups that the cut group met.
    halves : tuple of int
        The number of the cut group, now its first half, and that of the other; groups after that are none.
    people : int
    asked : tuple of bool
        Whether all that follows counts or every edge is feasible; forward; backward.
    """
    older, groups = len(near), halves[1] + 1
    exact, forward, backward = asked
    for v in range(len(joined.room)):
        if joined.room[v, halves[0]] + joined.room[v, halves[1]] == 0:
            continue
        label, mine = np.zeros(older, dtype=np.int64), np.zeros(groups, dtype=np.int64)
        blocked = exact and _label(old, parts, joined, v, label, mine)
        lost = near | (label != 0)
        for f in range(groups if blocked else 0):
            if mine[f] > 0:
                lost |= joined.meets[f]
        for e in range(older if forward else 0):
            if (
                lost[e]
                and old.supply[v, e] > 0
                and _few_owners(old, parts, joined, v, e, label, mine, people)
            ):
                return True
        seen = np.full(len(old.home) if blocked and backward else 0, -1, dtype=np.int64)
        for f in range(groups if blocked and backward else 0):
            if mine[f] > 0 and _few_earlier(old, parts, joined, v, f, label, mine, seen, people):
                return True
    return False


@borrowing
def _label(old: Old, parts: Parts, joined: Beside, v: int, label: Ints, mine: Ints) -> bool:
    """Label groups by strongly connected parts: 0 has FREE; whether there is another."""
    older, groups = len(label), len(mine)
    free = True
    for e in range(older):
        label[e] = 0 if joined.direct[v, e] > 0 or old.supply[v, e] == 0 else -1
        if label[e] < 0:
            free = False
    if free:
        return False
    for f in range(groups):
        mine[f] = -1 if 0 < joined.filled[v, f] == joined.room[v, f] else 0
    changed = True
    while changed:
        changed = False
        for i in range(old.value_at[v], old.value_at[v + 1]):
            row = old.having[i]
            f = parts.now[row]
            if mine[f] < 0 and label[old.home[row]] == 0:
                mine[f] = 0
                changed = True
                for e in range(older):
                    if joined.meets[f, e] and label[e] < 0:
                        label[e] = 0
    blocked = False
    for e in range(older):
        blocked |= label[e] < 0
    if blocked:
        _label_blocked(old, parts, joined, v, label, mine)
    return blocked


@borrowing
def _root(above: Ints, node: int) -> int:
    while above[node] != node:
        above[node] = above[above[node]]
        node = above[node]
    return node


@compiled
def _label_blocked(old: Old, parts: Parts, joined: Beside, v: int, label: Ints, mine: Ints) -> None:
    """Replace the label -1 of blocked groups by that of their strongly connected part, from 1 on."""
    older, groups = len(label), len(mine)
    above = np.arange(older + groups)
    for i in range(old.value_at[v], old.value_at[v + 1]):
        row = old.having[i]
        e, f = old.home[row], parts.now[row]
        if label[e] < 0 and mine[f] < 0:
            above[_root(above, e)] = _root(above, older + f)
    degree = np.zeros(older + groups + 1, dtype=np.int64)
    for f in range(groups):
        if mine[f] < 0:
            for e in range(older):
                if label[e] < 0 and joined.meets[f, e]:
                    degree[_root(above, e) + 1] += 1
    at = np.cumsum(degree)
    heads, filled = np.empty(at[-1], dtype=np.int64), at.copy()
    for f in range(groups):
        if mine[f] < 0:
            head = _root(above, older + f)
            for e in range(older):
                if label[e] < 0 and joined.meets[f, e]:
                    tail = _root(above, e)
                    heads[filled[tail]] = head
                    filled[tail] += 1
    found = _strong(at, heads)
    for e in range(older):
        if label[e] < 0:
            label[e] = found[_root(above, e)] + 1
    for f in range(groups):
        if mine[f] < 0:
            mine[f] = found[_root(above, older + f)] + 1


@compiled
def _strong(at: Ints, heads: Ints) -> Ints:
    """Strongly connected parts of a graph, numbered from 0 (Tarjan's search on a stack of its own)."""
    nodes = len(at) - 1
    number = np.full(nodes, -1, dtype=np.int64)
    least, part = np.zeros(nodes, dtype=np.int64), np.full(nodes, -1, dtype=np.int64)
    position = at[:-1].copy()
    stack, path = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    open_ones, met, parts = 0, 0, 0
    for first in range(nodes):
        if number[first] >= 0:
            continue
        depth, path[0] = 1, first
        while depth > 0:
            node = path[depth - 1]
            if number[node] < 0:
                number[node] = least[node] = met
                met += 1
                stack[open_ones] = node
                open_ones += 1
            if position[node] < at[node + 1]:
                head = heads[position[node]]
                if number[head] < 0:
                    path[depth] = head
                    depth += 1
                    continue
                if part[head] < 0:
                    least[node] = min(least[node], least[head])
                position[node] += 1
                continue
            depth -= 1
            if least[node] == number[node]:
                while True:
                    open_ones -= 1
                    part[stack[open_ones]] = parts
                    if stack[open_ones] == node:
                        break
                parts += 1
    return part


@compiled
def _few_owners(
    old: Old, parts: Parts, joined: Beside, v: int, e: int, label: Ints, mine: Ints, people: int
) -> bool:
    """Whether a record of earlier group e with value v fits fewer than so many people."""
    first, last = old.inside_at[e], old.inside_at[e + 1]
    found = 0
    for i in range(first, last):
        f = parts.now[old.inside[i]]  # whose box covers its own people
        if joined.room[v, f] > 0 and mine[f] == label[e]:
            found += 1
            if found >= people:
                return False
    partners = np.empty(len(mine), dtype=np.int64)
    count = 0
    for f in range(len(mine)):
        if joined.meets[f, e] and joined.room[v, f] > 0 and mine[f] == label[e]:
            partners[count] = f
            count += 1
    found = 0
    for i in range(first, last):
        for j in range(count):
            if covers(old.codes, parts, partners[j], old.inside[i]):
                found += 1
                break
        if found >= people:
            return False
    return True


@borrowing
def _few_earlier(
    old: Old,
    parts: Parts,
    joined: Beside,
    v: int,
    f: int,
    label: Ints,
    mine: Ints,
    seen: Ints,
    people: int,
) -> bool:
    """Whether a record of blocked group f with value v continues one of fewer than so many people."""
    found = 0
    for e in range(len(label)):
        if not joined.meets[f, e] or old.supply[v, e] == 0 or label[e] != mine[f]:
            continue
        for i in range(old.inside_at[e], old.inside_at[e + 1]):
            row = old.inside[i]
            if seen[row] != f and covers(old.codes, parts, f, row):
                seen[row] = f
                found += 1
                if found >= people:
                    return False
    return True
