"""The root's bound by the simplex method: exact duals, for tables of up to a few hundred rows."""

from __future__ import annotations

import numpy as np

from ...colgen.column import Column
from ...colgen.duals import DualBound
from ...colgen.generation import Generation
from ...colgen.histogram_pricing import HistogramPricing
from ...colgen.master import RestrictedMaster
from ...limits import HISTOGRAM_LIMITS as LIMITS
from ...settings import Clock
from .progress import Progress

__all__ = ["by_simplex"]


def by_simplex(pricing: HistogramPricing, progress: Progress, best: DualBound, clock: Clock) -> bool:
    """Solve the linear program and cut it; False if there is no release."""
    rows = pricing.rows
    tuples = int(rows.count.sum())
    unit = progress.cost / tuples if progress.groups is not None else rows.most / (8 * tuples)
    penalty = None if progress.groups is not None else float(rows.most / tuples)
    master = RestrictedMaster(pricing, pricing.cuts, unit, penalty=penalty)
    generation = Generation(
        pricing, master, clock, best, per_anchor=LIMITS.per_anchor, most_nodes=LIMITS.most_nodes
    )
    guess = np.full(len(rows), 0.3 * unit)
    if progress.groups is not None:
        master.add([Column(group) for group in (*progress.starts, *progress.groups)])
        for group, cost in zip(progress.groups, rows.group_costs(progress.groups), strict=True):
            guess[list(group)] = 0.6 * cost / len(group)
    generation.begin(guess)
    while True:
        solved = generation.run()
        progress.lift(best.bound, "linear program")
        missing = generation.proposal.missing if generation.proposal is not None else 0.0
        if progress.bound > rows.most:
            return False
        if penalty is None or missing < 1e-6 or not solved or penalty > 1e3 * rows.most:
            break
        penalty *= 10
        master.penalize(penalty)
    for _ in range(LIMITS.simplex_cut_rounds):
        before = progress.bound
        if not solved or not generation.cut():
            break
        solved = generation.run(0.3)
        progress.lift(best.bound, f"{len(pricing.cuts)} cuts")
        if progress.bound - before < 1e-5 * progress.bound:
            break
    return True
