"""Dear tuples of a table of blocks are put in groups anew, by integer programs over all that nearly pays.

Tuples of large duals are few and lie where points are sparse: they and the tuples in their groups are a table
of their own. All groups that lie in no block and cost little more than their duals and penalties are listed,
and all sets of each block that cost little more than its best. Columns of a table's dense part cost next to
nothing, so they are listed last: the fewer tuples, the more a column may cost above its duals.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from scipy.sparse import csc_array

from ....backends.highs import INFINITY, best_integers
from ....colgen.column import Group
from ....colgen.duals import Duals
from ....colgen.points.block_bound import BlockColumn, by_block, entries
from ....colgen.points.blocks import PointBlock
from ....colgen.points.limits import POINT_BLOCKS as LIMITS
from ....colgen.points.pricing import PointPricing
from ....schedule import POINTS as SHARES
from ....settings import Clock
from .progress import PointProgress
from .windows import part_of

__all__ = ["BlockParts"]


class BlockParts:
    """Improve the best release.

    Parameters
    ----------
    source : PointPricing
        Of the whole table, with the cuts.
    progress : PointProgress
    blocks : sequence of PointBlock
    duals : Duals
        That prove the bound by blocks.
    """

    def __init__(
        self, source: PointPricing, progress: PointProgress, blocks: Sequence[PointBlock], duals: Duals
    ) -> None:
        self.source, self.progress, self.duals = source, progress, duals
        self.block = np.full(len(source.rows), -1, dtype=np.int64)
        for number, block in enumerate(blocks):
            self.block[list(block.rows)] = number

    def run(self, seed: int, clock: Clock) -> None:
        """Some of the dearest tuples, then fewer of them."""
        dearest = np.argsort(-self.duals.rows, kind="stable")
        for many in LIMITS.parts:
            if clock.over or self.progress.best is None:
                return
            asked = set(dearest[:many].tolist())
            own = [group for group in self.progress.best if not asked.isdisjoint(group)]
            rest = [group for group in self.progress.best if asked.isdisjoint(group)]
            found = Part(self, own).chosen(seed, clock.allowed(SHARES.part))
            self.progress.offer([*rest, *found], f"blocks, {many} tuples")


class Part:
    """The tuples of some groups as a table of their own."""

    def __init__(self, whole: BlockParts, own: Sequence[Group]) -> None:
        self.inside = np.array(sorted(chain.from_iterable(own)), dtype=np.int64)
        self.table, self.duals = part_of(whole.source, whole.duals, self.inside)
        place = {row: at for at, row in enumerate(self.inside.tolist())}
        self.own = [tuple(sorted(place[row] for row in group)) for group in own]
        least = whole.source.sizes[0]
        self.blocks = list[PointBlock]()
        for number in np.unique(whole.block[self.inside]).tolist():
            rows = tuple(np.flatnonzero(whole.block[self.inside] == number).tolist())
            if number >= 0 and len(rows) >= least:
                self.table.block[list(rows)] = len(self.blocks)
                self.blocks.append(PointBlock.of(self.table.rows, rows, least))

    def chosen(self, seed: int, seconds: float | None) -> list[Group]:
        """The best groups that an integer program finds, in rows of the whole table."""
        own = by_block(self.own, self.table.block)
        made = list(dict.fromkeys([*own, *self._listed()]))
        cuts, rows, duals = self.table.cuts, len(self.table.rows), self.duals
        cost = np.array([sum(self.table.rows.group_costs(groups)) for _, groups in made], dtype=np.float64)
        places = [entries(number, groups, len(self.blocks), cuts) for number, groups in made]
        flat = np.array(list(chain.from_iterable(places)))
        times = np.array([float(many) for found in places for many in found.values()])
        ends = [(1.0, 1.0)] * rows + [(-INFINITY, 1.0)] * len(self.blocks) + cuts.ends()
        low, high = np.array(ends).T
        shape = (len(ends), len(made))
        matrix = csc_array((times, flat, np.cumsum([0, *map(len, places)])), shape=shape)
        # Only the duals of equations: another row may have slack, so its dual would change the order.
        cost -= matrix[:rows].T @ (duals.rows / duals.scale)
        unit = max(1.0, float(np.abs(cost).mean()))
        start = np.arange(len(made)) < len(own)
        found = best_integers(
            cost / unit,
            np.zeros(len(made)),
            np.ones(len(made)),
            matrix,
            low,
            high,
            start=start.astype(float),
            seed=seed,
            seconds=seconds,
        )
        taken = start if found.x is None else found.x > 0
        groups = chain.from_iterable(made[j][1] for j in np.flatnonzero(taken).tolist())
        return [tuple(self.inside[list(group)].tolist()) for group in groups]

    def _listed(self) -> list[BlockColumn]:
        """Columns that cost at most so much above their duals that they are not too many."""
        slack = self.duals.scale * sum(self.table.rows.group_costs(self.own))
        while slack:
            cross = self.table.all_below(self.duals, slack, room=LIMITS.listed)
            if cross is not None and len(cross.lines) <= LIMITS.listed:
                sets = [block.within(self.duals, self.table.cuts, slack) for block in self.blocks]
                if len(cross.lines) + sum(map(len, sets)) <= LIMITS.listed:
                    inside = [(number, groups) for number, found in enumerate(sets) for groups in found]
                    lines = cross.lines.tolist()
                    return [*inside, *((-1, (tuple(r for r in line if r >= 0),)) for line in lines)]
            slack = slack * 2 // 3
        return []
