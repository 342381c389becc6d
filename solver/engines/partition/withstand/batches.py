"""Rows taken up one after another until one has something that its temperature lets pass, compiled.

Most rows have nothing: passing them over here takes a fraction of what a call for each of them would.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .....models.compiled import borrowing, compiled
from ....baselines.widths import Ints, Widths
from .arrays import NewGroups, PublishedPast
from .moves import Rule, scan
from .regroup import drawn, members_of, regrouped

__all__ = ["Regrouping", "near_groups", "regroup_on", "scan_on"]


class Regrouping(NamedTuple):
    """How groups near rows are grouped anew.

    Attributes
    ----------
    few : int
        Most people at a time.
    tries : int
        Greedy ways, of which the best is taken.
    noise : float
        A row may seem so many times farther than it is.
    whole : float
        How often those stay together who always were.
    joined : int
        Near rows drawn,
    beside : float
        and the mean of their ranks.
    """

    few: int
    tries: int
    noise: float
    whole: float
    joined: int
    beside: float


@borrowing
def scan_on(
    past: PublishedPast,
    groups: NewGroups,
    codes: Ints,
    sides: Widths,
    near: Ints,
    rule: Rule,
    rows: Ints,
    bars: Ints,
    begin: int,
    tried: Ints,
    refused: Ints,
    closed: Ints,
    found: Ints,
) -> tuple[int, int]:
    """The first row from `begin` on that has moves under its bar, and how many lines of `found` it filled.

    The end of the rows and 0 if none has.
    """
    for at in range(begin, len(rows)):
        if groups.of[rows[at]] < 0:
            continue
        count = scan(
            past, groups, codes, sides, near, rule, rows[at], bars[at], tried, refused, closed, found
        )
        if count > 0:
            return at, count
    return len(rows), 0


@compiled
def near_groups(groups: NewGroups, near: Ints, p: int, most: int, way: Regrouping, random: Ints) -> Ints:
    """The group of a row and up to so many in all that are near it."""
    found, count = np.empty(most, dtype=np.int64), 1
    found[0] = groups.of[p]
    for _ in range(way.joined):
        rank = int(-way.beside * np.log(1.0 - drawn(random, 1 << 20) / (1 << 20)))
        g = groups.of[near[p, min(rank, near.shape[1] - 1)]]
        if g >= 0 and not (found[:count] == g).any():
            found[count] = g
            count += 1
        if count == most:
            break
    return found[:count]


@compiled
def regroup_on(
    past: PublishedPast,
    codes: Ints,
    sides: Widths,
    groups: NewGroups,
    near: Ints,
    rule: Rule,
    way: Regrouping,
    rows: Ints,
    bars: Ints,
    begin: int,
    random: Ints,
) -> tuple[int, int, Ints, Ints, Ints]:
    """The first row from `begin` on near which another grouping costs no more than its bar lets pass.

    Returns its place, what the groups cost then, these groups, their people and the new group of each. The
    end of the rows if there is none. Two to four groups near a row are grouped anew together.
    """
    empty = np.flatnonzero(groups.size == 0)[:1]
    for at in range(begin, len(rows)):
        if groups.of[rows[at]] < 0:
            continue
        picked = near_groups(groups, near, rows[at], 2 + drawn(random, 3), way, random)
        people = members_of(groups, picked)
        if len(picked) < 2 or len(people) > way.few:
            continue
        slots = np.concatenate((picked, empty))
        best = np.empty(len(people), dtype=np.int64)
        together = drawn(random, 1 << 10) < way.whole * (1 << 10)
        least = regrouped(
            past,
            codes,
            sides,
            rule,
            people,
            together,
            len(slots),
            way.few,
            way.tries,
            way.noise,
            random,
            best,
        )
        if least < 0 or least - groups.cost[picked].sum() > bars[at]:
            continue
        home = slots[best]
        if not _same(groups.of[people], home):
            return at, least, slots, people, home
    return len(rows), -1, empty, empty, empty


@borrowing
def _same(one: Ints, two: Ints) -> bool:
    """Whether two numberings of groups put the same people together."""
    for i in range(len(one)):
        for j in range(i):
            if (one[i] == one[j]) != (two[i] == two[j]):
                return False
    return True
