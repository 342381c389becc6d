"""The second level: the least information loss among releases with so few counterfeits.

Column generation with cuts for the bound; then, whichever is nearer, lists of all groups that a better
release may hold, or better releases region by region.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....backends.highs import MADE_BY
from ....claims import Claim, Trusted
from ....colgen.choice import best_of
from ....colgen.column import Column
from ....colgen.finish import Finish
from ....colgen.generation import Generation
from ....colgen.master import RestrictedMaster
from ....colgen.primal.regions import Regions
from ....colgen.signature_neighbours import neighbours
from ....colgen.signature_pricing import SignaturePricing
from ....limits import SIGNATURE_LIMITS as LIMITS
from ....schedule_series import SIGNATURE
from ....settings import Clock, Settings
from ....shares import Share
from .best import BestColumns
from .proof import ProvenLoss, series_claim

__all__ = ["LeastLoss"]


class LeastLoss:
    """One search below the best release's number of counterfeits.

    Attributes
    ----------
    generation : Generation
    finish : Finish
    """

    def __init__(
        self, best: BestColumns, pricing: SignaturePricing, settings: Settings, clock: Clock, early: Clock
    ) -> None:
        assert best.best is not None
        self.best, self.pricing, self.settings, self.clock = best, pricing, settings, clock
        self.types = best.types
        unit = best.cost / len(best.best)
        master = RestrictedMaster(self.types, pricing.cuts, unit, fakes=self._limit)
        master.add(best.best)
        self.generation = Generation(
            pricing, master, clock, per_anchor=LIMITS.per_anchor, most_nodes=LIMITS.most_nodes
        )
        self.finish = Finish(pricing, best, clock, settings.seed, LIMITS.gap)
        self._better = Regions(self.types, self._limit, settings.seed, clock, settings.workers)
        self._solved = self._enough = False
        self._cuts = 0
        guess = neighbours(self.types, early)
        self.generation.begin(guess, -float(guess.max(initial=0.0)))

    @property
    def _limit(self) -> int | None:
        """Most counterfeits of the releases that are looked for: those of the best one; None at a price."""
        if self.types.price is not None:
            return None
        if self.best.counted is not None:
            return self.best.fakes
        limit = self.best.problem.policy.counterfeit_limit
        return self.types.rows.scale if limit is None else limit

    def run(self) -> None:
        """Everything in order, as long as there is time; called again with more of it, it goes on."""
        self.finish.again()
        solved = self._bound()
        if self._far:
            # Neither lists nor programs close so wide a gap: better releases first.
            self._regions(self.clock.allowed(SIGNATURE.far))
        if not self._far:
            self._pool()
        if solved:
            self._close(self.clock.allowed(SIGNATURE.close))
        self._regions(None)
        if solved or self.generation.duals is not None:
            self._close(None)

    def _bound(self) -> bool:
        """The linear program, with cuts as long as they gain something; whether it was solved."""
        best = self.best
        if not self._solved:
            self._solve(SIGNATURE.cuts if self._cuts else SIGNATURE.linear)
        while self._solved and not self._enough:
            before = best.bound
            if best.met or self.clock.spent(SIGNATURE.cuts):
                break
            self._enough = self._cuts >= LIMITS.cut_rounds or not self.generation.cut()
            if not self._enough:
                self._cuts += 1
                self._solve(SIGNATURE.cuts)
                self._enough = self._solved and best.bound - before < LIMITS.least_gain * best.bound
        return self._solved

    def _solve(self, share: Share) -> None:
        """Go on with the linear program."""
        generation, cuts = self.generation, len(self.pricing.cuts)
        self._solved = generation.run(0.3 if self._cuts else 0.8, seconds=self.clock.allowed(share))
        self.best.lift(generation.bound, f"{cuts} cuts" if cuts else "linear program")

    @property
    def _far(self) -> bool:
        return self.best.bound < (1 - LIMITS.near) * self.best.cost

    def _worthwhile(self) -> list[Column]:
        """Columns of the master that may be part of a better release, the best ones."""
        duals, master, types = self.generation.duals, self.generation.master, self.types
        if duals is None:
            return []
        proven = duals.value(types.rows, self.pricing.cuts, self.generation.best.fakes)
        slack = self.best.cost * duals.scale - proven
        priced = zip(master.columns, master.costs, strict=True)
        worth = sorted((cost * duals.scale - types.profit(duals, c), c) for c, cost in priced)
        return [c for reduced, c in worth[: 16 * len(types)] if reduced <= slack and types.keeps(c)]

    def _pool(self) -> None:
        """The integer program over the best columns so far."""
        if self.best.best is None or self.best.met or self.clock.over:
            return
        found, _ = best_of(
            self.types,
            self._worthwhile()[: 10 * len(self.types)],
            self.best.best,
            fakes=self._limit,
            nodes=LIMITS.pool_nodes,
            seed=self.settings.seed,
            clock=self.clock.share(SIGNATURE.pool),
        )
        self.best.offer(found)

    def _regions(self, seconds: float | None) -> None:
        """Better releases, region by region, for so many seconds."""
        if self.best.best is None or self.best.met:
            return
        pool: Sequence[Column] = self._worthwhile()
        until = None if seconds is None else self.clock.seconds + seconds
        self._better.run(self.best.best, pool, until, self.best.offer, far=self._far, last=seconds is None)

    def _close(self, seconds: float | None) -> None:
        """List the groups that a better release may hold, and search them."""
        until = None if seconds is None else self.clock.seconds + seconds
        if self.generation.duals is not None:
            self.finish.run(self.generation.duals, self.generation.best.fakes, until)

    def claims(self) -> Iterator[Claim]:
        """What proves the bound, and the solver's word for what is above it."""
        best, duals, tree, stated = self.best, self.generation.duals, self.finish.found, self.finish.stated
        proven = ProvenLoss(self.types, self.pricing.cuts, duals, self.generation.best.fakes, tree)
        series = series_claim(proven, best.measure)
        if series is not None:
            yield series
        if stated > best.bound:
            why = "the integer program over all groups that a better release may hold"
            yield Trusted(level=best.measure, bound=best.value(-1, stated), solver=MADE_BY, why=why)
        elif series is not None and tree is not None and series.loss.tree is None:
            bound, why = best.stated()[best.measure], "a search tree too large to be written down"
            if bound is not None:
                yield Trusted(level=best.measure, bound=bound, solver=MADE_BY, why=why)
