"""The cells of a table: products of ranges that hold some row, each with its rows by a walked attribute.

Ranges of an attribute with a taxonomy are its nodes; of another one all intervals of codes that occur. One
ordered attribute, the one with the most codes, is walked along instead. Among cells with the same rows one
is kept: that of the smallest ranges around them, which costs least.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..covering import Geometry, Ints
from ..table import Rows
from .question import BoxGrid

__all__ = ["MOST_CODES", "cells_listed", "grid_of"]

MOST_CODES = 400
"""Codes of an attribute that is not walked along."""
MOST_PAIRS = 12_000_000
"""Pairs of a cell and a row in it."""


@dataclass(frozen=True, kw_only=True)
class _Ranges:
    """Ranges of an attribute.

    Attributes
    ----------
    cost : shape (ranges,)
    of : shape (codes, any)
        Those that hold a code, then -1.
    smallest : shape (codes, codes)
        The smallest one over two codes.
    """

    cost: Ints
    of: Ints
    smallest: Ints

    @classmethod
    def read(cls, price: Ints) -> _Ranges:
        """From what the smallest range over two codes costs."""
        codes = len(price)
        number: dict[tuple[int, int], int] = {}
        holding: list[set[int]] = [set() for _ in range(codes)]
        smallest = np.zeros((codes, codes), dtype=np.int64)
        for x in range(codes):
            inside = np.maximum(price[x], price[x:]) <= price[x, x:, None]
            first, last = np.argmax(inside, axis=1), codes - 1 - np.argmax(inside[:, ::-1], axis=1)
            ends = zip(first.tolist(), last.tolist(), strict=True)
            smallest[x, x:] = [number.setdefault(each, len(number)) for each in ends]
        for (lo, hi), known in number.items():
            for x in range(lo, hi + 1):
                holding[x].add(known)
        of = np.full((codes, max(map(len, holding))), -1, dtype=np.int64)
        for x, found in enumerate(holding):
            of[x, : len(found)] = sorted(found)
        cost = np.array([price[ends] for ends in number], dtype=np.int64)
        return cls(cost=cost, of=of, smallest=smallest)


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """Points of a table (its rows without the attribute that is walked along), and ranges that hold them.

    Attributes
    ----------
    walked : int or None
    ranges : list of _Ranges
        Of the other attributes.
    points : shape (points, attributes)
    home : shape (rows,)
        The point of each row.
    held : shape (points,)
        How many rows each point has.
    """

    walked: int | None
    ranges: list[_Ranges]
    points: Ints
    home: Ints
    held: Ints

    @classmethod
    def of(cls, rows: Rows) -> _Layout | None:
        """None if codes, or cells, are too many."""
        g = rows.geometry
        ordered = [a for a in range(g.codes.shape[1]) if g.tree[a] < 0]
        walked = max(ordered, key=lambda a: len(np.unique(g.codes[:, a])), default=None)
        others = [a for a in range(g.codes.shape[1]) if a != walked]
        codes, ranges = np.zeros((len(rows), max(1, len(others))), dtype=np.int64), list[_Ranges]()
        for place, a in enumerate(others):
            known, codes[:, place] = np.unique(g.codes[:, a], return_inverse=True)
            if len(known) > MOST_CODES:
                return None
            ranges.append(_Ranges.read(_prices(g, a, known)))
        if not others:
            ranges.append(_Ranges.read(np.zeros((1, 1), dtype=np.int64)))
        points, home = np.unique(codes, axis=0, return_inverse=True)
        found = cls(
            walked=walked,
            ranges=ranges,
            points=points,
            home=home.ravel(),
            held=np.bincount(home.ravel(), minlength=len(points)),
        )
        many = prod(len(own.cost) for own in ranges)
        return None if found.pairs > MOST_PAIRS or many >= 1 << 62 else found

    @property
    def pairs(self) -> int:
        """How often a row is in a cell."""
        often = [(own.of >= 0).sum(axis=1) for own in self.ranges]
        return sum(
            int(many) * prod(int(o[x]) for o, x in zip(often, point, strict=True))
            for many, point in zip(self.held.tolist(), self.points.tolist(), strict=True)
        )


def cells_listed(rows: Rows) -> bool:
    """Whether the cells of a table are few enough to be listed."""
    return _Layout.of(rows) is not None


def grid_of(rows: Rows) -> BoxGrid | None:
    """The cells of a table; None if there are too many.

    Complexity: per row, the product of the numbers of ranges that hold it.
    """
    g, layout = rows.geometry, _Layout.of(rows)
    if layout is None:
        return None
    walked = layout.walked
    cells, at, cost = _cells(layout.points, layout.ranges)
    code = np.zeros(len(rows), dtype=np.int64) if walked is None else g.codes[:, walked].copy()
    start, row = _filled(cells, at, layout.home, layout.held, code)
    return BoxGrid(start, row, cost, code, 0 if walked is None else int(g.weight[walked]))


def _prices(g: Geometry, a: int, known: Ints) -> Ints:
    """What the smallest range over two of the codes costs."""
    if g.tree[a] < 0:
        return g.weight[a] * np.abs(known[:, None] - known[None, :])
    lo, hi = np.minimum(known[:, None], known[None, :]), np.maximum(known[:, None], known[None, :])
    return g.table[g.tree[a] + lo * g.side[a] + hi]


def _cells(points: Ints, ranges: list[_Ranges]) -> tuple[Ints, Ints, Ints]:
    """The cell and the point of each pair, by cell; the cost of each cell."""
    at, key = np.arange(len(points)), np.zeros(len(points), dtype=np.int64)
    for place, found in enumerate(ranges):
        held = found.of[points[at, place]]
        inside = held >= 0
        at = np.repeat(at, inside.sum(axis=1))
        key = np.repeat(key, inside.sum(axis=1)) * len(found.cost) + held[inside]
    order = np.argsort(key, kind="stable")
    key, at = key[order], at[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    rest, keep, cost = key[first], np.ones(len(first), dtype=np.bool_), np.zeros(len(first), dtype=np.int64)
    for place in range(len(ranges) - 1, -1, -1):
        found, inside = ranges[place], points[at, place]
        rest, own = np.divmod(rest, len(found.cost))
        lo, hi = np.minimum.reduceat(inside, first), np.maximum.reduceat(inside, first)
        keep &= found.smallest[lo, hi] == own
        cost += found.cost[own]
    cell = np.cumsum(np.diff(key, prepend=-1) > 0) - 1
    kept = keep[cell]
    number = np.cumsum(keep) - 1
    return number[cell[kept]], at[kept], cost[keep]


def _filled(cell: Ints, at: Ints, home: Ints, held: Ints, code: Ints) -> tuple[Ints, NDArray[np.int32]]:
    """The rows of each cell, by rising code."""
    by_point = np.argsort(home, kind="stable")
    first = np.cumsum(held) - held
    each = held[at]
    place = np.repeat(first[at] - (np.cumsum(each) - each), each) + np.arange(int(each.sum()))
    row, cell = by_point[place], np.repeat(cell, each)
    start = np.concatenate([[0], np.cumsum(np.bincount(cell))])
    return start.astype(np.int64), row[np.lexsort((code[row], cell))].astype(np.int32)
