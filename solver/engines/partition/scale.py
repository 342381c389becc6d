"""Bound and releases of large tables: first-order relaxation, cuts, rounding, windows."""

from __future__ import annotations

import numpy as np

from ...settings import Clock, Settings
from .best import Best
from .histograms import Judge
from .pricing import Pricing
from .progress import Progress
from .relaxation import Relaxation
from .rounding import rounded
from .windows import Windows

__all__ = ["FINISHED", "at_scale"]

CLOSE = 5e-5
"""Relative distance of bound and linear program at which the first linear program counts as solved."""
CUT_ROUNDS = 12
CUT_SHARE = 0.35
"""Share of the time limit after which no more cuts are sought: releases need the rest."""
LEAST_BROKEN = 0.01
"""Least violation of a cut that is added."""
LEAST_GAIN = 1e-5
"""Relative gain below which cutting ends."""
SIZES = (200, 200, 300, 400, 600, 900)
"""Tuples per window, sweep by sweep; then any of `LATER`."""
LATER = (300, 500, 700, 900)
STALLED = 4
"""So many later sweeps without a better release end the sweeping."""
FINISHED = 4_000
"""Rows up to which the gap is closed over listed groups; larger tables are swept until time ends."""


def at_scale(judge: Judge, pricing: Pricing, progress: Progress, best: Best, settings: Settings) -> bool:
    """Prove a bound, then improve releases until nothing more is found; False if there is no release."""
    clock = pricing.clock or Clock()
    relaxation = Relaxation(pricing, clock, best, lambda: progress.lift(best.bound, "linear program"))
    relaxation.start(progress.starts)
    solved = relaxation.run(CLOSE)
    if progress.bound > pricing.rows.most:
        return False
    progress.offer(_round(relaxation, judge), "rounded")
    for _ in range(CUT_ROUNDS):
        before = float(best.value)
        late = clock.limit is not None and clock.seconds > CUT_SHARE * clock.limit
        if late or not solved or not relaxation.cut(LEAST_BROKEN):
            break
        solved = relaxation.run(0.6 * CLOSE, box=0.1, smoothing=0.2)
        progress.lift(best.bound, f"{len(pricing.cuts)} cuts")
        if float(best.value) - before < LEAST_GAIN * before:
            break
    progress.offer(_round(relaxation, judge), "rounded")
    _sweep(pricing, progress, best, settings, clock)
    return True


def _round(relaxation: Relaxation, judge: Judge) -> list[tuple[int, ...]] | None:
    pricing = relaxation.pricing
    return rounded(
        pricing.rows,
        judge,
        relaxation.columns,
        relaxation.program.amount,
        relaxation.program.reduced(),
        buckets=pricing.buckets,
    )


def _sweep(pricing: Pricing, progress: Progress, best: Best, settings: Settings, clock: Clock) -> None:
    if best.duals is None or progress.groups is None:
        return
    windows = Windows(pricing=pricing, duals=best.duals, seed=settings.seed)
    random = np.random.default_rng(settings.seed)
    # A window that holds most of the table would only do the work of the last step.
    most = int(pricing.rows.count.sum()) // 2
    sizes, later = ([size for size in known if size <= most] for known in (SIZES, LATER))
    sweep, stalled = 0, 0
    patience = STALLED if clock.limit is None or len(pricing.rows) <= FINISHED else 1_000
    while sizes and stalled < patience and not progress.closed and not clock.over:
        size = sizes[sweep] if sweep < len(sizes) else int(random.choice(later or sizes))
        before, groups = progress.cost, dict(enumerate(progress.groups))
        for places, better in windows.sweep(progress.groups, size, random):
            for place in places.tolist():
                del groups[place]
            groups |= {(sweep + 1, int(places[0]), at): group for at, group in enumerate(better)}
            progress.offer(tuple(groups.values()), f"windows of {size}")
        sweep += 1
        stalled = stalled + 1 if progress.cost == before and sweep > len(sizes) else 0
