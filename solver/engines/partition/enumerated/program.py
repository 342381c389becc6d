"""The integer program over a list of groups, solved again with cuts until its release keeps the policy.

Group-scope requirements hold for every column. Other requirements write the rows they have beforehand
(`Requirement.encode`), and the rest as cuts when a release breaks them (`Requirement.cuts`); the model
without all cuts is a relaxation, so its bounds stay valid. Every release that the solver passes on its
way is looked at, so that one round finds many cuts. A requirement without cuts of its own
still gives a strong one if it is closed under suppression: the fewest groups that break it together are
not published together again. Only otherwise is a single release forbidden.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ortools.sat.python import cp_model

from .....models.cut_pieces import hidden_if
from .....models.encoding import Cut, Encoding, Linear
from .....models.problem import Problem
from .....models.release import QIGroup, Release
from .....models.requirement import Requirement
from ....backends import cpsat
from ....backends.cpsat import CpSatRun
from ....schedule import ENUMERATED
from ....settings import Clock, Settings
from ....status import Status
from .columns import NamedColumn
from .limits import ENUMERATED_LIMITS as LIMITS
from .model import ColumnEncoding

__all__ = ["ListOutcome", "ListedProgram"]


@dataclass(frozen=True, kw_only=True)
class ListOutcome:
    """How a minimization ended.

    Attributes
    ----------
    bound : int or None
        No release of listed groups has a smaller value; None if nothing is known.
    solved : bool
        Whether the bound is the value of a release that was found.
    empty : bool
        Whether no release is left at all.
    """

    bound: int | None
    solved: bool = False
    empty: bool = False


class ListedProgram:
    """State of one list.

    Parameters
    ----------
    problem : Problem
    columns : sequence of NamedColumn
        Admissible groups.
    settings, clock
        Seed, workers, time.
    offer : callable
        Receives every release that keeps the whole policy.

    Attributes
    ----------
    rounds : int
        Rounds of cuts so far.
    interrupted : bool
    """

    def __init__(
        self,
        problem: Problem,
        columns: Sequence[NamedColumn],
        settings: Settings,
        clock: Clock,
        offer: Callable[[Release], object],
    ) -> None:
        self.problem, self.settings, self.clock, self.offer = problem, settings, clock, offer
        self.model = ColumnEncoding(problem, columns, clock)
        for requirement in problem.policy.joint_requirements:
            requirement.encode(self.model)
            for cut in requirement.cuts(None, problem.history):
                cut.apply(self.model)
        self.rounds = 0
        self.interrupted = False

    def minimize(self, expression: Linear, start: Release | None) -> ListOutcome:
        """Minimize over the releases of listed groups that keep the policy."""
        self.model.cp.minimize(expression)
        bound: int | None = None
        while True:
            if start is not None:
                self.model.hint(start)
            run, seen = self._call()
            if run.status is Status.INFEASIBLE:
                return ListOutcome(bound=None, empty=True)
            if run.bound is not None:
                bound = run.bound if bound is None else max(bound, run.bound)
            judged = [self._judged(release) for release in seen]
            if not judged or not judged[-1]:
                solved = bool(judged) and run.status is Status.OPTIMAL
                return ListOutcome(bound=run.value(expression) if solved else bound, solved=solved)
            self.rounds += 1
            for cuts in judged:
                for cut in cuts:
                    cut.apply(self.model)
            if self.interrupted or run.status is not Status.OPTIMAL or self.clock.over:
                return ListOutcome(bound=bound)

    def _call(self) -> tuple[CpSatRun, list[Release]]:
        listener, long = _Listener(self.model), len(self.model.columns) > LIMITS.long
        run = cpsat.solved(
            self.model.cp,
            seconds=self.clock.left,
            seed=self.settings.seed,
            workers=self.settings.workers,
            large=long,
            share=ENUMERATED.program.part if long else 1.0,
            listener=listener,
            keep_interrupted=True,
        )
        self.interrupted |= run.interrupted
        seen = listener.seen[-LIMITS.seen :]
        if run.found:
            seen.append(self.model.release(run.value))
        return run, seen

    def _judged(self, release: Release) -> list[Cut]:
        """Cuts for a release that breaks the policy; one that keeps it is offered."""
        problem, history = self.problem, self.problem.history
        joint = problem.policy.joint_requirements
        broken = [r for r in joint if next(r.check(release, history), None) is not None]
        if not broken:
            self.offer(release)
            return []
        return [cut for r in broken for cut in self._cuts(r, release)]

    def _cuts(self, requirement: Requirement, release: Release) -> list[Cut]:
        found = list(requirement.cuts(release, self.problem.history))
        if found:
            return found
        if requirement.structure(self.problem).closed_under_suppression:
            return [_together(_fewest(requirement, release, self.problem, self.clock), None)]
        return [_together(release.groups, release)]


class _Listener(cp_model.CpSolverSolutionCallback):
    """Keeps the releases that CP-SAT passes."""

    def __init__(self, model: ColumnEncoding) -> None:
        super().__init__()
        self._model = model
        self.seen: list[Release] = []

    def on_solution_callback(self) -> None:
        self.seen.append(self._model.release(self.value))


def _fewest(requirement: Requirement, release: Release, problem: Problem, clock: Clock) -> Sequence[QIGroup]:
    """Groups of a release that break a requirement by themselves; in time, none of them can be left out."""
    left = list(release.groups)
    for group in release.groups:
        if clock.over:
            break
        fewer = [other for other in left if other is not group]
        gone = [m for other in release.groups if other not in fewer for m in other.members]
        part = replace(release, groups=tuple(fewer), suppressed=(*release.suppressed, *gone))
        if next(requirement.check(part, problem.history), None) is not None:
            left = fewer
    return left


def _together(groups: Sequence[QIGroup], release: Release | None) -> Cut:
    """Not these groups together; with a release, only if exactly its suppressed tuples are suppressed."""

    def apply(model: Encoding) -> None:
        same = [literal for group in groups for literal in model.same_group(group)]
        if release is not None:
            same += hidden_if(model, [model.table.row[m.respondent] for m in release.suppressed])
        model.cp.add_bool_or([]).only_enforce_if(*same)

    return Cut("these groups" if release is None else "this release", apply)
