"""Simulated annealing of groups (Kirkpatrick, Gelatt, Vecchi): many small moves while it gets cooler.

For groups that are judged by their histograms. A round is a number of moves per tuple; each round begins hot,
from the best groups so far, has four times the moves of the one before, and ends cold. A limit changes the
last round alone: it takes the time that is left, and cools as fast as that asks. So a limit several times as
long has all rounds of a shorter one but its last, and mostly ends with better groups; now and then the
shorter one is lucky. Groups of more tuples than `Annealing` lists stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...schedule import HISTOGRAM, WORK
from ...settings import Clock
from ...work import spend
from ..column import Group
from ..kernels.groups import Groups, Units, entered
from ..kernels.moves import anneal
from ..neighbours import Nearby
from ..structure.histograms import Judge
from ..structure.marked import Closeness, MarkedVerdicts
from ..table import Rows
from .limits import ANNEALING as LIMITS

__all__ = ["ALONE", "ANNEALED", "BRIEFLY", "COLD", "COOL", "WARM", "Annealing", "Cooling"]


@dataclass(frozen=True, kw_only=True)
class Cooling:
    """How a round cools.

    Attributes
    ----------
    first : int
        Moves per tuple in the first round.
    rounds : int
    hot, cold : float
        The first and last heat, as multiples of what a smallest group costs on average.
    """

    first: int = 60
    rounds: int = 6
    hot: float = 2.0
    cold: float = 1 / 200


ANNEALED, BRIEFLY = Cooling(), Cooling(rounds=2)
WARM = Cooling(first=240, hot=2.0, cold=1 / 100)
"""For groups that are good in parts, and no more than moves after them."""
ALONE = Cooling(first=240, rounds=1)
"""For what a rounding leaves over."""
COOL = Cooling(first=400, rounds=3, hot=0.02)
"""For groups that are good as a whole: heat would destroy what the linear program knows of them."""
COLD = Cooling(first=400, rounds=1, hot=0.02, cold=2e-4)
"""The same, quickly: one of many roundings."""


class Annealing:
    """Groups of a table, and what is known of their admissibility.

    Parameters
    ----------
    rows : Rows
    judge : Judge
        Its verdicts depend on histograms only.
    places : Nearby
    groups : sequence of Group
        Every row as often as it is there; all admissible.
    seed : int
    """

    def __init__(self, rows: Rows, judge: Judge, places: Nearby, groups: Sequence[Group], seed: int) -> None:
        self.rows, self.judge = rows, judge
        count = rows.count
        self.first = np.append(0, np.cumsum(count)).astype(np.int64)
        units = int(self.first[-1])
        self.wide = max(LIMITS.largest, 3 * judge.least)
        values = judge.told_apart
        alike, close = np.full(values, judge.most_alike, dtype=np.int64), Closeness.of(judge, units)
        if close is not None:
            size = close.smallest(judge)
            self.wide = max(self.wide, LIMITS.shared * size)
            alike = close.evenest(size) + 1
        of = np.repeat(np.arange(len(rows), dtype=np.int64), count)
        self.units = Units(
            row=of,
            value=judge.seen(rows.value),
            place=places.place,
            near=places.near,
            unit=np.argsort(places.place[of], kind="stable"),
            first=np.append(0, np.cumsum(np.bincount(places.place[of]))).astype(np.int64),
            alike=alike,
        )
        self._state = np.array([seed], dtype=np.uint64)
        self.verdicts = MarkedVerdicts(judge, close, self.wide, seed)
        self._done, self._seconds = 0, 0.0
        self._most = max(1, units // max(1, judge.least))
        self.begin(groups)

    def begin(self, groups: Sequence[Group]) -> None:
        """Go on from other groups, with the first round."""
        self._number = 0
        self.kept = [group for group in groups if not self._moves(group)]
        self._enter(groups)
        self.best, self.cost = self.groups.of.copy(), int(self.groups.total[1])

    def _moves(self, group: Group) -> bool:
        """Whether tuples are moved in and out: not of groups too large, and none that is suppressed."""
        return min(2, self.judge.least) <= len(group) <= self.wide

    @staticmethod
    def fits(rows: Rows, clock: Clock) -> bool:
        """Whether there is time for near rows, groups and enough moves to be worth it."""
        return clock.fits(int(rows.count.sum()) * HISTOGRAM.moves.value)

    @property
    def reaches_most(self) -> bool:
        """Whether most tuples are in groups small enough for moves."""
        return 2 * sum(map(len, self.kept)) < len(self.units.row)

    @property
    def moved(self) -> bool:
        """Whether there was time for any moves."""
        return self._done > 0

    def rounds(self, cooling: Cooling, clock: Clock) -> Iterator[list[Group]]:
        """Better and better groups, one list per round that found some; ends with the clock.

        Called again, it goes on with the next round. Where shares of values matter no round is hot: groups
        cost far more than single tuples can change.
        """
        if self.verdicts.counted:
            cooling = replace(cooling, hot=min(cooling.hot, COOL.hot))
        while self._number < cooling.rounds and self.cost and not clock.over:
            moves = cooling.first * 4**self._number * len(self.units.row)
            seconds = clock.allowed(HISTOGRAM.round)
            if seconds is not None:
                able = int(seconds / self._pace)
                if able < min(moves, max(LIMITS.fewest * len(self.units.row), self._done / 4)):
                    return
                # Time for less than half of the next round is this one's.
                if self._number + 1 < cooling.rounds and able < 3 * moves:
                    moves *= 3
            before = self.cost
            self._round(moves, cooling, clock, seconds)
            self._number += 1
            if self.cost < before:
                yield self.found()
            self._enter(self.found())

    def exactly(self, cooling: Cooling, clock: Clock) -> list[Group]:
        """The best groups after the moves of a first round, as many at any pace; the clock may end them."""
        self._round(cooling.first * len(self.units.row), cooling, clock)
        return self.found()

    def found(self) -> list[Group]:
        """The best groups so far."""
        inside = np.flatnonzero(self.best >= 0)
        order = inside[np.argsort(self.best[inside], kind="stable")]
        cuts = np.flatnonzero(np.diff(self.best[order])) + 1
        groups = [tuple(part.tolist()) for part in np.split(self.units.row[order], cuts) if len(part)]
        return groups + self.kept

    @property
    def _pace(self) -> float:
        """Seconds a move."""
        return self._seconds / self._done if self._done else HISTOGRAM.move.value

    @property
    def _until_looked(self) -> int:
        """Moves between two looks at the clock: fewer where they are slow, or their pace is not known."""
        if not self._done:
            return max(1, LIMITS.at_once >> 4)
        return max(1, min(LIMITS.at_once, int(HISTOGRAM.look.value / self._pace)))

    def _round(self, moves: int, cooling: Cooling, clock: Clock, seconds: float | None = None) -> None:
        """So many moves; fewer that cool faster in so many seconds: what is cut off ends hot, for nothing."""
        each = self.cost / max(1, int((self.best >= 0).sum())) * self.judge.least
        heat, began = cooling.hot, clock.seconds
        rest = moves if seconds is None else min(moves, int(seconds / self._pace))
        while rest > 0 and not clock.over:
            cool, at = (cooling.cold / heat) ** (1 / rest), clock.seconds
            done = anneal(
                self.units,
                self.rows.geometry,
                self.groups,
                self.verdicts.marked,
                self.judge.least,
                min(LIMITS.at_once if seconds is None else self._until_looked, rest),
                heat * each,
                cool,
                self._state,
            )
            self.verdicts.learn()
            spend(WORK.move.value * done)
            if self.groups.total[1] < self.cost:
                self.best, self.cost = self.groups.of.copy(), int(self.groups.total[1])
            self._done, self._seconds = self._done + done, self._seconds + max(clock.seconds - at, 1e-6)
            heat, moves = heat * cool**done, moves - done
            rest = (
                moves if seconds is None else min(moves, int((began + seconds - clock.seconds) / self._pace))
            )

    def _enter(self, groups: Sequence[Group]) -> None:
        """Begin from these groups; those that are too large are left out."""
        small = [group for group in groups if self._moves(group)]
        attributes, units = self.rows.geometry.codes.shape[1], len(self.units.row)
        room = max(self._most, len(small)) + 2
        self.groups = Groups(
            of=np.full(units, -1, dtype=np.int64),
            seat=np.zeros(units, dtype=np.int64),
            member=np.zeros((room, self.wide + 1), dtype=np.int64),
            size=np.zeros(room, dtype=np.int64),
            lo=np.zeros((room, attributes), dtype=np.int64),
            hi=np.zeros((room, attributes), dtype=np.int64),
            cost=np.zeros(room, dtype=np.int64),
            mark=np.zeros(room, dtype=np.uint64),
            held=np.zeros((room, self.verdicts.counted), dtype=np.int64),
            free=np.arange(room - 1, -1, -1, dtype=np.int64),
            total=np.zeros(2, dtype=np.int64),
        )
        state, next_of = self.groups, self.first[:-1].copy()
        for g, group in enumerate(small):
            for seat, row in enumerate(group):
                u = next_of[row]
                next_of[row] += 1
                state.of[u], state.seat[u], state.member[g, seat] = g, seat, u
            state.size[g] = len(group)
            entered(self.units, self.rows.geometry, state, self.verdicts.marked, g)
        state.total[0], state.total[1] = room - len(small), int(state.cost.sum())
        self.verdicts.admit(state.mark[: len(small)])
