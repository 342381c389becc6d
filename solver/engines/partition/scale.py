"""Bound and releases of large tables: first-order relaxation, cuts, rounding or dives, windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...colgen.column import Group
from ...colgen.duals import DualBound
from ...colgen.histogram_pricing import HistogramPricing
from ...colgen.primal.annealing import ANNEALED, COOL, WARM, Annealing
from ...colgen.primal.diving import dived
from ...colgen.primal.neighbourhoods import Windows
from ...colgen.primal.rounding import rounded
from ...colgen.relaxation import Relaxation
from ...colgen.structure.histograms import Judge
from ...limits import HISTOGRAM_LIMITS as LIMITS
from ...schedule import HISTOGRAM
from ...settings import Clock, Settings
from ...work import spend
from .progress import Progress

__all__ = ["RoundedProgram", "Scaled", "Sweeps", "a_release", "annealed", "annealed_again"]

Floats = NDArray[np.float64]


class Scaled:
    """A large table's bound and releases; run again with more time, it goes on where it stopped.

    Parameters
    ----------
    judge, pricing, progress, best, settings
    annealing : Annealing, optional
        That goes on before any windows.
    """

    def __init__(
        self,
        judge: Judge,
        pricing: HistogramPricing,
        progress: Progress,
        best: DualBound,
        settings: Settings,
        annealing: Annealing | None = None,
    ) -> None:
        self.judge, self.pricing, self.progress, self.best = judge, pricing, progress, best
        self.settings, self.annealing = settings, annealing
        self._program: RoundedProgram | None = None
        self._sweeps: Sweeps | None = None

    def run(self, clock: Clock) -> bool:
        """Prove a bound, then improve releases until nothing more is found; False if there is no release.

        All shares are of the clock's time.
        """
        pricing, progress = self.pricing, self.progress
        rows = len(pricing.rows)
        trees = self.annealing is not None and rows > LIMITS.finished_rows
        linear = clock.share(HISTOGRAM.solving(rows, clock.limit, trees=trees))
        program = self._program or RoundedProgram(
            Relaxation(pricing, clock, self.best, lambda: progress.lift(self.best.bound, "linear program")),
            progress,
        )
        if clock.over:
            return True
        self._program = program
        program.know(progress.starts)
        program.solve(linear)
        if progress.bound > pricing.rows.most:
            return False
        program.release(self.judge, clock)
        program.tighten(clock.share(HISTOGRAM.cuts))
        program.release(self.judge, clock)
        if self.annealing is not None and progress.cost - progress.bound > LIMITS.far * progress.cost:
            annealed(self.annealing, progress, clock.share(HISTOGRAM.annealing_again))
        self._sweeps = self._sweeps or Sweeps(program.relaxation, self.judge, progress, self.settings)
        self._sweeps.run(clock)
        return True


class RoundedProgram:
    """A linear program by first-order steps, and its cuts; both go on where time ended.

    Attributes
    ----------
    relaxation : Relaxation
    solved : bool
        With all cuts that are known.
    stuck : bool
        It came no nearer, though there was time: it would not later.
    """

    def __init__(self, relaxation: Relaxation, progress: Progress) -> None:
        self.relaxation, self.progress, self.solved, self.stuck = relaxation, progress, False, False
        self._begun, self._cut, self._rounds, self._least = False, False, 0, LIMITS.least_broken
        self._first = LIMITS.near_buckets if relaxation.pricing.buckets else LIMITS.near
        self._close = self._first

    def know(self, groups: Sequence[Sequence[int]]) -> None:
        """Groups to begin with, and those of the best release; what is solved needs none."""
        if not self.solved:
            self.relaxation.start([*groups, *(self.progress.groups or ())])

    def solve(self, clock: Clock) -> bool:
        """Solve it, if it is not solved; False if there is no time for it."""
        relaxation, relaxation.clock = self.relaxation, clock
        if not (self.solved or self.stuck or clock.over):
            again, self._begun = self._begun and relaxation.level > 0, True  # what proved most is known
            if self._cut:
                self.solved = relaxation.run(self._close, box=0.1, smoothing=0.2, again=again)
            else:
                self.solved = relaxation.run(LIMITS.close, again=again)
            self.stuck = not (self.solved or clock.over)
        return self.solved

    def tighten(self, clock: Clock) -> None:
        """Add cuts as long as they raise what it proves, and the clock allows."""
        relaxation, best = self.relaxation, self.relaxation.best
        while self._rounds < LIMITS.cut_rounds:
            before = float(best.value)
            if clock.over or not self.solve(clock):
                break
            found = relaxation.cut(self._least)
            self._rounds, self._cut = self._rounds + 1, True
            if found or self._close == self._first:
                self.solved = relaxation.run(self._close, box=0.1, smoothing=0.2)
                self.progress.note(f"{len(relaxation.pricing.cuts)} cuts")
            if clock.over:
                break  # it is gone on with
            if not found or float(best.value) - before < LIMITS.least_gain * before:
                # Cuts that gain nothing under rough duals may gain under finer ones.
                if self._close < LIMITS.nearest:
                    self._rounds = LIMITS.cut_rounds
                self._close, self._least = self._close / 2, self._least / 2

    def release(self, judge: Judge, clock: Clock, *, dive: bool = False) -> None:
        """Offer a release that it is rounded to, or dived."""
        found = a_release(self.relaxation, judge, dive=dive)
        if not (clock.ends or self.relaxation.program.short):
            # What was cut off may be better by luck than what it would have become.
            self.progress.offer(found, "dived" if dive else "rounded")


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


def annealed_again(annealing: Annealing, progress: Progress, clock: Clock) -> None:
    """Moves of the best release, cool ones first: dives leave something to do, and another start helps."""
    for cooling in (COOL, WARM):
        if progress.groups is None or progress.closed or clock.over:
            return
        annealing.begin(progress.groups)
        for better in annealing.rounds(cooling, clock.share(HISTOGRAM.annealing_cool)):
            progress.offer(better, "annealed")


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


class Sweeps:
    """Windows over the best release; where they find nothing more, over others, combined with it.

    Parameters
    ----------
    relaxation, judge, progress, settings
    first : sequence of int
        Windows of so many tuples come before all others.
    """

    def __init__(
        self,
        relaxation: Relaxation,
        judge: Judge,
        progress: Progress,
        settings: Settings,
        first: Sequence[int] = (),
    ) -> None:
        pricing = relaxation.pricing
        self.relaxation, self.judge, self.progress, self.clock = relaxation, judge, progress, Clock()
        self.seed = settings.seed
        self.random = np.random.default_rng(settings.seed)
        # A window that holds most of the table would only do the work of the last step.
        most = int(pricing.rows.count.sum()) // 2
        self.sizes, self.later = (
            [size for size in known if size <= most] for known in ((*first, *LIMITS.sizes), LIMITS.later)
        )
        self.again, self._first = self.sizes[1 : LIMITS.few], self.sizes
        self.patience = LIMITS.stalled
        if settings.time_limit is not None and len(pricing.rows) > LIMITS.finished_rows:
            self.patience = 1_000

    def run(self, clock: Clock) -> None:
        """Improve the best release under the duals that prove most, as long as the clock allows."""
        progress, duals = self.progress, self.relaxation.best.duals
        if duals is None or not self.sizes or progress.groups is None:
            return
        self.clock = clock
        windows = Windows(pricing=self.relaxation.pricing, duals=duals, seed=self.seed)
        self._settle(windows, progress.groups, self._first, self.patience)
        if not clock.over:
            self._first = []
        # Roundings of other tables are not good enough to bring anything new.
        stalled = 0 if windows.pricing.buckets else LIMITS.others
        known = list(progress.groups)
        while stalled < LIMITS.others and not self._late():
            before = progress.cost
            spend(HISTOGRAM.rounding.value * len(progress.rows))
            other = a_release(self.relaxation, self.judge, self._noise())
            if other is None:
                stalled += 1
                continue
            known += self._settle(windows, other, self.again, 0)
            if self.progress.combine(windows.pricing, known, windows.duals, windows.seed, self.clock):
                self._settle(windows, progress.groups, (), LIMITS.stalled // 2)
                known += progress.groups
            stalled = stalled + 1 if progress.cost == before else 0

    def _late(self) -> bool:
        """Whether the last step needs the time that is left."""
        return self.progress.closed or self.clock.ends or self.clock.spent(HISTOGRAM.others)

    def _noise(self) -> Floats:
        amount, most = self.relaxation.program.amount, self.random.uniform(0, LIMITS.noise)
        return np.where(amount > LIMITS.taken, self.random.uniform(0, most, len(amount)), 0.0)

    def _settle(
        self, windows: Windows, start: Sequence[Group], sizes: Sequence[int], patience: int
    ) -> tuple[Group, ...]:
        """Sweep with each of `sizes`, then with any size until `patience` sweeps in a row gain nothing."""
        groups, sweep, stalled = tuple(start), 0, 0
        while (sweep < len(sizes) or stalled < patience) and not self.progress.closed and not self.clock.over:
            size = sizes[sweep] if sweep < len(sizes) else int(self.random.choice(self.later or self.sizes))
            gained, kept = False, dict(enumerate(groups))
            for places, better in windows.sweep(groups, size, self.random):
                for place in places.tolist():
                    del kept[place]
                kept |= {(int(places[0]), at): group for at, group in enumerate(better)}
                self.progress.offer(tuple(kept.values()), f"windows of {size}")
                gained = True
            groups, sweep = tuple(kept.values()), sweep + 1
            stalled = 0 if gained or sweep <= len(sizes) else stalled + 1
        return groups
