"""Subset engine: the program over all sets of tuples is the search, and what it claims can be computed again.

1. The best grouping as far as requirements on groups say (`exact.subsets`). If there are no other
   requirements, or it passes their check, it is optimal; if there is none, there is no release.
2. Otherwise all groupings that are better than the best release so far, the cheapest continuations first
   (`exact.groupings`), as long as they are few.
3. If they are many or take too much of the time, or it is too short for all sets, another engine takes
   over (the direct model, unless told otherwise), with the best release so far, and its answer is proven
   afterwards where that is within reach (`exact.proving`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ....models.errors import CertificateError, EngineError
from ....models.problem import Problem
from ...claims import Claim, Empty, SubsetsClaim
from ...ending import concluded, search_clock
from ...engine import Engine
from ...exact import groupings, subsets
from ...exact.proving import counted
from ...exact.sets import BeyondReachError
from ...exact.subsets import Subsets
from ...incumbent import BestRelease
from ...schedule import SUBSETS
from ...settings import Answer, Settings, Watch
from ..assignment.engine import AssignmentEngine

__all__ = ["SubsetEngine"]

MOST_CHECKED = 4_000
"""Groupings that are put to the check before the direct model takes over."""


class SubsetEngine:
    """Exact for every policy on up to 20 tuples.

    Parameters
    ----------
    beyond : callable
        Makes the engine for what is beyond its reach.
    """

    name = "subsets"

    def __init__(self, beyond: Callable[[], Engine] = AssignmentEngine) -> None:
        self._beyond = beyond

    def refuses(self, problem: Problem) -> str | None:
        return subsets.refusal(problem)

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Search; see the module."""
        refusal = self.refuses(problem)
        if refusal is None and settings.extend is not None:
            refusal = "the program over all sets of tuples has no CP-SAT model: leave `extend` out"
        if refusal is not None:
            raise EngineError(refusal)
        return _SubsetsSearch(problem, settings, watch, self._beyond).run()


class _SubsetsSearch:
    """State of one solve."""

    def __init__(
        self, problem: Problem, settings: Settings, watch: Watch, beyond: Callable[[], Engine]
    ) -> None:
        self.problem, self.settings, self.watch, self._otherwise = problem, settings, watch, beyond
        self.clock = search_clock(problem, settings, watch)
        self.incumbent = BestRelease(problem, watch)
        self.claims: list[Claim] = []

    def run(self) -> Answer:
        try:
            self.incumbent.offer(self.settings.initial)
            self.incumbent.offer(self.settings.known)
            return self._exact() or self._beyond()
        except KeyboardInterrupt:
            if self.incumbent.best is None:
                raise
            return concluded(lambda: self.incumbent.answer(self.claims, interrupted=True))

    def _exact(self) -> Answer | None:
        """The answer, if it is within reach."""
        incumbent = self.incumbent
        clock = self.clock.share(SUBSETS.every)
        if not clock.fits(3 ** len(self.problem.table) / (3 * SUBSETS.pairs.value)):
            return None
        try:
            program = Subsets(self.problem, clock)
            found = program.optimum()
            if found.release is None:
                return incumbent.refused(Empty(checked=None))
            self.claims.append(SubsetsClaim())
            incumbent.raise_bound(0, found.values[0])
            incumbent.offer(found.release)
            if incumbent.values == found.values:
                return self._proven()
            if program.exact:
                raise CertificateError("the best grouping fails the check of a requirement on groups")
            if groupings.refusal(self.problem) is not None:
                return None
            program.clock = self.clock.share(SUBSETS.some)
            better = groupings.Groupings(subsets=program, most=MOST_CHECKED)
            for release in better.better(incumbent.values):
                incumbent.offer(release)
            proof = counted(program, incumbent.values, MOST_CHECKED)
            if incumbent.values is None:
                return incumbent.refused(Empty(checked=proof.checked))
            self.claims = [proof]
            return self._proven()
        except BeyondReachError:
            return incumbent.answer(self.claims, late=True) if self.clock.over else None

    def _beyond(self) -> Answer:
        """Another engine, from the best release so far, which stays if that engine takes no such problem."""
        incumbent = self.incumbent
        settings = replace(self.settings, initial=incumbent.best)
        try:
            answer = self._otherwise().solve(self.problem, settings, self.watch)
        except EngineError:
            if incumbent.best is None:
                raise
            return incumbent.answer(self.claims, late=self.clock.over)
        incumbent.raise_bounds(answer.bounds)
        return replace(answer, bounds=incumbent.stated(), claims=(*self.claims, *answer.claims))

    def _proven(self) -> Answer:
        """The best release is proven to be: nothing better is left."""
        self.incumbent.raise_bounds(self.incumbent.values or ())
        return self.incumbent.answer(self.claims)
