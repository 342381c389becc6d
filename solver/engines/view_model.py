"""Pairs of projections of a table as a CP-SAT model, which forgets families of pairs it is told to."""

from __future__ import annotations

from collections.abc import Collection

from ortools.sat.python import cp_model

from ...models.views import Pattern, PublishedWeight
from ..backends.cpsat import CpSatRun, solved

__all__ = ["ViewModel"]

_ORDERED = 50
"""Columns that decide which view is called the first; later ones would overflow."""


class ViewModel:
    """The relaxation: pairs of projections not excluded so far.

    Parameters
    ----------
    weight
        The columns that may be published, in table order, and their weights.
    required
        Columns at least one view must have.

    Attributes
    ----------
    model
        The CP-SAT model.
    first, second, both, either
        Column -> Boolean: the column is in the first view, the second, both, at least one.
    """

    def __init__(self, weight: PublishedWeight, required: Collection[str]) -> None:
        attributes = tuple(weight.weights)
        self.weight = weight
        self.model = cp_model.CpModel()
        self.first = {a: self.model.new_bool_var(f"first[{a}]") for a in attributes}
        self.second = {a: self.model.new_bool_var(f"second[{a}]") for a in attributes}
        self.both = {a: self.model.new_bool_var(f"both[{a}]") for a in attributes}
        self.either = {a: self.model.new_bool_var(f"either[{a}]") for a in attributes}
        gains: list[cp_model.LinearExpr] = []
        for a in attributes:
            one, two, both = self.first[a], self.second[a], self.both[a]
            self.model.add_bool_or(~one, ~two, both)
            self.model.add_implication(both, one)
            self.model.add_implication(both, two)
            # a Boolean of its own: written as one + two - both, this weight bounds badly
            self.model.add_bool_or(one, two, ~self.either[a])
            if a in required:
                self.model.add_bool_or(self.either[a])
            gains.append(weight.weights[a] * (weight.scale * self.either[a] + both))
        self.model.add_bool_or(self.first.values())
        self.model.add_bool_or(self.second.values())
        # views have no order: the first one has the earliest column only one of them has
        self.model.add(
            sum(
                (1 << k) * (self.first[a] - self.second[a])
                for k, a in enumerate(reversed(attributes[:_ORDERED]))
            )
            >= 0
        )
        self.model.maximize(cp_model.LinearExpr.sum(gains))

    def exclude(self, pattern: Pattern) -> None:
        """Forbid a family of pairs, whichever of its views is called the first.

        Parameters
        ----------
        pattern
            The family.
        """
        for family in (pattern, pattern.mirrored()):
            self.model.add_bool_or(
                [~self.first[a] for a in sorted(family.first_in)]
                + [self.first[a] for a in sorted(family.first_out)]
                + [~self.second[a] for a in sorted(family.second_in)]
                + [self.second[a] for a in sorted(family.second_out)]
                + [~self.both[a] for a in sorted(family.join_in)]
                + [self.both[a] for a in sorted(family.join_out)]
            )

    def solve(self, seconds: float, seed: int) -> CpSatRun:
        """Find the best pair left.

        Parameters
        ----------
        seconds
            Time limit.
        seed
            Random seed; one worker, so that equal input gives equal output.

        Returns
        -------
        CpSatRun
            Its bound is one on the weight of every pair left.
        """
        return solved(self.model, seconds=seconds, seed=seed)
