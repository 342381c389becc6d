"""Groups made of a family's counts, and improved by exchanges until they are near one another and allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import numpy as np

from ....colgen.column import Column
from ....colgen.primal.relieving import relieved
from ....colgen.primal.seating import annealed, broken_rules
from ....colgen.primal.seats import Seats
from ....colgen.primal.switching import Columns
from ....settings import Clock
from .family import Family
from .limits import AHEAD as LIMITS
from .mending import mended
from .people import Crowd
from .seats import seats_of

__all__ = ["seated"]


def _columns_of(
    seats: Seats, signatures: Sequence[tuple[int, ...]], free: Sequence[bool], random: Random
) -> Columns:
    """Seats by value and signature, where nobody is bound to the signature."""
    starts = np.flatnonzero(seats.own_start == np.arange(len(seats.own))).tolist()
    home = [int(seats.bucket[seats.order[at] // seats.who.shape[1]]) for at in starts]
    found = [(at, b) for at, b in zip(starts, home, strict=True) if free[b]]
    names = [random.randrange(1, LIMITS.names) for _ in range(max(map(max, signatures)) + 1)]
    at = np.array([at for at, _ in found], dtype=np.int64)
    return Columns(
        start=at,
        end=seats.own_end[at],
        value=seats.own[at],
        home=np.array([b for _, b in found], dtype=np.int64),
        names=np.array(names, dtype=np.int64),
        key=np.array([sum(names[v] for v in signature) for signature in signatures], dtype=np.int64),
        often=LIMITS.switching,
    )


def _signatures(
    seats: Seats, columns: Columns, old: Sequence[tuple[int, ...]]
) -> tuple[tuple[int, ...], ...]:
    """Signatures after values have changed them, in the order of their groups' seats."""
    found, wide = [list(signature) for signature in old], seats.who.shape[1]
    for at, v, b in zip(columns.start.tolist(), columns.value.tolist(), columns.home.tolist(), strict=True):
        found[b][int(seats.order[at]) % wide] = v
    return tuple(map(tuple, found))


def seated(crowd: Crowd, family: Family, seed: int, moves: int, clock: Clock) -> list[Column]:
    """A release with the family's signatures; whoever cannot be seated otherwise is alone among counterfeits.

    Where some group stays forbidden, its signature gets one more group of counterfeits, some times. Everybody
    is seated anew then, while there is time.
    """
    random = Random(seed)
    groups, bucket = _filled(crowd, family, random)
    geometry, people = crowd.geometry, crowd.people
    seats = seats_of(groups, bucket, family.signatures)
    signatures, free = family.signatures, [bucket < 0 for bucket in family.buckets]
    start = float(crowd.types.rows.scale)
    columns = _columns_of(seats, signatures, free, random)
    for attempt in range(LIMITS.attempts):
        again = attempt > 0
        # Dear from the beginning, forbidden meetings would hold people where they happened to sit.
        rising = LIMITS.penalties[-1:] if again else LIMITS.penalties
        for stage, penalty in enumerate(() if again and clock.over else rising):
            annealed(
                geometry,
                people,
                seats,
                columns,
                moves // (LIMITS.again if again else LIMITS.later if stage else LIMITS.first),
                start * (LIMITS.warm if again or stage else LIMITS.hot),
                start * LIMITS.cold,
                start * penalty,
                seed + attempt + LIMITS.attempts * stage,
            )
            if not broken_rules(people, seats).any():
                break
        wrong = broken_rules(people, seats)
        if not wrong.any():
            break
        # Single exchanges are all looked at, so only where few groups are left.
        few = int((wrong > 0).sum()) * len(seats.order) <= moves
        if few and not relieved(geometry, people, seats):
            break
        late = LIMITS.need_moves * len(seats.who) if clock.over else moves
        if mended(geometry, people, seats, columns, min(moves, late), start, seed + attempt):
            break
        groups = [[p for p in line if p > -2] for line in seats.who.tolist()]
        mate, signatures = seats.mate, _signatures(seats, columns, signatures)
        for b in sorted(set(seats.bucket[wrong > 0].tolist())):
            groups.append([-1] * len(signatures[b]))
            bucket.append(b)
        seats = seats_of(groups, bucket, signatures)
        seats.mate[: len(mate)] = mate
        columns = _columns_of(seats, signatures, free, random)
    return _groups(crowd, _signatures(seats, columns, signatures), seats)


def _groups(crowd: Crowd, signatures: Sequence[tuple[int, ...]], seats: Seats) -> list[Column]:
    """Groups as columns; of those that stay forbidden everybody is alone."""
    wrong, value, row = broken_rules(crowd.people, seats), crowd.types.rows.value, crowd.row
    columns: list[Column] = []
    for q, (line, other) in enumerate(zip(seats.who.tolist(), seats.mate.tolist(), strict=True)):
        if 0 <= other < q:
            continue
        seated = line if other < 0 else [*line, *seats.who[other].tolist()]
        rows = [int(row[p]) for p in seated if p >= 0]
        if wrong[q]:
            columns += [crowd.types.alone(r) for r in rows]
        elif rows:
            has, times = Counter(int(value[r]) for r in rows), 1 if other < 0 else 2
            signature = signatures[int(seats.bucket[q])]
            fakes = tuple((v, times - has[v]) for v in sorted(signature) if has[v] < times)
            columns.append(Column(tuple(sorted(rows)), fakes))
    return columns


def _filled(crowd: Crowd, family: Family, random: Random) -> tuple[list[list[int]], list[int]]:
    """The family's counts with people, at random."""
    home = crowd.people.home
    waiting: list[list[int]] = []
    for v in range(len(crowd.new)):
        waiting.append(np.flatnonzero((home < 0) & (crowd.value == v)).tolist())
        random.shuffle(waiting[-1])
    groups, bucket = list[list[int]](), list[int]()
    for b, (signature, number) in enumerate(zip(family.signatures, family.groups, strict=True)):
        columns: list[list[int]] = []
        for v in signature:
            old = family.buckets[b]
            column = [] if old < 0 else np.flatnonzero((home == old) & (crowd.value == v)).tolist()
            column += [waiting[v].pop() for _ in range(family.joined[b].get(v, 0))]
            column += [-1] * (number - len(column))
            random.shuffle(column)
            columns.append(column)
        groups += [[column[g] for column in columns] for g in range(number)]
        bucket += [b] * number
    return groups, bucket
