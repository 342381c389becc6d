"""The lives of all buckets of a table together, compiled: what arrivals fill, and what they begin.

People leave and return as in `life`, and their buckets are packed and repaired in the same way. Who comes
takes any vacancy for the value, in whichever bucket. Where none is left the most frequent of the others'
values begin a signature, as m-invariance deals them; the last few are a further value of it, or get a
group of counterfeits in an earlier bucket. Begun signatures live on like all others.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiled import borrowing, compiled
from ..compiled_random import stepped
from ..copying import copy_row
from .life import Ints, named, packed, repaired

__all__ = ["Buckets", "Chances", "Everybody", "lived_together"]


class Buckets(NamedTuple):
    """Signatures with their seats; the first ones are published already.

    Attributes
    ----------
    values : int array, shape (buckets, widest)
        -1 beyond the bucket's own.
    wide, groups, first, room : int array
        Values and groups of each; where its seats begin, and how many groups have room.
    place : int array, shape (rows, widest)
        Who sits where; -1 for nobody.
    mate : int array
        Which group of the bucket each is joined with, or -1.
    used : int array, shape (2,)
        Buckets there are, and rows of seats in use.
    """

    values: Ints
    wide: Ints
    groups: Ints
    first: Ints
    room: Ints
    place: Ints
    mate: Ints
    used: Ints


class Everybody(NamedTuple):
    """People by number: value, bucket, seat's column, whether they left, their group at each release."""

    value: Ints
    bucket: Ints
    column: Ints
    away: Ints
    past: Ints
    used: Ints


class Chances(NamedTuple):
    """As in `Forecast`; `bad` by number of values, as `life.lives` takes it; fewest values of a signature."""

    survival: Ints
    returns: int
    trials: Ints
    chance: Ints
    bad: NDArray[np.bool_]
    least: int


@borrowing
def _seat(buckets: Buckets, people: Everybody, b: int, g: int, i: int) -> None:
    """Somebody new on a seat, if there is room for more people."""
    p = people.used[0]
    if p == len(people.value):
        return
    people.used[0] += 1
    people.value[p], people.bucket[p], people.column[p] = buckets.values[b, i], b, i
    people.away[p] = 0
    people.past[p] = -1
    buckets.place[buckets.first[b] + g, i] = p


@compiled
def _departed(buckets: Buckets, people: Everybody, chances: Chances, t: int, state: Ints) -> None:
    """Some leave, the rest move together, some return, and forbidden meetings are mended."""
    known, wide = people.used[0], buckets.place.shape[1]
    count = np.zeros(wide, dtype=np.int64)
    for b in range(buckets.used[0]):
        at, end = buckets.first[b], buckets.first[b] + buckets.room[b]
        for g in range(at, at + buckets.groups[b]):
            for i in range(buckets.wide[b]):
                p = buckets.place[g, i]
                if p >= 0 and stepped(state) >= chances.survival[people.value[p]]:
                    buckets.place[g, i] = -1
                    people.away[p] = 1
        buckets.groups[b] = packed(buckets.place[at:end], buckets.groups[b], count)
    for p in range(known):
        if chances.returns == 0 or people.away[p] == 0 or people.past[p, t - 1] >= 0:
            continue
        if stepped(state) >= chances.returns:
            continue
        b, i, g = people.bucket[p], people.column[p], 0
        while g < buckets.groups[b] and buckets.place[buckets.first[b] + g, i] >= 0:
            g += 1
        if g < buckets.room[b]:
            if g == buckets.groups[b]:
                buckets.place[buckets.first[b] + g] = -1
                buckets.groups[b] += 1
            people.away[p] = 0
            buckets.place[buckets.first[b] + g, i] = p
    for b in range(buckets.used[0]):
        at, end = buckets.first[b], buckets.first[b] + buckets.room[b]
        if buckets.groups[b]:
            rules = chances.bad[buckets.wide[b]]
            place, mate = buckets.place[at:end], buckets.mate[at:end]
            buckets.groups[b] = repaired(place, mate, people.past, t, rules, buckets.groups[b], state)


@borrowing
def _real(buckets: Buckets, b: int, g: int) -> int:
    """How many people a group has, with the one it is joined with."""
    found, mate = 0, buckets.mate[buckets.first[b] + g]
    for i in range(buckets.wide[b]):
        found += buckets.place[buckets.first[b] + g, i] >= 0
        found += mate >= 0 and buckets.place[buckets.first[b] + mate, i] >= 0
    return found


@borrowing
def _filled(buckets: Buckets, people: Everybody, coming: Ints, state: Ints) -> None:
    """Who comes takes vacancies of groups that somebody is in."""
    begin = stepped(state) % max(1, buckets.used[0])
    for step in range(buckets.used[0]):
        b = (begin + step) % buckets.used[0]
        for g in range(buckets.groups[b]):
            if _real(buckets, b, g) == 0:
                continue
            for i in range(buckets.wide[b]):
                v = buckets.values[b, i]
                if coming[v] and buckets.place[buckets.first[b] + g, i] < 0:
                    coming[v] -= 1
                    _seat(buckets, people, b, g, i)


@compiled
def _begun(buckets: Buckets, people: Everybody, coming: Ints, least: int) -> int:
    """Signatures of those who are left, as long as they have enough values; the first one's number."""
    first = buckets.used[0]
    while np.count_nonzero(coming) >= least and buckets.used[0] < len(buckets.wide):
        order = np.argsort(-coming, kind="mergesort")
        after = coming[order[least]] if least < len(coming) else 0
        groups = max(1, min(coming[order[least - 1]], (coming.sum() - least * after) // least))
        b, room = buckets.used[0], 3 * groups + 4 * buckets.place.shape[1] + 4
        if buckets.used[1] + room > len(buckets.place):
            return first
        buckets.first[b], buckets.room[b] = buckets.used[1], room
        buckets.wide[b], buckets.groups[b] = least, groups
        buckets.values[b] = -1
        copy_row(order[:least], buckets.values[b])
        buckets.place[buckets.first[b] : buckets.first[b] + room] = -1
        buckets.mate[buckets.first[b] : buckets.first[b] + room] = -1
        buckets.used[0] += 1
        buckets.used[1] += room
        for i in range(least):
            coming[order[i]] -= groups
            for g in range(groups):
                _seat(buckets, people, b, g, i)
    return first


@borrowing
def _added(buckets: Buckets, people: Everybody, coming: Ints, first: int, v: int) -> bool:
    """People of one value in a signature that is begun just now, as a further value of it."""
    for b in range(first, buckets.used[0]):
        k = buckets.wide[b]
        if k < buckets.place.shape[1] and buckets.groups[b] <= coming[v] and v not in buckets.values[b]:
            buckets.values[b, k] = v
            buckets.wide[b] = k + 1
            coming[v] -= buckets.groups[b]
            for g in range(buckets.groups[b]):
                _seat(buckets, people, b, g, k)
            return True
    return False


@borrowing
def _beside(buckets: Buckets, people: Everybody, coming: Ints, v: int) -> bool:
    """A further group of the bucket with this value that takes most of those who are left."""
    best, most = -1, -1
    for b in range(buckets.used[0]):
        here, mine = 0, False
        for i in range(buckets.wide[b]):
            here += coming[buckets.values[b, i]] > 0
            mine = mine or buckets.values[b, i] == v
        worth = here * buckets.place.shape[1] - buckets.wide[b]
        if mine and buckets.groups[b] < buckets.room[b] and (best < 0 or worth > most):
            best, most = b, worth
    if best < 0:
        return False
    g = buckets.groups[best]
    buckets.groups[best] += 1
    buckets.place[buckets.first[best] + g] = -1
    buckets.mate[buckets.first[best] + g] = -1
    for i in range(buckets.wide[best]):
        if coming[buckets.values[best, i]]:
            coming[buckets.values[best, i]] -= 1
            _seat(buckets, people, best, g, i)
    return True


@borrowing
def _published(buckets: Buckets, people: Everybody, t: int) -> int:
    """Note who is with whom; how many counterfeits that takes."""
    fakes = 0
    for b in range(buckets.used[0]):
        at, end = buckets.first[b], buckets.first[b] + buckets.room[b]
        for g in range(buckets.groups[b]):
            if _real(buckets, b, g) == 0:
                continue
            for i in range(buckets.wide[b]):
                p = buckets.place[at + g, i]
                if p < 0:
                    fakes += 1
                else:
                    people.past[p, t] = named(g, buckets.mate[at:end])
    return fakes


@compiled
def lived_together(buckets: Buckets, people: Everybody, chances: Chances, fakes: Ints, state: Ints) -> None:
    """Counterfeits of the releases to come, once: `fakes` gets those of each, and begins with 0.

    As many columns as these are at the end of `people.past`. Whoever finds neither a vacancy, nor enough
    others, nor a bucket, is alone among counterfeits.
    """
    coming, before = np.zeros(len(chances.survival), dtype=np.int64), people.past.shape[1] - len(fakes)
    for release in range(len(fakes)):
        t = before + release
        _departed(buckets, people, chances, t, state)
        for v in range(len(coming)):
            coming[v] = 0
            for _ in range(chances.trials[v]):
                coming[v] += stepped(state) < chances.chance[v]
        _filled(buckets, people, coming, state)
        first = _begun(buckets, people, coming, chances.least)
        while coming.any():
            v = int(np.argmax(coming))
            if not _added(buckets, people, coming, first, v) and not _beside(buckets, people, coming, v):
                fakes[release] += chances.least - 1
                coming[v] -= 1
        fakes[release] += _published(buckets, people, t)
