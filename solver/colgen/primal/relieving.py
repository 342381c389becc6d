"""Groups that meet an earlier one too often, compiled: one exchange each that frees them and costs least.

After annealing few groups of a large table are left that may not be published. Looking at all their exchanges
takes little then, and nobody else is moved.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np

from ....models.compiled import compiled
from ..covering import Geometry
from .seats import People, Seats, box_of, broken_by

__all__ = ["relieved"]


@compiled
def relieved(g: Geometry, people: People, seats: Seats) -> int:
    """Free groups by one exchange each, after which both groups may be published; how many were not freed.

    A group that was not freed may still be by the exchange of a later one: it counts as not freed.

    Complexity: O(seats of the group's values) exchanges for each forbidden group.
    """
    who, mate, order, wide, left = seats.who, seats.mate, seats.order, seats.who.shape[1], 0
    place = np.full(who.size, -1, dtype=np.int64)
    for at in range(len(order)):
        place[order[at]] = at
    for q in range(len(who)):
        if mate[q] >= 0 or broken_by(people, who, q, -1) == 0:
            left += mate[q] > q and broken_by(people, who, q, mate[q]) > 0
            continue
        before, least, one, other = box_of(g, who, q, -1), 0, -1, -1
        for i in range(wide):
            at, p = place[q * wide + i], who[q, i]
            if at < 0:
                continue
            free = p < 0 or people.home[p] < 0
            start = seats.start[seats.own[at]] if free else seats.own_start[at]
            end = seats.start[seats.own[at] + 1] if free else seats.own_end[at]
            for x in range(start, end):
                r, j = order[x] // wide, order[x] % wide
                s = who[r, j]
                if r == q or mate[r] >= 0 or s == p:
                    continue
                if s >= 0 and people.home[s] >= 0 and seats.bucket[q] != seats.bucket[r]:
                    continue
                old = box_of(g, who, r, -1)
                who[q, i], who[r, j] = s, p
                if broken_by(people, who, q, -1) == 0:
                    change = box_of(g, who, q, -1) + box_of(g, who, r, -1) - old - before
                    if (one < 0 or change < least) and broken_by(people, who, r, -1) == 0:
                        least, one, other = change, q * wide + i, order[x]
                who[q, i], who[r, j] = p, s
        if one < 0:
            left += 1
            continue
        i, r, j = one % wide, other // wide, other % wide
        who[q, i], who[r, j] = who[r, j], who[q, i]
    return left
