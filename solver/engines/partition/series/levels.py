"""Both levels of the objective: the fewest counterfeits, then the least information loss."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib.metadata import version
from random import Random

from .....models.problem import Problem
from .....models.release import Release
from ....claims import Claim, Counts, CountsAbove, Refusal, Trusted, TrustedRefusal
from ....colgen.structure.signatures import Rules
from ....colgen.structure.types import Column, Types
from ....ending import ending
from ....result import Status, Termination
from ....settings import Answer, Clock, Settings, Watch
from ..objective import Objective
from .construct import assembled, filled, read
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
STARTS, STARTS_SHARE = 8, 0.3
"""Random fillings of the counts that are tried; the share of the time limit for these and for guesses."""
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
        self.counted, self.measured = objective.counterfeits, objective.measured
        self.factor = objective.factor
        self.clock = Clock(settings.time_limit, watch.clock.began)
        self.clock.keep(ending(problem))
        self.types = Types.of(problem, rules)
        self.pricing = Pricing(self.types, settings.workers, self.clock)
        limit = self.clock.limit
        self._early = self.clock if limit is None else self.clock.part(STARTS_SHARE * limit)
        self.counts: Fewest | None = None
        self.columns: tuple[Column, ...] | None = None
        self.fakes, self.cost = 0, self.types.most + 1
        self.bound = 0
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
            if not self._beyond():
                self._starts(self.counts)
                self._fewer(self._share(0.4))
            if self._beyond():
                hides = self.problem.policy.suppression_limit(len(self.problem.table)) > 0
                return self._answer(Status.UNKNOWN if hides else Status.INFEASIBLE, Termination.COMPLETED)
            if self.columns is not None:
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
            self._offer(read(self.types, self.problem, initial))
        if known is not None:
            self._offer(read(self.types, self.problem, known))
        random, past = Random(self.settings.seed), past_of(self.types)
        for attempt in range(STARTS):
            self._offer(filled(self.types, past, counts, random, self._early))
            if self._early.over or (attempt and self.columns is not None and self.fakes == self.fewest):
                break

    def _fewer(self, seconds: float | None) -> None:
        """Search for fewer counterfeits if the counts' bound is not reached."""
        if self.columns is not None and self.fakes <= self.fewest:
            return
        if self.lowering is None:
            self.lowering = Lowering(
                self.problem,
                self.types,
                self.columns or singles(self.types),
                self.fewest,
                seed=self.settings.seed,
                clock=self.clock,
                workers=self.settings.workers,
            )
        self.lowering.run(seconds)
        self.flat = self.lowering.found()
        self._offer(lifted(self.flat.types, self.types, self.flat.columns))

    def _resume(self) -> None:
        """While there is time and the number of counterfeits is open: go on with it, then with the loss."""
        while self._open and not self.clock.over:
            before = self.fakes
            self._fewer(None)
            if self.fakes < before:
                # The old bound's proof is about releases with more counterfeits.
                self.bound, self.stated, self.finish = 0, 0, None
                self._loss()

    @property
    def _open(self) -> bool:
        """Whether fewer counterfeits may be found by searching on."""
        if self.counted is None or self.lowering is None or self.columns is None:
            return False
        return self.fakes > self.fewest and not self.lowering.exhausted

    @property
    def fewest(self) -> int:
        """No release has fewer counterfeits."""
        known = 0 if self.counts is None else self.counts.bound
        return known if self.flat is None else max(known, self.flat.bound)

    def _offer(self, columns: Sequence[Column]) -> bool:
        """Keep a release if it is better, suppresses nobody and passes every check."""
        if sum(len(column.rows) for column in columns) < len(self.problem.table):
            return False
        fakes, cost = self.types.made_of(columns)
        if self.counted is None:
            better = self.columns is None or cost < self.cost
        else:
            better = self.columns is None or (fakes, cost) < (self.fakes, self.cost)
        if not better or next(self.problem.check(self._release(columns)), None) is not None:
            return False
        self.columns, self.fakes, self.cost = tuple(columns), fakes, cost
        self._note("release")
        return True

    def _release(self, columns: Sequence[Column]) -> Release:
        return assembled(self.types, self.problem, columns)

    # -- the loss --------------------------------------------------------------------

    @property
    def limit(self) -> int:
        """Most counterfeits of the releases that are looked for: as few as the best one has."""
        if self.counted is not None:
            return self.fakes
        limit = self.problem.policy.counterfeit_limit
        return self.types.rows.scale if limit is None else limit

    def _share(self, part: float) -> float | None:
        """Seconds until a share of the time limit has passed."""
        limit = self.clock.limit
        return None if limit is None else max(self._least, part * limit - self.clock.seconds)

    @property
    def _least(self) -> float:
        """What any step gets, however late it is."""
        return min(0.5, 0.05 * (self.clock.limit or 10.0))

    def _loss(self) -> None:
        assert self.columns is not None
        types = self.types
        master = Master(types, self.pricing.cuts, self.limit, self.cost / len(self.columns))
        master.add(self.columns)
        generation = self.generation = Generation(self.pricing, master, self.clock)
        guess = neighbours(types, self._early)
        generation.begin(guess, -float(guess.max(initial=0.0)))
        solved = generation.run(0.8, seconds=self._share(0.55))
        self._raise(generation.bound, "linear program")
        for _ in range(CUT_ROUNDS):
            before = self.bound
            share = self._share(0.65)
            if not solved or self.bound >= self.cost or share == self._least or not generation.cut():
                break
            solved = generation.run(0.3, seconds=share)
            self._raise(generation.bound, f"{len(self.pricing.cuts)} cuts")
            if self.bound - before < 1e-5 * self.bound:
                break
        if self._far:
            # Neither lists nor programs close so wide a gap: better releases first.
            self._regions(self._worthwhile(), self._share(0.75))
        if not self._far:
            self._pool()
        self.finish = Finish(self.pricing, generation, self.settings.seed, self.clock)
        if solved:
            self._close(self._share(0.8))
        self._regions(self._worthwhile(), None)
        if solved or generation.duals is not None:
            self._close(None)

    def _worthwhile(self) -> list[Column]:
        """Columns of the master that may be part of a better release, the best ones."""
        generation = self.generation
        if generation is None or generation.duals is None:
            return []
        duals, master, types = generation.duals, generation.master, self.types
        slack = self.cost * duals.scale - duals.value(types, self.pricing.cuts, master.fakes)
        worth = sorted(
            (cost * duals.scale - int(duals.rows[list(c.rows)].sum()) - duals.fake * types.fakes(c), c)
            for c, cost in zip(master.columns, master.costs, strict=True)
        )
        return [c for reduced, c in worth[: 16 * len(types)] if reduced <= slack and types.keeps(c)]

    def _pool(self) -> None:
        """The integer program over the best columns so far."""
        if self.columns is None or self.bound >= self.cost or self.clock.over:
            return
        left = self.clock.left
        found, _ = chosen_of(
            self.types,
            self.limit,
            self._worthwhile()[: 10 * len(self.types)],
            self.columns,
            nodes=POOL_NODES,
            seed=self.settings.seed,
            seconds=None if left is None else min(left, 0.12 * (self.clock.limit or 0.0)),
        )
        if found is not None:
            self._offer(found)

    def _regions(self, pool: Sequence[Column], seconds: float | None) -> None:
        if self.columns is None or self.bound >= self.cost:
            return
        until = None if seconds is None else self.clock.seconds + seconds
        regions = Regions(self.types, self.limit, self.settings.seed, self.clock, self.settings.workers)
        regions.run(self.columns, pool, until, self._offer, far=self._far)

    @property
    def _far(self) -> bool:
        return self.bound < (1 - NEAR) * self.cost

    def _close(self, seconds: float | None) -> None:
        """List the groups that a better release may hold, and search them."""
        if self.columns is None or self.finish is None:
            return
        until = None if seconds is None else self.clock.seconds + seconds
        while self.bound < self.cost and not self.clock.over:
            if until is not None and self.clock.seconds > until:
                return
            step = self.finish.step(self.columns, self.cost, self.bound)
            if step is None:
                return
            if step.columns is not None:
                self._offer(step.columns)
            self.stated = max(self.stated, min(step.stated, self.cost))
            if step.bound > self.bound:
                self._raise(min(step.bound, self.cost), "search tree")

    def _raise(self, bound: int, text: str) -> None:
        self.bound = max(self.bound, bound)
        self._note(text)

    # -- the answer ------------------------------------------------------------------

    @property
    def _weight(self) -> Fraction:
        """What one counterfeit weighs in its level."""
        levels = self.problem.policy.levels
        return Fraction(1) if self.counted is None else levels[self.counted].weights[0][1]

    def _note(self, text: str) -> None:
        loss = self.types.rows.loss
        if self.counted is not None and self.fakes > self.fewest:
            weight = self._weight
            self.watch.note(self.counted, self.fakes * weight, self.fewest * weight, text)
            return
        value = None if self.columns is None else self.factor * loss(self.cost)
        self.watch.note(self.measured, value, self.factor * loss(min(self.bound, self.cost)), text)

    def _conclude(self) -> Answer:
        fewest_known = self.counted is None or (self.columns is not None and self.fakes == self.fewest)
        if self.columns is not None and fewest_known and self.bound >= self.cost:
            exact = self.types.rows.exact
            return self._answer(
                Status.OPTIMAL if exact else Status.FEASIBLE,
                Termination.COMPLETED if exact else Termination.ROUNDING,
            )
        ended = Termination.INTERRUPTED if self.interrupted else Termination.TIME_LIMIT
        if not self.interrupted and not self.clock.over:
            ended = Termination.ITERATION_LIMIT
        return self._answer(Status.UNKNOWN if self.columns is None else Status.FEASIBLE, ended)

    def _answer(self, status: Status, termination: Termination) -> Answer:
        bounds: list[Fraction | None] = [Fraction(0)] * len(self.problem.policy.levels)
        if self.counted is not None:
            bounds[self.counted] = self.fewest * self._weight
        bounds[self.measured] = (
            None
            if status is Status.INFEASIBLE
            else self.factor * self.types.rows.loss(min(self.bound, self.cost))
        )
        return Answer(
            release=None if self.columns is None else self._release(self.columns),
            bounds=tuple(bounds),
            status=status,
            termination=termination,
            rounds=0 if self.generation is None else self.generation.rounds,
            claims=() if status is Status.INFEASIBLE else self._claims(bounds),
            refusal=self._refusal() if status is Status.INFEASIBLE else None,
        )

    def _claims(self, bounds: Sequence[Fraction | None]) -> tuple[Claim, ...]:
        counts = self._counts()
        found: list[Claim] = [] if counts is None else [counts]
        generation = self.generation
        if generation is not None:
            tree = None if self.finish is None else self.finish.tree
            proven = Proven(self.types, self.pricing.cuts, generation.duals, generation.master.fakes, tree)
            series = series_claim(proven, self.measured)
            if series is not None:
                found.append(series)
            lost = series is not None and tree is not None and series.loss.tree is None
            bound, why = bounds[self.measured], "a search tree too large to be written down"
            said = self.stated > self.bound
            if said:
                bound = self.factor * self.types.rows.loss(self.stated)
                why = "the integer program over all groups that a better release may hold"
            if (said or lost) and bound is not None:
                found.append(Trusted(level=self.measured, bound=bound, solver=MADE_BY, why=why))
        bound = None if self.counted is None else bounds[self.counted]
        if counts is not None and counts.program is None and self.counted is not None and bound:
            why = "the root of a search tree over counts that did not end"
            found.append(Trusted(level=self.counted, bound=bound, solver=MADE_BY, why=why))
        return tuple(found)

    def _counts(self) -> Counts | None:
        """What proves the fewest counterfeits."""
        if self.counts is None:
            return None
        return counts_claim(self.counts, self.flat, self.measured if self.counted is None else self.counted)

    def _refusal(self) -> Refusal:
        counts = self._counts()
        if counts is None or (counts.program is None and counts.by_groups is None):
            return TrustedRefusal(solver=MADE_BY, why="counterfeits needed, by a tree that did not end")
        return CountsAbove(claim=counts)
