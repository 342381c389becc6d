"""Losses of a level vector in exact integers, and lower bounds for whole boxes of vectors.

A box holds the vectors v with ``lo <= v <= hi`` in every attribute. Known of hi: the tuples
that are suppressed in every vector of the box (`Corner.forced` of them). Bounds, valid for
any requirement; widths, classes and class sizes only grow from lo to v. What a loss declares
says how it is measured:

boxes that every tuple pays (`Loss.box_weights`)
    A suppressed tuple costs every full width, which is no less than any cell's. So each
    tuple costs at least its width at lo, and a forced one costs every full width.
boxes that every group pays
    Each class of hi that is not wholly suppressed holds a published group, at least as wide
    as the narrowest of its tuples' boxes at lo. With suppression limit s no more classes of hi
    can vanish than the smallest ones that hold at most s tuples together; the widest
    terms, as many, are left out.
sums by size (`Loss.by_size`: f never falls, and cutting a group in two never raises the sum)
    A published group holds whole classes of lo, so each of its tuples costs at least its share
    ``f(s) / s`` of its class at lo; a suppressed one costs what it costs.
a ratio (it falls with the number of groups)
    A published group holds a class of lo with at least s tuples, s the smallest group that any
    requirement allows, or consists of smaller ones, at least s tuples together. This limits
    the number of groups.
a maximum by size
    f(x), if classes of at least x tuples at lo hold more tuples than may be suppressed: one of
    them is published, in a class no smaller.

A loss that declares nothing is taken from the finished release, with bound 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import mul

import numpy as np
from numpy.typing import NDArray

from ....models.exact_numbers import in_units
from ....models.losses.base import Loss
from .grid import Classes, Grid, Vector

__all__ = ["Corner", "LossMeasure", "measure_of"]


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


class LossMeasure(ABC):
    """One loss over a grid."""

    def __init__(self, grid: Grid, limit: int, smallest: int) -> None:
        self.grid, self.limit, self.smallest = grid, limit, smallest

    @abstractmethod
    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        """Exact loss of the release in which the classes `gone` are suppressed."""

    @abstractmethod
    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        """No release of a vector from `lo` to the corner has less."""


class _TupleBoxes(LossMeasure):
    """Every tuple pays the widths of its box, a suppressed one all in full."""

    def __init__(self, grid: Grid, limit: int, smallest: int, weights: Sequence[Fraction]) -> None:
        super().__init__(grid, limit, smallest)
        self.weights, common = in_units(weights)
        self.scale = common * grid.scale
        self.full = sum(self.weights) * grid.scale

    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        grid = self.grid
        rows = np.flatnonzero(gone[classes.home])
        lost = [grid.cost[a][level] - grid.width(a, level, rows) for a, level in enumerate(levels)]
        return self._paid(lost, len(rows))

    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        cost, shares = self.grid.cost, corner.shares
        least = [cost[a][level] for a, level in enumerate(lo)]
        if shares is not None:
            least = [known - shares[a][level] for a, (known, level) in enumerate(zip(least, lo, strict=True))]
        return self._paid(least, corner.forced)

    def _paid(self, widths: Sequence[int], suppressed: int) -> Fraction:
        """What scaled widths and suppressed tuples cost; whole numbers until the end."""
        return Fraction(sum(map(mul, self.weights, widths)) + suppressed * self.full, self.scale)


class _GroupBoxes(LossMeasure):
    """Every group pays the widths of its box once; suppressed tuples pay nothing."""

    def __init__(self, grid: Grid, limit: int, smallest: int, weights: Sequence[Fraction]) -> None:
        super().__init__(grid, limit, smallest)
        self.weights = weights

    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        first, grid = classes.first[~gone], self.grid
        lost = (w * grid.width(a, levels[a], first) for a, w in enumerate(self.weights))
        return sum(lost, Fraction(0)) / grid.scale

    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        grid, weight = self.grid, min(self.weights)
        if not grid.small_scale:
            return Fraction(0)
        around = np.zeros(grid.rows, dtype=np.int64)
        for units, level, factor in zip(grid.units, lo, grid.factor, strict=True):
            around += units[level] * factor
        classes = grid.classes(corner.levels)
        least = np.full(len(classes.sizes), 2**62, dtype=np.int64)
        np.minimum.at(least, classes.home, around)
        vanish = int(np.searchsorted(np.cumsum(np.sort(classes.sizes)), self.limit, side="right"))
        return weight * Fraction(int(np.sort(least)[: len(least) - vanish].sum()), grid.scale)


class _BySize(LossMeasure):
    """Losses that sizes say."""

    def __init__(self, grid: Grid, limit: int, smallest: int, loss: Loss) -> None:
        super().__init__(grid, limit, smallest)
        self.loss, table = loss, grid.table
        self.hidden = loss.of_suppressed(table.members[0], table)
        self._known: dict[int, Fraction] = {}

    def of(self, size: int) -> Fraction:
        """What a group of so many tuples costs."""
        if size not in self._known:
            self._known[size] = self.loss.by_size(size, 0, "generalized") or Fraction(0)
        return self._known[size]

    def added(self, sizes: NDArray[np.int64]) -> Fraction:
        """What groups of these sizes cost together."""
        found, often = np.unique(sizes, return_counts=True)
        pairs = zip(found.tolist(), often.tolist(), strict=True)
        return sum((count * self.of(size) for size, count in pairs), Fraction(0))


class _Sum(_BySize):
    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        lost = int(classes.sizes[gone].sum()) * self.hidden
        return lost if self._nothing else self.added(classes.sizes[~gone]) + lost

    @cached_property
    def _nothing(self) -> bool:
        """Whether published groups cost nothing; f never falls."""
        return not self.of(self.grid.rows)

    def _share(self, size: int) -> Fraction:
        """What each tuple of a class costs at least, published or not."""
        return min(self.of(size) / size, self.hidden)

    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        least = corner.forced * self.hidden
        if self._nothing:
            return least
        classes = self.grid.classes(lo)
        tuples = classes.sizes.copy()
        if corner.forced:
            upper = self.grid.classes(corner.levels)
            forced = (upper.sizes < self.smallest)[upper.home]
            np.subtract.at(tuples, classes.home[forced], 1)
        for size in np.unique(classes.sizes).tolist():
            least += int(tuples[classes.sizes == size].sum()) * self._share(size)
        return least


class _Ratio(_BySize):
    def _of_groups(self, groups: int) -> Fraction:
        return self.loss.decode(self.grid.rows - groups, 1, self.grid.table)

    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        return self._of_groups(int((~gone).sum()))

    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        sizes = self.grid.classes(lo).sizes
        small = sizes < self.smallest
        groups = int((~small).sum()) + int(sizes[small].sum()) // self.smallest
        most = (self.grid.rows - corner.forced) // self.smallest
        return self._of_groups(min(groups, most))


class _Maximum(_BySize):
    def value(self, levels: Vector, classes: Classes, gone: NDArray[np.bool_]) -> Fraction:
        largest = int(classes.sizes[~gone].max(initial=0))
        shown = self.of(largest) if largest else Fraction(0)
        return max(shown, self.hidden) if gone.any() else shown

    def bound(self, lo: Vector, corner: Corner) -> Fraction:
        falling = np.sort(self.grid.classes(lo).sizes)[::-1]
        at = int(np.searchsorted(np.cumsum(falling), self.limit, side="right"))
        return self.of(int(falling[at])) if at < len(falling) else Fraction(0)


def measure_of(loss: Loss, grid: Grid, limit: int, smallest: int) -> LossMeasure | None:
    """How a loss is measured over a grid, by what it declares; None if it declares nothing."""
    if loss.by_size(1, 0, "generalized") is not None:
        kind = {"sum": _Sum, "ratio": _Ratio, "max": _Maximum}[loss.combine]
        return kind(grid, limit, smallest, loss)
    weights = loss.box_weights(grid.table)
    if weights is None:
        return None
    pays = _TupleBoxes if loss.box_payer == "tuple" else _GroupBoxes
    return pays(grid, limit, smallest, weights)
