"""Bound and releases of large tables: first-order relaxation, cuts, rounding or dives, windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...colgen.choice import best_of
from ...colgen.column import Group, lines_of
from ...colgen.duals import DualBound, Duals
from ...colgen.histogram_pricing import HistogramPricing
from ...colgen.primal.annealing import ANNEALED, COOL, Annealing
from ...colgen.primal.diving import dived
from ...colgen.primal.neighbourhoods import Windows
from ...colgen.primal.rounding import rounded
from ...colgen.relaxation import Relaxation
from ...colgen.structure.histograms import Judge
from ...limits import HISTOGRAM_LIMITS as LIMITS
from ...schedule import HISTOGRAM
from ...settings import Clock, Settings
from .progress import Progress

__all__ = ["a_release", "annealed", "at_scale", "improved", "tightened"]

Floats = NDArray[np.float64]


def at_scale(
    judge: Judge,
    pricing: HistogramPricing,
    progress: Progress,
    best: DualBound,
    settings: Settings,
    annealing: Annealing | None = None,
) -> bool:
    """Prove a bound, then improve releases until nothing more is found; False if there is no release.

    With `annealing`, that goes on before any windows.
    """
    clock, rows = pricing.clock or Clock(), len(pricing.rows)
    trees = annealing is not None and rows > LIMITS.finished_rows
    linear = clock.share(HISTOGRAM.solving(rows, clock.limit, trees=trees))
    relaxation = Relaxation(pricing, linear, best, lambda: progress.lift(best.bound, "linear program"))
    relaxation.start(progress.starts)
    solved = relaxation.run(LIMITS.close)
    if progress.bound > pricing.rows.most:
        return False
    progress.offer(a_release(relaxation, judge), "rounded")
    tightened(relaxation, solved, clock.share(HISTOGRAM.cuts), progress)
    progress.offer(a_release(relaxation, judge), "rounded")
    if annealing is not None and progress.cost - progress.bound > LIMITS.far * progress.cost:
        annealed(annealing, progress, clock.share(HISTOGRAM.annealing_again))
    improved(relaxation, judge, progress, settings)
    return True


def annealed(annealing: Annealing, progress: Progress, clock: Clock) -> None:
    """Go on with the moves, or begin them with what the linear program was rounded to, if that is better."""
    cooling, groups = ANNEALED, progress.groups
    if groups is not None and sum(progress.rows.group_costs(groups)) < sum(
        progress.rows.group_costs(annealing.found())
    ):
        annealing.begin(groups)
        cooling = COOL
    for better in annealing.rounds(cooling, clock):
        progress.offer(better, "annealed")


def tightened(relaxation: Relaxation, solved: bool, clock: Clock, progress: Progress) -> None:
    """Add cuts to a solved linear program as long as they raise what it proves, and the clock allows."""
    best, pricing = relaxation.best, relaxation.pricing
    close = first = LIMITS.near_buckets if pricing.buckets else LIMITS.near
    least = LIMITS.least_broken
    for _ in range(LIMITS.cut_rounds):
        before = float(best.value)
        if clock.over or not solved:
            break
        found = relaxation.cut(least)
        if found or close == first:
            solved = relaxation.run(close, box=0.1, smoothing=0.2)
            progress.note(f"{len(pricing.cuts)} cuts")
        if not found or float(best.value) - before < LIMITS.least_gain * before:
            # Cuts that gain nothing under rough duals may gain under finer ones.
            if close < LIMITS.nearest:
                break
            close, least = close / 2, least / 2


def improved(
    relaxation: Relaxation,
    judge: Judge,
    progress: Progress,
    settings: Settings,
    first: Sequence[int] = (),
) -> None:
    """Improve the best release window by window, under the duals that prove most.

    Windows of `first` tuples come before all others.
    """
    if relaxation.best.duals is not None:
        _Sweeps(relaxation, judge, progress, relaxation.best.duals, settings, first).run()


def a_release(
    relaxation: Relaxation, judge: Judge, noise: Floats | None = None, *, dive: bool = False
) -> list[Group] | None:
    """A release from the linear program's amounts (plus noise, for other ones), by rounding or a dive."""
    pricing, columns, program = relaxation.pricing, relaxation.columns, relaxation.program
    if len(program.amount) != len(columns.lines):
        return None  # time was over before the linear program saw the groups
    if pricing.buckets or dive:
        return dived(pricing, columns, program, judge, noise)
    amount = program.amount if noise is None else program.amount + noise
    return rounded(
        pricing.rows, judge, columns, amount, program.reduced(), buckets=False, clock=pricing.clock
    )


class _Sweeps:
    """Windows over the best release; where they find nothing more, over others, combined with it."""

    def __init__(
        self,
        relaxation: Relaxation,
        judge: Judge,
        progress: Progress,
        duals: Duals,
        settings: Settings,
        first: Sequence[int],
    ) -> None:
        pricing = relaxation.pricing
        self.relaxation, self.judge, self.progress = relaxation, judge, progress
        self.clock = pricing.clock or Clock()
        self.windows = Windows(pricing=pricing, duals=duals, seed=settings.seed)
        self.random = np.random.default_rng(settings.seed)
        # A window that holds most of the table would only do the work of the last step.
        most = int(pricing.rows.count.sum()) // 2
        self.sizes, self.later = (
            [size for size in known if size <= most] for known in ((*first, *LIMITS.sizes), LIMITS.later)
        )
        self.again = self.sizes[1 : LIMITS.few]
        self.patience = LIMITS.stalled
        if self.clock.limit is not None and len(pricing.rows) > LIMITS.finished_rows:
            self.patience = 1_000

    def run(self) -> None:
        progress = self.progress
        if not self.sizes or progress.groups is None:
            return
        self._settle(progress.groups, self.sizes, self.patience)
        # Roundings of other tables are not good enough to bring anything new.
        stalled = 0 if self.windows.pricing.buckets else LIMITS.others
        known = list(progress.groups)
        while stalled < LIMITS.others and not self._late():
            before = progress.cost
            other = a_release(self.relaxation, self.judge, self._noise())
            if other is None:
                stalled += 1
                continue
            known += self._settle(other, self.again, 0)
            if self._combine(known):
                self._settle(progress.groups, (), LIMITS.stalled // 2)
                known += progress.groups
            stalled = stalled + 1 if progress.cost == before else 0

    def _late(self) -> bool:
        """Whether the last step needs the time that is left."""
        return self.progress.closed or self.clock.spent(HISTOGRAM.others)

    def _noise(self) -> Floats:
        amount, most = self.relaxation.program.amount, self.random.uniform(0, LIMITS.noise)
        return np.where(amount > LIMITS.taken, self.random.uniform(0, most, len(amount)), 0.0)

    def _settle(self, start: Sequence[Group], sizes: Sequence[int], patience: int) -> tuple[Group, ...]:
        """Sweep with each of `sizes`, then with any size until `patience` sweeps in a row gain nothing."""
        groups, sweep, stalled = tuple(start), 0, 0
        while (sweep < len(sizes) or stalled < patience) and not self.progress.closed and not self.clock.over:
            size = sizes[sweep] if sweep < len(sizes) else int(self.random.choice(self.later or self.sizes))
            gained, kept = False, dict(enumerate(groups))
            for places, better in self.windows.sweep(groups, size, self.random):
                for place in places.tolist():
                    del kept[place]
                kept |= {(int(places[0]), at): group for at, group in enumerate(better)}
                self.progress.offer(tuple(kept.values()), f"windows of {size}")
                gained = True
            groups, sweep = tuple(kept.values()), sweep + 1
            stalled = 0 if gained or sweep <= len(sizes) else stalled + 1
        return groups

    def _combine(self, known: Sequence[Group]) -> bool:
        """The best release of the groups of all releases so far; whether it is better."""
        pricing, duals = self.windows.pricing, self.windows.duals
        groups = sorted(set(known))
        found, _ = best_of(
            pricing,
            lines_of(groups),
            self.progress.groups,
            duals=duals,
            cuts=pricing.cuts,
            nodes=LIMITS.combined_nodes,
            seed=self.windows.seed,
            seconds=self.clock.left,
        )
        return self.progress.offer(found, "combined")
