"""The table in integers: one row per kind of tuple, and what a box around rows costs.

Tuples with the same quasi-identifiers and the same sensitive value are interchangeable,
so they share one row with a multiplicity. Rows are in kd order (neighbours are near one
another) and cut into cells of a few rows, so that a search for near rows can skip whole cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...models.box_measure import BoxMeasure
from ...models.domain import Domain
from ...models.problem_view import ProblemView
from ...models.table import Microdata
from ...models.whole_weights import LARGEST, unit_weights
from .covering import Cells, Geometry, Ints, bounded_runs
from .limits import PRICING as LIMITS

__all__ = ["Rows"]


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Rows of the set-partitioning problem.

    Attributes
    ----------
    geometry, cells
        See there.
    value : shape (rows,)
        Number of each row's sensitive value (all 0 if values do not matter).
    count : shape (rows,)
        How many tuples share the row.
    tuples : tuple of tuple of int
        Rows of the microdata (from 0) behind each row.
    scale : int
        What one unit of the measure (see `BoxMeasure`) costs.
    units : tuple of int
        Units of the whole domains: what a tuple costs at most, over `scale`.
    exact : bool
        Whether costs are exact; otherwise they are rounded down.
    spare : int
        How many tuples may be left out. Then a group of one row is a tuple that is suppressed.
    single : int
        What a group of one row costs.
    """

    geometry: Geometry
    cells: Cells
    value: Ints
    count: Ints
    tuples: tuple[tuple[int, ...], ...]
    scale: int
    units: tuple[int, ...]
    exact: bool
    spare: int = 0
    single: int = 0

    def __len__(self) -> int:
        return len(self.value)

    @property
    def most(self) -> int:
        """No release costs more: every tuple lost in every attribute."""
        return int(self.count.sum()) * self.dearest

    @property
    def dearest(self) -> int:
        """No tuple costs more."""
        return max(self.scale * sum(self.units), self.single)

    @property
    def in_trees(self) -> bool:
        """Whether some attribute's cells are nodes of a taxonomy."""
        return bool((self.geometry.tree >= 0).any())

    @property
    def alike(self) -> bool:
        """Whether tuples have the same quasi-identifiers as another one each, on average."""
        return 2 * len(np.unique(self.geometry.codes, axis=0)) <= int(self.count.sum())

    def suppressing(self, most: int, price: Fraction) -> Rows:
        """The same rows, if so many tuples may be suppressed at a price each, in units of the measure.

        Costs become finer where that makes the price a whole number, and 64 bits allow it. A price that these
        do not hold is rounded down to what is still more than all boxes together cost, if that fits.
        """
        finer, g, tuples = (price * self.scale).denominator, self.geometry, int(self.count.sum())
        widest = tuples * max(Fraction(sum(self.units)), price)
        if not self.exact or self.scale * finer * widest > LARGEST:
            single, room = int(price * self.scale), 16 * LARGEST // tuples
            single = single if single <= room else min(room, tuples * self.scale * sum(self.units) + 1)
            return replace(self, spare=most, single=single, exact=self.exact and single == price * self.scale)
        return replace(
            self,
            geometry=g._replace(weight=g.weight * finer, table=g.table * finer),
            scale=self.scale * finer,
            spare=most,
            single=int(price * self.scale * finer),
        )

    def part(self, chosen: Ints, count: Ints) -> Rows:
        """Some rows (in rising order), each with a count of its own; without the tuples behind them.

        All of them are to be in groups.
        """
        codes = self.geometry.codes[chosen]
        start = np.append(np.arange(0, len(chosen), LIMITS.cell), len(chosen)).astype(np.int64)
        return replace(
            self,
            geometry=self.geometry._replace(codes=codes),
            cells=bounded_runs(start, codes, codes),
            value=self.value[chosen],
            count=count,
            tuples=(),
            spare=0,
        )

    def bare(self) -> Rows:
        """What boxes cost, without any row."""
        none, codes = self.value[:0], self.geometry.codes[:0]
        return replace(
            self,
            geometry=self.geometry._replace(codes=codes),
            cells=Cells(start=none, lo=codes, hi=codes),
            value=none,
            count=none,
            tuples=(),
        )

    def places(self) -> tuple[Rows, Ints]:
        """One row for all with the same quasi-identifiers, whatever their values; and that of each row."""
        order = np.lexsort(self.geometry.codes.T)
        changes = (np.diff(self.geometry.codes[order], axis=0) != 0).any(axis=1)
        label = np.empty(len(self), dtype=np.int64)
        label[order] = np.append(0, np.cumsum(changes))
        _, first, place = np.unique(label, return_index=True, return_inverse=True)
        rising = np.argsort(first)
        rank = np.empty_like(rising)
        rank[rising] = np.arange(len(rising))
        place = rank[place].astype(np.int64)
        count = np.bincount(place, weights=self.count).astype(np.int64)
        return self.part(first[rising].astype(np.int64), count), place

    @classmethod
    def of(
        cls,
        problem: ProblemView,
        *,
        blind: bool = False,
        apart: int = 0,
        kinds: Sequence[int] | None = None,
        unpriced: Sequence[int] = (),
    ) -> Rows:
        """Read a problem.

        Parameters
        ----------
        blind
            Merge rows of different sensitive values.
        apart
            Up to so many tuples that are alike have rows of their own: more rows, but sharper cuts.
        kinds
            A number per tuple; tuples of different kinds share no row.
        unpriced
            Attributes that cost nothing: all their codes are taken to be equal. Other costs stay the same.

        Notes
        -----
        Complexity: O(n log n) plus the squares of the numbers of codes under taxonomies.
        """
        table = problem.table
        units = BoxMeasure.last(problem.policy.levels, table).units
        weights, scale, exact = unit_weights(table, len(table), units)
        beside = [0] * len(table) if kinds is None else kinds
        points, by_key, first = _alike(table, beside, unpriced, apart, blind=blind)
        whole = _geometry(points[:, :-2].copy(), table.domains, weights)
        tree, side = whole.tree, whole.side
        step = np.array(
            [w if tree[a] < 0 else scale * units[a] // max(1, int(side[a])) for a, w in enumerate(weights)]
        )
        order, start = _kd_order(whole.codes * step)
        codes, ends = whole.codes[order], [*first.tolist(), len(table)]
        flat = by_key.tolist()
        return cls(
            geometry=whole._replace(codes=codes),
            cells=bounded_runs(start, codes, codes),
            value=points[order, -1].copy(),
            count=np.diff(ends)[order],
            tuples=tuple(tuple(flat[ends[r] : ends[r + 1]]) for r in order.tolist()),
            scale=scale,
            units=units,
            exact=exact,
        )

    def box_cost(self, lo: Ints, hi: Ints) -> Ints:
        """Cost per tuple of the smallest cells over codes `lo` to `hi`, shape (..., attributes)."""
        g = self.geometry
        total = np.zeros(lo.shape[:-1], dtype=np.int64)
        for a in range(lo.shape[-1]):
            if g.tree[a] < 0:
                total += g.weight[a] * (hi[..., a] - lo[..., a])
            else:
                total += g.table[g.tree[a] + lo[..., a] * g.side[a] + hi[..., a]]
        return total

    def costs(self, lines: NDArray[np.int32]) -> Ints:
        """Cost of groups, one per line (rows, then numbers below 0)."""
        there = lines >= 0
        filled = np.where(there, lines, lines[:, :1])
        codes, sizes = self.geometry.codes[filled], there.sum(axis=1)
        return np.where(sizes == 1, self.single, sizes * self.box_cost(codes.min(axis=1), codes.max(axis=1)))

    def group_costs(self, groups: Sequence[tuple[int, ...]]) -> list[int]:
        """Cost of each group."""
        if not groups:
            return []
        # Padded to the largest group, a few large ones among many would fill the memory.
        sizes = np.fromiter(map(len, groups), dtype=np.int64, count=len(groups))
        members = np.fromiter(chain.from_iterable(groups), dtype=np.int64, count=int(sizes.sum()))
        codes, first = self.geometry.codes[members], np.cumsum(sizes) - sizes
        boxes = np.minimum.reduceat(codes, first), np.maximum.reduceat(codes, first)
        return np.where(sizes == 1, self.single, sizes * self.box_cost(*boxes)).tolist()

    def loss(self, cost: int) -> Fraction:
        """Information loss that a cost (or a bound on it) stands for."""
        return Fraction(cost, self.scale)


def _geometry(codes: Ints, domains: Sequence[Domain], weights: Sequence[int]) -> Geometry:
    """Points and what widths cost: a weight per code, under a taxonomy a table of its codes in use."""
    tables = list[Ints]()
    tree, side = np.full(len(weights), -1, dtype=np.int64), np.zeros(len(weights), dtype=np.int64)
    for a, (domain, weight) in enumerate(zip(domains, weights, strict=True)):
        if domain.nodes is None:
            continue
        known, codes[:, a] = np.unique(codes[:, a], return_inverse=True)
        tree[a], side[a] = sum(map(len, tables)), len(known)
        wide = np.zeros((len(known), len(known)), dtype=np.int64)
        low, high = np.array(domain.nodes[::-1], dtype=np.int64).T  # the smallest come last, and stay
        begin, end = np.searchsorted(known, low), np.searchsorted(known, high, side="right")
        for at in np.flatnonzero(end - begin > 1):
            under = slice(begin[at], end[at])
            wide[under, under] = weight * domain.units(int(low[at]), int(high[at]))
        tables.append(np.triu(wide, 1).ravel())
    return Geometry(
        codes=codes,
        weight=np.array(weights, dtype=np.int64),
        tree=tree,
        side=side,
        table=np.concatenate([*tables, np.zeros(1, dtype=np.int64)]),
    )


def _alike(
    table: Microdata, kinds: Sequence[int], unpriced: Sequence[int], apart: int, *, blind: bool
) -> tuple[Ints, Ints, Ints]:
    """Of each row, codes, kind and value; tuples in the order of rows, and where those of each row start."""
    names = {value: number for number, value in enumerate(sorted(table.histogram))}
    values = [0 if blind else names[member.value] for member in table.members]
    keys = np.column_stack([table.codes, np.array([kinds, values], dtype=np.int64).T])
    keys[:, list(unpriced)] = 0
    order = np.lexsort(keys.T[::-1])
    changes = (np.diff(keys[order], axis=0) != 0).any(axis=1)
    sizes = np.diff(np.concatenate([[0], np.flatnonzero(changes) + 1, [len(keys)]]))
    first = np.flatnonzero(np.append(True, changes) | np.repeat(sizes <= apart, sizes))
    return keys[order[first]], order, first


def _kd_order(points: Ints) -> tuple[Ints, Ints]:
    """Order points by halving the widest side; where each cell of at most `LIMITS.cell` points starts.

    All parts of a depth are halved at once: they are runs of the order so far.
    """
    order, start = np.arange(len(points)), np.array([0, len(points)])
    while (sizes := np.diff(start)).max() > LIMITS.cell:
        found, large = points[order], sizes > LIMITS.cell
        wide = np.maximum.reduceat(found, start[:-1]) - np.minimum.reduceat(found, start[:-1])
        key = found[np.arange(len(points)), np.repeat(np.argmax(wide, axis=1), sizes)]
        key[np.repeat(~large, sizes)] = 0  # those stay as they are
        order = order[np.lexsort((key, np.repeat(np.arange(len(sizes)), sizes)))]
        start = np.sort(np.concatenate([start, start[:-1][large] + sizes[large] // 2]))
    return order.astype(np.int64), start.astype(np.int64)
