"""The linear program over the columns known so far, with a limit on counterfeits; it only proposes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from ....backends.highs import INFINITY, LinearProgram, LPStatus, best_integers
from ....colgen.cuts import Cuts
from ....colgen.structure.types import Column, Types
from ....schedule import SOLVERS
from ..limits import SIGNATURE_LIMITS as LIMITS

__all__ = ["Master", "Proposal", "chosen_of"]


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
        self._solver = LinearProgram()
        for amount in types.rows.count.astype(float).tolist():
            self._solver.add_row(amount, amount)
        self._solver.add_row(-INFINITY, float(fakes))

    def add(self, columns: Sequence[Column]) -> int:
        """Add columns that are not yet known; returns how many."""
        fresh = [column for column in dict.fromkeys(columns) if column not in self._known]
        if not fresh:
            return 0
        self._known.update(fresh)
        costs = self.types.costs(fresh)
        entries = [self._entries(column) for column in fresh]
        start = np.concatenate([[0], np.cumsum([len(found) for found in entries])])
        self._solver.add_columns(
            np.array(costs) / self.unit,
            np.zeros(len(fresh)),
            np.full(len(fresh), INFINITY),
            start,
            [row for found in entries for row in found],
            [times for found in entries for times in found.values()],
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
            self._solver.add_row(-INFINITY, float(limit[cut]), columns, times)
        self._posted = len(self.cuts)

    def solve(self, seconds: float | None = None) -> Proposal | None:
        """Solve from the last basis; None if that was not possible in time."""
        if self._solver.run(seconds) is not LPStatus.OPTIMAL:
            return None
        duals, rows = self._solver.duals * self.unit, len(self.types)
        return Proposal(
            value=self._solver.value * self.unit,
            rows=duals[:rows],
            fake=float(min(0.0, duals[rows])),
            cuts=duals[rows + 1 :],
            amount=self._solver.amount,
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
    The bound is taken `LIMITS.tolerance` lower than stated. It is not a proof.
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
        if limited := types.limited(column):
            entries[rows] = limited
        if cuts is not None:
            entries |= {rows + 1 + cut: times for cut, times in cuts.coefficients(column.rows).items()}
        index += entries
        entry += [float(times) for times in entries.values()]
        begin.append(len(index))
    count = types.rows.count
    exactly = count.astype(float)
    limit = np.zeros(0) if cuts is None else cuts.limit.astype(float)
    number = {column: j for j, column in enumerate(known)}
    taken = np.bincount([number[column] for column in start], minlength=len(known)).astype(float)
    found = best_integers(
        costs / unit,
        np.zeros(len(known)),
        np.array([float(min(count[r] for r in column.rows)) for column in known]),
        csc_array((entry, index, begin), shape=(rows + 1 + posted, len(known))),
        np.concatenate([exactly, np.full(1 + posted, -INFINITY)]),
        np.concatenate([exactly, [float(fakes)], limit]),
        start=taken if start else None,
        nodes=nodes,
        seed=seed,
        seconds=None if seconds is None else seconds - (perf_counter() - began),
    )
    stated = found.bound * unit
    bound = ceil(stated - LIMITS.tolerance * abs(stated)) if isfinite(stated) else 0
    if found.x is None:
        return None, bound
    chosen = tuple(known[j] for j in np.flatnonzero(found.x) for _ in range(found.x[j]))
    covered = np.bincount([row for column in chosen for row in column.rows], minlength=rows)
    good = bool((covered == count).all()) and sum(map(types.limited, chosen)) <= fakes
    return chosen if good else None, bound
