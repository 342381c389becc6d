"""Tables out of files."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pandas as pd

from ..models.errors import InputError, TableError
from ..models.hierarchy import Hierarchy
from ..models.missing import Gaps, Marks
from ..models.spelling import Choice, Spelling
from ..models.table import Microdata, QISpec, Sensitive, SensitiveSpec, specs_of
from .cell_text import text_frame
from .text_files import Decimal, read_text_table

__all__ = ["parquet_frame", "read_csv", "read_frame", "read_parquet", "read_sql", "typed_parquet"]


def read_frame(
    path: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: Decimal | None = None,
    as_written: Collection[str] = (),
    own: bool = False,
    gaps: Gaps | None = None,
) -> pd.DataFrame:
    """Read a CSV file as text; see `read_text_table`."""
    return read_text_table(
        path,
        delimiter=delimiter,
        encoding=encoding,
        decimal=decimal,
        as_written=as_written,
        own=own,
        gaps=gaps,
    )[0]


def typed_parquet(path: str | Path, *, kind: type[InputError] = TableError) -> pd.DataFrame:
    """A Parquet file's table with its types.

    Raises
    ------
    kind
        If it cannot be read: one line.
    """
    try:
        return pd.read_parquet(path)
    except ImportError as error:
        raise kind(f"{path}: reading Parquet needs pyarrow: install optanon[parquet]") from error
    except (OSError, ValueError, NotImplementedError) as error:
        why = " ".join(str(error).split())
        raise kind(f"{path}: cannot be read as Parquet ({why[:300]})") from error


def parquet_frame(path: str | Path) -> pd.DataFrame:
    """A Parquet file's table as text, as a CSV file would give it.

    Raises
    ------
    TableError
        If it cannot be read.
    """
    frame = typed_parquet(path)
    try:
        return text_frame(frame)
    except TableError as error:
        raise TableError(f"{path}: {error}") from error


def read_csv(
    path: str | Path,
    *,
    respondent: str,
    quasi_identifiers: Sequence[str] | Mapping[str, QISpec],
    sensitive: SensitiveSpec,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    missing: Literal["refuse", "category"] = "refuse",
    missing_marks: Marks = (),
    real_values: Marks = (),
    spelling: Spelling | Choice | Mapping[str, Choice] = "refuse",
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: Decimal | None = None,
) -> Microdata:
    """Read microdata from a CSV file with a header.

    Parameters
    ----------
    path : path
        The file; may be compressed: ``.gz``, ``.bz2``, ``.xz``, or a ``.zip`` of one file.
    respondent, quasi_identifiers, sensitive, missing, missing_marks, real_values, spelling
        As in `Microdata.from_frame`; empty cells, ``?``, ``NA``, ``NaN`` are missing, too. Columns whose
        cells are all written like numbers (without leading zeros) are numeric unless said otherwise.
    hierarchies : mapping of column to path or Hierarchy, optional
        Taxonomies in ARX's CSV format.
    delimiter, encoding, decimal
        Detected if not given: comma, semicolon, tab or bar; UTF-8, UTF-16 or cp1252; decimal
        points, or commas where the comma is not the delimiter.

    Returns
    -------
    Microdata

    Raises
    ------
    TableError, HierarchyError
        Naming file, column, row and remedy.
    """
    private = [part.name for part in Sensitive.of(sensitive).attributes]
    frame = read_frame(
        path,
        delimiter=delimiter,
        encoding=encoding,
        decimal=decimal,
        as_written=(respondent, *private),
        gaps=Gaps(marks=missing_marks, real=real_values),
    )
    with _told(str(path)):
        return Microdata.from_frame(
            frame,
            respondent=respondent,
            quasi_identifiers=_specs(quasi_identifiers, hierarchies),
            sensitive=sensitive,
            missing=missing,
            missing_marks=missing_marks,
            real_values=real_values,
            spelling=spelling,
        )


def read_parquet(
    path: str | Path,
    *,
    respondent: str,
    quasi_identifiers: Sequence[str] | Mapping[str, QISpec],
    sensitive: SensitiveSpec,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    missing: Literal["refuse", "category"] = "refuse",
    missing_marks: Marks = (),
    real_values: Marks = (),
    spelling: Spelling | Choice | Mapping[str, Choice] = "refuse",
) -> Microdata:
    """Read microdata from a Parquet file (needs the extra ``optanon[parquet]``).

    Parameters
    ----------
    path : path
        The file.
    respondent, quasi_identifiers, sensitive, hierarchies, missing, missing_marks, real_values, spelling
        As in `read_csv`; cells are of the types that the file says.

    Returns
    -------
    Microdata

    Raises
    ------
    TableError, HierarchyError
        Naming file, column, row and remedy.
    """
    frame = Gaps(marks=missing_marks, real=real_values).read(parquet_frame(path))
    with _told(str(path)):
        return Microdata.from_frame(
            frame,
            respondent=respondent,
            quasi_identifiers=_specs(quasi_identifiers, hierarchies),
            sensitive=sensitive,
            missing=missing,
            missing_marks=missing_marks,
            real_values=real_values,
            spelling=spelling,
        )


def read_sql(
    url: str | Path,
    query: str,
    *,
    respondent: str,
    quasi_identifiers: Sequence[str] | Mapping[str, QISpec],
    sensitive: SensitiveSpec,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    missing: Literal["refuse", "category"] = "refuse",
    missing_marks: Marks = (),
    real_values: Marks = (),
    spelling: Spelling | Choice | Mapping[str, Choice] = "refuse",
) -> Microdata:
    """Read microdata by a query on a database, which is only read.

    Parameters
    ----------
    url : path or URL
        An SQLite file or an SQLAlchemy URL; ``${NAME}`` in it is an environment variable.
    query : str
        One SELECT statement.
    respondent, quasi_identifiers, sensitive, hierarchies, missing, missing_marks, real_values, spelling
        As in `read_csv`.

    Returns
    -------
    Microdata

    Raises
    ------
    TableError, HierarchyError
        If the database cannot be reached, or the query fails or writes; else as `read_csv`.
    """
    # Imported here: whoever reads files need not wait for the database library.
    from .sql_tables import read_query

    frame = Gaps(marks=missing_marks, real=real_values).read(read_query(url, query))
    with _told("the query"):
        return Microdata.from_frame(
            frame,
            respondent=respondent,
            quasi_identifiers=_specs(quasi_identifiers, hierarchies),
            sensitive=sensitive,
            missing=missing,
            missing_marks=missing_marks,
            real_values=real_values,
            spelling=spelling,
        )


def _specs(
    quasi_identifiers: Sequence[str] | Mapping[str, QISpec],
    hierarchies: Mapping[str, str | Path | Hierarchy] | None,
) -> dict[str, QISpec]:
    specs = specs_of(quasi_identifiers)
    for name, source in (hierarchies or {}).items():
        if name not in specs:
            raise TableError(f"a hierarchy is given for {name!r}, which is not a quasi-identifier")
        specs[name] = source if isinstance(source, Hierarchy) else Hierarchy.from_csv(source)
    return specs


@contextmanager
def _told(where: str) -> Generator[None]:
    """Errors of the table name where it is from."""
    try:
        yield
    except TableError as error:
        raise TableError(f"{where}: {error}") from error
