"""An integer program over counts, written down variable by variable and row by row."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from ....backends.highs import IntegerSolution, best_integers
from ....colgen.covering import Ints
from .limits import AHEAD as LIMITS

__all__ = ["CountProgram"]

Floats = NDArray[np.float64]


class CountProgram:
    """Variables that count, and rows over them.

    Attributes
    ----------
    cost, lower, upper : list of float
        Of each variable.
    """

    def __init__(self) -> None:
        self.cost, self.lower, self.upper = list[float](), list[float](), list[float]()
        self._entries = list[tuple[int, int, float]]()
        self._low, self._high = list[float](), list[float]()

    def _variable(self, most: int, cost: Fraction = Fraction(0), *, least: int = 0) -> int:
        self.cost.append(float(cost))
        self.lower.append(float(least))
        self.upper.append(float(most))
        return len(self.cost) - 1

    def _row(self, entries: Mapping[int, float], low: float, high: float) -> None:
        self._entries += [(len(self._low), j, a) for j, a in entries.items()]
        self._low.append(low)
        self._high.append(high)

    def _best(
        self, cost: Floats, seconds: float | None, *, gap: float = LIMITS.gap, start: Ints | None = None
    ) -> IntegerSolution:
        """A cheap solution, and a bound on all of them."""
        table, shape = np.array(self._entries), (len(self._low), len(self.cost))
        return best_integers(
            cost,
            np.array(self.lower),
            np.array(self.upper),
            csc_array((table[:, 2], (table[:, 0].astype(int), table[:, 1].astype(int))), shape=shape),
            np.array(self._low),
            np.array(self._high),
            start=None if start is None else start.astype(float),
            absolute_gap=gap,
            nodes=LIMITS.nodes,
            seconds=seconds,
        )
