"""An explicit integer program in whole numbers.

Minimize ``cost @ x`` over integers ``lower <= x <= upper`` (at least 0) with ``low <= matrix @ x <= high``.
Rows come in families: a *cover* row is an equation with entries of at least 0 (every kind of tuple as often
as it counts), a *limit* bounds from one side (counterfeits, costs of levels before). *Cuts* are no rows of
the program: they follow from its rows (`rank1`), and belong to the proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

__all__ = ["FREE", "LIMIT", "Box", "Floats", "Ints", "Program", "covering"]

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

FREE = 1 << 40
"""No limit of a row, or of a column from above."""
LIMIT = 1 << 61
"""Sums beyond it could leave 64 bits: nothing is proved with them."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """Minimize an integer cost; see the module. Rows without a limit on one side have -FREE or FREE there."""

    cost: Ints
    lower: Ints
    upper: Ints
    matrix: csr_array
    low: Ints
    high: Ints

    def __post_init__(self) -> None:
        rows, columns = self.matrix.shape
        if not len(self.cost) == len(self.lower) == len(self.upper) == columns:
            raise ValueError("costs, ends and the matrix have different numbers of columns")
        if not len(self.low) == len(self.high) == rows:
            raise ValueError("limits and the matrix have different numbers of rows")
        if (self.lower < 0).any():
            raise ValueError("a column has a lower end below 0")

    def part(self, rows: Ints | None, columns: Ints, lower: Ints, upper: Ints) -> Program:
        """Some rows (None: all) and columns, those between other ends."""
        matrix = self.matrix[:, columns]
        chosen = slice(None) if rows is None else rows
        return Program(
            cost=self.cost[columns],
            lower=lower[columns],
            upper=upper[columns],
            matrix=csr_array(matrix if rows is None else csr_array(matrix)[rows]),
            low=self.low[chosen],
            high=self.high[chosen],
        )

    def homes(self, home: Ints) -> Ints:
        """Where all rows of a column are, if rows are at `home`; -1 if nowhere, or in several places."""
        row, column = self.matrix.tocoo().coords
        first = np.full(len(self.cost), len(home), dtype=np.int64)
        last = np.full(len(self.cost), -1, dtype=np.int64)
        np.minimum.at(first, column, home[row])
        np.maximum.at(last, column, home[row])
        return np.where(first == last, first, -1)

    @property
    def cover(self) -> NDArray[np.bool_]:
        """Which rows are equations with entries of at least 0."""
        negative = np.repeat(np.arange(len(self.low)), np.diff(self.matrix.indptr))[self.matrix.data < 0]
        found = self.low == self.high
        found[negative] = False
        return found

    def holds(self, x: Ints) -> bool:
        """Whether x keeps all rows and ends."""
        made = self.matrix @ x
        ends = (x >= self.lower).all() and (x <= self.upper).all()
        return bool(ends and (made >= self.low).all() and (made <= self.high).all())


@dataclass(slots=True, eq=False)
class Box:
    """Ends of all columns."""

    lower: Ints
    upper: Ints

    @property
    def empty(self) -> bool:
        """Whether no column amounts are left."""
        return bool((self.lower > self.upper).any())


def covering(
    groups: NDArray[np.int32], cost: Ints, count: Ints, fakes: tuple[Ints, int] | None = None
) -> Program:
    """Choose among groups at least cost, so that every row is in as many as it counts.

    Parameters
    ----------
    groups : int32 array
        Rows of each group, with repeats, padded with -1.
    cost, count : int arrays
        Of groups, and of rows.
    fakes : tuple of (int array, int), optional
        Counterfeits of each group, and how many there may be.
    """
    rows, columns = len(count), len(groups)
    column, place = np.nonzero(groups >= 0)
    member = groups[column, place].astype(np.int64)
    matrix = csr_array((np.ones(len(member), dtype=np.int64), (member, column)), shape=(rows, columns))
    entries = matrix.tocoo()
    upper = np.full(columns, FREE, dtype=np.int64)
    np.minimum.at(upper, entries.coords[1], count[entries.coords[0]] // entries.data)
    low, high = count.astype(np.int64), count.astype(np.int64)
    if fakes is not None:
        each, most = fakes
        matrix = csr_array(vstack([matrix, csr_array(each[None, :].astype(np.int64))], format="csr"))
        low, high = np.append(low, -FREE), np.append(high, most)
    return Program(
        cost=cost.astype(np.int64),
        lower=np.zeros(columns, dtype=np.int64),
        upper=upper,
        matrix=matrix,
        low=low,
        high=high,
    )
