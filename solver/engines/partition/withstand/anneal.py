"""Simulated annealing with the exact judge inside: cost, and a price for everybody who can be inferred.

A row's moves are scanned for those that the temperature lets pass, and only these are judged. From a safe
start the price is beyond all costs, and nobody is ever inferable. From an unsafe one it grows from light to
heavy, and rows are taken up near people who can be inferred.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log

import numpy as np

from ....baselines.widths import Ints, Widths
from ....settings import Clock
from .arrays import NewGroups, PublishedPast, exchange
from .judge import SeriesJudge
from .limits import WITHSTAND_LIMITS as LIMITS
from .moves import Rule, scan

__all__ = ["SafeAnnealing"]


class SafeAnnealing:
    """One chain of moves, changing groups in place.

    Parameters
    ----------
    past, codes, sides
        The series, the rows' codes, and what widths cost.
    near : int64 array
        See `nearest_rows`.
    rule : Rule
        Its price is set here.
    judge : SeriesJudge
    admits : callable
        Whether requirements on groups allow a histogram.
    groups : NewGroups
        The start.
    seed : int

    Attributes
    ----------
    cost : int
        Of the groups as they are.
    inferred : set of int
        People who can be inferred.
    best : list of int or None
        Group of each row in the cheapest safe release met.
    tried, made : int
        Moves judged, and made.
    """

    def __init__(
        self,
        past: PublishedPast,
        codes: Ints,
        sides: Widths,
        near: Ints,
        rule: Rule,
        judge: SeriesJudge,
        admits: Callable[[tuple[int, ...]], bool],
        groups: NewGroups,
        seed: int,
    ) -> None:
        self.past, self.codes, self.sides, self.near = past, codes, sides, near
        self.rule, self.judge, self.admits, self.groups = rule, judge, admits, groups
        self._random = np.random.default_rng(seed)
        self._found = np.empty((2 * near.shape[1], 4), dtype=np.int64)
        self._refused = np.full(near.shape, -1, dtype=np.int64)
        self._closed = self._refused.copy()
        self._tried = np.empty(len(groups.size), dtype=np.int64)
        self.inferred = set(judge.inferred(groups, range(len(past.value))) or ())
        self.cost = int(groups.cost.sum())
        self.tried = self.made = 0
        self.best: Ints | None = None
        self.least = 0
        self._keep()

    def run(self, clock: Clock, steps: int) -> None:
        """Cool down until the clock is over, or for so many rows taken up."""
        mean = self.cost / max(1, int((self.groups.size > 0).sum()))
        limit, safe = clock.limit, not self.inferred
        for step in range(steps):
            if clock.over:
                break
            done = step / steps if limit is None else max(step / steps, clock.seconds / limit)
            heat = mean * LIMITS.hot * (LIMITS.cold / LIMITS.hot) ** done
            ramp = min(1.0, done / LIMITS.ramp)
            price = mean * LIMITS.light * (LIMITS.heavy / LIMITS.light) ** ramp
            self._step(heat, LIMITS.beyond if safe else max(1, int(price)))

    def _step(self, heat: float, price: int) -> None:
        p = self._row()
        if self.groups.of[p] < 0:
            return
        bar = int(-heat * log(1.0 - self._random.random()))
        relief = len(self.judge.inferred(self.groups, [p]) or ()) if self.inferred else 0
        count = scan(
            self.past,
            self.groups,
            self.codes,
            self.sides,
            self.near,
            self.rule._replace(price=price),
            p,
            bar + price * relief,
            self._tried,
            self._refused,
            self._closed,
            self._found,
        )
        if not count:
            return
        order = np.argsort(self._found[:count, 2], kind="stable")
        picked = [*order[: LIMITS.tried].tolist(), int(order[self._random.integers(count)])]
        for line in picked:
            q, b, cost, place = self._found[line].tolist()
            if self._make(p, q, b, bar - cost, cost, price):
                return
            if price == LIMITS.beyond:  # it stays refused until one of the two components changes
                (self._refused if q >= 0 else self._closed)[p, place] = self.made

    def _row(self) -> int:
        """The row that is taken up."""
        if self.inferred and self._random.random() < LIMITS.aimed:
            who = sorted(self.inferred)
            p = who[self._random.integers(len(who))]
            g = self.groups.of[p]
            if g >= 0:
                size = int(self.groups.size[g])
                return int(self.groups.member[g, self._random.integers(size)])
        return int(self._random.integers(len(self.codes)))

    def _make(self, p: int, q: int, b: int, room: int, cost: int, price: int) -> bool:
        """Make a move if requirements on groups and the judge allow it; whether it was made."""
        groups, a = self.groups, int(self.groups.of[p])
        involved = [x for g in (a, b) for x in groups.member[g, : groups.size[g]].tolist()]
        before = self.judge.inferred(groups, involved) if self.inferred else []
        assert before is not None
        room += price * len(before)
        if room < 0:
            return False
        self.tried += 1
        self._exchange(p, q, b)
        allowed = all(not groups.size[g] or self.admits(tuple(groups.counts[g].tolist())) for g in (a, b))
        after = self.judge.inferred(groups, involved, room // price) if allowed else None
        if after is None:
            self._exchange(p, q, a)
            return False
        self.made += 1
        self.cost += cost
        self.inferred.difference_update(before)
        self.inferred.update(after)
        self.groups.since[np.flatnonzero(self.judge.met_groups)] = self.made
        self._keep()
        return True

    def _exchange(self, p: int, q: int, b: int) -> None:
        exchange(self.past, self.codes, self.sides, self.groups, p, q, b, self.rule.needed)

    def _keep(self) -> None:
        if not self.inferred and (self.best is None or self.cost < self.least):
            self.best, self.least = self.groups.of.copy(), self.cost
