"""Everybody in one group: what a monotone requirement refuses of it, it refuses of every release.

Merging all groups of a release that keeps such a requirement would keep it. And where a search finds nothing,
that group may still keep the policy: far from the best, but a release.
"""

from __future__ import annotations

from ..models.problem import Problem
from ..models.release import Release
from .baselines.greedy import together
from .claims import WholeTable

__all__ = ["broken_whole", "last_resort"]


def broken_whole(problem: Problem) -> WholeTable | None:
    """A monotone requirement on groups that the whole table breaks.

    None where tuples may be left out, or made up.

    Complexity: one check of a group with all tuples per requirement.
    """
    policy, table = problem.policy, problem.table
    if policy.suppression_limit(len(table)) or policy.counterfeit_limit != 0:
        return None
    whole = problem.assemble([range(len(table))])
    for index, requirement in enumerate(policy.requirements):
        monotone = requirement in policy.group_requirements and requirement.structure(problem).monotone
        if monotone and next(requirement.check(whole, problem.history), None) is not None:
            return WholeTable(requirement=index)
    return None


def last_resort(problem: Problem) -> Release | None:
    """All in one group, if that keeps the policy.

    Not where requirements look at whole releases: their checks may take long, and time is over.
    """
    return None if problem.policy.joint_requirements else together(problem)
