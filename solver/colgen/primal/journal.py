"""The best state of seats met so far, compiled: changes since a copy are written down, not copied each time.

A search that cools down finds a better state every few moves in the end; copying a large table's seats then
takes longer than all moves. So the copy stays as it is while lines are written after it, and a better state
is the number of lines that lead to it.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import compiled
from ..covering import Ints

__all__ = ["Journal", "begun", "exchanged", "lost", "marked", "paired", "recalled"]


class Journal(NamedTuple):
    """A copy, and what happened since.

    Attributes
    ----------
    who, mate : int arrays
        See `Seats`.
    lines : int array, shape (room, 2)
        Two seats (``group * width + place``) that exchanged people, or ``-1 - group`` and a group that joined
        it or parted from it.
    written, best : int arrays, shape (1,)
        How many lines there are, and how many lead to the best state.
    lost : bool array, shape (1,)
        Whether something happened that no line says.
    """

    who: Ints
    mate: Ints
    lines: Ints
    written: Ints
    best: Ints
    lost: NDArray[np.bool_]


@compiled
def begun(who: Ints, mate: Ints) -> Journal:
    """A journal of a state that is the best so far."""
    lines, none = np.empty((max(4096, who.size), 2), np.int64), np.zeros(1, np.int64)
    return Journal(who.copy(), mate.copy(), lines, none, none.copy(), np.zeros(1, np.bool_))


@compiled
def _led(journal: Journal) -> None:
    """Lead the copy to the best state, and forget the lines before it."""
    who, mate, lines, wide = journal.who, journal.mate, journal.lines, journal.who.shape[1]
    best, written = journal.best[0], journal.written[0]
    for line in range(best):
        one, other = lines[line, 0], lines[line, 1]
        if one >= 0:
            q, i, r, j = one // wide, one % wide, other // wide, other % wide
            who[q, i], who[r, j] = who[r, j], who[q, i]
        else:
            first, joined = -1 - one, mate[-1 - one] < 0
            mate[first], mate[other] = other if joined else -1, first if joined else -1
    for line in range(best, written):
        lines[line - best, 0], lines[line - best, 1] = lines[line, 0], lines[line, 1]
    journal.written[0], journal.best[0] = written - best, 0


@compiled
def lost(journal: Journal) -> None:
    """Something happened that no line says."""
    if not journal.lost[0]:
        _led(journal)
        journal.written[0], journal.lost[0] = 0, True


@compiled
def exchanged(journal: Journal, one: int, other: int) -> None:
    """Write down that two seats exchanged people."""
    if journal.lost[0]:
        return
    room = len(journal.lines)
    if journal.written[0] == room:
        _led(journal)
        if 2 * journal.written[0] > room:  # nothing better for long
            lost(journal)
            return
    line = journal.lines[journal.written[0]]
    line[0], line[1] = one, other
    journal.written[0] += 1


@compiled
def paired(journal: Journal, first: int, second: int) -> None:
    """Write down that two groups joined or parted."""
    exchanged(journal, -1 - first, second)


@compiled
def marked(journal: Journal, who: Ints, mate: Ints) -> bool:
    """Call a state the best so far; whether it was copied, because no lines lead to it."""
    if not journal.lost[0]:
        journal.best[0] = journal.written[0]
        return False
    journal.who[:], journal.mate[:] = who, mate
    journal.written[0], journal.best[0], journal.lost[0] = 0, 0, False
    return True


@compiled
def recalled(journal: Journal, who: Ints, mate: Ints) -> None:
    """Return to the best state."""
    _led(journal)
    who[:], mate[:] = journal.who, journal.mate
