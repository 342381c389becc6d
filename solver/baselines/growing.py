"""The checks of `inferences` after one more cut, from what is known before it: same verdicts, faster.

A table only grows, and its boxes are tight. Per earlier release the groups that meet, the respondents
they share and the values of these are kept as integer arrays; a cut changes the few entries of the
part that is cut. Two short arguments settle nearly all records for the tracing attack without
looking at matchings:

* An earlier record of group e can be in the new group f if somebody with its value went from e to
  f, or if f has a record of its value that continues none: the two are then on one alternating cycle with
  any record that e's owner really continues in.
* A new record of f does not have to continue an earlier one if an earlier group from which
  such a record came meets a new group with such a record to spare.

If people shared with the groups found so are k or more, the record is safe. For the others the exact graph of
their value is made (`models.adversary.tracing`). Differences are found by the same minimum cuts as in
the requirement (`models.adversary.overlap`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...models.adversary.coded_boxes import BoxSpace, Coded, meeting
from ...models.adversary.overlap import GroupOverlaps, unsafe_differences
from ...models.adversary.tracing import ValueGraph
from ...models.box import Box
from ...models.problem import Problem
from ...models.release import QIGroup, Release
from ...models.requirements.difference import Difference
from ...models.requirements.record_tracing import RecordTracing
from .inferences import Inferences
from .top_down import Rows, group_of

__all__ = ["CutRelease", "Growing"]

Indices = NDArray[np.int64]

MOST_KNOWN = 20_000
"""Answers that are kept, of each kind."""


@dataclass(frozen=True, kw_only=True)
class _State:
    """The groups of the new release beside those of one earlier release.

    Attributes
    ----------
    source, target : int64 array
        Earlier and new group of each pair whose boxes meet.
    along : int64 array of shape (pairs, values)
        Respondents common to the pair, by value.
    room, filled : int64 array of shape (new groups, values)
        All respondents of each new group, and those of the earlier release, by value.
    boxes : Coded
        Of the new groups.
    """

    source: Indices
    target: Indices
    along: Indices
    room: Indices
    filled: Indices
    boxes: Coded


class Growing:
    """One earlier release beside the new one while this is cut.

    Parameters
    ----------
    problem : Problem
        The earlier release has no counterfeits and boxes; all its respondents are in the table, unchanged.
    old : Release
    whole : Box
        The box around the table.
    tracing : RecordTracing
        With ``edges="exact"`` and both directions.
    difference : Difference
        Not ``deep``.
    """

    def __init__(
        self, problem: Problem, old: Release, whole: Box, tracing: RecordTracing, difference: Difference
    ) -> None:
        table = problem.table
        self.k, self.difference = tracing.k, difference
        _, self._value = np.unique([m.value for m in table.members], return_inverse=True)
        self._values = int(self._value.max()) + 1
        self._home = np.full(len(table), -1, dtype=np.int64)
        for number, group in enumerate(old.groups):
            self._home[[table.row[who] for who in group.respondents]] = number
        known = np.flatnonzero(self._home >= 0)
        self.supply = self._counted(self._home[known], known, len(old.groups))
        boxes = [group.box for group in old.groups if group.box is not None]
        points = [member.point for member in table.members]
        self._space = BoxSpace([*boxes, whole], points)
        self._old_boxes = self._space.boxes(boxes)
        self._points = self._space.points([points[row] for row in known.tolist()])
        # A cut changes two boxes: most questions are the same after the next one.
        self._points_in: dict[bytes, Coded] = {}
        self._counts: dict[tuple[bytes, bytes], int] = {}
        everybody = np.arange(len(table), dtype=np.int64)
        self.state = self._joined(None, 0, [(everybody, whole)])

    def cut(self, part: int, halves: Sequence[tuple[Rows, Box]]) -> _State:
        """Cut group number `part`: the first half takes its number, the other a new one."""
        return self._joined(self.state, part, halves)

    def vulnerable(self, state: _State) -> bool:
        """Whether records can be traced or a difference is not (k, c)."""
        return self._traced(state) or self._different(state)

    # -- the arrays ----------------------------------------------------------------

    def _joined(self, before: _State | None, part: int, new: Sequence[tuple[Rows, Box]]) -> _State:
        count = 0 if before is None else len(before.room)
        numbers = [part, *range(count, count + len(new) - 1)] if before is not None else [0]
        boxes = self._space.boxes([box for _, box in new])
        met, which = meeting(self._old_boxes, boxes)
        shared = [self._shared(rows) for rows, _ in new]
        along = np.concatenate([one[met[which == i]] for i, one in enumerate(shared)])
        order = np.argsort(which, kind="stable")
        source, target = met[order], np.array(numbers, dtype=np.int64)[which[order]]
        room = np.stack([self._counted(np.zeros(len(rows), np.int64), rows, 1)[0] for rows, _ in new])
        filled = np.stack([one.sum(axis=0) for one in shared])
        if before is None:
            return _State(source=source, target=target, along=along, room=room, filled=filled, boxes=boxes)
        kept = before.target != part

        return _State(
            source=np.concatenate([before.source[kept], source]),
            target=np.concatenate([before.target[kept], target]),
            along=np.concatenate([before.along[kept], along]),
            room=_replaced(before.room, part, room),
            filled=_replaced(before.filled, part, filled),
            boxes=tuple(_replaced(a, part, b) for a, b in zip(before.boxes, boxes, strict=True)),
        )

    def _shared(self, rows: Rows) -> Indices:
        old = rows[self._home[rows] >= 0]
        return self._counted(self._home[old], old, len(self.supply))

    def _counted(self, home: Indices, rows: Indices, groups: int) -> Indices:
        flat = np.bincount(home * self._values + self._value[rows], minlength=groups * self._values)
        return flat.reshape(groups, self._values).astype(np.int64)

    # -- differences ---------------------------------------------------------------

    def _different(self, state: _State) -> bool:
        k, c = self.difference.k, self.difference.c
        people = state.along.sum(axis=1) > 0
        source, target, along = state.source[people], state.target[people], state.along[people]
        fresh = state.room - state.filled
        old_inside = GroupOverlaps(
            outer=target, inner=source, counts=along, rest=fresh, new=fresh.sum(axis=1)
        )
        if any(True for _ in unsafe_differences(old_inside, k, c)):
            return True
        usable = fresh.sum(axis=1)[target] == 0
        source, target, along = source[usable], target[usable], along[usable]
        rest = self.supply.copy()
        np.subtract.at(rest, source, along)
        new_inside = GroupOverlaps(outer=source, inner=target, counts=along, rest=rest, new=rest.sum(axis=1))
        return any(True for _ in unsafe_differences(new_inside, k, c))

    # -- tracing -------------------------------------------------------------------

    def _traced(self, state: _State) -> bool:
        source, target, along = state.source, state.target, state.along
        went, people = along > 0, along.sum(axis=1)
        spare = (state.room > state.filled)[target] & (self.supply > 0)[source]
        likely = went | spare
        safe = _summed(source, likely * people[:, None], len(self.supply)) >= self.k
        escaping = _summed(source, spare, len(self.supply)) > 0
        escapes = _summed(target, went & escaping[source], len(state.room)) > 0
        escapes |= (state.room > state.filled) | (state.filled == 0)
        escapes |= _summed(target, went * people[:, None], len(state.room)) >= self.k
        forward, backward = (self.supply > 0) & ~safe, ~escapes
        for v in np.flatnonzero(forward.any(axis=0) | backward.any(axis=0)).tolist():
            groups = [
                e
                for e in np.flatnonzero(forward[:, v]).tolist()
                if self._people(e, target[(source == e) & likely[:, v]], state) < self.k
            ]
            others = np.flatnonzero(backward[:, v]).tolist()
            if (groups or others) and self._exactly(v, groups, others, state, people):
                return True
        return False

    def _exactly(
        self, v: int, groups: Sequence[int], others: Sequence[int], state: _State, people: Indices
    ) -> bool:
        """Whether some record with value v, of these earlier and new groups, fits fewer than k people."""
        graph = ValueGraph(
            source=state.source,
            target=state.target,
            shared=people,
            along=state.along[:, v],
            supply=self.supply[:, v],
            room=state.room[:, v],
        )
        for e in groups:
            if self._people(e, graph.target[(graph.source == e) & graph.feasible], state) < self.k:
                return True
        return any(
            graph.bound[f]
            and self._owners(f, graph.source[(graph.target == f) & graph.feasible], state) < self.k
            for f in others
        )

    def _people(self, e: int, partners: Indices, state: _State) -> int:
        """People of the earlier release in the box of its group e and that of one of some new groups."""
        return self._inside(_rows(self._old_boxes, [e]), _rows(state.boxes, partners))

    def _owners(self, f: int, partners: Indices, state: _State) -> int:
        """People of the earlier release in the box of new group f and that of one of some earlier groups."""
        return self._inside(_rows(state.boxes, [f]), _rows(self._old_boxes, partners))

    def _inside(self, box: Coded, others: Coded) -> int:
        key = _key(box), _key(others)
        known = self._counts.get(key)
        if known is None:
            if len(self._counts) >= MOST_KNOWN:
                self._counts.clear()
            known = self._counts[key] = len(np.unique(meeting(others, self._within(box))[1]))
        return known

    def _within(self, box: Coded) -> Coded:
        """The points in a box."""
        key = _key(box)
        known = self._points_in.get(key)
        if known is None:
            if len(self._points_in) >= MOST_KNOWN:
                self._points_in.clear()
            known = self._points_in[key] = _rows(self._points, meeting(box, self._points)[1])
        return known


class CutRelease:
    """The groups of a release that is being cut, which leave no inference attack.

    Parameters
    ----------
    inferences : Inferences
    everybody : int64 array
        All rows. As one group they are not vulnerable.
    """

    def __init__(self, inferences: Inferences, everybody: Rows) -> None:
        self._inferences, problem = inferences, inferences.problem
        whole = group_of(problem, everybody)
        assert whole.box is not None, "inference attacks are about boxes"
        self._numbers: dict[bytes, int] = {everybody.tobytes(): 0}
        self._groups: list[QIGroup] = [whole]
        tracing, difference = inferences.tracing, inferences.difference
        self._pairs: list[Growing] | None = None
        if (tracing.edges, tracing.direction, difference.deep) == ("exact", "both", False):
            self._pairs = [Growing(problem, old, whole.box, tracing, difference) for old in problem.history]

    def made(self, part: Rows, left: Rows, right: Rows) -> bool:
        """Whether a part can be cut so without an attack; if so the cut is made."""
        halves = [group_of(self._inferences.problem, rows) for rows in (left, right)]
        if self._inferences.isolated(halves):
            return False
        number = self._numbers[part.tobytes()]
        groups = [*self._groups[:number], halves[0], *self._groups[number + 1 :], halves[1]]
        if self._pairs is None:
            if self._inferences.first(groups, intersected=True) is not None:
                return False
        else:
            boxed = [(rows, half.box) for rows, half in zip((left, right), halves, strict=True) if half.box]
            states: list[_State] = []
            for pair in self._pairs:
                states.append(pair.cut(number, boxed))
                if pair.vulnerable(states[-1]):
                    return False
            for pair, state in zip(self._pairs, states, strict=True):
                pair.state = state
        self._numbers |= {left.tobytes(): number, right.tobytes(): len(self._groups)}
        self._groups = groups
        return True


def _rows(coded: Coded, rows: Sequence[int] | Indices) -> Coded:
    return tuple(column[rows] for column in coded)


def _key(boxes: Coded) -> bytes:
    """The same for equal boxes only."""
    return b"".join(column.tobytes() for column in boxes)


def _replaced(old: NDArray[Any], part: int, new: NDArray[Any]) -> NDArray[Any]:
    """Rows with one of them replaced by the first new one, the others at the end."""
    found: NDArray[Any] = np.concatenate([old, new[1:]])
    found[part] = new[0]
    return found


def _summed(home: Indices, what: NDArray[np.int64] | NDArray[np.bool_], groups: int) -> Indices:
    """Column sums of the rows with the same home."""
    return np.stack(
        [np.bincount(home, weights=what[:, v], minlength=groups) for v in range(what.shape[1])], axis=1
    ).astype(np.int64)
