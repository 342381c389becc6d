"""What nobody being inferable costs: against the bound of the rest of the policy, and a release without it.

The bound is proven, but may be far below what any release reaches; the release is one that this search found,
but may not be the best. The truth is between the two.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

__all__ = ["Price"]


@dataclass(frozen=True, kw_only=True)
class Price:
    """What `resists_inference` costs, between two numbers; `str` tells it in words.

    Attributes
    ----------
    value : Fraction
        Loss of the release, in the last level of the objective without what is expected of later ones.
    bound : Fraction or None
        What every release of the rest of the policy (without `resists_inference`) loses at least, proven.
    without : Fraction or None
        What the best release of the rest of the policy loses that the same search found; None for none.
    dropped : int
        Cheaper releases that were dropped because they have too many worlds to be counted one by one.
    """

    value: Fraction
    bound: Fraction | None
    without: Fraction | None
    dropped: int = 0

    def of(self, value: Fraction) -> Price:
        """What it costs if a release that was found later loses so much."""
        return replace(self, value=value, without=None if self.without is None else min(self.without, value))

    def __str__(self) -> str:
        told = [
            f"{float(self.value / other):.3g} times {name}"
            for other, name in (
                (self.bound, "the bound without resists_inference"),
                (self.without, "the best release found without it"),
            )
            if other
        ]
        if self.dropped:
            told.append(
                f"{self.dropped} cheaper {'release was' if self.dropped == 1 else 'releases were'} dropped: "
                "too many worlds to be counted"
            )
        return "; ".join(told) or "nothing is known of releases without resists_inference"
