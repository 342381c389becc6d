"""A table as integers for every hierarchy level at once: classes of a level vector, widths of cells."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import lcm, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ....models.domain import Codes
from ....models.problem import Problem
from ....models.recoding import Recoding
from ....models.release import Release

__all__ = ["Classes", "Grid", "Vector"]

Vector: TypeAlias = tuple[int, ...]
"""One level per quasi-identifier."""

KEPT = 64
"""Groupings remembered; neighbours in the search share corners."""

DENSE = 8
"""Keys are counted instead of sorted if there are at most so many per row."""

CELLS = 2**21
"""Entries of one chunk of histograms, to bound memory."""


@dataclass(frozen=True, eq=False)
class Classes:
    """Tuples with equal cells.

    Attributes
    ----------
    home : int64 array, shape (n,)
        Class of each row.
    sizes : int64 array, shape (classes,)
        Number of rows of each class.
    """

    home: Codes
    sizes: Codes

    @cached_property
    def _order(self) -> tuple[Codes, Codes]:
        return np.argsort(self.home, kind="stable"), np.concatenate([[0], np.cumsum(self.sizes)])

    @property
    def first(self) -> Codes:
        """One row of each class."""
        order, ends = self._order
        return order[ends[:-1]]

    def rows(self, index: int) -> list[int]:
        """Rows of one class, ascending."""
        order, ends = self._order
        return order[ends[index] : ends[index + 1]].tolist()


class Grid:
    """Integer tables of a problem.

    Attributes
    ----------
    tops : tuple of int
        Height of each ladder.
    parts : list of list of int64 array
        ``parts[a][level]``: index of each row's cell.
    units : list of list of int64 array
        ``units[a][level] * factor[a] / scale``: width of each row's cell, exactly.
    factor, scale : int
        See `units`.
    cost : list of list of int
        Sum of the scaled widths over all rows.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem, self.table, self.ladders = problem, problem.table, problem.ladders
        self.rows = len(self.table)
        self.tops: Vector = tuple(ladder.height for ladder in self.ladders)
        self.nodes = prod(top + 1 for top in self.tops)
        self.values = tuple(sorted(self.table.histogram))
        column = {value: at for at, value in enumerate(self.values)}
        self.value = np.array([column[m.value] for m in self.table.members], dtype=np.int64)
        self.parts: list[list[Codes]] = []
        self.units: list[list[Codes]] = []
        scales: list[int] = []
        for a, ladder in enumerate(self.ladders):
            codes = self.table.codes[:, a]
            indices: list[Codes] = []
            widths = []
            for level in range(ladder.height + 1):
                _, first, home = np.unique(ladder.parts(level, codes), return_index=True, return_inverse=True)
                indices.append(home.astype(np.int64))
                widths.append([ladder.domain.width(ladder.cell(level, int(codes[row]))) for row in first])
            scales.append(lcm(*(width.denominator for level in widths for width in level)))
            self.parts.append(indices)
            self.units.append(
                [
                    np.array([int(width * scales[-1]) for width in level], dtype=np.int64)[home]
                    for level, home in zip(widths, indices, strict=True)
                ]
            )
        self.scale = lcm(*scales)
        self.factor = [self.scale // scale for scale in scales]
        self.cost = [
            [int(units.sum()) * factor for units in levels]
            for levels, factor in zip(self.units, self.factor, strict=True)
        ]
        self._counts = [[int(part.max()) + 1 for part in levels] for levels in self.parts]
        self._stacked = np.concatenate([np.stack(levels) for levels in self.units])
        self._known: OrderedDict[Vector, Classes] = OrderedDict()

    @cached_property
    def small_scale(self) -> bool:
        """Whether sums of scaled widths of all rows are exact in int64."""
        return self.scale * len(self.tops) * self.rows < 2**62

    def classes(self, levels: Vector) -> Classes:
        """Group the rows by their cells: keys packed into int64, one sort (or none); O(n log n)."""
        found = self._known.get(levels)
        if found is None:
            found = self._group(levels)
            self._known[levels] = found
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(levels)
        return found

    def _group(self, levels: Vector) -> Classes:
        key, room = np.zeros(self.rows, dtype=np.int64), 1
        for parts, counts, level in zip(self.parts, self._counts, levels, strict=True):
            count = counts[level]
            if count == 1:
                continue
            if room * count >= 2**62:
                _, key = np.unique(key, return_inverse=True)
                room = int(key.max()) + 1
            key = key * count + parts[level]
            room *= count
        if room <= DENSE * self.rows:
            counts = np.bincount(key, minlength=room)
            home = (np.cumsum(counts > 0) - 1)[key]
        else:
            _, home = np.unique(key, return_inverse=True)
        return Classes(home.astype(np.int64), np.bincount(home).astype(np.int64))

    def width(self, a: int, level: int, rows: NDArray[np.int64]) -> int:
        """Scaled widths of some rows' cells in one attribute, summed."""
        return int(self.units[a][level][rows].sum()) * self.factor[a]

    def widths(self, rows: NDArray[np.int64]) -> list[list[int]]:
        """Scaled widths of some rows' cells, summed, by attribute and level."""
        sums = iter(self._stacked[:, rows].sum(axis=1).tolist())
        return [
            [factor * next(sums) for _ in levels]
            for levels, factor in zip(self.units, self.factor, strict=True)
        ]

    def histograms(self, classes: Classes, wanted: NDArray[np.int64]) -> Iterator[tuple[slice, Codes]]:
        """Counts per value of some classes (ascending), in chunks of bounded memory."""
        step = max(1, CELLS // len(self.values))
        for start in range(0, len(wanted), step):
            chunk = wanted[start : start + step]
            at = np.full(len(classes.sizes), -1, dtype=np.int64)
            at[chunk] = np.arange(len(chunk))
            place = at[classes.home]
            inside = place >= 0
            keys = place[inside] * len(self.values) + self.value[inside]
            counts = np.bincount(keys, minlength=len(chunk) * len(self.values))
            yield (
                slice(start, start + len(chunk)),
                counts.reshape(len(chunk), len(self.values)).astype(np.int64),
            )

    def recoding(self, levels: Vector) -> Recoding:
        """The recoding of a level vector."""
        return Recoding(ladders=self.ladders, levels=levels)

    def release(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Release:
        """The release of a level vector, some of its classes suppressed."""
        recoding, codes = self.recoding(levels), self.table.codes
        rows = [classes.rows(index) for index in np.flatnonzero(~gone).tolist()]
        return self.problem.assemble(rows, boxes=[recoding.box(codes[some[0]].tolist()) for some in rows])
