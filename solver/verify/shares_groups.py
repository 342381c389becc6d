"""The groups of one box where shares of values are to be near the table's: whether one of them pays.

Of s tuples, n of a value, a group may have ``sum max(0, weight[n] - s share)`` up to some budget: under
t-closeness ``N n`` and T, if T of the table's N tuples have the value. Tuples of an interval cost the same,
so a paying group has, of each value, those of the largest duals. No group of a size brings more than the
largest of all gains less a price for what is above the shares, and the whole budget at that price: mostly
some price shows that none pays, or a group that does. Otherwise counts are tried value by value; what is
left brings no more than all gains above a second price, on places. Where values have an order, the most that
counts bring at a price is found from the last value on.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...models.compiled import borrowing
from ...models.whole_values import WholeValues
from .box_groups import LOW, MOST_TRIED, BoxMemory, BoxQuestion
from .rows import Ints

__all__ = ["SharesAsked", "SharesMemory", "shares_memory", "shares_pay"]

ROOM = 1 << 59
"""Largest sum of prices."""


class SharesAsked(NamedTuple):
    """Groups of at least `least` tuples whose values keep to what is asked."""

    values: WholeValues
    least: int


class SharesMemory(NamedTuple):
    """What is asked, and working memory.

    Attributes
    ----------
    weight, share, budget, least, order, places
        As of `WholeValues` and `SharesAsked`.
    many : shape (values,)
        Tuples of the interval.
    sums, over : shape (values, tuples + 1)
        Duals of so many of the best tuples of a value; how far so many are above its share.
    held, gain : shape (values,)
        Counts at hand; what the next tuple brings.
    rest : shape (values + 1, tuples + 1)
        Of ordered values, what a place and later ones bring at most after so many tuples.
    hope : shape (values + 1,)
        What this value and later ones bring above the price of a place.
    prices : shape (2,)
        On being above shares, and on a place.
    """

    weight: Ints
    share: Ints
    budget: Ints
    least: int
    order: Ints
    places: Ints
    many: Ints
    sums: Ints
    over: Ints
    held: Ints
    gain: Ints
    rest: Ints
    hope: Ints
    prices: Ints


def shares_memory(asked: SharesAsked) -> SharesMemory:
    """Room for one walk."""
    of = asked.values
    values, most = len(of.share), len(of.weight) - 1

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return SharesMemory(
        weight=np.array(of.weight, dtype=np.int64),
        share=np.array(of.share, dtype=np.int64),
        budget=np.array(of.budget, dtype=np.int64),
        least=asked.least,
        order=np.array(of.order, dtype=np.int64),
        places=np.array(of.places, dtype=np.int64),
        many=zeros(values),
        sums=zeros(values, most + 1),
        over=zeros(values, most + 1),
        held=zeros(values),
        gain=zeros(values),
        rest=zeros(values + 1, most + 1 if of.order else 1),
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
    if len(n.order):
        return _largest_in_order(n, members, price)
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
    budget, highest = n.budget[members], ROOM // max(1, n.weight[-1] * (1 + n.places.sum()))
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
    if len(n.order):
        return _found_in_order(m, n, members, each, budget, best)
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


@borrowing
def _apart(n: SharesMemory, place: int, upto: int, members: int) -> int:
    """How far a group with so many tuples up to a place is from the share there."""
    return n.places[place] * abs(n.weight[upto] - members * n.share[place])


@borrowing
def _largest_in_order(n: SharesMemory, members: int, price: int) -> tuple[int, int]:
    """The same for values in order: from the last one on, the most for each number of tuples before it."""
    values, upto, far = len(n.order), 0, 0
    for place in range(values, -1, -1):
        for before in range(members + 1):
            n.rest[place, before] = 0 if place == values and before == members else LOW
            v = n.order[place] if place < values else 0
            for h in range(n.many[v] + 1 if place < values else 0):
                after = before + h
                if after <= members and n.rest[place + 1, after] > LOW:
                    gain = n.sums[v, h] + n.rest[place + 1, after] - price * _apart(n, place, after, members)
                    n.rest[place, before] = max(n.rest[place, before], gain)
    for place in range(values):
        v, h = n.order[place], 0
        while True:
            after = upto + h
            later = n.rest[place + 1, after]
            if later > LOW:
                gain = n.sums[v, h] + later - price * _apart(n, place, after, members)
                if gain == n.rest[place, upto]:
                    break
            h += 1
        upto += h
        far += _apart(n, place, upto, members)
    return n.rest[0, 0], far


@borrowing
def _found_in_order(m: BoxMemory, n: SharesMemory, members: int, each: int, budget: int, price: int) -> bool:
    """Try counts of values in order."""
    values, place, total, far, upto = len(n.order), 0, -members * each, 0, 0
    n.held[n.order[0]] = -1
    while place >= 0 and m.tried[0] <= MOST_TRIED:
        v = n.order[place]
        if n.held[v] >= 0:
            total, far = total - n.sums[v, n.held[v]], far - _apart(n, place, upto, members)
            upto -= n.held[v]
        n.held[v] += 1
        h = n.held[v]
        if h > n.many[v] or upto + h > members:
            place -= 1
            continue
        upto += h
        total, far = total + n.sums[v, h], far + _apart(n, place, upto, members)
        m.tried[0] += 1
        if far > budget or n.rest[place + 1, upto] <= LOW:
            continue
        if place + 1 == values:
            if total > 0:
                return True
        elif total + n.rest[place + 1, upto] + price * (budget - far) > 0:
            place += 1
            n.held[n.order[place]] = -1
    return False
