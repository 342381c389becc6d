"""An anatomized release read back from its two public tables, if it is known who is in which group."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import pandas as pd

from ..models.attributes import joined_columns
from ..models.column_names import COUNT, GROUP, STAR
from ..models.errors import ReleaseError
from ..models.group import Member
from ..models.release import QIGroup, Release, anatomized_frames
from ..models.table import Microdata
from .reconstruct import OTHER_GROUPS

__all__ = ["anatomized_release"]

Cells = tuple[str, ...]


def anatomized_release(
    people: pd.DataFrame, values: pd.DataFrame, table: Microdata, known: Sequence[Sequence[int]]
) -> Release:
    """Rebuild an anatomized release of `table` from its public copy.

    Parameters
    ----------
    people, values : DataFrame
        The exact table and the value table, as `anatomized_frames` has them.
    table : Microdata
        The steward's table it was made from.
    known : sequence of sequences of int
        Rows of the table (from 0) in each group, as a certificate says.

    Raises
    ------
    ReleaseError
        If a column is missing, a cell unreadable, or a group is not what is known of it.
    """
    private = table.sensitive.name
    shown = _people(_text(people, [GROUP, *table.attributes]), table)
    histograms: dict[str, Counter[str]] = defaultdict(Counter)
    for number, (group, value, count) in enumerate(_text(values, [GROUP, private, COUNT]), start=1):
        if not (count.isascii() and count.isdigit()):
            raise ReleaseError(f"value table, row {number}: column {COUNT!r} must hold a whole number")
        histograms[group][value] += int(count)
    placed = {t for members in known for t in members}
    if not all(known) or not placed <= set(range(len(table))):
        raise ReleaseError(OTHER_GROUPS)
    groups = (
        _group([table.members[t] for t in rows], shown[str(number)], histograms[str(number)])
        for number, rows in enumerate(known, start=1)
    )
    release = Release(
        groups=tuple(groups),
        suppressed=tuple(member for t, member in enumerate(table.members) if t not in placed),
        attributes=table.attributes,
        sensitive=private,
        form="anatomized",
    )
    # What is rebuilt is published as these two tables, or it is another release.
    its_people, its_values = anatomized_frames(release)
    its_values = joined_columns(its_values, private)
    cells = sorted((group, *row) for group, found in shown.items() for row in found)
    columns = list(its_values.columns)
    if cells != _sorted(its_people) or sorted(_text(values, columns)) != _sorted(its_values):
        raise ReleaseError(OTHER_GROUPS)
    return release


def _group(members: Sequence[Member], shown: Sequence[Cells], histogram: Counter[str]) -> QIGroup:
    """A group of known members, of which some cells are hidden, and with the values that nobody in it has."""
    invented = histogram - Counter(member.value for member in members)
    hidden: list[tuple[int, str, int]] = []
    for a in range(len(members[0].point)):
        gone = Counter(str(member.point[a]) for member in members) - Counter(cells[a] for cells in shown)
        hidden += [(a, value, count) for value, count in sorted(gone.items())]
    return QIGroup(members=tuple(members), counterfeits=tuple(sorted(invented.items())), hidden=tuple(hidden))


def _people(rows: Sequence[Cells], table: Microdata) -> dict[str, list[Cells]]:
    """The cells of each group, as they are written here."""
    found: dict[str, list[Cells]] = defaultdict(list)
    for number, (group, *cells) in enumerate(rows, start=1):
        parts = zip(table.domains, cells, strict=True)
        try:
            found[group].append(
                tuple(cell if cell == STAR else str(domain.parse_value(cell)) for domain, cell in parts)
            )
        except ReleaseError as error:
            raise ReleaseError(f"row {number}: {error}") from error
    return found


def _text(frame: pd.DataFrame, needed: Sequence[str]) -> list[Cells]:
    """The rows of some columns."""
    for name in needed:
        if name not in frame.columns:
            raise ReleaseError(f"the release has no column {name!r}: it needs {', '.join(needed)}")
    return list(frame[list(needed)].astype("string").fillna("").itertuples(index=False, name=None))


def _sorted(frame: pd.DataFrame) -> list[Cells]:
    return sorted(_text(frame, list(frame.columns)))
