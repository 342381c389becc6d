"""The part of a policy that set partitioning can search exactly.

A release that keeps a policy keeps every part of it: leaving requirements out only adds releases, so a
bound on the loss under the part is one under the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....models.policy import Policy
from ....models.problem import Problem
from ....models.requirement import GroupRequirement, Requirement, Sight
from ....models.requirements import KCAnonymity

__all__ = ["kept", "relaxed"]


def kept(problem: Problem) -> tuple[int, ...]:
    """Which requirements (indices, from 0) judge a group by what is published of it alone."""
    return tuple(
        index
        for index, requirement in enumerate(problem.policy.requirements)
        if isinstance(requirement, GroupRequirement) and requirement.sight(problem) is not Sight.PEOPLE
    )


def relaxed(problem: Problem, indices: Sequence[int]) -> Problem:
    """The problem with some of its requirements only, and the least group size that the others imply."""
    policy = problem.policy
    left: list[Requirement] = [policy.requirements[index] for index in indices]
    least = max(r.smallest_group(problem.table) for r in policy.requirements)
    if least > 1 or not left:
        left.append(KCAnonymity(k=least))
    part = Policy(
        left,
        [dict(level.weights) for level in policy.levels],
        max_suppressed=policy.max_suppressed,
        max_counterfeits=policy.max_counterfeits,
        form=policy.form,
        recoding=policy.recoding,
        hierarchies=dict(policy.hierarchies) or None,
    )
    return replace(problem, policy=part)
