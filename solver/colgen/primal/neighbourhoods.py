"""Better releases, window by window: the groups of one region are chosen anew by an integer program.

A window holds a few hundred tuples. Which groups it needs is known from the duals: all with a
reduced cost below what the window's groups lose against the bound. They are listed (the best of them, if
there are too many) and HiGHS chooses among them, with the cuts that touch the window. Windows of one
sweep share no tuple, so they are solved side by side and every improvement counts at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...settings import Clock
from ...work import seconds_since, spend, spent
from ..choice import best_of
from ..column import Group
from ..covering import Ints
from ..cuts import Cuts
from ..duals import Duals
from ..histogram_pricing import HistogramPricing
from ..limits import PRICING
from ..table import Rows
from .limits import WINDOWS as LIMITS
from .suppressing import suppressed

__all__ = ["Windows"]


@dataclass(frozen=True, kw_only=True)
class Windows:
    """Windows of one table under fixed duals."""

    pricing: HistogramPricing
    duals: Duals
    seed: int

    def sweep(
        self, groups: Sequence[Group], size: int, random: np.random.Generator
    ) -> Iterator[tuple[Ints, tuple[Group, ...]]]:
        """Cut the release into windows of at most `size` tuples and improve each.

        Yields the places in `groups` of those to be replaced, and what replaces them.
        """
        costs = np.array(self.pricing.rows.group_costs(groups), dtype=np.int64)
        earned = np.array([int(self.duals.rows[list(group)].sum()) for group in groups], dtype=np.int64)
        parts = self._cut(groups, size, random)
        lost = [int((costs[part] * self.duals.scale - earned[part]).sum()) for part in parts]
        order = np.argsort(-np.array(lost), kind="stable")

        clock = Clock() if self.pricing.clock is None else self.pricing.clock
        planned = clock.planned

        def one(place: int) -> tuple[tuple[Group, ...] | None, float]:
            began = spent()
            better = self.improve([groups[j] for j in parts[place].tolist()], clock.beside(planned))
            return better, seconds_since(began)

        with ThreadPoolExecutor(self.pricing.workers) as pool:
            pending = [(place, pool.submit(one, place)) for place in order.tolist()]
            try:
                for place, future in pending:
                    if clock.counted and clock.over:
                        break
                    better, seconds = future.result()
                    spend(seconds / PRICING.threads)
                    if better is not None:
                        yield parts[place], better
            finally:
                for _, future in pending:
                    future.cancel()

    def improve(self, groups: Sequence[Group], clock: Clock) -> tuple[Group, ...] | None:
        """Groups of the same tuples that cost less, or None if none were found."""
        if clock.over:
            return None
        flat = np.array([row for group in groups for row in group], dtype=np.int64)
        chosen, count = np.unique(flat, return_counts=True)
        place = {row: at for at, row in enumerate(chosen.tolist())}
        before = [tuple(place[row] for row in group) for group in groups]
        pricing = self.pricing.part(chosen, count.astype(np.int64))
        pricing.clock = clock
        if self.pricing.rows.spare:
            # No more are suppressed than before, but perhaps others.
            pricing.rows = replace(pricing.rows, spare=suppressed(groups))
        local = pricing.rows
        penalty = self._cuts_within(place, pricing.cuts)
        duals = replace(self.duals, rows=self.duals.rows[chosen], cuts=penalty)
        cost = sum(local.group_costs(before))
        slack = (cost - 1) * duals.scale - duals.value(local, pricing.cuts, local.spare)
        if slack < 0:
            return None
        members = _list(pricing, duals, slack, LIMITS.listed * len(flat))
        if members is None:
            return None
        found, _ = best_of(
            pricing,
            members,
            before,
            duals=duals,
            cuts=pricing.cuts,
            nodes=LIMITS.nodes,
            seed=self.seed,
            clock=clock,
        )
        if found is None or sum(local.group_costs([column.rows for column in found])) >= cost:
            return None
        return tuple(tuple(int(chosen[at]) for at in column.rows) for column in found)

    def _cuts_within(self, place: dict[int, int], local: Cuts) -> Ints:
        """Post the parts of cuts that lie in a window (still cuts there); their duals."""
        start, cut = self.pricing.cuts.by_row()
        met = [cut[start[row] : start[row + 1]] for row in place]
        known, times = np.unique(np.concatenate(met), return_counts=True)
        cuts, best = self.pricing.cuts, dict[tuple[tuple[int, ...], int], int]()
        for c in known[times > 1].tolist():
            if c < len(self.duals.cuts) and self.duals.cuts[c] < 0:
                inside = tuple(sorted(place[row] for row in cuts.sets[c] if row in place)), cuts.divisors[c]
                best[inside] = best.get(inside, 0) + int(self.duals.cuts[c])
        for rows, divisor in best:
            local.add([rows], divisor)
        return np.array(list(best.values()), dtype=np.int64)

    def _cut(self, groups: Sequence[Group], size: int, random: np.random.Generator) -> list[Ints]:
        """Halve the groups' centres along wide sides, at random places near the middle."""
        rows = self.pricing.rows
        step = _steps(rows)
        codes = rows.geometry.codes * step
        center = np.array([codes[list(group)].mean(axis=0) for group in groups])
        tuples = np.array([len(group) for group in groups])
        pending, done = [np.arange(len(groups))], list[Ints]()
        while pending:
            part = pending.pop()
            if len(part) < 2 or tuples[part].sum() <= size:
                done.append(part)
                continue
            spread = center[part].max(axis=0) - center[part].min(axis=0)
            a = int(np.argmax(spread * random.uniform(0.7, 1.3, len(spread))))
            order = part[np.argsort(center[part, a], kind="stable")]
            half = min(len(order) - 1, max(1, int(len(order) * random.uniform(0.4, 0.6))))
            pending += [order[:half], order[half:]]
        return done


def _steps(rows: Rows) -> NDArray[np.float64]:
    """What one step of each attribute's codes costs, roughly."""
    geometry = rows.geometry
    return np.where(geometry.tree < 0, geometry.weight, rows.scale / np.maximum(1, geometry.side)).astype(
        float
    )


def _list(pricing: HistogramPricing, duals: Duals, slack: int, room: int) -> NDArray[np.int32] | None:
    """The groups of lowest reduced cost, up to `slack` or as many as there is room for."""
    floor = slack
    while floor > LIMITS.least_share * slack or floor == slack:
        found = pricing.all_below(duals, floor, room=room, nodes=LIMITS.search_nodes)
        if found is not None:
            return found.lines
        if pricing.clock is not None and pricing.clock.over:
            return None
        floor = floor * 3 // 5
    return None
