r"""The linear system of a series of releases: how many respondents of each cell have each value.

Respondents in the same group of every release (absent from the same ones) and with the same
things known about them are interchangeable: they form a *cell*. With ``x[c, v]`` respondents of cell
c that have value v, and N[g, v] published tuples of group g with value v, f[g] of the
group's tuples being counterfeits, the possible worlds are exactly the integer solutions of

    sum_v x[c, v] = size of c                                    for each cell,
    N[g, v] - f[g] <= sum_{c in g} x[c, v] <= N[g, v]            for each group and value.

Proof. What is missing to N[g, v] are counterfeits with value v. They are never negative, and over all
values they add up to f[g] because cells do; so each is at most f[g]. Conversely a world gives
such counts. (Values never change.)

A world with these counts can be arranged in ``prod_c size! / prod_v x!`` ways among respondents
and ``prod_g f! / prod_v (counterfeits with v)!`` ways among the counterfeits, which are tuples like
any other to the adversary.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .rows import Compact, Integers, compact

__all__ = ["System"]

Truths: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class System:
    """Cells, groups, and the rows over pairs (cell, value).

    Parameters
    ----------
    patterns : int64 array, shape (cells, releases)
        Group of each cell in each release, -1 if absent. Groups of all releases are numbered jointly.
    sizes : int64 array, shape (cells,)
        Respondents per cell, at least 1.
    allowed : bool array, shape (cells, values)
        Values that knowledge about the cell's respondents leaves open.
    counts : int64 array, shape (groups, values)
        Published tuples.
    fakes : int64 array, shape (groups,)
        Counterfeits.

    Notes
    -----
    Pairs that set intersection excludes (some group of the cell does not publish the value, or it
    is not allowed) have no variable.
    """

    patterns: Integers
    sizes: Integers
    allowed: Truths
    counts: Integers
    fakes: Integers

    @cached_property
    def _pairs(self) -> tuple[Integers, Integers]:
        # Group -1 is the last row: it publishes everything.
        published = np.vstack([self.counts > 0, np.ones((1, self.counts.shape[1]), dtype=bool)])
        cells, values = np.nonzero(published[self.patterns].all(axis=1) & self.allowed)
        return cells.astype(np.int64), values.astype(np.int64)

    @property
    def cell(self) -> Integers:
        """Cell of each pair, ascending."""
        return self._pairs[0]

    @property
    def value(self) -> Integers:
        """Value of each pair."""
        return self._pairs[1]

    @cached_property
    def per_cell(self) -> Integers:
        """Pairs per cell: the values set intersection leaves."""
        return np.bincount(self.cell, minlength=len(self.sizes)).astype(np.int64)

    @cached_property
    def _by_group(self) -> tuple[Integers, Integers]:
        """Cells sorted by their groups, and where each group begins."""
        cells, times = np.nonzero(self.patterns >= 0)
        groups = self.patterns[cells, times]
        starts = np.searchsorted(np.sort(groups), np.arange(len(self.counts) + 1))
        return cells[np.argsort(groups, kind="stable")].astype(np.int64), starts.astype(np.int64)

    def members(self, groups: Integers) -> Integers:
        """Cells in one of some groups, ascending."""
        cells, starts = self._by_group
        found = [cells[starts[g] : starts[g + 1]] for g in groups.tolist()]
        return np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)

    def pairs(self, cells: Integers) -> Integers:
        """Pairs of some cells."""
        ends: list[int] = [0, *np.cumsum(self.per_cell).tolist()]
        found = [np.arange(ends[c], ends[c + 1], dtype=np.int64) for c in cells.tolist()]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    @cached_property
    def _group_rows(self) -> tuple[Integers, Integers, Integers]:
        """Distinct keys of (group, value), and key index and pair of each entry."""
        width = self.counts.shape[1]
        groups = self.patterns[self.cell]
        pair, time = np.nonzero(groups >= 0)
        keys = groups[pair, time] * width + self.value[pair]
        distinct, index = np.unique(keys, return_inverse=True)
        return distinct, index.astype(np.int64), pair.astype(np.int64)

    @cached_property
    def row_group(self) -> Integers:
        """Group of each row; -1 for rows of cells, which come first."""
        groups = self._group_rows[0] // self.counts.shape[1]
        return np.concatenate([np.full(len(self.sizes), -1, dtype=np.int64), groups])

    @property
    def compact(self) -> Compact:
        """Rows over pairs, all coefficients 1."""
        return self._compact

    @cached_property
    def _compact(self) -> Compact:
        distinct, index, pair = self._group_rows
        cells, width = len(self.sizes), len(self.cell)
        rows = np.concatenate([self.cell, index + cells])
        columns = np.concatenate([np.arange(width, dtype=np.int64), pair])
        return compact(rows, columns, np.ones(len(rows), dtype=np.int64), cells + len(distinct), width)

    @property
    def matrix(self) -> csr_array:
        """Rows over pairs, all coefficients 1."""
        return self.compact.matrix

    @property
    def most(self) -> Integers:
        """Upper bound of each pair: the size of its cell."""
        return self._most

    @cached_property
    def _most(self) -> Integers:
        return self.sizes[self.cell]

    @property
    def high(self) -> Integers:
        """Upper side of each row."""
        return self._high

    @cached_property
    def _high(self) -> Integers:
        return np.concatenate([self.sizes, self.counts.ravel()[self._group_rows[0]]])

    @property
    def low(self) -> Integers:
        """Lower side of each row."""
        return self._low

    @cached_property
    def _low(self) -> Integers:
        keys = self._group_rows[0]
        real = self.counts.ravel()[keys] - self.fakes[keys // self.counts.shape[1]]
        return np.concatenate([self.sizes, np.maximum(real, 0)])
