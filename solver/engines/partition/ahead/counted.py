"""The cheapest family by counts: all signatures at once, without telling begun ones apart.

Of the signatures that are begun only numbers are variables: Z_{k,L} of them have k values and L groups, and
y_{v,L} of those with L groups hold value v. Every release satisfies ``y_{v,L} <= sum of Z_{k,L} over k``;
the sizes of its signatures add up to the sum of y_{v,L} over v; with those who join the buckets of the past,
``sum over L of L y_{v,L}`` seats hold all new tuples of v; and there are no more seats than tuples and
counterfeits. So the least cost of such numbers bounds that of every release, whatever meetings forbid.

Conversely, numbers are signatures: dealt one after the other, each taking the values with most y left
(Gale and Ryser), they hold every value as often as they should. Where two of them have the same values they
are one, with the groups of both.

V_k(L) may be any table: the two least sizes have variables of their own, larger ones a line below the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np
from numpy.typing import NDArray

from ....backends.highs import INFINITY, IntegerSolution
from ....colgen.covering import Ints
from ....schedule_series import AHEAD
from ....settings import Clock
from .count_program import CountProgram
from .family import Charges, Family, Gathering, Signature
from .limits import AHEAD as LIMITS
from .people import Crowd

__all__ = ["CountedFamilies"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Begun:
    """Variables of the signatures with so many groups: by size, sizes of larger ones, and by value."""

    groups: int
    sizes: Mapping[int, int]
    larger: int
    holding: Mapping[int, int]


class CountedFamilies(CountProgram):
    """The program, for buckets that need so many groups.

    Parameters
    ----------
    crowd : Crowd
    fewest : int array, shape (buckets,)
    fakes : int
        No more counterfeits than this.
    prices : Charges
    """

    def __init__(self, crowd: Crowd, fewest: Ints, fakes: int, prices: Charges) -> None:
        super().__init__()
        self.crowd, self.prices, self.fakes = crowd, prices, fakes
        self.seats, self.holds = dict[int, float](), dict[int, dict[int, float]]()
        self.chosen, self.joins = list[dict[int, int]](), dict[tuple[int, int], int]()
        self.begun = list[_Begun]()
        for b, least in enumerate(fewest.tolist()):
            self._bucket(b, least)
        self._new_signatures()
        for v, number in enumerate(crowd.new.tolist()):
            if number:
                self._row(self.holds.get(v, {}), float(number), INFINITY)
        self._row(self.seats, -INFINITY, float(len(crowd.value) + fakes))

    @staticmethod
    def fits(crowd: Crowd) -> bool:
        """Whether the program is small: one variable for each value and number of groups."""
        often, least = sorted(crowd.new.tolist(), reverse=True), crowd.types.rules.least
        groups = often[least - 1] if len(often) >= least else 0
        return groups * int(np.count_nonzero(crowd.new)) <= LIMITS.counted

    def fewest(self, clock: Clock) -> Family | None:
        """A family with few counterfeits, for those buckets."""
        cost = np.zeros(len(self.cost))
        cost[list(self.seats)] = list(self.seats.values())
        return self._family(self._solved(cost, clock))

    def cheapest(self, clock: Clock) -> tuple[Family | None, Fraction]:
        """A cheap family, and what all cost at least."""
        found = self._solved(np.array(self.cost), clock)
        bound = found.bound if np.isfinite(found.bound) else 0.0
        # HiGHS keeps rows to a tolerance: what is told is well below its bound.
        certain = floor((bound - LIMITS.doubt * max(1.0, bound)) / LIMITS.doubt)
        return self._family(found), max(Fraction(0), certain * Fraction(str(LIMITS.doubt)))

    def roomy(self, allowed: Fraction, clock: Clock) -> Family | None:
        """A family with many signatures that costs no more than allowed, if there is one."""
        self._row({j: price for j, price in enumerate(self.cost) if price}, -INFINITY, float(allowed))
        cost = np.zeros(len(self.cost))
        cost[[j for begun in self.begun for j in begun.sizes.values()]] = -1.0
        found = self._family(self._solved(cost, clock, LIMITS.fewer))
        return None if found is None or found.price > allowed else found

    # -- the program -----------------------------------------------------------------------

    def _most(self, people: list[int]) -> int:
        """Groups that a signature may have, where so many people have each value: others are counterfeits."""
        groups = 0
        while sum(max(0, groups + 1 - n) for n in people) <= self.fakes and groups < len(self.crowd.value):
            groups += 1
        return groups

    def _bucket(self, b: int, least: int) -> None:
        """A bucket of the past: one number of groups, and who joins."""
        back, new, signature = self.crowd.back[b], self.crowd.new, self.crowd.types.rules.signatures[b]
        most = max(least, self._most([int(back[v] + new[v]) for v in signature]))
        chosen = {self._variable(1, self.prices.of(len(signature), n)): n for n in range(least, most + 1)}
        self.chosen.append(chosen)
        self._row(dict.fromkeys(chosen, 1.0), 1.0, 1.0)
        self.seats |= {j: float(len(signature) * n) for j, n in chosen.items()}
        for v in signature:
            if new[v]:
                joining = self.joins[b, v] = self._variable(int(new[v]))
                entries = {j: float(n) for j, n in chosen.items()} | {joining: -1.0}
                self._row(entries, float(back[v]), INFINITY)
                self.holds.setdefault(v, {})[joining] = 1.0

    def _new_signatures(self) -> None:
        """Signatures of new tuples, by size and number of groups."""
        rules, new = self.crowd.types.rules, self.crowd.new
        least, values, everybody = rules.least, max(len(new), rules.least), int(new.sum())
        present = np.flatnonzero(new).tolist()
        often = sorted((int(new[v]) for v in present), reverse=True)[:least]
        for groups in range(1, min(everybody, self._most([*often, *[0] * (least - len(often))])) + 1):
            sizes = {
                k: self._variable(everybody, self.prices.of(k, groups))
                for k in range(least, min(values, least + 1) + 1)
            }
            balance = {j: -float(k) for k, j in sizes.items()}
            first, larger = least + 2, -1
            if first <= values:
                price = self.prices.of(first, groups)
                more = [
                    (self.prices.of(k, groups) - price) / (k - first) for k in range(first + 1, values + 1)
                ]
                each = min(more, default=Fraction(0))
                number = sizes[first] = self._variable(everybody, price - each * first)
                larger = self._variable(everybody * values, each)
                self._row({larger: 1.0, number: -float(first)}, 0.0, INFINITY)
                self._row({larger: 1.0, number: -float(values)}, -INFINITY, 0.0)
                balance[larger] = -1.0
            holding = {self._variable(everybody): v for v in present}
            others = self._variable(everybody * values)
            self._row({**balance, **dict.fromkeys([*holding, others], 1.0)}, 0.0, 0.0)
            for j, v in holding.items():
                self._row({**dict.fromkeys(sizes.values(), 1.0), j: -1.0}, 0.0, INFINITY)
                self.holds.setdefault(v, {})[j] = float(groups)
            self.seats |= dict.fromkeys([*holding, others], float(groups))
            named = {v: j for j, v in holding.items()}
            self.begun.append(_Begun(groups=groups, sizes=sizes, larger=larger, holding=named))

    def _solved(self, cost: Floats, clock: Clock, gap: float = LIMITS.gap) -> IntegerSolution:
        left, most = clock.left, clock.allowed(AHEAD.family)
        seconds = None if left is None or most is None else max(0.05, min(most, left))
        return self._best(cost, seconds, gap=gap)

    # -- numbers as signatures -------------------------------------------------------------

    def _family(self, found: IntegerSolution) -> Family | None:
        if found.x is None:
            return None
        x, rules = found.x, self.crowd.types.rules
        left, gathered = self.crowd.new.copy(), Gathering()
        for b, signature in enumerate(rules.signatures):
            here = [v for v in signature if (b, v) in self.joins]
            # Rows say that all new tuples sit somewhere; a seat more than there are is a counterfeit.
            coming = np.minimum(left[here], [int(x[self.joins[b, v]]) for v in here]).astype(np.int64)
            groups = sum(n for j, n in self.chosen[b].items() if x[j])
            gathered.put(signature, groups, dict(zip(here, coming.tolist(), strict=True)))
            left[here] -= coming
        for begun in reversed(self.begun):
            for signature in self._dealt(begun, x):
                held = list(signature)
                coming = np.minimum(left[held], begun.groups)
                if coming.any():
                    gathered.put(signature, begun.groups, dict(zip(signature, coming.tolist(), strict=True)))
                    left[held] -= coming
        return None if left.any() else gathered.family(self.crowd, self.prices)

    def _dealt(self, begun: _Begun, x: Ints) -> list[Signature]:
        """Sets of values of those sizes, each value in as many as it should be."""
        first = self.crowd.types.rules.least + 2
        sizes = [k for k, j in begun.sizes.items() if k < first for _ in range(int(x[j]))]
        if first in begun.sizes and x[begun.sizes[first]]:
            number, together = int(x[begun.sizes[first]]), int(x[begun.larger])
            sizes += [together // number + (i < together % number) for i in range(number)]
        count = {v: int(x[j]) for v, j in begun.holding.items()}
        dealt = list[Signature]()
        for size in sorted(sizes, reverse=True):
            order = sorted(range(len(self.crowd.new)), key=lambda v: (-count.get(v, 0), v))
            dealt.append(tuple(sorted(order[:size])))
            for v in order[:size]:
                count[v] = count.get(v, 0) - 1
        return dealt
