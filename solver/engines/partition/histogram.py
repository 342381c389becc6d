"""Histogram plan: groups judged by what is published of them, with bounds by column generation.

Where admissible histograms are too many to be listed, bounds come from a part of the policy whose histograms
are few, and releases from moves alone.

Under a time limit tables that are not cut into blocks are searched in stages (`stages`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial

from ....models.problem import Problem
from ...all_together import broken_whole
from ...backends.highs import MADE_BY
from ...claims import Claim, DualAbove, ListedClaim, PricedClaim, Trusted
from ...colgen.boxes.pricing import BoxPricing
from ...colgen.boxes.shares_pricing import SharesPricing
from ...colgen.column import Group
from ...colgen.cuts import Cuts
from ...colgen.duals import DualBound
from ...colgen.finish import Finish
from ...colgen.neighbours import near_places
from ...colgen.primal.annealing import ANNEALED, BRIEFLY, WARM, Annealing, Cooling
from ...colgen.reach import at_sight
from ...colgen.structure.histograms import Judge
from ...colgen.table import Rows
from ...ending import concluded, search_clock
from ...limits import HISTOGRAM_LIMITS as LIMITS
from ...schedule import BLOCKS, HISTOGRAM
from ...settings import Answer, Clock, Settings, Watch
from .blocks.bound import prove
from .blocks.search import Rounds, in_blocks
from .by_boxes import Boxed, by_boxes
from .easier import Part, finite
from .loosened import Loosened
from .objective import Objective
from .places import Boxes, PlacedBoxes, boxes_of
from .prices import near_shares, priced
from .progress import Progress
from .proof import describe
from .scale import Scaled, annealed
from .simplex import RootProgram
from .stages import in_stages
from .starting import Starting

__all__ = ["HistogramSearch"]


class HistogramSearch:
    """State of one solve by histograms; `Plan` says when that is possible."""

    def __init__(self, problem: Problem, settings: Settings, watch: Watch, objective: Objective) -> None:
        self.problem, self.settings = problem, settings
        self.clock = search_clock(problem, settings, watch)
        self.judge, self.whole = Judge(problem), objective.price is None
        self.rows = Rows.of(problem, blind=self.judge.blind)
        if objective.price is not None:
            self.rows = self.rows.suppressing(
                problem.policy.suppression_limit(len(problem.table)), objective.price
            )
        self.pricing, self.listed = priced(problem, self.rows, settings.workers, self.clock)
        self.level = objective.measured
        self.progress = Progress(problem, self.rows, watch, self.level, objective.factor, self.judge)
        self.root, self.sight, self.plain = (DualBound(self.pricing) for _ in range(3))
        begun = problem, self.judge, self.progress, self.clock, settings.seed
        self.starting = Starting(*begun, listed=self.listed, buckets=self.pricing.buckets)
        self.finish = Finish(self.pricing, self.progress, self.clock, settings.seed, LIMITS.gap)
        self.part: Part | None = None
        self.annealing: Annealing | None = None
        self.boxes: Boxes | None = None
        self.places: PlacedBoxes | None = None
        self.linear: Boxed | None = None
        self.listing: Scaled | Loosened | None = None
        self.simplex: RootProgram | None = None
        self.tied: list[Group] | None = None
        self.interrupted = self.boxed = self.brief = self.begun = self.sought = self.moved = False

    def run(self) -> Answer:
        """Everything in order; Ctrl-C keeps what there is."""
        broken = None if self.judge.admits_all else broken_whole(self.problem)
        if broken is not None:
            return self.progress.refused(broken)
        try:
            for release in filter(None, (self.settings.initial, self.settings.known)):
                self.starting.begin(release)
            beyond = self.pricing.histograms.steps.beyond
            if self.whole and in_blocks(self.rows, self.judge, listed=self.listed, beyond=beyond):
                self._in_blocks()
            else:
                asked = self.problem, self.settings, self.clock, self._stage, lambda: self.progress.closed
                in_stages(*asked, counted=self._counted())
        except KeyboardInterrupt:
            self.interrupted = True
        return concluded(self._conclude)

    def _stage(self) -> bool:
        """All steps in the time of the clock, or what is left of them; whether more time may find more."""
        self._further(self.clock)
        if self.linear is None and self.listing is None:
            self._starts()
            if self.progress.groups is None and self.clock.counted:
                self.clock.time()  # what is done without a release is not counted
        elif self.annealing is None and not self.moved:
            # Stages before had no time for moves: roundings are worth little.
            clock = self.clock if self.linear is not None else self.clock.anew
            self._anneal(clock.share(HISTOGRAM.annealing_boxes), BRIEFLY)
        solved = False
        if self._large and not self.brief:
            solved = self._beyond() if self._many else self._by_prices()
        if not (self._large or self.listing) or (self.progress.groups is None and not self.clock.over):
            # Only the simplex method can tell that there is no release.
            solved = self._by_simplex()
        if self._large or self._stuck:
            self._at_sight()
            solved = self._beyond() if self._stuck else solved
            if self._stuck and self.annealing is not None:
                annealed(self.annealing, self.progress, self.clock)
        if solved and self.root.duals is not None and self._near:
            self.finish.again()
            self.finish.run(self.root.duals)
        if self.linear is not None and self.clock.limit is not None:  # there may be time left
            self.linear.rounded(self.judge, self.annealing, self.settings.seed, patience=LIMITS.box_stalled)
        return self.listing is not None or self.clock.counted

    def _by_simplex(self) -> bool:
        """Begin with the linear program of all groups, or go on; False if there is no release."""
        if self.simplex is None:
            asked = self.pricing, self.progress, self.root, self.clock, self.judge
            self.simplex = RootProgram(*asked, self.settings.seed, apart=not self.listed)
        return self.simplex.run(self.annealing)

    @property
    def _stuck(self) -> bool:
        """Whether a small table needs groups so large that the simplex method cannot rule them out."""
        beyond, late = self.pricing.histograms.steps.beyond, self.progress.closed or self.clock.over
        return self.simplex is not None and not (self.simplex.done or self._large or late) and beyond

    @property
    def _large(self) -> bool:
        """Whether the simplex method is too slow, or histograms are too many to be listed."""
        return not self._few or not self.listed

    @property
    def _few(self) -> bool:
        """Whether rows are few enough for the simplex method."""
        times = LIMITS.simplex_buckets if self.pricing.buckets else 1
        return len(self.rows) < times * LIMITS.simplex_rows

    @property
    def _near(self) -> bool:
        """Whether the table is small enough for lists of groups and, under a limit, the bound near enough."""
        gap, most = self.progress.cost - self.progress.bound, LIMITS.box_closed * self.progress.cost
        worth = self.linear is None or self.clock.limit is None or gap <= most
        return len(self.rows) <= LIMITS.finished_rows and worth

    @property
    def _many(self) -> bool:
        """Whether more histograms may be needed than are listed, in no form that boxes are searched for."""
        return not self.listed or (self.pricing.histograms.steps.beyond and self.boxes is None)

    def _at_sight(self) -> None:
        """A bound at once, by the least size of groups alone: what proves more may not be done in time."""
        if self.sight.duals is not None:
            return
        places, place = self.rows.places()
        least = self.clock.allowed(HISTOGRAM.sight)
        clock = self.clock if least is None or self.clock.fits(least) else Clock(least)
        duals = at_sight(places, self.judge.least, self.settings.workers, clock)
        if duals is not None:
            self.sight.offer(replace(duals, rows=duals.rows[place]))
            self.progress.lift(self.sight.bound, "nearest tuples")

    def _by_prices(self) -> bool:
        """Bound and releases: by boxes under taxonomies, if they are few; False if there is no release."""
        boxes = self.boxes
        if boxes is not None and self.progress.groups is not None:
            boxes.cuts, self.boxed = self.pricing.cuts, True
            return self._by_boxes(boxes, self.root)
        if self.listing is None:
            asked = self.judge, self.pricing, self.progress, self.root, self.settings
            self.listing = Scaled(*asked, self.annealing)
        return self.listing.run(self.clock.anew)

    def _beyond(self) -> bool:
        """The same where groups of any size may be needed: by boxes, or a part of the policy."""
        if self._shares is not None and self.simplex is None:
            return self._by_shares(*self._shares)
        if self.places is not None:
            return self._by_boxes(self.places.boxes, self.places.best)
        if not self.listed:
            return self._unlisted()
        self.listing = self._loosened
        solved = self._loosened.run(self.clock.anew)
        self.part = self._loosened.part
        return solved

    def _unlisted(self) -> bool:
        """A bound of the part of the policy that prices are of, and moves; False: its groups are not all."""
        self._at_sight()
        few = len(self.rows) <= LIMITS.finished_rows  # others have time for moves alone
        if self.annealing is not None:
            share = HISTOGRAM.annealing_few if self._few else HISTOGRAM.annealing_unlisted
            annealed(self.annealing, self.progress, self.clock.share(share) if few else self.clock)
        if not few or self.progress.groups is None:
            return False
        if self._few:
            self.part = finite(self.problem)[0]
            self._by_simplex()
        else:
            self._loosened.bounded(self.clock, self.clock)
            self.part = self._loosened.part
        return False

    def _by_shares(self, part: Part, pricing: SharesPricing) -> bool:
        """The same by boxes where shares of values matter; False: its groups are not all."""
        self._at_sight()
        if self.annealing is not None and self._few:
            annealed(self.annealing, self.progress, self.clock.share(HISTOGRAM.annealing_few))
        if self.progress.groups is not None:
            self.part = part
            self._by_boxes(pricing, self.root)
        return False

    @cached_property
    def _shares(self) -> tuple[Part, SharesPricing] | None:
        few, tuples = self.listed and not self.pricing.histograms.steps.beyond, int(self.rows.count.sum())
        limit, swept = self.settings.time_limit, HISTOGRAM.shares.value * tuples**2
        late = limit is not None and limit < LIMITS.shares_swept * swept
        if few or late or tuples > LIMITS.finished_rows:
            return None
        found = near_shares(self.problem, self.rows, self.judge, self.clock)
        if found is not None:
            self.clock.keep(HISTOGRAM.shares_derived.value * swept)
        return found

    @cached_property
    def _loosened(self) -> Loosened:
        asked = self.judge, self.pricing, self.progress, self.root, self.settings
        return Loosened(self.problem, *asked)

    def _by_boxes(self, pricing: Boxes, best: DualBound) -> bool:
        """Begin with the linear program, or go on; False if there is no time, or no release."""
        if self.clock.over:
            return False
        self.linear = self.linear or Boxed(pricing, self.progress, best, self.places)
        if not by_boxes(self.linear, self.judge, self.settings, self.annealing):
            self.linear = None
        return self.linear is not None

    def _counted(self) -> bool:
        """Whether plans go by steps: of few rows, and where groups are listed, and boxes if there are."""
        rows = self.rows
        if not self._large:
            return True
        if rows.in_trees and not self._few and self.listed and not self.pricing.buckets:
            # Of larger tables boxes are gone through too slowly for the simplex method.
            asked = rows, self.pricing.histograms, self.settings.workers, self.clock
            self.boxes = boxes_of(*asked, most=LIMITS.finished_rows)
        told = self.listed or self._few or not rows.in_trees
        told = told and (self.boxes is None or isinstance(self.boxes, BoxPricing))
        return told and len(rows) <= LIMITS.finished_rows

    def _grid(self) -> bool:
        """Whether the table is solved by boxes."""
        rows, workers = self.rows, self.settings.workers
        if self.sought:
            return self.boxes is not None or self.places is not None
        if self.progress.groups is None or not rows.in_trees or self._few:
            return False
        self.sought = True
        if self._shares is not None:
            return True
        if self.boxes is None and self._many and (len(rows) > LIMITS.finished_rows or not self.listed):
            # Smaller tables are priced with groups of any size: that proves more than a part.
            self.places = PlacedBoxes.of(self.problem, rows, workers, self.clock)
        nested = int((rows.geometry.tree < 0).sum()) - 1  # intervals, by the verifier, too
        if self.boxes is not None and len(rows) <= LIMITS.finished_rows:
            self.clock.keep(HISTOGRAM.swept.value * len(rows) * max(0, nested))
        return self.boxes is not None or self.places is not None

    # -- releases --------------------------------------------------------------------

    def _in_blocks(self) -> None:
        """A release and a bound, block by block; it begins with the caller's release, if there is one."""
        given = self.progress.groups
        self._further(self.clock.share(BLOCKS.quick))
        others = partial(self._further, self.clock)
        rounds = Rounds(self.rows, self.judge, self.progress, self.settings, self.clock, others)
        # On a slow machine there is no time for a bound after the rounds.
        groups = rounds.run(given, self._at_sight)
        self.part = prove(rounds, groups, self.problem, self.root, self.plain)
        self.boxed = True
        others()

    def _further(self, clock: Clock) -> None:
        """Releases of heuristics that a clock's limit has time for."""
        if self.settings.further is not None:
            for release in self.settings.further(clock):
                self.starting.begin(release)

    def _starts(self) -> None:
        """First releases, if there are none, and moves."""
        again = self.begun and self.progress.groups is not None
        if not again or self.starting.late:
            self.begun, self.tied = True, self.starting.run()
            if self._large and self.progress.groups is not None:
                self._at_sight()
            if self.tied is not None and self.annealing is not None:
                self.annealing.begin(self.tied)
        elif self.starting.grown() and self.annealing is not None and self.progress.groups is not None:
            self.annealing.begin(self.progress.groups)
        self.brief = self._brief
        if self.brief:
            # Published heuristics may have begun better, but with groups so large that warm moves keep them.
            self._anneal(self.clock, WARM if self.tied else ANNEALED, self.tied)
            return
        boxed = self._grid()
        far = not boxed and self.rows.in_trees and len(self.rows) > LIMITS.finished_rows
        share = HISTOGRAM.annealing_trees if far else HISTOGRAM.annealing
        share = HISTOGRAM.annealing_boxes if boxed else share
        share = HISTOGRAM.annealing_later if again else share
        self._anneal(self.clock.share(share), ANNEALED if far else BRIEFLY)

    @property
    def _brief(self) -> bool:
        """Whether a large table has time for moves only."""
        rows, limit = len(self.rows), self.clock.limit
        known = self.progress.groups is not None and self.rows.in_trees and rows > LIMITS.finished_rows
        least = HISTOGRAM.brief.value * rows, HISTOGRAM.brief_tuples.value * int(self.rows.count.sum())
        return known and limit is not None and limit < max(least)

    def _anneal(self, clock: Clock, cooling: Cooling, begin: Sequence[Group] | None = None) -> None:
        """Improve the best of the first releases, or `begin`, by small moves."""
        if self.annealing is None:
            if self.progress.groups is None or not Annealing.fits(self.rows, clock):
                return
            near = near_places(self.rows, clock)
            if near is None:
                return
            groups = begin or self.progress.groups
            made = Annealing(self.rows, self.judge, near, groups, self.settings.seed)
        else:
            made = self.annealing
        if made.reaches_most:
            for groups in made.rounds(cooling, clock):
                self.progress.start(groups)
        self.moved = self.moved or made.moved
        if self.rows.in_trees or self._few or not self.listed:
            self.annealing = made

    # -- the answer --------------------------------------------------------------------

    def _conclude(self) -> Answer:
        progress = self.progress
        if progress.groups is None and progress.bound > self.rows.most:
            described = self._described()
            refusal = None if described is None else DualAbove(claim=described)
            return progress.refused(refusal, self.root.rounds)
        rounds = self.root.rounds if self.places is None else self.places.best.rounds
        return progress.answer(
            self._claims(), interrupted=self.interrupted, late=self.clock.ended, rounds=rounds
        )

    def _claims(self) -> tuple[Claim, ...]:
        described = self._described()
        found: list[Claim] = [] if described is None else [described]
        # What is sooner derived again comes first: there may be no time for more.
        for duals, part in ((self.plain.duals, self.part), (self.sight.duals, ())):
            if duals is not None:
                easier = describe(self.rows, Cuts(self.rows), duals, None, level=self.level, part=part)
                found.insert(0, easier)
        if self.boxed and isinstance(described, ListedClaim) and self.root.duals is not None:
            # The root's duals are proven box by box; lists where many tuples are alike may be too long.
            found.insert(
                0, describe(self.rows, self.pricing.cuts, self.root.duals, None, level=self.level, part=None)
            )
        tree = self.finish.found
        if tree is not None and not isinstance(described, ListedClaim):
            bound = self.progress.value(0, min(self.progress.bound, self.progress.cost))
            why = f"a search tree of {tree.tree.nodes} nodes, too large to be written down"
            found.append(Trusted(level=self.level, bound=bound, solver=MADE_BY, why=why))
        return tuple(found)

    def _described(self) -> PricedClaim | ListedClaim | None:
        """The duals, and the tree if there is one that can be written down."""
        places, found = self.places, self.finish.found
        if places is not None:
            return None if places.best.duals is None else places.described(places.best.duals, self.level)
        duals = self.root.duals if found is None else found.duals
        if duals is None:
            return None
        return describe(self.rows, self.pricing.cuts, duals, found, level=self.level, part=self.part)
