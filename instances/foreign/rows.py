"""The rows of a release made elsewhere: columns by name, groups by equal cells, suppressed records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import pandas as pd

from ...models.box import Box
from ...models.column_names import COUNT
from ...models.combination import fold, parted
from ...models.domain import Domain
from ...models.errors import ReleaseError
from ...models.exact_numbers import plain_text
from ...models.missing import DOUBTFUL, MISSING
from ...models.table import Microdata
from .notation import NOTHING_SAID, CoveredValues, Ends, Reader

__all__ = ["COUNT", "ForeignRow", "ForeignTable", "Stars", "read_rows"]

Stars: TypeAlias = Literal["suppressed", "group"]
"""What records without any quasi-identifier are: see `read_rows`."""


@dataclass(frozen=True, kw_only=True)
class ForeignRow:
    """Some equal published records.

    Attributes
    ----------
    row : int
        Number in the file, from 1, the header not counted.
    group : int or None
        Index of its group; None if suppressed.
    value : str or None
        Sensitive value; None if it is not published either (suppressed records only).
    count : int
        For how many records the row stands.
    respondent : str or None
        If the file has a column of respondents; empty for records that were invented.
    """

    row: int
    group: int | None
    value: str | None
    count: int
    respondent: str | None

    @property
    def counterfeit(self) -> bool:
        """Whether nobody is behind the records, in a file that says who is behind each."""
        return self.respondent == ""


@dataclass(frozen=True, kw_only=True)
class ForeignTable:
    """What a file says.

    Attributes
    ----------
    rows : tuple of ForeignRow
        In the order of the file.
    readings : tuple of tuple of CoveredValues
        Cells of each group, in the order of first appearance.
    records : int
        Published records, suppressed ones included, counterfeits not.
    stars : {"suppressed", "group"}
        How records without any quasi-identifier were read.
    notes : tuple of str
        What had to be understood in some way, in words.
    """

    rows: tuple[ForeignRow, ...]
    readings: tuple[tuple[CoveredValues, ...], ...]
    records: int
    stars: Stars
    notes: tuple[str, ...]

    @property
    def boxes(self) -> tuple[Box, ...]:
        """Cells of each group."""
        return tuple(tuple(reading.cell for reading in box) for box in self.readings)


def read_rows(
    frame: pd.DataFrame,
    table: Microdata,
    *,
    ends: Ends = "written",
    stars: Stars = "suppressed",
    columns: Mapping[str, str] | None = None,
    count: str | None = COUNT,
) -> ForeignTable:
    """Read a release made elsewhere.

    Parameters
    ----------
    frame : DataFrame
        One row per record, columns in any order. Columns that are none of the table's are not read.
    table : Microdata
        What it was made from: names and domains.
    ends
        See `Reader`.
    stars : {"suppressed", "group"}
        Whether records whose every quasi-identifier is ``*`` or empty are suppressed, as tools
        mean them, or a group like any other. If no record shows anything they are one group.
    columns : mapping, optional
        The file's name for a column of the table, where it differs.
    count : str, optional
        A column that says for how many records a row stands, if the file has it.

    Raises
    ------
    ReleaseError
        Naming column, row (from 1, the header not counted) and remedy.
    """
    _require_known(ends, stars)
    texts = _texts(frame, table, columns or {})
    readers = [Reader(domain, ends) for domain in table.domains]
    silent = _silent(readers, texts)
    if all(silent):
        stars = "group"
    counts = _counts(frame, table, count)
    people = _people(texts.get(table.respondent), len(frame))
    invented = [who == "" for who in people]
    cells = [_column(reader, texts[reader.domain.name]) for reader in readers]
    values = _values(texts[table.sensitive.name], table, silent if stars == "suppressed" else None, invented)
    shown = [not (quiet and stars == "suppressed") for quiet in silent]
    note = _silence(silent, values, stars)
    groups, boxes = _grouped(list(zip(*cells, strict=True)), shown)
    told = zip(groups, values, counts, people, strict=True)
    return ForeignTable(
        rows=tuple(
            ForeignRow(row=row, group=group, value=value, count=number, respondent=who)
            for row, (group, value, number, who) in enumerate(told, start=1)
        ),
        readings=tuple(boxes),
        records=sum(number for number, made_up in zip(counts, invented, strict=True) if not made_up),
        stars=stars,
        notes=(*note, *_remarks(boxes, table.domains), *_unread(frame, table, columns or {}, count)),
    )


def _require_known(ends: Ends, stars: Stars) -> None:
    for name, given, known in (("ends", ends, get_args(Ends)), ("stars", stars, get_args(Stars))):
        if given not in known:
            raise ReleaseError(f"{name} must be one of {', '.join(known)}, got {given!r}")


def _silence(silent: Sequence[bool], values: Sequence[str | None], stars: Stars) -> tuple[str, ...]:
    """How records that show nothing are read, if there are any, and what they tell all the same."""
    if all(silent):
        return ("no record shows any quasi-identifier: they are one group",)
    if not any(silent) or stars == "group":
        return ()
    told = sum(quiet and value is not None for quiet, value in zip(silent, values, strict=True))
    note = (
        f"{sum(silent)} rows show no quasi-identifier: they are read as suppressed (stars='group' reads "
        "them as a group)"
    )
    if told:
        note += f"; {told} of them publish their sensitive values, which no requirement is asked of then"
    return (note,)


def _grouped(
    cells: Sequence[tuple[CoveredValues, ...]], shown: Sequence[bool]
) -> tuple[list[int | None], list[tuple[CoveredValues, ...]]]:
    """The group of each row (None if it is not shown), and how each group is first written."""
    numbers: dict[tuple[object, ...], int] = {}
    boxes: list[tuple[CoveredValues, ...]] = []
    groups: list[int | None] = []
    for box, is_shown in zip(cells, shown, strict=True):
        if not is_shown:
            groups.append(None)
            continue
        group = numbers.setdefault(tuple(reading.published for reading in box), len(boxes))
        if group == len(boxes):
            boxes.append(box)
        groups.append(group)
    return groups, boxes


def _texts(frame: pd.DataFrame, table: Microdata, columns: Mapping[str, str]) -> dict[str, list[str]]:
    """The columns that are read, as text; missing cells are empty. Blanks may belong to a value."""
    roles = [table.respondent, *table.attributes, table.sensitive.name]
    for name in columns:
        if name not in roles:
            raise ReleaseError(
                f"columns names {name!r}, which is not a column of the table: {', '.join(roles)}"
            )
    if len(frame) == 0:
        raise ReleaseError("the release is empty: it needs at least one row")
    found: dict[str, list[str]] = {}
    for name in roles:
        column = columns.get(name, name)
        if column not in frame.columns:
            if name == table.respondent and name not in columns:
                continue
            apart = parted(name)
            if len(apart) > 1 and name not in columns:
                raise ReleaseError(
                    f"the table has {len(apart)} sensitive columns ({', '.join(apart)}), and releases of "
                    "other tools are read with one only; releases of optanon are checked with: optanon check"
                )
            have = ", ".join(repr(str(known)) for known in frame.columns)
            raise ReleaseError(
                f"the release has no column {column!r}, only {have}: rename it there, or say what it is "
                f"called with columns={{{name!r}: ...}} (on the command line: --column {name}=...)"
            )
        raw = frame[column]
        if isinstance(raw, pd.DataFrame):
            raise ReleaseError(f"the release has column {column!r} twice: rename one")
        # Missing cells make floats of whole numbers; ids and sensitive values of tables have no point then.
        plain = plain_text if name in (table.respondent, table.sensitive.name) else str
        texts = ["" if gone else _text(cell, plain) for cell, gone in zip(raw, raw.isna(), strict=True)]
        found[name] = [text.strip() for text in texts] if name == table.respondent else texts
    return found


def _text(cell: object, plain: Callable[[object], str]) -> str:
    """A cell as text; lists, which some tools put into frames, as the one text or the set they hold."""
    if isinstance(cell, list | tuple | set | frozenset):
        parts = sorted(map(str, cell))
        return parts[0].strip() if len(parts) == 1 else "{" + ",".join(parts) + "}"
    return plain(cell)


def _silent(readers: Sequence[Reader], texts: Mapping[str, Sequence[str]]) -> list[bool]:
    """Whether a row shows no quasi-identifier."""
    columns = [texts[reader.domain.name] for reader in readers]
    return [
        all(reader.silent(text) for reader, text in zip(readers, row, strict=True))
        for row in zip(*columns, strict=True)
    ]


def _column(reader: Reader, texts: Sequence[str]) -> list[CoveredValues]:
    found: list[CoveredValues] = []
    for row, text in enumerate(texts, start=1):
        try:
            found.append(reader.read(text))
        except ReleaseError as error:
            raise ReleaseError(f"column {reader.domain.name!r}, row {row}: {error}") from error
    return found


def _values(
    texts: Sequence[str], table: Microdata, suppressed: Sequence[bool] | None, invented: Sequence[bool]
) -> list[str | None]:
    """Sensitive values; those of counterfeits may be values of earlier releases, which the table lacks."""
    known = table.histogram
    # The tool saw the table as it was written: spellings that are one, cells that are missing.
    alike = {fold(value): value for value in known} if table.spelling.sensitive == "merge" else {}
    found: list[str | None] = []
    for row, written in enumerate(texts, start=1):
        text = written if written in known else written.strip()
        if text in known:
            found.append(text)
        elif suppressed is not None and suppressed[row - 1] and text in NOTHING_SAID:
            found.append(None)
        elif fold(text) in alike:
            found.append(alike[fold(text)])
        elif MISSING in known and fold(text) in DOUBTFUL:
            found.append(MISSING)
        elif invented[row - 1] and text not in NOTHING_SAID:
            found.append(text)
        else:
            what = "is not published" if text in NOTHING_SAID else "is none of the table's"
            raise ReleaseError(
                f"column {table.sensitive.name!r}, row {row}: the sensitive value {what}, but the record is "
                "not suppressed: correct it, or leave the row out if the record is"
            )
    return found


def _counts(frame: pd.DataFrame, table: Microdata, count: str | None) -> list[int]:
    if count not in (None, COUNT, *frame.columns):
        have = ", ".join(repr(str(known)) for known in frame.columns)
        raise ReleaseError(f"the release has no column {count!r} of counts, only {have}: correct the name")
    if count is None or count not in frame.columns or count in (*table.attributes, table.sensitive.name):
        return [1] * len(frame)
    found: list[int] = []
    for row, raw in enumerate(frame[count].tolist(), start=1):
        try:
            number = int(str(raw))
        except ValueError:
            number = 0
        if number < 1:
            raise ReleaseError(
                f"column {count!r}, row {row}: {str(raw)[:60]!r} is not a number of records (1 or more): "
                "correct it, or say count=None if the column means something else (on the command line: "
                "--count '')"
            )
        found.append(number)
    return found


def _people(texts: Sequence[str] | None, rows: int) -> Sequence[str | None]:
    """Respondents, empty for counterfeits; None everywhere if there is no column, or it is starred out."""
    if texts is None or all(text in NOTHING_SAID for text in texts):
        return [None] * rows
    return ["" if text in NOTHING_SAID else text for text in texts]


def _remarks(boxes: Sequence[tuple[CoveredValues, ...]], domains: Sequence[Domain]) -> list[str]:
    notes: list[str] = []
    for a, domain in enumerate(domains):
        cells = {box[a] for box in boxes}
        cut, widened = sum(cell.cut for cell in cells), sum(cell.widened for cell in cells)
        if cut:
            notes.append(f"column {domain.name!r}: {cut} different cells reach beyond the domain and are cut")
        if widened:
            notes.append(
                f"column {domain.name!r}: {widened} different sets of numbers are read as the range around "
                "them, which overstates the loss"
            )
        if any(cell.said in NOTHING_SAID and cell.said != "*" for cell in cells):
            notes.append(
                f"column {domain.name!r}: cells that are empty or say NA are read as any value: write "
                f"{MISSING!r} where that category is meant"
            )
    return notes


def _unread(
    frame: pd.DataFrame, table: Microdata, columns: Mapping[str, str], count: str | None
) -> list[str]:
    roles = [table.respondent, *table.attributes, table.sensitive.name]
    read = {columns.get(name, name) for name in roles} | {count}
    left = [repr(str(name)) for name in frame.columns if name not in read]
    return [f"columns not read, so no check is about what they tell: {', '.join(left)}"] if left else []
