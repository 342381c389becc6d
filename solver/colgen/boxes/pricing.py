"""Box pricing: the same columns as by histograms, priced box by box.

For sizes, and limits on how often a value may be in a group of each size; which value does not matter.

Duals are made feasible by one repair of all boxes instead of by anchors: what a violation costs is paid once
for all groups that share it, so every pass proves nearly what the duals are worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

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
from .form import form_of
from .grid import grid_of
from .question import BoxForm, BoxGrid, ScanInput
from .scan import desk, room, walk

__all__ = ["BoxPricing"]


class BoxPricing(HistogramPricing):
    """Groups of a form in the boxes of a grid; see `of`."""

    def __init__(
        self,
        rows: Rows,
        histograms: Histograms,
        form: BoxForm,
        grid: BoxGrid,
        workers: int = 1,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(rows, histograms, workers, clock)
        self.form, self.grid = form, grid

    @classmethod
    def of(
        cls, rows: Rows, histograms: Histograms, workers: int = 1, clock: Clock | None = None
    ) -> BoxPricing | None:
        """For the groups that histograms need; None if they have no form, or boxes are too many."""
        form = form_of(histograms)
        grid = None if form is None else grid_of(rows)
        return None if form is None or grid is None else cls(rows, histograms, form, grid, workers, clock)

    def price(self, duals: Duals, *, per_anchor: int, nodes: int = PRICING.nodes) -> Priced:
        """As `ColumnSource` says; `worst` is what the repair lowers."""
        asked = ScanInput(
            self.grid,
            self.rows.value,
            self.rows.count,
            duals.rows.copy(),
            duals.scale,
            self.form,
            self.cuts.index(duals.cuts),
            nodes,
        )
        parts = [np.arange(part, len(self.grid.cost), PRICING.parts) for part in range(PRICING.parts)]
        with ThreadPoolExecutor(max(1, self.workers)) as pool:
            sought = asked._replace(nodes=-(-nodes // PRICING.box_sought))
            found = list(pool.map(partial(self._priced, sought, per_anchor), parts))
        known = [one for one in found if one is not None]
        lines = _best([one for one, _, _ in known], per_anchor)
        bounded, short = len(known) == len(found), sum(cut_short for _, cut_short, _ in known)
        self._spend(sum(tries for _, _, tries in known), PRICING.threads)
        spend(WORK.anchor.value * len(self.rows))
        if bounded and (len(lines) or short):
            repaired = self._repaired(asked)
            bounded, short = repaired is not None, repaired or 0
        priced = Priced(lines=in_order(lines), worst=duals.rows - asked.dual, short=short, bounded=bounded)
        return self.beside(priced, duals)

    def _spend(self, tries: int, threads: int = 1) -> None:
        """Tell of all boxes, gone through with so many tries of a group."""
        spend((WORK.box.value * len(self.grid.row) + WORK.filled.value * tries) / threads)

    def _priced(self, asked: ScanInput, per_anchor: int, part: Ints) -> tuple[BestGroups, int, int] | None:
        """The best groups in some cells, searches cut short, and tries of groups; None if time is over."""
        found, memory, short = room(asked, per_anchor), desk(asked), 0
        for at in range(0, len(part), PRICING.box_chunk):
            if self.clock is not None and self.clock.over:
                return None
            short += walk(asked, part[at : at + PRICING.box_chunk], memory, found, False)
        return found, short, int(memory.tries[0])

    def _repaired(self, asked: ScanInput) -> int | None:
        """Lower the duals; searches cut short, None if time is over."""
        none, memory, short = room(asked, 1), desk(asked), 0
        for at in range(0, len(self.grid.cost), PRICING.box_chunk):
            if self.clock is not None and self.clock.over:
                return None
            cells = np.arange(at, min(at + PRICING.box_chunk, len(self.grid.cost)))
            short += walk(asked, cells, memory, none, True)
        self._spend(int(memory.tries[0]))
        return short


def _best(found: Sequence[BestGroups], per_anchor: int) -> Members:
    """The best groups of each anchor, of all parts."""
    if not found:
        return np.empty((0, 1), dtype=np.int32)
    profit = np.concatenate([one.profit for one in found], axis=1)
    member = np.concatenate([one.member for one in found], axis=1)
    order = np.argsort(-profit, axis=1, kind="stable")[:, :per_anchor]
    lines = np.take_along_axis(member, order[:, :, None], axis=1).reshape(-1, member.shape[2])
    kept = np.unique(slender(lines), axis=0)
    return kept[kept[:, 0] >= 0]
