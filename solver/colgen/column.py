"""Groups as columns of a sparse matrix, in flat arrays: rows, cuts and costs of many groups at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import compiled
from ..exact.incidence import Members, Sparse
from .cuts import Cuts
from .table import Ints, Rows

__all__ = ["Columns", "Members", "Sparse", "in_order", "padded", "transposed"]


class Columns:
    """A growing pool of different groups.

    Attributes
    ----------
    members : Members
    cost : int array
    """

    def __init__(self, rows: Rows, wide: int) -> None:
        self.rows = rows
        self.members: Members = np.empty((0, max(1, wide)), dtype=np.int32)
        self.cost: Ints = np.zeros(0, dtype=np.int64)
        self._known: dict[bytes, int] = {}

    @property
    def wide(self) -> int:
        """Most rows of a group."""
        return self.members.shape[1]

    def __len__(self) -> int:
        return len(self.cost)

    def add(self, members: Members) -> int:
        """Append groups that are not yet there; returns how many."""
        fresh: list[int] = []
        for line, key in enumerate(map(bytes, members)):
            if key not in self._known:
                self._known[key] = len(self) + len(fresh)
                fresh.append(line)
        if fresh:
            new = members[fresh]
            self.members = np.concatenate([self.members, new])
            self.cost = np.concatenate([self.cost, self.rows.group_cost(new)])
        return len(fresh)

    def keep(self, chosen: Ints) -> None:
        """Drop all other groups."""
        self.members, self.cost = self.members[chosen], self.cost[chosen]
        self._known = {key: j for j, key in enumerate(map(bytes, self.members))}

    def times(self, members: Members) -> Ints:
        """How often each group of the pool is among some that are all in it."""
        return np.bincount([self._known[key] for key in map(bytes, members)], minlength=len(self))

    def groups(self, chosen: Ints) -> tuple[tuple[int, ...], ...]:
        """Some groups, without padding."""
        return tuple(tuple(u for u in line if u >= 0) for line in self.members[chosen].tolist())

    def sparse(self, cuts: Cuts) -> Sparse:
        """Rows as places 0, 1, ..., cuts after them, each as often as its coefficient."""
        start, cut = cuts.by_row()
        return Sparse(*_sparse(self.members, start, cut, len(cuts), len(self.rows)))

    def total(self, sparse: Sparse, prices: Ints) -> Ints:
        """Sum of the prices of each group's places, exactly."""
        sums = np.concatenate([[0], np.cumsum(prices[sparse.place])])
        return sums[sparse.start[1:]] - sums[sparse.start[:-1]]


def padded(groups: Sequence[Sequence[int]] | NDArray[np.int32], wide: int) -> Members:
    """Groups (sorted, or lines padded with -1) as lines of `wide` places."""
    if isinstance(groups, np.ndarray):
        more = np.full((len(groups), wide - groups.shape[1]), -1, dtype=np.int32)
        return np.concatenate([groups, more], axis=1)
    lines = np.full((len(groups), wide), -1, dtype=np.int32)
    for line, group in enumerate(groups):
        lines[line, : len(group)] = sorted(group)
    return lines


def in_order(groups: NDArray[np.int32]) -> Members:
    """Sort the rows of each group, -1 last."""
    last = np.iinfo(np.int32).max
    ordered = np.sort(np.where(groups < 0, last, groups), axis=1)
    return np.where(ordered == last, -1, ordered).astype(np.int32)


def transposed(sparse: Sparse, places: int) -> Sparse:
    """By place: the columns that have it."""
    columns = np.repeat(np.arange(len(sparse.start) - 1, dtype=np.int32), np.diff(sparse.start))
    order = np.argsort(sparse.place, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(sparse.place, minlength=places))])
    return Sparse(start.astype(np.int64), columns[order])


@compiled
def _sparse(members: Members, start: Ints, cut: Ints, cuts: int, rows: int) -> tuple[Ints, NDArray[np.int32]]:
    lines, wide = members.shape
    times = np.zeros(cuts, dtype=np.int64)
    first = np.zeros(lines + 1, dtype=np.int64)
    index = np.empty(lines * wide + 1024, dtype=np.int32)
    filled = 0
    for j in range(lines):
        for k in range(wide):
            row = members[j, k]
            if row < 0:
                break
            if filled + wide + start[row + 1] - start[row] >= len(index):
                wider = np.empty(2 * len(index) + cuts, dtype=np.int32)
                wider[:filled] = index[:filled]
                index = wider
            index[filled] = row
            filled += 1
            for e in range(start[row], start[row + 1]):
                c = cut[e]
                times[c] += 1
                if times[c] % 2 == 0:
                    index[filled] = rows + c
                    filled += 1
        for k in range(wide):
            row = members[j, k]
            if row < 0:
                break
            for e in range(start[row], start[row + 1]):
                times[cut[e]] = 0
        first[j + 1] = filled
    return first, index[:filled].copy()
