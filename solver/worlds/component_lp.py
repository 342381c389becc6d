"""The linear program of one component, kept warm in HiGHS: witnesses, and multipliers that exclude.

Floating point only proposes: an integral optimum is checked against the rows, and duals are rounded
to a small denominator and re-checked in whole numbers (Farkas).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.adversary.proof import ProofStep
from ...models.adversary.propagation import Bounds, Component
from ...models.adversary.rows import Integers
from ..backends.highs import LinearProgram, LPStatus, Simplex
from ..settings import Clock

__all__ = ["ComponentLP", "ComponentOptimum"]

SCALES = (1, 2, 6, 60, 5040, 10**6)
"""Denominators tried for duals, one after another."""

NEAR = 1e-6
"""How far a count of the linear program may be from a whole number."""

LIKED = 0.2
"""What a change of a liked count costs, of others 1."""

Floats = NDArray[np.float64]


class ComponentOptimum(NamedTuple):
    """What HiGHS says; `counts` are None if there is no solution, `duals` are then a ray."""

    value: float
    counts: Floats | None
    duals: Floats

    @property
    def whole(self) -> Integers | None:
        """The counts, if they are whole numbers."""
        if self.counts is None:
            return None
        rounded = np.rint(self.counts)
        return rounded.astype(np.int64) if np.abs(self.counts - rounded).max() < NEAR else None


class ComponentLP:
    """Rows and bounds of a component, objective and bounds to be changed.

    Parameters
    ----------
    component : Component
    bounds : Bounds
        Of the whole system.
    """

    def __init__(self, component: Component, bounds: Bounds) -> None:
        self.component = component
        self._width = len(component.pairs)
        self.lower: Integers = bounds.lower[component.pairs]
        self.upper: Integers = bounds.upper[component.pairs]
        self._order = np.lexsort((component.entry_pair, component.entry_row))
        # The dual simplex: every count has two ends, so any basis can be made dual feasible for any costs.
        self._solver = LinearProgram(presolve=False, simplex=Simplex.DUAL)
        none = np.zeros(self._width)
        self._solver.add_columns(none, self.lower.astype(float), self.upper.astype(float))
        self._solver.add_rows(
            component.low.astype(float),
            component.high.astype(float),
            np.searchsorted(component.entry_row[self._order], np.arange(len(component.rows) + 1)),
            component.entry_pair[self._order],
            component.entry_sign[self._order].astype(float),
        )
        self._columns = np.arange(self._width)

    def limit(self, lower: Integers, upper: Integers) -> None:
        """Change all bounds."""
        self.lower, self.upper = lower, upper
        self._solver.set_ends(self._columns, lower, upper)

    def by_dual(self, dual: bool) -> None:
        """Use the dual simplex, which says why nothing fits, or the primal one again."""
        self._solver.by(Simplex.DUAL if dual else Simplex.PRIMAL)

    def maximize(self, pairs: Sequence[int], clock: Clock) -> ComponentOptimum | None:
        """Largest sum of some counts; None if that was not found in time."""
        costs = np.zeros(self._width)
        costs[list(pairs)] = -1.0
        self._solver.set_costs(self._columns, costs)
        status = self._solver.run(clock.left)
        if status is LPStatus.INFEASIBLE:
            ray = self._solver.ray
            return None if ray is None else ComponentOptimum(-1.0, None, ray)
        if status is not LPStatus.OPTIMAL:
            return None
        return ComponentOptimum(-self._solver.value, self._solver.amount, -self._solver.duals)

    def stay_near(self, world: Integers, liked: Sequence[int], clock: Clock) -> bool:
        """Make a world the optimum, changes by counts that are liked cheaper; whether that was done in time.

        Changes of all sizes cost a little more or less than 1, so that few optima are ties.
        """
        costs = 1 + 0.1 * np.random.default_rng(0).random(self._width)
        costs[list(liked)] *= LIKED
        # The absolute difference is linear where a world is at an end.
        sign = np.where(world <= self.lower, 1.0, np.where(world >= self.upper, -1.0, 0.0))
        self._solver.set_costs(self._columns, sign * costs)
        return self._solver.run(clock.left) is LPStatus.OPTIMAL

    def with_one(self, pair: int, clock: Clock) -> Floats | None:
        """The optimum of `stay_near` where a count is at least 1; None if there is none, or not in time."""
        only = self._columns[pair : pair + 1]
        self._solver.set_ends(only, np.maximum(self.lower[only], 1), self.upper[only])
        found = self._solver.amount if self._solver.run(clock.left) is LPStatus.OPTIMAL else None
        self._solver.set_ends(only, self.lower[only], self.upper[only])
        return found

    def excludes(self, pairs: Sequence[int], found: ComponentOptimum) -> ProofStep | None:
        """The proof that some counts are 0 (or that nothing fits), if rounding the duals gives one."""
        if found.counts is None:
            largest = np.abs(found.duals).max(initial=0)
            if not largest:
                return None
            for sign in (1.0, -1.0):
                step = self._rounded((), found.duals * (sign / largest))
                if step is not None:
                    return step
            return None
        return self._rounded(tuple(pairs), found.duals)

    def _rounded(self, pairs: tuple[int, ...], duals: Floats) -> ProofStep | None:
        component = self.component
        for scale in SCALES:
            times = np.rint(duals * scale).astype(np.int64)
            rest = np.zeros(self._width, dtype=np.int64)
            rest[list(pairs)] = scale
            np.subtract.at(rest, component.entry_pair, component.entry_sign * times[component.entry_row])
            total = np.where(times > 0, times * component.high, times * component.low).sum()
            total += np.where(rest > 0, rest * self.upper, rest * self.lower).sum()
            if total < (scale if pairs else 0):
                used = np.flatnonzero(times)
                return ProofStep(
                    columns=tuple(component.pairs[list(pairs)].tolist()),
                    side=1,
                    bound=0 if pairs else -1,
                    rows=tuple(zip(component.rows[used].tolist(), times[used].tolist(), strict=True)),
                    scale=scale if pairs else 1,
                )
        return None
