r"""Tracing a record from one release to another (Byun et al., sec. 4.5), exactly.

Records of the two releases can be the same if their boxes meet and their values agree.
The table only grows, so every earlier record goes on: the truth is a matching that covers
all earlier records. Everything the adversary can conclude is about all such matchings.

* An edge is in some of them exactly if it is in the true one or on an alternating cycle,
  or on an even alternating path from a free new record; with one node FREE that every free
  new record reaches and from which every matched one can be reached: if its ends are
  strongly connected in the residual graph of the true matching.
* A new record continues an earlier one in all of them exactly if no alternating path from
  it ends in FREE.

Records of one group and value are alike and share a node with a multiplicity; the truth is
known to the steward, so no matching has to be searched. Nothing is removed that is feasible
and everything else is, which the source's Fig. 10 does not achieve, and the arbitrary choice
of its Fig. 9 (ii) becomes a statement about the new record, traced backward.

forward   An earlier record of group e belongs to somebody of the earlier release whose exact
          quasi-identifiers lie in the box of e and in the box of a feasible new group.
backward  A new record of group f that must continue an earlier one belongs to somebody of
          the earlier release who lies in the box of f and in that of a feasible earlier group.

Fewer than k such people are a breach. With ``edges="plausible"`` every edge counts as
feasible; nothing is then known to go on, so backward tracing finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ..box import meets
from ..errors import ReleaseError
from ..group import Member
from ..history import History
from ..release import Release
from .coded_boxes import BoxSpace, Coded, meeting

__all__ = ["Edges", "Trace", "Tracer", "TracingWay", "ValueGraph", "untraceable"]

TracingWay = Literal["forward", "backward"]
Edges = Literal["exact", "plausible"]
Indices = NDArray[np.int64]

VALUE_CHANGED = (
    "column {column!r}: a respondent's value differs between two releases: record tracing is about values "
    "that never change, correct them or declare them transient"
)
PLACE_CHANGED = (
    "a respondent's earlier and new box do not meet: record tracing is about quasi-identifiers that never "
    "change, correct them or drop the requirement"
)


@dataclass(frozen=True, kw_only=True)
class Trace:
    """Records of one group with one value, and who they can belong to.

    Attributes
    ----------
    way : {"forward", "backward"}
        Whether the record is in the earlier release or in the new one.
    group : int
        Its group, in its release.
    value : str
        Its value.
    partners : tuple of int
        Groups of the other release where it can be.
    owners : frozenset of str
        The respondents it really belongs to, one per record.
    candidates : frozenset of str
        The people who fit.
    """

    way: TracingWay
    group: int
    value: str
    partners: tuple[int, ...]
    owners: frozenset[str] = field(repr=False)
    candidates: frozenset[str] = field(repr=False)


def untraceable(old: Release, members: frozenset[str], number: int) -> str | None:
    """Why records of release `number` (from 1) cannot be traced among `members`, in words; or None.

    What follows the semicolon is what a policy that asks for it can do about it.
    """
    if old.form == "anatomized":
        return f"release {number} is anatomized: record tracing is about boxes; use generalized releases"
    if old.counterfeits:
        return (
            f"release {number} has counterfeits ({old.counterfeits}): record tracing is defined only if "
            "every earlier record goes on; publish without counterfeits, or drop the requirement"
        )
    gone = sum(1 for group in old.groups for who in group.respondents if who not in members)
    if gone:
        who = "1 person" if gone == 1 else f"{gone} people"
        return (
            f"{who} of release {number} {'is' if gone == 1 else 'are'} not in the new table: record tracing "
            "is defined only for tables that grow; keep them, or drop the requirement"
        )
    return None


class Tracer:
    """Two releases of a growing table, ready to trace records between them.

    Parameters
    ----------
    old, new : Release
        Every published respondent of `old` is published in `new`, `old` has no
        counterfeits, and both are generalized.

    Raises
    ------
    ReleaseError
        If a respondent's value or quasi-identifiers changed so that the two records do not fit.
    """

    def __init__(self, old: Release, new: Release) -> None:
        self.old, self.new = old, new
        self.people: list[Member] = [member for group in old.groups for member in group.members]
        space = BoxSpace([*old.boxes, *new.boxes], [member.point for member in self.people])
        self._old_boxes, self._new_boxes = space.coded(old.boxes), space.coded(new.boxes)
        self._points = space.coded([member.point for member in self.people])
        self.source, self.target = meeting(self._old_boxes, self._new_boxes)
        self.values = sorted({member.value for member in self.people})
        self._inside: dict[tuple[bool, int], Indices] = {}
        self._count_true_edges()

    def _count_true_edges(self) -> None:
        """How many respondents, per value, went along each pair of groups."""
        width, code = len(self.new.groups), {v: j for j, v in enumerate(self.values)}
        then = {member.respondent: member.value for group in self.new.groups for member in group.members}
        pairs = np.empty(len(self.people), dtype=np.int64)
        kinds = np.empty(len(self.people), dtype=np.int64)
        for i, member in enumerate(self.people):
            if then[member.respondent] != member.value:
                raise ReleaseError(VALUE_CHANGED.format(column=self.old.sensitive))
            who = member.respondent
            pairs[i] = self.old.where[who] * width + self.new.where[who]
            kinds[i] = code[member.value]
        known = self.source * width + self.target
        places = np.searchsorted(known, pairs)
        if not len(known) or (known[np.minimum(places, len(known) - 1)] != pairs).any():
            raise ReleaseError(PLACE_CHANGED)
        self.flow = coo_array(
            (np.ones(len(pairs), dtype=np.int64), (kinds, places)), shape=(len(self.values), len(known))
        ).tocsr()
        self.shared: Indices = np.bincount(places, minlength=len(known)).astype(np.int64)

    def graph(self, value: str) -> ValueGraph:
        """Residual graph of the true matching among the records of one value."""
        along = np.asarray(self.flow[[self.values.index(value)], :].todense()).ravel()
        return ValueGraph(
            source=self.source,
            target=self.target,
            shared=self.shared,
            along=along,
            supply=_counts(self.old, value),
            room=_counts(self.new, value),
        )

    def traces(self, way: TracingWay, edges: Edges, below: int) -> Iterator[Trace]:
        """Yield records with fewer than `below` candidates, one per group and value.

        Complexity: O(groups**2) to find meeting boxes, then linear in the edges per value.
        """
        for value in self.values:
            graph = self.graph(value)
            feasible = graph.feasible if edges == "exact" else np.ones(len(graph.source), dtype=bool)
            if way == "forward":
                wanted, other = graph.source, graph.target
                groups = np.unique(wanted)
            else:
                wanted, other = graph.target, graph.source
                groups = np.flatnonzero(graph.bound) if edges == "exact" else np.zeros(0, dtype=np.int64)
            wanted, other, shared = wanted[feasible], other[feasible], graph.shared[feasible]
            order = np.argsort(wanted, kind="stable")
            wanted, other = wanted[order], other[order]
            sure = np.bincount(wanted, weights=shared[order], minlength=int(wanted.max(initial=0)) + 1)
            for group in groups[sure[groups] < below].tolist():
                first, last = np.searchsorted(wanted, [group, group + 1])
                partners = other[first:last]
                found = self._candidates(way, group, partners)
                if len(found) < below:
                    home = (self.old if way == "forward" else self.new).groups[group]
                    yield Trace(
                        way=way,
                        group=group,
                        value=value,
                        partners=tuple(partners.tolist()),
                        owners=frozenset(m.respondent for m in home.members if m.value == value),
                        candidates=frozenset(self.people[i].respondent for i in found),
                    )

    def _candidates(self, way: TracingWay, group: int, partners: Indices) -> list[int]:
        """People of the old release inside the group's box and the box of a partner."""
        forward = way == "forward"
        inside = self._inside.get((forward, group))
        if inside is None:
            boxes = self._old_boxes if forward else self._new_boxes
            inside = meeting(_rows(boxes, np.array([group])), self._points)[1]
            self._inside[forward, group] = inside
        others = _rows(self._new_boxes if forward else self._old_boxes, partners)
        return np.unique(inside[meeting(_rows(self._points, inside), others)[0]]).tolist()


def _counts(release: Release, value: str) -> Indices:
    return np.array([group.histogram.get(value, 0) for group in release.groups], dtype=np.int64)


def _rows(coded: Coded, rows: Indices) -> Coded:
    return tuple(column[rows] for column in coded)


class ValueGraph:
    """Records of one value: old groups 0, 1, ..., then new groups, then FREE.

    Parameters
    ----------
    source, target : int64 array
        Old and new group of each pair whose boxes meet; those without records of the value are left out.
    shared : int64 array
        Respondents (of any value) common to the two groups.
    along : int64 array
        Respondents with this value common to them.
    supply, room : int64 array
        Records with this value per old and per new group.

    Attributes
    ----------
    source, target, shared : int64 array
        The same, of pairs that have such records: the edges.
    feasible : bool array
        Whether some matching that covers all old records uses the edge.
    bound : bool array
        Per new group: whether its records of this value continue old ones in every matching.
    """

    def __init__(
        self,
        *,
        source: Indices,
        target: Indices,
        shared: Indices,
        along: Indices,
        supply: Indices,
        room: Indices,
    ) -> None:
        self._first_new, self._free = len(supply), len(supply) + len(room)
        chosen = np.flatnonzero((supply[source] > 0) & (room[target] > 0))
        self.source, self.target = source[chosen], target[chosen]
        self.shared = shared[chosen]
        along = along[chosen]
        self._along = along
        filled = np.bincount(self.target, weights=along, minlength=len(room)).astype(np.int64)
        used, ends = along > 0, self.target + self._first_new
        partly = np.flatnonzero(filled < room) + self._first_new
        taken = np.flatnonzero(filled > 0) + self._first_new
        tails = np.concatenate([self.source, ends[used], partly, np.full(len(taken), self._free)])
        heads = np.concatenate([ends, self.source[used], np.full(len(partly), self._free), taken])
        self._residual: csr_array = coo_array(
            (np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(self._free + 1, self._free + 1)
        ).tocsr()
        self._filled = filled

    @cached_property
    def feasible(self) -> NDArray[np.bool_]:
        _, label = connected_components(self._residual, directed=True, connection="strong")
        return (self._along > 0) | (label[self.source] == label[self.target + self._first_new])

    @cached_property
    def bound(self) -> NDArray[np.bool_]:
        found = breadth_first_order(self._residual.T.tocsr(), self._free, return_predecessors=False)
        escapes = np.zeros(self._free + 1, dtype=bool)
        escapes[found] = True
        return ~escapes[self._first_new : self._free] & (self._filled > 0)

    def block(self, new_groups: Indices) -> tuple[int, ...]:
        """Old groups whose records of this value use up those of the given new groups in every matching.

        Defined for new groups from which FREE cannot be reached: the old groups reached
        from them have exactly as many records as all new groups whose boxes they meet.
        """
        reached: set[int] = set()
        for group in new_groups.tolist():
            if group + self._first_new not in reached:
                order = breadth_first_order(
                    self._residual, group + self._first_new, return_predecessors=False
                )
                reached.update(order.tolist())
        return tuple(sorted(node for node in reached if node < self._first_new))


def refuse_untraceable(release: Release, history: History) -> None:
    """Raise ReleaseError if record tracing is not defined between the release and its history."""
    members = frozenset(member.respondent for member in release.members)
    reasons = [untraceable(old, members, number) for number, old in enumerate(history, start=1)]
    if len(history) and release.form == "anatomized":
        reasons.append(
            "the new release is anatomized: record tracing is about boxes; use generalized releases"
        )
    for reason in reasons:
        if reason is not None:
            raise ReleaseError(reason)


def refuse_changed(old: Release, new: Release) -> None:
    """Raise ReleaseError if somebody has another value in the new release, or boxes that do not meet."""
    then = {member.respondent: member.value for group in new.groups for member in group.members}
    met: set[tuple[int, int]] = set()
    for group in old.groups:
        for member in group.members:
            if then[member.respondent] != member.value:
                raise ReleaseError(VALUE_CHANGED.format(column=old.sensitive))
            met.add((old.where[member.respondent], new.where[member.respondent]))
    for e, f in met:
        one, other = old.groups[e].box, new.groups[f].box
        if one is None or other is None or not meets(one, other):
            raise ReleaseError(PLACE_CHANGED)
