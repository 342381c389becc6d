"""What the rows of a series say one by one: bounds on every count, and which counts stay open together.

Each row bounds each of its counts by what all the others can be at most and at least; bounds
are tightened until nothing changes. This is sound but not complete: several rows together can
exclude what no single one does. Such questions fall apart into *components*: open counts that
share rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .derivation import Derivation
from .rows import Bounds, Compact, Integers, RowSystem, compact
from .system import System
from .tighten import tightened

__all__ = ["Bounds", "Component", "first_bounds", "open_components", "propagate", "symmetric"]


def first_bounds(system: RowSystem) -> Bounds:
    """Nothing known but the size of each cell."""
    return Bounds(np.zeros_like(system.most), system.most.copy())


def propagate(system: RowSystem, bounds: Bounds, derivation: Derivation | None = None) -> Bounds | None:
    """Tighten bounds by every row until nothing changes; None if there is a contradiction.

    O(entries of the rows whose bounds change), compiled. What was concluded is noted in `derivation`.
    """
    lower, upper = bounds.lower.copy(), bounds.upper.copy()
    fits, log = tightened(
        system.compact, system.low, system.high, lower, upper, noting=derivation is not None
    )
    if derivation is not None:
        derivation.note_bounds(log)
    return Bounds(lower, upper) if fits else None


class Component(NamedTuple):
    """Open columns that share rows, with what the fixed columns leave to these rows.

    Attributes
    ----------
    pairs, rows : int64 arrays
        Numbers of columns and rows in the system, ascending.
    entry_row, entry_pair, entry_sign : int64 arrays
        Coefficients, numbered within the component, by rows.
    low, high : int64 arrays
        Sides of each row, fixed columns taken away.
    """

    pairs: Integers
    rows: Integers
    entry_row: Integers
    entry_pair: Integers
    entry_sign: Integers
    low: Integers
    high: Integers

    @property
    def compact(self) -> Compact:
        """Its coefficients by rows and by columns."""
        return compact(self.entry_row, self.entry_pair, self.entry_sign, len(self.rows), len(self.pairs))

    def sums(self, x: Integers) -> Integers:
        """Sum of each row."""
        found = np.zeros(len(self.rows), dtype=np.int64)
        np.add.at(found, self.entry_row, self.entry_sign * x[self.entry_pair])
        return found

    def holds(self, x: Integers) -> bool:
        """Whether counts keep every row."""
        sums = self.sums(x)
        return bool(((self.low <= sums) & (sums <= self.high)).all())


def open_components(system: RowSystem, bounds: Bounds) -> list[Component]:
    """Connected components of the columns that are not fixed, smallest first."""
    free = bounds.lower < bounds.upper
    if not free.any():
        return []
    whole = system.compact
    fixed = whole.sums(np.where(free, 0, bounds.lower))
    chosen = free[whole.column]
    rows, pairs, signs = whole.rows[chosen], whole.column[chosen], whole.sign[chosen]
    height, width = whole.height, whole.width
    nodes = height + width
    ones = np.ones(len(rows), dtype=np.int8)
    graph = coo_array((ones, (rows, pairs + height)), shape=(nodes, nodes))
    label = connected_components(graph, directed=False)[1].astype(np.int64)
    entries = _parts(label[rows])
    own_rows, own_pairs = np.unique(rows), np.unique(pairs)
    place = np.zeros(nodes, dtype=np.int64)
    found: list[Component] = []
    low, high = system.low - fixed, system.high - fixed
    for part, r, j in zip(
        entries,
        _parts(label[own_rows]),
        _parts(label[own_pairs + height]),
        strict=True,
    ):
        its_rows, its_pairs = own_rows[r], own_pairs[j]
        place[its_rows] = np.arange(len(its_rows))
        place[its_pairs + height] = np.arange(len(its_pairs))
        found.append(
            Component(
                pairs=its_pairs,
                rows=its_rows,
                entry_row=place[rows[part]],
                entry_pair=place[pairs[part] + height],
                entry_sign=signs[part],
                low=low[its_rows],
                high=high[its_rows],
            )
        )
    return sorted(found, key=lambda component: len(component.pairs))


def _parts(labels: Integers) -> list[Integers]:
    """Positions of each label, labels ascending."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def symmetric(system: System, component: Component, bounds: Bounds) -> bool:
    """Whether every permutation of one set of values maps the component's worlds onto each other.

    So it is if all its groups publish the same values equally often, all values are open for all
    members in the component, and each other member cell has fixed and equal counts of all values:
    weak m-invariance (Riboni and Bettini, Def. 6), component by component. Each respondent then has
    each of the values with the same probability, and no world need be searched.
    """
    values = np.unique(system.value[component.pairs])
    cells = np.unique(system.cell[component.pairs])
    if len(component.pairs) != len(cells) * len(values) or (system.per_cell[cells] != len(values)).any():
        return False
    groups = np.unique(system.row_group[component.rows])
    groups = groups[groups >= 0]
    counts = system.counts[groups]
    if (counts[:, values] != counts[:, values[:1]]).any() or (counts > 0).sum() != len(groups) * len(values):
        return False
    members = system.members(groups)
    others = np.setdiff1d(members, cells)
    fixed = system.pairs(others)
    shares = bounds.lower[fixed] * len(values) == system.sizes[system.cell[fixed]]
    return bool((system.per_cell[others] == len(values)).all() and shares.all())
