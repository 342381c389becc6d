"""Sums of sides of boxes, compiled: what heuristics that ask about every tuple spend their time on."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...models.categories import Categories
from ...models.compiled import borrowing
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
    "width_of",
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
        Where an attribute's square table of units begins in `table`; -1 if units are differences of codes.
    length : int64 array
        Codes of such an attribute.
    table : int64 array
        Units from code to code, one table after the other.
    """

    weight: Ints
    start: Ints
    length: Ints
    table: Ints


def widths_of(
    domains: Sequence[Domain], weights: Sequence[int], units: Callable[[int, int, int], int]
) -> Widths:
    """Tables of ``units(attribute, lo, hi)`` for categories under hierarchies."""
    start, length, tables = list[int](), list[int](), list[int]()
    for a, domain in enumerate(domains):
        if not isinstance(domain, Categories):
            start.append(-1)
            length.append(0)
            continue
        codes = range(len(domain.hierarchy.leaves))
        start.append(len(tables))
        length.append(len(codes))
        tables += [units(a, min(lo, hi), max(lo, hi)) for lo in codes for hi in codes]
    return Widths(
        weight=np.array(weights, dtype=np.int64),
        start=np.array(start, dtype=np.int64),
        length=np.array(length, dtype=np.int64),
        table=np.array(tables or [0], dtype=np.int64),
    )


def shares_of_domains(problem: ProblemView) -> Widths:
    """Widths as shares of domains, rounded down if those of all tuples would not fit into 64 bits."""
    domains = problem.table.domains
    weights, _, _ = unit_weights(problem.table, len(problem.table))
    return widths_of(domains, weights, lambda a, lo, hi: domains[a].units(lo, hi))


@borrowing
def width_of(widths: Widths, a: int, lo: int, hi: int) -> int:
    """Weighted width of one side."""
    if widths.start[a] < 0:
        return widths.weight[a] * (hi - lo)
    return widths.weight[a] * widths.table[widths.start[a] + lo * widths.length[a] + hi]


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
