"""The best state of seats met so far, compiled: of groups that changed since, not of all.

A search that cools down finds a better state every few moves in the end; copying a large table's seats each
time takes longer than all moves.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....models.compiled import borrowing, compiled
from ....models.copying import copy_row, copy_rows
from ..covering import Ints

__all__ = ["BestSeats", "best_seats", "changed", "changed_all", "kept"]


class BestSeats(NamedTuple):
    """A copy of seats, and which groups are no longer as in it.

    Attributes
    ----------
    who, mate : int arrays
        See `Seats`.
    groups : int array
        Groups that changed; room for as many as there are.
    many : int array, shape (1,)
        How many these are; -1 if all may have.
    """

    who: Ints
    mate: Ints
    groups: Ints
    many: Ints


@compiled
def best_seats(who: Ints, mate: Ints) -> BestSeats:
    """A state that is the best so far."""
    return BestSeats(who.copy(), mate.copy(), np.empty(len(who), np.int64), np.zeros(1, np.int64))


@borrowing
def changed(best: BestSeats, one: int, other: int) -> None:
    """Two groups exchanged people, joined or parted."""
    many = best.many[0]
    if many < 0:
        return
    if many + 2 > len(best.groups):
        best.many[0] = -1
        return
    best.groups[many], best.groups[many + 1] = one, other
    best.many[0] = many + 2


@borrowing
def changed_all(best: BestSeats) -> None:
    """Any group may have changed."""
    best.many[0] = -1


@compiled
def kept(best: BestSeats, who: Ints, mate: Ints) -> bool:
    """Keep a state as the best so far; whether all of it was copied."""
    many = best.many[0]
    best.many[0] = 0
    if many < 0:
        copy_rows(who, best.who)
        copy_row(mate, best.mate)
        return True
    for at in range(many):
        q = best.groups[at]
        best.mate[q] = mate[q]
        for i in range(who.shape[1]):
            best.who[q, i] = who[q, i]
    return False
