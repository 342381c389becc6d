"""Tables out of files."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import pandas as pd

from ..models.errors import TableError
from ..models.hierarchy import Hierarchy
from ..models.table import Microdata, QISpec, Sensitive

__all__ = ["MISSING_MARKS", "read_csv", "read_frame", "read_parquet"]

MISSING_MARKS = ("", "?", "NA", "NaN", "nan")
"""Cells that count as missing."""


def read_frame(path: str | Path, *, delimiter: str = ",") -> pd.DataFrame:
    """Read a CSV file as text, so that nothing is lost to guessed types.

    Raises
    ------
    TableError
        If the file cannot be read, is no UTF-8, empty, or has rows of different length.
    """
    try:
        first = pd.read_csv(path, sep=delimiter, header=None, nrows=1, dtype=str, encoding="utf-8-sig")
        names = first.iloc[0].tolist()
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise TableError(f"{path}: the header names column {twice!r} twice: rename one")
        with warnings.catch_warnings():
            # Without this pandas would take a surplus first column for row labels, silently.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                path,
                sep=delimiter,
                dtype=str,
                keep_default_na=False,
                na_values=list(MISSING_MARKS),
                encoding="utf-8-sig",
                index_col=False,
            )
    except UnicodeDecodeError as error:
        raise TableError(f"{path}: not UTF-8 text (byte {error.start}): save it as UTF-8") from error
    except OSError as error:
        raise TableError(f"{path}: cannot be read ({error.strerror or error})") from error
    except pd.errors.EmptyDataError as error:
        raise TableError(f"{path}: the file is empty: give a header and at least one row") from error
    except pd.errors.ParserWarning as error:
        raise TableError(f"{path}: rows have more cells than the header: name every column") from error
    except TableError:
        raise
    except (pd.errors.ParserError, ValueError) as error:
        raise TableError(f"{path}: not a CSV table with delimiter {delimiter!r} ({error})") from error


def read_csv(
    path: str | Path,
    *,
    respondent: str,
    quasi_identifiers: Sequence[str] | Mapping[str, QISpec],
    sensitive: str | Sensitive,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    missing: Literal["refuse", "category"] = "refuse",
    delimiter: str = ",",
) -> Microdata:
    """Read microdata from a CSV file (UTF-8, with a header).

    Parameters
    ----------
    path : path
        The file; may be compressed in a way pandas knows.
    respondent, quasi_identifiers, sensitive, missing
        As in `Microdata.from_frame`. Columns whose cells are all written like
        numbers (without leading zeros) are numeric unless said otherwise.
    hierarchies : mapping of column to path or Hierarchy, optional
        Taxonomies in ARX's CSV format.
    delimiter : str
        Between cells.

    Raises
    ------
    TableError, HierarchyError
        Naming file, column, row and remedy.
    """
    frame = read_frame(path, delimiter=delimiter)
    return _microdata(frame, str(path), respondent, quasi_identifiers, sensitive, hierarchies, missing)


def read_parquet(
    path: str | Path,
    *,
    respondent: str,
    quasi_identifiers: Sequence[str] | Mapping[str, QISpec],
    sensitive: str | Sensitive,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    missing: Literal["refuse", "category"] = "refuse",
) -> Microdata:
    """Read microdata from a Parquet file (needs the extra ``optanon[parquet]``); see `read_csv`."""
    try:
        frame = pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise TableError(f"{path}: cannot be read as Parquet ({error})") from error
    return _microdata(frame, str(path), respondent, quasi_identifiers, sensitive, hierarchies, missing)


def _microdata(
    frame: pd.DataFrame,
    path: str,
    respondent: str,
    quasi_identifiers: Sequence[str] | Mapping[str, QISpec],
    sensitive: str | Sensitive,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None,
    missing: Literal["refuse", "category"],
) -> Microdata:
    given = quasi_identifiers
    specs: dict[str, QISpec] = dict(given) if isinstance(given, Mapping) else dict.fromkeys(given)
    for name, source in (hierarchies or {}).items():
        if name not in specs:
            raise TableError(f"{path}: a hierarchy is given for {name!r}, which is no quasi-identifier")
        specs[name] = source if isinstance(source, Hierarchy) else Hierarchy.from_csv(source)
    try:
        return Microdata.from_frame(
            frame, respondent=respondent, quasi_identifiers=specs, sensitive=sensitive, missing=missing
        )
    except TableError as error:
        raise TableError(f"{path}: {error}") from error
