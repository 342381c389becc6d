"""Column generation: the master proposes duals, pricing answers with columns and a bound.

Each round prices integer duals exactly and makes them feasible, so each round proves a bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..exact.odd_sets import separated
from ..settings import Clock
from .column import lines_of
from .duals import DualBound, Duals
from .master import Proposal, RestrictedMaster
from .pricing import ColumnSource

__all__ = ["Generation"]

NODES, MORE = 2_000, 5
"""Search nodes per anchor at first; so many times as many whenever nothing is found."""
CLOSE = 1e-6
"""How close bound and linear program are when it counts as solved, if nothing else is said."""


class _Center(NamedTuple):
    """Duals in costs."""

    rows: NDArray[np.float64]
    cuts: NDArray[np.float64]
    fake: float

    def mixed(self, proposal: Proposal, share: float) -> _Center:
        """So large a share of these, the others from the master."""
        old, rest = np.pad(self.cuts, (0, len(proposal.cuts) - len(self.cuts))), 1 - share
        return _Center(
            share * self.rows + rest * proposal.rows,
            share * old + rest * proposal.cuts,
            share * self.fake + rest * proposal.fake,
        )


class Generation:
    """Rounds of master and pricing.

    Parameters
    ----------
    source : ColumnSource
    master : RestrictedMaster
        With the source's cuts.
    clock : Clock
    per_anchor : int
        Columns taken over per anchor and round.
    most_nodes : int
        Search nodes per anchor, at most.
    close : float
        Relative distance of bound and linear program at which the program counts as solved.
    few : int
        New columns up to which a round weighs the master's duals more.
    raised : callable, optional
        Told of every round.

    Attributes
    ----------
    best : DualBound
        The best proven bound and its duals.
    proposal : Proposal or None
        Latest optimum of the master.
    """

    def __init__(
        self,
        source: ColumnSource,
        master: RestrictedMaster,
        clock: Clock,
        best: DualBound | None = None,
        *,
        per_anchor: int,
        most_nodes: int,
        close: float = CLOSE,
        few: int = 0,
        raised: Callable[[], None] = lambda: None,
    ) -> None:
        self.source, self.master, self.clock = source, master, clock
        self.best = DualBound(source, master.fakes or 0) if best is None else best
        self.proposal: Proposal | None = None
        self._per_anchor, self._most_nodes = per_anchor, most_nodes
        self._close, self._few, self._raised = close, few, raised
        self._center: _Center | None = None

    @property
    def bound(self) -> int:
        """No release within the master's limit costs less."""
        return self.best.bound

    @property
    def duals(self) -> Duals | None:
        """The feasible duals that prove it."""
        return self.best.duals

    def begin(self, rows: NDArray[np.float64], fake: float = 0.0) -> None:
        """Guess duals (in costs) to start from."""
        self._center = _Center(rows, np.zeros(0), fake)

    def run(self, smoothing: float = 0.5, *, seconds: float | None = None) -> bool:
        """Generate columns until the linear program is solved; False if time or nodes ran out first.

        Duals are mixed with the ones of the best bound (Wentges): `smoothing` is their share, lowered when
        nothing new is found. In the very first round they are the guess: it may well be feasible.
        """
        end = None if seconds is None else self.clock.seconds + seconds
        nodes, share = min(NODES, self._most_nodes), smoothing
        self.proposal = self.master.solve(self.clock.left) or self.proposal
        while self.proposal is not None and not self.clock.over:
            if end is not None and self.clock.seconds > end:
                return False
            first = self.best.rounds == 0
            asked = self._mixed(self.proposal, 1.0 if first else share)
            duals = self.source.duals(*asked)
            found = self.source.price(duals, per_anchor=self._per_anchor, nodes=nodes)
            if not found.bounded:
                return False
            before = self.best.value
            if self.best.offer(duals.made_feasible(found.worst)) > before:
                self._center = asked
            self._raised()
            fresh = self.master.add(found.columns)
            if float(self.best.value) >= self.proposal.value - self._close * abs(self.proposal.value) - 1e-3:
                return True
            if not fresh and not first:
                if not found.complete and nodes >= self._most_nodes:
                    return False
                if not found.complete:
                    nodes = min(self._most_nodes, MORE * nodes)
                elif share == 0:
                    return True
                else:
                    share = share / 2 if share > 0.1 else 0.0
                continue
            if fresh < self._few:
                share *= 0.6
            proposal = self.master.solve(self.clock.left)
            if proposal is None:
                return False
            self.proposal = proposal
        return False

    def cut(self) -> bool:
        """Add cuts that the latest optimum breaks; False if none were found."""
        if self.proposal is None:
            return False
        taken = np.flatnonzero(self.proposal.amount > 0)
        lines = lines_of(self.master.columns[j].rows for j in taken.tolist())
        fresh = separated(lines, self.proposal.amount[taken], self.source.rows.count, self.source.cuts.sets)
        self.source.cuts.add(fresh)
        self.master.extend()
        return bool(fresh)

    def _mixed(self, proposal: Proposal, share: float) -> _Center:
        if self._center is None or share == 0:
            return _Center(proposal.rows, proposal.cuts, proposal.fake)
        return self._center.mixed(proposal, share)
