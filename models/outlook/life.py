"""The life of one bucket, compiled: how many counterfeits it needs over the next releases.

A bucket begins with L groups that hold each of its k values once. At each release some leave, some return,
and those who are there are put into as few groups as hold them: a group that shares a forbidden number of
people with an earlier one exchanges people with others (of the same value) until nothing is forbidden, and
where that does not succeed, one more group is made. For some of those who left somebody comes with the same
value (`Forecast.refill`) and fills a vacancy; what stays vacant is a counterfeit. Random numbers are whole
(multiplicative congruential generator), so a life is the same on every machine.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..compiled import compiled

__all__ = ["Ints", "lives"]

Ints = NDArray[np.int64]

TRIES = 40
"""Exchanges per group, before one more group is made."""
UPHILL = 32
"""One in so many exchanges is kept although it makes things worse."""


@compiled
def _next(state: Ints) -> int:
    state[0] = state[0] * 48271 % 2147483647
    return state[0]


@compiled
def _broken(place: Ints, past: Ints, releases: int, bad: NDArray[np.bool_], g: int) -> int:
    """How many earlier groups the people of group g break a rule with."""
    found = 0
    for t in range(releases):
        for i in range(place.shape[1]):
            p = place[g, i]
            if p < 0 or past[p, t] < 0:
                continue
            same, first = 1, True
            for j in range(place.shape[1]):
                q = place[g, j]
                if j != i and q >= 0 and past[q, t] == past[p, t]:
                    same += 1
                    first = first and j > i
            if first and bad[same]:
                found += 1
    return found


@compiled
def _repaired(
    place: Ints, past: Ints, releases: int, bad: NDArray[np.bool_], groups: int, state: Ints
) -> int:
    """Exchange people until no group breaks a rule; how many groups that takes."""
    wide = place.shape[1]
    wrong = np.zeros(len(place), dtype=np.int64)
    total = 0
    for g in range(groups):
        wrong[g] = _broken(place, past, releases, bad, g)
        total += wrong[g]
    while total:
        for _ in range(TRIES * groups):
            if total == 0 or groups < 2:
                break
            g = _next(state) % groups
            while wrong[g] == 0:
                g = (g + 1) % groups
            h = _next(state) % (groups - 1)
            h += h >= g
            i = _next(state) % wide
            place[g, i], place[h, i] = place[h, i], place[g, i]
            one, other = _broken(place, past, releases, bad, g), _broken(place, past, releases, bad, h)
            worse = one + other - wrong[g] - wrong[h]
            if worse <= 0 or _next(state) % UPHILL == 0:
                total += worse
                wrong[g], wrong[h] = one, other
            else:
                place[g, i], place[h, i] = place[h, i], place[g, i]
        if total:
            if groups == len(place):
                return groups
            place[groups] = -1
            wrong[groups] = 0
            groups += 1
    return groups


@compiled
def _packed(place: Ints, groups: int, count: Ints) -> int:
    """Move people of the emptiest groups into vacancies of the others; how many groups are left."""
    wide = place.shape[1]
    least = 0
    for i in range(wide):
        count[i] = 0
        for g in range(groups):
            count[i] += place[g, i] >= 0
        least = max(least, count[i])
    while groups > least:
        emptiest, few = 0, wide + 1
        for g in range(groups):
            here = 0
            for i in range(wide):
                here += place[g, i] >= 0
            if here < few:
                emptiest, few = g, here
        groups -= 1
        for i in range(wide):
            out = place[emptiest, i]
            place[emptiest, i] = place[groups, i]
            place[groups, i] = -1
            if out < 0:
                continue
            for g in range(groups):
                if place[g, i] < 0:
                    place[g, i] = out
                    break
    return groups


@compiled
def lives(
    start: int,
    wide: int,
    releases: int,
    draws: int,
    people: Ints,
    survival: Ints,
    refill: Ints,
    returns: int,
    bad: NDArray[np.bool_],
    state: Ints,
) -> int:
    """Counterfeits of so many lives together.

    Parameters
    ----------
    start, wide
        Groups in the beginning, and values of the signature.
    people
        How many have each value: the signature's values are drawn by it.
    survival, refill, returns
        As in `Forecast`.
    bad : bool array, shape (wide + 1,)
        Whether a group may not share so many people with an earlier one.
    """
    most = 3 * start + 4 * wide + 4
    crowd = start * wide + releases * most * wide
    place = np.empty((most, wide), dtype=np.int64)
    past = np.empty((crowd, releases + 1), dtype=np.int64)
    column, away = np.empty(crowd, dtype=np.int64), np.empty(crowd, dtype=np.bool_)
    value, count = np.empty(wide, dtype=np.int64), np.empty(wide, dtype=np.int64)
    come = np.empty(wide, dtype=np.int64)
    everybody = people.sum()
    fakes = 0
    for _ in range(draws):
        for i in range(wide):
            fresh = False
            while not fresh:
                at, v = _next(state) % everybody, 0
                while at >= people[v]:
                    at -= people[v]
                    v += 1
                value[i], fresh = v, True
                for j in range(i):
                    fresh = fresh and (value[j] != v or len(people) <= i)
        number, groups = 0, start
        for g in range(groups):
            for i in range(wide):
                past[number], column[number], away[number] = -1, i, False
                past[number, 0] = g
                place[g, i] = number
                number += 1
        for t in range(1, releases + 1):
            known = number
            come[:] = 0
            for g in range(groups):
                for i in range(wide):
                    p = place[g, i]
                    if p >= 0 and _next(state) >= survival[value[i]]:
                        place[g, i] = -1
                        away[p] = True
                        come[i] += _next(state) < refill[value[i]]
            groups = _packed(place, groups, count)
            for p in range(known):
                if returns == 0 or not away[p] or past[p, t - 1] >= 0 or _next(state) >= returns:
                    continue
                away[p] = False
                g = 0
                while g < groups and place[g, column[p]] >= 0:
                    g += 1
                if g == most:
                    continue
                if g == groups:
                    place[g] = -1
                    groups += 1
                place[g, column[p]] = p
            groups = _repaired(place, past, t, bad, groups, state)
            for g in range(groups):
                real = 0
                for i in range(wide):
                    real += place[g, i] >= 0
                if real == 0:
                    continue
                for i in range(wide):
                    p = place[g, i]
                    if p < 0:
                        if come[i] == 0:
                            fakes += 1
                            continue
                        come[i] -= 1
                        p = number
                        number += 1
                        past[p], column[p], away[p] = -1, i, False
                        place[g, i] = p
                    past[p, t] = g
    return fakes
