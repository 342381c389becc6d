"""Typed cells (of Parquet files, of databases) as people write them in a file, so that all sources agree."""

from __future__ import annotations

import math
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import pandas as pd

from ..models.errors import TableError
from ..models.exact_numbers import shortest_decimals

__all__ = ["cell_text", "text_frame"]


def cell_text(value: Any) -> str | None:
    """A cell as text; None if it is missing.

    Raises
    ------
    TableError
        If it is bytes: nobody knows which letters they are.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        raise TableError("is a column of bytes: leave it out, or turn it into text")
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return (
            format(Decimal(repr(float(value))), "f").removesuffix(".0")
            if math.isfinite(value)
            else str(value)
        )
    if isinstance(value, Decimal):
        return None if value.is_nan() else format(value, "f")
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date) else str(value)


def text_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """A typed table as text; a column of midnights is one of dates.

    Raises
    ------
    TableError
        Naming the column that cannot be text.
    """
    columns: dict[str, list[str | None]] = {}
    for a, name in enumerate(frame.columns):
        cells: list[Any] = shortest_decimals(frame.iloc[:, a]).astype(object).tolist()
        if all(isinstance(cell, datetime) and cell.time() == time() for cell in cells if cell is not pd.NaT):
            cells = [cell if cell is pd.NaT else cell.date() for cell in cells]
        known: dict[Any, str | None] = {}
        texts: list[str | None] = []
        for cell in cells:
            try:
                key = (type(cell), cell)
                if key not in known:
                    known[key] = cell_text(cell)
                texts.append(known[key])
            except TypeError:  # a list in a cell has no hash
                texts.append(cell_text(cell))
            except TableError as error:
                raise TableError(f"column {str(name)!r} {error}") from error
        columns[str(name)] = texts
    return pd.DataFrame(columns, dtype=object)
