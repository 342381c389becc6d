"""Subset engine: the program over all sets of tuples is the search, and what it claims can be computed again.

1. The best grouping as far as requirements on groups say (`exact.subsets`). If there are no other
   requirements, or it passes their check, it is optimal; if there is none, there is no release.
2. Otherwise all groupings that are better than the best release so far, the cheapest continuations first
   (`exact.groupings`), as long as they are few.
3. If they are many or take too much of the time, or it is too short for all sets, the direct model takes
   over, with the best release so far, and its answer is proven afterwards where that is within reach
   (`exact.proving`).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ....models.errors import CertificateError, EngineError
from ....models.problem import Problem
from ....models.release import Release
from ...claims import Claim, Empty, Refusal, Subsets as SubsetsClaim
from ...ending import ending
from ...exact import groupings, subsets
from ...exact.proving import counted
from ...exact.subsets import BeyondReachError, Subsets
from ...result import Status, Termination
from ...settings import Answer, Clock, Settings, Watch
from ..assignment.engine import AssignmentEngine

__all__ = ["SubsetEngine"]

MOST_CHECKED = 4_000
"""Groupings that are put to the check before the direct model takes over."""
ALL, SOME = 0.5, 0.3
"""Parts of the time left that the program over all sets and the list of groupings may take."""
PAIRS = 500_000_000
"""Pairs of a set and a group in it that a second is enough for."""


class SubsetEngine:
    """Exact for every policy on up to 20 tuples."""

    name = "subsets"

    def refuses(self, problem: Problem) -> str | None:
        return subsets.refusal(problem)

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Search; see the module."""
        refusal = self.refuses(problem)
        if refusal is None and settings.extend is not None:
            refusal = "the program over all sets of tuples has no CP-SAT model: leave `extend` out"
        if refusal is not None:
            raise EngineError(refusal)
        return _Search(problem, settings, watch).run()


class _Search:
    """State of one solve."""

    def __init__(self, problem: Problem, settings: Settings, watch: Watch) -> None:
        self.problem, self.settings, self.watch = problem, settings, watch
        self.clock = Clock(settings.time_limit, watch.clock.began)
        self.clock.keep(ending(problem))
        self.best: Release | None = None
        self.values: tuple[Fraction, ...] | None = None
        self.bounds: list[Fraction | None] = [None] * len(problem.policy.levels)
        self.claims: list[Claim] = []

    def run(self) -> Answer:
        try:
            self._offer(self.settings.initial)
            self._offer(self.settings.known)
            return self._exact() or self._direct()
        except KeyboardInterrupt:
            if self.best is None:
                raise
            return self._answer(Status.FEASIBLE, Termination.INTERRUPTED)

    def _exact(self) -> Answer | None:
        """The answer, if it is within reach."""
        clock = self._part(ALL)
        if not clock.fits(3 ** len(self.problem.table) / (3 * PAIRS)):
            return None
        try:
            program = Subsets(self.problem, clock)
            found = program.optimum()
            if found.release is None:
                return self._none(Empty(checked=None))
            self.claims.append(SubsetsClaim())
            self.bounds[0] = found.values[0]
            self._offer(found.release)
            if self.values == found.values:
                return self._closed()
            if program.exact:
                raise CertificateError("the best grouping fails the check of a requirement on groups")
            if groupings.refusal(self.problem) is not None:
                return None
            program.clock = self._part(SOME)
            better = groupings.Groupings(subsets=program, most=MOST_CHECKED)
            for release in better.better(self.values):
                self._offer(release)
            proof = counted(program, self.values, MOST_CHECKED)
            if self.values is None:
                return self._none(Empty(checked=proof.checked))
            self.claims = [proof]
            return self._closed()
        except BeyondReachError:
            if not self.clock.over:
                return None
            status = Status.UNKNOWN if self.best is None else Status.FEASIBLE
            return self._answer(status, Termination.TIME_LIMIT)

    def _part(self, share: float) -> Clock:
        """A part of the time that is left: the direct model must have some, too."""
        left = self.clock.left
        return self.clock if left is None else self.clock.part(share * left)

    def _direct(self) -> Answer:
        """The direct model, from the best release so far."""
        settings = replace(self.settings, initial=self.best)
        answer = AssignmentEngine().solve(self.problem, settings, self.watch)
        bounds = tuple(
            new if old is None else old if new is None else max(old, new)
            for old, new in zip(self.bounds, answer.bounds, strict=True)
        )
        return replace(answer, bounds=bounds, claims=(*self.claims, *answer.claims))

    def _offer(self, release: Release | None) -> None:
        """Keep a release if it is better than the best so far and passes every check."""
        if release is None:
            return
        values = self.problem.objective(release)
        if (self.values is None or values < self.values) and next(self.problem.check(release), None) is None:
            self.best, self.values = release, values
            self.watch.note(0, values[0], self.bounds[0], "release")

    def _closed(self) -> Answer:
        self.bounds = list(self.values or ())
        for index, bound in enumerate(self.bounds):
            self.watch.note(index, bound, bound, "proven")
        return self._answer(Status.OPTIMAL, Termination.COMPLETED)

    def _none(self, refusal: Refusal) -> Answer:
        return Answer(
            release=None,
            bounds=(None,) * len(self.bounds),
            status=Status.INFEASIBLE,
            termination=Termination.COMPLETED,
            refusal=refusal,
        )

    def _answer(self, status: Status, termination: Termination) -> Answer:
        return Answer(
            release=self.best,
            bounds=tuple(self.bounds),
            status=status,
            termination=termination,
            claims=tuple(self.claims),
        )
