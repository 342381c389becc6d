"""Parts of a policy: some of its requirements, and the least group size that all of them imply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....models.memo import memoized
from ....models.policy import Policy
from ....models.problem import Problem
from ....models.problem_view import smallest_group
from ....models.requirement import Requirement, Scope
from ....models.requirements.k_c_anonymity import KCAnonymity
from ...colgen.structure.histograms import Histograms, Judge
from ...colgen.table import Rows

__all__ = ["Part", "finite", "part_of", "part_rows"]

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
    return replace(rows, value=Judge(part).seen(rows.value))


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
