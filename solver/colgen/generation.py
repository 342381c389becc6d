"""Rounds with a linear program that the simplex method solves: exact optima, for up to some thousand rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..settings import Clock
from .column import lines_of
from .duals import DualBound, Duals
from .loop import NODES, DualPoint, GenerationLoop, Round
from .master import Proposal, RestrictedMaster
from .pricing import ColumnSource, Priced

__all__ = ["Generation"]

MORE = 5
"""So many times as many search nodes whenever nothing is found."""
CLOSE = 1e-6
"""How close bound and linear program are when it counts as solved, if nothing else is said."""


class Generation(GenerationLoop):
    """GenerationLoop of the restricted master and pricing.

    Parameters
    ----------
    source : ColumnSource
    master : RestrictedMaster
        With the source's cuts.
    clock : Clock
    per_anchor : int
        Columns taken over per anchor and round.
    most_nodes : int
        Search nodes per anchor, at most,
    first_nodes : int
        and at first.
    close : float
        Relative distance of bound and linear program at which the program counts as solved.
    few : int
        New columns up to which a round weighs the master's duals more.
    many : int, optional
        New columns from which on the master is solved roughly; never by default.
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
        first_nodes: int = NODES,
        close: float = CLOSE,
        few: int = 0,
        many: int | None = None,
        raised: Callable[[], None] = lambda: None,
    ) -> None:
        known = DualBound(source, master.fakes or 0) if best is None else best
        super().__init__(
            source, clock, known, raised, per_anchor=per_anchor, nodes=min(first_nodes, most_nodes)
        )
        self.source, self.master = source, master
        self.proposal: Proposal | None = None
        self._first_nodes = self.nodes
        self._most_nodes, self._close, self._few, self._many = most_nodes, close, few, many
        self._rough = False
        self._end: float | None = None

    @property
    def bound(self) -> int:
        """No release within the master's limit costs less."""
        return self.best.bound

    @property
    def duals(self) -> Duals | None:
        """The feasible duals that prove it."""
        return self.best.duals

    def begin(self, rows: NDArray[np.float64], limit: float = 0.0) -> None:
        """Guess duals (in costs) to start from."""
        self.center = DualPoint(rows, np.zeros(0), limit)

    def run(self, smoothing: float = 0.5, *, seconds: float | None = None) -> bool:
        """Generate columns until the linear program is solved; False if time or nodes ran out first.

        Of the duals that proved most, `smoothing` is the share at first, lowered when nothing new is found.
        In the very first round the duals are the guess. Called again, it goes on as it ended: no basis is
        left of what was solved roughly.
        """
        self._end = None if seconds is None else self.clock.seconds + seconds
        self.nodes, self.share, self.level = self._first_nodes, smoothing, self.best.value
        self.proposal = self.master.solve(self.clock.rest, roughly=self._rough) or self.proposal
        return self._generate(self._asked(), first=self.best.rounds == 0)

    def exactly(self) -> None:
        """From now on the master is always solved from its last basis."""
        self._many = None

    def cut(self) -> bool:
        """Add cuts that the latest optimum breaks; False if none were found."""
        if self.proposal is None:
            return False
        taken = np.flatnonzero(self.proposal.amount > 0)
        lines = lines_of(self.master.columns[j].rows for j in taken.tolist())
        found = self._separate(lines, self.proposal.amount[taken])
        self.master.extend()
        return found > 0

    def _add(self, found: Priced) -> int:
        return self.master.add(found.columns)

    def _asked(self) -> DualPoint | bool:
        """The latest optimum, while there is time."""
        late = self.clock.over or (self._end is not None and self.clock.seconds > self._end)
        if self.proposal is None or late:
            return False
        return DualPoint(self.proposal.rows, self.proposal.cuts, self.proposal.limit)

    def _next(self, done: Round) -> DualPoint | bool:
        assert self.proposal is not None
        value = self.proposal.value
        # Of a rough value, what is missing may be the master's.
        if not self._rough and float(self.best.value) >= value - self._close * abs(value) - 1e-3:
            return True
        if not self._rough and not done.fresh and not done.first:
            return self._deeper(done)
        if done.fresh < self._few:
            self.share *= 0.6
        self._rough = self._many is not None and done.fresh >= self._many
        proposal = self.master.solve(self.clock.rest, roughly=self._rough)
        if proposal is None:
            return False
        self.proposal = proposal
        return self._asked()

    def _deeper(self, done: Round) -> DualPoint | bool:
        """Nothing new was found: the same optimum again with more nodes, or with less of the center."""
        if done.found.complete:
            if self.share == 0:
                return True
            self.share = self.share / 2 if self.share > 0.1 else 0.0
        elif self.nodes >= self._most_nodes:
            return False
        else:
            self.nodes = min(self._most_nodes, MORE * self.nodes)
        return self._asked()
