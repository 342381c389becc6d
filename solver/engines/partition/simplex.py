"""The root's bound by the simplex method: exact duals, for tables of up to a few hundred rows."""

from __future__ import annotations

import numpy as np

from ...colgen.column import padded
from ...colgen.dual_bound import Best
from ...colgen.generation import Generation
from ...colgen.master import Master
from ...colgen.pricing import Pricing
from ...exact.odd_sets import separated
from ...settings import Clock
from .limits import HISTOGRAM_LIMITS as LIMITS
from .progress import Progress

__all__ = ["by_simplex"]


def by_simplex(pricing: Pricing, progress: Progress, best: Best, clock: Clock) -> bool:
    """Solve the linear program and cut it; False if there is no release."""
    rows = pricing.rows
    tuples = int(rows.count.sum())
    unit = progress.cost / tuples if progress.groups is not None else rows.most / (8 * tuples)
    penalty = None if progress.groups is not None else float(rows.most / tuples)
    master = Master(rows, pricing.cuts, max(1.0, unit), penalty)
    generation = Generation(pricing, master, clock, best)
    guess = np.full(len(rows), 0.3 * unit)
    if progress.groups is not None:
        master.add([*progress.starts, *progress.groups])
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
        if not solved or not _cut(generation):
            break
        solved = generation.run(0.3)
        progress.lift(best.bound, f"{len(pricing.cuts)} cuts")
        if progress.bound - before < 1e-5 * progress.bound:
            break
    return True


def _cut(generation: Generation) -> bool:
    proposal, pricing = generation.proposal, generation.pricing
    if proposal is None:
        return False
    groups = generation.master.groups
    members = padded(groups, max(map(len, groups), default=1))
    fresh = separated(members, proposal.amount, pricing.rows.count, pricing.cuts.sets)
    pricing.cuts.add(fresh)
    generation.master.extend()
    return bool(fresh)
