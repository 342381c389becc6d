"""Groups without counterfeits or past: those whose histogram cannot be split into admissible ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..settings import Clock
from .column import Members
from .duals import Duals, whole
from .kernels.histogram import search
from .kernels.one_per_value import search_one_per_value, shelf
from .kernels.question import question, stack
from .pricing import Pricing, Search, Way
from .structure.histograms import Histograms
from .table import Ints, Rows

__all__ = ["HistogramPricing"]


class HistogramPricing(Pricing):
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
        return np.zeros(len(lines), dtype=np.int64)

    def duals(self, rows: NDArray[np.float64], cuts: NDArray[np.float64], fake: float = 0.0) -> Duals:
        places = max(1, int(self.rows.count.sum()))
        return whole(rows, cuts, fake, costly=self.rows.dearest, places=places)

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

        yield Way(anchors=self._anchors, wide=self.histograms.steps.largest, begin=begin)
