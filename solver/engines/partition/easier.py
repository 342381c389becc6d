"""Parts of a policy: some of its requirements, and the least group size that all of them imply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....models.memo import memoized
from ....models.policy import Policy
from ....models.problem import Problem
from ....models.problem_view import smallest_group
from ....models.requirement import Requirement, Scope
from ....models.requirements.k_c_anonymity import KCAnonymity
from ...claims import WholeTable
from ...colgen.structure.histograms import Histograms, Judge
from ...colgen.table import Rows

__all__ = ["Part", "broken_whole", "finite", "part_of", "part_rows"]

Part = tuple[int, ...]
"""Which requirements of a policy (indices, from 0)."""


def part_of(problem: Problem, indices: Sequence[int]) -> Problem:
    """The problem with some of its requirements, and the least group size that all of them imply."""
    requirements = problem.policy.requirements
    left: list[Requirement] = [requirements[index] for index in indices]
    least = smallest_group(problem)
    if not left or max(r.bounds(problem).smallest for r in left) < least:
        left.append(KCAnonymity(k=least))
    return replace(problem, policy=Policy(left))


def part_rows(rows: Rows, part: Problem) -> Rows:
    """The table's rows as the part sees them: all of one value if values do not matter to it."""
    return replace(rows, value=np.zeros_like(rows.value)) if Judge(part).blind else rows


def broken_whole(problem: Problem, judge: Judge) -> WholeTable | None:
    """A monotone requirement that the whole table breaks: merging all groups would keep it."""
    policy, table = problem.policy, problem.table
    counts = tuple(table.histogram[name] for name in judge.names)
    if policy.suppression_limit(len(table)) or policy.counterfeit_limit != 0 or judge.admits(counts):
        return None
    whole = problem.assemble([range(len(table))])
    for index, requirement in enumerate(policy.requirements):
        monotone = requirement.structure(problem).monotone
        if monotone and next(requirement.check(whole, problem.history), None) is not None:
            return WholeTable(requirement=index)
    return None


@memoized
def finite(problem: Problem) -> tuple[Part, Problem, Histograms]:
    """The most requirements that have a largest needed group together, the first of them."""
    known = [
        index
        for index, r in enumerate(problem.policy.requirements)
        if r.scope is Scope.GROUP and r.structure(problem).decomposable_from is not None
    ]
    tried = [tuple(known), *((index,) for index in known), ()]
    for indices in tried:
        part = part_of(problem, indices)
        histograms = Histograms.of(part)
        if isinstance(histograms, Histograms) and not histograms.steps.beyond:
            return indices, part, histograms
    raise AssertionError("groups of at least k tuples have a largest needed group")
