"""Probabilities as whole numbers: exactly if their common denominator is small, else rounded to one side.

Estimates of a program in integers are sums of shares times cells. Uniform shares have small denominators, so
they are exact there. Shares by weighted worlds do not: they are rounded to `precision` parts, downwards
in lower sides and upwards in upper sides of constraints, so whatever the program finds is safe. The
other way round (`generous`) every safe choice stays feasible, so its optimum is a bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm

from ortools.sat.python import cp_model

from ...models.errors import EngineError

__all__ = ["WholeShares"]

LARGEST = 2**60
"""Largest activity of a constraint; CP-SAT needs room below 2**63."""


@dataclass(frozen=True, kw_only=True)
class WholeShares:
    """Into how many parts a tuple is divided, and what safe means in these parts.

    Attributes
    ----------
    one : int
        Parts of a tuple.
    exact : bool
        Whether all shares are whole numbers of parts.
    l, epsilon : of the requirement
    """

    one: int
    exact: bool
    l: int  # noqa: E741 - the field's own name
    epsilon: Fraction

    @classmethod
    def of(
        cls,
        shares: Iterable[Fraction],
        *,
        cells: int,
        l: int,  # noqa: E741
        epsilon: Fraction,
        precision: int = 10**6,
    ) -> WholeShares:
        """The exact division if `cells` tuples of it fit integers, else `precision` parts.

        Raises
        ------
        EngineError
            If even these are too many.
        """

        def fits(one: int) -> bool:
            return one * max(1, cells) * (l + 1) <= LARGEST and one * epsilon <= LARGEST

        one = lcm(*{share.denominator for share in shares})
        if fits(one):
            return cls(one=one, exact=True, l=l, epsilon=epsilon)
        if not fits(precision):
            raise EngineError(
                f"{cells} cells in {precision} parts each are too many for exact integers: lower precision"
            )
        return cls(one=precision, exact=False, l=l, epsilon=epsilon)

    def keep_even(
        self,
        model: cp_model.CpModel,
        kept: Sequence[cp_model.LinearExprT],
        shares: Sequence[Sequence[Fraction]],
        *,
        most: int,
        generous: bool = False,
    ) -> None:
        """Add that estimates differ by epsilon at most, and that none is above 1/l of what is published.

        Parameters
        ----------
        kept
            Published cells per place, `most` in all.
        shares
            Per place, the probability of every significant value.
        generous
            Whether rounded shares err on the other side.
        """
        low = model.new_int_var(0, self.one * most, "low")
        model.add_hint(low, 0)
        limit, published = floor(self.one * self.epsilon), sum(kept)
        upper, lower = (floor, ceil) if generous else (ceil, floor)
        for value in zip(*shares, strict=True):
            places = list(zip(value, kept, strict=True))
            most_likely = sum(upper(self.one * share) * x for share, x in places)
            model.add(sum(lower(self.one * share) * x for share, x in places) >= low)
            model.add(most_likely <= low + limit)
            model.add(self.l * most_likely <= self.one * published)
