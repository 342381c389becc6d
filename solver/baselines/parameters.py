"""Where baselines take their parameters from, and how they measure boxes."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import TypeVar

from ...models.domain import Domain
from ...models.errors import EngineError
from ...models.problem_view import ProblemView, RequirementView

__all__ = ["Perimeter", "parameters"]

R = TypeVar("R", bound=RequirementView)


def parameters(problem: ProblemView, kind: type[R], baseline: str) -> R:
    """The policy's one requirement of a kind, which holds a baseline's parameters.

    Raises
    ------
    EngineError
        If the policy has none, or several.
    """
    found = [requirement for requirement in problem.policy.requirements if isinstance(requirement, kind)]
    if len(found) != 1:
        raise EngineError(
            f"{baseline} takes its parameters from the policy's requirement {kind.name}, which is "
            f"there {len(found)} times: name it once"
        )
    return found[0]


class Perimeter:
    """Half the perimeter of a box as an integer: the sum of its sides' widths, each a share of its domain.

    Parameters
    ----------
    domains : sequence of Domain

    Attributes
    ----------
    unit : int
        The number that stands for the whole width of one domain.
    """

    def __init__(self, domains: Sequence[Domain]) -> None:
        self.unit = lcm(*(domain.span for domain in domains))
        self._sides = tuple((domain, self.unit // domain.span) for domain in domains)

    def side(self, attribute: int, lo: int, hi: int) -> int:
        """Width of the tightest published cell over codes `lo` to `hi`."""
        domain, weight = self._sides[attribute]
        return weight * domain.units(lo, hi)

    def of(self, los: Sequence[int], his: Sequence[int]) -> int:
        """Half the perimeter of the box between two corners."""
        return sum(
            weight * domain.units(lo, hi)
            for (domain, weight), lo, hi in zip(self._sides, los, his, strict=True)
        )
