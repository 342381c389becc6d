"""Both levels of the objective: the fewest counterfeits, then the least information loss.

A first release, in which nobody has a past, is searched in stages (`stages`). If it is large, and needs no
counterfeits, the second level is that of a table released once: the histogram plan goes on from there.
"""

from __future__ import annotations

from dataclasses import replace

from .....models.problem import Problem
from ....claims import Claim
from ....colgen.cuts import Cuts
from ....colgen.duals import Duals
from ....colgen.reach import at_sight
from ....colgen.signature_pricing import SignaturePricing
from ....colgen.structure.histograms import Histograms
from ....colgen.structure.signatures import Rules
from ....colgen.structure.types import Types
from ....colgen.table import Rows
from ....ending import concluded, search_clock
from ....limits import HISTOGRAM_LIMITS
from ....schedule_series import SIGNATURE
from ....settings import Answer, Clock, Settings, Watch
from ..by_boxes import Boxed
from ..histogram import HistogramSearch
from ..objective import Objective
from ..places import PlacedBoxes
from ..progress import Progress
from ..proof import describe
from ..stages import in_stages
from .best import BestColumns
from .construct import read
from .fakes import FewestFakes
from .loss import LeastLoss
from .proof import counts_word, too_many

__all__ = ["SignatureSearch"]


class SignatureSearch:
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
        self.problem, self.settings, self.watch, self.objective = problem, settings, watch, objective
        self.clock = search_clock(problem, settings, watch)
        self.types = Types.of(problem, rules, objective.fake_price)
        self.pricing = SignaturePricing(self.types, settings.workers, self.clock.last)
        self.best = BestColumns(problem, self.types, watch, objective)
        self.fakes: FewestFakes | None = None
        self.loss: LeastLoss | None = None
        self.sized: Claim | None = None
        self.sizes: Boxed | None = None
        self.sight = True
        self.ended: Answer | None = None
        self.interrupted = self.late = False

    def run(self) -> Answer:
        """Everything in order; Ctrl-C keeps what there is."""
        try:
            if self._past:  # what closes the gap after regions needs more at a time than a stage gives it
                self._stage()
            else:
                in_stages(self.problem, self.settings, self.clock, self._stage, self._closed)
        except KeyboardInterrupt:
            self.interrupted = True
        return concluded(self._answer)

    def _answer(self) -> Answer:
        if self.ended is not None:
            return self.ended
        return self.best.answer(
            self._claims(),
            interrupted=self.interrupted,
            late=self.late or self.clock.ended,
            rounds=self._rounds,
        )

    def _closed(self) -> bool:
        return self.ended is not None or self.best.closed

    def _stage(self) -> bool:
        """All steps in the time of the clock; called again with more of it, they go on.

        Returns
        -------
        bool
            Whether more may be found in more time.
        """
        early = self.clock.share(SIGNATURE.start)
        if self.fakes is None:
            self.fakes = FewestFakes(self.problem, self.types, self.settings, self.clock, self.best)
        else:
            self.fakes.count()
        if self.fakes.beyond:
            self.ended = self._beyond(self.fakes)
            return False
        self.fakes.start(early)
        if not (self.fakes.reached or self.types.price is not None) and self._in_time:
            self._lower(self.fakes, self.clock.allowed(SIGNATURE.fewer))
        if self.fakes.beyond:
            self.ended = self._beyond(self.fakes)
        elif self._first:
            self.ended = self._released_once()
        else:
            self._least_loss(early)
            self._resume(self.fakes, early)
        return True

    @property
    def _past(self) -> bool:
        """Whether somebody was published before."""
        return bool((self.types.home >= 0).any())

    @property
    def _first(self) -> bool:
        """Whether nobody was published before, nobody is invented, and the table is large."""
        if self.best.best is None or self.best.fakes or self._past:
            return False
        return self._large and isinstance(Histograms.of(self.problem), Histograms)

    def _released_once(self) -> Answer:
        """The answer of the histogram plan; its release alone, where what it proves ignores counterfeits."""
        known = replace(self.settings, known=self.best.release())
        if not self._fakes_may_help:
            return HistogramSearch(self.problem, known, self.watch, self.objective).run()
        watch = Watch(began=self.watch.clock.began)
        found = HistogramSearch(self.problem, known, watch, self.objective).run()
        if found.release is not None:
            self.best.offer(read(self.types, self.problem, found.release))
        self.interrupted |= found.interrupted
        return self.best.answer(self._claims(), interrupted=self.interrupted, late=self.clock.ended)

    @property
    def _fakes_may_help(self) -> bool:
        """Whether better releases may have more counterfeits."""
        return self.objective.any_fakes and self.best.counted is None

    @property
    def _large(self) -> bool:
        return len(self.types) > HISTOGRAM_LIMITS.finished_rows

    def by_sizes(self) -> None:
        """A bound on the loss by nothing but the least size of groups: pasts are too many to be priced."""
        rows, best, workers = self.types.rows, self.best, self.settings.workers
        if best.best is None:
            return
        clock = self.clock.share(SIGNATURE.sizes)
        if self.sight:
            bare = Rows.of(self.problem, blind=True)
            duals = at_sight(bare, self.types.rules.least, workers, clock)
            self._sized(bare, Cuts(bare), duals)
            self.sight = duals is None
        if not rows.in_trees:
            return
        if self.sizes is None:
            places = PlacedBoxes.by_least_size(self.problem, rows, workers, clock)
            if places is None or clock.over:
                return
            progress = Progress(self.problem, rows, Watch(), self.objective.measured, self.objective.factor)
            progress.offer(best.best)
            self.sizes = Boxed(places.boxes, progress, places.best, places)
        boxed = self.sizes
        boxed.pricing.clock = boxed.clock = clock
        boxed.solve()
        assert boxed.places is not None
        self._sized(boxed.pricing.rows, boxed.pricing.cuts, boxed.places.best.duals, boxed.places.unpriced)

    def _sized(self, rows: Rows, cuts: Cuts, duals: Duals | None, unpriced: tuple[int, ...] = ()) -> None:
        """Keep a bound on the loss by places, and its claim, if it is higher."""
        if duals is not None and (bound := duals.bound(rows, cuts)) > self.best.bound:
            level = self.best.measure
            self.sized = describe(
                rows, cuts, duals, None, level=level, part=(), places=True, unpriced=unpriced
            )
            self.best.lift(bound, "sizes of groups")

    def _lower(self, fakes: FewestFakes, seconds: float | None) -> bool:
        """Search for fewer counterfeits; whether some were found."""
        before, known = self.best.fakes, self.best.best is not None
        fakes.lower(seconds)
        if not known or self.best.fakes >= before or self.best.counted is None:
            return False
        # The old bound's proof is about releases with more counterfeits.
        self.best.reopen()
        self.loss = None
        return True

    def _least_loss(self, early: Clock) -> None:
        """The second level, if there is a release of the first one."""
        none = not (self.best.fakes or self._fakes_may_help)
        if self._large and none and self.best.best is not None and not self.clock.over:
            self.by_sizes()
        if self.best.best is not None and self._in_time:
            if self.loss is None:
                self.loss = LeastLoss(self.best, self.pricing, self.settings, self.clock, early)
            self.loss.run()

    @property
    def _in_time(self) -> bool:
        """Whether a search can be set up, and one round of it ended, before the end.

        A first release is worth being late.
        """
        if self.best.best is None:
            return True
        needed, left = SIGNATURE.round.value * len(self.types) ** 2, self.clock.left
        self.late = self.clock.over or (left is not None and left <= needed)
        return not self.late

    def _resume(self, fakes: FewestFakes, early: Clock) -> None:
        """While there is time and the number of counterfeits is open: go on with it, then with the loss."""
        while fakes.open and not self.clock.over:
            if self._lower(fakes, None):
                self._least_loss(early)

    @property
    def _rounds(self) -> int:
        return 0 if self.loss is None else self.loss.generation.best.rounds

    def _beyond(self, fakes: FewestFakes) -> Answer:
        """More counterfeits are needed than are allowed, unless somebody may be suppressed."""
        if self.problem.policy.suppression_limit(len(self.problem.table)) > 0:
            return self.best.answer(self._claims(), enough=True)
        return self.best.refused(too_many(fakes.claim()))

    def _claims(self) -> tuple[Claim, ...]:
        if self.fakes is None:
            return ()
        best, counts = self.best, self.fakes.claim()
        found: list[Claim] = [counts, *(() if self.loss is None else self.loss.claims())]
        if self.sized is not None:
            found.append(self.sized)
        bound = None if best.counted is None else best.stated()[best.counted]
        if counts.program is None and best.counted is not None and bound:
            found.append(counts_word(best.counted, bound))
        return tuple(found)
