"""CSV files as people have them: delimiter, quotes, encoding and decimal commas found out.

What was found is told (`Reading`), so that a wrong guess is seen; each can be said instead.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import re
import warnings
import zipfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import pandas as pd

from ..models.csv_cells import restored_frame
from ..models.errors import TableError

__all__ = ["MISSING_MARKS", "Decimal", "Reading", "read_text_table"]

MISSING_MARKS = ("", "?", "NA", "NaN", "nan")
"""Cells that count as missing."""

Decimal = Literal[".", ","]

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SAMPLE = 200
_COMMA_NUMBER = re.compile(r"[-+]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?")
_OPENERS: Mapping[str, Callable[[Path], bytes]] = MappingProxyType(
    {
        ".gz": lambda path: gzip.decompress(path.read_bytes()),
        ".bz2": lambda path: bz2.decompress(path.read_bytes()),
        ".xz": lambda path: lzma.decompress(path.read_bytes()),
        ".zip": lambda path: _only_member(path),
    }
)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a table was read.

    Attributes
    ----------
    source : str
        File name, or what it was read from.
    rows : int
        Number of rows, the header not counted.
    delimiter, quote, encoding : str
        Of a CSV file; empty for other sources.
    decimal_commas : tuple of str
        Columns whose numbers were written with decimal commas.
    """

    source: str
    rows: int
    delimiter: str = ""
    quote: str = '"'
    encoding: str = ""
    decimal_commas: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [_DELIMITERS.get(self.delimiter, repr(self.delimiter)), self.encoding]
        if self.quote != '"':
            parts.append("single quotes")
        found = [part for part in parts if part and part != "''"]
        found.append(f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}")
        if self.decimal_commas:
            found.append(f"decimal commas in {', '.join(self.decimal_commas)}")
        return f"read {self.source}: {', '.join(found)}"


def read_text_table(
    path: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: Decimal | None = None,
    as_written: Collection[str] = (),
    own: bool = False,
) -> tuple[pd.DataFrame, Reading]:
    """Read a CSV file as text, so that nothing is lost to guessed types.

    Parameters
    ----------
    path : path
        May be compressed: ``.gz``, ``.bz2``, ``.xz``, or a ``.zip`` of one file.
    delimiter : str, optional
        Default: the one of comma, semicolon, tab and bar that cuts all rows alike.
    encoding : str, optional
        Default: UTF-8, UTF-16 by its mark, otherwise Windows' western one (cp1252).
    decimal : {".", ","}, optional
        Default: columns of numbers with decimal commas are read so where the comma is not
        the delimiter. Their cells are given with a point.
    as_written : collection of str
        Columns that are never taken for numbers: ids, sensitive values.
    own : bool
        Whether optanon wrote the file: then a cell is missing only if it is empty, and what was put
        before formulas is taken away.

    Raises
    ------
    TableError
        If the file cannot be read, is no text, empty, or has rows of different length.
    """
    file = Path(path)
    text, found = _text(file, encoding)
    if not text.strip():
        raise TableError(f"{path}: the file is empty: give a header and at least one row")
    cut, quote = (delimiter, '"') if delimiter is not None else _dialect(text)
    frame = _parsed(text, str(path), cut, quote, [""] if own else list(MISSING_MARKS))
    if own:
        frame = restored_frame(frame)
    commas: tuple[str, ...] = ()
    if decimal == "," or (decimal is None and cut != ","):
        able = [name for name in frame.columns if name not in as_written]
        commas = tuple(name for name in able if _has_decimal_commas(frame[name]))
        for name in commas:
            plain = frame[name].str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
            frame[name] = plain
    reading = Reading(
        source=file.name,
        rows=len(frame),
        delimiter=cut,
        quote=quote,
        encoding=found,
        decimal_commas=commas,
    )
    return frame, reading


def _text(path: Path, encoding: str | None) -> tuple[str, str]:
    try:
        raw = _OPENERS.get(path.suffix, Path.read_bytes)(path)
    except (OSError, EOFError, lzma.LZMAError, zipfile.BadZipFile) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise TableError(f"{path}: cannot be read ({reason})") from error
    if encoding is not None:
        try:
            return raw.decode(encoding).removeprefix("\ufeff"), encoding
        except LookupError as error:
            raise TableError(
                f"{path}: there is no encoding {encoding!r}: utf-8 or cp1252 is common"
            ) from error
        except UnicodeDecodeError as error:
            raise TableError(
                f"{path}: not {encoding} text (byte {error.start}): name another encoding"
            ) from error
    if raw[:4] == b"PK\x03\x04":
        raise TableError(f"{path}: is a workbook or archive, not a CSV file: save the table as CSV")
    marked = raw[:2] in (b"\xff\xfe", b"\xfe\xff")
    for name in ("utf-16",) if marked else ("utf-8-sig", "cp1252"):
        try:
            text = raw.decode(name)
        except UnicodeDecodeError:
            continue
        if re.search(r"[\x00-\x08\x0e-\x1f]", text) is None:
            return text, "utf-8" if name == "utf-8-sig" else name
    raise TableError(f"{path}: not text in UTF-8, UTF-16 or cp1252: save it as UTF-8, or name its encoding")


def _dialect(text: str) -> tuple[str, str]:
    """The delimiter that cuts the header and the first rows into equally many cells; the quotes."""
    header = text.lstrip().splitlines()[0].rstrip()
    quote = "'" if len(header) > 1 and header[0] == header[-1] == "'" else '"'
    best, best_rank = ",", (False, 1)
    for delimiter in _DELIMITERS:
        reader = csv.reader(io.StringIO(text), delimiter=delimiter, quotechar=quote)
        try:
            rows = [row for row, _ in zip((row for row in reader if row), range(_SAMPLE), strict=False)]
        except csv.Error:
            continue
        rank = (len({len(row) for row in rows}) == 1, len(rows[0]))
        if len(rows[0]) > 1 and rank > best_rank:
            best, best_rank = delimiter, rank
    return best, quote


def _parsed(text: str, path: str, delimiter: str, quote: str, missing: list[str]) -> pd.DataFrame:
    try:
        first = pd.read_csv(
            io.StringIO(text), sep=delimiter, quotechar=quote, header=None, nrows=1, dtype=str
        )
        names = first.iloc[0].tolist()
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise TableError(f"{path}: the header names column {twice!r} twice: rename one")
        with warnings.catch_warnings():
            # Without this pandas would take a surplus first column for row labels, silently.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                io.StringIO(text),
                sep=delimiter,
                quotechar=quote,
                dtype=str,
                keep_default_na=False,
                na_values=missing,
                index_col=False,
            )
    except pd.errors.EmptyDataError as error:
        raise TableError(f"{path}: the file is empty: give a header and at least one row") from error
    except pd.errors.ParserWarning as error:
        raise TableError(f"{path}: rows have more cells than the header: name every column") from error
    except TableError:
        raise
    except (pd.errors.ParserError, ValueError) as error:
        raise TableError(f"{path}: not a CSV table with delimiter {delimiter!r} ({error})") from error


def _has_decimal_commas(column: pd.Series[str]) -> bool:
    """Whether every cell is a number, at least one of them with a decimal comma."""
    cells = [str(cell).strip() for cell in column.dropna()]
    return any("," in cell for cell in cells) and all(_COMMA_NUMBER.fullmatch(cell) for cell in cells)


def _only_member(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if len(names) != 1:
            raise TableError(f"{path}: holds {len(names)} files: unpack it and name the one that is meant")
        return archive.read(names[0])
