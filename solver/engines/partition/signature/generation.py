"""Column generation with a limit on counterfeits: the master proposes, the searches answer with a bound."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ....colgen.column import padded
from ....exact.odd_sets import separated
from ....settings import Clock
from ..limits import SIGNATURE_LIMITS as LIMITS
from .master import Master, Proposal
from .pricing import Duals, Pricing

__all__ = ["Generation"]


class Generation:
    """The best proven bound so far and the duals that prove it.

    Attributes
    ----------
    duals : Duals or None
        Feasible for every needed group.
    bound : int
        No release within the limit on counterfeits costs less.
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
        self._center: tuple[NDArray[np.float64], float, NDArray[np.float64]] | None = None
        self._exactly = Fraction(-1)

    def begin(self, rows: NDArray[np.float64], fake: float) -> None:
        """Guess duals (in costs) to start from."""
        self._center = rows, fake, np.zeros(0)

    def run(
        self, smoothing: float = 0.5, *, seconds: float | None = None, most_nodes: int = LIMITS.most_nodes
    ) -> bool:
        """Generate columns until the linear program is solved; False if time or nodes ran out first.

        Duals are mixed with the ones of the best bound (Wentges): `smoothing` is their share,
        lowered when nothing new is found.
        """
        end = None if seconds is None else self.clock.seconds + seconds
        nodes, share = min(LIMITS.first_nodes, most_nodes), smoothing
        self.proposal = self.master.solve(self.clock.left) or self.proposal
        while self.proposal is not None and not self.clock.over:
            if end is not None and self.clock.seconds > end:
                return False
            self.rounds += 1
            # The guess first, as it is: it may well be feasible, and later bounds start from it.
            first = self.rounds == 1
            rows, fake, cuts = self._mixed(self.proposal, 1.0 if first else share)
            duals = self.pricing.duals(rows, cuts, fake)
            found = self.pricing.search(duals, per_anchor=LIMITS.per_anchor, nodes=nodes)
            if not found.bounded:
                return False
            self.offer(duals.lowered(found.best), (rows, fake, cuts))
            close = (
                float(self._exactly) >= self.proposal.value - LIMITS.close * abs(self.proposal.value) - 1e-3
            )
            if self.master.add(found.columns) == 0 and not close and not first:
                if not found.whole and nodes >= most_nodes:
                    return False
                if not found.whole:
                    nodes = min(most_nodes, 5 * nodes)
                elif share == 0:
                    return True
                else:
                    share = share / 2 if share > 0.1 else 0.0
                continue
            if close:
                return True
            proposal = self.master.solve(self.clock.left)
            if proposal is None:
                return False
            self.proposal = proposal
        return False

    def cut(self) -> bool:
        """Add subset-row cuts that the latest optimum breaks; False if none were found."""
        if self.proposal is None:
            return False
        taken = np.flatnonzero(self.proposal.amount > 0)
        groups = [self.master.columns[j].rows for j in taken.tolist()]
        members = padded(groups, max(map(len, groups), default=1))
        fresh = separated(
            members, self.proposal.amount[taken], self.pricing.types.rows.count, self.pricing.cuts.sets
        )
        self.pricing.cuts.add(fresh)
        self.master.extend()
        return bool(fresh)

    def offer(
        self, duals: Duals, center: tuple[NDArray[np.float64], float, NDArray[np.float64]] | None = None
    ) -> None:
        """Keep feasible duals if they prove more."""
        types, cuts, fakes = self.pricing.types, self.pricing.cuts, self.master.fakes
        value = Fraction(duals.value(types, cuts, fakes), duals.scale)
        if value > self._exactly:
            self._exactly, self.duals = value, duals
            self.bound = max(0, duals.bound(types, cuts, fakes))
            if center is not None:
                self._center = center

    def _mixed(
        self, proposal: Proposal, share: float
    ) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]:
        if self._center is None or share == 0:
            return proposal.rows, proposal.fake, proposal.cuts
        rows, fake, cuts = self._center
        cuts = np.concatenate([cuts, np.zeros(len(proposal.cuts) - len(cuts))])
        return (
            share * rows + (1 - share) * proposal.rows,
            share * fake + (1 - share) * proposal.fake,
            share * cuts + (1 - share) * proposal.cuts,
        )
