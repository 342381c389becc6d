r"""Geometric strategy for transient values: every link spends at most a fixed part of what is left.

With ``P' < 1/l`` before the release, a group may link o to s if

    |A| / n >= (1 - P') / ((1 - 1/a) (1/l - P')),   a > 1,

and not at all if ``P' >= 1/l``. The probability grows by ``(1 - P') n / |A|``, so this is

    P - P' <= (1 - 1/a) (1/l - P'),   or   1/l - P >= (1/l - P') / a:

what is left of the bound shrinks by at most the factor a. Hence after i links made this way
``P <= (1/l)(1 - a^-i) < 1/l``, for ever and without knowing the number of releases: some finite group
can always link o to s again. Starting from any history below 1/l, the global guarantee stays. If
each part is spent exactly, the i-th ratio is ``(a^i (l - 1) + a) / (a - 1)``: 4, 6, 10, 18, ... for
l = a = 2. As a grows the ratio falls to that of Theorem 5.1 (all that is left in one link).

The publication announces a second strategy, for small groups on average; this is our own rule with
that aim: small groups first, large ones later.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from ..breach_probability import NOT_LINKED, Exposure
from ..errors import PolicyError
from ..relaxations import Parameter, ParameterGrid, reduced
from ..requirement import as_fraction, register
from .link_budget import LinkBudget

if TYPE_CHECKING:
    from ..problem_view import ProblemView

__all__ = ["Geometric"]


@register
@dataclass(frozen=True, kw_only=True)
class Geometric(LinkBudget):
    """Each link spends at most the part ``1 - 1/a`` of what is left of the bound ``1 / l``.

    Use it for values that change, if nobody knows how many releases will follow: some room is always left.

    Parameters
    ----------
    l : rational
        The probability stays at most ``1 / l``; above 1.
    a : rational
        Above 1. Small a: large groups now, slow growth; large a: small groups now, fast growth.
    protected_values : collection of str, optional
        Values that nobody may be linked to, at least one; default all.
    """

    name: ClassVar[str] = "geometric"
    reference: ClassVar[str] = "after Fu, Wang, Wong, Wang, sec. 6; the rule and its proof are ours"

    a: Fraction = Fraction(2)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "a", as_fraction(self.name, "a", self.a))
        if self.a <= 1:
            raise PolicyError(f"{self.name}: a must be above 1, got {self.a}")

    def fits(self, count: int, size: int, spent: Exposure = NOT_LINKED) -> bool:
        left = 1 / self.l - spent.probability  # if it is 0 or less, count > 0 fails
        return count == 0 or spent.never * count <= (1 - 1 / self.a) * left * size

    def least_bound(self, count: int, size: int, spent: Exposure) -> Fraction | None:
        return spent.probability + spent.never * Fraction(count, size) / (1 - 1 / self.a)

    def parameters(self) -> tuple[Parameter, ...]:
        return (*super().parameters(), Parameter(name="a", direction="lower", grid=self._factors))

    def _factors(self, problem: ProblemView) -> ParameterGrid:
        sizes, kinds = self.links(problem)
        parts = {
            Fraction(n, size) * spent.never / left
            for spent in kinds
            if (left := 1 / self.l - spent.probability) > 0
            for size in sizes
            for n in range(1, size + 1)
        }
        return self.looser_links(problem, reduced((1 / (1 - part) for part in parts if part < 1), self.a))

    def complaint(self, count: int, size: int, spent: Exposure) -> str:
        if not self.open(spent):
            return super().complaint(count, size, spent)
        after = spent.linked(count, size).probability
        return (
            f"a link raises a respondent's probability from {spent.probability} to {after}: "
            f"more than the part 1 - 1/a = {1 - 1 / self.a} of what was left to 1/l = {1 / self.l}"
        )
