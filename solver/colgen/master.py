"""The restricted master: the linear program over the columns known so far, kept warm; it only proposes.

Rows come in families: an equation per kind of tuple, perhaps a limit on counterfeits, and cuts, which may
become more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..backends.highs import INFINITY, LinearProgram, LPStatus
from ..schedule import WORK
from ..work import spend
from .column import Column, Table, costs_of
from .covering import Covering
from .cuts import Cuts
from .limits import MASTER as LIMITS

__all__ = ["AtMost", "Cover", "Proposal", "RestrictedMaster", "RowFamily"]


class RowFamily(Protocol):
    """Rows of one kind."""

    def __len__(self) -> int: ...

    def ends(self) -> Sequence[tuple[float, float]]:
        """Lower and upper end of each."""
        ...

    def coefficients(self, column: Column) -> Mapping[int, int]:
        """Those in which a column counts, and how much."""
        ...


@dataclass(frozen=True)
class Cover:
    """Every kind of tuple is published as often as it counts."""

    rows: Covering

    def __len__(self) -> int:
        return len(self.rows)

    def ends(self) -> list[tuple[float, float]]:
        return [(count, count) for count in self.rows.count.astype(float).tolist()]

    def coefficients(self, column: Column) -> Mapping[int, int]:
        return Counter(column.rows)


@dataclass(frozen=True)
class AtMost:
    """All columns together have at most so many counterfeits, or (`alone`) suppressed tuples."""

    most: int
    alone: bool = False

    def __len__(self) -> int:
        return 1

    def ends(self) -> list[tuple[float, float]]:
        return [(-INFINITY, float(self.most))]

    def coefficients(self, column: Column) -> Mapping[int, int]:
        taken = int(len(column.rows) == 1) if self.alone else column.made
        return {0: taken} if taken else {}


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """An optimum of the linear program, in floating point.

    Attributes
    ----------
    value : float
        In costs.
    rows, cuts : float arrays
        Duals, in costs.
    limit : float
        Dual of the limit on counterfeits or suppressed tuples, 0 if there is none.
    amount : float array
        How much of each column is taken.
    missing : float
        How many tuples are in no group or in one too many.
    """

    value: float
    rows: NDArray[np.float64]
    cuts: NDArray[np.float64]
    limit: float
    amount: NDArray[np.float64]
    missing: float


class RestrictedMaster:
    """Columns and their least cost under the rows of all families.

    Parameters
    ----------
    table : Table
        What columns cost.
    cuts : Cuts
        Shared with the pricing; call `extend` after adding some.
    unit : float
        Costs are divided by it, so that duals are around 1.
    fakes : int, optional
        Most counterfeits; no limit by default. Where tuples may be suppressed, the limit is on these.
    penalty : float, optional
        Cost per tuple that is in no group or in one too many; none if the columns given first are a release.

    Attributes
    ----------
    columns, costs : list
    """

    def __init__(
        self,
        table: Table,
        cuts: Cuts,
        unit: float,
        *,
        fakes: int | None = None,
        penalty: float | None = None,
    ) -> None:
        spare = table.rows.spare
        self.table, self.cuts, self.unit, self.fakes = table, cuts, max(1.0, unit), spare or fakes
        self.columns: list[Column] = []
        self.costs: list[int] = []
        self._known: set[Column] = set()
        self._fixed: list[RowFamily] = [Cover(table.rows)]
        if self.fakes is not None:
            self._fixed.append(AtMost(self.fakes, alone=spare > 0))
        self._first_cut = sum(map(len, self._fixed))
        self._posted = 0
        self._solver = LinearProgram()
        for family in self._fixed:
            for low, high in family.ends():
                self._solver.add_row(low, high)
        self._slack = 0
        if penalty is not None:
            rows = len(table.rows)
            self._slack = many = 2 * rows
            self._solver.add_columns(
                np.full(many, penalty / self.unit),
                np.zeros(many),
                np.full(many, INFINITY),
                np.arange(many + 1),
                np.tile(np.arange(rows), 2),
                np.repeat([1.0, -1.0], rows),
            )

    def penalize(self, penalty: float) -> None:
        """Change the cost of tuples that are in no group or in one too many."""
        self._solver.set_costs(np.arange(self._slack), np.full(self._slack, penalty / self.unit))

    def add(self, columns: Sequence[Column]) -> int:
        """Add columns that are not yet known; returns how many."""
        fresh = [column for column in dict.fromkeys(columns) if column not in self._known]
        if not fresh:
            return 0
        self._known.update(fresh)
        costs = costs_of(self.table, fresh)
        entries = [self._entries(column) for column in fresh]
        self._solver.add_columns(
            np.array(costs) / self.unit,
            np.zeros(len(fresh)),
            np.full(len(fresh), INFINITY),
            np.cumsum([0, *map(len, entries)]),
            [row for found in entries for row in found],
            [times for found in entries for times in found.values()],
        )
        spend(WORK.column.value * len(fresh))
        self.columns += fresh
        self.costs += costs
        return len(fresh)

    def _entries(self, column: Column) -> dict[int, float]:
        entries: dict[int, float] = {}
        at = 0
        for family in self._fixed:
            entries |= {at + row: float(times) for row, times in family.coefficients(column).items()}
            at += len(family)
        for cut, times in self.cuts.coefficients(column).items():
            if cut < self._posted:
                entries[at + cut] = float(times)
        return entries

    def extend(self) -> None:
        """Post the cuts that were added to the shared list."""
        spend(WORK.column.value * len(self.columns))
        lines: list[tuple[list[int], list[float]]] = [([], []) for _ in range(self._posted, len(self.cuts))]
        for j, column in enumerate(self.columns):
            for cut, times in self.cuts.coefficients(column).items():
                if cut >= self._posted:
                    lines[cut - self._posted][0].append(self._slack + j)
                    lines[cut - self._posted][1].append(float(times))
        for (columns, times), (low, high) in zip(lines, self.cuts.ends()[self._posted :], strict=True):
            self._solver.add_row(low, high, columns, times)
        self._posted = len(self.cuts)

    def solve(self, seconds: float | None = None, *, roughly: bool = False) -> Proposal | None:
        """Solve from the last basis, or `roughly` from nothing; None if that was not possible in time."""
        run = partial(self._solver.roughly, LIMITS.rough) if roughly else self._solver.run
        if run(seconds) is not LPStatus.OPTIMAL:
            return None
        duals, amount, rows = self._solver.duals * self.unit, self._solver.amount, len(self.table.rows)
        return Proposal(
            value=self._solver.value * self.unit,
            rows=duals[:rows],
            cuts=duals[self._first_cut :],
            limit=0.0 if self.fakes is None else float(min(0.0, duals[rows])),
            amount=amount[self._slack :],
            missing=float(amount[: self._slack].sum()),
        )
