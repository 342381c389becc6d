"""Separation of cuts over larger sets of rows, as local search over parities.

A fractional solution satisfies the rows' equations, so over a set with an odd total b the cut's left side
is ``(b - mass of groups with an odd number of members in the set) / 2``: it is broken exactly if that odd
mass is below 1. Starting from one row (odd mass 1), pairs of rows are put in or taken out as long as the
odd mass falls.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import borrowing, compiled
from .incidence import Members, Sparse, by_member
from .program import Ints
from .triples import broken, few_for_each

__all__ = ["odd_sets", "separated"]

NEAR = 60
"""Rows beside the first one that are tried."""
LINES = 2_000
"""Groups that are looked at around one row, at most."""
STEPS = 8
LEAST_TAKEN = 1e-4
"""Groups with less are not looked at."""
LARGEST = 1 + 2 * STEPS


def odd_sets(
    members: Members,
    amount: NDArray[np.float64],
    count: Ints,
    known: Collection[tuple[int, ...]],
    *,
    most: int,
    least: float,
) -> list[tuple[int, ...]]:
    """Sets of rows whose cut a fractional solution breaks by at least `least`, worst first.

    `members` and `amount` are all groups of the solution that are taken, `count` how often each row must be.
    Sets in `known` are left out.

    Complexity: per row, `STEPS` times the groups around it and the square of `NEAR`.
    """
    found, mass = _descend(members, amount, by_member(members, len(count)), count)
    lines = np.flatnonzero((1 - mass) / 2 >= least)
    sets = [tuple(sorted(row for row in line if row >= 0)) for line in found[lines].tolist()]
    broken = dict(zip(sets, mass[lines].tolist(), strict=True))
    worst = sorted(broken, key=lambda chosen: (round(broken[chosen], 6), chosen))
    return few_for_each(worst, known, len(count), most=most, per_row=12)


def separated(
    members: Members,
    amount: NDArray[np.float64],
    count: Ints,
    known: Collection[tuple[int, ...]],
    *,
    least: float = 0.02,
) -> list[tuple[int, ...]]:
    """Cuts that a solution breaks, over two or three rows and over larger sets."""
    taken = np.flatnonzero(amount > LEAST_TAKEN)
    members, amount = members[taken], amount[taken]
    most = max(80, len(count) // 2)
    fresh = broken(members, amount, count, known, most=most, per_row=8, least=least)
    fresh += odd_sets(members, amount, count, known, most=most, least=least)
    return list(dict.fromkeys(fresh))


@borrowing
def _around(
    row: int, members: Members, amount: NDArray[np.float64], groups: Sparse, near: Ints, place: Ints
) -> tuple[int, bool]:
    """Write down the row itself, rows that share a group with it, and theirs, until there are enough.

    How many there are, and whether one of their groups is not taken as a whole. ``place[near[k]]`` is k.
    """
    near[0], place[row], size, ring = row, 0, 1, 0
    split = False
    while ring < size and size < NEAR:
        u = near[ring]
        for e in range(groups.start[u], groups.start[u + 1]):
            j = groups.place[e]
            split = split or amount[j] < 1 - 1e-6
            for k in range(members.shape[1]):
                w = members[j, k]
                if w >= 0 and place[w] < 0 and size < NEAR:
                    near[size], place[w] = w, size
                    size += 1
        ring += 1
    return size, split


@borrowing
def _best_flip(
    near: Ints, count: Ints, number: int, odd_in: NDArray[np.bool_], weight: NDArray[np.float64],
    gain: NDArray[np.float64], change: NDArray[np.float64],
) -> tuple[float, int, int]:  # fmt: skip
    """The flip that takes most odd mass away, and how much: a row of even count, or two of odd count.

    ``weight[line]`` is what flipping a row of that line moves: positive where the group is even. No row
    (-1) if nothing helps.
    """
    size = len(near)
    for a in range(size):
        gain[a] = 0.0
        for b in range(size):
            change[a, b] = 0.0
    for line in range(number):
        for a in range(size):
            if odd_in[line, a]:
                gain[a] += weight[line]
                for b in range(a):
                    if odd_in[line, b]:
                        change[a, b] += weight[line]
    best, one, other = -1e-6, -1, -1
    for a in range(size):
        if count[near[a]] % 2 == 0:
            if gain[a] < best:
                best, one, other = gain[a], a, a
            continue
        for b in range(a):
            if count[near[b]] % 2 == 1:
                both = gain[a] + gain[b] - 2 * change[a, b]
                if both < best:
                    best, one, other = both, a, b
    return best, one, other


@borrowing
def _lines_with(near: Ints, groups: Sparse, noted: NDArray[np.bool_], lines: Ints) -> int:
    """How many groups have some of the rows, `LINES` at most: they are noted, and put into `lines`."""
    number = 0
    for row in near:
        for e in range(groups.start[row], groups.start[row + 1]):
            j = groups.place[e]
            if not noted[j] and number < LINES:
                noted[j] = True
                lines[number] = j
                number += 1
    return number


@compiled
def _descend(
    members: Members, amount: NDArray[np.float64], groups: Sparse, count: Ints
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """From each row of odd count: the set with the least odd mass found, and that mass (else 1)."""
    rows, wide = len(count), members.shape[1]
    found, least = np.full((rows, LARGEST), -1, dtype=np.int32), np.ones(rows)
    place, noted = np.full(rows, -1, dtype=np.int64), np.zeros(len(members), dtype=np.bool_)
    near, lines = np.empty(NEAR, dtype=np.int64), np.empty(LINES, dtype=np.int64)
    odd_in = np.zeros((LINES, NEAR), dtype=np.bool_)
    weight, gain, inside = np.empty(LINES), np.empty(NEAR), np.zeros(NEAR, dtype=np.bool_)
    change = np.empty((NEAR, NEAR))
    for row in range(rows):
        if count[row] % 2 == 0:
            continue
        size, split = _around(row, members, amount, groups, near, place)
        number = _lines_with(near[:size], groups, noted, lines)
        if split:
            mass = 0.0
            for line in range(number):
                for at in range(size):
                    odd_in[line, at] = False
                for k in range(wide):
                    w = members[lines[line], k]
                    if w >= 0 and place[w] >= 0:
                        odd_in[line, place[w]] = not odd_in[line, place[w]]
                # From now on what flipping a row moves: positive where the group is even.
                weight[line] = amount[lines[line]]
                if odd_in[line, 0]:
                    mass += weight[line]
                    weight[line] = -weight[line]
            for at in range(size):
                inside[at] = at == 0
            for _ in range(STEPS):
                best, one, other = _best_flip(near[:size], count, number, odd_in, weight, gain, change)
                if one < 0:
                    break
                mass += best
                for line in range(number):
                    if odd_in[line, one] != (one != other and odd_in[line, other]):
                        weight[line] = -weight[line]
                inside[one] = not inside[one]
                if one != other:
                    inside[other] = not inside[other]
            if number < LINES and mass < 1:
                filled = 0
                for at in range(size):
                    if inside[at] and filled < LARGEST:
                        found[row, filled] = near[at]
                        filled += 1
                least[row] = mass
        for line in range(number):
            noted[lines[line]] = False
        for at in range(size):
            place[near[at]] = -1
    return found, least
