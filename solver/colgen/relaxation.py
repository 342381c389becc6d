"""Rounds with a linear program that first-order steps nearly solve, for tables where simplex is too slow.

The next duals come from a few hundred first-order iterations inside a box around the duals that proved most
so far; a row's side doubles when its dual runs into it and all sides shrink when a round proves no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...models.moment import moment
from ..settings import Clock
from .duals import DualBound, Duals
from .first_order import FirstOrder, State
from .histogram_pricing import HistogramPricing
from .limits import FIRST_ORDER as LIMITS, PRICING
from .loop import NODES, DualPoint, GenerationLoop, Round
from .neighbours import around
from .pool import Pool
from .pricing import Priced

__all__ = ["Relaxation"]


Floats = NDArray[np.float64]


class Relaxation(GenerationLoop):
    """The linear program of all needed groups and the cuts found so far.

    Attributes
    ----------
    columns : Pool
    program : FirstOrder

    Notes
    -----
    It starts from the duals `begin`, or from a guess. With `feasible`, the center are the duals that proved
    most after they were made feasible: where that takes little from them, whatever is mixed with them is
    nearly feasible, too. Around duals that are not, rounds may find known columns only, and prove no more.
    """

    def __init__(
        self,
        pricing: HistogramPricing,
        clock: Clock,
        best: DualBound,
        raised: Callable[[], None],
        begin: Duals | None = None,
        *,
        feasible: bool = False,
    ) -> None:
        rows = pricing.rows
        if begin is not None and feasible:
            guess = begin.rows / begin.scale
        else:
            guess = around(rows, pricing.histograms.steps, clock)
        known = guess[np.isfinite(guess)]
        typical = float(known.mean()) if len(known) else 0.0
        guess = np.where(np.isfinite(guess), guess, typical)
        unit = max(1.0, typical)
        super().__init__(pricing, clock, best, raised, per_anchor=LIMITS.per_anchor, nodes=NODES, unit=unit)
        self.pricing = pricing
        self.columns = Pool(pricing, pricing.histograms.steps.largest)
        self.program = FirstOrder(
            rows, pricing.cuts, self.columns, unit, LIMITS.guess * guess / unit, threads=pricing.workers
        )
        if begin is None:
            self.center = DualPoint(self.program.dual.copy(), np.zeros(0))
        else:
            asked = begin.scale * unit
            self.center = DualPoint(begin.rows / asked, begin.cuts / asked)
        self._feasible = feasible
        self._close, self._wide, self._left, self._cutting = 0.0, 0.0, 0, 0.0
        self._between = LIMITS.iterations
        self._side, self._ends = np.zeros(len(rows)), (self.center.rows, self.center.rows)

    def start(self, groups: Sequence[Sequence[int]]) -> None:
        """Add groups (of a release, for instance) as columns."""
        wide = self.columns.wide
        least = 1 if self.pricing.rows.spare else 0
        self.columns.add([group for group in groups if least < len(group) <= wide])

    def run(
        self,
        close: float,
        *,
        box: float = 0.3,
        smoothing: float = 0.3,
        rounds: int = 200,
        iterations: int = LIMITS.iterations,
        again: bool = False,
    ) -> bool:
        """Generate until bound and linear program are `close` (relative); False if stopped before.

        Parameters
        ----------
        box
            First side of the box around the duals, in typical costs per tuple.
        smoothing
            First share of the best duals in those that are priced.
        rounds
            At most so many.
        iterations
            First-order steps between two of them; after the last one as many as ever.
        again
            What the center proves is known from the last run, and nothing else was offered since.
        """
        known = self.center
        cuts = np.pad(known.cuts, (0, len(self.pricing.cuts) - len(known.cuts)))
        self.center = DualPoint(known.rows, cuts)
        self.program.dual = np.concatenate([known.rows, cuts])
        # What was proven before may have been without cuts: the center is what proves most from here on.
        self.level, self.share = -np.inf, smoothing
        self._close, self._wide, self._left, self._between = close, box, rounds, iterations
        self._side, self._ends = np.full(len(known.rows), box), (known.rows, known.rows)
        if again:
            self.level = self.best.value
            self._iterated()
            return self._generate(self._proposed(), first=False)
        return self._generate(self.center, first=True)

    def cut(self, least: float) -> int:
        """Add cuts that the amounts break by `least` or more; returns how many."""
        if not self.clock.fits(2 * self._cutting):
            return 0
        began = moment()
        found = self._separate(self.columns.lines, self.program.amount, least)
        if not self.clock.counted:
            self._cutting = moment() - began
        return found

    def _centered(self, asked: DualPoint, feasible: Duals) -> DualPoint:
        if not self._feasible:
            return asked
        unit = feasible.scale * self.unit
        return DualPoint(feasible.rows / unit, asked.cuts, asked.limit)

    def _add(self, found: Priced) -> int:
        lines = found.lines
        return self.columns.add(lines[(lines >= 0).sum(axis=1) > 1] if self.pricing.rows.spare else lines)

    def _next(self, done: Round) -> DualPoint | bool:
        rows, program = len(self.pricing.rows), self.program
        whole = done.found.short <= LIMITS.whole_share * rows
        if not whole:
            self.nodes = min(PRICING.nodes, 2 * self.nodes)
        self._resize(done)
        program.prune(LIMITS.kept * rows, LIMITS.most_kept * rows)
        state = self._iterated()
        if whole and self._solved(state):
            return True
        self._left -= 1
        return False if self.clock.over or not self._left else self._proposed()

    def _iterated(self) -> State:
        """First-order steps in the box around the center."""
        self._ends = self._around(self.center.rows)
        steps = LIMITS.iterations if self._left <= 1 else self._between
        return self.program.run(*self._ends, self.program.affordable(steps, self.clock))

    def _proposed(self) -> DualPoint:
        rows, dual = len(self.pricing.rows), self.program.dual
        return DualPoint(dual[:rows], dual[rows:])

    def _resize(self, done: Round) -> None:
        """Wider where duals ran into the box, smaller after rounds that prove no more."""
        if not done.gained:
            self.share, self._side = min(0.9, self.share + 0.15), np.maximum(0.02, 0.7 * self._side)
            return
        self.share = max(0.05, 0.8 * self.share)
        if not done.first:
            (lowest, highest), dual = self._ends, self.program.dual[: len(self._side)]
            at_edge = (dual <= lowest + 1e-9) | (dual >= highest - 1e-9)
            self._side = np.where(at_edge, 2 * self._side, np.maximum(0.05, 0.97 * self._side))

    def _around(self, center: Floats) -> tuple[Floats, Floats]:
        """Ends of the duals; where tuples may be suppressed, none is far above what that costs."""
        lowest, highest = center - self._side, center + self._side
        rows = self.pricing.rows
        if rows.spare:
            highest = np.minimum(highest, (rows.single + self._limit_dual) / self.unit + self._wide)
        return np.minimum(lowest, highest), highest

    @property
    def _limit_dual(self) -> float:
        """What the limit on suppressed tuples adds to their cost, at the best duals."""
        known = self.best.duals
        return 0.0 if known is None else -known.limit / known.scale

    def _solved(self, state: State) -> bool:
        bound, rows, close = float(self.best.value), self.pricing.rows, self._close
        # Suppressed tuples are in no group, and are paid for by the ends of the duals.
        spared = rows.spare * self._limit_dual
        left_out = rows.spare / len(rows)
        return (
            state.missing < LIMITS.missing + left_out
            and state.dual - spared - bound < close * abs(bound)
            and (left_out > 0 or abs(state.primal - bound) < 3 * close * abs(bound))
        )
