r"""Safety from record tracing (Byun, Li, Bertino, Li, Sohn, sec. 4.5), for tables that only grow.

Meaning. Between every earlier release and the new one, each record that can be traced
fits at least k people of the earlier release; see ``adversary/tracing.py`` for who fits and
for both directions. Up to a few thousand records ``check`` asks the definition itself, matchings of single
records (``adversary/matching.py``), which does not look at who is where in the new release; beyond,
the residual graph of the true matching. ``edges="exact"`` is the strongest adversary per pair of releases,
``"plausible"`` the one of the source's experiments, who only compares boxes and values.

Defined only if every earlier record goes on: a history with counterfeits, anatomized
releases, or respondents who are not in the new table, is refused; a release that
suppresses somebody published before is a violation.

Cuts. ``encode`` only keeps earlier respondents published. Let s be a value and B old
groups (a *block*) with n records of s in all. All boxes of new groups that hold s and
meet a box of B have room for these n; if they have exactly n records of s (the block is
*tight*), no other old record can be in them, and theirs all continue records of B. For a
record that fails, the old groups reached in the residual graph from the groups it cannot
be in (forward), or from its own (backward), are a tight block, and

forward   for group e and value s: at least k people of e's old box are in the box of a
          new group that holds s and, if B is tight, meets no box of B;
backward  for value s: if B is tight, every new group that holds s and meets a box of B
          has at least k people of the old boxes of B in its box

is broken by the release found and kept by every good one: a feasible group never is in
the neighbourhood of a tight block without e, and records in it belong to B. There are finitely
many (e, s, B), so rounds end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from ..adversary.matching import Matchings
from ..adversary.tracing import (
    Trace,
    Tracer,
    TracingWay,
    refuse_changed,
    refuse_untraceable,
    untraceable,
)
from ..box import Box, Interval, Leaves, Point, covers
from ..cut_pieces import box_conditions, fake_limit
from ..encoding import Cut, Encoding, Linear
from ..errors import PolicyError, ReleaseError
from ..group_bounds import GroupBounds
from ..history import History
from ..relaxations import Parameter
from ..release import Release
from ..requirement import Requirement, Scope, Violation, hold_whole, register
from ..returning import returning
from ..structure import Structure

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    from ..problem_view import ProblemView

__all__ = ["RecordTracing", "judge_of"]

RECORDS = 10_000
"""`check` matches single records as long as two releases have no more together ..."""
EDGES = 100_000
"""... and no more edges join them: about a second."""


@register
@dataclass(frozen=True, kw_only=True)
class RecordTracing(Requirement):
    """Every record that can be traced between two releases still fits at least `k` people.

    Use it for tables that only grow, together with `k_c_anonymity`, `difference` and `intersection`.

    Parameters
    ----------
    k : int
        How many people a traced record still fits at least; 1 or more.
    direction : {"both", "forward", "backward"}
        Earlier records into the new release, new records that continue an earlier one, or both.
    edges : {"exact", "plausible"}
        Everything that follows from boxes and values together, or from each pair of records alone (forward
        only).
    """

    name: ClassVar[str] = "record_tracing"
    scope: ClassVar[Scope] = Scope.SERIES
    adversary: ClassVar[Literal["persistent", "transient", "either"]] = "persistent"
    reference: ClassVar[str] = "Byun, Li, Bertino, Li, Sohn, sec. 4.5"

    k: int
    direction: Literal["both", "forward", "backward"] = "both"
    edges: Literal["exact", "plausible"] = "exact"

    def __post_init__(self) -> None:
        hold_whole(self, self.name, "k", 1)
        if self.direction not in ("both", "forward", "backward"):
            raise PolicyError(
                f"{self.name}: direction must be 'both', 'forward' or 'backward', got {self.direction!r}"
            )
        if self.edges not in ("exact", "plausible"):
            raise PolicyError(f"{self.name}: edges must be 'exact' or 'plausible', got {self.edges!r}")
        if self.edges == "plausible" and self.direction == "backward":
            raise PolicyError(
                f"{self.name}: with edges='plausible' no new record is known to continue an earlier one, so "
                "there is nothing to trace backward: use edges='exact' or direction='forward'"
            )

    @property
    def _ways(self) -> tuple[TracingWay, ...]:
        if self.edges == "plausible":
            return ("forward",)
        return ("forward", "backward") if self.direction == "both" else (self.direction,)

    def structure(self, problem: ProblemView | None = None) -> Structure:
        """Monotone: larger boxes meet more, cover more people, and free more matchings."""
        return Structure(monotone=True, looks_back=True, form="generalized")

    def check(self, release: Release, history: History) -> Iterator[Violation]:
        """Yield one violation per group and value whose records fit fewer than k people.

        A record of one release continues in the other where quasi-identifiers and value agree. Whoever knows
        everybody's quasi-identifiers follows it to the groups it can be in, and to the people who fit there.

        Yields
        ------
        Violation
            "records of group 2 of release 1 can be in 1 new groups and fit 2 people there, fewer than k =
            5", with these groups, and witness `way`, `value`, `records`, `people` and `k`; or that
            respondents of an earlier release are left out, since tracing is defined for tables that only
            grow.

        Raises
        ------
        ReleaseError
            If tracing is not defined: deletions, counterfeits in the history, anatomized
            releases, or quasi-identifiers or values that changed.
        """
        refuse_untraceable(release, history)
        for number, old in enumerate(history):
            hidden = [who for who in old.where if who not in release.where]
            if hidden:
                yield Violation(
                    requirement=self.name,
                    message=f"{len(hidden)} respondents of release {number + 1} are suppressed: record "
                    "tracing is defined only if every earlier record goes on",
                    respondents=tuple(sorted(hidden)),
                    witness={"suppressed": len(hidden)},
                )
                continue
            judge = judge_of(old, release)
            for way in self._ways:
                for trace in judge.traces(way, self.edges, self.k):
                    yield self._violation(trace, number)

    def _violation(self, trace: Trace, number: int) -> Violation:
        forward = trace.way == "forward"
        old = (trace.group,) if forward else trace.partners
        known, group, partners = number + 1, trace.group + 1, len(trace.partners)
        told = (
            f"records of group {group} of release {known} can be in {partners} new groups"
            if forward
            else f"records of group {group} continue records of {partners} groups of release {known}"
        )
        return Violation(
            requirement=self.name,
            message=f"{told} and fit {len(trace.candidates)} people there, fewer than k = {self.k}",
            groups=trace.partners if forward else (trace.group,),
            earlier=tuple((number, e) for e in old),
            respondents=tuple(sorted(trace.owners)),
            witness={
                "way": trace.way,
                "value": trace.value,
                "records": len(trace.owners),
                "people": len(trace.candidates),
                "k": self.k,
            },
        )

    def parameters(self) -> tuple[Parameter, ...]:
        return (Parameter.whole("k", self.k),)

    def bounds(self, problem: ProblemView) -> GroupBounds:
        return GroupBounds(problem=problem, notes=returning)

    def encode(self, model: Encoding) -> None:
        """Keep earlier respondents published; the rest is left to `cuts`.

        Raises
        ------
        ReleaseError
            If tracing is not defined between the table and its history.
        PolicyError
            If the release is to be anatomized.
        """
        history = model.problem.history
        if len(history) and model.problem.policy.form == "anatomized":
            raise PolicyError(f"{self.name}: record tracing is about boxes, publish the 'generalized' form")
        people = frozenset(model.table.row)
        for number, old in enumerate(history, start=1):
            reason = untraceable(old, people, number)
            if reason is not None:
                raise ReleaseError(reason)
        for who in history.records:
            hidden = model.suppressed(model.table.row[who])
            if not isinstance(hidden, int):
                model.cp.add(hidden == 0)

    def cuts(self, release: Release | None, history: History) -> Iterator[Cut]:
        if release is None:
            return
        for number, old in enumerate(history):
            if any(who not in release.where for who in old.where):
                continue
            tracer = Tracer(old, release)
            for way in self._ways:
                seen: set[tuple[str, tuple[int, ...]]] = set()
                for trace in tracer.traces(way, self.edges, self.k):
                    block = self._block(tracer, trace)
                    name = f"record tracing {way}, release {number + 1}, block of {len(block)} groups"
                    if way == "forward":
                        yield Cut(
                            name,
                            partial(
                                self._forward, old=old, group=trace.group, value=trace.value, block=block
                            ),
                        )
                    elif (trace.value, block) not in seen:
                        seen.add((trace.value, block))
                        yield Cut(name, partial(self._backward, old=old, value=trace.value, block=block))

    def _block(self, tracer: Tracer, trace: Trace) -> tuple[int, ...]:
        if self.edges == "plausible":
            return ()
        graph = tracer.graph(trace.value)
        if trace.way == "backward":
            return graph.block(np.array([trace.group]))
        return graph.block(graph.target[(graph.source == trace.group) & ~graph.feasible])

    def _forward(
        self, model: Encoding, *, old: Release, group: int, value: str, block: Sequence[int]
    ) -> None:
        home = old.groups[group].box
        room = _TracedBlock(model, old, value, block)
        people = [
            m.point for g in old.groups for m in g.members if home is not None and covers(home, m.point)
        ]
        reached: list[cp_model.IntVar] = []
        for number, point in enumerate(people):
            ways: list[cp_model.IntVar] = []
            for g in model.slots:
                conditions = box_conditions(model, g, _around(point))
                if conditions is None:
                    continue
                way = model.cp.new_bool_var(f"way[{number},{g}]")
                model.cp.add_bool_and([model.present(g, value), *conditions]).only_enforce_if(way)
                if block:
                    model.cp.add_bool_or([~way, *room.spared(g)])
                ways.append(way)
            found = model.cp.new_bool_var(f"reached[{number}]")
            model.cp.add_bool_or([~found, *ways])
            reached.append(found)
        model.cp.add(sum(reached) >= self.k)

    def _backward(self, model: Encoding, *, old: Release, value: str, block: Sequence[int]) -> None:
        room = _TracedBlock(model, old, value, block)
        boxes = [box for e in block if (box := old.groups[e].box) is not None]
        people = [
            m.point for g in old.groups for m in g.members if any(covers(box, m.point) for box in boxes)
        ]
        for g in model.slots:
            inside: list[cp_model.IntVar] = []
            for number, point in enumerate(people):
                conditions = box_conditions(model, g, _around(point))
                if conditions is not None:
                    literal = model.cp.new_bool_var(f"inside[{number},{g}]")
                    model.cp.add_bool_and(conditions).only_enforce_if(literal)
                    inside.append(literal)
            enough = model.cp.new_bool_var(f"enough[{g}]")
            model.cp.add(sum(inside) >= self.k).only_enforce_if(enough)
            model.cp.add_bool_or([~model.present(g, value), enough, *room.spared(g)])


def judge_of(old: Release, new: Release) -> Tracer | Matchings:
    """The definition's own checker, or its fast double where too many records would be single nodes."""
    if len(old.members) + len(new.members) <= RECORDS:
        refuse_changed(old, new)
        found = Matchings(old, new)
        if found.edges <= EDGES:
            return found
    return Tracer(old, new)


class _TracedBlock:
    """Old groups in the model: whether new groups hold more records than theirs, or keep apart."""

    def __init__(self, model: Encoding, old: Release, value: str, block: Sequence[int]) -> None:
        self.model = model
        self.boxes = [box for e in block if (box := old.groups[e].box) is not None]
        self._spared: dict[int, list[cp_model.IntVar]] = {}
        if not self.boxes:
            return
        most = model.table.histogram.get(value, 0) + fake_limit(model)
        self.slack = model.cp.new_bool_var("slack")
        met: list[Linear] = []
        for g in model.slots:
            near = model.cp.new_bool_var(f"near[{g}]")
            apart = model.cp.new_bool_var(f"apart[{g}]")
            options: list[cp_model.IntVar] = []
            for box in self.boxes:
                conditions = box_conditions(model, g, box)
                if conditions is not None:
                    option = model.cp.new_bool_var(f"near[{g},{len(options)}]")
                    model.cp.add_bool_and(conditions).only_enforce_if(option)
                    model.cp.add_bool_or([~apart, *(~literal for literal in conditions)])
                    options.append(option)
            model.cp.add_bool_or([~near, *options])
            met.append(model.counted_if(near, model.count(g, value), most))
            self._spared[g] = [apart, self.slack]
        needed = sum(old.groups[e].histogram.get(value, 0) for e in block)
        model.cp.add(sum(met) >= needed + 1).only_enforce_if(self.slack)

    def spared(self, g: int) -> list[cp_model.IntVar]:
        """Literals one of which holds if the block does not use up the slot's records."""
        return self._spared[g]


def _around(point: Point) -> Box:
    """The box that holds one point."""
    return tuple(
        Leaves(coordinate, frozenset((coordinate,)))
        if isinstance(coordinate, str)
        else Interval(coordinate, coordinate)
        for coordinate in point
    )
