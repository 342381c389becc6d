r"""States that reach no end, found by multipliers that fit many of them.

A linear program over the pairs still to be taken up says of one state that nothing fits; its
multipliers y, rounded to whole numbers, then exclude every state with

    sum_r y_r (y_r > 0 ? most_r : least_r) + sum_j z_j (z_j > 0 ? upper_j : lower_j) < 0,   z = -y A,

where least_r and most_r are what the state leaves of row r (Farkas). A few of them often remove most
of a layer. Nothing that could reach an end is removed: the test is in whole numbers.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...models.adversary.propagation import Component
from ...models.adversary.rows import Compact, Integers
from ...models.compiled import borrowing
from ..backends.highs import LinearProgram, LPStatus, Simplex
from .world_steps import States

__all__ = ["DeadEnds"]

MANY = 3_000
"""Layers with fewer states are left alone."""

SAMPLE = 8
"""States of a layer that must fit in a row before no more multipliers are looked for."""

NEW = 30
"""Most new multipliers per layer."""

POOL = 80
"""Most multipliers kept."""

SCALES = (1, 2, 6, 60)


class DeadEnds:
    """Multipliers found so far for one component.

    Parameters
    ----------
    component : Component
    part : Compact
        Its coefficients.
    spans : int64 array
        How far the sides of each row are apart.
    """

    def __init__(self, component: Component, part: Compact, spans: Integers) -> None:
        self._part, self._spans = part, spans
        self._low, self._high = component.low, component.high
        self._pool: list[Integers] = []
        self._random = np.random.default_rng(0)
        self._solver: LinearProgram | None = None

    def alive(
        self, states: States, opened: list[int], lower: Integers, upper: Integers, left: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Which states are not excluded.

        Parameters
        ----------
        states : what is left of each open row.
        opened : the row at each position.
        lower, upper : bounds of pairs still to be taken up, 0 for the others.
        left : rows that have such pairs.
        """
        found = np.ones(len(states), dtype=np.bool_)
        if len(states) < MANY:
            return found
        where = np.array(opened, dtype=np.int64)
        fixed = left.copy()
        fixed[where] = False
        useful: list[Integers] = []
        for times in self._pool:
            before = int(found.sum())
            self._apply(times, states, where, fixed, lower, upper, found)
            if int(found.sum()) < before:
                useful.append(times)
        rest = [times for times in self._pool if not any(times is other for other in useful)]
        fitting = made = 0
        while found.any() and fitting < SAMPLE and made < NEW:
            candidates = np.flatnonzero(found)
            state = states[candidates[self._random.integers(len(candidates))]]
            times = self._multipliers(state, where, fixed, lower, upper)
            if times is None:
                fitting += 1
                continue
            made, fitting = made + 1, 0
            self._apply(times, states, where, fixed, lower, upper, found)
            useful.insert(0, times)
        self._pool = [*useful, *rest][:POOL]
        return found

    def _apply(
        self,
        times: Integers,
        states: States,
        where: Integers,
        fixed: NDArray[np.bool_],
        lower: Integers,
        upper: Integers,
        found: NDArray[np.bool_],
    ) -> None:
        z = self._rest(times)
        base = int(np.where(z > 0, z * upper, z * lower).sum())
        base += int(np.where(times > 0, times * self._high, times * self._low)[fixed].sum())
        used = np.flatnonzero(times[where])
        _exclude(states, used, times[where][used], self._spans[where][used], base, found)

    def _rest(self, times: Integers) -> Integers:
        """-y A."""
        part = self._part
        rest = np.zeros(part.width, dtype=np.int64)
        np.subtract.at(rest, part.column, part.sign * times[part.rows])
        return rest

    def _multipliers(
        self,
        state: States,
        where: Integers,
        fixed: NDArray[np.bool_],
        lower: Integers,
        upper: Integers,
    ) -> Integers | None:
        """Whole multipliers that exclude one state; None if none were found."""
        low, high = np.zeros(len(self._low), dtype=np.int64), np.zeros(len(self._low), dtype=np.int64)
        low[fixed], high[fixed] = self._low[fixed], self._high[fixed]
        high[where] = state
        low[where] = np.maximum(0, high[where] - self._spans[where])
        solver = self._model()
        width = self._part.width
        solver.set_ends(np.arange(width), lower, upper)
        for r in np.flatnonzero(~fixed).tolist():
            solver.set_row(r, float(low[r]), float(high[r]))
        duals = solver.ray if solver.run() is LPStatus.INFEASIBLE else None
        largest = 0.0 if duals is None else np.abs(duals).max(initial=0)
        if duals is None or not largest:
            return None
        for sign in (1.0, -1.0):
            for scale in SCALES:
                times = np.rint(duals * (sign * scale / largest)).astype(np.int64)
                z = self._rest(times)
                total = np.where(z > 0, z * upper, z * lower).sum()
                total += np.where(times > 0, times * high, times * low).sum()
                if total < 0:
                    return times
        return None

    def _model(self) -> LinearProgram:
        if self._solver is None:
            part = self._part
            none = np.zeros(part.width)
            self._solver = LinearProgram(presolve=False, simplex=Simplex.DUAL)
            self._solver.add_columns(none, none, np.ones(part.width))
            low, high = self._low.astype(float), self._high.astype(float)
            self._solver.add_rows(low, high, part.start, part.column, part.sign.astype(float))
        return self._solver


@borrowing
def _exclude(
    states: States,
    used: Integers,
    times: Integers,
    spans: Integers,
    base: int,
    found: NDArray[np.bool_],
) -> None:
    """Mark states that multipliers exclude."""
    for s in range(len(states)):
        if not found[s]:
            continue
        total = base
        for i in range(len(used)):
            rest = states[s, used[i]]
            if times[i] > 0:
                total += times[i] * rest
            else:
                total += times[i] * max(0, rest - spans[i])
        if total < 0:
            found[s] = False
