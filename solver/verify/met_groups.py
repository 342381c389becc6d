"""The groups of one box that leave each member enough values by set intersection: whether one of them pays.

Tuples of an interval cost the same, so of the rows with some values a paying group has all that pay their own
way, and the best others up to its least size. If that leaves a member too few values of its mask, either the
group has another of these, or none of it: both are tried, for one value after the other.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...models.compiled import borrowing
from .box_groups import BoxMemory, BoxQuestion
from .rows import Ints

__all__ = ["MetAsked", "MetMemory", "met_memory", "met_pays"]


class MetAsked(NamedTuple):
    """Groups of at least `least` tuples, whose values meet the `mask` of each member in `needed` or more."""

    mask: Ints
    needed: int
    least: int


class MetMemory(NamedTuple):
    """What is asked, and working memory.

    Attributes
    ----------
    mask, needed
        As of `MetAsked`.
    usable : shape (rows,)
        1 for rows of the interval that may be in a group, by place.
    must, never : shape (values + 2,)
        Sets of values that wait to be tried: in the group, and not.
    """

    mask: Ints
    needed: int
    usable: Ints
    must: Ints
    never: Ints


def met_memory(asked: MetAsked, values: int) -> MetMemory:
    """Room for one walk."""
    usable, must, never = (
        np.zeros(many, dtype=np.int64) for many in (len(asked.mask), values + 2, values + 2)
    )
    return MetMemory(asked.mask, asked.needed, usable, must, never)


@borrowing
def _many(values: int) -> int:
    """How many values a set has."""
    many = 0
    while values != 0:
        values &= values - 1
        many += 1
    return many


@borrowing
def _usable(q: BoxQuestion, m: BoxMemory, k: MetMemory, size: int, never: int) -> int:
    """Mark rows that the values of all marked leave enough, without some values; what values they have."""
    values = np.int64(0)
    for e in range(size):
        k.usable[e] = 0 if never >> q.value[m.row[e]] & 1 else 1
        values |= k.usable[e] << q.value[m.row[e]]
    changed = True
    while changed:
        changed, left = False, np.int64(0)
        for e in range(size):
            if k.usable[e] and _many(k.mask[m.row[e]] & values) < k.needed:
                k.usable[e], changed = 0, True
            left |= k.usable[e] << q.value[m.row[e]]
        values = left
    return values


@borrowing
def _hoped(
    q: BoxQuestion, m: BoxMemory, k: MetMemory, size: int, each: int, must: int
) -> tuple[int, int, int]:
    """What usable rows bring at most with all values of a set: profit, values, place of the last one taken.

    After that place there are only those taken for their values.
    """
    profit, many, values, last = np.int64(0), np.int64(0), np.int64(0), -1
    for e in range(size):
        gain = q.dual[m.row[e]] - each
        if k.usable[e] and gain > 0:
            profit += gain * q.counts[m.row[e]]
            many += q.counts[m.row[e]]
            values |= np.int64(1) << q.value[m.row[e]]
            last = e
    # The best of each value that is wanted and not there; then the best of all others.
    for e in range(size):
        bit = np.int64(1) << q.value[m.row[e]]
        if k.usable[e] and must & bit and not values & bit:
            profit += q.dual[m.row[e]] - each
            many += 1
            values |= bit
            k.usable[e] = 2
    for e in range(size):
        if many >= q.fewest:
            break
        r = m.row[e]
        if k.usable[e] and q.dual[r] <= each:
            more = min(q.fewest - many, q.counts[r] - (k.usable[e] == 2))
            profit += more * (q.dual[r] - each)
            many += more
            if more > 0:
                values |= np.int64(1) << q.value[r]
                last = e
    return (profit if many >= q.fewest else np.int64(0)), values, last


@borrowing
def _lacking(q: BoxQuestion, m: BoxMemory, k: MetMemory, size: int, each: int, values: int, last: int) -> int:
    """What the mask of a row taken has besides some values, if these are too few for it; else 0."""
    for e in range(size):
        r = m.row[e]
        taken = k.usable[e] == 2 or (k.usable[e] and (q.dual[r] > each or e <= last))
        if taken and _many(k.mask[r] & values) < k.needed:
            return k.mask[r] & ~values
    return 0


@borrowing
def met_pays(q: BoxQuestion, m: BoxMemory, k: MetMemory, size: int, each: int) -> bool:
    """Whether a group of rows of an interval pays, at so much for each member."""
    waiting = 1
    k.must[0] = k.never[0] = 0
    while waiting > 0:
        waiting -= 1
        must, never = k.must[waiting], k.never[waiting]
        m.tried[0] += 1
        there = _usable(q, m, k, size, never)
        if must & ~there:
            continue
        profit, values, last = _hoped(q, m, k, size, each, must)
        if profit <= 0:
            continue
        other = _lacking(q, m, k, size, each, values, last) & there
        if other == 0:
            return True
        bit = other & -other
        k.must[waiting], k.never[waiting] = must, never | bit
        k.must[waiting + 1], k.never[waiting + 1] = must | bit, never
        waiting += 2
    return False
