"""Requirements on groups together with a largest size: levels by sizes leave no room for larger groups.

Of a lexicographic objective a later level is about releases that are best in the levels before. Where these
look at sizes, that tells how large a group can be at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from .domain import Codes
from .group_bounds import GroupBounds
from .losses.base import loss
from .problem_view import ProblemView, smallest_group
from .release import QIGroup
from .requirement import Context, GroupRequirement, Violation
from .structure import Structure

if TYPE_CHECKING:
    from .encoding import Encoding
    from .policy import Level
    from .problem import Problem

__all__ = ["Capped", "largest_group"]


@dataclass(frozen=True, kw_only=True)
class Capped(GroupRequirement):
    """Groups of at most `largest` published tuples that keep all of some requirements.

    They are one requirement, as none of them alone says from which size on no group is needed.
    """

    name: ClassVar[str] = "capped"
    reference: ClassVar[str] = "sizes that earlier levels of the objective allow"

    requirements: tuple[GroupRequirement, ...]
    largest: int

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        for requirement in self.requirements:
            yield from requirement.violations(group, context)
        if group.size > self.largest:
            yield Violation(
                requirement=self.name,
                message=f"{group.size} tuples, more than {self.largest}",
                respondents=tuple(sorted(group.respondents)),
            )

    def encode(self, model: Encoding) -> None:
        for requirement in self.requirements:
            requirement.encode(model)
        for g in model.slots:
            model.cp.add(model.size(g) <= self.largest)

    def admits_counts(
        self, counts: Codes, values: tuple[str, ...], context: Context
    ) -> NDArray[np.bool_] | None:
        good = counts.sum(axis=1) <= self.largest
        for requirement in self.requirements:
            found = requirement.admits_counts(counts, values, context)
            if found is None:
                return None
            good &= found
        return good

    def structure(self, problem: ProblemView | None = None) -> Structure:
        parts = [requirement.structure(problem) for requirement in self.requirements]
        return Structure(
            depends_on=max(part.depends_on for part in parts),
            symmetric=all(part.exchangeable for part in parts),
            decomposable_from=self.largest + 1,  # no larger group keeps it
        )

    def bounds(self, problem: ProblemView) -> GroupBounds:
        least = max(requirement.bounds(problem).smallest for requirement in self.requirements)
        return GroupBounds(problem=problem, smallest=least)


def largest_group(problem: Problem, values: Sequence[Fraction]) -> int:
    """How many tuples a group can have in releases with these values of the first levels.

    Parameters
    ----------
    problem : Problem
    values : sequence of Fraction
        Of levels from the first on; only those of losses by sizes say something.

    Returns
    -------
    int
        No release of everybody without counterfeits that keeps the policy, and whose levels have these values
        or less, has a larger group.

    Notes
    -----
    Complexity: O(tuples x least size of a group) for a sum, O(tuples) otherwise.
    """
    tuples = len(problem.table)
    return min(
        (
            _largest(level, value, problem)
            for level, value in zip(problem.policy.levels, values, strict=False)
        ),
        default=tuples,
    )


def _largest(level: Level, value: Fraction, problem: Problem) -> int:
    tuples, least, form = len(problem.table), smallest_group(problem), problem.policy.form
    losses = [(loss(name), weight) for name, weight in level.weights]
    cost = [Fraction(0)]
    for size in range(1, tuples + 1):
        parts = [each.by_size(size, 0, form) for each, _ in losses]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return tuples
        cost.append(
            sum((weight * part for part, (_, weight) in zip(known, losses, strict=True)), Fraction(0))
        )
    kind, weight = losses[0][0].combine, losses[0][1]
    if kind == "max":
        return max((size for size in range(least, tuples + 1) if cost[size] <= value), default=0)
    if kind == "ratio":
        groups = range(1, tuples // least + 1)
        fewest = next(
            (g for g in groups if weight * losses[0][0].decode(tuples - g, 1, problem.table) <= value), None
        )
        return 0 if fewest is None else tuples - least * (fewest - 1)
    # Cutting a group never raises a sum: no other needs as many tuples as two.
    best: list[Fraction | None] = [Fraction(0)]
    for left in range(1, tuples + 1):
        found = (
            cost[size] + rest
            for size in range(least, min(2 * least, left + 1))
            if (rest := best[left - size]) is not None
        )
        best.append(min(found, default=None))
    return max(
        (
            size
            for size in range(least, tuples + 1)
            if (rest := best[tuples - size]) is not None and cost[size] + rest <= value
        ),
        default=0,
    )
