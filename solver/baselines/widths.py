"""Sums of sides of boxes, compiled: what heuristics that ask about every tuple spend their time on."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...models.categories import Categories
from ...models.compiled import borrowing, compiled
from ...models.domain import Domain
from ...models.problem_view import ProblemView
from ...models.whole_weights import unit_weights

__all__ = [
    "LARGEST",
    "Ints",
    "Widths",
    "beside",
    "hull_without",
    "nearest",
    "shares_of_domains",
    "widen",
    "width_of",
    "widths_between",
    "widths_of",
]

Ints: TypeAlias = NDArray[np.int64]

LARGEST = 1 << 62
"""Sides of a box add up to no more."""


class Widths(NamedTuple):
    """Widths of intervals of codes per attribute.

    Attributes
    ----------
    weight : int64 array
        What a unit of width counts.
    start : int64 array
        Where an attribute's table begins in `table`; -1 if units are differences of codes.
    length : int64 array
        Codes of such an attribute.
    row : int64 array
        Which row of a table is asked for two codes, by their difference.
    table : int64 array
        One table after the other, of a row of zeros and, in row r from 1 on, the largest units between
        neighbours among the 2**(r - 1) + 1 codes from each code on.

    Notes
    -----
    Codes under a hierarchy are its leaves in depth-first order, so what covers two covers all between, and
    their units are the largest between neighbours there: two entries of a row hold all of those. A square
    table of 10,000 codes would take 800 MB.
    """

    weight: Ints
    start: Ints
    length: Ints
    row: Ints
    table: Ints


def widths_of(
    domains: Sequence[Domain],
    weights: Sequence[int],
    units: Callable[[Categories, Ints, Ints], Ints] = Categories.units_between,
) -> Widths:
    """Tables of the units between categories under hierarchies, asked of arrays of codes."""
    start, length, tables = list[int](), list[int](), [np.zeros(1, dtype=np.int64)]
    for domain in domains:
        if not isinstance(domain, Categories):
            start.append(-1)
            length.append(0)
            continue
        codes = np.arange(domain.span)
        start.append(sum(map(len, tables)))
        length.append(len(codes))
        tables.append(_largest(units(domain, codes[:-1], codes[1:])))
    return Widths(
        weight=np.array(weights, dtype=np.int64),
        start=np.array(start, dtype=np.int64),
        length=np.array(length, dtype=np.int64),
        row=np.frexp(np.arange(max(length, default=0) + 1))[1].astype(np.int64),  # how many bits each has
        table=np.concatenate(tables),
    )


def _largest(steps: Ints) -> Ints:
    """The rows of a table (see `Widths`), given the units from each code to the next."""
    rows, reach = [np.zeros(len(steps) + 1, dtype=np.int64), np.append(steps, 0)], 1
    while 2 * reach <= len(steps):
        above = rows[-1]
        rows.append(np.append(np.maximum(above[:-reach], above[reach:]), above[-reach:]))
        reach *= 2
    return np.concatenate(rows)


def shares_of_domains(problem: ProblemView) -> Widths:
    """Widths as shares of domains, rounded down if those of all tuples would not fit into 64 bits."""
    weights, _, _ = unit_weights(problem.table, len(problem.table))
    return widths_of(problem.table.domains, weights)


@borrowing
def width_of(widths: Widths, a: int, lo: int, hi: int) -> int:
    """Weighted width of one side, `lo` <= `hi`."""
    if widths.start[a] < 0:
        return widths.weight[a] * (hi - lo)
    row = widths.row[hi - lo]
    at = widths.start[a] + row * widths.length[a]
    return widths.weight[a] * max(widths.table[at + lo], widths.table[at + hi - ((1 << row) >> 1)])


@compiled
def widths_between(widths: Widths, a: int, lo: Ints, hi: Ints) -> Ints:
    """Weighted widths of many sides."""
    found = np.empty(len(lo), dtype=np.int64)
    for i in range(len(lo)):
        found[i] = width_of(widths, a, lo[i], hi[i])
    return found


@borrowing
def beside(widths: Widths, lo: Ints, hi: Ints, point: Ints, enough: int) -> int:
    """Sum of the sides of a box and a point; some number from `enough` on if it is that large."""
    total = np.int64(0)
    for a in range(len(point)):
        total += width_of(widths, a, min(lo[a], point[a]), max(hi[a], point[a]))
        if total >= enough:
            return total
    return total


@borrowing
def hull_without(
    codes: Ints, member: Ints, size: Ints, g: int, out: int, mate: int, lo: Ints, hi: Ints
) -> None:
    """The box of a group without two members (-1: nobody), to `lo` and `hi`; an empty one if none is left."""
    lo[:], hi[:] = np.int64(LARGEST), -np.int64(LARGEST)
    for i in range(size[g]):
        row = member[g, i]
        if row not in (out, mate):
            widen(codes, row, lo, hi)


@borrowing
def widen(codes: Ints, row: int, lo: Ints, hi: Ints) -> None:
    """Take a row into a box."""
    for a in range(len(lo)):
        lo[a] = min(lo[a], codes[row, a])
        hi[a] = max(hi[a], codes[row, a])


@borrowing
def nearest(widths: Widths, points: Ints, alive: Ints, left: Ints, lo: Ints, hi: Ints) -> int:
    """Of the points with tuples left the first one that widens a box least; -1 if none is left."""
    best, found = np.int64(1) << 62, -1
    for p in alive:
        if left[p] > 0:
            total = beside(widths, lo, hi, points[p], best)
            if total < best:
                best, found = total, p
    return found
