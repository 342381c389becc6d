"""A release made by another tool, rebuilt as a release of the table it was made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pandas as pd

from ...models.csv_cells import restored_frame
from ...models.errors import InputError, ReleaseError, TableError
from ...models.parameters import require_kind
from ...models.release import QIGroup, Release
from ...models.table import Microdata
from ..readers import read_frame, typed_parquet
from ..text_files import read_text_table
from .matching import How, Match, match_rows
from .notation import Ends
from .rows import COUNT, ForeignTable, Stars, read_rows

__all__ = ["ForeignRelease", "read_foreign"]


@dataclass(frozen=True, kw_only=True)
class ForeignRelease:
    """What a release made elsewhere was understood to be.

    Attributes
    ----------
    release : Release
        Groups are records with equal published cells. Tuples that no record stands for are suppressed.
    matched : {"respondents", "order", "fit"}
        How memberships were found.
    uncertain : int
        Tuples that may as well be in another group, or suppressed; 0 if memberships are certain. Sizes,
        published values and losses do not depend on that.
    records : int
        Published records, suppressed ones that are there as stars included, counterfeits not.
    ends, stars
        How intervals and records of stars were read.
    notes : tuple of str
        What else had to be understood in some way, in words.
    """

    release: Release = field(repr=False)
    matched: How
    uncertain: int
    records: int
    ends: Ends
    stars: Stars
    notes: tuple[str, ...]


def read_foreign(
    source: pd.DataFrame | str | Path,
    table: Microdata,
    *,
    ends: Ends = "written",
    stars: Stars = "suppressed",
    match: How | Literal["auto"] = "auto",
    columns: Mapping[str, str] | None = None,
    count: str | None = COUNT,
    delimiter: str = ",",
) -> ForeignRelease:
    """Read a release that another tool made of `table`.

    Parameters
    ----------
    source : DataFrame or path
        ``.parquet``, otherwise CSV (UTF-8, with a header). One row per record; counterfeits lack an id.
    table : Microdata
        What it was made from.
    ends : {"written", "closed", "half-open", "upper-open"}
        Which ends belong to intervals, see `Reader`. ANJANA's ``generate_intervals`` writes ``[10, 20)``
        for the numbers above 10 up to 20, so its releases need ``"closed"``.
    stars : {"suppressed", "group"}
        What records without any quasi-identifier are.
    match : {"auto", "respondents", "order", "fit"}
        How to find who is behind a record: by a column of respondents, by the order of rows, or any
        assignment that fits. ``"auto"``: by respondents if the file names them, else by fit.
    columns : mapping, optional
        The file's name for a column of the table, where it differs.
    count : str, optional
        A column that says for how many records a row stands, if the file has it.
    delimiter : str
        Between cells of a CSV file; ARX writes ``;``.

    Raises
    ------
    InputError
        Naming file, column, row (from 1, the header not counted) and remedy.
    """
    where = "" if isinstance(source, pd.DataFrame) else f"{source}: "
    frame = _frame(source, delimiter, table)
    try:
        found = read_rows(frame, table, ends=ends, stars=stars, columns=columns, count=count)
        try:
            matched = match_rows(found, table, match)
        except ReleaseError as error:
            if not _fits_closed(frame, table, match, ends, stars, columns, count):
                raise
            raise ReleaseError(f"{error}. With ends='closed' every row fits somebody") from error
    except InputError as error:
        raise type(error)(f"{where}{error}") from error
    return ForeignRelease(
        release=_release(found, matched, table),
        matched=matched.how,
        uncertain=matched.uncertain,
        records=found.records,
        ends=ends,
        stars=found.stars,
        notes=(*found.notes, *_dropped(table)),
    )


def _dropped(table: Microdata) -> list[str]:
    rows = f"{table.dropped} rows of the table lack a value and are left out (drop_missing)"
    return [f"{rows}: no verdict is about them"] if table.dropped else []


def _frame(source: pd.DataFrame | str | Path, delimiter: str, table: Microdata) -> pd.DataFrame:
    remedy = "give the published table or its file"
    require_kind("source", source, pd.DataFrame, str, Path, remedy=remedy)
    if isinstance(source, pd.DataFrame):
        return source
    path = Path(source)
    if path.suffix != ".parquet":
        as_written = (table.respondent, *(part.name for part in table.sensitive.attributes))
        try:
            frame = read_frame(path, delimiter=delimiter, as_written=as_written)
        except TableError:
            _refuse_uncut(path, delimiter)
            raise
        if len(frame.columns) == 1:  # no release has one column only
            _refuse_uncut(path, delimiter)
        return restored_frame(frame)
    return typed_parquet(path, kind=ReleaseError)


def _refuse_uncut(path: Path, delimiter: str) -> None:
    """Say which delimiter cuts the file, if it is another: decimal commas make a comma seem to cut rows."""
    try:
        frame, reading = read_text_table(path)
    except TableError:
        return  # whatever is wrong with it, that is not the delimiter
    mark = reading.delimiter
    if mark != delimiter and len(frame.columns) > 1:
        header = mark.join(map(str, frame.columns))
        typed = f"{'$' if mark.isspace() else ''}{mark!r}"
        raise ReleaseError(
            f"{path}: {delimiter!r} is not between its columns ({header!r}): say what is, with "
            f"delimiter={mark!r} (on the command line: --delimiter {typed})"
        )


def _fits_closed(
    frame: pd.DataFrame,
    table: Microdata,
    match: How | Literal["auto"],
    ends: Ends,
    stars: Stars,
    columns: Mapping[str, str] | None,
    count: str | None,
) -> bool:
    """Whether the release fits if both ends belong to every interval, which many tools mean."""
    if ends == "closed":
        return False
    try:
        found = read_rows(frame, table, ends="closed", stars=stars, columns=columns, count=count)
        match_rows(found, table, match)
    except InputError:
        return False
    return True


def _release(found: ForeignTable, matched: Match, table: Microdata) -> Release:
    rows: list[list[int]] = [[] for _ in found.boxes]
    left: list[int] = []
    for t, group in enumerate(matched.group.tolist()):
        (left if group < 0 else rows[group]).append(t)
    invented: list[Counter[str]] = [Counter() for _ in found.boxes]
    for group, value in matched.counterfeits:
        invented[group][value] += 1
    return Release(
        groups=tuple(
            QIGroup(
                members=tuple(table.members[t] for t in members),
                counterfeits=tuple(sorted(made_up.items())),
                box=box,
            )
            for members, made_up, box in zip(rows, invented, found.boxes, strict=True)
        ),
        suppressed=tuple(table.members[t] for t in left),
        attributes=table.attributes,
        sensitive=table.sensitive.name,
    )
