"""Many columns in flat arrays: their entries in rows and cuts, and their costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import compiled
from ..exact.incidence import Members, Sparse
from .column import Column, Table, columns_of, lines_of
from .covering import Ints
from .cuts import Cuts

__all__ = ["Pool"]


class Pool:
    """A growing pool of different columns.

    Attributes
    ----------
    lines : Members
    cost : int array
    """

    def __init__(self, table: Table, wide: int = 1) -> None:
        self.table = table
        self.lines: Members = np.empty((0, max(1, wide)), dtype=np.int32)
        self.cost: Ints = np.zeros(0, dtype=np.int64)
        self._known: dict[bytes, int] = {}

    @property
    def wide(self) -> int:
        """Most places of a column."""
        return self.lines.shape[1]

    def __len__(self) -> int:
        return len(self.cost)

    def fit(self, columns: Sequence[Sequence[int] | Column] | Members) -> Members:
        """Columns as lines of the pool's width; it grows if that is not enough."""
        lines = columns if isinstance(columns, np.ndarray) else lines_of(columns, self.wide)
        if lines.shape[1] > self.wide:
            more = np.full((len(self.lines), lines.shape[1] - self.wide), -1, dtype=np.int32)
            self.lines = np.concatenate([self.lines, more], axis=1)
            self._known = {key: j for j, key in enumerate(_keys(self.lines))}
        more = np.full((len(lines), self.wide - lines.shape[1]), -1, dtype=np.int32)
        return np.ascontiguousarray(np.concatenate([lines, more], axis=1))

    def add(self, columns: Sequence[Sequence[int] | Column] | Members) -> int:
        """Append columns that are not yet there; returns how many."""
        lines = self.fit(columns)
        fresh, known, there = list[int](), self._known, len(self)
        for line, key in enumerate(_keys(lines)):
            if key not in known:
                known[key] = there + len(fresh)
                fresh.append(line)
        if fresh:
            new = lines[fresh]
            self.lines = np.concatenate([self.lines, new])
            self.cost = np.concatenate([self.cost, self.table.costs(new)])
        return len(fresh)

    def keep(self, chosen: Ints) -> None:
        """Drop all other columns."""
        self.lines, self.cost = self.lines[chosen], self.cost[chosen]
        self._known = {key: j for j, key in enumerate(_keys(self.lines))}

    def times(self, columns: Sequence[Sequence[int] | Column] | Members) -> Ints:
        """How often each column of the pool is among some that are all in it."""
        return np.bincount([self._known[key] for key in _keys(self.fit(columns))], minlength=len(self))

    def columns(self, chosen: Ints) -> tuple[Column, ...]:
        """Some columns, one by one."""
        return columns_of(self.lines[chosen])

    def sparse(self, cuts: Cuts) -> Sparse:
        """Rows as places 0, 1, ..., cuts after them, each as often as its coefficient."""
        start, cut = cuts.by_row()
        return Sparse(*_sparse(self.lines, start, cut, cuts.divisor, len(self.table.rows)))

    def total(self, sparse: Sparse, prices: Ints) -> Ints:
        """Sum of the prices of each column's places, exactly."""
        sums = np.concatenate([[0], np.cumsum(prices[sparse.place])])
        return sums[sparse.start[1:]] - sums[sparse.start[:-1]]


def _keys(lines: Members) -> list[bytes]:
    """Each line in one word."""
    return np.ascontiguousarray(lines).view(f"V{lines.shape[1] * lines.itemsize}").ravel().tolist()


@compiled
def _sparse(
    lines: Members, start: Ints, cut: Ints, divisor: Ints, rows: int
) -> tuple[Ints, NDArray[np.int32]]:
    number, wide = lines.shape
    times = np.zeros(len(divisor), dtype=np.int64)
    first = np.zeros(number + 1, dtype=np.int64)
    index = np.empty(number * wide + 1024, dtype=np.int32)
    filled = 0
    for j in range(number):
        for k in range(wide):
            row = lines[j, k]
            if row < 0:
                break
            if filled + wide + start[row + 1] - start[row] >= len(index):
                index = np.concatenate((index, np.empty(len(index) + len(divisor), dtype=np.int32)))
            index[filled] = row
            filled += 1
            for e in range(start[row], start[row + 1]):
                c = cut[e]
                times[c] += 1
                if times[c] % divisor[c] == 0:
                    index[filled] = rows + c
                    filled += 1
        for k in range(wide):
            row = lines[j, k]
            if row < 0:
                break
            for e in range(start[row], start[row + 1]):
                times[cut[e]] = 0
        first[j + 1] = filled
    return first, index[:filled].copy()
