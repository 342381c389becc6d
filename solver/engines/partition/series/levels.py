"""Both levels of the objective: the fewest counterfeits, then the least information loss."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from random import Random

from .....models.problem import Problem
from ....claims import Claim, Counts, CountsAbove, Trusted, TrustedRefusal
from ....colgen.structure.signatures import Rules
from ....colgen.structure.types import Column, Types
from ....ending import ending
from ....schedule import SIGNATURE
from ....settings import Answer, Clock, Settings, Watch
from ..objective import Objective
from .best import BestColumns
from .construct import filled, read
from .counts import Fewest, fewest
from .dealing import past_of
from .finish import Finish
from .flat import Flat, Lowering, lifted, singles
from .generation import Generation
from .improve import Regions
from .master import Master, chosen_of
from .nearest import neighbours
from .pricing import Pricing
from .proof import Proven, counts_claim, series_claim

__all__ = ["Search"]

MADE_BY = f"HiGHS {version('highspy')}"
STARTS = 8
"""Random fillings of the counts that are tried."""
CUT_ROUNDS = 10
POOL_NODES = 200
NEAR = 0.03
"""Gap up to which programs and lists are tried before the release is improved region by region."""


class Search:
    """State of one solve.

    Parameters
    ----------
    problem, settings, watch
        As for every engine.
    rules : Rules
    objective : Objective
    """

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        watch: Watch,
        rules: Rules,
        objective: Objective,
    ) -> None:
        self.problem, self.settings, self.watch, self.rules = problem, settings, watch, rules
        self.clock = Clock(settings.time_limit, watch.clock.began)
        self.clock.keep(ending(problem))
        self.types = Types.of(problem, rules)
        self.pricing = Pricing(self.types, settings.workers, self.clock)
        self._early = self.clock.share(SIGNATURE.start)
        self.counts: Fewest | None = None
        self.best = BestColumns(problem, self.types, watch, objective)
        self.lowering: Lowering | None = None
        self.flat: Flat | None = None
        self.generation: Generation | None = None
        self.finish: Finish | None = None
        self.stated = 0
        self.interrupted = False

    def run(self) -> Answer:
        """Everything in order; Ctrl-C keeps what there is."""
        try:
            self.counts = fewest(self.types, self.clock)
            self.best.needs(self.fewest)
            if not self._beyond():
                self._starts(self.counts)
                self._fewer(self.clock.allowed(SIGNATURE.fewer))
            if self._beyond():
                hides = self.problem.policy.suppression_limit(len(self.problem.table)) > 0
                # Suppressing somebody may need fewer counterfeits: nothing is said of that here.
                return self.best.answer(self._claims(), enough=True) if hides else self._refused()
            if self.best.best is not None:
                self._loss()
            self._resume()
        except KeyboardInterrupt:
            self.interrupted = True
        return self._conclude()

    def _beyond(self) -> bool:
        """Whether more counterfeits are needed than the policy allows."""
        limit = self.problem.policy.counterfeit_limit
        return limit is not None and self.fewest > limit

    # -- releases --------------------------------------------------------------------

    def _starts(self, counts: Fewest) -> None:
        """Releases to begin with: the user's, the best known one, the counts filled at random."""
        initial, known = self.settings.initial, self.settings.known
        if initial is not None and next(self.problem.check(initial), None) is None:
            self.best.offer(read(self.types, self.problem, initial))
        if known is not None:
            self.best.offer(read(self.types, self.problem, known))
        random, past = Random(self.settings.seed), past_of(self.types)
        for attempt in range(STARTS):
            self.best.offer(filled(self.types, past, counts, random, self._early))
            if self._early.over or (
                attempt and self.best.best is not None and self.best.fakes == self.fewest
            ):
                break

    def _fewer(self, seconds: float | None) -> None:
        """Search for fewer counterfeits if the counts' bound is not reached."""
        if self._few:
            return
        if self.lowering is None:
            self.lowering = Lowering(
                self.problem,
                self.types,
                self.best.best or singles(self.types),
                self.fewest,
                seed=self.settings.seed,
                clock=self.clock,
                workers=self.settings.workers,
            )
        self.lowering.run(seconds)
        self.flat = self.lowering.found()
        self.best.needs(self.fewest)
        self.best.offer(lifted(self.flat.types, self.types, self.flat.columns))

    def _resume(self) -> None:
        """While there is time and the number of counterfeits is open: go on with it, then with the loss."""
        while self._open and not self.clock.over:
            before = self.best.fakes
            self._fewer(None)
            if self.best.fakes < before:
                # The old bound's proof is about releases with more counterfeits.
                self.best.reopen()
                self.stated, self.finish = 0, None
                self._loss()

    @property
    def _open(self) -> bool:
        """Whether fewer counterfeits may be found by searching on."""
        if self.best.counted is None or self.lowering is None or self.best.best is None:
            return False
        return self.best.fakes > self.fewest and not self.lowering.exhausted

    @property
    def _few(self) -> bool:
        """Whether the best release has as few counterfeits as there can be."""
        return self.best.best is not None and self.best.fakes <= self.fewest

    @property
    def fewest(self) -> int:
        """No release has fewer counterfeits."""
        known = 0 if self.counts is None else self.counts.bound
        return known if self.flat is None else max(known, self.flat.bound)

    # -- the loss --------------------------------------------------------------------

    @property
    def limit(self) -> int:
        """Most counterfeits of the releases that are looked for: as few as the best one has."""
        if self.best.counted is not None:
            return self.best.fakes
        limit = self.problem.policy.counterfeit_limit
        return self.types.rows.scale if limit is None else limit

    def _loss(self) -> None:
        assert self.best.best is not None
        types = self.types
        master = Master(types, self.pricing.cuts, self.limit, self.best.cost / len(self.best.best))
        master.add(self.best.best)
        generation = self.generation = Generation(self.pricing, master, self.clock)
        guess = neighbours(types, self._early)
        generation.begin(guess, -float(guess.max(initial=0.0)))
        solved = generation.run(0.8, seconds=self.clock.allowed(SIGNATURE.linear))
        self.best.lift(generation.bound, "linear program")
        for _ in range(CUT_ROUNDS):
            before = self.best.bound
            if (
                not solved
                or self.best.bound >= self.best.cost
                or self.clock.spent(SIGNATURE.cuts)
                or not generation.cut()
            ):
                break
            solved = generation.run(0.3, seconds=self.clock.allowed(SIGNATURE.cuts))
            self.best.lift(generation.bound, f"{len(self.pricing.cuts)} cuts")
            if self.best.bound - before < 1e-5 * self.best.bound:
                break
        if self._far:
            # Neither lists nor programs close so wide a gap: better releases first.
            self._regions(self._worthwhile(), self.clock.allowed(SIGNATURE.far))
        if not self._far:
            self._pool()
        self.finish = Finish(self.pricing, generation, self.settings.seed, self.clock)
        if solved:
            self._close(self.clock.allowed(SIGNATURE.close))
        self._regions(self._worthwhile(), None)
        if solved or generation.duals is not None:
            self._close(None)

    def _worthwhile(self) -> list[Column]:
        """Columns of the master that may be part of a better release, the best ones."""
        generation = self.generation
        if generation is None or generation.duals is None:
            return []
        duals, master, types = generation.duals, generation.master, self.types
        slack = self.best.cost * duals.scale - duals.value(types, self.pricing.cuts, master.fakes)
        worth = sorted(
            (cost * duals.scale - int(duals.rows[list(c.rows)].sum()) - duals.fake * types.fakes(c), c)
            for c, cost in zip(master.columns, master.costs, strict=True)
        )
        return [c for reduced, c in worth[: 16 * len(types)] if reduced <= slack and types.keeps(c)]

    def _pool(self) -> None:
        """The integer program over the best columns so far."""
        if self.best.best is None or self._met or self.clock.over:
            return
        found, _ = chosen_of(
            self.types,
            self.limit,
            self._worthwhile()[: 10 * len(self.types)],
            self.best.best,
            nodes=POOL_NODES,
            seed=self.settings.seed,
            seconds=self.clock.share(SIGNATURE.pool).left,
        )
        if found is not None:
            self.best.offer(found)

    def _regions(self, pool: Sequence[Column], seconds: float | None) -> None:
        if self.best.best is None or self._met:
            return
        until = None if seconds is None else self.clock.seconds + seconds
        regions = Regions(self.types, self.limit, self.settings.seed, self.clock, self.settings.workers)
        regions.run(self.best.best, pool, until, self.best.offer, far=self._far)

    @property
    def _met(self) -> bool:
        """Whether no release with so few counterfeits costs less."""
        return self.best.bound >= self.best.cost

    @property
    def _far(self) -> bool:
        return self.best.bound < (1 - NEAR) * self.best.cost

    def _close(self, seconds: float | None) -> None:
        """List the groups that a better release may hold, and search them."""
        if self.best.best is None or self.finish is None:
            return
        until = None if seconds is None else self.clock.seconds + seconds
        while not self._met and not self.clock.over:
            if until is not None and self.clock.seconds > until:
                return
            step = self.finish.step(self.best.best, self.best.cost, self.best.bound)
            if step is None:
                return
            if step.columns is not None:
                self.best.offer(step.columns)
            self.stated = max(self.stated, min(step.stated, self.best.cost))
            if step.bound > self.best.bound:
                self.best.lift(min(step.bound, self.best.cost), "search tree")

    # -- the answer ------------------------------------------------------------------

    def _conclude(self) -> Answer:
        return self.best.answer(
            self._claims(), interrupted=self.interrupted, late=self.clock.over, rounds=self._rounds
        )

    @property
    def _rounds(self) -> int:
        return 0 if self.generation is None else self.generation.rounds

    def _refused(self) -> Answer:
        counts = self._counts()
        if counts is None or (counts.program is None and counts.by_groups is None):
            why = "counterfeits needed, by a tree that did not end"
            return self.best.refused(TrustedRefusal(solver=MADE_BY, why=why), self._rounds)
        return self.best.refused(CountsAbove(claim=counts), self._rounds)

    def _claims(self) -> tuple[Claim, ...]:
        counts, bounds, best = self._counts(), self.best.stated(), self.best
        found: list[Claim] = [] if counts is None else [counts]
        generation = self.generation
        if generation is not None:
            tree = None if self.finish is None else self.finish.tree
            proven = Proven(self.types, self.pricing.cuts, generation.duals, generation.master.fakes, tree)
            series = series_claim(proven, best.measure)
            if series is not None:
                found.append(series)
            lost = series is not None and tree is not None and series.loss.tree is None
            bound, why = bounds[best.measure], "a search tree too large to be written down"
            said = self.stated > best.bound
            if said:
                bound = best.value(-1, self.stated)
                why = "the integer program over all groups that a better release may hold"
            if (said or lost) and bound is not None:
                found.append(Trusted(level=best.measure, bound=bound, solver=MADE_BY, why=why))
        bound = None if best.counted is None else bounds[best.counted]
        if counts is not None and counts.program is None and best.counted is not None and bound:
            why = "the root of a search tree over counts that did not end"
            found.append(Trusted(level=best.counted, bound=bound, solver=MADE_BY, why=why))
        return tuple(found)

    def _counts(self) -> Counts | None:
        """What proves the fewest counterfeits."""
        if self.counts is None:
            return None
        level = self.best.measure if self.best.counted is None else self.best.counted
        return counts_claim(self.counts, self.flat, level)
