"""Losses of a level vector in exact integers, and lower bounds for whole boxes of vectors.

A box holds the vectors v with ``lo <= v <= hi`` in every attribute. Known of hi: the tuples
that are suppressed in every vector of the box (`Corner.forced` of them). Bounds, valid for
any requirement; widths, classes and class sizes only grow from lo to v:

information loss
    A suppressed tuple costs every full width, which is no less than any cell's. So each
    tuple costs at least its width at lo, and a forced one costs every full width.
discernibility
    A published tuple costs the size of its class, at least the size of its class at lo; a
    suppressed one the size of the table, which is no less.
suppressed
    The forced tuples.
average group size
    A published group holds a class of lo with at least s tuples, s the smallest group that any
    requirement allows, or consists of smaller ones, at least s tuples together. This limits
    the number of groups.
maximum group size
    x, if classes of at least x tuples at lo hold more tuples than may be suppressed: one of
    them is published, in a class no smaller.
semiperimeter
    Each class of hi that is not wholly suppressed holds a published group, at least as wide
    as the narrowest of its tuples' boxes at lo. With suppression limit s no more classes of hi
    can vanish than the smallest ones that hold at most s tuples together; the widest
    terms, as many, are left out.

A loss without an entry here is taken from the finished release, with bound 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .grid import Classes, Grid, Vector

__all__ = ["Corner", "Measure", "measures"]


@dataclass(frozen=True, eq=False)
class Corner:
    """A box's upper corner and what is suppressed in all of the box.

    Attributes
    ----------
    levels : Vector
    forced : int
        Number of tuples that every vector up to `levels` must suppress.
    shares : list of list of int, or None
        Their scaled widths per attribute and level; None if there are none.
    """

    levels: Vector
    forced: int
    shares: list[list[int]] | None


class Measure(ABC):
    """One loss over a grid."""

    def __init__(self, grid: Grid, limit: int, smallest: int) -> None:
        self.grid, self.limit, self.smallest = grid, limit, smallest

    @abstractmethod
    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        """Exact loss of the release in which the classes `gone` are suppressed."""

    @abstractmethod
    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        """No release of a vector from `lo` to the corner has less."""


class _Widths(Measure):
    """Information loss."""

    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        grid = self.grid
        rows = np.flatnonzero(gone[classes.home])
        shown = sum(grid.cost[a][level] for a, level in enumerate(levels)) - grid.widths(levels, rows)
        return Fraction(shown, grid.scale) + len(rows) * len(levels)

    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        cost, shares = self.grid.cost, corner.shares
        least = sum(cost[a][level] for a, level in enumerate(lo))
        if shares is not None:
            least -= sum(shares[a][level] for a, level in enumerate(lo))
        return Fraction(least, self.grid.scale) + corner.forced * len(lo)


class _AverageWidths(_Widths):
    """Information loss per tuple."""

    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        return super().value(levels, classes, gone) / self.grid.rows

    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        return super().bound(lo, corner) / self.grid.rows


class _Suppressed(Measure):
    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        return Fraction(int(classes.sizes[gone].sum()))

    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        return Fraction(corner.forced)


class _Counterfeits(Measure):
    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        return Fraction(0)

    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        return Fraction(0)


class _Discernibility(Measure):
    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        shown = classes.sizes[~gone]
        return Fraction(int((shown * shown).sum()) + int(classes.sizes[gone].sum()) * self.grid.rows)

    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        sizes = self.grid.classes(lo).sizes
        least = int((sizes * sizes).sum())
        if corner.forced:
            home = self.grid.classes(lo).home
            upper = self.grid.classes(corner.levels)
            forced = (upper.sizes < self.smallest)[upper.home]
            least += corner.forced * self.grid.rows - int(sizes[home[forced]].sum())
        return Fraction(least)


class _AverageSize(Measure):
    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        return Fraction(self.grid.rows, max(1, int((~gone).sum())))

    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        sizes = self.grid.classes(lo).sizes
        small = sizes < self.smallest
        groups = int((~small).sum()) + int(sizes[small].sum()) // self.smallest
        most = (self.grid.rows - corner.forced) // self.smallest
        return Fraction(self.grid.rows, max(1, min(groups, most)))


class _LargestSize(Measure):
    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        return Fraction(int(classes.sizes[~gone].max(initial=0)))

    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        falling = np.sort(self.grid.classes(lo).sizes)[::-1]
        at = int(np.searchsorted(np.cumsum(falling), self.limit, side="right"))
        return Fraction(int(falling[at]) if at < len(falling) else 0)


class _Perimeters(Measure):
    """Semiperimeter."""

    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        return Fraction(self.grid.widths(levels, classes.first[~gone]), self.grid.scale)

    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        grid = self.grid
        if not grid.small_scale:
            return Fraction(0)
        around = np.zeros(grid.rows, dtype=np.int64)
        for units, level, factor in zip(grid.units, lo, grid.factor, strict=True):
            around += units[level] * factor
        classes = grid.classes(corner.levels)
        least = np.full(len(classes.sizes), 2**62, dtype=np.int64)
        np.minimum.at(least, classes.home, around)
        vanish = int(np.searchsorted(np.cumsum(np.sort(classes.sizes)), self.limit, side="right"))
        return Fraction(int(np.sort(least)[: len(least) - vanish].sum()), grid.scale)


def measures() -> Mapping[str, type[Measure]]:
    """Measure of each loss, by the loss's name."""
    return {
        "information_loss": _Widths,
        "average_information_loss": _AverageWidths,
        "suppressed": _Suppressed,
        "counterfeits": _Counterfeits,
        "discernibility": _Discernibility,
        "average_group_size": _AverageSize,
        "maximum_group_size": _LargestSize,
        "semiperimeter": _Perimeters,
    }
