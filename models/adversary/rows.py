"""Rows of whole numbers: ``low <= sum of +-x <= high``, ``0 <= x <= most``; all an adversary knows.

Whatever is known of a series, its possible worlds are the integer solutions of such a system.
Propagation, certificates and searches ask for nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

__all__ = ["Bounds", "Compact", "Integers", "RowSystem", "compact"]

Integers: TypeAlias = NDArray[np.int64]


@runtime_checkable
class RowSystem(Protocol):
    """A system of rows over columns."""

    @property
    def compact(self) -> Compact:
        """Its coefficients, by rows and by columns."""
        ...

    @property
    def low(self) -> Integers:
        """Lower side of each row."""
        ...

    @property
    def high(self) -> Integers:
        """Upper side of each row."""
        ...

    @property
    def most(self) -> Integers:
        """Upper bound of each column; lower bounds are 0."""
        ...


class Bounds(NamedTuple):
    """Least and largest value of each column."""

    lower: Integers
    upper: Integers


@dataclass(frozen=True, kw_only=True, eq=False)
class Compact:
    """Coefficients, all of them 1 or -1, sorted by rows and again by columns.

    Attributes
    ----------
    start, column, sign : int64 arrays
        Row r has the entries ``start[r]`` to ``start[r + 1]``.
    first, row : int64 arrays
        Column j is in the rows ``row[first[j]]`` to ``row[first[j + 1]]``.
    """

    start: Integers
    column: Integers
    sign: Integers
    first: Integers
    row: Integers

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.start) - 1

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.first) - 1

    @property
    def matrix(self) -> csr_array:
        """The same for scipy."""
        return csr_array((self.sign, self.column, self.start), shape=(self.height, self.width))

    @property
    def rows(self) -> Integers:
        """Row of each entry."""
        return np.repeat(np.arange(self.height, dtype=np.int64), np.diff(self.start))

    def sums(self, x: Integers) -> Integers:
        """Sum of each row."""
        running = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.sign * x[self.column])])
        return running[self.start[1:]] - running[self.start[:-1]]


def compact(rows: Integers, columns: Integers, signs: Integers, height: int, width: int) -> Compact:
    """Sort entries that are given in any order."""
    order = np.lexsort((columns, rows))
    across = np.lexsort((rows, columns))
    start = np.zeros(height + 1, dtype=np.int64)
    first = np.zeros(width + 1, dtype=np.int64)
    start[1:] = np.cumsum(np.bincount(rows, minlength=height))
    first[1:] = np.cumsum(np.bincount(columns, minlength=width))
    return Compact(start=start, column=columns[order], sign=signs[order], first=first, row=rows[across])
