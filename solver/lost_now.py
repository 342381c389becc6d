"""What a release loses by itself, apart from what is foreseen of releases to come."""

from __future__ import annotations

from fractions import Fraction

from ..models.problem import Problem
from ..models.release import Release

__all__ = ["lost_now"]


def lost_now(problem: Problem, release: Release) -> Fraction:
    """What a release loses in the last level of the objective, without what is foreseen of later ones."""
    terms = problem.policy.levels[-1].terms
    now = [weight * kind.of_release(release, problem) for kind, weight in terms if not kind.foresees]
    return sum(now, Fraction(0))
