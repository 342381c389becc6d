"""Bounds by blocks: groups inside a block of few points are searched all together, only the others priced.

Where points lie in far clusters whose sizes k does not divide, the linear program takes half groups: of 12
points it takes 12/5 groups of 5, and no release does. So let some points be dealt to *blocks*, small enough
to go through all sets of their points. Let ``opt(U)`` be the least cost of a set U in groups of k to 2k - 1,
and let duals be such that no group costs less than its members' duals *unless it lies inside one block*. Of a
release, let U be the points of a block R that are in groups inside R. The groups that lie in no block pay for
the points of R outside U at least their duals. So it costs at least the sum over blocks of

    f(R) = least over all U in R of  opt(U) + duals of R without U

and the duals of all points that are in no block. Duals may be so high that groups inside blocks do cost less:
f is never above opt(R), and reaches it if what leaves is dear enough. The best duals are those of a linear
program with a column for each U of a block that is used, one at most per block, and one for each group that
lies in none. They are found as usual: the columns U of one block by going through all of them, the others by
the search for groups that pay (`block_bound`). Cuts reach into blocks, too: there a group costs its penalties
beside its own cost, and opt(U) is the least with them.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from ....models.compiled import compiled
from ..column import Group
from ..covering import Ints
from ..cuts import Cuts
from ..duals import Duals
from .limits import POINT_BLOCKS as LIMITS
from .table import PointRows

__all__ = ["NONE", "BlockChoice", "PointBlock", "clusters"]

NONE = int(np.iinfo(np.int64).max)
"""Cost of a set that cannot be put in groups."""


class BlockChoice(NamedTuple):
    """Groups inside a block, and their cost with that of what they leave, in 1 / scale of a cost."""

    value: int
    groups: tuple[Group, ...]


@dataclass(frozen=True, kw_only=True)
class PointBlock:
    """Few points.

    Attributes
    ----------
    rows : tuple of int
        Rising.
    k : int
    pairs : shape (points, points)
    least : shape (2 ** points,)
        ``opt`` of each set of points, as a mask; `NONE` if there is none.
    first : shape (2 ** points,)
        The group of its first point in the best partition of each set.
    """

    rows: Group
    k: int
    pairs: Ints = field(repr=False)
    least: Ints = field(repr=False)
    first: Ints = field(repr=False)

    @classmethod
    def of(cls, rows: PointRows, inside: Group, k: int) -> PointBlock:
        pairs, none = rows.pairs[np.ix_(inside, inside)], np.zeros(0, dtype=np.int64)
        least, first = _least(pairs, k, 1, none, none, none)
        return cls(rows=inside, k=k, pairs=pairs, least=least, first=first)

    @property
    def whole(self) -> int:
        """The mask of all."""
        return len(self.least) - 1

    def groups(self, chosen: int) -> tuple[Group, ...]:
        """The best partition of some of its points."""
        return self._parted(self.first, chosen)

    def _parted(self, first: Ints, chosen: int) -> tuple[Group, ...]:
        found, left = list[Group](), chosen
        while left:
            group = int(first[left])
            found.append(tuple(row for at, row in enumerate(self.rows) if group >> at & 1))
            left ^= group
        return tuple(found)

    def used(self, duals: Duals, cuts: Cuts) -> BlockChoice:
        """The best U at some duals, in its best groups, and f."""
        total, first = self._totals(duals, cuts)
        best = int(total.argmin())
        return BlockChoice(int(total[best]), self._parted(first, best))

    def within(self, duals: Duals, cuts: Cuts, slack: int) -> list[tuple[Group, ...]]:
        """The groups of all U, but none, that are at most so much above the best one."""
        total, first = self._totals(duals, cuts)
        near = np.flatnonzero(total <= int(total.min()) + slack)
        return [self._parted(first, chosen) for chosen in near.tolist() if chosen]

    def _totals(self, duals: Duals, cuts: Cuts) -> tuple[Ints, Ints]:
        """What each U comes to, and `first`."""
        own = np.zeros(1, dtype=np.int64)
        for row in self.rows:
            own = np.concatenate([own, own + duals.rows[row]])
        least, first = self._penalized(duals, cuts)
        return np.where(least < NONE, least + own[-1] - own, NONE), first

    def _penalized(self, duals: Duals, cuts: Cuts) -> tuple[Ints, Ints]:
        """`least`, in 1 / scale of a cost and with the penalties of cuts, and `first`."""
        start, cut = cuts.by_row()
        inside = Counter[int]()
        for at, row in enumerate(self.rows):
            for c in cut[start[row] : start[row + 1]].tolist():
                if c < len(duals.cuts) and duals.cuts[c]:
                    inside[c] += 1 << at
        met = [c for c, mask in inside.items() if mask.bit_count() >= cuts.divisors[c]]
        if not met:
            return np.where(self.least < NONE, self.least * duals.scale, NONE), self.first
        masks = np.array([inside[c] for c in met], dtype=np.int64)
        return _least(self.pairs, self.k, duals.scale, masks, duals.cuts[met], cuts.divisor[met])


def clusters(rows: PointRows, k: int) -> list[Group]:
    """Clusters of k to `LIMITS.most` points: the largest that single linkage makes before there are more."""
    many = len(rows)
    if many < 2 or many > LIMITS.most_rows or rows.count.max() > 1:
        return []
    joined = linkage(squareform(rows.pairs.astype(np.float64), checks=False), "single")
    inside: list[list[int]] = [[row] for row in range(many)]
    found: list[Group] = []
    for a, b in joined[:, :2].astype(np.int64).tolist():
        together = inside[a] + inside[b]
        # What is too large stays so: its parts are blocks, and so is what meets it later.
        if len(together) > LIMITS.most or not inside[a] or not inside[b]:
            found += [tuple(sorted(part)) for part in (inside[a], inside[b]) if len(part) >= k]
            together = []
        inside.append(together)
    return found


@compiled
def _least(pairs: Ints, k: int, scale: int, inside: Ints, dual: Ints, divisor: Ints) -> tuple[Ints, Ints]:
    """`PointBlock.least` in 1 / scale of a cost, with penalties of cuts over some points, and `first`."""
    many = len(pairs)
    sets = 1 << many
    total, size = np.zeros(sets, dtype=np.int64), np.zeros(sets, dtype=np.int64)
    least, first = np.full(sets, NONE, dtype=np.int64), np.zeros(sets, dtype=np.int64)
    cost = np.zeros(sets, dtype=np.int64)
    least[0] = 0
    for mask in range(1, sets):
        low = 0
        while not mask >> low & 1:
            low += 1
        rest = mask ^ (1 << low)
        total[mask], size[mask] = total[rest], size[rest] + 1
        for v in range(low + 1, many):
            if rest >> v & 1:
                total[mask] += pairs[low, v]
        if k <= size[mask] < 2 * k:
            cost[mask] = scale * (total[mask] // size[mask])
            for c in range(len(inside)):
                cost[mask] -= dual[c] * (size[mask & inside[c]] // divisor[c])
        # The first point's group: it, and a part of the rest.
        part = rest
        while True:
            group = part | (1 << low)
            if k <= size[group] < 2 * k and least[mask ^ group] < NONE:
                together = cost[group] + least[mask ^ group]
                if together < least[mask]:
                    least[mask], first[mask] = together, group
            if part == 0:
                break
            part = (part - 1) & rest
    return least, first
