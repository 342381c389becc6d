"""Column generation: the master proposes duals, the exact search answers with groups and a bound."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..settings import Clock
from .dual_bound import Best
from .master import Master, Proposal
from .pricing import MOST_NODES, Pricing

__all__ = ["Generation"]

PER_ANCHOR = 3
"""Groups taken over per anchor and round."""
NODES = 2_000
"""Search nodes per anchor at first; five times as many whenever nothing is found."""
CLOSE = 1e-6
"""Relative distance of bound and linear program at which a round ends."""


class Generation:
    """Rounds of master and pricing.

    Attributes
    ----------
    best : Best
        The best proven bound and its duals.
    proposal : Proposal or None
        Latest optimum of the master.
    """

    def __init__(self, pricing: Pricing, master: Master, clock: Clock, best: Best) -> None:
        self.pricing, self.master, self.clock = pricing, master, clock
        self.best = best
        self.proposal: Proposal | None = None
        self._center: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    def begin(self, rows: NDArray[np.float64]) -> None:
        """Guess duals (in costs) to start from."""
        self._center = rows, np.zeros(0)

    def run(self, smoothing: float = 0.5, close: float = CLOSE) -> bool:
        """Generate groups until the linear program is solved; False if time ran out first.

        Duals are mixed with the ones of the best bound (Wentges): `smoothing` is their share,
        lowered when nothing new is found.
        """
        nodes, share = NODES, smoothing
        self.proposal = self._solve() or self.proposal
        while self.proposal is not None and not self.clock.over:
            rows, cuts = self._mixed(self.proposal, share)
            duals = self.pricing.duals(rows, cuts)
            found = self.pricing.search(duals, per_anchor=PER_ANCHOR, nodes=nodes)
            if not found.bounded:
                return False
            before = self.best.value
            if self.best.offer(duals.lowered(found.best)) > before:
                self._center = rows, cuts
            if float(self.best.value) >= self.proposal.value - close * abs(self.proposal.value):
                self.master.add(found.groups)
                return True
            if self.master.add(found.groups) == 0:
                if not found.whole and nodes == MOST_NODES:
                    return False
                if not found.whole:
                    nodes = min(MOST_NODES, 5 * nodes)
                elif share == 0:
                    return True
                else:
                    share = share / 2 if share > 0.1 else 0.0
                continue
            proposal = self._solve()
            if proposal is None:
                return False
            self.proposal = proposal
        return False

    def _solve(self) -> Proposal | None:
        return self.master.solve(self.clock.left)

    def _mixed(self, proposal: Proposal, share: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self._center is None or share == 0:
            return proposal.rows, proposal.cuts
        rows, cuts = self._center
        cuts = np.concatenate([cuts, np.zeros(len(proposal.cuts) - len(cuts))])
        return share * rows + (1 - share) * proposal.rows, share * cuts + (1 - share) * proposal.cuts
