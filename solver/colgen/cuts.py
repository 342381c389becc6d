"""Subset-row cuts (Jepsen, Petersen, Spoorendonk and Pisinger): a few rows, each group counted by halves.

For a set of rows whose counts add up to b, the groups of a release satisfy
``sum floor(members in the set / 2) <= floor(b / 2)``: half of the rows' equations, rounded down.
An odd b makes it a cut. Its coefficient jumps when a second member of the set enters a
group, so in a search its penalty only grows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from .kernels.question import CutIndex
from .table import Ints, Rows

__all__ = ["Cuts"]


class Cuts:
    """A growing list of cuts, each a tuple of different rows in rising order."""

    def __init__(self, rows: Rows) -> None:
        self._count = rows.count
        self.sets: list[tuple[int, ...]] = []
        self._of: list[list[int]] = [[] for _ in range(len(rows))]
        self._limit: list[int] = []
        self._by_row: tuple[Ints, Ints] | None = None

    def __len__(self) -> int:
        return len(self.sets)

    def add(self, sets: Iterable[tuple[int, ...]]) -> None:
        """Append cuts."""
        for rows in sets:
            for row in rows:
                self._of[row].append(len(self.sets))
            self._limit.append(sum(int(self._count[r]) for r in rows) // 2)
            self.sets.append(rows)
        self._by_row = None

    @property
    def limit(self) -> Ints:
        """Right-hand sides."""
        return np.array(self._limit, dtype=np.int64)

    def coefficients(self, group: Sequence[int]) -> dict[int, int]:
        """Cuts a group counts in, with its coefficient."""
        met = Counter(cut for row in group for cut in self._of[row])
        return {cut: times // 2 for cut, times in met.items() if times > 1}

    def by_row(self) -> tuple[Ints, Ints]:
        """Cuts of row r at ``second[first[r]:first[r + 1]]``, in rising order."""
        if self._by_row is None:
            start = np.concatenate([[0], np.cumsum([len(found) for found in self._of])])
            flat = [c for found in self._of for c in found]
            self._by_row = start.astype(np.int64), np.array(flat, dtype=np.int64)
        return self._by_row

    def index(self, dual: Ints) -> CutIndex:
        """Cuts by row, for the compiled search; duals of later cuts are 0."""
        start, cut = self.by_row()
        active = np.append(dual, np.zeros(len(self) - len(dual), dtype=np.int64)) != 0
        kept = np.concatenate([[0], np.cumsum(active[cut])])
        return CutIndex(kept[start].astype(np.int64), cut[active[cut]], dual)
