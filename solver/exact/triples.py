"""Separation of cuts over two or three rows among many groups at once, compiled.

Rows of any count may take part, as long as the counts of a set add up to an odd number.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import borrowing, compiled
from .incidence import Members, Sparse, by_member
from .program import Ints

__all__ = ["broken", "few_for_each"]

NEAR = 400
"""Rows that share a group with one row: so many are looked at."""
MOST_FOUND = 2_000_000


def broken(
    members: Members,
    amount: NDArray[np.float64],
    count: Ints,
    known: Collection[tuple[int, ...]],
    *,
    most: int,
    per_row: int,
    least: float,
) -> list[tuple[int, ...]]:
    """Sets of two or three rows whose cut is broken by more than `least`, worst first.

    Parameters
    ----------
    members, amount
        Groups of a fractional solution, padded with -1, and how much of each is taken.
    most, per_row
        Most cuts in all, and with one row.
    """
    taken = np.flatnonzero(amount > 1e-3)
    members, amount = members[taken], amount[taken]
    found, excess = _broken(members, amount, by_member(members, len(count)), count, least, MOST_FOUND)
    worst = found[np.argsort(-excess, kind="stable")]
    sets = (tuple(row for row in line.tolist() if row >= 0) for line in worst)
    return few_for_each(sets, known, len(count), most=most, per_row=per_row)


def few_for_each(
    sets: Iterable[tuple[int, ...]], known: Collection[tuple[int, ...]], rows: int, *, most: int, per_row: int
) -> list[tuple[int, ...]]:
    """The first `most` sets of rows that are not known, each once, and at most `per_row` with any row."""
    old, used, picked = set(known), np.zeros(rows, dtype=np.int64), list[tuple[int, ...]]()
    for chosen in sets:
        if len(picked) >= most:
            break
        if chosen not in old and (used[list(chosen)] < per_row).all():
            old.add(chosen)
            used[list(chosen)] += 1
            picked.append(chosen)
    return picked


@borrowing
def _excess(
    members: Members,
    amount: NDArray[np.float64],
    groups: Sparse,
    count: Ints,
    i: int,
    u: int,
    v: int,
) -> float:
    """By how much the cut over rows i, u and (unless negative) v is broken."""
    total, limit = 0.0, count[i] + count[u]
    if v >= 0:
        limit += count[v]
    for turn in range(3):
        row = i if turn == 0 else u if turn == 1 else v
        if row < 0:
            break
        last = -1
        for e in range(groups.start[row], groups.start[row + 1]):
            j = groups.place[e]
            if j == last:
                continue
            last = j
            inside, before = 0, False
            for k in range(members.shape[1]):
                w = members[j, k]
                if w < 0:
                    break
                if w in (i, u, v):
                    inside += 1
                    before = before or (turn > 0 and w == i) or (turn > 1 and w == u)
            if not before:
                total += amount[j] * (inside // 2)
    return total - limit // 2


@compiled
def _broken(
    members: Members,
    amount: NDArray[np.float64],
    groups: Sparse,
    count: Ints,
    least: float,
    most: int,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    rows, size = len(count), 1024
    found, excess, number = np.empty((size, 3), dtype=np.int32), np.empty(size), 0
    near, beside = np.empty(NEAR, dtype=np.int64), np.zeros(rows)
    for i in range(rows):
        if groups.start[i + 1] - groups.start[i] < 2:
            continue
        listed = 0
        for e in range(groups.start[i], groups.start[i + 1]):
            j = groups.place[e]
            for k in range(members.shape[1]):
                u = members[j, k]
                if u < 0:
                    break
                if u > i:
                    if beside[u] == 0 and listed < NEAR:
                        near[listed] = u
                        listed += 1
                    beside[u] += amount[j]
        for a in range(listed):
            for b in range(a, listed):
                u, v = min(near[a], near[b]), max(near[a], near[b])
                single = a == b
                total = count[i] + count[u] + (0 if single else count[v])
                if total % 2 == 0:
                    continue
                # Groups of u and v without i add at most what is left of the smaller one.
                if total == 3 and not single and beside[u] + beside[v] <= least:
                    continue
                over = _excess(members, amount, groups, count, i, u, -1 if single else v)
                if over > least and number < most:
                    if number == size:
                        size *= 2
                        found = np.concatenate((found, np.empty_like(found)))
                        excess = np.concatenate((excess, np.empty_like(excess)))
                    found[number, 0], found[number, 1] = i, u
                    found[number, 2] = -1 if single else v
                    excess[number] = over
                    number += 1
        for e in range(groups.start[i], groups.start[i + 1]):
            j = groups.place[e]
            for k in range(members.shape[1]):
                if members[j, k] >= 0:
                    beside[members[j, k]] = 0
    return found[:number], excess[:number]
