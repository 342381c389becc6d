"""Bound and releases by boxes: a linear program by simplex, cut and rounded, and moves that respect it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...colgen.boxes.pricing import BoxPricing
from ...colgen.boxes.separation import TabuEffort, rank_one
from ...colgen.choice import best_of
from ...colgen.column import Column, Members, lines_of
from ...colgen.duals import DualBound
from ...colgen.generation import Generation
from ...colgen.master import RestrictedMaster
from ...colgen.pool import Pool
from ...colgen.primal.annealing import COLD, Annealing
from ...colgen.primal.rounding import rounded
from ...colgen.structure.histograms import Judge
from ...limits import HISTOGRAM_LIMITS as LIMITS
from ...schedule import HISTOGRAM
from ...settings import Clock, Settings
from .places import PlacedBoxes
from .progress import Progress
from .scale import annealed

__all__ = ["Boxed", "by_boxes"]

Floats = NDArray[np.float64]


def by_boxes(
    judge: Judge,
    pricing: BoxPricing,
    progress: Progress,
    best: DualBound,
    settings: Settings,
    annealing: Annealing | None,
    places: PlacedBoxes | None = None,
) -> bool:
    """Prove a bound, and improve releases by what the linear program says; False if there is no release.

    There must be a release already. With `places`, the pricing's rows are places.
    """
    boxed = Boxed(pricing, progress, best, places)
    solved = boxed.solve()
    if progress.bound > pricing.rows.most:
        return False
    boxed.rounded(judge, annealing, settings.seed, patience=1)
    if solved:
        boxed.tighten(settings.seed)
        boxed.rounded(judge, annealing, settings.seed, patience=LIMITS.box_stalled)
        boxed.combined(settings.seed)
    if annealing is not None and not progress.closed:
        annealed(annealing, progress, boxed.clock.share(HISTOGRAM.annealing_again))
    return True


class Boxed:
    """The linear program over columns of boxes."""

    def __init__(
        self, pricing: BoxPricing, progress: Progress, best: DualBound, places: PlacedBoxes | None = None
    ) -> None:
        self.pricing, self.progress, self.places = pricing, progress, places
        self.clock = pricing.clock or Clock()
        rows = pricing.rows
        assert progress.groups is not None
        self.generation = Generation(
            pricing,
            RestrictedMaster(pricing, pricing.cuts, progress.cost / int(rows.count.sum())),
            self.clock.share(HISTOGRAM.boxes),
            best,
            per_anchor=LIMITS.per_anchor,
            most_nodes=LIMITS.box_nodes,
            close=LIMITS.box_close,
            few=len(rows) // LIMITS.box_few,
            many=max(1, len(rows) // LIMITS.box_many),
            raised=lambda: progress.lift(best.bound, "linear program"),
        )
        known, groups = [*progress.starts, *progress.groups], list(progress.groups)
        if places is not None:
            known, groups = places.of_rows(known), places.of_rows(groups)
        self.generation.master.add([Column(tuple(sorted(group))) for group in known])
        paid, often = np.zeros(len(rows)), np.zeros(len(rows))
        for group, cost in zip(groups, rows.group_costs(groups), strict=True):
            np.add.at(paid, list(group), cost / len(group))
            np.add.at(often, list(group), 1)
        self.generation.begin(paid / often)

    def solve(self) -> bool:
        """Solve the linear program; False if time ran out first."""
        return self.generation.run()

    def tighten(self, seed: int) -> None:
        """Add cuts as long as they raise what is proven, and the clock allows."""
        best, gained = self.generation.best, 0
        for number in range(LIMITS.cut_rounds):
            before = float(best.value)
            if self.generation.clock.over or self.progress.closed or not self._cut(seed + number):
                break
            solved = self.generation.run(LIMITS.box_smoothing)
            if float(best.value) - before >= LIMITS.box_gain * before:
                gained = number
            if not solved or number - gained >= LIMITS.box_patience:
                break

    def _cut(self, seed: int) -> bool:
        """Post cuts that the latest solution breaks; whether there are some."""
        lines, amount = self._taken()
        cuts, divisors = self.pricing.cuts, range(2, self.pricing.form.least + 1)
        known = list(zip(cuts.sets, cuts.divisors, strict=True))
        found = rank_one(lines, amount, self.pricing.rows.count, known, divisors, TabuEffort(), seed)
        for rows, divisor in found:
            cuts.add([rows], divisor)
        self.generation.master.extend()
        return bool(found)

    def _taken(self) -> tuple[Members, Floats]:
        """The columns of the latest solution, and how much of each."""
        proposal, known = self.generation.proposal, self.generation.master.columns
        if proposal is None:
            return np.empty((0, 1), dtype=np.int32), np.zeros(0)
        taken = np.flatnonzero(proposal.amount > LIMITS.taken)
        return lines_of(known[j] for j in taken.tolist()), proposal.amount[taken]

    def rounded(self, judge: Judge, annealing: Annealing | None, seed: int, *, patience: int) -> None:
        """Round the linear program in many ways, each improved by cool moves, until that is of no use."""
        lines, amount = self._taken()
        columns = Pool(self.pricing, lines.shape[1])
        columns.add(lines)
        random, rows, clock = np.random.default_rng(seed), self.pricing.rows, self.clock
        stalled, noise, none = 0, 0.0, np.zeros(len(amount))
        while len(amount) and stalled < patience and not clock.over and not self.progress.closed:
            before = self.progress.cost
            other = amount + noise * random.random(len(amount))
            seen = judge if self.places is None else self.places.judge
            groups = rounded(rows, seen, columns, other, none, buckets=False, clock=clock)
            if self.places is not None and groups is not None:
                groups = self.places.dealt(groups, judge, clock)
            self.progress.offer(groups, "rounded")
            if annealing is not None and groups is not None:
                annealing.begin(groups)
                for better in annealing.rounds(COLD, clock.share(HISTOGRAM.box_moves)):
                    self.progress.offer(better, "annealed")
            noise = LIMITS.box_noise
            stalled = stalled + 1 if self.progress.cost == before or patience == 1 else 0

    def combined(self, seed: int) -> None:
        """The best release of the known columns that a better one may hold; not in large tables."""
        pricing, progress, duals = self.pricing, self.progress, self.generation.best.duals
        rows, cuts = pricing.rows, pricing.cuts
        late = self.clock.over or progress.closed or self.places is not None
        if duals is None or late or len(rows) > LIMITS.finished_rows:
            return
        lines = lines_of(self.generation.master.columns)
        known = Pool(pricing, lines.shape[1])
        known.add(lines)
        prices = np.concatenate([duals.rows, np.pad(duals.cuts, (0, len(cuts) - len(duals.cuts)))])
        reduced = known.cost * duals.scale - known.total(known.sparse(cuts), prices)
        slack = (progress.cost - 1) * duals.scale - duals.value(rows, cuts, rows.spare)
        found, _ = best_of(
            pricing,
            known.lines[reduced <= slack],
            progress.groups,
            duals=duals,
            cuts=cuts,
            nodes=LIMITS.box_program_nodes,
            seed=seed,
            seconds=self.clock.allowed(HISTOGRAM.box_program),
        )
        progress.offer(found, "integer program")
