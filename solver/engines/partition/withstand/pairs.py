"""Two people who were always together change groups together, compiled.

If the two have different values, and the others of their cell keep the limits without them, nothing that is
published tells more of anybody than the halves of a cell do. One after the other they would be told apart on
the way, so such changes are out of reach of moves of one person. As there, the judge has the last word.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np

from .....models.compiled import borrowing, compiled
from ....baselines.widths import LARGEST, Ints, Widths, beside, hull_without
from .arrays import Board, NewGroups, PublishedPast
from .moves import Rule, later
from .regroup import drawn, members_of

__all__ = ["pairs_on"]


@compiled
def pairs_on(
    board: Board, rule: Rule, rows: Ints, bars: Ints, begin: int, most: int, random: Ints
) -> tuple[int, int, Ints, Ints, Ints]:
    """The first row from `begin` on that moves, with a mate, to one of `most` near groups under its bar.

    They go there, or change places with two of that group. Returns as `regroup_on`.
    """
    past, groups, codes, _, near = board
    met, nothing = np.full(len(groups.size), -1, dtype=np.int64), np.empty(0, dtype=np.int64)
    for at in range(begin, len(rows)):
        p = rows[at]
        q = -1 if groups.of[p] < 0 else _mate(past, groups, p, random)
        if q < 0:
            continue
        best, chosen = bars[at] + 1, (-1, -1, -1)
        a, count = groups.of[p], 0
        lo, hi = _without(codes, groups, a, p, q)
        for q_near in near[p]:
            b = groups.of[q_near]
            if b < 0 or b == a or met[b] == at:
                continue
            met[b] = at
            count += 1
            if count > most:
                break
            best, chosen = _best(board, rule, p, q, b, lo, hi, best, chosen)
        b, r, s = chosen
        if b >= 0:
            slots = np.array([a, b])
            people = members_of(groups, slots)
            home = groups.of[people]
            for i in range(len(people)):
                if people[i] == p or people[i] == q:
                    home[i] = b
                elif people[i] == r or people[i] == s:
                    home[i] = a
            return at, best + groups.cost[slots].sum(), slots, people, home
    return len(rows), -1, nothing, nothing, nothing


@compiled
def _together(past: PublishedPast, p: int, q: int) -> bool:
    """Whether two people with different values were in the same groups so far."""
    if p == q or past.value[p] == past.value[q]:
        return False
    return (past.place[p] == past.place[q]).all()


@borrowing
def _mate(past: PublishedPast, groups: NewGroups, p: int, random: Ints) -> int:
    """Somebody of a row's group and cell with another value, from a random place on; -1 if nobody."""
    a = groups.of[p]
    start = drawn(random, groups.size[a])
    for i in range(groups.size[a]):
        q = groups.member[a, (start + i) % groups.size[a]]
        if _together(past, p, q):
            return q
    return -1


@compiled
def _without(codes: Ints, groups: NewGroups, g: int, p: int, q: int) -> tuple[Ints, Ints]:
    """The box of a group without two of its people."""
    lo, hi = np.empty(codes.shape[1], dtype=np.int64), np.empty(codes.shape[1], dtype=np.int64)
    hull_without(codes, groups.member, groups.size, g, p, q, lo, hi)
    return lo, hi


@compiled
def _with(codes: Ints, sides: Widths, lo: Ints, hi: Ints, p: int, q: int) -> int:
    """The width of a box with two more people."""
    return beside(sides, np.minimum(lo, codes[p]), np.maximum(hi, codes[p]), codes[q], np.int64(LARGEST))


@borrowing
def _keeps(
    past: PublishedPast, groups: NewGroups, rule: Rule, g: int, p: int, q: int, r: int, s: int
) -> bool:
    """Whether a group is large and mixed enough without p and q, and with r and s (nobody: -1)."""
    size = groups.size[g] - (p >= 0) - (q >= 0) + (r >= 0) + (s >= 0)
    if size < rule.least or size > groups.member.shape[1]:
        return size == 0
    for v in range(groups.counts.shape[1]):
        count = groups.counts[g, v]
        count -= (p >= 0 and past.value[p] == v) + (q >= 0 and past.value[q] == v)
        count += (r >= 0 and past.value[r] == v) + (s >= 0 and past.value[s] == v)
        if count * rule.whole > rule.part * size:
            return False
    return True


@compiled
def _best(
    board: Board,
    rule: Rule,
    p: int,
    q: int,
    b: int,
    lo: Ints,
    hi: Ints,
    best: int,
    chosen: tuple[int, int, int],
) -> tuple[int, tuple[int, int, int]]:
    """The cheapest so far: what it costs more, and group b with two of its people, or nobody twice (-1).

    The box is that of p's group without p and q.
    """
    past, groups, codes, sides, _ = board
    a, far = groups.of[p], np.int64(LARGEST)
    size, before = groups.size[a], groups.cost[a] + groups.cost[b]
    low, high = _without(codes, groups, b, -1, -1)
    own = (size - 2) * beside(sides, lo, hi, lo, far) if size > 2 else np.int64(0)
    cost = own + (groups.size[b] + 2) * _with(codes, sides, low, high, p, q) - before
    if cost < best:
        cost += later(past, groups, a, p, q, -1, -1) + later(past, groups, b, -1, -1, p, q)
    if (
        cost < best
        and _keeps(past, groups, rule, a, p, q, -1, -1)
        and _keeps(past, groups, rule, b, -1, -1, p, q)
    ):
        best, chosen = cost, (b, -1, -1)
    for i in range(groups.size[b]):
        for j in range(i):
            r, s = groups.member[b, i], groups.member[b, j]
            cost = size * _with(codes, sides, lo, hi, r, s) - before
            if cost >= best or not _together(past, r, s):
                continue
            low, high = _without(codes, groups, b, r, s)
            cost += groups.size[b] * _with(codes, sides, low, high, p, q)
            if cost < best:
                cost += later(past, groups, a, p, q, r, s) + later(past, groups, b, r, s, p, q)
            if (
                cost < best
                and _keeps(past, groups, rule, a, p, q, r, s)
                and _keeps(past, groups, rule, b, r, s, p, q)
            ):
                best, chosen = cost, (b, r, s)
    return best, chosen
