"""The linear program over many groups by a first-order method, for tables where simplex is too slow.

Primal-dual hybrid gradient (Chambolle and Pock) with reflected Halpern steps, step sizes per row and
column, and restarts (as in PDLP: Applegate, Diaz, Hinder, Lu, Lubin, O'Donoghue and Schudy; Lu and Yang).
Duals of rows are kept in a box around a centre: without it they would wander far between two
rounds of pricing. Nothing here is exact, and nothing has to be: it only proposes duals.

Why not PDLP of a library: Adult, 30,162 tuples (3,152 rows), k = 5, four quasi-identifiers, the programs of
rounds 10 and 15 with the box as bounded slacks (6,647 and 6,863 columns), CPU time on one thread and error
of the dual value. Here, 300 iterations from where the last round ended: 0.03 to 0.04 s, below 1e-6. HiGHS
1.12 PDLP at tolerance 1e-4: 0.12 to 0.13 s, 2e-6 to 4e-6. OR-tools 9.15 PDLP at 1e-4 from the same start:
0.04 to 0.07 s, 3e-5 to 1e-4, besides a copy of the matrix. Simplex, started cold: 0.09 to 0.11 s, exactly.
Far from the end (round 5) 300 iterations leave 1e-2: there duals only have to be better than the last.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import compiled
from ...models.moment import moment
from ..exact.incidence import Sparse, transposed
from ..schedule import RESERVES, WORK
from ..settings import Clock
from ..work import spend
from .cuts import Cuts
from .kernels.first_order import (
    CHUNK,
    Equations,
    Place,
    Stride,
    Unsigned,
    ended,
    iterated,
    move_columns,
    move_places,
)
from .limits import FIRST_ORDER as LIMITS, PRICING
from .pool import Pool
from .table import Rows

__all__ = ["FirstOrder", "State"]

Floats = NDArray[np.float64]


class State(NamedTuple):
    """What a run reached.

    Attributes
    ----------
    primal, dual : float
        Costs of the amounts, and value of the duals.
    missing : float
        Mean violation of a row's equation.
    """

    primal: float
    dual: float
    missing: float


@dataclass
class FirstOrder:
    """Columns with their amounts, duals of rows (then cuts) in units of `unit`.

    Attributes
    ----------
    amount : float array
        How much of each column is taken.
    dual : float array
        Of rows, then of cuts.
    """

    rows: Rows
    cuts: Cuts
    columns: Pool
    unit: float
    dual: Floats
    amount: Floats = field(default_factory=lambda: np.zeros(0))
    weight: float = 1.0
    pace: float = 2e-9
    """Seconds per iteration and entry of the matrix; a guess at first."""
    threads: int = 1
    """Threads that may share the steps of a large program, at least 1."""
    short: bool = False
    """Whether the clock's end left fewer iterations than were planned."""

    def affordable(self, iterations: int, clock: Clock) -> int:
        """As many iterations, or fewer if there is no time for them.

        What is planned is done though the clock ends a moment before: fewer would lead elsewhere.
        """
        each, left = self._seconds(clock), clock.left
        if left is None:
            return iterations
        planned = left if clock.planned is None else clock.planned
        able = max(0, min(iterations, int(planned / each)))
        self.short = able * each > left + RESERVES.early.value
        return int(left / each) if self.short else able

    def _seconds(self, clock: Clock | None = None) -> float:
        """What an iteration takes: as told where steps are counted, else as measured."""
        if clock is not None and not clock.counted:
            return self.pace * self._work
        beside = self._work > 2 * LIMITS.beside
        return WORK.first_order.value * self._work / (PRICING.threads if beside else 1)

    @property
    def _work(self) -> int:
        """Roughly the entries of the matrix, looked at twice in an iteration, and what it is made of."""
        return 2 * len(self.columns) * (self.columns.wide + 2) + len(self.rows)

    def run(self, lowest: Floats, highest: Floats, iterations: int) -> State:
        """Iterate from where the last run ended, with duals of rows in a box.

        Complexity: per iteration, the number of entries of the matrix.
        """
        rows, cuts = len(self.rows), len(self.cuts)
        began = moment()
        self._fit()
        sparse = self.columns.sparse(self.cuts)
        across = transposed(sparse, rows + cuts)
        right = np.concatenate([self.rows.count, self.cuts.limit]).astype(np.float64)
        low = np.concatenate([lowest, np.full(cuts, -1e18)])
        high = np.concatenate([highest, np.zeros(cuts)])
        program = Equations(
            columns=_unsigned(sparse),
            places=_unsigned(across),
            cost=self.columns.cost / self.unit,
            right=right,
            low=low,
            high=high,
            wide=np.maximum(1.0, np.diff(sparse.start)),
            tall=np.maximum(1.0, np.diff(across.start)),
        )
        self._iterate(program, iterations)
        spend(self._seconds() * iterations)
        if iterations > 20:
            self.pace = (moment() - began) / iterations / self._work
        taken = _sums(across, self.amount)[:rows]
        return State(
            primal=float(program.cost @ self.amount) * self.unit,
            dual=float(right @ self.dual) * self.unit,
            missing=float(np.abs(taken - right[:rows]).mean()),
        )

    def _iterate(self, program: Equations, iterations: int) -> None:
        """Change amounts and duals in place; in threads if that is worth it: they find the same."""
        x, y = self.amount, self.dual
        chunks_x, chunks_y = -(-len(x) // CHUNK), -(-len(y) // CHUNK)
        at = Place(x, y, x.copy(), y.copy(), np.empty_like(x), np.empty(chunks_x), np.empty(chunks_y))
        threads = min(self.threads, os.cpu_count() or 1) if len(program.columns.place) > LIMITS.beside else 1
        if threads > 1:
            self.weight = _side_by_side(program, at, self.weight, iterations, threads)
        else:
            self.weight = iterated(program, at, self.weight, iterations)
        np.maximum(x, 0.0, out=x)
        np.clip(y, program.low, program.high, out=y)

    def prune(self, least: int, most: int) -> None:
        """If there are more than `most` columns, keep `least`: those taken, then by reduced cost."""
        self._fit()
        if len(self.columns) <= most:
            return
        worst = np.where(self.amount > 1e-4, -np.inf, self.reduced())
        kept = np.sort(np.argpartition(worst, least)[:least]).astype(np.int64)
        self.columns.keep(kept)
        self.amount = self.amount[kept]

    def reduced(self) -> Floats:
        """Reduced cost of each column, in units."""
        self._fit()
        return self.columns.cost / self.unit - _sums(self.columns.sparse(self.cuts), self.dual)

    def _fit(self) -> None:
        """New columns and cuts start at 0."""
        self.amount = np.concatenate([self.amount, np.zeros(len(self.columns) - len(self.amount))])
        places = len(self.rows) + len(self.cuts)
        self.dual = np.concatenate([self.dual, np.zeros(places - len(self.dual))])


def _unsigned(sparse: Sparse) -> Unsigned:
    return Unsigned(sparse.start.astype(np.uint32), sparse.place.astype(np.uint32))


def _shares(lines: Unsigned, threads: int) -> list[tuple[int, int]]:
    """First and last chunk of each thread, so that each has about as many entries."""
    ends = np.append(np.arange(0, len(lines.start) - 1, CHUNK), len(lines.start) - 1)
    asked = np.linspace(0, len(lines.place), threads + 1)[1:-1]
    cut = [0, *np.searchsorted(lines.start[ends], asked).tolist(), len(ends) - 1]
    return list(pairwise(cut))


def _side_by_side(program: Equations, at: Place, weight: float, iterations: int, threads: int) -> float:
    """As `iterated`, each step's columns and places dealt out to threads."""
    columns, places = _shares(program.columns, threads), _shares(program.places, threads)
    stride = Stride(weight)
    with ThreadPoolExecutor(threads - 1) as pool:
        for done in range(iterations):
            for move, shares in ((move_columns, columns), (move_places, places)):
                others = [pool.submit(move, program, at, stride, *share) for share in shares[1:]]
                move(program, at, stride, *shares[0])
                for other in others:
                    other.result()
            stride = ended(program, at, stride, done)
    return stride.weight


@compiled
def _sums(sparse: Sparse, vector: Floats) -> Floats:
    total = np.zeros(len(sparse.start) - 1)
    for j in range(len(total)):
        for e in range(sparse.start[j], sparse.start[j + 1]):
            total[j] += vector[sparse.place[e]]
    return total
