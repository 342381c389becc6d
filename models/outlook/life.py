"""The life of one bucket, compiled: how many counterfeits it needs over the next releases.

A bucket begins with L groups that hold each of its k values once. At each release some leave, some return,
and those who are there are put into as few groups as hold them: a group that shares a forbidden number of
people with an earlier one exchanges people with others (of the same value) until nothing is forbidden; where
that does not succeed, it is joined with another one (published as one with each value twice, which may share
more people with earlier ones), and where that does not help either, one more group is made. For some of those
who left somebody comes with the same value (`Forecast.refill`) and fills a vacancy; what stays vacant is a
counterfeit. Random numbers are whole (multiplicative congruential generator), so a life is the same on every
machine.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..compiled import borrowing, compiled
from ..compiled_random import stepped

__all__ = ["Ints", "lives", "named", "packed", "repaired"]

Ints = NDArray[np.int64]

TRIES = 40
"""Exchanges per group, before one more group is made."""
UPHILL = 32
"""One in so many exchanges is kept although it makes things worse."""


@borrowing
def broken(place: Ints, mate: Ints, past: Ints, releases: int, bad: NDArray[np.bool_], g: int) -> int:
    """How many earlier groups the people of group g, and of the one it is joined with, break a rule with."""
    wide, other, found = place.shape[1], mate[g], 0
    seats = wide if other < 0 else 2 * wide
    for t in range(releases):
        for i in range(seats):
            p = place[g, i] if i < wide else place[other, i - wide]
            if p < 0 or past[p, t] < 0:
                continue
            same, first = 1, True
            for j in range(seats):
                q = place[g, j] if j < wide else place[other, j - wide]
                if j != i and q >= 0 and past[q, t] == past[p, t]:
                    same += 1
                    first = first and j > i
            if first and bad[int(other >= 0), past[p, t] % 2, same]:
                found += 1
    return found


@compiled
def _exchanged(
    place: Ints,
    mate: Ints,
    past: Ints,
    releases: int,
    bad: NDArray[np.bool_],
    groups: int,
    wrong: Ints,
    state: Ints,
) -> int:
    """Exchange people of groups that break rules with others; how many rules are broken then."""
    wide, total = place.shape[1], wrong[:groups].sum()
    for _ in range(TRIES * groups):
        if total == 0 or groups < 2:
            break
        x = stepped(state) % groups
        while wrong[x] == 0:
            x = (x + 1) % groups
        h = stepped(state) % (groups - 1)
        h += h >= x
        y = h if mate[h] < 0 else min(h, mate[h])
        if x == y:
            continue
        g = x if mate[x] < 0 or stepped(state) % 2 == 0 else mate[x]
        i = stepped(state) % wide
        place[g, i], place[h, i] = place[h, i], place[g, i]
        one = broken(place, mate, past, releases, bad, x)
        other = broken(place, mate, past, releases, bad, y)
        worse = one + other - wrong[x] - wrong[y]
        if worse <= 0 or stepped(state) % UPHILL == 0:
            total += worse
            wrong[x], wrong[y] = one, other
        else:
            place[g, i], place[h, i] = place[h, i], place[g, i]
    return total


@borrowing
def _joined(
    place: Ints,
    mate: Ints,
    past: Ints,
    releases: int,
    bad: NDArray[np.bool_],
    groups: int,
    wrong: Ints,
    state: Ints,
) -> bool:
    """Join groups that break rules with others, where fewer are broken then; whether any was."""
    any_joined = False
    for g in range(groups):
        if wrong[g] == 0 or mate[g] >= 0:
            continue
        start = stepped(state) % groups
        for step in range(groups):
            h = (start + step) % groups
            if h == g or mate[h] >= 0:
                continue
            mate[g], mate[h] = h, g
            found = broken(place, mate, past, releases, bad, g)
            if found < wrong[g] + wrong[h]:
                wrong[g], wrong[h] = 0, 0
                wrong[min(g, h)] = found
                any_joined = True
                break
            mate[g], mate[h] = -1, -1
    return any_joined


@compiled
def repaired(
    place: Ints, mate: Ints, past: Ints, releases: int, bad: NDArray[np.bool_], groups: int, state: Ints
) -> int:
    """Exchange people until no group breaks a rule, join groups where that fails; how many it takes."""
    wrong = np.zeros(len(place), dtype=np.int64)
    mate[:] = -1
    for g in range(groups):
        wrong[g] = broken(place, mate, past, releases, bad, g)
    while _exchanged(place, mate, past, releases, bad, groups, wrong, state):
        if len(bad) > 1 and _joined(place, mate, past, releases, bad, groups, wrong, state):
            continue
        if groups == len(place):
            return groups
        place[groups] = -1
        wrong[groups] = 0
        groups += 1
    return groups


@borrowing
def named(g: int, mate: Ints) -> int:
    """A number for a group and the one it is joined with; odd where there is such a one."""
    return 2 * g if mate[g] < 0 else 2 * min(g, mate[g]) + 1


@borrowing
def packed(place: Ints, groups: int, count: Ints) -> int:
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
    bad : bool array, shape (2, 2, 2 * wide + 1)
        Whether a group, or two joined ones, may not share so many people with an earlier one, joined or not;
        shape (1, 2, 2 * wide + 1) where groups may not join.
    """
    most = 3 * start + 4 * wide + 4
    crowd = start * wide + releases * most * wide
    place, mate = np.empty((most, wide), dtype=np.int64), np.empty(most, dtype=np.int64)
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
                at, v = stepped(state) % everybody, 0
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
                past[number, 0] = 2 * g
                place[g, i] = number
                number += 1
        for t in range(1, releases + 1):
            known = number
            come[:] = 0
            for g in range(groups):
                for i in range(wide):
                    p = place[g, i]
                    if p >= 0 and stepped(state) >= survival[value[i]]:
                        place[g, i] = -1
                        away[p] = True
                        come[i] += stepped(state) < refill[value[i]]
            groups = packed(place, groups, count)
            for p in range(known):
                if returns == 0 or not away[p] or past[p, t - 1] >= 0 or stepped(state) >= returns:
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
            groups = repaired(place, mate, past, t, bad, groups, state)
            for g in range(groups):
                real = 0
                for i in range(wide):
                    real += place[g, i] >= 0 or (mate[g] >= 0 and place[mate[g], i] >= 0)
                if real == 0:
                    continue
                name = named(g, mate)
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
                    past[p, t] = name
    return fakes
