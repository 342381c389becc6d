r"""The difference attack between two releases, exactly and in polynomial time (Byun et al., sec. 4.3).

Groups W of one release (*inner*) that lie inside groups F of another (*outer*) leave a
difference D = F \\ W: its members are known, and so is its multiset of values. D is a
breach if it holds somebody and has fewer than k tuples or a value above the share c.
A counterfeit is nobody of another release: an inner group with one lies inside nothing,
and those of outer groups stay in D.

Let an *overlap* be the members common to an inner and an outer group. A pair (W, F)
contains with every inner group all outer groups that overlap it, so a pair is a closed
set of a bipartite graph, and D consists of the overlaps (e, f) with f in F, e not in W and
of what f has beyond all inner groups. Any sum over D of weights per tuple is therefore a
minimum-cut problem:

diversity   weight ``c - [tuple has v]``, one cut per value v: some D breaks c for v
            exactly if the least weight is negative. Only outer groups whose negative parts
            outweigh what they always leave are sources.
size        weight 1; for each outer group and each overlap of it, the least D with that
            overlap is found by pushing at most k units.

Both push flow along shortest augmenting paths from few sources, which stays local in
tables that grow: somebody new is near everywhere. The cut is the violated pair (W, F), no
subset is enumerated, nothing depends on Observation 1 of the source (which is false).

If every outer group is (k, c) itself, closed sets with empty W never break anything. For
other histories, and where a difference of counterfeits only breaks c, the cuts are made
again with an inner group forced in and a person forced into D: still exact and polynomial,
but one cut per such combination.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf

import numpy as np

from ..errors import ReleaseError
from ..release import Release

__all__ = ["Breach", "breaches"]


@dataclass(frozen=True, kw_only=True)
class Breach:
    """Inner groups inside outer groups, and what is left of the outer ones.

    Attributes
    ----------
    inner, outer : tuple of int
        Indices of the groups W and F in their releases.
    names : frozenset of str
        Respondents of the difference; never empty.
    values : Mapping of str to int
        Values of the difference, those of counterfeits included.
    """

    inner: tuple[int, ...]
    outer: tuple[int, ...]
    names: frozenset[str] = field(repr=False)
    values: Mapping[str, int]

    @property
    def size(self) -> int:
        """Tuples in the difference."""
        return sum(self.values.values())

    def breaks(self, k: int, c: Fraction) -> bool:
        """Whether the difference harms anybody: someone is in it, and it is not (k, c)."""
        return bool(self.names) and (self.size < k or max(self.values.values()) > c * self.size)


def breaches(inner: Release, outer: Release, k: int, c: Fraction) -> Iterator[Breach]:
    """Yield differences of `outer` over `inner` that are not (k, c), each once.

    Nothing is yielded exactly if there is none. Every respondent of a difference smaller
    than k is in a yielded one; of the differences above c the largest violation per value is
    yielded, split into connected parts.

    Parameters
    ----------
    inner, outer : Release
        Two releases of one series, in either order of time.
    k : int
        Least number of tuples.
    c : Fraction
        Largest share of a value.

    Raises
    ------
    ReleaseError
        If a respondent's value differs between the two.

    Notes
    -----
    One maximum flow per value, and at most k augmentations per overlap.
    """
    overlap = _Overlap(inner, outer)
    seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    if not overlap.cells:
        return
    for found in _found(overlap, k, c):
        key = (found.inner, found.outer)
        if key not in seen:
            seen.add(key)
            yield found


def _found(overlap: _Overlap, k: int, c: Fraction) -> Iterator[Breach]:
    for v in range(len(overlap.values)):
        yield from _unequal(overlap, k, c, v)
    yield from _small(overlap, k, c)


class _Overlap:
    """Overlaps of usable inner groups with outer groups.

    Node f < ``outer_count`` is an outer group, node ``outer_count + e`` an inner one.
    """

    def __init__(self, inner: Release, outer: Release) -> None:
        self.inner, self.outer = inner, outer
        values = {m.respondent: m.value for group in inner.groups for m in group.members}
        usable = [not g.fakes and all(who in outer.where for who in g.respondents) for g in inner.groups]
        self.values = sorted({v for group in outer.groups for v in group.histogram})
        code = {v: j for j, v in enumerate(self.values)}
        self.outer_count = len(outer.groups)
        index: dict[tuple[int, int], int] = {}
        entries: list[tuple[int, int]] = []
        rest: list[tuple[int, int]] = []
        self.cells: list[tuple[int, int]] = []
        self.new_names = [0] * self.outer_count
        for f, group in enumerate(outer.groups):
            rest += [(f, code[value]) for value, count in group.counterfeits for _ in range(count)]
            for member in group.members:
                e = inner.where.get(member.respondent)
                if e is not None and values[member.respondent] != member.value:
                    raise ReleaseError(
                        f"column {outer.sensitive!r}: a respondent's value differs between two releases: "
                        "the difference attack is about values that never change, correct them or "
                        "declare them transient"
                    )
                if e is None or not usable[e]:
                    rest.append((f, code[member.value]))
                    self.new_names[f] += 1
                    continue
                cell = index.setdefault((f, e), len(index))
                if cell == len(self.cells):
                    self.cells.append((f, e))
                entries.append((cell, code[member.value]))
        self.counts = _count(entries, len(self.cells), len(self.values))
        self.rest_counts = _count(rest, self.outer_count, len(self.values))
        self.sizes = self.counts.sum(axis=1)
        self.rest = self.rest_counts.sum(axis=1)
        self.adjacent: dict[int, list[tuple[int, int]]] = {}
        for cell, (f, e) in enumerate(self.cells):
            self.adjacent.setdefault(f, []).append((cell, self.outer_count + e))
            self.adjacent.setdefault(self.outer_count + e, []).append((cell, f))
        self.inner_nodes = sorted(node for node in self.adjacent if node >= self.outer_count)

    def breach(self, nodes: Iterable[int]) -> Breach:
        """The pair (W, F) of a closed set of nodes, with its difference."""
        chosen = sorted(nodes)
        outer = tuple(node for node in chosen if node < self.outer_count)
        inner = tuple(node - self.outer_count for node in chosen if node >= self.outer_count)
        values: Counter[str] = Counter()
        names: set[str] = set()
        for f in outer:
            values.update(self.outer.groups[f].histogram)
            names |= self.outer.groups[f].respondents
        for e in inner:
            values.subtract(self.inner.groups[e].histogram)
            names -= self.inner.groups[e].respondents
        return Breach(inner=inner, outer=outer, names=frozenset(names), values=+values)

    def persons(self) -> Iterator[tuple[int, int | None]]:
        """Places a respondent of a difference can be: (outer node, inner node left out, if any)."""
        for f, new in enumerate(self.new_names):
            if new:
                yield f, None
        for f, e in self.cells:
            yield f, self.outer_count + e

    def parts(self, nodes: set[int]) -> Iterator[set[int]]:
        """Connected parts of a closed set."""
        left = set(nodes)
        while left:
            part, stack = set[int](), [left.pop()]
            while stack:
                node = stack.pop()
                part.add(node)
                near = {other for _, other in self.adjacent.get(node, ())} & left
                left -= near
                stack += near
            yield part


def _count(
    entries: list[tuple[int, int]], rows: int, columns: int
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    table = np.zeros((rows, columns), dtype=np.int64)
    if entries:
        np.add.at(table, tuple(np.array(entries).T), 1)
    return table


class _Flow:
    """Residual flow on the overlap graph; changes are journaled so that they can be taken back.

    An inner node passes any amount to the outer nodes it overlaps (closedness); an outer
    node passes ``room[cell]`` to an inner one; ``drain[node]`` is what may leave at a node.
    """

    def __init__(self, overlap: _Overlap, room: list[int], drain: dict[int, float]) -> None:
        self.adjacent, self.outer_count = overlap.adjacent, overlap.outer_count
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
            for cell, other in self.adjacent.get(node, ()):
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


def _unequal(overlap: _Overlap, k: int, c: Fraction, v: int) -> Iterator[Breach]:
    """Differences in which value v has more than the share c."""
    flow, supplies = _weighted(overlap, c, v)
    stuck: set[int] = set()
    for f, supply in supplies:
        stuck |= flow.push(f, supply)[1]
    odd = False
    for part in overlap.parts(stuck):
        found = overlap.breach(part)
        if found.inner and found.breaks(k, c):
            yield found
        else:
            odd = True
    if odd:
        yield from _forced(overlap, k, c, v)


def _weighted(overlap: _Overlap, c: Fraction, v: int) -> tuple[_Flow, list[tuple[int, int]]]:
    """The flow problem of one value, weights times the denominator of c; and its sources."""
    weight = c.numerator * overlap.sizes - c.denominator * overlap.counts[:, v]
    base = c.numerator * overlap.rest - c.denominator * overlap.rest_counts[:, v]
    drain: dict[int, float] = {}
    for cell in np.flatnonzero(weight < 0).tolist():
        # w [f in F, e not in W] = w [f in F] - w [e in W]: a reward for f that e takes back
        f, e = overlap.cells[cell]
        node = overlap.outer_count + e
        base[f] += weight[cell]
        drain[node] = drain.get(node, 0) - int(weight[cell])
    drain.update({f: int(base[f]) for f in np.flatnonzero(base > 0).tolist()})
    room: list[int] = np.maximum(weight, 0).tolist()
    return _Flow(overlap, room, drain), [(f, -int(base[f])) for f in np.flatnonzero(base < 0).tolist()]


def _forced(overlap: _Overlap, k: int, c: Fraction, v: int | None) -> Iterator[Breach]:
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
            found = overlap.breach(closed)
            if found.inner and found.breaks(k, c):
                yield found
                return


def _counted(overlap: _Overlap) -> _Flow:
    drain: dict[int, float] = {f: int(size) for f, size in enumerate(overlap.rest) if size}
    return _Flow(overlap, overlap.sizes.tolist(), drain)


def _small(overlap: _Overlap, k: int, c: Fraction) -> Iterator[Breach]:
    """Differences of fewer than k tuples."""
    flow, odd = _counted(overlap), False
    for f in range(overlap.outer_count):
        if overlap.rest[f] >= k:
            continue
        start = flow.mark()
        pushed, closed = flow.push(f, k)
        if pushed < k:
            found = overlap.breach(closed)
            odd |= not found.inner
            if found.inner and found.names:
                yield found
            base = flow.mark()
            for cell, out in overlap.adjacent.get(f, ()):
                if out not in closed or overlap.rest[f] + overlap.sizes[cell] >= k:
                    continue
                flow.open(out)
                more, left = flow.push(f, k - pushed)
                if pushed + more < k:
                    found = overlap.breach(left)
                    odd |= not found.inner
                    if found.inner and found.names:
                        yield found
                flow.restore(base)
        flow.restore(start)
    if odd:
        yield from _forced(overlap, k, c, None)
