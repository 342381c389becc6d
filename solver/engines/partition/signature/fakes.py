"""The first level: the fewest counterfeits, by counts, and where these do not tell, by columns."""

from __future__ import annotations

from random import Random

from .....models.problem import Problem
from ....claims import CountsClaim
from ....colgen.primal.dealing import past_of
from ....colgen.structure.types import Types
from ....limits import SIGNATURE_LIMITS as LIMITS
from ....settings import Clock, Settings
from .best import BestColumns
from .construct import filled, read
from .flat import Lowering, lifted, singles
from .minimum_counterfeits import fewest
from .proof import ProvenLoss, counts_claim

__all__ = ["FewestFakes"]


class FewestFakes:
    """What is known of the number of counterfeits; releases are offered to `best`.

    Attributes
    ----------
    bound : int
        No release has fewer counterfeits.
    """

    def __init__(
        self, problem: Problem, types: Types, settings: Settings, clock: Clock, best: BestColumns
    ) -> None:
        self.problem, self.types, self.settings, self.clock = problem, types, settings, clock
        self.best = best
        self.counts = fewest(types, clock)
        self.bound = self.counts.bound
        self._random, self._past, self._filled = Random(settings.seed), past_of(types), 0
        self._lowering: Lowering | None = None
        best.needs(self.bound)

    @property
    def beyond(self) -> bool:
        """Whether more counterfeits are needed than the policy allows."""
        limit = self.problem.policy.counterfeit_limit
        return limit is not None and self.bound > limit

    @property
    def reached(self) -> bool:
        """Whether the best release has as few as there can be."""
        return self.best.best is not None and self.best.fakes <= self.bound

    @property
    def open(self) -> bool:
        """Whether they count, and a release with fewer may be found by searching on."""
        if self.best.counted is None or self._lowering is None or self.best.best is None:
            return False
        return not self.reached and not self._lowering.exhausted

    def count(self) -> None:
        """Solve the program over counts again, if there was no time for its proof."""
        if self.counts.proven or self.counts.tree.nodes >= LIMITS.count_nodes or self.reached:
            return
        counts = fewest(self.types, self.clock)
        if counts.bound >= self.counts.bound:
            self.counts = counts
        self.bound = max(self.bound, counts.bound)
        self.best.needs(self.bound)

    def start(self, early: Clock) -> None:
        """Releases to begin with: the user's, the best known one, the counts filled at random."""
        initial, known = self.settings.initial, self.settings.known
        if not self._filled:
            if initial is not None and next(self.problem.check(initial), None) is None:
                self.best.offer(read(self.types, self.problem, initial))
            if known is not None:
                self.best.offer(read(self.types, self.problem, known))
        while self._filled < LIMITS.starts and not (self._filled > 1 and self.reached):
            self.best.offer(filled(self.types, self._past, self.counts, self._random, early))
            self._filled += 1
            if early.over:
                break

    def lower(self, seconds: float | None) -> None:
        """Search for fewer if the bound is not reached; the next call goes on where this one ends."""
        if self.reached:
            return
        if self._lowering is None:
            self._lowering = Lowering(
                self.problem,
                self.types,
                self.best.best or singles(self.types),
                self.bound,
                seed=self.settings.seed,
                clock=self.clock,
                workers=self.settings.workers,
            )
        self._lowering.run(seconds)
        self.bound = max(self.bound, self._lowering.bound)
        self.best.needs(self.bound)
        self.best.offer(lifted(self._lowering.flat, self.types, self._lowering.best))

    def claim(self) -> CountsClaim:
        """What proves the bound."""
        level = self.best.measure if self.best.counted is None else self.best.counted
        flat = self._lowering
        if flat is None:
            return counts_claim(self.counts, None, level)
        cuts, duals = flat.pricing.cuts, flat.generation.duals
        return counts_claim(self.counts, ProvenLoss(flat.flat, cuts, duals, 0, flat.finish.found), level)
