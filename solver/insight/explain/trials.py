"""Solves of relatives of one problem, remembered: whether there is a release, and how little it need lose."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from ....models.encoding import Encoding
from ....models.errors import CertificateError, EngineError, ReleaseError
from ....models.policy import Policy
from ....models.problem import Problem
from ....models.release import Release
from ...engine import Engine
from ...engines.assignment.engine import AssignmentEngine
from ...parts import feasibility
from ...search import choose, obstacles
from ...settings import Answer, Clock, Settings, Watch
from ...status import Status

__all__ = ["TrialOutcome", "TrialVerdict", "Trials"]


@dataclass(frozen=True, kw_only=True)
class TrialVerdict:
    """Whether a problem has a release: FEASIBLE with one, INFEASIBLE with a proof, or UNKNOWN."""

    status: Status
    release: Release | None = None

    @property
    def feasible(self) -> bool | None:
        """True, False, or None if it is not known."""
        return None if self.status is Status.UNKNOWN else self.status is Status.FEASIBLE


@dataclass(frozen=True, kw_only=True)
class TrialOutcome:
    """What a minimization found.

    Attributes
    ----------
    status : Status
    release : Release or None
    values : tuple of Fraction
        Objective of the release, level by level; empty without one.
    bounds : tuple of Fraction or None
        Proven bound of every level, given that all levels before are optimal.
    """

    status: Status
    release: Release | None
    values: tuple[Fraction, ...]
    bounds: tuple[Fraction | None, ...]

    def proven(self, level: int) -> bool:
        """Whether this level and all before it are proven optimal."""
        return bool(self.values) and all(self.values[i] == self.bounds[i] for i in range(level + 1))


class Trials:
    """Asks engines, and first of all its own memory.

    Every release found is kept as a witness: a later question that it answers needs no search.

    Parameters
    ----------
    problem : Problem
        The problem whose table and history all relatives share.
    clock : Clock
        When it is over, every further answer is UNKNOWN unless memory has it.
    seconds : float
        Most wall time for one search.
    seed, workers : int
        As in `Settings`.
    """

    def __init__(
        self, problem: Problem, *, clock: Clock, seconds: float = 10.0, seed: int = 0, workers: int = 1
    ) -> None:
        self.problem, self.clock, self.seconds, self.seed, self.workers = (
            problem,
            clock,
            seconds,
            seed,
            workers,
        )
        self.searches = 0
        self.refusals: list[str] = []
        self._witnesses: list[Release] = []
        self._known: dict[tuple[object, ...], TrialVerdict] = {}

    def decide(self, problem: Problem) -> TrialVerdict:
        """Whether `problem` has a release; its objective does not matter."""
        key = _key(problem.policy, len(problem.table))
        known = self._known.get(key)
        if known is not None:
            return known
        verdict = self._decide(problem)
        if verdict.status is not Status.UNKNOWN:
            self._known[key] = verdict
        return verdict

    def note(self, release: Release) -> None:
        """Remember a release found elsewhere."""
        self._witnesses.append(release)

    def required(self, problem: Problem, rows: Iterable[int]) -> TrialVerdict:
        """Whether `problem` has a release in which certain rows (from 0) are not suppressed.

        Assignment engine only, that is recoding 'multidimensional'.
        """
        wanted = sorted(rows)
        people = {problem.table.members[t] for t in wanted}
        for release in reversed(self._witnesses):
            if not people & set(release.suppressed) and self._keeps(problem, release):
                return TrialVerdict(status=Status.FEASIBLE, release=release)

        def publish(model: Encoding) -> None:
            for t in wanted:
                model.cp.add(model.suppressed(t) == 0)

        return self._search(feasibility(problem), publish)

    def minimize(self, problem: Problem) -> TrialOutcome:
        """The best release in the time there is, with its bounds."""
        seconds = self._time()
        if seconds <= 0:
            return TrialOutcome(status=Status.UNKNOWN, release=None, values=(), bounds=())
        if obstacles(problem):
            return TrialOutcome(status=Status.INFEASIBLE, release=None, values=(), bounds=())
        known = [release for release in self._witnesses if self._keeps(problem, release)]
        start = min(known, key=problem.objective, default=None)
        try:
            engine, _ = choose(problem)
            self.searches += 1
            answer = engine.solve(problem, replace(self._settings(seconds), initial=start), Watch())
        except EngineError as refusal:
            self.refusals.append(str(refusal))
            return TrialOutcome(status=Status.UNKNOWN, release=None, values=(), bounds=())
        release = self._checked(problem, answer)
        values = () if release is None else problem.objective(release)
        return TrialOutcome(status=answer.status, release=release, values=values, bounds=answer.bounds)

    # -- inside ------------------------------------------------------------------------------

    def _decide(self, problem: Problem) -> TrialVerdict:
        for release in reversed(self._witnesses):
            if self._keeps(problem, release):
                return TrialVerdict(status=Status.FEASIBLE, release=release)
        if any(
            r.structure(problem).form not in (None, problem.policy.form) for r in problem.policy.requirements
        ):
            # Only a release of nobody could keep it, and that does not count.
            return TrialVerdict(status=Status.INFEASIBLE)
        if obstacles(problem):
            return TrialVerdict(status=Status.INFEASIBLE)
        return self._search(feasibility(problem))

    def _search(self, problem: Problem, extend: Callable[[Encoding], None] | None = None) -> TrialVerdict:
        seconds = self._time()
        if seconds <= 0:
            return TrialVerdict(status=Status.UNKNOWN)
        settings = replace(self._settings(seconds), first=True, extend=extend)
        engine: Engine = AssignmentEngine()
        try:
            if engine.refuses(problem) is not None:
                problem = self._asked(problem)
                engine, _ = choose(problem)
            self.searches += 1
            answer = engine.solve(problem, settings, Watch())
        except EngineError as refusal:
            self.refusals.append(str(refusal))
            return TrialVerdict(status=Status.UNKNOWN)
        release = self._checked(problem, answer)
        return TrialVerdict(
            status=Status.FEASIBLE if release is not None else answer.status,
            release=release,
        )

    def _asked(self, problem: Problem) -> Problem:
        """The problem with the objective of the original one: large engines minimize only some losses.

        Without its outlook: what is expected of releases to come does not decide whether there is one now.
        """
        minimize = [dict(level.weights) for level in self.problem.policy.by_itself().levels]
        changed = problem.policy.changed(minimize=minimize)
        if changed.counterfeit_limit != problem.policy.counterfeit_limit:
            return problem
        return Problem(table=problem.table, policy=changed, history=problem.history)

    def _checked(self, problem: Problem, answer: Answer) -> Release | None:
        if answer.release is None:
            return None
        broken = next(problem.check(answer.release), None)
        if broken is not None:
            raise CertificateError(f"the engine's release fails {broken.requirement}: {broken.message}")
        self._witnesses.append(answer.release)
        return answer.release

    def _keeps(self, problem: Problem, release: Release) -> bool:
        if release.form != problem.policy.form:
            return False
        try:
            return next(problem.check(release), None) is None
        except ReleaseError:  # the requirement is not defined for such a release
            return False

    def _settings(self, seconds: float) -> Settings:
        return Settings(time_limit=seconds, seed=self.seed, workers=self.workers)

    def _time(self) -> float:
        left = self.clock.left
        return self.seconds if left is None else min(self.seconds, left)


def _key(policy: Policy, tuples: int) -> tuple[object, ...]:
    """What decides whether there is a release."""
    return (
        # Their texts leave out what is known of whom.
        frozenset((each.name, repr(each.settings())) for each in policy.requirements),
        policy.suppression_limit(tuples),
        policy.counterfeit_limit,
        policy.form,
        policy.recoding,
        policy.counts("hidden_cells"),
    )
