"""A table that is being cut beside one earlier release, as arrays that compiled checks change in place.

Boxes are intervals of codes per attribute. Groups of the new release are segments of one order of the rows.
Numbers per value are kept with the value first.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import borrowing

__all__ = ["Beside", "Bits", "Ints", "Old", "Parts", "count_spare", "covers", "entered", "widened"]

Ints: TypeAlias = NDArray[np.int64]
Bits: TypeAlias = NDArray[np.bool_]


class Parts(NamedTuple):
    """The groups of the new release.

    Attributes
    ----------
    order : int64 array
        Rows, group by group.
    start, size : int64 array
        The segment of each group.
    now : int64 array
        The group of each row.
    low, high : int64 array of shape (groups, attributes)
        The codes each box covers.
    """

    order: Ints
    start: Ints
    size: Ints
    now: Ints
    low: Ints
    high: Ints


class Old(NamedTuple):
    """An earlier release; nothing here changes.

    Attributes
    ----------
    codes : int64 array of shape (rows, attributes)
    value : int64 array
        Of each row.
    home : int64 array
        The earlier group of each row, -1 of somebody new.
    low, high : int64 array of shape (earlier groups, attributes)
        The codes each box covers.
    supply : int64 array of shape (values, earlier groups)
        Records.
    inside_at, inside : int64 array
        Rows of its respondents in each box, one box after the other.
    member_at, member : int64 array
        Rows of its respondents by their group.
    value_at, having : int64 array
        Rows of its respondents by their value.
    """

    codes: Ints
    value: Ints
    home: Ints
    low: Ints
    high: Ints
    supply: Ints
    inside_at: Ints
    inside: Ints
    member_at: Ints
    member: Ints
    value_at: Ints
    having: Ints


class Beside(NamedTuple):
    """The groups of the new release beside an earlier one.

    Attributes
    ----------
    room, filled : int64 array of shape (values, groups)
        Respondents of each group, and those that the earlier release has, too.
    meets : bool array of shape (groups, earlier groups)
        Whether their boxes meet.
    direct : int64 array of shape (values, earlier groups)
        How many of the groups that it meets have somebody new with the value.
    """

    room: Ints
    filled: Ints
    meets: Bits
    direct: Ints


@borrowing
def covers(codes: Ints, parts: Parts, group: int, row: int) -> bool:
    """Whether the box of a group covers a row."""
    for a in range(parts.low.shape[1]):
        if not parts.low[group, a] <= codes[row, a] <= parts.high[group, a]:
            return False
    return True


@borrowing
def count_spare(joined: Beside, group: int, sign: int) -> None:
    """Add a group to `direct`, or take it away."""
    for v in range(len(joined.room)):
        if joined.room[v, group] > joined.filled[v, group]:
            for e in range(joined.meets.shape[1]):
                if joined.meets[group, e]:
                    joined.direct[v, e] += sign


@borrowing
def entered(old: Old, parts: Parts, joined: Beside, group: int, near: Bits) -> None:
    """Fill in a group that meets some of the given earlier ones."""
    joined.room[:, group] = 0
    joined.filled[:, group] = 0
    for i in range(parts.start[group], parts.start[group] + parts.size[group]):
        row = parts.order[i]
        joined.room[old.value[row], group] += 1
        if old.home[row] >= 0:
            joined.filled[old.value[row], group] += 1
    for e in range(len(near)):
        joined.meets[group, e] = False
        if near[e]:
            joined.meets[group, e] = True
            for a in range(parts.low.shape[1]):
                if parts.low[group, a] > old.high[e, a] or old.low[e, a] > parts.high[group, a]:
                    joined.meets[group, e] = False
                    break
    count_spare(joined, group, 1)


def widened(array: NDArray[np.generic], axis: int) -> NDArray[np.generic]:
    """Twice as long along an axis."""
    return np.concatenate([array, np.zeros_like(array)], axis=axis)
