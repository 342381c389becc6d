"""The part of a policy that set partitioning can search without a list.

A release that keeps a policy keeps every part of it: leaving requirements out only adds releases, so a
bound on the loss under the part is one under the whole.

The *plain* part has the requirements that look at published values alone, and neither suppresses nor invents
tuples: its duals say which groups a better release may hold (`near`). The *grouped* one has all requirements
on groups and the policy's own limits; where returning respondents keep their signatures, it is much stronger,
but gives no duals for groups of people. The *leading* one has the first levels only, of a sum perhaps some of
its losses (none is below 0), and the policy's own limits.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction

from .....models.box_measure import BoxMeasure
from .....models.errors import PolicyError
from .....models.losses.base import loss
from .....models.policy import Policy
from .....models.problem import Problem
from .....models.problem_view import smallest_group
from .....models.requirement import Requirement
from .....models.requirements.k_c_anonymity import KCAnonymity
from ....colgen.structure.histograms import Histograms
from ..objective import counting, factor

__all__ = ["factor_of", "grouped", "leading", "plain", "searchable", "with_least_size"]


def with_least_size(problem: Problem, indices: Sequence[int]) -> list[Requirement]:
    """Some requirements, and the least group size that all of them imply."""
    requirements = problem.policy.requirements
    left: list[Requirement] = [requirements[index] for index in indices]
    least = smallest_group(problem)
    if least > 1 or not left:
        left.append(KCAnonymity(k=least))
    return left


def plain(problem: Problem, indices: Sequence[int]) -> Problem:
    """What the last level's boxes cost under some requirements and the least size that the others imply.

    Nothing is suppressed or invented; one unit of the level's measure weighs 1.
    """
    left, level = with_least_size(problem, indices), problem.policy.levels[-1]
    measure = BoxMeasure.of(level, problem.table)
    return replace(problem, policy=Policy(left) if measure is None else Policy(left, measure.alone(level)))


def leading(problem: Problem, levels: int, losses: Collection[str], indices: Sequence[int]) -> Problem | None:
    """So many first levels, of the last of them some losses, under some requirements and the least size.

    None where only a level that is left out keeps counterfeits few, a loss is one of whole releases, or one
    that the table needs another beside (squared errors of numbers, where there are categories).
    """
    policy = problem.policy
    *before, last = policy.levels[:levels]
    share = [(name, weight) for name, weight in last.weights if name in losses]
    asked = [*(level.weights for level in before), share]
    named = [loss(name) for weights in asked for name, _ in weights]
    free = policy.counterfeit_limit is None and all(each.counts != "counterfeits" for each in named)
    if free or any(each.combine == "release" for each in named):
        return None
    changed = policy.changed(
        requirements=with_least_size(problem, indices),
        minimize=[dict(weights) for weights in asked],
        max_suppressed=policy.suppression_limit(len(problem.table)),
        max_counterfeits=policy.counterfeit_limit,
        outlook="none",
    )
    try:
        return replace(problem, policy=changed)
    except PolicyError:
        return None


def grouped(problem: Problem) -> Problem:
    """The problem with its requirements on groups only."""
    policy = problem.policy
    # A part without requirements on whole releases might get the usual outlook, and with it another level.
    outlook = policy.outlook or "none"
    return replace(problem, policy=policy.changed(requirements=policy.group_requirements, outlook=outlook))


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
    paid = counting(last) | set(measure.names) | {name for name in last.losses if loss(name).beside_boxes}
    if not last.losses <= paid or (fakes and "counterfeits" not in counted):
        return False
    return isinstance(Histograms.of(plain(problem, policy.decided_by_histograms(problem))), Histograms)


def factor_of(problem: Problem) -> Fraction:
    """What one unit of the measure weighs in the last level; 0 if it has none."""
    return factor(problem.policy.levels[-1], problem.table)
