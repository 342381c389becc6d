"""The linear program over the columns known so far, with a limit on counterfeits; it only proposes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from time import perf_counter
from typing import Any, cast

import highspy  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
from numpy.typing import NDArray

from ....backends.highs import quiet_solver
from ....colgen.cuts import Cuts
from ....colgen.structure.types import Column, Types
from ....schedule import SOLVERS

__all__ = ["Master", "Proposal", "chosen_of"]

TOLERANCE = 1e-6
"""Relative precision of HiGHS' bound on an integer program."""


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """An optimum of the linear program, in floating point; duals in costs."""

    value: float
    rows: NDArray[np.float64]
    fake: float
    cuts: NDArray[np.float64]
    amount: NDArray[np.float64]


class Master:
    """Columns, one equation per row, one limit on counterfeits, one inequality per cut; least cost.

    Parameters
    ----------
    types : Types
    cuts : Cuts
        Shared with the pricing; call `extend` after adding some.
    fakes : int
        Most counterfeits.
    unit : float
        Costs are divided by it, so that duals are around 1.
    """

    def __init__(self, types: Types, cuts: Cuts, fakes: int, unit: float) -> None:
        self.types, self.cuts, self.unit, self.fakes = types, cuts, max(1.0, unit), fakes
        self.columns: list[Column] = []
        self.costs: list[int] = []
        self._known: set[Column] = set()
        self._posted = 0
        self._solver = quiet_solver()
        none = np.zeros(0, dtype=np.int32)
        for amount in types.rows.count.astype(float).tolist():
            self._solver.addRow(amount, amount, 0, none, np.zeros(0))
        self._solver.addRow(-highspy.kHighsInf, float(fakes), 0, none, np.zeros(0))

    def add(self, columns: Sequence[Column]) -> int:
        """Add columns that are not yet known; returns how many."""
        fresh = [column for column in dict.fromkeys(columns) if column not in self._known]
        if not fresh:
            return 0
        self._known.update(fresh)
        costs = self.types.costs(fresh)
        entries = [self._entries(column) for column in fresh]
        start = np.concatenate([[0], np.cumsum([len(found) for found in entries])])
        self._solver.addCols(
            len(fresh),
            np.array(costs) / self.unit,
            np.zeros(len(fresh)),
            np.full(len(fresh), highspy.kHighsInf),
            int(start[-1]),
            start[:-1].astype(np.int32),
            np.array([row for found in entries for row in found], dtype=np.int32),
            np.array([times for found in entries for times in found.values()], dtype=float),
        )
        self.columns += fresh
        self.costs += costs
        return len(fresh)

    def _entries(self, column: Column) -> dict[int, int]:
        entries: dict[int, int] = {}
        for row in column.rows:
            entries[row] = entries.get(row, 0) + 1
        fakes, rows = self.types.limited(column), len(self.types)
        if fakes:
            entries[rows] = fakes
        for cut, times in self.cuts.coefficients(column.rows).items():
            if cut < self._posted:
                entries[rows + 1 + cut] = times
        return entries

    def extend(self) -> None:
        """Post the cuts that were added to the shared list."""
        lines: list[tuple[list[int], list[float]]] = [([], []) for _ in range(self._posted, len(self.cuts))]
        for j, column in enumerate(self.columns):
            for cut, times in self.cuts.coefficients(column.rows).items():
                if cut >= self._posted:
                    lines[cut - self._posted][0].append(j)
                    lines[cut - self._posted][1].append(float(times))
        limit = self.cuts.limit
        for cut, (columns, times) in enumerate(lines, start=self._posted):
            self._solver.addRow(
                -highspy.kHighsInf,
                float(limit[cut]),
                len(columns),
                np.array(columns, dtype=np.int32),
                np.array(times),
            )
        self._posted = len(self.cuts)

    def solve(self, seconds: float | None = None) -> Proposal | None:
        """Solve from the last basis; None if that was not possible in time."""
        if seconds is not None:
            self._solver.setOptionValue(
                "time_limit", self._solver.getRunTime() + max(SOLVERS.least_highs.value, seconds)
            )
        self._solver.run()
        if self._solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution, rows = self._solver.getSolution(), len(self.types)
        duals = np.array(solution.row_dual) * self.unit
        return Proposal(
            value=self._solver.getInfo().objective_function_value * self.unit,
            rows=duals[:rows],
            fake=float(min(0.0, duals[rows])),
            cuts=duals[rows + 1 :],
            amount=np.array(solution.col_value),
        )


def chosen_of(
    types: Types,
    fakes: int,
    columns: Sequence[Column],
    start: Sequence[Column],
    *,
    nodes: int,
    seed: int,
    seconds: float | None,
    cuts: Cuts | None = None,
) -> tuple[tuple[Column, ...] | None, int]:
    """The cheapest release of some columns that HiGHS finds, and its bound on all of them.

    Parameters
    ----------
    fakes
        Most counterfeits.
    columns, start
        To choose from, and a release to improve on (its columns are added).
    nodes, seed, seconds
        Limits and seed of the solver; the same limits give the same answer unless time runs out.
    cuts
        Inequalities to post beside.

    Notes
    -----
    The bound is taken `TOLERANCE` lower than stated. It is not a proof.
    """
    if seconds is not None and seconds < SOLVERS.late_highs.least:
        return None, 0
    began = perf_counter()
    known = list(dict.fromkeys([*columns, *start]))
    costs = np.array(types.costs(known), dtype=float)
    unit = max(1.0, costs.sum() / max(1, len(known)))
    rows, posted = len(types), 0 if cuts is None else len(cuts)
    index, entry, begin = list[int](), list[float](), [0]
    for column in known:
        entries: dict[int, int] = {}
        for row in column.rows:
            entries[row] = entries.get(row, 0) + 1
        if found := types.limited(column):
            entries[rows] = found
        if cuts is not None:
            entries |= {rows + 1 + cut: times for cut, times in cuts.coefficients(column.rows).items()}
        index += entries
        entry += [float(times) for times in entries.values()]
        begin.append(len(index))
    solver = quiet_solver()
    for option, value in (
        ("mip_max_nodes", nodes),
        ("random_seed", seed),
        ("mip_rel_gap", 0.0),
    ):
        solver.setOptionValue(option, value)
    lp = cast("Any", highspy.HighsLp())
    lp.num_col_, lp.num_row_ = len(known), rows + 1 + posted
    lp.col_cost_ = costs / unit
    count = types.rows.count
    lp.col_lower_ = np.zeros(len(known))
    lp.col_upper_ = np.array([float(min(count[r] for r in column.rows)) for column in known])
    exactly = count.astype(float)
    limit = np.zeros(0) if cuts is None else cuts.limit.astype(float)
    lp.row_lower_ = np.concatenate([exactly, np.full(1 + posted, -highspy.kHighsInf)])
    lp.row_upper_ = np.concatenate([exactly, [float(fakes)], limit])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = lp.num_col_, lp.num_row_
    lp.a_matrix_.start_ = np.array(begin, dtype=np.int32)
    lp.a_matrix_.index_ = np.array(index, dtype=np.int32)
    lp.a_matrix_.value_ = np.array(entry, dtype=float)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * len(known)
    solver.passModel(lp)
    if start:
        first, number = cast("Any", highspy.HighsSolution()), {column: j for j, column in enumerate(known)}
        taken = np.zeros(len(known))
        for column in start:
            taken[number[column]] += 1
        first.col_value = taken
        solver.setSolution(first)
    if seconds is not None:
        left = seconds - (perf_counter() - began)
        solver.setOptionValue("time_limit", max(0.0, left - SOLVERS.late_highs.seconds(left, 0.0)))
    solver.run()
    info = solver.getInfo()
    stated = float(info.mip_dual_bound) * unit
    bound = ceil(stated - TOLERANCE * abs(stated)) if isfinite(stated) else 0
    if info.primal_solution_status != int(highspy.SolutionStatus.kSolutionStatusFeasible):
        return None, bound
    amount = np.rint(np.array(solver.getSolution().col_value)).astype(int)
    chosen = tuple(known[j] for j in np.flatnonzero(amount) for _ in range(amount[j]))
    covered = np.bincount([row for column in chosen for row in column.rows], minlength=rows)
    good = bool((covered == count).all()) and sum(map(types.limited, chosen)) <= fakes
    return chosen if good else None, bound
