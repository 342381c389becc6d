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

import numpy as np

from ....models.problem import Problem
from ...colgen.boxes.pricing import BoxPricing
from ...colgen.covering import Ints
from ...colgen.duals import DualBound
from ...colgen.histogram_pricing import HistogramPricing
from ...colgen.relaxation import Relaxation
from ...colgen.structure.histograms import Histograms, Judge
from ...limits import HISTOGRAM_LIMITS as LIMITS
from ...schedule import HISTOGRAM
from ...settings import Clock, Settings
from .easier import Part, finite, part_rows
from .progress import Progress
from .scale import a_release, improved, tightened

__all__ = ["by_part"]


def by_part(
    problem: Problem,
    judge: Judge,
    pricing: HistogramPricing,
    progress: Progress,
    best: DualBound,
    settings: Settings,
) -> tuple[bool, Part | None]:
    """Bound and releases of a large table; False if there is no release.

    Parameters
    ----------
    pricing, best
        Of the whole policy. Cuts are added to the first, duals to the second.

    Returns
    -------
    bool
        As in `scale.at_scale`.
    tuple of int or None
        The part of the policy for which the best duals hold, if they were not priced for the whole.
    """
    clock = pricing.clock or Clock()
    indices, part, histograms = finite(problem)
    asked = part_rows(pricing.rows, part), histograms, settings.workers, clock
    easier = (BoxPricing.of(*asked) if pricing.rows.in_trees else None) or HistogramPricing(*asked)
    easier.cuts = pricing.cuts
    known = DualBound(easier)
    first = Relaxation(
        easier, clock.share(HISTOGRAM.part), known, lambda: progress.lift(known.bound, "part of the policy")
    )
    solved = first.run(LIMITS.close)
    if progress.bound > pricing.rows.most:
        return False, indices
    _tightened(first, solved, clock.share(HISTOGRAM.part_cuts), progress)
    if known.duals is None:
        return True, indices
    best.offer(known.duals)
    nearer = HistogramPricing(pricing.rows, _few(pricing.histograms, histograms), settings.workers, clock)
    nearer.cuts = pricing.cuts
    reached = DualBound(nearer)
    second = Relaxation(nearer, clock.share(HISTOGRAM.nearer), reached, lambda: None, begin=known.duals)
    second.start(progress.starts)
    second.start(_admissible(first, pricing.rows.value, judge))
    solved = second.run(LIMITS.close)
    # Groups are larger than elsewhere: what greedy rounding leaves over fits badly.
    progress.offer(a_release(second, judge), "rounded")
    progress.offer(a_release(second, judge, dive=True), "dived")
    _tightened(second, solved, clock.share(HISTOGRAM.nearer_cuts), progress)
    progress.offer(a_release(second, judge, dive=True), "dived")
    priced = _priced(pricing, best, reached, progress)
    improved(second, judge, progress, settings, LIMITS.first_sizes)
    return True, None if priced else indices


def _tightened(relaxation: Relaxation, solved: bool, clock: Clock, progress: Progress) -> None:
    relaxation.clock = clock
    tightened(relaxation, solved, clock, progress)


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


def _priced(pricing: HistogramPricing, best: DualBound, reached: DualBound, progress: Progress) -> bool:
    """Price duals for groups of any size; whether they prove more than what is known."""
    if reached.duals is None or reached.value <= best.value:
        return False
    clock = (pricing.clock or Clock()).share(HISTOGRAM.priced)
    everything = HistogramPricing(pricing.rows, pricing.histograms, pricing.workers, clock)
    everything.cuts = pricing.cuts
    found = everything.price(reached.duals, per_anchor=1, nodes=LIMITS.whole_nodes)
    before = best.value
    if found.bounded and best.offer(reached.duals.made_feasible(found.worst)) > before:
        progress.lift(best.bound, "groups of any size")
        return True
    return False
