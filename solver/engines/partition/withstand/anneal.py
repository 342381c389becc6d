"""Simulated annealing with the exact judge inside: cost, and a price for everybody who can be inferred.

A row's moves are scanned for those that the temperature lets pass, and only these are judged. From a safe
start the price is beyond all costs, and nobody is ever inferable. From an unsafe one it grows from light to
heavy, and rows are taken up near people who can be inferred.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log

import numpy as np

from ....baselines.widths import Ints
from ....settings import Clock
from .batches import near_groups, regroup_on, scan_on
from .chain import SafeGroups
from .limits import WITHSTAND_LIMITS as LIMITS
from .moves import Rule, scan
from .pairs import pairs_on
from .regroup import Regrouping, members_of, regrouped

__all__ = ["SafeAnnealing", "repair"]

REGROUPING = Regrouping(
    few=LIMITS.few,
    tries=LIMITS.tries,
    noise=LIMITS.noise[False],
    whole=LIMITS.whole,
    joined=LIMITS.joined,
    beside=LIMITS.beside,
)
TIED = REGROUPING._replace(tries=1, noise=LIMITS.noise[True])


class SafeAnnealing(SafeGroups):
    """One chain of moves; see `SafeGroups`.

    Attributes
    ----------
    firm : bool
        Whether nobody is to be short of values by a group alone, whatever it costs.
    """

    firm = False

    def run(self, clock: Clock, steps: int, hot: float) -> None:
        """Cool down, from so many mean costs of a group, until the clock or so many rows are over.

        Where nobody is short of values by a group alone, nobody will be: while prices are low such people
        would be given away, and when they are high it is too cold to bring them back.
        """
        self.firm = not self.groups.short.any()
        mean = self.cost / max(1, int((self.groups.size > 0).sum()))
        limit, safe = clock.limit, not self.inferred
        step = 0
        while step < steps and not clock.over:
            done = step / steps if limit is None else max(step / steps, clock.seconds / limit)
            heat = mean * hot * (LIMITS.cold / hot) ** done
            ramp = min(1.0, done / LIMITS.ramp)
            price = mean * LIMITS.light * (LIMITS.heavy / LIMITS.light) ** ramp
            if self.inferred:
                self._step(heat, LIMITS.beyond if safe else max(1, int(price)))
                step += 1
            else:
                step += self._steps(heat, LIMITS.beyond if safe else max(1, int(price)), steps - step)
        self.firm = False

    def _priced(self, price: int) -> Rule:
        """The rule on groups by themselves, with what a person short of values costs."""
        return self.rule._replace(price=LIMITS.beyond if self.firm else price)

    def _step(self, heat: float, price: int) -> None:
        p = self._row()
        if self.groups.of[p] < 0:
            return
        self._change(p, self._bar(heat), price, 1)

    def _steps(self, heat: float, price: int, most: int) -> int:
        """Take up some rows at random while nobody can be inferred; how many."""
        count = min(LIMITS.rows, most)
        rows = self.random.integers(len(self.codes), size=count)
        bars = (-heat * np.log(1.0 - self.random.random(count))).astype(np.int64)
        drawn = self.random.random(count)
        anew, paired = drawn < LIMITS.regrouped, drawn > 1 - LIMITS.paired
        self._moves(rows[~anew & ~paired], bars[~anew & ~paired], price)
        self._regroupings(rows[anew], bars[anew], price)
        self._pairs(rows[paired], bars[paired], price)
        return count

    def _moves(self, rows: Ints, bars: Ints, price: int) -> None:
        """One of the best moves of each row."""
        rule, at = self._priced(price), 0
        while at < len(rows):
            at, count = scan_on(self.board, rule, rows, bars, at, self._moves_found)
            if count:
                self._try_found(int(rows[at]), count, int(bars[at]), price, 1)
            at += 1

    def _regroupings(self, rows: Ints, bars: Ints, price: int) -> None:
        """Groups near each row anew."""
        asked = self.board, self._priced(price), REGROUPING, rows, bars
        self._settle_found(rows, bars, price, lambda at: regroup_on(*asked, at, self._state))

    def _pairs(self, rows: Ints, bars: Ints, price: int) -> None:
        """The best move of each row with somebody of its cell."""
        asked = self.board, self._priced(price), rows, bars
        self._settle_found(rows, bars, price, lambda at: pairs_on(*asked, at, LIMITS.mates, self._state))

    def _settle_found(
        self,
        rows: Ints,
        bars: Ints,
        price: int,
        found_from: Callable[[int], tuple[int, int, Ints, Ints, Ints]],
    ) -> None:
        """Make the changes found for rows, one after the other, from a row to the next with any."""
        at = 0
        while at < len(rows):
            at, least, slots, people, home = found_from(at)
            if least >= 0:
                self.settled(slots, people, home, int(bars[at]), price, least)
            at += 1

    def _row(self) -> int:
        """The row that is taken up."""
        if self.inferred and self.random.random() < LIMITS.aimed:
            return self.aimed_row()
        return int(self.random.integers(len(self.codes)))

    def aimed_row(self, *, whom: bool = False) -> int:
        """A row in a group with somebody who can be inferred, or `whom` itself.

        For somebody in no group it is one that few links lead to: what is published of those who left
        follows from rows that their groups are linked with, often through others who left.
        """
        who = sorted(self.inferred)
        p = int(who[self.random.integers(len(who))])
        g = int(self.groups.of[p])
        if g >= 0 and whom:
            return p
        if g >= 0:
            return int(self.groups.member[g, self.random.integers(int(self.groups.size[g]))])
        rows = self.linked_rows(p)
        if not len(rows):
            return int(self.random.integers(len(self.codes)))
        return int(rows[min(int(self.random.exponential(LIMITS.beside)), len(rows) - 1)])

    def attempt(self, p: int, heat: float, price: int) -> None:
        """Something with a row that costs little more, with a price for everybody who can be inferred."""
        self._change(p, self._bar(heat), price, LIMITS.others)
        for _ in range(LIMITS.others):
            if self.inferred:
                self.regroup(self.aimed_row(whom=True), self._bar(heat), price, tied=True)

    def _bar(self, heat: float) -> int:
        """What a change may cost more."""
        return int(-heat * log(1.0 - self.random.random()))

    def _change(self, p: int, bar: int, price: int, others: int) -> None:
        if self.random.random() < LIMITS.regrouped:
            self.regroup(p, bar, price)
        else:
            self._move(p, bar, price, others)

    def _picked(self, count: int, price: int, others: int) -> list[int]:
        """Moves found that are judged: those that cost least, and others at random."""
        found = self._moves_found.lines[:count]
        short = found[:, 4] - self.groups.short[found[:, 1]]
        order = np.argsort(found[:, 2] + price * short if self.inferred else found[:, 2], kind="stable")
        drawn = order[np.sort(self.random.integers(count, size=others))]
        return list(dict.fromkeys([*order[: LIMITS.tried].tolist(), *drawn.tolist()]))

    def _move(self, p: int, bar: int, price: int, others: int) -> None:
        """One of the best moves of a row, or some others."""
        relief = len(self._known([p]))
        rule = self._priced(price)
        count = scan(self.board, rule, p, bar + price * relief, self._moves_found)
        if count:
            self._try_found(p, count, bar, price, others)

    def _try_found(self, p: int, count: int, bar: int, price: int, others: int) -> None:
        """Make one of the moves found for a row."""
        lines, _, refused, closed = self._moves_found
        for line in self._picked(count, price, others):
            q, b, cost, place, _ = lines[line].tolist()
            if self._exchanged(p, q, b, bar, cost, price):
                return
            # It stays refused until one of the two components changes.
            (refused if q >= 0 else closed)[p, place] = self.made

    def _exchanged(self, p: int, q: int, b: int, bar: int, cost: int, price: int) -> bool:
        """Make a move of one or two rows if it may be made; whether it was."""
        groups, a = self.groups, int(self.groups.of[p])
        involved = [x for g in (a, b) for x in groups.member[g, : groups.size[g]].tolist()]
        before = self._known(involved)
        if cost - price * len(before) > bar:
            return False
        self._exchange(p, q, b)
        if self._stays((a, b), involved, before, bar, cost, price):
            return True
        self._exchange(p, q, a)
        return False

    def regroup(self, p: int, bar: int, price: int, *, tied: bool = False) -> bool:
        """Group the people of a few groups near a row anew, if that may be done; whether it was.

        With `tied`, also those of groups with people who were in a group with it, in the first way met.
        """
        groups = self.groups
        most = 2 + int(self.random.integers(3))
        picked = near_groups(groups, self.near, p, most, REGROUPING, self._state)
        if tied:
            more = picked[1 : 1 + int(self.random.integers(4))].tolist()
            picked = np.array(list(dict.fromkeys([*self._tied_groups(p).tolist(), *more])), dtype=np.int64)
        people = members_of(groups, picked)
        if len(picked) < 2 or len(people) > LIMITS.few + tied * LIMITS.few:
            return False
        slots = np.concatenate([picked, np.flatnonzero(groups.size == 0)[:1]])
        best = np.empty(len(people), dtype=np.int64)
        rule = self._priced(price)
        together = bool(not tied and self.random.random() < LIMITS.whole)
        way = TIED if tied else REGROUPING
        least = regrouped(self.board, rule, people, together, len(slots), way, self._state, best)
        return least >= 0 and self.settled(slots, people, slots[best], bar, price, least)


def repair(chain: SafeAnnealing, clock: Clock) -> None:
    """Change groups until nobody can be inferred, nothing is left to join, or the clock is over.

    What is done is worth a price per person that is low at first, so that cheap changes come before dear
    ones, and grows where nothing helps: moves and new groupings, then joining groups, because a release of
    fewer groups tells less. At the highest price groups are joined whatever that costs. So this comes to an
    end, at the latest with groups too large to be judged.
    """
    mean = chain.cost / max(1, int((chain.groups.size > 0).sum()))
    factor, idle = LIMITS.modest, 0
    while chain.inferred and not clock.over:
        before, p, price = len(chain.inferred), chain.aimed_row(), max(1, int(factor * mean))
        chain.attempt(p, LIMITS.warm * factor * mean, price)
        idle = 0 if len(chain.inferred) < before else idle + 1
        if idle < LIMITS.idle:
            continue
        idle = 0
        if any(chain.join(chain.aimed_row(), price) for _ in range(min(LIMITS.idle, len(chain.inferred)))):
            continue
        factor = min(LIMITS.dearer * factor, LIMITS.dear)
        if factor == LIMITS.dear and not chain.join(chain.aimed_row(), int(factor * mean), anyway=True):
            return
