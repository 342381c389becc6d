"""Pricing of groups of points: every group of a needed size that pays is found, or else that is said.

Between rounds, groups are taken over that pay most, each row in a few. A list of all that pay makes duals
feasible better than by anchors: one pass over it lowers the duals of a group's members by what it lacks.

At duals far from feasible ones millions of groups pay. Then those that pay most are looked for, more than a
threshold. No other group pays more than it, so duals are feasible if all are lowered by its part of a group.

Without cuts larger groups need not be searched while some of the smallest size, k, pay: a group of s > k is
covered by its sets of k, each with weight ``1 / C(s - 1, k - 1)``, at ``(k - 1) s / (k (s - 1)) < 1`` times
its cost. Costs are rounded down, so a larger group may still pay less than 1 where no set of k pays.

For large k there are too many groups that nearly pay. Then sets of fewer tuples, m, stand for them: the
squared error of a group of s >= k is at least ``F = (k - 1) m / (k (m - 1))`` times that of its sets of m,
each counted with weight ``1 / C(s - 1, m - 1)`` (every pair is in C(s - 2, m - 2) of them, so these have
``(m - 1) / (m (s - 1))`` of all pairs' squares, the group 1 / s). So duals that no set of m breaks, at F
times its cost, no group breaks. They bound every release; cuts say nothing there.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...exact.incidence import Members
from ...settings import Clock
from ..covering import Ints
from ..duals import Duals, ceil_div, whole
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

    Attributes
    ----------
    block : shape (rows,)
        The block of each row, or -1; groups inside one are neither priced nor listed. None at first.
    """

    def __init__(self, rows: PointRows, sizes: range, workers: int = 1, clock: Clock | None = None) -> None:
        super().__init__(rows, workers, clock)
        self._threshold: int | None = None
        self.block = np.full(len(rows), -1, dtype=np.int64)
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

    def at_sight(self) -> Duals:
        """Duals that are feasible without a search: a tuple's part of its k - 1 nearest ones' pairs.

        A group of s >= k costs half of the sum over its members of their pairs inside, over s. A member's
        s - 1 pairs are no less than those of its s - 1 nearest, and their mean is no less than that of the
        k - 1 nearest: over s that is no less than these over k. Costs are rounded down, and so are duals.
        """
        least, row = self.sizes[0], self._row[self._before < 0]
        near = np.empty(len(row))
        for r, place in zip(row.tolist(), np.flatnonzero(self._before < 0).tolist(), strict=True):
            line = self._pairs[place]
            # The least of all is the tuple with itself.
            near[r] = np.partition(line, least - 1)[:least].sum() if least <= len(line) else 0
        found = self.duals(near / (2 * least), np.zeros(0))
        return replace(found, rows=found.rows - ceil_div(found.scale, least) - 1)

    def price(self, duals: Duals, *, per_anchor: int, nodes: int = PRICING.nodes) -> Priced:
        """As `ColumnSource` says; duals are feasible if lowered by `worst`."""
        rows, least = len(self.rows), self.sizes[0]
        smallest = copy(self)
        smallest.sizes = self.sizes[:1]
        # Of a group in no block, sets of k may lie in one.
        alone = not duals.cuts.any() and len(self.sizes) > 1 and bool((self.block < 0).all())
        found = smallest._most_paying(duals) if alone else None
        if found is None or not (len(found[0]) or found[1]):
            alone, found = False, self._most_paying(duals)
        if found is None:
            # Duals of at most 0 are feasible whatever there is.
            none = np.empty((0, self.sizes[-1]), dtype=np.int32)
            return Priced(lines=none, worst=np.maximum(0, duals.rows), short=1, bounded=False)
        lines, self._threshold = found
        lines, profit = self._ordered(lines, duals)
        shared = ceil_div(self._threshold, least) + (ceil_div(duals.scale, least + 1) if alone else 0)
        return Priced(
            lines=lines[chosen(lines, rows, per_anchor)],
            worst=lowered(lines, profit - self._threshold, rows) + shared,
            short=0,
            bounded=True,
        )

    def _most_paying(self, duals: Duals) -> tuple[Members, int] | None:
        """Groups with a profit above a threshold, all of them, and the threshold; None if time was over.

        It is the least of those tried at which they are not too many. If no group is above it, and too many
        are above what was tried next, there is another between them: groups that pay are seen.
        """
        most = max(1, int(duals.rows.max(initial=0)))
        total = max(0, int(duals.rows @ self.rows.count))
        slight = total * self.sizes[0] // (LIMITS.slight * max(1, int(self.rows.count.sum())))
        at, beyond = most if self._threshold is None else self._threshold, -1
        best: tuple[Members, int] | None = None
        while self.clock is None or not self.clock.over:
            found = self._searched(self._ways(duals), at, 0, LIMITS.room, LIMITS.nodes)
            if found.complete:
                best = found.lines, at
                if not at or len(found.lines) >= LIMITS.enough * len(self.rows):
                    break
            else:
                beyond = at
            if best is None:
                at = max(LIMITS.fall**2 * at, slight, 1)
                continue
            at = best[1] // LIMITS.fall if best[1] > slight else 0
            if at <= beyond:
                if len(best[0]) or best[1] - beyond <= max(1, slight):
                    break
                at = (best[1] + beyond) // 2
        return best

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
                self._pairs,
                self._row,
                self._before,
                duals.rows[self._row],
                size,
                duals.scale,
                0,
                index,
                sure,
                self.block[self._row],
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
