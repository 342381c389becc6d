"""The groups of one box where shares of values are to be near the table's: whether one of them pays.

Of s tuples, n of a value that T of the table's N have, a group may have ``sum max(0, N n - s T)`` up to
some budget. Tuples of an interval cost the same, so a paying group has, of each value, those of the largest
duals. No group of a size brings more than the largest of all gains less a price for what is above the shares,
and the whole budget at that price: mostly some price shows that none pays, or a group that does. Otherwise
counts are tried value by value; what is left brings no more than all gains above a second price, on places.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...models.compiled import borrowing
from ...models.whole_values import whole_entropy, whole_recursive
from .box_groups import LOW, MOST_TRIED, BoxMemory, BoxQuestion
from .rows import Ints

__all__ = ["NearShares", "SharesMemory", "shares_memory", "shares_pay"]

ROOM = 1 << 59
"""Largest sum of prices."""


class NearShares(NamedTuple):
    """Groups of at least `least` tuples with ``sum max(0, weight[n] - size * share)`` up to ``budget[size]``.

    Attributes
    ----------
    weight, budget : tuple of int
        By number of tuples.
    share : tuple of int
        By value.
    least : int
    exact : bool
        Whether no other groups are admitted.
    """

    weight: tuple[int, ...]
    share: tuple[int, ...]
    budget: tuple[int, ...]
    least: int
    exact: bool

    @classmethod
    def of_shares(cls, table: Sequence[int], most: Fraction, least: int) -> NearShares:
        """If ``sum |n / s - T / N|`` may be `most`: half of that is above the shares, half below."""
        whole = sum(table)
        sizes = range(whole + 1)
        budget = (most.numerator * whole * s // (2 * most.denominator) for s in sizes)
        return cls(tuple(n * whole for n in sizes), tuple(table), tuple(budget), least, exact=True)

    @classmethod
    def of_entropy(cls, values: int, tuples: int, entropy: Fraction, least: int) -> NearShares:
        """If ``sum n log n`` may be ``s log (s / entropy)``, in whole numbers that admit a little more."""
        weight, budget = whole_entropy(entropy, tuples)
        return cls(tuple(weight), (0,) * values, tuple(budget), least, exact=False)

    @classmethod
    def of_recursive(cls, values: int, tuples: int, c: Fraction, rank: int, least: int) -> NearShares:
        """If no value may be too frequent, as far as its own count says that."""
        weight, share = whole_recursive(c, rank, tuples)
        return cls(tuple(weight), (share,) * values, (0,) * len(weight), least, exact=False)


class SharesMemory(NamedTuple):
    """What is asked, and working memory.

    Attributes
    ----------
    weight, share, budget, least
        As of `NearShares`.
    many : shape (values,)
        Tuples of the interval.
    sums, over : shape (values, tuples + 1)
        Duals of so many of the best tuples of a value; how far so many are above its share.
    held, gain : shape (values,)
        Counts at hand; what the next tuple brings.
    hope : shape (values + 1,)
        What this value and later ones bring above the price of a place.
    prices : shape (2,)
        On being above shares, and on a place.
    """

    weight: Ints
    share: Ints
    budget: Ints
    least: int
    many: Ints
    sums: Ints
    over: Ints
    held: Ints
    gain: Ints
    hope: Ints
    prices: Ints


def shares_memory(asked: NearShares) -> SharesMemory:
    """Room for one walk."""
    values, most = len(asked.share), len(asked.weight) - 1

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return SharesMemory(
        weight=np.array(asked.weight, dtype=np.int64),
        share=np.array(asked.share, dtype=np.int64),
        budget=np.array(asked.budget, dtype=np.int64),
        least=asked.least,
        many=zeros(values),
        sums=zeros(values, most + 1),
        over=zeros(values, most + 1),
        held=zeros(values),
        gain=zeros(values),
        hope=zeros(values + 1),
        prices=np.ones(2, dtype=np.int64),
    )


@borrowing
def shares_pay(q: BoxQuestion, m: BoxMemory, n: SharesMemory, size: int, each: int) -> bool:
    """Whether a group of so many rows of an interval, by falling dual, pays, at so much for each member."""
    n.many[:] = 0
    tuples = 0
    for e in range(size):
        r = m.row[e]
        v = q.value[r]
        for _ in range(m.copies[e]):
            n.sums[v, n.many[v] + 1] = n.sums[v, n.many[v]] + q.dual[r]
            n.many[v] += 1
            tuples += 1
    total, members, place, used = 0, 0, 0, 0
    while members < tuples:
        while used == m.copies[place]:
            place, used = place + 1, 0
        total += q.dual[m.row[place]]
        members, used = members + 1, used + 1
        if total <= members * each:
            return False  # further ones have smaller duals still
        if members >= n.least and _some_pays(m, n, members, each):
            return True
    return False


@borrowing
def _gain(n: SharesMemory, v: int, price: int) -> int:
    """What the next tuple of a value brings at a price."""
    h = n.held[v]
    if h == n.many[v]:
        return LOW
    return n.sums[v, h + 1] - n.sums[v, h] - price * (n.over[v, h + 1] - n.over[v, h])


@borrowing
def _largest(n: SharesMemory, members: int, price: int) -> tuple[int, int]:
    """The sum of the largest gains at a price, and how far their counts are above the shares."""
    total, far = 0, 0
    for v in range(len(n.many)):
        n.held[v] = 0
        n.gain[v] = _gain(n, v, price)
    for _ in range(members):
        v = np.argmax(n.gain)
        total += n.gain[v]
        n.prices[1] = n.gain[v]
        n.held[v] += 1
        n.gain[v] = _gain(n, v, price)
    for v in range(len(n.many)):
        far += n.over[v, n.held[v]]
    return total, far


@borrowing
def _some_pays(m: BoxMemory, n: SharesMemory, members: int, each: int) -> bool:
    """Whether some group of a size pays."""
    for v in range(len(n.many)):
        for h in range(n.many[v] + 1):
            n.over[v, h] = max(0, n.weight[h] - members * n.share[v])
    budget, highest = n.budget[members], ROOM // max(1, n.weight[-1])
    price, lower, upper = min(n.prices[0], highest), 0, -1
    least, best = -LOW, price
    while True:
        total, far = _largest(n, members, price)
        bound = total - members * each + price * budget
        if bound <= 0:
            n.prices[0] = price
            return False
        if bound < least:
            least, best = bound, price
        if far <= budget:
            if bound - price * (budget - far) > 0:
                return True
            upper = price
        else:
            lower = price
        if upper == 0 or lower == highest or (upper >= 0 and upper - lower <= 1):
            break
        price = min(highest, 2 * price + 1) if upper < 0 else (lower + upper) // 2
    _largest(n, members, best)
    n.prices[0] = best
    return _found(m, n, members, each, budget)


@borrowing
def _found(m: BoxMemory, n: SharesMemory, members: int, each: int, budget: int) -> bool:
    """Try counts value by value."""
    values, (price, place) = len(n.many), (n.prices[0], n.prices[1])
    n.hope[values] = 0
    for v in range(values - 1, -1, -1):
        n.hope[v] = n.hope[v + 1]
        for h in range(n.many[v]):
            gain = n.sums[v, h + 1] - n.sums[v, h] - price * (n.over[v, h + 1] - n.over[v, h])
            n.hope[v] += max(0, gain - place)
    v, total, far, taken = 0, -members * each, 0, 0
    n.held[0] = -1
    while v >= 0 and m.tried[0] <= MOST_TRIED:
        if n.held[v] >= 0:
            total, far, taken = total - n.sums[v, n.held[v]], far - n.over[v, n.held[v]], taken - n.held[v]
        n.held[v] += 1
        h = n.held[v]
        if h > n.many[v] or taken + h > members or far + n.over[v, h] > budget:
            v -= 1
            continue
        total, far, taken = total + n.sums[v, h], far + n.over[v, h], taken + h
        m.tried[0] += 1
        if taken == members and total > 0:
            return True
        left = members - taken
        if v + 1 < values and total + n.hope[v + 1] + place * left + price * (budget - far) > 0:
            v += 1
            n.held[v] = -1
    return False
