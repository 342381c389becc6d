"""What two groups lose together, level by level, as far as boxes and sizes tell."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .....models.box_measure import BoxMeasure
from .....models.memo import memoized
from .....models.problem import Problem
from ....colgen.covering import Ints
from ....colgen.table import Rows

__all__ = ["PairLoss"]


@dataclass(frozen=True)
class PairLoss:
    """Compares ways to divide the same tuples among two groups, one of which may be empty.

    Of levels that measure boxes otherwise than the last one, and of losses that neither boxes nor sizes
    tell, nothing is said.

    Attributes
    ----------
    problem : Problem
    factors : tuple of Fraction
        What a unit of the boxes' cost weighs in each level.
    """

    problem: Problem
    factors: tuple[Fraction, ...]

    @classmethod
    def of(cls, problem: Problem, rows: Rows) -> PairLoss:
        """Read a problem; costs are those of the rows."""
        levels, table = problem.policy.levels, problem.table
        last, factors = BoxMeasure.last(levels, table), list[Fraction]()
        for level in levels:
            measure = BoxMeasure.of(level, table)
            alike = measure is not None and measure.units == last.units
            factors.append(measure.factor / rows.scale if measure is not None and alike else Fraction(0))
        return cls(problem, tuple(factors))

    def value(self, cost: int, first: int, second: int) -> tuple[Fraction, ...]:
        """Of groups with so many tuples each, and this cost of both boxes."""
        sizes = self._sizes(first, second)
        return tuple(factor * cost + share for factor, share in zip(self.factors, sizes, strict=True))

    def order(self, costs: Ints, first: Ints, tuples: int) -> NDArray[np.intp]:
        """Divisions of so many tuples, `first` of them in one group, from the least loss on, nearly."""
        by_size = [[float(x) for x in self._sizes(size, tuples - size)] for size in range(tuples + 1)]
        shares = np.array(by_size)[first]
        keys = [float(factor) * costs + shares[:, i] for i, factor in enumerate(self.factors)]
        return np.lexsort([costs, *reversed(keys)])

    @memoized
    def _sizes(self, first: int, second: int) -> tuple[Fraction, ...]:
        """What losses by sizes say of two groups; fewer groups are more of an average size."""
        sizes, found = [size for size in (first, second) if size], list[Fraction]()
        for level in self.problem.policy.levels:
            share = Fraction(0)
            for loss, weight in level.terms:
                told = [loss.by_size(size, 0, self.problem.policy.form) for size in sizes]
                known = [each for each in told if each is not None]
                parts = [Fraction(-len(sizes))] if loss.combine == "ratio" else known
                share += weight * (max(parts, default=Fraction(0)) if loss.combine == "max" else sum(parts))
            found.append(share)
        return tuple(found)
