"""Cells that can tell something about one another: those whose open counts share rows.

Whatever becomes known about a respondent of a block changes nothing outside of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from .propagation import Bounds, open_components
from .rows import Integers
from .system import System

__all__ = ["Joined", "joined_cells"]


class Joined(NamedTuple):
    """Cells of a block, with all their pairs, open or fixed.

    Attributes
    ----------
    pairs : int64 array
        Their numbers in the system, ascending.
    matrix : sparse int64 array, shape (rows, pairs)
        Rows with an open pair, coefficients 1; rows of cells with none are there if the block has no
        open pair at all.
    low, high : int64 arrays
        Sides, with the fixed counts of other cells taken away.
    is_cell : bool array
        Whether a row is a cell's.
    """

    pairs: Integers
    matrix: csr_array
    low: Integers
    high: Integers
    is_cell: np.ndarray[tuple[int], np.dtype[np.bool_]]


def joined_cells(system: System, bounds: Bounds, *, certain: bool = True) -> Iterator[Joined]:
    """Blocks of a system, those with open pairs first.

    A cell without open pairs is a block by itself: the more of its respondents are known, the fewer
    values are left to the others.

    Parameters
    ----------
    system : System
    bounds : Bounds
        Valid in every world.
    certain : bool
        Whether to give cells with one possible value, too.
    """
    rest = np.ones(len(system.sizes), dtype=bool)
    fixed = np.where(bounds.lower == bounds.upper, bounds.lower, 0)
    for component in open_components(system, bounds):
        cells = np.unique(system.cell[component.pairs])
        rest[cells] = False
        pairs = np.flatnonzero(np.isin(system.cell, cells))
        rows = system.matrix[component.rows]
        outside = fixed.copy()
        outside[pairs] = 0
        gone = rows @ outside
        yield Joined(
            pairs=pairs,
            matrix=csr_array(rows[:, pairs]),
            low=system.low[component.rows] - gone,
            high=system.high[component.rows] - gone,
            is_cell=system.row_group[component.rows] < 0,
        )
    there = bounds.lower > 0
    several = np.bincount(system.cell[there], minlength=len(rest)) > (0 if certain else 1)
    ends = np.searchsorted(system.cell, np.arange(len(rest) + 1))
    for cell in np.flatnonzero(rest & several).tolist():
        pairs = np.arange(ends[cell], ends[cell + 1])[there[ends[cell] : ends[cell + 1]]]
        size = system.sizes[[cell]]
        whole = csr_array(np.ones((1, len(pairs)), dtype=np.int64))
        yield Joined(pairs=pairs, matrix=whole, low=size, high=size, is_cell=np.array([True]))
