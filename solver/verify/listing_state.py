"""Arrays of a listing of groups: cuts, near rows, earlier groups, and where its search stands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .rows import Ints

__all__ = ["Meetings", "NearCells", "PartialGroup", "Penalties"]


class Penalties(NamedTuple):
    """Cuts with a dual below 0: row r has multiplier ``times[e]`` in cut ``cut[e]``, over ``over[cut[e]]``.

    For e from ``start[r]`` to ``start[r + 1]``; multipliers are at least 1 and below what they are over.
    """

    start: Ints
    cut: Ints
    times: Ints
    over: Ints
    dual: Ints


class NearCells(NamedTuple):
    """Near rows together: cell c has places ``place[start[c]:start[c + 1]]`` of the order.

    With the corners of its box, and its largest dual.
    """

    start: Ints
    place: Ints
    lo: Ints
    hi: Ints
    best: Ints


class PartialGroup(NamedTuple):
    """The partial group that a search is at, member by member, and what it knows of each depth.

    A search that pauses goes on by looking at this group: ``depth`` holds its size (0 between two anchors),
    and how many may follow.
    """

    depth: Ints
    cand: NDArray[np.int32]
    number: Ints
    at: Ints
    lo: Ints
    hi: Ints
    sure: Ints
    box: Ints
    state: Ints
    member: NDArray[np.int32]
    seen: Ints
    touched: Ints
    shared: Ints

    @staticmethod
    def empty(largest: int, wide: int, attributes: int, values: int, cuts: int, met: int) -> PartialGroup:
        """For groups of so many members out of so many candidates."""
        longs = [np.zeros(largest + 1, dtype=np.int64) for _ in range(5)]
        number, at, sure, box, state = longs
        lo, hi = (np.zeros((largest + 1, attributes), dtype=np.int64) for _ in range(2))
        seen, touched, shared = (np.zeros(many, dtype=np.int64) for many in (values, cuts, met))
        return PartialGroup(
            depth=np.zeros(2, dtype=np.int64),
            cand=np.zeros((largest + 1, wide), dtype=np.int32),
            number=number,
            at=at,
            lo=lo,
            hi=hi,
            sure=sure,
            box=box,
            state=state,
            member=np.zeros(largest + 1, dtype=np.int32),
            seen=seen,
            touched=touched,
            shared=shared,
        )


class Meetings(NamedTuple):
    """Earlier groups that forbid something, by row: row r was in ``group[e]``.

    For e from ``start[r]`` to ``start[r + 1]``. A group of so many members may have so many of an earlier
    group g if ``allowed[g, members, of them]``.
    """

    start: Ints
    group: Ints
    allowed: NDArray[np.bool_]
