"""All groups above a floor, listed a second time by another search than the engines'.

A group's *profit* at integer duals is the sum of its members' duals and of the penalties of its cuts, less
its scaled cost: its reduced cost with the other sign. Duals prove their bound if no needed group has a profit
above 0, and a release below a target holds only groups whose profit is above what the target leaves. So one
listing of these both confirms the duals and gives the columns of the last integer program.

Cuts are those of Chvatal and Gomory from multipliers of rows over q: a group counts ``floor(sum of its
members' multipliers / q)`` times, all groups of a release at most as often as all tuples together. With
multipliers 1 over 2 these are odd sets.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.errors import CertificateError
from .histograms import Needed
from .listing_search import DONE, FULL, LONG, LOW, PAYS, search
from .listing_state import Meetings, NearCells, PartialGroup, Penalties
from .outcome import UndecidedError
from .rows import Boxes, Ints

__all__ = [
    "MOST_LISTED",
    "Listed",
    "ListingInput",
    "TooLongError",
    "listed",
    "no_meetings",
    "refuted",
]

FIRST_ROOM = 4_096
"""Groups that are made room for at first."""
MOST_LISTED = 250_000
"""Groups; no engine lists more."""
CELL = 32
"""Most rows of a cell, unless they are all at one place."""
MOST_VISITED = 100_000_000
"""Partial groups that are looked at: a minute or two."""
LATE_VISITED = 500_000
"""However late it is, so many are: a bound is not given up for half a second."""


class TooLongError(UndecidedError):
    """What was to be checked may hold, but takes more time or memory than was given."""


def no_meetings(rows: int) -> Meetings:
    """Nothing is forbidden."""
    return Meetings(
        np.zeros(rows + 1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.ones((0, 1, 1), dtype=np.bool_)
    )


@dataclass(frozen=True, kw_only=True)
class ListingInput:
    """What is searched.

    Attributes
    ----------
    boxes, value, count
        As of `Rows`.
    dual : shape (rows,)
    scale : int
        Duals are in 1 / scale of a cost.
    order : int array
        Rows that groups may have, by falling dual.
    anchors : bool array, shape (rows,)
        The kind of which every group needs a member.
    extra : shape (largest + 1,)
        What a group of each size gains beside: never less for one more, and never by more than for the last.
    penalties : Penalties
    meetings : Meetings
    needed : Needed
    """

    boxes: Boxes
    value: Ints
    count: Ints
    dual: Ints
    scale: int
    order: Ints
    anchors: NDArray[np.bool_]
    extra: Ints
    penalties: Penalties
    meetings: Meetings
    needed: Needed


class Listed(NamedTuple):
    """What was found.

    Attributes
    ----------
    groups : int32 array
        Rows of each group in rising order, padded with -1.
    paying : bool
        Whether a group with a profit above 0 ended the search; it is the last one.
    unsure : int array, shape (rows,)
        By anchor, no group too large for the listed histograms has a profit above this; `LOW` where none has
        one above the floor.
    """

    groups: NDArray[np.int32]
    paying: bool
    unsure: Ints


def _cells(q: ListingInput) -> NearCells:
    """Halve the rows along the side in which they differ most, until few are left."""
    code, dual = q.boxes.code[q.order], q.dual[q.order]
    pending, done = [np.arange(len(code))], list[Ints]()
    while pending:
        part = pending.pop()
        wide = code[part].max(axis=0, initial=0) - code[part].min(axis=0, initial=q.boxes.code.max(initial=0))
        if len(part) <= CELL or not wide.any():
            done += [part] if len(part) else []
            continue
        # Steps of different attributes cost differently.
        side = int(np.argmax(wide * np.where(q.boxes.start < 0, q.boxes.price, q.boxes.price.max())))
        part = part[np.argsort(code[part, side], kind="stable")]
        pending += [part[: len(part) // 2], part[len(part) // 2 :]]
    return NearCells(
        start=np.cumsum([0, *map(len, done)]).astype(np.int64),
        place=np.concatenate([np.zeros(0, dtype=np.int64), *done]),
        lo=np.array([code[part].min(axis=0) for part in done], dtype=np.int64).reshape(
            len(done), code.shape[1]
        ),
        hi=np.array([code[part].max(axis=0) for part in done], dtype=np.int64).reshape(
            len(done), code.shape[1]
        ),
        best=np.array([dual[part].max() for part in done], dtype=np.int64),
    )


def listed(
    q: ListingInput, floor: int, over: Callable[[], bool] | None = None, visits: int | None = None
) -> Listed:
    """List all needed groups with a profit above `floor`, up to the first that pays.

    Parameters
    ----------
    q : ListingInput
    floor : int
        At most 0.
    over : callable, optional
        Whether time is over.
    visits : int, optional
        Partial groups that are looked at; without a number `MOST_VISITED`.

    Raises
    ------
    TooLongError
        If they are too many, or time is over.
    """
    needed = q.needed
    most = int(q.count[q.order].sum()) if needed.beyond else needed.largest
    copies = np.minimum(q.count[q.order], min(needed.often, most))
    unsure, cells = np.full(len(q.value), LOW, dtype=np.int64), _cells(q)
    room, place, ended, found = FIRST_ROOM, 0, DONE, list[NDArray[np.int32]]()
    attributes, values = q.boxes.code.shape[1], int(q.value.max(initial=-1)) + 1
    visits = MOST_VISITED if visits is None else visits
    late = visits - LATE_VISITED
    cuts, met = len(q.penalties.over), q.meetings.allowed.shape[0]
    partial = PartialGroup.empty(needed.largest, int(copies.sum()), attributes, values, cuts, met)
    while place < len(q.order):
        if over is not None and visits < late and over():
            raise TooLongError("the groups that a better release may hold were not all listed in time")
        buffer = np.empty((room, needed.largest), dtype=np.int32)
        place, total, visits, ended = search(
            q.boxes, q.value, q.count, q.dual, q.scale, q.order, q.anchors, q.extra, q.penalties,
            q.meetings, cells, needed.step, needed.missing, needed.whole, needed.alike, needed.largest, most,
            needed.often, floor, place, visits, partial, buffer, unsure,
        )  # fmt: skip
        found.append(buffer[:total].copy())
        if ended == PAYS:
            break
        room *= 2 if ended == FULL else 1
        if ended == LONG or sum(map(len, found)) > MOST_LISTED:
            raise TooLongError("the groups that a better release may hold are too many to be checked")
    groups = np.concatenate([np.empty((0, needed.largest), dtype=np.int32), *found])
    inside = np.sort(np.where(groups < 0, len(q.value), groups), axis=1)
    return Listed(np.where(inside == len(q.value), -1, inside).astype(np.int32), ended == PAYS, unsure)


def refuted(group: NDArray[np.int32]) -> CertificateError:
    """What to say of duals that a group costs less than."""
    return CertificateError(
        f"the duals prove nothing: a group of {int((group >= 0).sum())} tuples costs less than its duals"
    )
