"""CSV files as people have them: delimiter, quotes, encoding and decimal commas found out.

What was found is told (`Reading`), so that a wrong guess is seen; each can be said instead.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import pandas as pd

from ..models.csv_cells import restored_frame
from ..models.errors import TableError
from ..models.exact_numbers import show_count
from ..models.missing import Gaps
from ..models.parameters import require_kind

__all__ = ["DELIMITERS", "Decimal", "Reading", "read_text_table"]

Decimal = Literal[".", ","]

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SAMPLE = 200
_AS_FRAME = "name a file, or give a data frame to Microdata.from_frame"
_ODD_CODECS = ("idna", "mbcs", "oem", "punycode", "raw_unicode_escape", "undefined", "unicode_escape")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
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
    rows, dropped : int
        Number of rows, the header not counted; so many of them are left out of the table.
    delimiter, quote, encoding : str
        Of a CSV file; empty for other sources.
    decimal_commas : tuple of str
        Columns whose numbers were written with decimal commas.
    """

    source: str
    rows: int
    dropped: int = 0
    delimiter: str = ""
    quote: str = '"'
    encoding: str = ""
    decimal_commas: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [DELIMITERS.get(self.delimiter, repr(self.delimiter)), self.encoding]
        if self.quote != '"':
            parts.append("single quotes")
        found = [part for part in parts if part and part != "''"]
        found.append(f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}")
        if self.dropped:
            found.append(f"{self.dropped:,} of them left out (drop_missing)")
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
    gaps: Gaps | None = None,
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
    gaps : Gaps, optional
        What is declared about cells that say nothing.

    Raises
    ------
    TableError
        If the file cannot be read, is no text, empty, or has rows of different length.
    """
    require_kind("path", path, str, PathLike, remedy=_AS_FRAME, error=TableError)
    file = Path(path)
    _refuse_unknown(path, delimiter, encoding, decimal)
    text, found = _text(file, encoding, own=own)
    if not text.strip():
        raise TableError(f"{path}: the file is empty: give a header and at least one row")
    cut, quote = (delimiter, '"') if delimiter is not None else _dialect(text)
    frame = _parsed(text, str(path), cut, quote)
    frame = restored_frame(frame) if own else (gaps or Gaps()).read(frame)
    commas: tuple[str, ...] = ()
    if decimal == "," or (decimal is None and cut != ","):
        numbers = [name for name in frame.columns if name not in as_written]
        commas = _with_points(frame, numbers, said=decimal == ",")
    reading = Reading(
        source=file.name,
        rows=len(frame),
        delimiter=cut,
        quote=quote,
        encoding=found,
        decimal_commas=commas,
    )
    return frame, reading


def _refuse_unknown(path: object, delimiter: object, encoding: object, decimal: object) -> None:
    """See that what is said of the file says something."""
    one = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()
    if delimiter is not None and not (one and delimiter not in ('"', "\r", "\n")):
        raise TableError(f"{path}: the delimiter is one character between cells, not {delimiter!r}")
    if encoding is not None and not isinstance(encoding, str):
        raise TableError(f"{path}: the encoding is a name such as utf-8 or cp1252, not {encoding!r}")
    if decimal not in (None, ".", ","):
        raise TableError(f"{path}: the decimal sign is '.' or ',', not {decimal!r}")


def _with_points(frame: pd.DataFrame, names: Sequence[str], *, said: bool) -> tuple[str, ...]:
    """Give numbers a decimal point in place, and say in which columns they had commas.

    Where that is `said`, points alone are those of thousands.
    """
    signs = ",." if said else ","
    commas = tuple(name for name in names if _has_decimal_commas(frame[name], signs))
    for name in commas:
        plain = frame[name].str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
        frame[name] = plain
    return commas


def _text(path: Path, encoding: str | None, *, own: bool) -> tuple[str, str]:
    try:
        raw = _OPENERS.get(path.suffix, Path.read_bytes)(path)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        if isinstance(error, TableError):
            raise
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise TableError(f"{path}: cannot be read ({reason})") from error
    if encoding is not None:
        try:
            return raw.decode(_codec(path, encoding)).removeprefix("\ufeff"), encoding
        except UnicodeDecodeError as error:
            raise TableError(
                f"{path}: not {encoding} text (byte {error.start}): name another encoding"
            ) from error
        except UnicodeError as error:
            raise TableError(f"{path}: not {encoding} text ({error}): name another encoding") from error
    if raw[:4] == b"PK\x03\x04":
        raise TableError(f"{path}: is a workbook or archive, not a CSV file: save the table as CSV")
    marked = raw[:2] in (b"\xff\xfe", b"\xfe\xff")
    for name in ("utf-16",) if marked else ("utf-8-sig", "cp1252"):
        try:
            text = raw.decode(name)
        except UnicodeDecodeError as error:
            if name == "utf-8-sig":
                _refuse_nearly_utf8(path, raw, error.start)
            continue
        if own or _CONTROL.search(text) is None:  # whatever a table held is in ours
            return text, "utf-8" if name == "utf-8-sig" else name
    raise TableError(f"{path}: not text in UTF-8, UTF-16 or cp1252: {_instead(raw)}")


def _instead(raw: bytes) -> str:
    """What to do about a file that is no text."""
    if raw[:15] == b"SQLite format 3":
        return "it is a database: to audit a stored history, name the problem file of its table"
    if raw[:2] == b"\x1f\x8b":
        return "it is compressed: call it .gz"
    return "save it as UTF-8, or name its encoding"


def _codec(path: Path, encoding: str) -> str:
    """The encoding, if it is one of texts: Python has others under the same roof."""
    try:
        found = codecs.lookup(encoding)
    except (LookupError, ValueError) as error:
        raise TableError(f"{path}: there is no encoding {encoding[:40]!r}: try utf-8 or cp1252") from error
    # Whether a codec is one of texts is a private attribute; bytes.decode asks for the same.
    if found.name.replace("-", "_") in _ODD_CODECS or not getattr(found, "_is_text_encoding", True):
        raise TableError(f"{path}: {encoding!r} is not a text encoding: try utf-8 or cp1252")
    return found.name


def _refuse_nearly_utf8(path: Path, raw: bytes, at: int) -> None:
    """One bad byte must not turn a UTF-8 file into another that has Ã© for é everywhere."""
    decoded = raw.decode("utf-8", errors="surrogateescape")
    if _CONTROL.search(decoded) is not None:
        return  # no text at all
    if any(ord(letter) > 0x7F and not 0xDC80 <= ord(letter) <= 0xDCFF for letter in decoded):
        line = raw.count(b"\n", 0, at) + 1
        raise TableError(
            f"{path}, line {line}: byte {at} is not UTF-8, although the rest is: correct it there, "
            "or name the encoding (for example encoding: cp1252)"
        )
    if re.search(rb"[\xc0-\xff]{5}", raw) is not None:
        raise TableError(
            f"{path}: neither UTF-8 nor a western encoding, it seems: name its encoding (encoding: cp1251, "
            "for one)"
        )


def _dialect(text: str) -> tuple[str, str]:
    """The delimiter that cuts the header and the first rows into equally many cells; the quotes."""
    header = text.lstrip().splitlines()[0].rstrip()
    quote = "'" if len(header) > 1 and header[0] == header[-1] == "'" else '"'
    best, best_rank = ",", (False, 1)
    for delimiter in DELIMITERS:
        reader = csv.reader(io.StringIO(text), delimiter=delimiter, quotechar=quote)
        try:
            rows = [row for row, _ in zip((row for row in reader if row), range(_SAMPLE), strict=False)]
        except csv.Error:
            continue
        rank = (len({len(row) for row in rows}) == 1, len(rows[0]))
        if len(rows[0]) > 1 and rank > best_rank:
            best, best_rank = delimiter, rank
    return best, quote


def _parsed(text: str, path: str, delimiter: str, quote: str) -> pd.DataFrame:
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
            frame = pd.read_csv(
                io.StringIO(text),
                sep=delimiter,
                quotechar=quote,
                dtype=str,
                keep_default_na=False,
                na_values=[""],
                index_col=False,
            )
        if frame.iloc[:, -1].hasnans:
            _refuse_short_rows(text, path, delimiter, quote)
        return frame
    except pd.errors.EmptyDataError as error:
        raise TableError(f"{path}: the file is empty: give a header and at least one row") from error
    except pd.errors.ParserWarning as error:
        raise TableError(
            f"{path}: rows have more cells than the header: name every column, or another delimiter than "
            f"{delimiter!r}"
        ) from error
    except TableError:
        raise
    except (pd.errors.ParserError, csv.Error, ValueError) as error:
        raise TableError(f"{path}: {_why(str(error), delimiter)}") from error


def _refuse_short_rows(text: str, path: str, delimiter: str, quote: str) -> None:
    """The library fills them up with missing cells, whichever cell it is that was forgotten."""
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, quotechar=quote)
    rows = (row for row in reader if row)
    width = len(next(rows))
    for row in rows:
        if len(row) < width and row != [""]:
            raise TableError(
                f"{path}: line {reader.line_num} has {show_count(len(row), 'cell')}, the header {width}: "
                f"correct it (a missing cell keeps its delimiter {delimiter!r}), or name the delimiter"
            )


def _why(said: str, delimiter: str) -> str:
    """What is wrong with a table, in other words than the library's."""
    ragged = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", said)
    if ragged is not None:
        return (
            f"line {ragged[2]} has {ragged[3]} cells, the header {ragged[1]}: correct the line (a cell with "
            f"the delimiter {delimiter!r} in it needs quotes), or name the delimiter"
        )
    if "EOF inside string" in said:
        return "a quoted cell does not end: add the quote that is missing"
    return f"not a CSV table with delimiter {delimiter!r} ({' '.join(said.split())})"


def _has_decimal_commas(column: pd.Series[str], signs: str) -> bool:
    """Whether every cell is a number with a decimal comma, as at least one with one of the signs shows."""
    cells = [str(cell).strip() for cell in column.dropna()]
    return any(sign in cell for cell in cells for sign in signs) and all(
        _COMMA_NUMBER.fullmatch(cell) for cell in cells
    )


def _only_member(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if len(names) != 1:
            raise TableError(f"{path}: holds {len(names)} files: unpack it and name the one that is meant")
        try:
            return archive.read(names[0])
        except RuntimeError as error:  # a password, or a compression that is not known here
            raise TableError(f"{path}: {error}: unpack it and name the file that was in it") from error
