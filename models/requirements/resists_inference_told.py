"""What no groups hide from `resists_inference`: values that whole tables tell.

Who knows all groups of a release knows who is in it, and all values in it together. So whatever the whole
table tells, by itself, beside earlier releases, or by its difference to an earlier table, is told by every
release of it that neither suppresses nor invents tuples.

Of some people, the probabilities of one value add up to how many of them have it in an average world: at
least as many as have it in every world. For one of them it is no less than the average.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np

from ..adversary.cells import population
from ..adversary.knowledge import Knowledge
from ..adversary.propagation import first_bounds, propagate
from ..problem_view import ProblemView
from ..told_apart import told_apart
from .resists_inference_cuts import CutLimits

__all__ = ["told_by_all", "told_by_difference"]


def told_by_difference(problem: ProblemView, limits: CutLimits) -> str | None:
    """Newcomers, or leavers, whose values are the difference of two tables, and too few or too alike.

    In words; None if there are none. O(people) for each earlier release.
    """
    for found in told_apart(problem):
        total, most = found.values.total(), max(found.values.values())
        if len(found.values) >= limits.needed and Fraction(most, total) <= limits.max_posterior:
            continue
        return (
            f"nobody {found.nobody} since release {found.release}, so the values of all "
            f"{found.others} together ({total}) are the difference of two tables: {len(found.values)} "
            f"different, {most} equal; wanted are {limits.needed} values and at most "
            f"{limits.max_posterior} equal: publish when more people came and left, or let tuples be "
            "suppressed (max_suppressed)"
        )
    return None


def told_by_all(
    problem: ProblemView, limits: CutLimits, compromised: int, knowledge: Knowledge | None
) -> str | None:
    """People whom the whole table leaves too few values, or one too likely; none if tuples are invented.

    Parameters
    ----------
    problem, limits
    compromised : int
        How many others' values may be known: those of others than have the most frequent one.
    knowledge : Knowledge or None
        What else is known; it gives nobody's value.

    Returns
    -------
    str or None
        Why no release can keep the limits, in words; None if this does not tell.

    Complexity: O(tuples), and with a history one propagation of bounds over the series.
    """
    if problem.policy.counterfeit_limit != 0:
        return None
    tuples, limit = len(problem.table), limits.max_posterior
    most = max(Counter(member.value for member in problem.table.members).values())
    if limit < 1 and most > limit * (tuples - compromised):
        others = f" if {compromised} others are compromised" if compromised else ""
        return (
            f"{most} of {tuples} tuples have the same value, so in every release it is likelier than {limit} "
            f"for somebody{others}: ask for a larger max_posterior, or let tuples be suppressed "
            "(max_suppressed) or invented (max_counterfeits)"
        )
    few = _told_together(problem, limits, knowledge) if len(problem.history) else 0
    if not few:
        return None
    return (
        "who left took values along, and the values of all who are published, in whatever groups, leave "
        f"{few} respondents fewer than {limits.needed} values, or make one likelier than {limit} for some of "
        "them: let tuples be suppressed (max_suppressed) or invented (max_counterfeits)"
    )


def _told_together(problem: ProblemView, limits: CutLimits, knowledge: Knowledge | None) -> int:
    """How many people everybody in one group and the earlier releases tell too much of, or of some."""
    series = problem.history.followed_by(problem.assemble([range(len(problem.table))]))
    known = Knowledge() if knowledge is None else knowledge.among(series.records)
    system = population(series, known).system
    bounds = propagate(system, first_bounds(system))
    if bounds is None:
        return 0
    told = np.bincount(system.cell[bounds.upper > 0], minlength=len(system.sizes)) < limits.needed
    most = np.array([int(limits.max_posterior * size) for size in system.sizes.tolist()])
    told[system.cell[bounds.lower > most[system.cell]]] = True
    return int(system.sizes[told].sum())
