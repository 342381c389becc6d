"""Groups without counterfeits or past: those whose histogram cannot be split into admissible ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..exact.incidence import Members
from ..schedule import WORK
from ..settings import Clock
from .covering import Ints
from .duals import Duals, whole
from .kernels.histogram import search
from .kernels.one_per_value import search_one_per_value, shelf
from .kernels.question import question, stack
from .limits import PRICING, SUPPRESSING
from .pricing import Listing, Priced, Pricing, Search, Way, joined
from .structure.histograms import Histograms
from .table import Rows

__all__ = ["HistogramPricing"]


class HistogramPricing(Pricing[Rows]):
    """The groups that a table of histograms needs.

    Attributes
    ----------
    histograms : Histograms
    buckets : bool
        Whether every needed group has one tuple of each sensitive value.
    """

    def __init__(
        self, rows: Rows, histograms: Histograms, workers: int = 1, clock: Clock | None = None
    ) -> None:
        super().__init__(rows, workers, clock)
        self.histograms = histograms
        self._values = int(rows.value.max()) + 1
        self.buckets = histograms.one_of_each(self._values)
        self._anchors = np.flatnonzero(rows.value == 0) if self.buckets else np.arange(len(rows))

    def costs(self, lines: Members) -> Ints:
        return self.rows.costs(lines)

    def limited(self, lines: Members) -> Ints:
        alone = (lines >= 0).sum(axis=1) == 1
        return alone.astype(np.int64) if self.rows.spare else np.zeros(len(lines), dtype=np.int64)

    def price(self, duals: Duals, *, per_anchor: int, nodes: int = PRICING.nodes) -> Priced:
        """As `ColumnSource` says; duals are made feasible for suppressed tuples by `Duals.suppressing`."""
        return self.beside(super().price(duals, per_anchor=per_anchor, nodes=nodes), duals)

    def all_below(self, duals: Duals, slack: int, *, room: int, nodes: int = PRICING.nodes) -> Listing | None:
        """As `ColumnSource` says."""
        found = super().all_below(duals, slack, room=room, nodes=nodes)
        if found is None or not self.rows.spare:
            return found
        lines = joined([found.lines, self._alone(duals, slack)])
        return Listing(lines=lines, complete=found.complete) if len(lines) <= room else None

    def beside(self, found: Priced, duals: Duals) -> Priced:
        """With tuples that had better be suppressed, those by whom most is gained."""
        if not self.rows.spare:
            return found
        lines = self._alone(duals, -1)
        gain = duals.rows[lines[:, 0]]
        some = lines[np.argsort(-gain, kind="stable")[: SUPPRESSING.priced + 2 * self.rows.spare]]
        return replace(found, lines=joined([found.lines, some]))

    def _alone(self, duals: Duals, slack: int) -> Members:
        """Suppressed tuples of at most so much reduced cost."""
        reduced = self.rows.single * duals.scale - duals.limit - duals.rows
        return np.flatnonzero(reduced <= slack).astype(np.int32)[:, None]

    def duals(self, rows: NDArray[np.float64], cuts: NDArray[np.float64], limit: float = 0.0) -> Duals:
        places = max(1, int(self.rows.count.sum()))
        return whole(rows, cuts, limit, costly=self.rows.dearest, places=places)

    def part(self, chosen: Ints, count: Ints) -> HistogramPricing:
        """Of some rows (rising), with counts of their own."""
        return HistogramPricing(self.rows.part(chosen, count), self.histograms, 1, self.clock)

    def _ways(self, duals: Duals) -> Iterator[Way]:
        rows = self.rows
        asked = question(
            rows.geometry,
            rows.cells,
            rows.value,
            rows.count,
            self.histograms.steps,
            self.cuts.index(duals.cuts),
            duals.rows,
            duals.scale,
        )

        def begin() -> Search:
            if self.buckets:
                return partial(search_one_per_value, asked, shelf(asked, self._values))
            return partial(search, asked, stack(asked))

        pace = WORK.visited if self.rows.in_trees else WORK.visited_numbers
        pace = WORK.visited_buckets if self.buckets else pace
        yield Way(anchors=self._anchors, wide=self.histograms.steps.largest, begin=begin, pace=pace)
