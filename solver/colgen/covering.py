"""What groups are to cover, in plain arrays: all that prices, cuts and compiled code know of a problem."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cells", "Covering", "Geometry", "Ints", "Steps", "bounded_runs", "home_of", "tuples_of"]

Ints: TypeAlias = NDArray[np.int64]


class Covering(Protocol):
    """Kinds of tuples that groups are to cover, as far as prices and cuts go; see `Rows`."""

    @property
    def count(self) -> Ints: ...
    @property
    def tuples(self) -> tuple[tuple[int, ...], ...]: ...
    @property
    def spare(self) -> int: ...
    @property
    def single(self) -> int: ...
    def __len__(self) -> int: ...


def home_of(rows: Covering) -> Ints:
    """Row of each tuple of the microdata."""
    home = np.empty(int(rows.count.sum()), dtype=np.int64)
    for row, behind in enumerate(rows.tuples):
        home[list(behind)] = row
    return home


def tuples_of(rows: Covering, groups: Iterable[Iterable[int]]) -> list[list[int]]:
    """Tuples of groups of rows: the first of a row's for the first group with it, and so on."""
    left = [list(behind) for behind in rows.tuples]
    return [[left[row].pop(0) for row in group] for group in groups]


class Geometry(NamedTuple):
    """Codes of the rows and the price of a box; plain arrays, so that compiled code can use it.

    Attributes
    ----------
    codes : shape (rows, attributes)
        Code of each row; consecutive where cells are taxonomy nodes.
    weight : shape (attributes,)
        Cost of one code step where any interval is a cell.
    tree : shape (attributes,)
        Where the attribute's table starts in `table`, or -1 if any interval is a cell.
    side : shape (attributes,)
        Number of codes; the table has ``side * side`` entries.
    table : one-dimensional
        Cost of the smallest node over codes lo <= hi at ``tree + lo * side + hi``.
    """

    codes: Ints
    weight: Ints
    tree: Ints
    side: Ints
    table: Ints


class Cells(NamedTuple):
    """Runs of rows with their bounding boxes: rows ``start[c]`` to ``start[c + 1]``."""

    start: Ints
    lo: Ints
    hi: Ints


def bounded_runs(start: Ints, lo: Ints, hi: Ints) -> Cells:
    """Runs with the box around all boxes of each, which are told by lowest and highest codes."""
    return Cells(
        start=start,
        lo=np.minimum.reduceat(lo, start[:-1], axis=0),
        hi=np.maximum.reduceat(hi, start[:-1], axis=0),
    )


class Steps(NamedTuple):
    """The automaton of needed histograms (`structure.histograms`) in arrays.

    Attributes
    ----------
    step : shape (states, labels)
        Next state, or -1 if nothing needed can come of it. The label is the value's number, or, if
        values are alike, how often the value has been read before.
    missing : shape (states,)
        Fewest further tuples to a needed histogram.
    needed : shape (states,)
        Whether groups with this histogram may be needed.
    alike : bool
    largest : int
        Most tuples the automaton reads.
    beyond : bool
        Whether still larger groups may be needed.
    most : int
        No value occurs more often in a needed histogram.
    """

    step: NDArray[np.int32]
    missing: NDArray[np.int64]
    needed: NDArray[np.bool_]
    alike: bool
    largest: int
    beyond: bool
    most: int
