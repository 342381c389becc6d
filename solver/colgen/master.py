"""The linear program over the groups known so far, kept warm in HiGHS; it only proposes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..backends.highs import INFINITY, LinearProgram, LPStatus
from .cuts import Cuts
from .table import Ints, Rows

__all__ = ["FREE", "Group", "Master", "Proposal"]

Group = tuple[int, ...]

FREE = 1 << 30
"""No upper bound."""


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """An optimum of the linear program, in floating point.

    Attributes
    ----------
    value : float
        In costs.
    rows, cuts : float arrays
        Duals, in costs.
    amount : float array
        How much of each group is taken.
    missing : float
        How many tuples are in no group or in one too many.
    """

    value: float
    rows: NDArray[np.float64]
    cuts: NDArray[np.float64]
    amount: NDArray[np.float64]
    missing: float


class Master:
    """Groups, one equation per row (its count), one inequality per cut; least cost.

    Parameters
    ----------
    rows : Rows
    cuts : Cuts
        Shared with the pricing; call `extend` after adding some.
    unit : float
        Costs are divided by it, so that duals are around 1.
    penalty : float or None
        Cost per tuple that is in no group or in one too many; None if the groups given first are a release.
    """

    def __init__(self, rows: Rows, cuts: Cuts, unit: float, penalty: float | None = None) -> None:
        self.rows, self.cuts, self.unit = rows, cuts, unit
        self.groups: list[Group] = []
        self.costs: list[int] = []
        self._known: set[Group] = set()
        self._posted = 0
        self._bounds: tuple[Ints, Ints] | None = None
        self._solver = LinearProgram()
        for amount in rows.count.astype(float).tolist():
            self._solver.add_row(amount, amount)
        self._slack = 0
        if penalty is not None:
            self._slack = many = 2 * len(rows)
            self._solver.add_columns(
                np.full(many, penalty / unit),
                np.zeros(many),
                np.full(many, INFINITY),
                np.arange(many + 1),
                np.tile(np.arange(len(rows)), 2),
                np.repeat([1.0, -1.0], len(rows)),
            )

    def penalize(self, penalty: float) -> None:
        """Change the cost of tuples that are in no group or in one too many."""
        self._solver.set_costs(np.arange(self._slack), np.full(self._slack, penalty / self.unit))

    def add(self, groups: Sequence[Group]) -> int:
        """Add groups that are not yet known; returns how many."""
        fresh = [group for group in dict.fromkeys(groups) if group not in self._known]
        if not fresh:
            return 0
        self._known.update(fresh)
        costs = self.rows.group_costs(fresh)
        entries = [self._column(group) for group in fresh]
        start = np.concatenate([[0], np.cumsum([len(column) for column in entries])])
        self._solver.add_columns(
            np.array(costs) / self.unit,
            np.zeros(len(fresh)),
            np.full(len(fresh), INFINITY),
            start,
            [row for column in entries for row in column],
            [times for column in entries for times in column.values()],
        )
        self.groups += fresh
        self.costs += costs
        return len(fresh)

    def _column(self, group: Group) -> dict[int, int]:
        column: dict[int, int] = {}
        for row in group:
            column[row] = column.get(row, 0) + 1
        for cut, times in self.cuts.coefficients(group).items():
            if cut < self._posted:
                column[len(self.rows) + cut] = times
        return column

    def extend(self) -> None:
        """Post the cuts that were added to the shared list."""
        lines: list[tuple[list[int], list[float]]] = [([], []) for _ in range(self._posted, len(self.cuts))]
        for j, group in enumerate(self.groups):
            for cut, times in self.cuts.coefficients(group).items():
                if cut >= self._posted:
                    lines[cut - self._posted][0].append(self._slack + j)
                    lines[cut - self._posted][1].append(float(times))
        limit = self.cuts.limit
        for cut, (columns, times) in enumerate(lines, start=self._posted):
            self._solver.add_row(-INFINITY, float(limit[cut]), columns, times)
        self._posted = len(self.cuts)

    def limit(self, lower: Ints, upper: Ints) -> None:
        """Bound how often each group is taken; `FREE` for no upper bound."""
        if self._bounds is None or len(self._bounds[0]) != len(lower):
            changed = np.arange(len(lower))
        else:
            changed = np.flatnonzero((self._bounds[0] != lower) | (self._bounds[1] != upper))
        self._bounds = lower.copy(), upper.copy()
        top = np.where(upper[changed] >= FREE, INFINITY, upper[changed].astype(float))
        self._solver.set_ends(changed + self._slack, lower[changed], top)

    def probe(self, iterations: int) -> float:
        """Cost after a few dual simplex iterations from the last basis: no more than the optimum's."""
        self._solver.probe(iterations)
        return self._solver.value * self.unit

    def solve(self, seconds: float | None = None) -> Proposal | None:
        """Solve from the last basis; None if that was not possible in time."""
        if self._solver.run(seconds) is not LPStatus.OPTIMAL:
            return None
        duals, amount = self._solver.duals * self.unit, self._solver.amount
        return Proposal(
            value=self._solver.value * self.unit,
            rows=duals[: len(self.rows)],
            cuts=duals[len(self.rows) :],
            amount=amount[self._slack :],
            missing=float(amount[: self._slack].sum()),
        )
