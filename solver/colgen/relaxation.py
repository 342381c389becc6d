"""Column generation with a first-order method: start duals, rounds of pricing, cuts.

Each round prices integer duals exactly, so each round proves a bound. The next duals come from
a few hundred first-order iterations inside a box around the duals that proved most so far; a
row's side doubles when its dual runs into it and all sides shrink when a round proves no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ..exact.odd_sets import separated
from ..limits import FIRST_ORDER as LIMITS, PRICING
from ..settings import Clock
from .duals import DualBound, Duals
from .first_order import FirstOrder, State
from .histogram_pricing import HistogramPricing
from .neighbours import around
from .pool import Pool

__all__ = ["Relaxation"]


Floats = NDArray[np.float64]


class Relaxation:
    """The linear program of all needed groups and the cuts found so far.

    Attributes
    ----------
    best : DualBound
        The best proven bound and its duals.

    Notes
    -----
    It starts from the duals `begin`, or from a guess.
    """

    def __init__(
        self,
        pricing: HistogramPricing,
        clock: Clock,
        best: DualBound,
        raised: Callable[[], None],
        begin: Duals | None = None,
    ) -> None:
        self.pricing, self.clock, self.best = pricing, clock, best
        self._raised = raised
        self._nodes, self._cutting = 2_000, 0.0
        rows = pricing.rows
        guess = around(rows, pricing.histograms.steps, clock)
        known = guess[np.isfinite(guess)]
        typical = float(known.mean()) if len(known) else 0.0
        guess = np.where(np.isfinite(guess), guess, typical)
        self.columns = Pool(pricing, pricing.histograms.steps.largest)
        self.program = FirstOrder(
            rows, pricing.cuts, self.columns, max(1.0, typical), LIMITS.guess * guess / max(1.0, typical)
        )
        self._center = self.program.dual.copy()
        if begin is not None:
            dual = np.concatenate([begin.rows, begin.cuts]).astype(np.float64)
            self._center = dual / (begin.scale * self.program.unit)

    def start(self, groups: Sequence[Sequence[int]]) -> None:
        """Add groups (of a release, for instance) as columns."""
        wide = self.columns.wide
        least = 1 if self.pricing.rows.spare else 0
        self.columns.add([group for group in groups if least < len(group) <= wide])

    def run(self, close: float, *, box: float = 0.3, smoothing: float = 0.3, rounds: int = 200) -> bool:
        """Generate until bound and linear program are `close` (relative); False if stopped before.

        Parameters
        ----------
        box
            First side of the box around the duals, in typical costs per tuple.
        smoothing
            First share of the best duals in those that are priced.
        """
        rows, cuts = len(self.pricing.rows), len(self.pricing.cuts)
        program = self.program
        center = np.concatenate([self._center, np.zeros(rows + cuts - len(self._center))])
        program.dual = center.copy()
        lowest = highest = center[:rows]
        side, share, value = np.full(rows, box), smoothing, -np.inf
        for number in range(rounds):
            mixed = center if number == 0 else share * center + (1 - share) * program.dual
            proved, whole = self._price(mixed)
            if proved is None:
                return False
            if proved > value:
                value, center, share = proved, mixed.copy(), max(0.05, 0.8 * share)
                if number:
                    at_edge = (program.dual[:rows] <= lowest + 1e-9) | (program.dual[:rows] >= highest - 1e-9)
                    side = np.where(at_edge, 2 * side, np.maximum(0.05, 0.97 * side))
            else:
                share, side = min(0.9, share + 0.15), np.maximum(0.02, 0.7 * side)
            self._center = center
            program.prune(LIMITS.kept * rows, LIMITS.most_kept * rows)
            lowest, highest = self._box(center[:rows], side, box)
            state = program.run(lowest, highest, program.affordable(LIMITS.iterations, self.clock))
            if whole and self._solved(state, close):
                return True
            if self.clock.over:
                return False
        return False

    def cut(self, least: float) -> int:
        """Add cuts that the amounts break by `least` or more; returns how many."""
        if not self.clock.fits(2 * self._cutting):
            return 0
        began = perf_counter()
        fresh = separated(
            self.columns.lines,
            self.program.amount,
            self.pricing.rows.count,
            self.pricing.cuts.sets,
            least=least,
        )
        self.pricing.cuts.add(fresh)
        self._cutting = perf_counter() - began
        return len(fresh)

    def _box(self, center: Floats, side: Floats, wide: float) -> tuple[Floats, Floats]:
        """Ends of the duals; where tuples may be suppressed, none is far above what that costs."""
        lowest, highest = center - side, center + side
        rows = self.pricing.rows
        if rows.spare:
            highest = np.minimum(highest, (rows.single + self._limit_dual) / self.program.unit + wide)
        return np.minimum(lowest, highest), highest

    @property
    def _limit_dual(self) -> float:
        """What the limit on suppressed tuples adds to their cost, at the best duals."""
        known = self.best.duals
        return 0.0 if known is None else -known.fake / known.scale

    def _solved(self, state: State, close: float) -> bool:
        bound, rows = float(self.best.value), self.pricing.rows
        # Suppressed tuples are in no group, and are paid for by the ends of the duals.
        spared = rows.spare * self._limit_dual
        left_out = rows.spare / len(rows)
        return (
            state.missing < LIMITS.missing + left_out
            and state.dual - spared - bound < close * abs(bound)
            and (left_out > 0 or abs(state.primal - bound) < 3 * close * abs(bound))
        )

    def _price(self, dual: Floats) -> tuple[float | None, bool]:
        """The bound that duals prove (None: out of time), and whether nearly all was searched."""
        rows, unit = len(self.pricing.rows), self.program.unit
        duals = self.pricing.duals(dual[:rows] * unit, dual[rows:] * unit)
        found = self.pricing.price(duals, per_anchor=LIMITS.per_anchor, nodes=self._nodes)
        if not found.bounded:
            return None, False
        proved = self.best.offer(duals.made_feasible(found.worst))
        self._raised()
        self.columns.add(
            found.lines[(found.lines >= 0).sum(axis=1) > 1] if self.pricing.rows.spare else found.lines
        )
        whole = found.short <= LIMITS.whole_share * rows
        if not whole:
            self._nodes = min(PRICING.nodes, 2 * self._nodes)
        return float(proved), whole
