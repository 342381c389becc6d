"""Groups as seats that people are exchanged on, compiled: of all groups, or of those of some buckets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....colgen.covering import Geometry, Ints
from ....colgen.primal.seats import Bools, Seats
from ....colgen.primal.switching import Columns

__all__ = ["no_columns", "part_of", "put_back", "seats_of", "without_boxes"]


def seats_of(
    groups: Sequence[Sequence[int]], bucket: Sequence[int], signatures: Sequence[tuple[int, ...]]
) -> Seats:
    """Seats of groups whose members are in the order of their signature's values, -1 for nobody.

    `bucket` numbers signatures; where there is but one signature, all groups have it.
    """
    of = [signatures[b if len(signatures) > 1 else 0] for b in bucket]
    wide = max(map(len, groups))
    who = np.array([[*group, *[-2] * (wide - len(group))] for group in groups], dtype=np.int64)
    listed = sorted(
        (v, b, g * wide + i)
        for g, (signature, b) in enumerate(zip(of, bucket, strict=True))
        for i, v in enumerate(signature)
    )
    value, order = (np.array([seat[i] for seat in listed], dtype=np.int64) for i in (0, 2))
    alone = np.full(len(who), -1, dtype=np.int64)
    return _indexed(who, alone, np.array(bucket, dtype=np.int64), order, value)


def part_of(seats: Seats, chosen: Bools) -> Seats:
    """Seats of some groups alone, whose mates are among them; `put_back` takes them over."""
    wide, group = seats.who.shape[1], seats.order // seats.who.shape[1]
    number, inside = np.cumsum(chosen) - 1, chosen[group]
    mate = seats.mate[chosen]
    return _indexed(
        seats.who[chosen],
        np.where(mate < 0, -1, number[mate]),
        seats.bucket[chosen],
        number[group[inside]] * wide + seats.order[inside] % wide,
        seats.own[inside],
    )


def put_back(seats: Seats, chosen: Bools, part: Seats) -> None:
    """Seat people as in a part of the groups."""
    number = np.flatnonzero(chosen)
    seats.who[chosen] = part.who
    seats.mate[chosen] = np.where(part.mate < 0, -1, number[part.mate])


def _indexed(who: Ints, mate: Ints, bucket: Ints, order: Ints, value: Ints) -> Seats:
    """Where the seats of each value start and end, and inside a value those of each bucket."""
    home = bucket[order // who.shape[1]]
    differs = (np.diff(value) != 0) | (np.diff(home) != 0)
    changes, run = np.flatnonzero(np.append(True, differs)), np.cumsum(np.append(0, differs))
    return Seats(
        who=who,
        mate=mate,
        bucket=bucket,
        order=order,
        start=np.searchsorted(value, np.arange(int(value[-1]) + 2)).astype(np.int64),
        own=value,
        own_start=changes[run].astype(np.int64),
        own_end=np.append(changes[1:], len(value))[run].astype(np.int64),
    )


def no_columns() -> Columns:
    """No value may change signatures."""
    none = np.zeros(0, dtype=np.int64)
    return Columns(start=none, end=none, value=none, home=none, names=none, key=none, often=1)


def without_boxes(geometry: Geometry) -> Geometry:
    """The same people, and boxes cost nothing."""
    g = geometry
    return Geometry(g.codes[:, :0], g.weight[:0], g.tree[:0], g.side[:0], g.table)
