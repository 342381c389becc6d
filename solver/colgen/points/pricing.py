"""Pricing of groups of points: every group of a needed size that pays is found, or else that is said.

Between rounds, groups are taken over that pay most, each row in a few. A list of all that pay makes duals
feasible better than by anchors: one pass over it lowers the duals of a group's members by what it lacks.

For large k there are too many groups that nearly pay. Then sets of fewer tuples, m, stand for them: the
squared error of a group of s >= k is at least ``F = (k - 1) m / (k (m - 1))`` times that of its sets of m,
each counted with weight ``1 / C(s - 1, m - 1)`` (every pair is in C(s - 2, m - 2) of them, so these have
``(m - 1) / (m (s - 1))`` of all pairs' squares, the group 1 / s). So duals that no set of m breaks, at F
times its cost, no group breaks. They bound every release; cuts say nothing there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...exact.incidence import Members
from ...settings import Clock
from ..covering import Ints
from ..duals import Duals, whole
from ..kernels.question import CutIndex
from ..limits import PRICING
from ..pricing import Priced, Pricing, Way
from .kernel import PointQuestion, chosen, desk, lowered, profits, search
from .limits import POINTS as LIMITS
from .table import PointRows

__all__ = ["PointPricing"]


class PointPricing(Pricing[PointRows]):
    """Groups of `sizes` points.

    Parameters
    ----------
    rows : PointRows
    sizes : range
    workers, clock
        As in `Pricing`.
    """

    def __init__(self, rows: PointRows, sizes: range, workers: int = 1, clock: Clock | None = None) -> None:
        super().__init__(rows, workers, clock)
        self.sizes, self.up = sizes, dict[tuple[int, ...], int]()
        copies = np.minimum(rows.count, sizes[-1])
        self._row = np.repeat(np.arange(len(rows)), copies)
        later = np.append(False, self._row[1:] == self._row[:-1])
        self._before = np.where(later, np.arange(len(self._row)) - 1, -1)
        same = len(self._row) == len(rows)
        self._pairs = rows.pairs if same else rows.pairs[np.ix_(self._row, self._row)]

    def costs(self, lines: Members) -> Ints:
        """Cost of groups, those of `up` as said there."""
        cost = self.rows.costs(lines)
        if self.up:
            for j, line in enumerate(lines.tolist()):
                known = self.up.get(tuple(row for row in line if row >= 0))
                if known is not None:
                    cost[j] = known
        return cost

    def limited(self, lines: Members) -> Ints:
        """Nobody is suppressed, and nothing invented."""
        return np.zeros(len(lines), dtype=np.int64)

    def duals(self, rows: NDArray[np.float64], cuts: NDArray[np.float64], limit: float = 0.0) -> Duals:
        """Round duals (in costs) down to integers; sums of pairs in the search stay inside 64 bits."""
        most = float(self.rows.most)
        duals = whole(np.clip(rows, -most, most), cuts, limit, costly=0, places=int(self.rows.count.sum()))
        coarse = max(1, duals.scale // LIMITS.scale)
        return Duals(rows=duals.rows // coarse, cuts=duals.cuts // coarse, scale=duals.scale // coarse)

    def price(self, duals: Duals, *, per_anchor: int, nodes: int = PRICING.nodes) -> Priced:
        """As `ColumnSource` says; duals are feasible if lowered by `worst`."""
        found = self._searched(duals, 0, 0, LIMITS.room, LIMITS.nodes)
        rows = len(self.rows)
        lines, profit = self._ordered(found.lines, duals)
        # Duals of at most 0 are feasible whatever there is.
        worst = lowered(lines, profit, rows) if found.complete else np.maximum(0, duals.rows)
        return Priced(
            lines=lines[chosen(lines, rows, per_anchor)],
            worst=worst,
            short=0 if found.complete else 1,
            bounded=self.clock is None or not self.clock.over,
        )

    def reduced(self, lines: Members, duals: Duals) -> Ints:
        """Scaled reduced costs of groups."""
        index = self.cuts.index(duals.cuts)
        touched = np.zeros(len(index.dual) + 1, dtype=np.int64)
        return -profits(lines, self.rows.costs(lines), duals.rows, duals.scale, index, touched)

    def _ordered(self, lines: Members, duals: Duals) -> tuple[Members, Ints]:
        """A list by reduced costs, lowest first, and these with the other sign."""
        profit = -self.reduced(lines, duals)
        order = np.argsort(-profit, kind="stable")
        return lines[order], profit[order]

    def _ways(self, duals: Duals) -> Iterator[Way]:
        # A cut over all rows is the same for all groups of a size: known before their members are.
        everywhere = np.array([len(cut) == len(self.rows) for cut in self.cuts.sets], dtype=np.bool_)
        everywhere = everywhere[: len(duals.cuts)]
        index = self.cuts.index(np.where(everywhere, 0, duals.cuts))
        dual, divisor = duals.cuts[everywhere], self.cuts.divisor[: len(duals.cuts)][everywhere]
        anchors = np.arange(len(self._row), dtype=np.int64)
        for size in self.sizes:
            sure = -int(dual @ (size // divisor))
            asked = PointQuestion(
                self._pairs, self._row, self._before, duals.rows[self._row], size, duals.scale, 0, index, sure
            )
            yield Way(anchors=anchors, wide=self.sizes[-1], begin=partial(_begun, asked))


def _begun(asked: PointQuestion):
    memory = desk(asked)

    def run(
        anchors: Ints, floor: int, per_anchor: int, nodes: int, members: NDArray[np.int32], gains: Ints,
        worst: Ints,
    ) -> tuple[int, int, int]:  # fmt: skip
        return search(asked._replace(slack=-floor - 1), memory, anchors, nodes, members, gains, worst)

    return run


def inner(rows: PointRows, k: int, few: int) -> PointRows:
    """Rows whose sets of `few` stand for groups of k and more; see the module."""
    return replace(rows, pairs=rows.pairs * ((k - 1) * few) // (k * (few - 1)))


_ = CutIndex
