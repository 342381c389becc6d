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

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import compiled
from ...models.moment import moment
from ..exact.incidence import Sparse
from ..schedule import RESERVES
from ..settings import Clock
from .cuts import Cuts
from .limits import FIRST_ORDER as LIMITS
from .pool import Pool, transposed
from .table import Rows

__all__ = ["FirstOrder", "State"]

Floats = NDArray[np.float64]

ENOUGH, FEW, LONGEST = LIMITS.enough, LIMITS.few, LIMITS.longest
LEAST_WEIGHT, MOST_WEIGHT = LIMITS.least_weight, LIMITS.most_weight


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

    def affordable(self, iterations: int, clock: Clock) -> int:
        """As many iterations, or fewer if there is no time for them.

        What is planned is done though the clock ends a moment before: fewer would lead elsewhere.
        """
        each, left = self.pace * self._work, clock.left
        if left is None:
            return iterations
        planned = left if clock.planned is None else clock.planned
        able = max(0, min(iterations, int(planned / each)))
        return able if able * each <= left + RESERVES.early.value else int(left / each)

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
        cost = self.columns.cost / self.unit
        entries, lines = _unsigned(sparse), _unsigned(across)
        self.weight = _iterate(
            entries, lines, cost, right, low, high, self.amount, self.dual, self.weight, iterations
        )
        if iterations > 20:
            self.pace = (moment() - began) / iterations / self._work
        taken = _sums(across, self.amount)[:rows]
        return State(
            primal=float(cost @ self.amount) * self.unit,
            dual=float(right @ self.dual) * self.unit,
            missing=float(np.abs(taken - right[:rows]).mean()),
        )

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


class Unsigned(NamedTuple):
    """As `Sparse`. Compiled code need not ask whether such a number counts from the end: a quarter faster."""

    start: NDArray[np.uint32]
    place: NDArray[np.uint32]


def _unsigned(sparse: Sparse) -> Unsigned:
    return Unsigned(sparse.start.astype(np.uint32), sparse.place.astype(np.uint32))


@compiled
def _sums(sparse: Sparse, vector: Floats) -> Floats:
    total = np.zeros(len(sparse.start) - 1)
    for j in range(len(total)):
        for e in range(sparse.start[j], sparse.start[j + 1]):
            total[j] += vector[sparse.place[e]]
    return total


@compiled
def _restarted(
    x: Floats, y: Floats, first_x: Floats, first_y: Floats, wide: Floats, tall: Floats, weight: float
) -> float:
    """Begin anew at x and y; the weight of dual against primal steps, from the ways since the last time."""
    way_x, way_y = 0.0, 0.0
    for j in range(len(x)):
        way_x += (x[j] - first_x[j]) ** 2 * wide[j]
        x[j] = max(0.0, x[j])
        first_x[j] = x[j]
    for t in range(len(y)):
        way_y += (y[t] - first_y[t]) ** 2 * tall[t]
        first_y[t] = y[t]
    if way_x <= 1e-18 or way_y <= 1e-18:
        return weight
    return min(MOST_WEIGHT, max(LEAST_WEIGHT, np.sqrt(weight * np.sqrt(way_y / way_x))))


@compiled
def _iterate(
    sparse: Unsigned,
    across: Unsigned,
    cost: Floats,
    right: Floats,
    low: Floats,
    high: Floats,
    x: Floats,
    y: Floats,
    weight: float,
    iterations: int,
) -> float:
    """Change x and y in place; the new weight of dual against primal steps."""
    columns, places = len(x), len(y)
    wide, tall = np.empty(columns), np.empty(places)
    for j in range(columns):
        wide[j] = max(1, sparse.start[j + 1] - sparse.start[j])
    for t in range(places):
        tall[t] = max(1, across.start[t + 1] - across.start[t])
    first_x, first_y, mirrored = x.copy(), y.copy(), np.empty(columns)
    since, first, last = 0, -1.0, -1.0
    for done in range(iterations):
        share = (since + 1.0) / (since + 2.0)
        residual = 0.0
        for j in range(columns):
            slope = cost[j]
            for e in range(sparse.start[j], sparse.start[j + 1]):
                slope -= y[sparse.place[e]]
            moved = max(0.0, x[j] - slope / (weight * wide[j]))
            gone = moved - x[j]
            residual += gone * gone * weight * wide[j]
            mirrored[j] = moved + gone
        for t in range(places):
            taken = 0.0
            for e in range(across.start[t], across.start[t + 1]):
                taken += mirrored[across.place[e]]
            moved = min(high[t], max(low[t], y[t] + weight / tall[t] * (right[t] - taken)))
            gone = moved - y[t]
            residual += gone * gone * tall[t] / weight
            y[t] = share * (moved + gone) + (1 - share) * first_y[t]
        for j in range(columns):
            x[j] = share * mirrored[j] + (1 - share) * first_x[j]
        since += 1
        residual = np.sqrt(residual)
        if first < 0:
            first = residual
        if since > 5 and (
            residual <= ENOUGH * first
            or (residual <= FEW * first and 0 <= last < residual)
            or since >= LONGEST * max(done, 100)
        ):
            weight = _restarted(x, y, first_x, first_y, wide, tall, weight)
            since, first, last = 0, -1.0, -1.0
        else:
            last = residual
    for j in range(columns):
        x[j] = max(0.0, x[j])
    for t in range(places):
        y[t] = min(high[t], max(low[t], y[t]))
    return weight
