"""What a search through boxes is asked, in plain arrays: cells, which groups, duals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..covering import Ints
from ..kernels.question import CutIndex

__all__ = ["NONE", "BoxForm", "BoxGrid", "ScanInput"]

NONE = -(1 << 62)
"""What rows are worth that are too few for a group."""


class BoxGrid(NamedTuple):
    """Cell c has rows ``row[start[c]:start[c + 1]]``, by rising code.

    Attributes
    ----------
    cost : shape (cells,)
        Per tuple, without the walked attribute.
    code : shape (rows,)
        Of the walked attribute.
    weight : int
        Cost of one code step of it.
    """

    start: Ints
    row: NDArray[np.int32]
    cost: Ints
    code: Ints
    weight: int


class BoxForm(NamedTuple):
    """Groups of ``low[x]`` to ``high[x]`` tuples, no value more than ``cap[x]`` times, for some x.

    Attributes
    ----------
    low, high, cap
    least, most : int
        The smallest size, and the largest one of a column. Where groups may have any size, larger ones are
        cut down to that: what remains of them is a group of the form, too.
    often : int
        The largest cap, or the largest size.
    values : int
        Different values of a group, at least. More than 1 only where no value can be too frequent.
    kept : int
        Behind so many tuples of its value, a tuple is of use only if it pays its own way, if at all.
    endless : bool
        Whether groups may have any size, and tuples that pay their own way always join.
    """

    low: Ints
    high: Ints
    cap: Ints
    least: int
    most: int
    often: int
    values: int
    kept: int
    endless: bool

    @property
    def divisors(self) -> range:
        """Of cuts that are priced."""
        return range(2, self.least + 1)


class ScanInput(NamedTuple):
    """What is searched: groups of a form, of rows of some values; duals in 1 / `scale` of a cost."""

    grid: BoxGrid
    value: Ints
    counts: Ints
    dual: Ints
    scale: int
    form: BoxForm
    cuts: CutIndex
    nodes: int
