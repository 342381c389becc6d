"""Cuts by rounding a combination of rows, in whole numbers.

Rows become equations by integer slacks of at least 0: ``a x + s = high`` or ``a x - s = low``. With
multipliers t / q their sum says ``sum n_j x_j = m`` in units of 1 / q, slacks among the columns. Let r = m
mod q. Because x is at least 0 and integer, and for any grid g of at least 1,

    sum F(n_j) x_j <= g floor(m / q),   F(n) = g floor(n / q) + floor(g max(0, n mod q - r) / (q - r)).

With g = 1 this is Chvatal's and Gomory's cut (q = 2: half of some rows, rounded down; for rows of a
partition the cuts over odd sets of rows), with g = q - r the rounding of mixed integers, which is stronger;
a grid between is the latter with smaller numbers. F's inner term without its floor is the classical one,
and lowering a coefficient of an x that is at least 0 keeps the inequality true. In the end slacks are put
back in terms of x.

Combinations may use cuts found before (their slack is an integer, too), so ranks above 1 come for free.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from .combining import Lines, combined
from .program import FREE, LIMIT, Ints

__all__ = ["Combinations", "Rank1Cut", "RowStack"]


@dataclass(frozen=True, slots=True)
class Rank1Cut:
    """One cut.

    Attributes
    ----------
    rows : tuple of (row, times)
        Numerators of the multipliers; rows of the program first, then cuts before this one.
    over : int
        The multipliers' denominator, at least 2.
    grid : int
        At least 1.
    """

    rows: tuple[tuple[int, int], ...]
    over: int
    grid: int = 1

    def renamed(self, name: Callable[[int], int]) -> Rank1Cut:
        """The same cut where rows and cuts have other numbers."""
        return Rank1Cut(tuple((name(row), times) for row, times in self.rows), self.over, self.grid)


class Combinations(NamedTuple):
    """Many cuts at once: a line of `times` each."""

    times: csr_array
    over: Ints
    grid: Ints

    @classmethod
    def of(cls, cuts: Sequence[Rank1Cut], rows: int) -> Combinations:
        """Put cuts together that use the first `rows` rows and cuts."""
        entries = [(line, row, times) for line, cut in enumerate(cuts) for row, times in cut.rows]
        table = np.array(entries, dtype=np.int64).reshape(-1, 3)
        times = csr_array((table[:, 2], (table[:, 0], table[:, 1])), shape=(len(cuts), rows))
        over = np.array([cut.over for cut in cuts], dtype=np.int64)
        return cls(times, over, np.array([cut.grid for cut in cuts], dtype=np.int64))

    def some(self, chosen: Ints) -> Combinations:
        """A few of them."""
        return Combinations(csr_array(self.times[chosen]), self.over[chosen], self.grid[chosen])


class RowStack:
    """Rows of a program and cuts below them, all in whole numbers.

    Attributes
    ----------
    matrix : csr_array, shape (rows + cuts, columns)
    low, high : int arrays
        Cuts have no lower limit.
    largest : int array
        Largest absolute entry per row.
    """

    def __init__(self, matrix: csr_array, low: Ints, high: Ints) -> None:
        self.matrix, self.low, self.high = matrix, low, high
        self.largest = _largest(matrix)

    def __len__(self) -> int:
        return len(self.low)

    def extend(self, cuts: Sequence[Rank1Cut]) -> None:
        """Append cuts, in order; each may use those before it.

        Raises
        ------
        ValueError
            If a cut is none, or its numbers are too large for 64 bits.
        """
        at = 0
        while at < len(cuts):
            # As many at once as use nothing of each other.
            end = at
            while end < len(cuts) and all(0 <= row < len(self) for row, _ in cuts[end].rows):
                end += 1
            if end == at:
                raise ValueError("a cut uses a row or cut that is not there")
            if any(len({row for row, _ in cut.rows}) < len(cut.rows) for cut in cuts[at:end]):
                raise ValueError("a cut names a row twice")
            self.add(*self.rounded(Combinations.of(cuts[at:end], len(self))))
            at = end

    def part(self, rows: Ints, columns: Ints) -> RowStack:
        """Some rows and cuts over some columns: coefficients of cuts are the same, column by column."""
        return RowStack(csr_array(self.matrix[rows][:, columns]), self.low[rows], self.high[rows])

    def add(self, matrix: csr_array, high: Ints) -> None:
        """Append what `rounded` gave."""
        self.matrix = csr_array(vstack([self.matrix, matrix], format="csr"))
        self.low = np.concatenate([self.low, np.full(len(high), -FREE, dtype=np.int64)])
        self.high = np.concatenate([self.high, high])
        self.largest = np.concatenate([self.largest, _largest(matrix)])

    def rounded(self, cuts: Combinations) -> tuple[csr_array, Ints]:
        """Coefficients and limits of cuts over rows that are there.

        Raises
        ------
        ValueError
            As `extend`.
        """
        times, over, grid = cuts
        above = self.high < FREE
        ends = np.where(above, self.high, self.low)
        line, row = np.repeat(np.arange(len(over)), np.diff(times.indptr)), times.indices
        slack = self.low[row] != self.high[row]
        if (over < 2).any() or (grid < 1).any() or (np.diff(times.indptr) == 0).any():
            raise ValueError("a cut has no multipliers")
        if (slack & ((self.low[row] > -FREE) == above[row])).any():
            raise ValueError("a cut uses a row that is neither an equation nor limited on one side")
        size = np.abs(times.data).astype(float) + 2.0 * over[line]
        total = np.bincount(line, size * np.maximum(self.largest, np.abs(ends))[row], minlength=len(over))
        if ((total + over) * grid > LIMIT).any():
            raise ValueError("a cut's numbers are too large for 64 bits")
        rest = (times @ ends) % over
        sign = np.where(self.low == self.high, 0, np.where(above, 1, -1))
        asked = Lines.of(times), Lines.of(self.matrix), self.matrix.shape[1], over, rest, grid, sign, ends
        start, place, entry, limit = combined(*asked)
        return Lines(start, place, entry).matrix(self.matrix.shape[1]), limit


def _largest(matrix: csr_array) -> Ints:
    largest = np.zeros(matrix.shape[0], dtype=np.int64)
    there = np.flatnonzero(np.diff(matrix.indptr))
    if len(there):
        largest[there] = np.maximum.reduceat(np.abs(matrix.data), matrix.indptr[there])
    return largest
