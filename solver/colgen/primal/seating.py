"""People on seats, compiled: groups with given signatures, improved by exchanging people of one value.

A group has one seat for each value of its signature; a seat that stays empty is a counterfeit. Two seats of
the same value exchange who sits on them: inside a bucket (groups of one signature) always, across buckets if
neither holds somebody whose signature is given by the past. So every state has the same signatures, the same
groups and the same counterfeits, and simulated annealing looks at two numbers alone: what boxes cost, and how
many earlier groups a group shares too many people with, each at a penalty.

Two groups of a bucket may also *join*, and part again: they are published as one, with each value twice. A
larger group may share more people with earlier ones, so this saves counterfeits, and costs a larger box.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import compiled
from ..covering import Geometry, Ints
from ..kernels.boxes import side_cost

__all__ = ["People", "Seats", "annealed", "broken_rules"]

Bools = NDArray[np.bool_]


class People(NamedTuple):
    """Tuples, one by one.

    Attributes
    ----------
    row : int array
        Row of each in the geometry.
    home : int array
        Bucket whose signature is given, -1 for new ones.
    past : int array, shape (tuples, releases)
        Earlier group of each release that matters, -1 for none.
    safe : bool array, shape (times, earlier groups, members + 1, shared + 1)
        As in `Rules`, for groups that hold each value once and, if there is such a table, twice.
    """

    row: Ints
    home: Ints
    past: Ints
    safe: Bools


class Seats(NamedTuple):
    """Groups and who sits where.

    Attributes
    ----------
    who : int array, shape (groups, values of the largest)
        Tuple, -1 for nobody, -2 for no seat.
    mate : int array, shape (groups,)
        The group it is joined with, -1 for none.
    bucket : int array, shape (groups,)
    order, start : int arrays
        Seats (``group * width + place``) by value, and inside a value by bucket; where each value starts.
    own, own_start, own_end : int arrays, shape of `order`
        For each seat in that order: its value, and where the seats of its value and bucket start and end.
    """

    who: Ints
    mate: Ints
    bucket: Ints
    order: Ints
    start: Ints
    own: Ints
    own_start: Ints
    own_end: Ints


@compiled
def _box(g: Geometry, people: People, who: Ints, q: int, mate: int) -> int:
    """What a group loses, alone or joined with another."""
    wide, members, total = who.shape[1], 0, 0
    ways = 1 if mate < 0 else 2
    for i in range(ways * wide):
        members += (who[q, i] if i < wide else who[mate, i - wide]) >= 0
    if members < 2:
        return 0
    for a in range(g.codes.shape[1]):
        lo, hi = -1, -1
        for i in range(ways * wide):
            p = who[q, i] if i < wide else who[mate, i - wide]
            if p >= 0:
                x = g.codes[people.row[p], a]
                lo = x if lo < 0 or x < lo else lo
                hi = x if x > hi else hi
        total += side_cost(g.weight, g.tree, g.side, g.table, a, lo, hi)
    return members * total


@compiled
def _broken(people: People, who: Ints, q: int, mate: int) -> int:
    """With how many earlier groups a group, alone or joined, has too many people in common."""
    wide, members, found = who.shape[1], 0, 0
    ways = 1 if mate < 0 else 2
    for i in range(ways * wide):
        members += (who[q, i] if i < wide else who[mate, i - wide]) >= 0
    for t in range(people.past.shape[1]):
        for i in range(ways * wide):
            p = who[q, i] if i < wide else who[mate, i - wide]
            if p < 0 or people.past[p, t] < 0:
                continue
            met, shared, first = people.past[p, t], 1, True
            for j in range(ways * wide):
                o = who[q, j] if j < wide else who[mate, j - wide]
                if j != i and o >= 0 and people.past[o, t] == met:
                    shared += 1
                    first = first and j > i
            if first and not people.safe[ways - 1, met, members, shared]:
                found += 1
    return found


@compiled
def broken_rules(people: People, seats: Seats) -> Ints:
    """For each group: with how many earlier groups it, joined or not, has too many people in common."""
    found = np.zeros(len(seats.who), dtype=np.int64)
    for q in range(len(found)):
        found[q] = _broken(people, seats.who, q, seats.mate[q])
    return found


@compiled
def annealed(
    g: Geometry,
    people: People,
    seats: Seats,
    moves: int,
    hot: float,
    cold: float,
    penalty: float,
    seed: int,
) -> float:
    """Exchange people; `seats` ends as the best state, whose cost is returned.

    Parameters
    ----------
    moves
        Exchanges that are tried; it ends early where nothing is left to gain.
    hot, cold
        Temperatures in the beginning and at the end.
    penalty
        For each earlier group that shares too many.
    """
    np.random.seed(seed)
    who, mate, wide, number = seats.who, seats.mate, seats.who.shape[1], len(seats.order)
    joins = len(people.safe) > 1
    # Of joined groups the first one keeps what both cost.
    cost, wrong = np.zeros(len(who), dtype=np.int64), np.zeros(len(who), dtype=np.int64)
    now = 0.0
    for q in range(len(who)):
        if mate[q] < q and mate[q] >= 0:
            continue
        cost[q], wrong[q] = _box(g, people, who, q, mate[q]), _broken(people, who, q, mate[q])
        now += cost[q] + penalty * wrong[q]
    best, kept, kept_mate = now, who.copy(), mate.copy()
    heat, cooling = hot, (cold / hot) ** (1.0 / max(1, moves // 256))
    for move in range(moves):
        if move % 256 == 255:
            heat *= cooling
            if best < 0.5:
                break
        at = np.random.randint(number)
        v, near = seats.own[at], np.random.random()
        if near < 0.5:
            other = seats.own_start[at] + np.random.randint(seats.own_end[at] - seats.own_start[at])
        else:
            other = seats.start[v] + np.random.randint(seats.start[v + 1] - seats.start[v])
        q, r = seats.order[at] // wide, seats.order[other] // wide
        if q == r or mate[q] == r:
            if not joins or mate[q] < 0 or near > 0.5:
                continue
            first, second = min(q, mate[q]), max(q, mate[q])
            cost_q, cost_r = _box(g, people, who, first, -1), _box(g, people, who, second, -1)
            wrong_q, wrong_r = _broken(people, who, first, -1), _broken(people, who, second, -1)
            change = float(cost_q + cost_r - cost[first])
            change += penalty * (wrong_q + wrong_r - wrong[first])
            if change <= 0.0 or np.random.random() < np.exp(-change / heat):
                mate[first], mate[second] = -1, -1
                cost[first], cost[second], wrong[first], wrong[second] = cost_q, cost_r, wrong_q, wrong_r
                now += change
                if now < best - 0.5:
                    best = now
                    kept[:], kept_mate[:] = who, mate
            continue
        if joins and near < 0.05 and mate[q] < 0 and mate[r] < 0 and seats.bucket[q] == seats.bucket[r]:
            first, second = min(q, r), max(q, r)
            if wrong[first] + wrong[second] == 0:
                continue
            cost_q, wrong_q = _box(g, people, who, first, second), _broken(people, who, first, second)
            change = float(cost_q - cost[first] - cost[second])
            change += penalty * (wrong_q - wrong[first] - wrong[second])
            if change <= 0.0 or np.random.random() < np.exp(-change / heat):
                mate[first], mate[second] = second, first
                cost[first], cost[second], wrong[first], wrong[second] = cost_q, 0, wrong_q, 0
                now += change
                if now < best - 0.5:
                    best = now
                    kept[:], kept_mate[:] = who, mate
            continue
        i, j = seats.order[at] % wide, seats.order[other] % wide
        one, two = who[q, i], who[r, j]
        if one == two:
            continue
        bound = (one >= 0 and people.home[one] >= 0) or (two >= 0 and people.home[two] >= 0)
        if bound and seats.bucket[q] != seats.bucket[r]:
            continue
        who[q, i], who[r, j] = two, one
        x, y = q if mate[q] < 0 else min(q, mate[q]), r if mate[r] < 0 else min(r, mate[r])
        cost_q, cost_r = _box(g, people, who, x, mate[x]), _box(g, people, who, y, mate[y])
        change = float(cost_q + cost_r - cost[x] - cost[y])
        # What breaks no rule can only gain so much: most exchanges are refused by their boxes alone.
        if change - penalty * (wrong[x] + wrong[y]) > 20.0 * heat:
            who[q, i], who[r, j] = one, two
            continue
        wrong_q, wrong_r = _broken(people, who, x, mate[x]), _broken(people, who, y, mate[y])
        change += penalty * (wrong_q + wrong_r - wrong[x] - wrong[y])
        if change <= 0.0 or np.random.random() < np.exp(-change / heat):
            cost[x], cost[y], wrong[x], wrong[y] = cost_q, cost_r, wrong_q, wrong_r
            now += change
            if now < best - 0.5:
                best = now
                kept[:], kept_mate[:] = who, mate
        else:
            who[q, i], who[r, j] = one, two
    who[:], mate[:] = kept, kept_mate
    return best
