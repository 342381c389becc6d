"""Subset-row cuts (Jepsen, Petersen, Spoorendonk and Pisinger): a few rows, each group counted by halves.

For a set of rows whose counts add up to b, the groups of a release satisfy
``sum floor(members in the set / 2) <= floor(b / 2)``: half of the rows' equations, rounded down.
An odd b makes it a cut. Its coefficient jumps when a second member of the set enters a
group, so in a search its penalty only grows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .question import CutIndex
from .rows import Ints, Rows

__all__ = ["Cuts", "violated"]


class Cuts:
    """A growing list of cuts, each a tuple of different rows in rising order."""

    def __init__(self, rows: Rows) -> None:
        self._count = rows.count
        self.sets: list[tuple[int, ...]] = []
        self._of: list[list[int]] = [[] for _ in range(len(rows))]

    def __len__(self) -> int:
        return len(self.sets)

    def add(self, sets: Iterable[tuple[int, ...]]) -> None:
        """Append cuts."""
        for rows in sets:
            for row in rows:
                self._of[row].append(len(self.sets))
            self.sets.append(rows)

    @property
    def limit(self) -> Ints:
        """Right-hand sides."""
        return np.array([sum(int(self._count[r]) for r in rows) // 2 for rows in self.sets], dtype=np.int64)

    def coefficients(self, group: Sequence[int]) -> dict[int, int]:
        """Cuts a group counts in, with its coefficient."""
        met = Counter(cut for row in group for cut in self._of[row])
        return {cut: times // 2 for cut, times in met.items() if times > 1}

    def index(self, dual: Ints) -> CutIndex:
        """Cuts by row, for the compiled search; duals of later cuts are 0."""
        active = [[c for c in found if c < len(dual) and dual[c]] for found in self._of]
        start = np.concatenate([[0], np.cumsum([len(found) for found in active])])
        flat = [c for found in active for c in found]
        return CutIndex(start.astype(np.int64), np.array(flat, dtype=np.int64), dual)


def violated(
    groups: Sequence[tuple[int, ...]],
    amount: NDArray[np.float64],
    rows: Rows,
    known: Cuts,
    *,
    most: int,
    per_row: int = 8,
    least: float = 0.02,
) -> list[tuple[int, ...]]:
    """Triples of single rows whose cut a fractional solution breaks, worst first.

    Parameters
    ----------
    groups, amount
        The groups of the solution and how much of each is taken.
    most, per_row
        Most cuts in all, and with one row.
    least
        Least violation.
    """
    pairs: dict[tuple[int, int], float] = {}
    triples: dict[tuple[int, int, int], float] = {}
    beside: dict[int, set[int]] = {}
    for group, share in zip(groups, amount.tolist(), strict=True):
        single = [row for row in group if rows.count[row] == 1]
        for i, j in combinations(single, 2):
            pairs[i, j] = pairs.get((i, j), 0.0) + share
            beside.setdefault(i, set()).add(j)
        for key in combinations(single, 3):
            triples[key] = triples.get(key, 0.0) + share
    old = set(known.sets)
    broken: list[tuple[float, tuple[int, int, int]]] = []
    for i, near in beside.items():
        for j, k in combinations(sorted(near), 2):
            if k not in beside.get(j, ()):
                continue
            excess = pairs[i, j] + pairs[i, k] + pairs[j, k] - 2 * triples.get((i, j, k), 0.0) - 1
            if excess > least and (i, j, k) not in old:
                broken.append((-excess, (i, j, k)))
    used: Counter[int] = Counter()
    chosen: list[tuple[int, ...]] = []
    for _, triple in sorted(broken):
        if len(chosen) >= most:
            break
        if all(used[row] < per_row for row in triple):
            chosen.append(triple)
            used.update(triple)
    return chosen
