r"""Constant-ratio strategy for transient values (Fu, Wang, Wong, Wang, sec. 6.1).

If at most k releases link a respondent o to a value s, each may spend an equal part of the
bound: ``|A| / n >= r = 1 / (1 - (1 - 1/l)^(1/k))``. Tested without roots:

    1 - (1 - n / |A|)^k <= 1 / l   <=>   l (|A| - n)^k >= (l - 1) |A|^k.

n occurrences need ``ceil(r n)`` tuples, not ``n ceil(r)`` (l = k = 2, n = 3: 11, not 12).

Beyond k links. The published strategy assumes that there are none. Here the global guarantee
``P(o, s) <= 1 / l`` over the whole history is always required as well, so whatever the
history is (also one made under other rules), it holds. It asks nothing new for the first k links
that kept the ratio: ``P <= 1 - (1 - 1/r)^k = 1/l``. After k links o may not be linked to s again
(``beyond="refuse"``: groups without s only; o with the value s must be suppressed), or as far
as sizes rounded up have left something of the bound (``beyond="slack"``; l = k = 2, sizes 4
and 4: P = 7/16, a third group needs ratio 9).

For real ratios this makes the largest group as small as possible; with whole sizes the maximum
still is, the sum is not (l = k = 2: sizes 3 and 4 reach exactly 1/2, this strategy takes 4 and 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from ..breach_probability import NOT_LINKED, Exposure
from ..errors import PolicyError
from ..relaxations import Parameter
from ..requirement import hold_whole, register
from .link_budget import LinkBudget

__all__ = ["ConstantRatio"]


@register
@dataclass(frozen=True, kw_only=True)
class ConstantRatio(LinkBudget):
    """Equal parts of the bound ``1 / l`` for `k` releases that link somebody to a value.

    Use it for values that change, if you know how many releases will follow: each has the same room.

    Parameters
    ----------
    l : rational
        The probability stays at most ``1 / l``; above 1.
    k : int
        At least 1: how many releases may link one respondent to one value (k' in the
        publication). k = 1 is a single release with at most the share ``1 / l``.
    beyond : {"refuse", "slack"}
        Whether whoever was linked k times may not be linked again, or only within what the bound still
        leaves.
    protected_values : collection of str, optional
        Values that nobody may be linked to, at least one; default all.
    """

    name: ClassVar[str] = "constant_ratio"
    reference: ClassVar[str] = "Fu, Wang, Wong, Wang, sec. 6.1"

    k: int
    beyond: Literal["refuse", "slack"] = "refuse"

    def __post_init__(self) -> None:
        super().__post_init__()
        hold_whole(self, self.name, "k", 1)
        if self.beyond not in ("refuse", "slack"):
            raise PolicyError(f"{self.name}: beyond must be 'refuse' or 'slack', got {self.beyond!r}")

    def open(self, spent: Exposure) -> bool:
        return super().open(spent) and (spent.links < self.k or self.beyond == "slack")

    def fits(self, count: int, size: int, spent: Exposure = NOT_LINKED) -> bool:
        if count == 0:
            return True
        rest, least = self.l * (size - count), self.l - 1
        return (
            self.open(spent)
            and rest * (size - count) ** (self.k - 1) >= least * size**self.k
            and rest * spent.never >= least * size
        )

    def least_bound(self, count: int, size: int, spent: Exposure) -> Fraction | None:
        if spent.links >= self.k and self.beyond == "refuse":
            return None
        together = 1 - Fraction(size - count, size) ** self.k
        return max(together, spent.linked(count, size).probability)

    def parameters(self) -> tuple[Parameter, ...]:
        # More links mean smaller shares, but with "refuse" they also allow links that fewer forbid.
        if self.beyond == "slack":
            return (*super().parameters(), Parameter.whole("k", self.k))
        return (*super().parameters(), Parameter.option("beyond", self.beyond, "refuse", "slack"))

    def complaint(self, count: int, size: int, spent: Exposure) -> str:
        if spent.links >= self.k and self.beyond == "refuse":
            return f"a respondent was already linked to one value by {spent.links} releases, k = {self.k} may"
        if self.fits(count, size):
            return super().complaint(count, size, spent)
        return (
            f"{count} of {size} tuples share one value: the same share in k = {self.k} releases would link "
            f"a respondent to it with a probability above 1/l = {1 / self.l}"
        )
