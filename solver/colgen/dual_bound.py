"""The best bound that pricing has proved so far."""

from __future__ import annotations

from fractions import Fraction

from .pricing import Duals, Pricing

__all__ = ["Best"]


class Best:
    """Keeps feasible duals that prove most.

    Attributes
    ----------
    duals : Duals or None
        Feasible for every needed group.
    value : Fraction
        What they prove, in costs; -1 at first.
    bound : int
        No release costs less.
    rounds : int
        How often duals were offered.
    """

    def __init__(self, pricing: Pricing) -> None:
        self.pricing = pricing
        self.duals: Duals | None = None
        self.value = Fraction(-1)
        self.bound = 0
        self.rounds = 0

    def offer(self, duals: Duals) -> Fraction:
        """Keep feasible duals if they prove more; what they prove."""
        self.rounds += 1
        rows, cuts = self.pricing.rows, self.pricing.cuts
        value = Fraction(duals.value(rows, cuts), duals.scale)
        if value > self.value:
            self.value, self.duals = value, duals
            self.bound = max(0, duals.bound(rows, cuts))
        return value
