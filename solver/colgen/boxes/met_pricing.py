"""Box pricing where groups have a least size and leave each member enough values; see `met`. Without cuts."""

from __future__ import annotations

import numpy as np

from ...exact.incidence import Members
from ...schedule import WORK
from ...settings import Clock
from ...work import spend
from ..column import in_order
from ..covering import Ints
from ..duals import Duals
from ..histogram_pricing import HistogramPricing
from ..limits import PRICING
from ..pricing import Priced
from ..structure.histograms import Histograms
from ..table import Rows
from .desk import BestGroups, slender
from .grid import grid_of
from .met import MetInput, met_desk, walk_met
from .question import BoxGrid

__all__ = ["MetPricing"]


class MetPricing(HistogramPricing):
    """Groups that keep the masks of their members, in the boxes of a grid; see `of`."""

    def __init__(
        self,
        rows: Rows,
        histograms: Histograms,
        grid: BoxGrid,
        mask: Ints,
        least: int,
        needed: int,
        clock: Clock,
    ) -> None:
        super().__init__(rows, histograms, 1, clock)
        self.grid, self.mask, self.least, self.needed = grid, mask, least, needed

    @classmethod
    def of(
        cls, rows: Rows, histograms: Histograms, mask: Ints, least: int, needed: int, clock: Clock
    ) -> MetPricing | None:
        """None if boxes are too many.

        Parameters
        ----------
        rows : Rows
            Tuples of a row have one mask.
        histograms : Histograms
            Of the least size alone.
        mask : int64 array
            Of each row: values as bits, by their numbers in `rows`.
        least : int
            Tuples of a group.
        needed : int
            Values that everybody keeps.
        clock : Clock
        """
        grid = grid_of(rows)
        return None if grid is None else cls(rows, histograms, grid, mask, least, needed, clock)

    def price(self, duals: Duals, *, per_anchor: int, nodes: int = PRICING.nodes) -> Priced:
        """As `ColumnSource` says; `worst` is what lowers duals until no group pays."""
        asked = MetInput(
            self.grid,
            self.rows.value,
            self.rows.count,
            self.mask,
            duals.rows.copy(),
            duals.scale,
            self.least,
            self.needed,
            nodes,
        )
        found, memory, short = _room(self.rows, self.least, per_anchor), met_desk(asked), 0
        chunk = max(1, PRICING.met_chunk // len(self.rows))
        for lower in (False, True):
            for at in range(0, len(self.grid.cost), chunk):
                if self.clock is not None and self.clock.over:
                    none = np.zeros_like(duals.rows)
                    return Priced(lines=_lines(found), worst=none, short=0, bounded=False)
                cells = np.arange(at, min(at + chunk, len(self.grid.cost)))
                tries = int(memory.tries[0])
                short += walk_met(asked, cells, memory, found, lower)
                spend(WORK.filled.value * (int(memory.tries[0]) - tries))
            spend(WORK.box.value * len(self.grid.row))
        return Priced(lines=in_order(_lines(found)), worst=duals.rows - asked.dual, short=short, bounded=True)


def _room(rows: Rows, least: int, per_anchor: int) -> BestGroups:
    """Room for so many groups per anchor, up to a size."""
    most = min(max(PRICING.box_members, 2 * least), int(rows.count.sum()))
    return BestGroups(
        np.full((len(rows), per_anchor, most), -1, dtype=np.int32),
        np.zeros((len(rows), per_anchor), dtype=np.int64),
    )


def _lines(found: BestGroups) -> Members:
    """The groups that were met."""
    lines = np.unique(slender(found.member.reshape(-1, found.member.shape[2])), axis=0)
    return lines[lines[:, 0] >= 0]
