"""Column generation, round by round: a linear program proposes duals, pricing finds columns and a bound.

Each round prices integer duals exactly and makes them feasible, so each round proves a bound. The duals that
are priced are mixed of those that proved most so far (the center) and those that are proposed (Wentges). The
loop is told here once, for linear programs that differ in three things:

========================  ==============================  ====================================================
what differs              `Generation`, by simplex        `Relaxation`, by first-order steps
========================  ==============================  ====================================================
where duals may be        anywhere: they are optimal      in a box around the center: they are rough
what a bad round changes  less of the center in the mix   more of it, and a smaller box
when it counts as solved  before the program knows the    after: what was rough before says little
                          columns of the round
========================  ==============================  ====================================================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..exact.incidence import Members
from ..exact.odd_sets import separated
from ..settings import Clock
from .duals import DualBound, Duals
from .pricing import ColumnSource, Priced

__all__ = ["NODES", "DualPoint", "GenerationLoop", "Round"]

NODES = 2_000
"""Search nodes per anchor at first."""

Floats = NDArray[np.float64]


class DualPoint(NamedTuple):
    """Duals of rows, of cuts and of the limit, in the linear program's unit."""

    rows: Floats
    cuts: Floats
    limit: float = 0.0

    def mixed(self, other: DualPoint, share: float) -> DualPoint:
        """So large a share of these, the rest of others; of cuts that only the others know, these have 0."""
        old, rest = np.pad(self.cuts, (0, len(other.cuts) - len(self.cuts))), 1 - share
        return DualPoint(
            share * self.rows + rest * other.rows,
            share * old + rest * other.cuts,
            share * self.limit + rest * other.limit,
        )


class Round(NamedTuple):
    """What a round brought.

    Attributes
    ----------
    found : Priced
    fresh : int
        Columns that the linear program did not know.
    gained : bool
        Whether its duals are the new center.
    first : bool
        Whether they were the center that the rounds began with.
    """

    found: Priced
    fresh: int
    gained: bool
    first: bool


class GenerationLoop(ABC):
    """GenerationLoop of a linear program and pricing.

    Attributes
    ----------
    best : DualBound
        The best proven bound and its duals.
    center : DualPoint
        The duals that proved most.
    level : Fraction or float
        What they proved; duals that prove more become the center.
    share : float
        Of the center, in the duals that are priced.
    nodes : int
        Of a search per anchor.
    unit : float
        Costs per unit of the linear program's duals.
    """

    def __init__(
        self,
        source: ColumnSource,
        clock: Clock,
        best: DualBound,
        raised: Callable[[], None],
        *,
        per_anchor: int,
        nodes: int,
        unit: float = 1.0,
    ) -> None:
        self.clock, self.best = clock, best
        self.center = DualPoint(np.zeros(len(source.rows)), np.zeros(0))
        self.level: Fraction | float = best.value
        self.share, self.nodes, self.unit = 1.0, nodes, unit
        self._source, self._raised, self._per_anchor = source, raised, per_anchor

    @abstractmethod
    def _add(self, found: Priced) -> int:
        """Let the linear program know columns; how many it did not know."""

    @abstractmethod
    def _next(self, done: Round) -> DualPoint | bool:
        """Duals that the linear program proposes next, or how it ended: solved or not."""

    def _centered(self, asked: DualPoint, feasible: Duals) -> DualPoint:
        """The center after duals that proved more, made feasible."""
        del feasible
        return asked

    def _generate(self, proposal: DualPoint | bool, *, first: bool) -> bool:
        """Go on until the linear program is solved; False if time, nodes or rounds ran out before.

        In the `first` round the center itself is priced: it may well be feasible.
        """
        while isinstance(proposal, DualPoint):
            asked = self.center.mixed(proposal, 1.0 if first else self.share)
            unit = self.unit
            duals = self._source.duals(asked.rows * unit, asked.cuts * unit, asked.limit * unit)
            found = self._source.price(duals, per_anchor=self._per_anchor, nodes=self.nodes)
            if not found.bounded:
                return False
            feasible = duals.made_feasible(found.worst, found.limits)
            proved = self.best.offer(feasible)
            gained = proved > self.level
            if gained:
                self.level, self.center = proved, self._centered(asked, feasible)
            self._raised()
            proposal = self._next(Round(found, self._add(found), gained, first))
            first = False
        return proposal

    def _separate(self, lines: Members, amount: Floats, least: float = 0.02) -> int:
        """Add cuts that amounts of columns break by `least` or more; returns how many."""
        rows, cuts = self._source.rows, self._source.cuts
        fresh = separated(lines, amount, rows.count, cuts.sets, least=least)
        cuts.add(fresh)
        return len(fresh)
