"""Rank-1 cuts: a set of rows, a divisor, and each column's members in the set counted by the divisor.

For a set S of rows and a divisor q, the groups of a release satisfy
``sum floor(members in S / q) <= floor(counts of S / q)``, copies counted: the rows' equations divided by q,
rounded down (Chvatal and Gomory). With q = 2 and few rows they are subset-row cuts (Jepsen, Petersen,
Spoorendonk and Pisinger). A column's coefficient jumps with each q-th member of the set that enters, so in a
search its penalty only grows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from .column import Column
from .covering import Covering, Ints
from .kernels.question import CutIndex

__all__ = ["HALF", "Cuts"]

HALF = 2
"""The divisor of cuts that are not said to have another one."""


class Cuts:
    """A growing list of cuts: the last family of the restricted master's rows.

    Attributes
    ----------
    sets : list of tuple of int
        Different rows of each, rising.
    divisors : list of int
    """

    def __init__(self, rows: Covering) -> None:
        self._count = rows.count
        self.sets: list[tuple[int, ...]] = []
        self.divisors: list[int] = []
        self._of: list[list[int]] = [[] for _ in range(len(rows))]
        self._limit: list[int] = []
        self._by_row: tuple[Ints, Ints] | None = None

    def __len__(self) -> int:
        return len(self.sets)

    def add(self, sets: Iterable[tuple[int, ...]], divisor: int = HALF) -> None:
        """Append cuts."""
        for rows in sets:
            for row in rows:
                self._of[row].append(len(self.sets))
            self._limit.append(sum(int(self._count[r]) for r in rows) // divisor)
            self.sets.append(rows)
            self.divisors.append(divisor)
        self._by_row = None

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._count)

    @property
    def limit(self) -> Ints:
        """Right-hand sides."""
        return np.array(self._limit, dtype=np.int64)

    @property
    def divisor(self) -> Ints:
        """Divisors in an array."""
        return np.array(self.divisors, dtype=np.int64)

    def ends(self) -> list[tuple[float, float]]:
        """Lower and upper end of each."""
        return [(float("-inf"), float(limit)) for limit in self._limit]

    def coefficients(self, column: Column | Sequence[int]) -> dict[int, int]:
        """Cuts a column (or a group of rows) counts in, with its coefficient."""
        members = column.rows if isinstance(column, Column) else column
        met = Counter(cut for row in members for cut in self._of[row])
        return {cut: times // q for cut, times in met.items() if times >= (q := self.divisors[cut])}

    def some(self, rows: Covering, chosen: Iterable[int]) -> Cuts:
        """Some of them, in a list of their own."""
        found = Cuts(rows)
        for cut in chosen:
            found.add([self.sets[cut]], self.divisors[cut])
        return found

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
        return CutIndex(
            kept[start].astype(np.int64), cut[active[cut]], dual, self.divisor[: len(dual)].copy()
        )
