"""Integer duals, the exact bound they prove, and the groups that pay at them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..settings import Clock
from .column import in_order
from .cuts import Cuts
from .kernels.histogram import search
from .kernels.one_per_value import search_buckets, shelf
from .kernels.question import Question, question, stack
from .structure.histograms import Histograms
from .table import Ints, Rows

__all__ = ["LEAST_CHUNK", "MOST_CHUNK", "MOST_NODES", "PAUSE", "Duals", "Found", "Pricing", "ceil_div"]

ROOM = 1 << 61
"""Largest sum that may occur in a search; leaves one bit of int64 to spare."""
MOST_NODES = 200_000
"""Search nodes per anchor, at most."""
LEAST_CHUNK, MOST_CHUNK, PAUSE = 8, 256, 0.005
"""Anchors between two looks at the clock: so many at first and at most; fewer, if that takes so long."""
FINE = 1 << 14
"""Finest unit of duals, as a fraction of a cost."""


@dataclass(frozen=True, kw_only=True)
class Duals:
    """Duals as integers in 1 / `scale` of a cost: any sign for rows, at most 0 for cuts.

    Notes
    -----
    If no needed group's profit (duals of its rows, plus penalties of its cuts, minus scaled cost) is
    positive, every release costs at least `value` / `scale`: the sum over its groups of duals and
    penalties is at most its scaled cost, rows add up to their counts, and a cut's coefficients
    add up to at most its limit while its dual is at most 0.
    """

    rows: Ints
    cuts: Ints
    scale: int

    def value(self, rows: Rows, cuts: Cuts) -> int:
        """Scaled bound, if the duals are feasible."""
        return int(self.rows @ rows.count) + int(self.cuts @ cuts.limit[: len(self.cuts)])

    def bound(self, rows: Rows, cuts: Cuts) -> int:
        """No release costs less, if the duals are feasible; costs are integers."""
        return ceil_div(self.value(rows, cuts), self.scale)

    def lowered(self, best: Ints) -> Duals:
        """Duals at which groups with a profit of at most `best` of their anchor pay no more.

        Every group contains its anchor, so lowering the anchor's dual by `best` lowers its profit by at
        least as much, and no group's profit rises.
        """
        return Duals(rows=self.rows - np.maximum(best, 0), cuts=self.cuts, scale=self.scale)


def ceil_div(a: int, b: int) -> int:
    """Exact ceiling of a quotient of integers."""
    return -(-a // b)


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a search for paying groups found.

    Attributes
    ----------
    members : int array, one line per group
        Rows of each group in rising order, then -1.
    profits : int array
        Scaled, above the floor asked for.
    best : int array, shape (rows,)
        Per anchor, no needed group has a higher profit (or floor).
    short : int
        How many searches were not carried to their end.
    bounded : bool
        Whether `best` is valid: there was room for all groups, and time for all anchors.
    """

    members: NDArray[np.int32]
    profits: Ints
    best: Ints
    short: int
    bounded: bool

    @property
    def whole(self) -> bool:
        """Whether every anchor was searched to its end."""
        return self.bounded and self.short == 0

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Rows of each group, in rising order."""
        return tuple(tuple(u for u in line if u >= 0) for line in self.members.tolist())


class Pricing:
    """Searches for groups of one problem.

    Attributes
    ----------
    buckets : bool
        Whether every needed group has one tuple of each sensitive value.
    """

    def __init__(
        self, rows: Rows, histograms: Histograms, workers: int = 1, clock: Clock | None = None
    ) -> None:
        self.rows, self.histograms, self.workers = rows, histograms, workers
        self.cuts, self.clock = Cuts(rows), clock
        self._values = int(rows.value.max()) + 1
        self.buckets = histograms.one_of_each(self._values)
        self._anchors = np.flatnonzero(rows.value == 0) if self.buckets else np.arange(len(rows))

    def _kernel(self, asked: Question) -> tuple[Any, Callable[[], Any]]:
        """The compiled search that fits the needed groups, and what makes its working memory."""
        if self.buckets:
            return search_buckets, lambda: shelf(asked, self._values)
        return search, lambda: stack(asked)

    def duals(self, rows: NDArray[np.float64], cuts: NDArray[np.float64]) -> Duals:
        """Round duals (in costs) down to the finest unit that keeps all sums inside int64."""
        tuples = max(1, int(self.rows.count.sum()))
        largest = float(np.abs(rows).max(initial=0.0)) + self.rows.most / tuples
        total = tuples * largest * 2 + float(np.abs(cuts).sum()) + 1
        scale = 1
        while scale < FINE and total * scale * 2 < ROOM:
            scale *= 2
        clip = ROOM / (4 * tuples * scale)
        whole = np.floor(np.clip(rows * scale, -clip, clip)).astype(np.int64)
        return Duals(rows=whole, cuts=np.floor(np.minimum(cuts, 0) * scale).astype(np.int64), scale=scale)

    def search(
        self,
        duals: Duals,
        *,
        floor: int = 0,
        per_anchor: int = 0,
        room: int | None = None,
        nodes: int = MOST_NODES,
    ) -> Found:
        """Find groups with a scaled profit above `floor`; see `search.search`."""
        asked = question(
            self.rows.geometry,
            self.rows.cells,
            self.rows.value,
            self.rows.count,
            self.histograms.steps,
            self.cuts.index(duals.cuts),
            duals.rows,
            duals.scale,
        )
        kernel, memory_of = self._kernel(asked)
        parts = [self._anchors[w :: self.workers].copy() for w in range(self.workers)]

        def run(part: Ints) -> tuple[NDArray[np.int32], Ints, Ints, int]:
            most = len(part) * per_anchor if room is None else -(-room // len(parts))
            groups = np.empty((most, max(1, self.histograms.steps.largest)), dtype=np.int32)
            profits, best = np.empty(most, dtype=np.int64), np.zeros(len(self.rows), dtype=np.int64)
            memory, total, cut_short = memory_of(), 0, 0
            at, chunk = 0, LEAST_CHUNK
            while at < len(part):
                if self.clock is not None and self.clock.over:
                    return groups[:total], profits[:total], best, -1
                began, here = perf_counter(), part[at : at + chunk]
                found, short, _ = kernel(
                    asked,
                    memory,
                    here,
                    floor,
                    per_anchor,
                    nodes,
                    groups[total:],
                    profits[total:],
                    best,
                )
                total, at = total + found, at + len(here)
                if short < 0:
                    return groups[:total], profits[:total], best, -1
                cut_short += short
                # Some anchors take a thousand times longer; the answer is the same however they are cut.
                slow = perf_counter() - began > PAUSE
                chunk = max(1, chunk // 2) if slow else min(MOST_CHUNK, 2 * chunk)
            return groups[:total], profits[:total], best, cut_short

        if len(parts) == 1:
            answers = [run(parts[0])]
        else:
            with ThreadPoolExecutor(len(parts)) as pool:
                answers = list(pool.map(run, parts))
        return Found(
            members=in_order(np.concatenate([answer[0] for answer in answers])),
            profits=np.concatenate([answer[1] for answer in answers]),
            best=np.max([answer[2] for answer in answers], axis=0),
            short=sum(max(0, answer[3]) for answer in answers),
            bounded=all(answer[3] >= 0 for answer in answers),
        )
