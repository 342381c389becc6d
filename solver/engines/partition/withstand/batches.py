"""Rows taken up one after another until one has something that its temperature lets pass, compiled.

Most rows have nothing: passing them over here takes a fraction of what a call for each of them would.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np

from .....models.compiled import borrowing, compiled
from ....baselines.widths import Ints
from .arrays import Board, NewGroups
from .moves import MovesFound, Rule, scan
from .regroup import Regrouping, drawn, members_of, regrouped

__all__ = ["alike", "near_groups", "regroup_on", "scan_on"]


@borrowing
def scan_on(
    board: Board, rule: Rule, rows: Ints, bars: Ints, begin: int, moves: MovesFound
) -> tuple[int, int]:
    """The first row from `begin` on that has moves under its bar, and how many lines it filled.

    The end of the rows and 0 if none has.
    """
    for at in range(begin, len(rows)):
        if board.groups.of[rows[at]] < 0:
            continue
        count = scan(board, rule, rows[at], bars[at], moves)
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
    board: Board, rule: Rule, way: Regrouping, rows: Ints, bars: Ints, begin: int, random: Ints
) -> tuple[int, int, Ints, Ints, Ints]:
    """The first row from `begin` on near which another grouping costs no more than its bar lets pass.

    Returns its place, what the groups cost then, these groups, their people and the new group of each. The
    end of the rows if there is none. Two to four groups near a row are grouped anew together.
    """
    groups, near = board.groups, board.near
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
        least = regrouped(board, rule, people, together, len(slots), way, random, best)
        if least < 0 or least - groups.cost[picked].sum() > bars[at]:
            continue
        home = slots[best]
        if not alike(groups.of[people], home):
            return at, least, slots, people, home
    return len(rows), -1, empty, empty, empty


@borrowing
def alike(one: Ints, two: Ints) -> bool:
    """Whether two numberings of groups put the same people together."""
    for i in range(len(one)):
        for j in range(i):
            if (one[i] == one[j]) != (two[i] == two[j]):
                return False
    return True
