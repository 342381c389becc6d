"""Overlaps of the groups of two releases, as integer arrays, and minimum cuts on them.

See `difference`, whose closed sets of groups these are: a pair (W, F) of inner and outer groups is
*closed* if F has every outer group that overlaps a group of W.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np
from numpy.typing import NDArray

__all__ = ["ClosedPair", "GroupOverlaps", "unsafe_differences"]

Indices = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class ClosedPair:
    """A closed pair of groups, and what is left of the outer ones.

    Attributes
    ----------
    inner, outer : tuple of int
        Indices of the groups W and F.
    people : int
        Respondents in the difference.
    values : Mapping of int to int
        Codes of the values in the difference, those of counterfeits included, and their counts.
    """

    inner: tuple[int, ...]
    outer: tuple[int, ...]
    people: int
    values: Mapping[int, int]

    def breaks(self, k: int, c: Fraction) -> bool:
        """Whether the difference harms anybody: someone is in it, and it is not (k, c)."""
        size = sum(self.values.values())
        return bool(self.people) and (size < k or max(self.values.values()) > c * size)


class GroupOverlaps:
    """Overlaps of usable inner groups with outer groups.

    Node f < ``outer_count`` is an outer group, node ``outer_count + e`` an inner one.

    Parameters
    ----------
    outer, inner : int64 array
        Outer and inner group of every non-empty overlap, each pair once, in any order. Inner groups
        with counterfeits, or with a member who is in no outer group, are not among them.
    counts : int64 array of shape (overlaps, values)
        Respondents of each overlap by value.
    rest : int64 array of shape (outer groups, values)
        What each outer group has beyond its overlaps, by value.
    new : int64 array
        Respondents among `rest` per outer group; the others are counterfeits.
    """

    def __init__(
        self, *, outer: Indices, inner: Indices, counts: Indices, rest: Indices, new: Indices
    ) -> None:
        self.outer, self.inner, self.counts, self.rest_counts, self.new = outer, inner, counts, rest, new
        self.outer_count = len(rest)
        self.sizes, self.rest = counts.sum(axis=1), rest.sum(axis=1)
        # Overlaps in the order of their outer and of their inner groups: where a node's are.
        self._ordered = [(order := np.argsort(side, kind="stable"), side[order]) for side in (outer, inner)]
        self._near: dict[int, list[tuple[int, int]]] = {}

    @property
    def inner_nodes(self) -> list[int]:
        """Inner groups that overlap something, as nodes."""
        return (np.unique(self.inner) + self.outer_count).tolist()

    def near(self, node: int) -> list[tuple[int, int]]:
        """Overlaps of a group, each with the node at its other end."""
        found = self._near.get(node)
        if found is None:
            within = node >= self.outer_count
            order, sides = self._ordered[within]
            group = node - self.outer_count if within else node
            cells = order[np.searchsorted(sides, group) : np.searchsorted(sides, group, side="right")]
            ends = self.outer[cells] if within else self.inner[cells] + self.outer_count
            found = self._near[node] = list(zip(cells.tolist(), ends.tolist(), strict=True))
        return found

    def difference(self, nodes: Iterable[int]) -> ClosedPair:
        """The pair (W, F) of a closed set of nodes, with its difference."""
        chosen = sorted(nodes)
        outer = [node for node in chosen if node < self.outer_count]
        inner = {node for node in chosen if node >= self.outer_count}
        left = [cell for f in outer for cell, e in self.near(f) if e not in inner]
        total = self.rest_counts[outer].sum(axis=0) + self.counts[left].sum(axis=0)
        return ClosedPair(
            inner=tuple(node - self.outer_count for node in sorted(inner)),
            outer=tuple(outer),
            people=int(self.new[outer].sum() + self.sizes[left].sum()),
            values={v: int(total[v]) for v in np.flatnonzero(total).tolist()},
        )

    def persons(self) -> Iterator[tuple[int, int | None]]:
        """Places a respondent of a difference can be: (outer node, inner node left out, if any)."""
        for f in np.flatnonzero(self.new).tolist():
            yield f, None
        for f, e in zip(self.outer.tolist(), self.inner.tolist(), strict=True):
            yield f, self.outer_count + e

    def parts(self, nodes: set[int]) -> Iterator[set[int]]:
        """Connected parts of a closed set."""
        left = set(nodes)
        while left:
            part, stack = set[int](), [left.pop()]
            while stack:
                node = stack.pop()
                part.add(node)
                near = {other for _, other in self.near(node)} & left
                left -= near
                stack += near
            yield part


def unsafe_differences(overlap: GroupOverlaps, k: int, c: Fraction) -> Iterator[ClosedPair]:
    """Yield differences that are not (k, c), some perhaps twice; none exactly if there is none."""
    if not len(overlap.outer):
        return
    for v in range(overlap.counts.shape[1]):
        yield from _unequal(overlap, k, c, v)
    yield from _small(overlap, k, c)


class _Flow:
    """Residual flow on the overlap graph; changes are journaled so that they can be taken back.

    An inner node passes any amount to the outer nodes it overlaps (closedness); an outer
    node passes ``room[cell]`` to an inner one; ``drain[node]`` is what may leave at a node.
    """

    def __init__(self, overlap: GroupOverlaps, room: list[int], drain: dict[int, float]) -> None:
        self.near, self.outer_count = overlap.near, overlap.outer_count
        self.room, self.drain = room, drain
        self._journal: list[tuple[int, int, float]] = []

    def push(self, start: int, amount: float) -> tuple[float, set[int]]:
        """Push up to `amount` from a node: how much got away, and the nodes reached if not all did."""
        left = amount
        while left > 0:
            end, parent = self._path(start)
            if end is None:
                return amount - left, set(parent)
            step = min(left, self.drain[end])
            node = end
            while node != start:
                before, cell = parent[node]
                if before < self.outer_count:
                    step = min(step, self.room[cell])
                node = before
            left -= step
            self._drain(end, step)
            node = end
            while node != start:
                before, cell = parent[node]
                self._move(cell, int(step) if before < self.outer_count else -int(step))
                node = before
        return amount, set()

    def _path(self, start: int) -> tuple[int | None, dict[int, tuple[int, int]]]:
        parent: dict[int, tuple[int, int]] = {start: (start, -1)}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            if self.drain.get(node, 0) > 0:
                return node, parent
            free = node >= self.outer_count
            for cell, other in self.near(node):
                if other not in parent and (free or self.room[cell] > 0):
                    parent[other] = (node, cell)
                    queue.append(other)
        return None, parent

    def _move(self, cell: int, step: int) -> None:
        self._journal.append((0, cell, self.room[cell]))
        self.room[cell] -= step

    def _drain(self, node: int, step: float) -> None:
        self._journal.append((1, node, self.drain[node]))
        self.drain[node] -= step

    def open(self, node: int) -> None:
        """Let anything leave at a node: it is out of the closed set."""
        self._journal.append((1, node, self.drain.get(node, 0)))
        self.drain[node] = inf

    def mark(self) -> int:
        """A point in time to return to."""
        return len(self._journal)

    def restore(self, mark: int) -> None:
        """Take back everything since `mark`."""
        while len(self._journal) > mark:
            kind, place, old = self._journal.pop()
            if kind:
                self.drain[place] = old
            else:
                self.room[place] = int(old)


def _unequal(overlap: GroupOverlaps, k: int, c: Fraction, v: int) -> Iterator[ClosedPair]:
    """Differences in which value v has more than the share c."""
    flow, supplies = _weighted(overlap, c, v)
    stuck: set[int] = set()
    for f, supply in supplies:
        stuck |= flow.push(f, supply)[1]
    odd = False
    for part in overlap.parts(stuck):
        found = overlap.difference(part)
        if found.inner and found.breaks(k, c):
            yield found
        else:
            odd = True
    if odd:
        yield from _forced(overlap, k, c, v)


def _weighted(overlap: GroupOverlaps, c: Fraction, v: int) -> tuple[_Flow, list[tuple[int, int]]]:
    """The flow problem of one value, weights times the denominator of c; and its sources."""
    weight = c.numerator * overlap.sizes - c.denominator * overlap.counts[:, v]
    base = c.numerator * overlap.rest - c.denominator * overlap.rest_counts[:, v]
    drain: dict[int, float] = {}
    for cell in np.flatnonzero(weight < 0).tolist():
        # w [f in F, e not in W] = w [f in F] - w [e in W]: a reward for f that e takes back
        f, node = int(overlap.outer[cell]), overlap.outer_count + int(overlap.inner[cell])
        base[f] += weight[cell]
        drain[node] = drain.get(node, 0) - int(weight[cell])
    drain.update({f: int(base[f]) for f in np.flatnonzero(base > 0).tolist()})
    room: list[int] = np.maximum(weight, 0).tolist()
    return _Flow(overlap, room, drain), [(f, -int(base[f])) for f in np.flatnonzero(base < 0).tolist()]


def _forced(overlap: GroupOverlaps, k: int, c: Fraction, v: int | None) -> Iterator[ClosedPair]:
    """One breach by value v (None: by size), if any, when the plain cut says nothing.

    Needed if an outer group is not (k, c) itself, or a difference of counterfeits breaks c.
    """
    for node in overlap.inner_nodes:
        for f, out in overlap.persons():
            if out == node:
                continue
            if v is None:
                flow, supplies = _counted(overlap), list[tuple[int, int]]()
            else:
                flow, supplies = _weighted(overlap, c, v)
            if out is not None:
                flow.open(out)
            closed: set[int] = set()
            for start, supply in [*supplies, (node, inf), (f, inf)]:
                closed |= flow.push(start, supply)[1]
            found = overlap.difference(closed)
            if found.inner and found.breaks(k, c):
                yield found
                return


def _counted(overlap: GroupOverlaps) -> _Flow:
    drain: dict[int, float] = {f: int(size) for f, size in enumerate(overlap.rest) if size}
    return _Flow(overlap, overlap.sizes.tolist(), drain)


def _small(overlap: GroupOverlaps, k: int, c: Fraction) -> Iterator[ClosedPair]:
    """Differences of fewer than k tuples."""
    flow, odd = _counted(overlap), False
    for f in np.flatnonzero(overlap.rest < k).tolist():
        start = flow.mark()
        pushed, closed = flow.push(f, k)
        if pushed < k:
            found = overlap.difference(closed)
            odd |= not found.inner
            if found.inner and found.people:
                yield found
            base = flow.mark()
            for cell, out in overlap.near(f):
                if out not in closed or overlap.rest[f] + overlap.sizes[cell] >= k:
                    continue
                flow.open(out)
                more, left = flow.push(f, k - pushed)
                if pushed + more < k:
                    found = overlap.difference(left)
                    odd |= not found.inner
                    if found.inner and found.people:
                        yield found
                flow.restore(base)
        flow.restore(start)
    if odd:
        yield from _forced(overlap, k, c, None)
