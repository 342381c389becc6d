"""The linear program of a box, kept warm in HiGHS; it only proposes duals, and where to cut and to branch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array

from ..backends.highs import INFINITY, LinearProgram, LPStatus
from .limits import DUALS as LIMITS
from .program import FREE, Box, Floats, Ints, Program
from .rank1 import RowStack

__all__ = ["BoxProposal", "BoxRelaxation"]


@dataclass(frozen=True, kw_only=True)
class BoxProposal:
    """What the linear program says of a box, in floating point.

    Attributes
    ----------
    value : float
        In costs; above every target if there is no solution.
    duals : float array
        Of rows and cuts, in costs.
    amount : float array or None
        Of the columns; None if no solution below the target exists.
    """

    value: float
    duals: Floats
    amount: Floats | None


class BoxRelaxation:
    """Rows and cuts over some columns.

    Parameters
    ----------
    program : Program
    stack : Stack
        Its rows, and cuts; call `extend` after adding some.
    target : int
        Solutions that cost as much are of no interest.
    """

    def __init__(self, program: Program, stack: RowStack, box: Box, target: int) -> None:
        self.program, self.stack = program, stack
        self.unit = max(1.0, float(np.abs(program.cost).mean()) if len(program.cost) else 1.0)
        self.grid = _grids(stack)
        self._box = box
        self.solver = LinearProgram(presolve=False)
        self._pass()
        self.aim(target)

    def _pass(self) -> None:
        stack = self.stack
        by_column = csc_array(stack.matrix)
        entries = by_column.data / self.grid[by_column.indices]
        self.solver.load(
            self.program.cost / self.unit,
            self._box.lower.astype(float),
            _above(self._box.upper),
            csc_array((entries, by_column.indices, by_column.indptr), shape=by_column.shape),
            np.where(stack.low <= -FREE, -INFINITY, stack.low / self.grid),
            np.where(stack.high >= FREE, INFINITY, stack.high / self.grid),
        )
        self._posted = len(stack)

    def extend(self) -> None:
        """Post the cuts that were added."""
        matrix, grid = self.stack.matrix, _grids(self.stack)[self._posted :]
        start = matrix.indptr[self._posted :]
        column = matrix.indices[start[0] :].astype(np.int64)
        entry = matrix.data[start[0] :] / np.repeat(grid, np.diff(start))
        high = self.stack.high[self._posted :] / grid
        self.solver.add_rows(np.full(len(grid), -INFINITY), high, start - start[0], column, entry)
        self.grid = np.concatenate([self.grid, grid])
        self._posted = len(self.stack)

    def aim(self, target: int, margin: float = LIMITS.margin) -> None:
        """Let the search end as soon as a solution is known to cost as much."""
        self._target = target
        self.solver.stop_at((target - 1 + margin) / self.unit)

    def limit(self, box: Box) -> None:
        """Change the ends of columns."""
        changed = np.flatnonzero((self._box.lower != box.lower) | (self._box.upper != box.upper))
        self._box = box
        if len(changed):
            self.solver.set_ends(changed, box.lower[changed], _above(box.upper[changed]))

    def solve(self, seconds: float | None = None) -> BoxProposal | None:
        """Solve from the last basis; None if that was not possible in time."""
        if not len(self.program.cost):
            return self._empty()
        status = self.solver.run(seconds)
        if status is LPStatus.STOPPED:
            return None
        duals, value = self.solver.duals * self.unit / self.grid, self.solver.value * self.unit
        if status is LPStatus.OPTIMAL:
            return BoxProposal(value=value, duals=duals, amount=self.solver.amount)
        if status is LPStatus.BEYOND:
            return BoxProposal(value=value, duals=duals, amount=None)
        return self._beyond(duals)

    def _empty(self) -> BoxProposal:
        """Without columns there is one solution, or a row that it breaks."""
        stack, duals = self.stack, np.zeros(len(self.stack))
        broken = np.flatnonzero((stack.low > 0) | (stack.high < 0))
        if not len(broken):
            return BoxProposal(value=0.0, duals=duals, amount=np.zeros(0))
        duals[broken[0]] = (abs(self._target) + 1.0) * (1 if stack.low[broken[0]] > 0 else -1)
        return BoxProposal(value=float(self._target), duals=duals, amount=None)

    def _beyond(self, duals: Floats) -> BoxProposal | None:
        """Duals that prove the target where there is no solution: along the ray that shows it."""
        found = self.solver.ray
        if found is None:
            return None
        ray = found / self.grid
        value, gain = self._value(duals, self.program.cost), self._value(ray, 0 * self.program.cost)
        if gain <= 0:
            return None
        steps = max(0.0, self._target - value) / gain
        return BoxProposal(value=max(value, float(self._target)), duals=duals + steps * ray, amount=None)

    def _value(self, duals: Floats, cost: Ints) -> float:
        """What duals prove about the box, in floating point."""
        reduced = cost - duals @ self.stack.matrix
        reduced = np.where(np.abs(reduced) < 1e-9, 0.0, reduced)
        ends = np.where(duals > 0, self.stack.low, self.stack.high)
        ends = np.where(np.abs(ends) >= FREE, 0, ends)
        return float(duals @ ends + reduced @ np.where(reduced > 0, self._box.lower, self._box.upper))

    def inverse(self, amount: Floats, most: int, least: float) -> Floats:
        """Rows of the basis' inverse whose basic column is fractional by at least `least`: most so first."""
        basic = self.solver.basic
        at = np.flatnonzero(basic >= 0)
        part = np.abs(amount[basic[at]] - np.rint(amount[basic[at]]))
        order = np.argsort(-part, kind="stable")[: min(most, int((part > least).sum()))]
        lines = [self.solver.inverse_row(int(i)) for i in at[order]]
        if not lines:
            return np.zeros((0, len(self.stack)))
        # HiGHS knows rows as posted.
        made = np.array(lines) / self.grid
        return np.where(np.abs(made) < LIMITS.nought, 0.0, made)

    def probe(self, box: Box, iterations: int) -> float:
        """Cost of a box after a few dual simplex iterations: no more than the optimum's."""
        self.limit(box)
        infeasible = self.solver.probe(iterations) is LPStatus.INFEASIBLE
        return float("inf") if infeasible else self.solver.value * self.unit


def _above(ends: Ints | Floats) -> Floats:
    return np.where(ends >= FREE, INFINITY, ends.astype(float))


def _grids(stack: RowStack) -> Floats:
    """What rows are divided by, so that their entries are around 1."""
    return np.maximum(1, stack.largest).astype(float)
