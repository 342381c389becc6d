"""The linear program of all groups of points, its cuts, and the last step over listed groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from ....colgen.column import Column, Group, lines_of
from ....colgen.duals import DualBound, Duals
from ....colgen.finish import Finish
from ....colgen.generation import Generation
from ....colgen.points.limits import POINTS as LIMITS
from ....colgen.points.pricing import PointPricing
from ....colgen.points.separation import cut_further
from ....colgen.points.table import PointRows
from ....exact.incidence import Members
from ....exact.rank1 import Rank1Cut
from ....schedule import POINTS as SHARES
from ....settings import Clock
from .progress import PointProgress
from .windows import PointWindows

__all__ = ["PointFinish", "PointGeneration", "cut_down", "near_groups"]


class PointGeneration(Generation):
    """Rounds of master and pricing; cuts of all divisors."""

    def cut(self) -> bool:
        """Add cuts that the latest optimum breaks; False if none were found."""
        cuts, before = self.source.cuts, len(self.source.cuts)
        super().cut()
        if self.proposal is None or len(cuts) - before >= LIMITS.enough_odd:
            return len(cuts) > before
        amount, columns = self.proposal.amount, self.master.columns
        split = np.flatnonzero((amount > LIMITS.whole) & (amount < 1 - LIMITS.whole))
        lines = lines_of(columns[j].rows for j in split.tolist())
        cut_further(cuts, lines, amount[split], self.source.rows.count, self.clock)
        self.master.extend()
        return len(cuts) > before


class PointFinish(Finish):
    """Lists are told from their own costs: those for the best release's cost by costs relative to it."""

    source: PointPricing
    reached: PointProgress
    _windows: PointWindows | None = None

    def improve(self, duals: Duals) -> None:
        """Better releases by integer programs: of windows, then, with cuts, over groups that nearly pay.

        The linear program with its cuts is nearly whole: what costs least is made of few columns that nearly
        pay, and where it is not, they pay less, but are near one another. Windows see to the second; HiGHS
        finds the first in a short list. Lists grow while their programs end.
        """
        room, clock = self._room, self.clock.share(SHARES.improving)
        if self._windows is None:
            self._windows = PointWindows(
                source=self.source, progress=self.reached, duals=duals, seed=self.seed, clock=clock
            )
        self._windows.duals, self._windows.clock = duals, clock.share(SHARES.windows)
        self._windows.run()
        self._programs(duals, clock)
        self._room = room

    def _programs(self, duals: Duals, clock: Clock) -> None:
        """Integer programs over short lists, longer ones while they end."""
        self._room = min(self._most, max(LIMITS.listed * len(self.source.rows), self.limits.least_listed))
        while not clock.over and self.reached.bound < self.reached.cost:
            before, listed = self.reached.cost, self._listed(duals, None)
            if listed is None:
                return
            self._improve(duals, *listed, None, LIMITS.program_nodes, SHARES.program)
            if listed[1] == before or self.stated < min(listed[1], self.reached.cost):
                return
            self._longer()

    def _proved(self, duals: Duals, lines: Members, target: int, fakes: int | None) -> bool:
        """As `Finish` says; see `PointProgress` for what is relative."""
        relative = target == self.reached.cost and not self.reached.tied
        self.reached.relative, self.source.up = relative, self.reached.up if relative else {}
        try:
            return super()._proved(duals, lines, target, fakes)
        finally:
            self.reached.relative, self.source.up = False, {}

    def _carried(self, duals: Duals) -> Sequence[Rank1Cut]:
        """The cuts with a dual; rows are in the order of their first tuples already."""
        cuts = self.source.cuts
        return [
            Rank1Cut(tuple((row, 1) for row in cuts.sets[cut]), cuts.divisors[cut])
            for cut in np.flatnonzero(duals.cuts).tolist()
        ]


def cut_down(
    cut: Callable[[], bool],
    again: Callable[[], bool],
    proven: DualBound,
    ended: Callable[[], bool] = lambda: False,
) -> None:
    """Add cuts and solve again, until that gains little, or all is proven."""
    poor = 0
    for _ in range(LIMITS.cut_rounds):
        before = proven.bound
        if ended() or not cut():
            return
        solved = again()
        poor = poor + 1 if proven.bound - before < LIMITS.least_gain * before else 0
        if not solved or poor == LIMITS.poor_rounds:
            return


def near_groups(rows: PointRows, size: int, near: int) -> Iterator[Column]:
    """All groups of a size among each row and its nearest ones, rows that count once."""
    known: set[Group] = set()
    for row in range(len(rows)):
        order = np.argpartition(rows.pairs[row], min(near + 1, len(rows) - 1))[: near + 2]
        others = order[order != row]
        others = others[np.argsort(rows.pairs[row, others], kind="stable")][:near]
        for chosen in combinations(others.tolist(), size - 1):
            group = tuple(sorted((row, *chosen)))
            if group not in known:
                known.add(group)
                yield Column(group)
