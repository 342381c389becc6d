"""Who sits where, compiled: what a box costs, and which earlier groups have too many of the same people."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing
from ..covering import Geometry, Ints
from ..kernels.boxes import side_cost

__all__ = ["People", "Seats", "box_of", "broken_by"]

Bools = NDArray[np.bool_]


class People(NamedTuple):
    """Tuples, one by one.

    Attributes
    ----------
    home : int array
        Bucket whose signature is given, -1 for new ones.
    past : int array, shape (tuples, releases)
        Earlier group of each release that matters, -1 for none.
    kind : int array, shape (earlier groups,)
        As in `Rules`,
    safe : bool array, shape (times, kinds, members + 1, shared + 1)
        as is this, for groups that hold each value once and, if there is such a table, twice.
    """

    home: Ints
    past: Ints
    kind: Ints
    safe: Bools


class Seats(NamedTuple):
    """Groups and who sits where.

    Attributes
    ----------
    who : int array, shape (groups, values of the largest)
        Tuple, -1 for nobody, -2 for no seat.
    mate : int array, shape (groups,)
        The group it is joined with, -1 for none.
    bucket : int array, shape (groups,)
    order, start : int arrays
        Seats (``group * width + place``) by value, and inside a value by bucket; where each value starts.
    own, own_start, own_end : int arrays, shape of `order`
        For each seat in that order: its value, and where the seats of its value and bucket start and end.
    """

    who: Ints
    mate: Ints
    bucket: Ints
    order: Ints
    start: Ints
    own: Ints
    own_start: Ints
    own_end: Ints


@borrowing
def box_of(g: Geometry, who: Ints, q: int, mate: int) -> int:
    """What a group loses, alone or joined with another; codes are those of tuples, one by one."""
    wide, members, total = who.shape[1], 0, 0
    ways = 1 if mate < 0 else 2
    for i in range(ways * wide):
        members += (who[q, i] if i < wide else who[mate, i - wide]) >= 0
    if members < 2:
        return 0
    for a in range(g.codes.shape[1]):
        lo, hi = -1, -1
        for i in range(ways * wide):
            p = who[q, i] if i < wide else who[mate, i - wide]
            if p >= 0:
                x = g.codes[p, a]
                lo = x if lo < 0 or x < lo else lo
                hi = x if x > hi else hi
        total += side_cost(g.weight, g.tree, g.side, g.table, a, lo, hi)
    return members * total


@borrowing
def broken_by(people: People, who: Ints, q: int, mate: int) -> int:
    """With how many earlier groups a group, alone or joined, has too many people in common."""
    wide, members, found = who.shape[1], 0, 0
    ways = 1 if mate < 0 else 2
    for i in range(ways * wide):
        members += (who[q, i] if i < wide else who[mate, i - wide]) >= 0
    for t in range(people.past.shape[1]):
        for i in range(ways * wide):
            p = who[q, i] if i < wide else who[mate, i - wide]
            if p < 0 or people.past[p, t] < 0:
                continue
            met, shared, first = people.past[p, t], 1, True
            for j in range(ways * wide):
                o = who[q, j] if j < wide else who[mate, j - wide]
                if j != i and o >= 0 and people.past[o, t] == met:
                    shared += 1
                    first = first and j > i
            if first and not people.safe[ways - 1, people.kind[met], members, shared]:
                found += 1
    return found
