"""The different entries of a column: what is done for each of them is done once, however long it is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .errors import TableError
from .exact_numbers import shortest_decimals

__all__ = ["Entries", "refuse_several"]


@dataclass(frozen=True)
class Entries:
    """Entries that are equal and of one kind are one.

    Attributes
    ----------
    raws : list of object
        In the order in which they come.
    rows : list of int
        Where each comes first.
    places : int array
        Number of each row's entry.
    """

    raws: list[object]
    rows: list[int]
    places: NDArray[np.int64]

    @classmethod
    def of(cls, name: str, column: Sequence[object] | pd.Series[Any]) -> Entries:
        """The entries of a column; a cell that is a list or the like raises TableError naming its row."""
        if isinstance(column, pd.Series):
            column = shortest_decimals(column).tolist()
        kinds = {raw.__class__ for raw in column}
        refuse_several(name, column, kinds)
        if kinds == {str}:
            codes, texts = pd.factorize(np.array(column, dtype=object))
            places = codes.astype(np.int64)
            return cls(texts.tolist(), np.unique(places, return_index=True)[1].tolist(), places)
        known: dict[tuple[type, object], int] = {}
        numbers = (known.setdefault((raw.__class__, raw), len(known)) for raw in column)
        places = np.fromiter(numbers, dtype=np.int64, count=len(column))
        return cls([raw for _, raw in known], np.unique(places, return_index=True)[1].tolist(), places)


def refuse_several(name: str, cells: Sequence[object], kinds: Collection[type] | None = None) -> None:
    """Refuse cells that hold several values, or bytes: nobody knows which letters those are.

    Parameters
    ----------
    name : str
        Column name.
    cells : sequence
    kinds : collection of type, optional
        Their classes, if they are known.

    Raises
    ------
    TableError
        Naming the row.
    """
    found = {cell.__class__ for cell in cells} if kinds is None else kinds
    wrong = {kind for kind in found if kind.__hash__ is None or issubclass(kind, bytes)}
    if not wrong:
        return
    row, kind = next((row, raw.__class__) for row, raw in enumerate(cells, start=1) if raw.__class__ in wrong)
    what = (
        "a cell holds a text or a number, not bytes: decode it (.str.decode('utf-8'))"
        if issubclass(kind, bytes)
        else f"a cell holds one value, not a {kind.__name__}: give each value a column, or join them into "
        "one text"
    )
    raise TableError(f"column {name!r}, row {row}: {what}")
