"""Relaxation engine: a bound from the part of the policy that can be searched, a release by repair."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ....models.errors import EngineError
from ....models.problem import Problem
from ....models.release import Release
from ...result import Status, Termination
from ...settings import Answer, Clock, Settings, Watch
from ..partition.engine import PartitionEngine
from .moves import improve
from .relaxation import kept, relaxed
from .repair import aligned, merge_until_clean, newcomers
from .state import State

__all__ = ["RelaxedEngine"]

SHARE = 0.5
"""Part of the time limit for the bound."""
NEW_SHARE = 0.1
"""Part of the time limit for grouping newcomers among themselves."""


class RelaxedEngine:
    """Requirements on people, whole releases and series: clean releases with a valid bound."""

    name = "relaxed"

    def refuses(self, problem: Problem) -> str | None:
        policy = problem.policy
        if policy.suppression_limit(len(problem.table)) or policy.counterfeit_limit != 0:
            return (
                "the relaxation engine neither suppresses tuples nor makes counterfeits: set both limits to 0"
            )
        indices = kept(problem)
        if len(indices) == len(policy.requirements):
            return "the relaxation engine has nothing to leave out: use the partition engine"
        refusal = PartitionEngine().refuses(relaxed(problem, indices))
        return None if refusal is None else f"the relaxation engine: {refusal}"

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Bound first, then the best start, then improvements until none is found or time is over."""
        refusal = self.refuses(problem)
        if settings.extend is not None:
            refusal = "the relaxation engine has no CP-SAT model to extend: use engine='assignment'"
        if refusal is not None:
            raise EngineError(refusal)
        return _Search(problem, settings, watch).run()


class _Search:
    """State of one solve."""

    def __init__(self, problem: Problem, settings: Settings, watch: Watch) -> None:
        self.problem, self.settings, self.watch = problem, settings, watch
        self.clock = Clock(settings.time_limit, watch.clock.began)
        self.indices = kept(problem)
        self.best: State | None = None
        self.bound: Fraction | None = None
        self.interrupted = False

    def run(self) -> Answer:
        easier = relaxed(self.problem, self.indices)
        limit = self.clock.left
        inner = PartitionEngine().solve(
            easier,
            replace(
                self.settings, time_limit=None if limit is None else max(0.1, SHARE * limit), initial=None
            ),
            Watch(lambda point, text: self._note(point.bound)),
        )
        if inner.status is Status.INFEASIBLE:
            return replace(inner, release=None, proof=self._proof(inner.proof))
        self.interrupted = inner.termination is Termination.INTERRUPTED
        try:
            self._starts(inner.release)
            if self.best is not None and not self.interrupted:
                improve(self.best, self.clock, self._improved)
        except KeyboardInterrupt:
            self.interrupted = True
        return self._answer(inner)

    # -- releases --------------------------------------------------------------------

    def _starts(self, loose: Release | None) -> None:
        """The caller's release, earlier groups kept whole, the relaxation's release repaired."""
        row = self.problem.table.row
        for release, repaired in ((self.settings.initial, False), (loose, True)):
            if release is not None and not release.suppressed and not release.counterfeits:
                groups = [[row[who] for who in group.respondents] for group in release.groups]
                self._offer(State(self.problem, groups), repaired=repaired)
        together = aligned(self.problem)
        fresh = newcomers(self.problem)
        if together and fresh:
            among = self._among(fresh)
            if among is not None:
                self._offer(State(self.problem, [*together, *among]), repaired=True)

    def _among(self, fresh: list[int]) -> list[list[int]] | None:
        """Newcomers grouped by themselves under the searchable part of the policy."""
        table = self.problem.table
        part = replace(table, members=tuple(table.members[t] for t in fresh), codes=table.codes[fresh].copy())
        easier = relaxed(replace(self.problem, table=part), self.indices)
        limit = self.clock.left
        seconds = 10.0 if limit is None else max(0.1, NEW_SHARE * limit)
        if PartitionEngine().refuses(easier) is not None:
            return None
        found = PartitionEngine().solve(
            easier, replace(self.settings, time_limit=seconds, initial=None), Watch()
        )
        if found.release is None:
            return [fresh]
        row = table.row
        return [[row[who] for who in group.respondents] for group in found.release.groups]

    def _offer(self, state: State, *, repaired: bool) -> None:
        clean = merge_until_clean(state, self.clock) if repaired else not state.violations()
        if clean and (self.best is None or state.total < self.best.total):
            self.best = state
            self._improved()

    def _improved(self) -> None:
        self._note(None)

    # -- the answer --------------------------------------------------------------------

    def _note(self, bound: Fraction | None) -> None:
        level = len(self.problem.policy.levels) - 1
        self.bound = self.bound if bound is None else bound
        self.watch.note(level, self._value(), self.bound)

    def _value(self) -> Fraction | None:
        if self.best is None:
            return None
        return self.problem.objective(self.best.release())[-1]

    def _answer(self, inner: Answer) -> Answer:
        release = None
        if self.best is not None:
            release = self.problem.assemble([list(group) for group in self.best.groups])
        status = Status.UNKNOWN if release is None else Status.FEASIBLE
        ended = Termination.ITERATION_LIMIT
        if self.interrupted:
            ended = Termination.INTERRUPTED
        elif self.clock.over:
            ended = Termination.TIME_LIMIT
        if release is not None and self.problem.objective(release) == inner.bounds:
            status, ended = Status.OPTIMAL, Termination.COMPLETED
        return Answer(
            release=release,
            bounds=inner.bounds,
            status=status,
            termination=ended,
            rounds=inner.rounds,
            proof=self._proof(inner.proof),
        )

    def _proof(self, inner: dict[str, object]) -> dict[str, object]:
        names = [str(self.problem.policy.requirements[index]) for index in self.indices]
        return {
            "kind": f"relaxation: {inner.get('kind', 'none')}",
            "solver": inner.get("solver", "none"),
            "kept": list(self.indices),
            "relaxed": f"the bound holds already under {', '.join(names) or 'the least group size'} alone",
            "of": inner,
        }
