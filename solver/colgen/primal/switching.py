"""Values that change signatures, compiled: with all who have them, and as many seats for as many seats.

Between two signatures that nobody is bound to, a value of one and a value of the other change places if as
many groups publish them. Signatures keep their sizes and their numbers of groups, counterfeits stay as many:
so a release costs now and later what it did, but other people sit together. Whoever comes into a group is
chosen one after the other, the nearest first; then pairs change once more.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....models.compiled import borrowing, compiled
from ..covering import Geometry, Ints
from .seats import box_of

__all__ = ["Columns", "switched"]


class Columns(NamedTuple):
    """Seats of one value in one signature that nobody is bound to.

    Attributes
    ----------
    start, end, value : int arrays
        Where they are in `Seats.order`, and their value.
    home : int array
        The signature they belong to; changes.
    names : int array, shape (values,)
        Random numbers.
    key : int array, shape (signatures,)
        Of each signature, bound or not, the sum of its values' random numbers; changes.
    often : int
        One in so many moves lets two of them change signatures.
    """

    start: Ints
    end: Ints
    value: Ints
    home: Ints
    names: Ints
    key: Ints
    often: int


@compiled
def _seated(g: Geometry, who: Ints, seats: Ints, guests: Ints) -> int:
    """Guests take those seats; what their groups cost then."""
    wide, number = who.shape[1], len(seats)
    alone = np.full(number, -1, dtype=np.int64)
    costs = np.zeros(number, dtype=np.int64)
    first = np.random.randint(number)
    for step in range(number):
        k = (first + step) % number
        q, i = seats[k] // wide, seats[k] % wide
        chosen, least = -1, 0
        for p in range(number):
            if alone[p] >= 0:
                continue
            who[q, i] = guests[p]
            found = box_of(g, who, q, -1)
            if chosen < 0 or found < least:
                chosen, least = p, found
        who[q, i], alone[chosen], costs[k] = guests[chosen], k, least
    total = 0
    for k in range(number):
        q, i = seats[k] // wide, seats[k] % wide
        for m in range(k):
            r, j = seats[m] // wide, seats[m] % wide
            who[q, i], who[r, j] = who[r, j], who[q, i]
            one, other = box_of(g, who, q, -1), box_of(g, who, r, -1)
            if one + other < costs[k] + costs[m]:
                costs[k], costs[m] = one, other
            else:
                who[q, i], who[r, j] = who[r, j], who[q, i]
    for k in range(number):
        total += costs[k]
    return total


@borrowing
def _may(columns: Columns, a: int, b: int) -> bool:
    """Whether two values may change signatures: none then holds one twice, and no two are the same."""
    s, t, v, u = columns.home[a], columns.home[b], columns.value[a], columns.value[b]
    if s == t or v == u or columns.end[a] - columns.start[a] != columns.end[b] - columns.start[b]:
        return False
    for c in range(len(columns.home)):
        if (columns.home[c] == s and columns.value[c] == u) or (
            columns.home[c] == t and columns.value[c] == v
        ):
            return False
    difference = columns.names[u] - columns.names[v]
    one, other = columns.key[s] + difference, columns.key[t] - difference
    for c in range(len(columns.key)):
        if c != s and c != t and (columns.key[c] == one or columns.key[c] == other):
            return False
    return one != other


@compiled
def switched(
    g: Geometry, who: Ints, order: Ints, columns: Columns, cost: Ints, heat: float
) -> tuple[bool, float]:
    """Try to let two values change signatures: whether they do, and by how much the boxes' cost changes."""
    a, b = np.random.randint(len(columns.home)), np.random.randint(len(columns.home))
    if not _may(columns, a, b):
        return False, 0.0
    wide, s, t = who.shape[1], columns.home[a], columns.home[b]
    ours = order[columns.start[a] : columns.end[a]].copy()
    theirs = order[columns.start[b] : columns.end[b]].copy()
    one, other, before = ours.copy(), theirs.copy(), 0
    for k in range(len(ours)):
        one[k], other[k] = who[ours[k] // wide, ours[k] % wide], who[theirs[k] // wide, theirs[k] % wide]
        before += cost[ours[k] // wide] + cost[theirs[k] // wide]
    for k in range(len(ours)):
        who[ours[k] // wide, ours[k] % wide], who[theirs[k] // wide, theirs[k] % wide] = -1, -1
    after = _seated(g, who, ours, other) + _seated(g, who, theirs, one)
    change = float(after - before)
    if change > 0.0 and np.random.random() >= np.exp(-change / heat):
        for k in range(len(ours)):
            who[ours[k] // wide, ours[k] % wide], who[theirs[k] // wide, theirs[k] % wide] = one[k], other[k]
        return False, 0.0
    for k in range(len(ours)):
        q, r = ours[k] // wide, theirs[k] // wide
        cost[q], cost[r] = box_of(g, who, q, -1), box_of(g, who, r, -1)
        order[columns.start[a] + k], order[columns.start[b] + k] = theirs[k], ours[k]
    difference = columns.names[columns.value[b]] - columns.names[columns.value[a]]
    columns.key[s] += difference
    columns.key[t] -= difference
    columns.home[a], columns.home[b] = t, s
    return True, change
