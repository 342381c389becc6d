"""The last word on a release that is to withstand: the whole series, audited from nothing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .....models.adversary.cells import population
from .....models.adversary.knowledge import Knowledge
from .....models.problem import Problem
from .....models.release import Release
from .....models.requirements import ResistsInference
from ....settings import Clock
from ....worlds.possible import Verdict, possible_values
from ....worlds.posterior import posterior
from .limits import WITHSTAND_LIMITS as LIMITS

__all__ = ["withstands"]


def withstands(
    problem: Problem, rule: ResistsInference, release: Release, clock: Clock, workers: int
) -> bool:
    """Whether the audit of the whole series finds everybody within the limits, in time.

    Nothing is known of others here: with `compromised` the requirement's own check goes through them.
    """
    series = problem.history.followed_by(release)
    known = Knowledge() if rule.knowledge is None else rule.knowledge.among(series.records)
    people = population(series, known)
    system = people.system
    possible = possible_values(people, clock, workers=workers)
    left = np.bincount(system.cell[possible.verdicts == Verdict.POSSIBLE], minlength=len(system.sizes))
    if ((left < rule.needed) & (people.asked > 0)).any():
        return False
    if rule.max_posterior == Fraction(1):
        return True
    chances = posterior(possible, states=LIMITS.states, estimate=False).probabilities
    asked = people.asked[system.cell] > 0
    return all(
        chance is not None and chance <= rule.max_posterior
        for chance, wanted in zip(chances, asked, strict=True)
        if wanted
    )
