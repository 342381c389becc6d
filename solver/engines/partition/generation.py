"""Column generation: the master proposes duals, the exact search answers with groups and a bound."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...settings import Clock
from .master import Master, Proposal
from .pricing import MOST_NODES, Duals, Pricing

__all__ = ["Generation"]

PER_ANCHOR = 3
"""Groups taken over per anchor and round."""
NODES = 2_000
"""Search nodes per anchor at first; five times as many whenever nothing is found."""
CLOSE = 1e-6
"""Relative distance of bound and linear program at which a round ends."""


class Generation:
    """The best proven bound so far and the duals that prove it.

    Attributes
    ----------
    duals : Duals or None
        Feasible for every needed group.
    bound : int
        No release costs less.
    proposal : Proposal or None
        Latest optimum of the master.
    rounds : int
        Rounds of pricing.
    """

    def __init__(self, pricing: Pricing, master: Master, clock: Clock) -> None:
        self.pricing, self.master, self.clock = pricing, master, clock
        self.duals: Duals | None = None
        self.bound = 0
        self.proposal: Proposal | None = None
        self.rounds = 0
        self._center: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        self._exactly = Fraction(-1)

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
            self.rounds += 1
            rows, cuts = self._mixed(self.proposal, share)
            duals = self.pricing.duals(rows, cuts)
            found = self.pricing.search(duals, per_anchor=PER_ANCHOR, nodes=nodes)
            if not found.bounded:
                return False
            self.offer(duals.lowered(found.best), (rows, cuts))
            if float(self._exactly) >= self.proposal.value - close * abs(self.proposal.value):
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

    def offer(
        self, duals: Duals, center: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    ) -> None:
        """Keep feasible duals if they prove more."""
        value = Fraction(duals.value(self.pricing.rows, self.pricing.cuts), duals.scale)
        if value > self._exactly:
            self._exactly, self.duals = value, duals
            self.bound = max(0, duals.bound(self.pricing.rows, self.pricing.cuts))
            if center is not None:
                self._center = center

    def _solve(self) -> Proposal | None:
        return self.master.solve(self.clock.left)

    def _mixed(self, proposal: Proposal, share: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self._center is None or share == 0:
            return proposal.rows, proposal.cuts
        rows, cuts = self._center
        cuts = np.concatenate([cuts, np.zeros(len(proposal.cuts) - len(cuts))])
        return share * rows + (1 - share) * proposal.rows, share * cuts + (1 - share) * proposal.cuts
