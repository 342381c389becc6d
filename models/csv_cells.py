"""CSV files in which no cell is a formula, and back.

A spreadsheet that opens a CSV file runs cells that begin with ``=``, ``+``, ``-``, ``@`` (also in full
width), a tab or a line break. Such cells, headers too, get a ``'`` in front, unless they are plain
numbers (-5); so do cells that already begin with ``'`` and then one of these, so that one ``'`` less
always gives back what it was.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

__all__ = ["neutral", "restored", "restored_frame", "write_csv"]

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_WRITTEN = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?|[-+]?\d+/\d+")


def neutral(cell: str) -> str:
    """The cell as it may stand in a CSV file."""
    if _FORMULA.match(cell) is None or _NUMBER.fullmatch(cell) is not None:
        return cell
    return "'" + cell


def restored(cell: str) -> str:
    """The cell behind what `neutral` made of it; any other stays."""
    return cell[1:] if _WRITTEN.match(cell) is not None else cell


def _marked(cell: str) -> str:
    """One ``'`` more for what `restored` would take one from."""
    return "'" + cell if _WRITTEN.match(cell) is not None else cell


def write_csv(frame: pd.DataFrame, path: Path, *, raw_cells: bool = False) -> None:
    """Write a frame as UTF-8 CSV; with `raw_cells` formulas stay what they are (and are read so)."""
    found = _changed(frame, _marked if raw_cells else neutral)
    # The writer quotes line feeds only, and a bare carriage return ends a row for most readers.
    returns = any(
        "\r" in cell
        for a in range(len(found.columns))
        for cell in (str(found.columns[a]), *_texts(found.iloc[:, a]))
    )
    quoting = csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
    found.to_csv(path, index=False, lineterminator="\n", quoting=quoting)


def restored_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame that was read from what `write_csv` wrote, with the cells that were meant."""
    return _changed(frame, restored)


def _changed(frame: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    columns = {change(str(name)): _column(frame.iloc[:, a], change) for a, name in enumerate(frame.columns)}
    return pd.DataFrame(columns)


def _column(column: pd.Series[Any], change: Callable[[str], str]) -> pd.Series[Any]:
    other: dict[object, object] = {cell: change(cell) for cell in _texts(column) if change(cell) != cell}
    return column.map(lambda cell: other.get(cell, cell)) if other else column  # pyright: ignore[reportUnknownLambdaType]


def _texts(column: pd.Series[Any]) -> list[str]:
    """The different texts of a column."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return []
    return [cell for cell in column.unique().tolist() if isinstance(cell, str)]
