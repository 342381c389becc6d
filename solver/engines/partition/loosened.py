"""Large tables under policies without a largest needed group: the bound of a part, then all of it.

Some requirements (l-diversity, t-closeness) may need groups of any size: one with 100 tuples of
one value and one of another splits into no two that are 2-diverse. Searching for those among
thousands of tuples takes too long. So

1. the bound comes from a part of the policy that has a largest needed group, with the least size that
   all of it implies: leaving requirements out only adds releases. Every group the whole policy admits is
   one, or a union, of the part's needed groups; boxes and penalties of cuts of the union are no
   smaller, so duals that are feasible for the part are feasible for the whole;
2. releases come from groups that the whole policy needs, up to a few tuples more;
3. their duals are priced once with the large groups, too: mostly that proves more than the part does.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ....models.problem import Problem
from ...colgen.boxes.pricing import BoxPricing
from ...colgen.covering import Ints
from ...colgen.duals import DualBound, Duals
from ...colgen.histogram_pricing import HistogramPricing
from ...colgen.relaxation import Relaxation
from ...colgen.structure.histograms import Histograms, Judge
from ...limits import HISTOGRAM_LIMITS as LIMITS
from ...schedule import HISTOGRAM
from ...settings import Clock, Settings
from .easier import Part, finite, part_rows
from .progress import Progress
from .scale import RoundedProgram, Sweeps

__all__ = ["Loosened"]


class Loosened:
    """Bound and releases of a large table; run again with more time, it goes on where it stopped.

    Parameters
    ----------
    problem, judge, pricing, progress, best, settings
        Pricing and best duals are of the whole policy. Cuts are added to the first, duals to the second.

    Attributes
    ----------
    part : tuple of int or None
        The part of the policy for which the best duals hold, if they were not priced for the whole.
    """

    def __init__(
        self,
        problem: Problem,
        judge: Judge,
        pricing: HistogramPricing,
        progress: Progress,
        best: DualBound,
        settings: Settings,
    ) -> None:
        self.problem, self.judge, self.settings = problem, judge, settings
        self.pricing, self.progress, self.best = pricing, progress, best
        self._indices, _, self._histograms = finite(problem)
        self._first: RoundedProgram | None = None
        self._second: RoundedProgram | None = None
        self._sweeps: Sweeps | None = None
        self._priced = Fraction(-1)
        # What is known already was priced for the whole policy.
        self.part: Part | None = self._indices if best.duals is None else None

    def run(self, clock: Clock) -> bool:
        """Prove a bound, then improve releases, in shares of a clock; False if there is no release."""
        linear = clock if self._second is None else clock.share(HISTOGRAM.gone_on)
        found, second = self._linear(linear), self._second
        if second is not None:
            self._sweeps = self._sweeps or Sweeps(
                second.relaxation, self.judge, self.progress, self.settings, LIMITS.first_sizes
            )
            self._sweeps.run(clock)
        return found

    def bounded(self, clock: Clock, cuts: Clock) -> bool:
        """The bound of the part, until a clock is over, and another with cuts; False if there is none."""
        first = self._first or self._easier(clock)
        if clock.over:
            return True
        self._first, known = first, first.relaxation.best
        first.solve(clock)
        if self.progress.bound > self.pricing.rows.most:
            return False
        first.tighten(cuts)
        if known.duals is None:
            return True
        before = self.best.value
        if self.best.offer(known.duals) > before:
            self.part = self._indices
        return True

    def _linear(self, clock: Clock) -> bool:
        """Linear programs, their cuts and roundings; False if there is no release."""
        progress = self.progress
        found = self.bounded(clock.share(HISTOGRAM.part), clock.share(HISTOGRAM.part_cuts))
        first = self._first
        duals = None if first is None else first.relaxation.best.duals
        if not found or clock.over or first is None or duals is None:
            return found
        second = self._second or self._nearer(clock, duals)
        if clock.over:
            return True
        self._second = second
        second.know([*progress.starts, *_admissible(first.relaxation, self.pricing.rows.value, self.judge)])
        second.solve(clock.share(HISTOGRAM.nearer))
        # Groups are larger than elsewhere: what greedy rounding leaves over fits badly.
        second.release(self.judge, clock)
        second.release(self.judge, clock, dive=True)
        second.tighten(clock.share(HISTOGRAM.nearer_cuts))
        second.release(self.judge, clock, dive=True)
        self._for_all_sizes(second.relaxation.best, clock.share(HISTOGRAM.priced))
        return True

    def _easier(self, clock: Clock) -> RoundedProgram:
        """The linear program of what the part needs."""
        pricing, (_, part, histograms), progress = self.pricing, finite(self.problem), self.progress
        asked = part_rows(pricing.rows, part), histograms, self.settings.workers, pricing.clock or Clock()
        easier = (BoxPricing.of(*asked) if pricing.rows.in_trees else None) or HistogramPricing(*asked)
        easier.cuts = pricing.cuts
        known = DualBound(easier)
        return RoundedProgram(
            Relaxation(easier, clock, known, lambda: progress.lift(known.bound, "part of the policy")),
            progress,
        )

    def _nearer(self, clock: Clock, begin: Duals) -> RoundedProgram:
        """The linear program of groups that the whole policy needs, up to a few tuples more."""
        pricing, few = self.pricing, _few(self.pricing.histograms, self._histograms)
        nearer = HistogramPricing(pricing.rows, few, self.settings.workers, pricing.clock)
        nearer.cuts = pricing.cuts
        reached = DualBound(nearer)
        return RoundedProgram(Relaxation(nearer, clock, reached, lambda: None, begin=begin), self.progress)

    def _for_all_sizes(self, reached: DualBound, clock: Clock) -> None:
        """Price duals for groups of any size, once; they may prove more than what is known."""
        if reached.value > max(self.best.value, self._priced):
            self._priced = reached.value
            if _priced(self.pricing, self.best, reached, self.progress, clock):
                self.part = None


def _few(whole: Histograms, part: Histograms) -> Histograms:
    """What the whole policy needs, without the groups larger than the part's and twice the smallest."""
    needed = zip(whole.states, whole.steps.needed, strict=True)
    least = min(sum(state) for state, flag in needed if flag)
    return whole.upto(min(whole.steps.largest, max(part.steps.largest, 2 * least - 1)))


def _admissible(relaxation: Relaxation, value: Ints, judge: Judge) -> list[list[int]]:
    """The groups of a linear program that the whole policy admits."""
    names = len(judge.names)
    groups = [[u for u in line if u >= 0] for line in relaxation.columns.lines.tolist()]
    return [g for g in groups if judge.admits(tuple(np.bincount(value[g], minlength=names).tolist()))]


def _priced(
    pricing: HistogramPricing, best: DualBound, reached: DualBound, progress: Progress, clock: Clock
) -> bool:
    """Price duals for groups of any size; whether they prove more than what is known."""
    assert reached.duals is not None
    everything = HistogramPricing(pricing.rows, pricing.histograms, pricing.workers, clock)
    everything.cuts = pricing.cuts
    found = everything.price(reached.duals, per_anchor=1, nodes=LIMITS.whole_nodes)
    before = best.value
    if found.bounded and best.offer(reached.duals.made_feasible(found.worst)) > before:
        progress.lift(best.bound, "groups of any size")
        return True
    return False
