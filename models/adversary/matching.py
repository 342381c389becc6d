r"""Record tracing by the definition: matchings of single records that cover every earlier one (networkx).

Per value there is a bipartite graph: earlier records, new records, an edge where the boxes of
their groups meet. The table only grew, so the truth is some matching that covers all earlier
records, and the adversary, who does not know which, knows what is true of all of them:

* an earlier record can be in a new group if some such matching takes it there (``possible``), and
  certainly is if all do (it can be in no other);
* a new record continues an earlier one if all such matchings cover it (``bound``).

One such matching is found (Hopcroft and Karp); nothing needs to be known of the true one, so this is also
the judge of releases whose memberships are not known. By Berge's theorem an edge is in some maximum
matching exactly if it is in this one, on an alternating cycle, or on an even alternating path from a free
new record: if its ends are strongly connected once FREE leads to and from these.

Records stay single here and the graph is networkx'. `tracing` keeps alike records in one node and starts
from the true matching, which the steward knows: the same answers for large tables.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import ReleaseError
from ..release import Release
from .coded_boxes import BoxSpace, meeting
from .tracing import Edges, Trace, TracingWay

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Matchings", "SingleRecord", "ValueMatchings"]

Graph: TypeAlias = "nx.Graph[Any]"
FREE = "free"


class SingleRecord(NamedTuple):
    """A published tuple of one value.

    Attributes
    ----------
    side : {"old", "new"}
        Its release.
    group : int
        Its group there.
    number : int
        Alike tuples of one group and value are counted from 0.
    """

    side: Literal["old", "new"]
    group: int
    number: int


@dataclass(frozen=True, kw_only=True)
class ValueMatchings:
    """All matchings of the records of one value that cover every earlier one.

    Attributes
    ----------
    possible : mapping of int to set of int
        Earlier group to the new groups where its records can be.
    bound : frozenset of int
        New groups whose records of the value continue earlier ones in every matching.
    """

    graph: Graph
    possible: dict[int, set[int]]
    bound: frozenset[int]


class Matchings:
    """Two releases of a growing table, traced by what all matchings say.

    Parameters
    ----------
    old, new : Release
        `old` has no counterfeits, both are generalized, and nobody in `old` is missing in `new`. Who is in
        which group of `new` is not looked at.

    Raises
    ------
    ReleaseError
        If no matching covers all earlier records.
    """

    def __init__(self, old: Release, new: Release) -> None:
        self.old, self.new = old, new
        self.people = [member for group in old.groups for member in group.members]
        points = [member.point for member in self.people]
        space = BoxSpace([*old.boxes, *new.boxes], points)
        coded = space.coded(old.boxes), space.coded(new.boxes)
        self._pairs = list(zip(*(part.tolist() for part in meeting(*coded)), strict=True))
        inside = [meeting(one, space.coded(points)) for one in coded]
        self._inside = [
            _table(pairs, len(release.groups), len(points))
            for pairs, release in zip(inside, (old, new), strict=True)
        ]

    @cached_property
    def edges(self) -> int:
        """How many edges join single records, of all values: what traces cost."""
        values = sorted({member.value for member in self.people})
        one, other = (
            np.array(
                [[group.histogram.get(v, 0) for v in values] for group in release.groups], dtype=np.int64
            )
            for release in (self.old, self.new)
        )
        e, f = np.array(self._pairs, dtype=np.int64).reshape(-1, 2).T
        return int((one[e] * other[f]).sum())

    def of(self, value: str) -> ValueMatchings:
        """What the matchings of one value have in common."""
        import networkx as nx  # loaded when used: most policies trace nobody
        from networkx.algorithms import bipartite

        supply = [group.histogram.get(value, 0) for group in self.old.groups]
        room = [group.histogram.get(value, 0) for group in self.new.groups]
        graph: Graph = nx.Graph()
        earlier = [SingleRecord("old", e, i) for e, count in enumerate(supply) for i in range(count)]
        graph.add_nodes_from(earlier)
        graph.add_nodes_from(SingleRecord("new", f, j) for f, count in enumerate(room) for j in range(count))
        graph.add_edges_from(
            (SingleRecord("old", e, i), SingleRecord("new", f, j))
            for e, f in self._pairs
            for i in range(supply[e])
            for j in range(room[f])
        )
        partner: dict[Hashable, Any] = bipartite.hopcroft_karp_matching(graph, earlier)
        if any(record not in partner for record in earlier):
            raise ReleaseError(
                "no assignment of new records covers all earlier ones: record tracing is about tables that "
                "grow and of people who never change, correct them or drop the requirement"
            )
        residual: nx.DiGraph[Any] = nx.DiGraph()
        residual.add_nodes_from([*graph, FREE])
        for one, other in graph.edges:
            a, b = (one, other) if one.side == "old" else (other, one)
            residual.add_edge(a, b)
            if partner[a] == b:
                residual.add_edge(b, a)
        for record in graph:
            if record.side == "new":
                residual.add_edge(*((FREE, record) if record in partner else (record, FREE)))
        part = {
            node: number
            for number, nodes in enumerate(nx.strongly_connected_components(residual))
            for node in nodes
        }
        possible: dict[int, set[int]] = {record.group: set() for record in earlier}
        for one, other in graph.edges:
            if part[one] == part[other] or partner.get(one) == other:
                a, b = (one, other) if one.side == "old" else (other, one)
                possible[a.group].add(b.group)
        loose = nx.ancestors(residual, FREE)
        bound = {r.group for r in graph if r.side == "new" and r not in loose}
        return ValueMatchings(graph=graph, possible=possible, bound=frozenset(bound))

    def traces(self, way: TracingWay, edges: Edges, below: int) -> Iterator[Trace]:
        """Yield records with fewer than `below` candidates, one per group and value: see `Tracer.traces`."""
        for value in sorted({member.value for member in self.people}):
            partners: dict[int, set[int]] = {}
            if edges == "plausible":
                if way == "backward":
                    continue  # nothing is known to go on
                for e, f in self._pairs:
                    if self.old.groups[e].histogram.get(value) and self.new.groups[f].histogram.get(value):
                        partners.setdefault(e, set()).add(f)
            else:
                found = self.of(value)
                if way == "forward":
                    partners = found.possible
                else:
                    for e, fs in found.possible.items():
                        for f in fs & found.bound:
                            partners.setdefault(f, set()).add(e)
            for group in sorted(partners):
                yield from self._trace(way, value, group, sorted(partners[group]), below)

    def _trace(
        self, way: TracingWay, value: str, group: int, partners: list[int], below: int
    ) -> Iterator[Trace]:
        home, others = self._inside if way == "forward" else self._inside[::-1]
        near = np.flatnonzero(home[group])
        fitting = near[others[partners][:, near].any(axis=0)].tolist()
        if len(fitting) < below:
            release = self.old if way == "forward" else self.new
            yield Trace(
                way=way,
                group=group,
                value=value,
                partners=tuple(partners),
                owners=frozenset(m.respondent for m in release.groups[group].members if m.value == value),
                candidates=frozenset(self.people[i].respondent for i in fitting),
            )


def _table(pairs: tuple[NDArray[np.int64], NDArray[np.int64]], groups: int, people: int) -> NDArray[np.bool_]:
    found = np.zeros((groups, people), dtype=bool)
    found[pairs] = True
    return found
