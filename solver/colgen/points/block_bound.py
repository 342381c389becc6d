"""The linear program over blocks of points and groups that lie in none, with cuts; the bound it proves.

`blocks` says why its duals are a bound. Cuts count all groups, wherever they lie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ...backends.highs import INFINITY, LinearProgram, LPStatus
from ...exact.incidence import Members
from ...settings import Clock
from ..column import Group, lines_of
from ..covering import Ints
from ..cuts import Cuts
from ..duals import DualBound, Duals, ceil_div
from ..loop import DualPoint, GenerationLoop, Round
from ..pricing import Priced
from .blocks import NONE, BlockChoice, PointBlock
from .limits import POINT_BLOCKS as LIMITS, POINTS
from .pricing import PointPricing
from .separation import cut_further

__all__ = ["BlockBound", "BlockColumn", "BlockDuals", "by_block", "entries"]


BlockColumn: TypeAlias = tuple[int, tuple[Group, ...]]
"""Groups inside a block, by its number; or -1, and a group that lies in none."""


def by_block(groups: Iterable[Group], block: Ints) -> list[BlockColumn]:
    """Groups of a release as columns; `block` has the block of each row, or -1."""
    found: dict[int, list[Group]] = {}
    for group in groups:
        numbers = {int(block[row]) for row in group}
        found.setdefault(numbers.pop() if len(numbers) == 1 else -1, []).append(group)
    alone = [(-1, (group,)) for group in found.pop(-1, ())]
    return alone + [(number, tuple(sorted(inside))) for number, inside in found.items()]


def entries(number: int, groups: Sequence[Group], blocks: int, cuts: Cuts) -> dict[int, int]:
    """Rows of the program in which a column counts, and how much: those of points, blocks and cuts."""
    rows = cuts.rows
    found = dict.fromkeys((row for group in groups for row in group), 1)
    if number >= 0:
        found[rows + number] = 1
    return found | {rows + blocks + cut: times for cut, times in counted(groups, cuts).items()}


def counted(groups: Sequence[Group], cuts: Cuts) -> Counter[int]:
    """How often cuts count some groups."""
    found = Counter[int]()
    for group in groups:
        found.update(cuts.coefficients(group))
    return found


class BlockDuals(DualBound):
    """The duals that prove most if groups inside blocks need not keep them.

    Attributes
    ----------
    used : list of (int, BlockChoice)
        Of the latest duals, each block and the best that can be done in it.
    """

    def __init__(self, pricing: PointPricing, blocks: Sequence[PointBlock]) -> None:
        super().__init__(pricing)
        self.blocks, self.used = blocks, list[tuple[int, BlockChoice]]()
        self._alone = np.flatnonzero(pricing.block < 0)

    def offer(self, duals: Duals) -> Fraction:
        """Keep duals if they prove more; what they prove."""
        self.rounds += 1
        cuts = self.priced.cuts
        self.used = [(n, block.used(duals, cuts)) for n, block in enumerate(self.blocks)]
        proven = sum(choice.value for _, choice in self.used) + int(duals.rows[self._alone].sum())
        proven += int(duals.cuts @ cuts.limit[: len(duals.cuts)])
        value = Fraction(proven, duals.scale)
        if value > self.value:
            self.value, self.duals, self.bound = value, duals, max(0, ceil_div(proven, duals.scale))
        return value


class BlockBound(GenerationLoop):
    """Rounds of the linear program over blocks and groups that lie in none.

    Parameters
    ----------
    pricing : PointPricing
        It is told of the blocks.
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
        self._block = np.full(len(pricing.rows), -1, dtype=np.int64)
        for number, block in enumerate(blocks):
            self._block[list(block.rows)] = number
        pricing.block = self._block
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
        self._made: list[BlockColumn] = []
        self._known: set[BlockColumn] = set()
        self._posted = 0
        self._begin(start, near)

    def run(self) -> bool:
        """Until bound and linear program meet; False if time was over before. Run again, it goes on."""
        self.pricing.block = self._block
        if self.best.rounds:
            return self.again()
        self.best.offer(self.pricing.at_sight())
        self.level, self.center = self.best.value, DualPoint(self._guess() / self.unit, np.zeros(0))
        self.share = LIMITS.share
        return self._generate(self.center, first=True)

    def cut(self) -> bool:
        """Add cuts that the latest optimum breaks; False if there are none, or time was over."""
        if self.clock.over or self._program.run(self.clock.left) is not LPStatus.OPTIMAL:
            return False
        lines, amount = self._taken()
        added = self._separate(lines, amount)
        if added < POINTS.enough_odd:
            added += cut_further(self.pricing.cuts, lines, amount, self.pricing.rows.count, self.clock)
        self._extend()
        return added > 0

    def again(self) -> bool:
        """Go on after cuts; False if time was over before bound and linear program met."""
        self.share = LIMITS.share
        if self._program.run(self.clock.left) is not LPStatus.OPTIMAL:
            return False
        return self._generate(self._proposed(), first=False)

    def everywhere(self, root: DualBound) -> None:
        """A round more: offer duals that no group breaks, wherever it lies."""
        self.pricing.block = np.full(len(self._block), -1, dtype=np.int64)
        self._once, known = True, self.best
        self.best = cast("BlockDuals", root)
        self._generate(self.center, first=True)
        self._once, self.best = False, known

    def _add(self, found: Priced) -> int:
        if self._once:
            return 0
        used = ((number, choice.groups) for number, choice in self.best.used)
        return self._add_columns(used) + self._cross(column.rows for column in found.columns)

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
        return self._proposed()

    def _proposed(self) -> DualPoint:
        duals, rows = self._program.duals, len(self.pricing.rows)
        return DualPoint(duals[:rows], duals[rows + len(self.blocks) :])

    def _guess(self) -> NDArray[np.float64]:
        """Duals in costs: what a point's nearest cost, raised in each block to the block's own cost."""
        sight = self.pricing.at_sight()
        found = sight.rows / sight.scale
        for block in self.blocks:
            inside, least = list(block.rows), int(block.least[block.whole])
            if least < NONE:
                found[inside] = np.maximum(found[inside], 0) * least / max(1.0, found[inside].sum())
        return found

    # -- the linear program --------------------------------------------------------------

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
        for number, block in enumerate(self.blocks):
            sets = [block.whole, *(block.whole ^ (1 << at) for at in range(len(block.rows)))]
            self._add_columns((number, block.groups(mask)) for mask in sets if block.least[mask] < NONE)
        self._add_columns(by_block(start, self.pricing.block))
        self._cross(near)

    def _cross(self, groups: Iterable[Group]) -> int:
        """Add groups that lie in no block; how many are new."""
        return self._add_columns(found for found in by_block(groups, self.pricing.block) if found[0] < 0)

    def _add_columns(self, columns: Iterable[BlockColumn]) -> int:
        """Add groups of a block, or one that lies in none (-1); how many are new."""
        fresh = [found for found in dict.fromkeys(columns) if found[1] and found not in self._known]
        if not fresh:
            return 0
        self._known.update(fresh)
        self._made += fresh
        costs = [sum(self.pricing.rows.group_costs(groups)) for _, groups in fresh]
        entries = [self._entries(number, groups) for number, groups in fresh]
        many = len(fresh)
        self._program.add_columns(
            np.array(costs) / self.unit,
            np.zeros(many),
            np.full(many, INFINITY),
            np.cumsum([0, *map(len, entries)]),
            [row for found in entries for row in found],
            [float(times) for found in entries for times in found.values()],
        )
        return many

    def _entries(self, number: int, groups: Sequence[Group]) -> dict[int, int]:
        return entries(number, groups, len(self.blocks), self.pricing.cuts)

    def _extend(self) -> None:
        """Let the linear program know the cuts that were added."""
        cuts, first = self.pricing.cuts, 2 * len(self.pricing.rows)
        place = [list[int]() for _ in cuts.sets[self._posted :]]
        entry = [list[int]() for _ in place]
        for j, (_, groups) in enumerate(self._made, start=first):
            for c, times in counted(groups, cuts).items():
                if c >= self._posted:
                    place[c - self._posted].append(j)
                    entry[c - self._posted].append(times)
        for (low, high), at, times in zip(cuts.ends()[self._posted :], place, entry, strict=True):
            self._program.add_row(low, high, at, np.array(times, dtype=np.float64))
        self._posted = len(cuts)

    def _taken(self) -> tuple[Members, NDArray[np.float64]]:
        """The groups of the latest optimum, and how much of each is taken."""
        found, amount = Counter[Group](), self._program.amount[2 * len(self.pricing.rows) :]
        for j in np.flatnonzero(amount > POINTS.whole).tolist():
            for group in self._made[j][1]:
                found[group] += amount[j]
        return lines_of(found), np.array(list(found.values()))
