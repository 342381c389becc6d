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

from .cells import Integers, System

__all__ = ["Bounds", "Component", "first_bounds", "open_components", "propagate", "symmetric"]


class Bounds(NamedTuple):
    """Least and largest count of each pair."""

    lower: Integers
    upper: Integers


def first_bounds(system: System) -> Bounds:
    """Nothing known but the size of each cell."""
    return Bounds(np.zeros(len(system.cell), dtype=np.int64), system.sizes[system.cell])


def propagate(system: System, bounds: Bounds) -> Bounds | None:
    """Tighten bounds by every row until nothing changes; None if there is a contradiction.

    O(entries) per round; rounds are as many as the longest chain of conclusions.
    """
    lower, upper = bounds.lower.copy(), bounds.upper.copy()
    rows, pairs = system.entries
    active = np.ones(system.matrix.shape[0], dtype=bool)
    while active.any():
        least, most = system.matrix @ lower, system.matrix @ upper
        if (least > system.high).any() or (most < system.low).any():
            return None
        chosen = np.flatnonzero(active[rows])
        r, j = rows[chosen], pairs[chosen]
        tighter_lower, tighter_upper = lower.copy(), upper.copy()
        np.minimum.at(tighter_upper, j, (system.high - least)[r] + lower[j])
        np.maximum.at(tighter_lower, j, (system.low - most)[r] + upper[j])
        changed = (tighter_lower > lower) | (tighter_upper < upper)
        lower, upper = tighter_lower, tighter_upper
        if (lower > upper).any():
            return None
        active = (system.matrix @ changed.astype(np.int64)) > 0
    return Bounds(lower, upper)


class Component(NamedTuple):
    """Open pairs that share rows, with what the fixed pairs leave to these rows.

    Attributes
    ----------
    pairs, rows : int64 arrays
        Their numbers in the system, ascending.
    entry_row, entry_pair : int64 arrays
        Coefficients, numbered within the component.
    low, high : int64 arrays
        Sides of each row, fixed pairs taken away.
    """

    pairs: Integers
    rows: Integers
    entry_row: Integers
    entry_pair: Integers
    low: Integers
    high: Integers


def open_components(system: System, bounds: Bounds) -> list[Component]:
    """Connected components of the pairs whose count is not fixed, smallest first."""
    free = bounds.lower < bounds.upper
    if not free.any():
        return []
    fixed = system.matrix @ np.where(free, 0, bounds.lower)
    rows, pairs = system.entries
    chosen = free[pairs]
    rows, pairs = rows[chosen], pairs[chosen]
    height, width = system.matrix.shape
    nodes = height + width
    ones = np.ones(len(rows), dtype=np.int8)
    graph = coo_array((ones, (rows, pairs + height)), shape=(nodes, nodes))
    label = connected_components(graph, directed=False)[1][pairs + height]
    order = np.argsort(label, kind="stable")
    ends = np.flatnonzero(np.diff(label[order])) + 1
    found: list[Component] = []
    for part in np.split(order, ends):
        own_rows, entry_row = np.unique(rows[part], return_inverse=True)
        own_pairs, entry_pair = np.unique(pairs[part], return_inverse=True)
        found.append(
            Component(
                pairs=own_pairs,
                rows=own_rows,
                entry_row=entry_row.astype(np.int64),
                entry_pair=entry_pair.astype(np.int64),
                low=(system.low - fixed)[own_rows],
                high=(system.high - fixed)[own_rows],
            )
        )
    return sorted(found, key=lambda component: len(component.pairs))


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
    members = np.flatnonzero(np.isin(system.patterns, groups).any(axis=1))
    others = np.setdiff1d(members, cells)
    fixed = np.flatnonzero(np.isin(system.cell, others))
    shares = bounds.lower[fixed] * len(values) == system.sizes[system.cell[fixed]]
    return bool((system.per_cell[others] == len(values)).all() and shares.all())
