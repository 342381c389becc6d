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
the search for groups that pay.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csc_array
from scipy.spatial.distance import squareform

from ....models.compiled import compiled
from ...backends.highs import INFINITY, LinearProgram, LPStatus, best_integers
from ...exact.incidence import Members
from ...settings import Clock
from ..column import Group, lines_of
from ..covering import Ints
from ..duals import DualBound, Duals, ceil_div
from ..loop import DualPoint, GenerationLoop, Round
from ..pricing import Priced
from .limits import POINT_BLOCKS as LIMITS, POINTS
from .pricing import PointPricing
from .table import PointRows

__all__ = ["BlockBound", "BlockDuals", "PointBlock", "clusters"]

NONE = int(np.iinfo(np.int64).max)
"""Cost of a set that cannot be put in groups."""


@dataclass(frozen=True, kw_only=True)
class PointBlock:
    """Few points.

    Attributes
    ----------
    rows : tuple of int
        Rising.
    least : shape (2 ** points,)
        ``opt`` of each set of points, as a mask; `NONE` if there is none.
    first : shape (2 ** points,)
        The group of its first point in the best partition of each set.
    """

    rows: Group
    least: Ints = field(repr=False)
    first: Ints = field(repr=False)

    @classmethod
    def of(cls, rows: PointRows, inside: Group, k: int) -> PointBlock:
        least, first = _least(rows.pairs[np.ix_(inside, inside)], k)
        return cls(rows=inside, least=least, first=first)

    @property
    def whole(self) -> int:
        """The mask of all."""
        return len(self.least) - 1

    def groups(self, chosen: int) -> list[Group]:
        """The best partition of some of its points."""
        found, left = list[Group](), chosen
        while left:
            found.append(self.among(int(self.first[left])))
            left ^= int(self.first[left])
        return found

    def among(self, mask: int) -> Group:
        """Rows of a set."""
        return tuple(row for at, row in enumerate(self.rows) if mask >> at & 1)

    def used(self, dual: Ints, scale: int) -> tuple[int, int]:
        """The best U at some duals, and f in 1 / scale of a cost."""
        own = np.zeros(1, dtype=np.int64)
        for row in self.rows:
            own = np.concatenate([own, own + dual[row]])
        total = np.where(self.least < NONE, self.least, 0) * scale + own[-1] - own
        total[self.least == NONE] = NONE
        best = int(total.argmin())
        return best, int(total[best])


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
def _least(pairs: Ints, k: int) -> tuple[Ints, Ints]:
    """`PointBlock.least` and `PointBlock.first`."""
    many = len(pairs)
    sets = 1 << many
    total, size = np.zeros(sets, dtype=np.int64), np.zeros(sets, dtype=np.int64)
    least, first = np.full(sets, NONE, dtype=np.int64), np.zeros(sets, dtype=np.int64)
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
        # The first point's group: it, and a part of the rest.
        part = rest
        while True:
            group = part | (1 << low)
            if k <= size[group] < 2 * k and least[mask ^ group] < NONE:
                cost = total[group] // size[group] + least[mask ^ group]
                if cost < least[mask]:
                    least[mask], first[mask] = cost, group
            if part == 0:
                break
            part = (part - 1) & rest
    return least, first


class BlockDuals(DualBound):
    """The duals that prove most if groups inside blocks need not keep them.

    Attributes
    ----------
    used : list of (int, int)
        Of the latest duals, each block and its best U.
    """

    def __init__(self, pricing: PointPricing, blocks: Sequence[PointBlock]) -> None:
        super().__init__(pricing)
        self.blocks, self.used = blocks, list[tuple[int, int]]()
        self._alone = np.flatnonzero(pricing.block < 0)

    def offer(self, duals: Duals) -> Fraction:
        """Keep duals if they prove more; what they prove."""
        self.rounds += 1
        best = [block.used(duals.rows, duals.scale) for block in self.blocks]
        self.used = [(number, mask) for number, (mask, _) in enumerate(best)]
        proven = sum(value for _, value in best) + int(duals.rows[self._alone].sum())
        value = Fraction(proven, duals.scale)
        if value > self.value:
            self.value, self.duals, self.bound = value, duals, max(0, ceil_div(proven, duals.scale))
        return value


class BlockBound(GenerationLoop):
    """Rounds of the linear program over blocks and groups that lie in none.

    Parameters
    ----------
    pricing : PointPricing
        Without cuts; it is told of the blocks.
    blocks : sequence of PointBlock
    start : sequence of groups
        A release: the linear program knows it,
    near : iterable of groups
        and others that it knows at first.
    clock : Clock
    raised : callable
        Called after every round.
    """

    best: BlockDuals

    def __init__(
        self,
        pricing: PointPricing,
        blocks: Sequence[PointBlock],
        start: Sequence[Group],
        near: Iterable[Group],
        clock: Clock,
        raised: Callable[[], None] = lambda: None,
    ) -> None:
        pricing.block = np.full(len(pricing.rows), -1, dtype=np.int64)
        for number, block in enumerate(blocks):
            pricing.block[list(block.rows)] = number
        unit = max(1.0, float(pricing.rows.most) * pricing.sizes[0] / len(pricing.rows))
        super().__init__(
            pricing,
            clock,
            BlockDuals(pricing, blocks),
            raised,
            per_anchor=LIMITS.per_row,
            nodes=POINTS.nodes,
            unit=unit,
        )
        self.pricing, self.blocks, self._program, self._once = pricing, blocks, LinearProgram(), False
        self._sets: set[tuple[int, int]] = set()
        self._made: list[tuple[int, int, Group]] = []
        self._costs: list[int] = []
        self._entries: list[Sequence[int]] = []
        self._groups: set[Group] = set()
        self._begin(start, near)

    def run(self) -> None:
        """Until bound and linear program meet, or time is over."""
        self.best.offer(self.pricing.at_sight())
        self.level, self.center = self.best.value, DualPoint(self._guess() / self.unit, np.zeros(0))
        self.share = LIMITS.share
        self._generate(self.center, first=True)

    def everywhere(self, root: DualBound) -> None:
        """A round more: offer duals that no group breaks, wherever it lies."""
        self.pricing.block[:] = -1
        self._once, known = True, self.best
        self.best = cast("BlockDuals", root)
        self._generate(self.center, first=True)
        self.best = known

    def _add(self, found: Priced) -> int:
        return 0 if self._once else self._use(self.best.used) + self._cross(found.lines)

    def _next(self, done: Round) -> DualPoint | bool:
        if self._once:
            return True
        if not done.fresh and not done.first:
            self.share /= 2
            if self.share < LIMITS.least_share:
                return True
        elif done.fresh:
            self.share = LIMITS.share
        if self.clock.over or self._program.run(self.clock.left) is not LPStatus.OPTIMAL:
            return False
        if float(self.best.value) >= self._program.value * self.unit * (1 - LIMITS.close):
            return True
        return DualPoint(self._program.duals[: len(self.pricing.rows)], np.zeros(0))

    def _guess(self) -> NDArray[np.float64]:
        """Duals in costs: what a point's nearest cost, raised in each block to the block's own cost."""
        sight = self.pricing.at_sight()
        found = sight.rows / sight.scale
        for block in self.blocks:
            inside, least = list(block.rows), int(block.least[block.whole])
            if least < NONE:
                found[inside] = np.maximum(found[inside], 0) * least / max(1.0, found[inside].sum())
        return found

    def _begin(self, start: Sequence[Group], near: Iterable[Group]) -> None:
        rows, program = len(self.pricing.rows), self._program
        for _ in range(rows):
            program.add_row(1.0, 1.0)
        for _ in self.blocks:
            program.add_row(-INFINITY, 1.0)
        # A point may be left out, or be in one group too many, for more than any release costs.
        program.add_columns(
            np.full(2 * rows, float(self.pricing.rows.most) / self.unit),
            np.zeros(2 * rows),
            np.full(2 * rows, INFINITY),
            np.arange(2 * rows + 1),
            np.tile(np.arange(rows), 2),
            np.repeat([1.0, -1.0], rows),
        )
        whole = [(number, block.whole) for number, block in enumerate(self.blocks)]
        without = [
            (number, block.whole ^ (1 << at))
            for number, block in enumerate(self.blocks)
            for at in range(len(block.rows))
        ]
        self._use([(n, mask) for n, mask in whole + without if self.blocks[n].least[mask] < NONE])
        used = [0] * len(self.blocks)
        for group in start:
            number = self._number(group)
            if number >= 0:
                block = self.blocks[number].rows
                used[number] |= sum(1 << block.index(row) for row in group)
        self._use(list(enumerate(used)))
        self._cross(lines_of(dict.fromkeys(group for group in (*start, *near) if self._number(group) < 0)))

    def _number(self, group: Group) -> int:
        """The block that a group lies in, or -1."""
        found = {int(self.pricing.block[row]) for row in group}
        return found.pop() if len(found) == 1 else -1

    def _use(self, sets: Sequence[tuple[int, int]]) -> int:
        fresh = [(n, mask) for n, mask in sets if mask and (n, mask) not in self._sets]
        self._sets.update(fresh)
        rows = len(self.pricing.rows)
        entries = [[*self.blocks[n].among(mask), rows + n] for n, mask in fresh]
        self._made += [(n, mask, ()) for n, mask in fresh]
        self._columns([int(self.blocks[n].least[mask]) for n, mask in fresh], entries)
        return len(fresh)

    def _cross(self, lines: Members) -> int:
        """Add groups that lie in no block; how many are new."""
        groups = [tuple(row for row in line if row >= 0) for line in lines.tolist()]
        fresh = [j for j, group in enumerate(groups) if group not in self._groups]
        self._groups.update(groups)
        self._made += [(-1, 0, groups[j]) for j in fresh]
        self._columns(self.pricing.costs(lines[fresh]).tolist(), [groups[j] for j in fresh])
        return len(fresh)

    def rounded(self, seed: int, seconds: float | None) -> list[Group] | None:
        """The best release of the linear program's columns that an integer program finds."""
        rows, many = len(self.pricing.rows), len(self._made)
        place = np.concatenate([np.full(len(found), j) for j, found in enumerate(self._entries)])
        flat = np.array([row for found in self._entries for row in found], dtype=np.int64)
        matrix = csc_array((np.ones(len(flat)), (flat, place)), shape=(rows + len(self.blocks), many))
        low = np.concatenate([np.ones(rows), np.full(len(self.blocks), -INFINITY)])
        found = best_integers(
            np.array(self._costs) / self.unit,
            np.zeros(many),
            np.ones(many),
            matrix,
            low,
            np.ones(rows + len(self.blocks)),
            seed=seed,
            seconds=seconds,
        )
        if found.x is None:
            return None
        groups = list[Group]()
        for j in np.flatnonzero(found.x).tolist():
            number, mask, group = self._made[j]
            groups += [group] if number < 0 else self.blocks[number].groups(mask)
        return groups

    def _columns(self, costs: Sequence[int], entries: Sequence[Sequence[int]]) -> None:
        many = len(costs)
        self._costs += costs
        self._entries += entries
        if many:
            flat = [row for found in entries for row in found]
            start = np.cumsum([0, *map(len, entries)])
            cost = np.array(costs, dtype=np.float64) / self.unit
            self._program.add_columns(
                cost, np.zeros(many), np.full(many, INFINITY), start, flat, np.ones(len(flat))
            )
