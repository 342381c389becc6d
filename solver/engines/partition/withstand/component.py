"""A component of a series as rows over counts, compiled: cells, pairs, and what bounds tell by themselves.

The same rows as in `models/adversary/cells`, built from arrays that a move has just changed.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .....models.adversary.tighten import tighten
from .....models.compiled import compiled
from ....baselines.widths import Ints
from .arrays import NewGroups, PublishedPast

__all__ = ["LinkedCells", "content", "known", "linked_cells", "told"]

PRIME = 2**31 - 1


class LinkedCells(NamedTuple):
    """Rows over pairs (cell, value); the rows of cells come first, those of groups and values after them.

    Attributes
    ----------
    cell_of, size : int64 arrays
        Cell of each person of the component, and people per cell.
    cell, value : int64 arrays
        Of each pair, cells ascending.
    start, column : int64 arrays
        Pairs of row r: ``column[start[r] : start[r + 1]]``.
    first, row : int64 arrays
        Rows of pair j, that of its cell first: ``row[first[j] : first[j + 1]]``.
    low, high : int64 arrays
        Sides of each row.
    lower, upper : int64 arrays
        Bounds of each count, tightened.
    spared : bool array
        Cells of people who are all given by knowledge alone.
    """

    cell_of: Ints
    size: Ints
    cell: Ints
    value: Ints
    start: Ints
    column: Ints
    first: Ints
    row: Ints
    low: Ints
    high: Ints
    lower: Ints
    upper: Ints
    spared: np.ndarray


@compiled
def content(groups: NewGroups, people: Ints, number: Ints) -> Ints:
    """People, sorted in place, and their groups of the new release by first appearance, -1 for none.

    Earlier groups follow from the people. `number` has room for every new group, and is -1 before and after.
    """
    count, found = len(people), 0
    people.sort()
    key = np.empty(2 * count, dtype=np.int64)
    key[:count] = people
    for i in range(count):
        g = groups.of[people[i]]
        if g >= 0 and number[g] < 0:
            number[g] = found
            found += 1
        key[count + i] = number[g] if g >= 0 else -1
    for i in range(count):
        if groups.of[people[i]] >= 0:
            number[groups.of[people[i]]] = -1
    return key


@compiled
def _cells(past: PublishedPast, groups: NewGroups, people: Ints) -> tuple[Ints, Ints, Ints]:
    """Cell of each person, and of each cell its first person and its size: who was always together."""
    count, times, cells = len(people), past.place.shape[1], 0
    cell_of = np.empty(count, dtype=np.int64)
    head, size, sums = np.empty_like(cell_of), np.empty_like(cell_of), np.empty_like(cell_of)
    for i in range(count):
        p = people[i]
        total = groups.of[p] + 1
        for r in range(times):
            total = (31 * total + past.place[p, r] + 1) % PRIME
        for c in range(cells):
            q = head[c]
            if sums[c] != total or groups.of[p] != groups.of[q] or past.only[p] != past.only[q]:
                continue
            if (past.place[p] == past.place[q]).all():
                size[c] += 1
                break
        else:
            c = cells
            head[c], size[c], sums[c] = p, 1, total
            cells += 1
        cell_of[i] = c
    return cell_of, head[:cells], size[:cells]


@compiled
def _groups(past: PublishedPast, groups: NewGroups, head: Ints, number: Ints) -> tuple[Ints, Ints]:
    """Groups of all releases: per cell their numbers in the component, -1 for none; and which they are."""
    older, times = len(past.fakes), past.place.shape[1]
    pattern = np.empty((len(head), times + 1), dtype=np.int64)
    which = np.empty(pattern.size, dtype=np.int64)
    count = 0
    for c in range(len(head)):
        for r in range(times + 1):
            g = past.place[head[c], r] if r < times else groups.of[head[c]]
            if g < 0:
                pattern[c, r] = -1
                continue
            g += older if r == times else 0
            if number[g] < 0:
                number[g] = count
                which[count] = g
                count += 1
            pattern[c, r] = number[g]
    which = which[:count].copy()
    for g in which:
        number[g] = -1
    _leave_out_kept(past, groups, pattern, which)
    return pattern, which


@compiled
def _leave_out_kept(past: PublishedPast, groups: NewGroups, pattern: Ints, which: Ints) -> None:
    """Take groups out of patterns that publish what an earlier one of the same people does.

    Their rows are there already, and would only double what a count has to remember.
    """
    older, (cells, times) = len(past.fakes), pattern.shape
    fakes, size = np.empty(len(which), dtype=np.int64), np.zeros(len(which), dtype=np.int64)
    for z in range(len(which)):
        g = which[z]
        fakes[z] = past.fakes[g] if g < older else groups.faked[g - older].sum()
    for z in pattern.ravel():
        if z >= 0:
            size[z] += 1
    same, met = np.empty(len(which), dtype=np.int64), np.empty(len(which), dtype=np.int64)
    for r in range(1, times):
        for earlier in range(r):
            same[:], met[:] = -1, 0
            for c in range(cells):
                z, y = pattern[c, r], pattern[c, earlier]
                if z < 0 or y < 0:
                    continue
                if same[z] < 0 and met[z] == 0:
                    same[z] = y
                met[z] += same[z] == y
            for c in range(cells):
                z = pattern[c, r]
                if z >= 0 and fakes[z] == 0 and met[z] == size[z]:
                    y = same[z]
                    if size[y] == size[z] and fakes[y] == 0:
                        pattern[c, r] = -1


@compiled
def linked_cells(past: PublishedPast, groups: NewGroups, people: Ints, number: Ints) -> LinkedCells:
    """A component, its bounds tightened; `number` has room for all groups, and is -1 before and after."""
    cell_of, head, size = _cells(past, groups, people)
    pattern, which = _groups(past, groups, head, number)
    cell, value, first, row, low, high = _pairs(past, groups, head, size, pattern, which)
    height = len(low)
    start = np.zeros(height + 1, dtype=np.int64)
    for r in row:
        start[r + 1] += 1
    start = np.cumsum(start)
    column, filled = np.empty_like(row), start.copy()
    for j in range(len(cell)):
        for z in range(first[j], first[j + 1]):
            column[filled[row[z]]] = j
            filled[row[z]] += 1
    lower, upper = np.zeros_like(cell), size[cell]
    _tightened(start, column, first, row, low, high, lower, upper)
    spared = np.ones(len(size), dtype=np.bool_)
    for i in range(len(people)):
        spared[cell_of[i]] &= past.given[people[i]]
    return LinkedCells(cell_of, size, cell, value, start, column, first, row, low, high, lower, upper, spared)


@compiled
def _tightened(
    start: Ints, column: Ints, first: Ints, row: Ints, low: Ints, high: Ints, lower: Ints, upper: Ints
) -> None:
    """Bounds that rows imply, in place."""
    height = len(low)
    signs, waiting = np.ones_like(row), np.ones(height, dtype=np.bool_)
    log = np.empty((0, 5), dtype=np.int64)
    queue = np.arange(height)
    tighten(start, column, signs, first, row, low, high, lower, upper, queue, height, waiting, log)


@compiled
def known(found: LinkedCells, pair: int) -> LinkedCells:
    """The component for those left when somebody of a cell is known to have a value: the pair of both."""
    size, low, high = found.size.copy(), found.low.copy(), found.high.copy()
    lower, upper = found.lower.copy(), found.upper.copy()
    size[found.cell[pair]] -= 1
    lower[pair], upper[pair] = max(0, lower[pair] - 1), upper[pair] - 1
    for z in range(found.first[pair], found.first[pair + 1]):
        low[found.row[z]] -= 1
        high[found.row[z]] -= 1
    upper = np.minimum(upper, size[found.cell])
    _tightened(found.start, found.column, found.first, found.row, low, high, lower, upper)
    return LinkedCells(
        found.cell_of,
        size,
        found.cell,
        found.value,
        found.start,
        found.column,
        found.first,
        found.row,
        low,
        high,
        lower,
        upper,
        found.spared,
    )


@compiled
def _pairs(
    past: PublishedPast, groups: NewGroups, head: Ints, size: Ints, pattern: Ints, which: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Pairs that set intersection leaves, with their rows, and the sides of rows."""
    older, width = len(past.fakes), past.counts.shape[1]
    cells, times = pattern.shape
    most, height = cells * width, cells + len(which) * width
    cell, value = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    first, row = np.zeros(most + 1, dtype=np.int64), np.empty(most * (times + 1), dtype=np.int64)
    number_of = np.full((len(which), width), -1, dtype=np.int64)
    low, high = np.empty(height, dtype=np.int64), np.empty(height, dtype=np.int64)
    low[:cells], high[:cells] = size, size
    pairs, rows, at = 0, cells, 0
    for c in range(cells):
        new = groups.of[head[c]]
        mask = past.mask[head[c]] & past.only[head[c]] & (groups.mask[new] if new >= 0 else np.int64(-1))
        for v in range(width):
            if not (mask >> v) & 1:
                continue
            cell[pairs], value[pairs], row[at] = c, v, c
            at += 1
            for r in range(times):
                z = pattern[c, r]
                if z < 0:
                    continue
                if number_of[z, v] < 0:
                    g = which[z]
                    number_of[z, v] = rows
                    high[rows] = past.counts[g, v] if g < older else groups.counts[g - older, v]
                    low[rows] = high[rows] - (past.fakes[g] if g < older else groups.faked[g - older].sum())
                    rows += 1
                row[at] = number_of[z, v]
                at += 1
            pairs += 1
            first[pairs] = at
    return cell[:pairs], value[:pairs], first[: pairs + 1], row[:at], low[:rows], high[:rows]


@compiled
def told(found: LinkedCells, needed: int, part: int, whole: int) -> np.ndarray:
    """Cells with too few values left by bounds, or with a value that is certain to be too likely.

    Cells of which everybody is known are not meant, nor those of people who are given.
    """
    left = np.zeros(len(found.size), dtype=np.int64)
    bad = np.zeros(len(found.size), dtype=np.bool_)
    for j in range(len(found.cell)):
        c = found.cell[j]
        left[c] += found.upper[j] > 0
        bad[c] |= found.lower[j] * whole > found.size[c] * part
    return (bad | (left < needed)) & (found.size > 0) & ~found.spared
