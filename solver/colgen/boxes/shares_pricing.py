"""Box pricing where groups need shares of values near the table's, or mixed ones, and a least size.

No list of histograms is needed, which would be far too long; cuts are not priced.
"""

from __future__ import annotations

import numpy as np

from ...exact.incidence import Members
from ...schedule import WORK
from ...settings import Clock
from ...work import spend
from ..column import in_order
from ..duals import ROOM, Duals
from ..histogram_pricing import HistogramPricing
from ..limits import PRICING
from ..pricing import Priced
from ..structure.histograms import Histograms, Judge
from ..table import Rows
from .desk import BestGroups, slender
from .grid import grid_of
from .question import BoxGrid
from .shares import walk_shares
from .shares_question import SharesForm, SharesInput, shares_desk

__all__ = ["SharesPricing"]


class SharesPricing(HistogramPricing):
    """Groups of a form in the boxes of a grid; see `of`."""

    def __init__(
        self,
        rows: Rows,
        histograms: Histograms,
        form: SharesForm,
        grid: BoxGrid,
        judge: Judge | None,
        clock: Clock | None,
    ) -> None:
        super().__init__(rows, histograms, 1, clock)
        self.form, self.grid, self._judge = form, grid, judge

    @classmethod
    def of(
        cls, rows: Rows, histograms: Histograms, form: SharesForm, judge: Judge | None, clock: Clock
    ) -> SharesPricing | None:
        """None if tuples may be suppressed, or boxes are too many.

        Parameters
        ----------
        rows : Rows
            Values matter.
        histograms : Histograms
            Of the least size alone.
        form : SharesForm
        judge : Judge or None
            Of the policy, if it asks for more than the form.
        """
        grid = None if rows.spare else grid_of(rows)
        return None if grid is None else cls(rows, histograms, form, grid, judge, clock)

    def price(self, duals: Duals, *, per_anchor: int, nodes: int = PRICING.nodes) -> Priced:
        """As `ColumnSource` says; `worst` is what lowers duals until no group pays, and groups are those met.

        Only such as keep the whole policy.
        """
        largest = PRICING.highest_price * int(np.abs(duals.rows).max()) // self.form.unit + 1
        asked = SharesInput(
            self.grid,
            self.rows.value,
            self.rows.count,
            duals.rows.copy(),
            duals.scale,
            self.form,
            min(largest, (ROOM >> 2) // max(1, int(self.form.weight[-1] * (1 + self.form.places.sum())))),
            PRICING.prices,
            PRICING.prices_of_cell,
            nodes,
        )
        memory, found, short = shares_desk(asked), _room(self.rows, self.form.least, per_anchor), 0
        for at in range(0, len(self.grid.cost), PRICING.box_chunk):
            if self.clock is not None and self.clock.over:
                none = np.zeros_like(duals.rows)
                return Priced(lines=self._lines(found), worst=none, short=0, bounded=False)
            cells = np.arange(at, min(at + PRICING.box_chunk, len(self.grid.cost)))
            before = memory.tries.copy()
            short += walk_shares(asked, cells, memory, found)
            weighed, counted = (memory.tries - before).tolist()
            spend(WORK.weighed.value * weighed + WORK.counted.value * counted)
        return Priced(
            lines=in_order(self._lines(found)), worst=duals.rows - asked.dual, short=short, bounded=True
        )

    def _lines(self, found: BestGroups) -> Members:
        """The groups that were met."""
        lines = np.unique(slender(found.member.reshape(-1, found.member.shape[2])), axis=0)
        lines = lines[lines[:, 0] >= 0]
        if self._judge is None or not len(lines):
            return lines
        counts = np.zeros((len(lines), len(self._judge.names)), dtype=np.int64)
        line, place = np.nonzero(lines >= 0)
        np.add.at(counts, (line, self.rows.value[lines[line, place]]), 1)
        return lines[self._judge.verdicts(counts)]


def _room(rows: Rows, least: int, per_anchor: int) -> BestGroups:
    """Room for so many groups per anchor, up to a size."""
    most = min(PRICING.box_members, max(2 * least, PRICING.box_room // len(rows)), int(rows.count.sum()))
    return BestGroups(
        np.full((len(rows), per_anchor, most), -1, dtype=np.int32),
        np.zeros((len(rows), per_anchor), dtype=np.int64),
    )
