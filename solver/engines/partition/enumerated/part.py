"""The part of a policy that set partitioning can search without a list.

A release that keeps a policy keeps every part of it: leaving requirements out only adds releases, so a
bound on the loss under the part is one under the whole.

Two parts are of use. The *plain* one has the requirements that look at published values alone, and
neither suppresses nor invents tuples: its duals say which groups a better release may hold (`near`).
The *grouped* one has all requirements on groups and the policy's own limits; where returning
respondents keep their signatures, it is much stronger, but gives no duals for groups of people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from .....models.box_measure import BoxMeasure
from .....models.policy import Policy
from .....models.problem import Problem
from .....models.problem_view import smallest_group
from .....models.requirement import Requirement
from .....models.requirements.k_c_anonymity import KCAnonymity
from ....colgen.structure.histograms import Histograms
from ..objective import counting, factor

__all__ = ["factor_of", "grouped", "kept", "plain", "searchable"]


def kept(problem: Problem) -> tuple[int, ...]:
    """Which requirements (indices, from 0) judge a group by what is published of it alone."""
    return problem.policy.decided_by_histograms(problem)


def plain(problem: Problem, indices: Sequence[int], at: int = -1) -> Problem:
    """What a level's boxes cost under some requirements and the least group size that the others imply.

    Nothing is suppressed or invented; one unit of the level's measure weighs 1.
    """
    requirements = problem.policy.requirements
    left: list[Requirement] = [requirements[index] for index in indices]
    least = smallest_group(problem)
    if least > 1 or not left:
        left.append(KCAnonymity(k=least))
    level = problem.policy.levels[at]
    measure = BoxMeasure.of(level, problem.table)
    return replace(problem, policy=Policy(left) if measure is None else Policy(left, measure.alone(level)))


def grouped(problem: Problem) -> Problem:
    """The problem with its requirements on groups only."""
    policy = problem.policy
    return replace(problem, policy=policy.changed(requirements=policy.group_requirements))


def searchable(problem: Problem) -> bool:
    """Whether the plain part's bound can be one of the problem.

    Generalized releases are measured by information loss last, after counts that a release may bring to 0;
    counterfeits must be one of these counts or forbidden: with them, groups may be smaller.
    """
    policy = problem.policy
    *before, last = policy.levels
    fakes = policy.counterfeit_limit != 0
    counted = frozenset(what for level in before for what in level.counted)
    measure = BoxMeasure.of(last, problem.table)
    if policy.form != "generalized" or measure is None:
        return False
    if not all(level.losses <= counting(level) for level in before):
        return False
    if not last.losses <= counting(last) | set(measure.names) or (fakes and "counterfeits" not in counted):
        return False
    return isinstance(Histograms.of(plain(problem, kept(problem))), Histograms)


def factor_of(problem: Problem) -> Fraction:
    """What one unit of the measure weighs in the last level; 0 if it has none."""
    return factor(problem.policy.levels[-1], problem.table)
