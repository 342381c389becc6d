"""A table beside the releases before it: the same columns of the same kinds, and the values published there.

Releases hold exact values: numbers of numeric columns, texts of all others. So a column that was numeric is
told from one of categories; which hierarchy categories had is not known.
"""

from __future__ import annotations

from fractions import Fraction

from .combination import parted
from .errors import ReleaseError, TableError
from .history import History
from .missing import MISSING
from .numeric import Numeric
from .release import Release
from .table import Microdata

__all__ = ["numeric_before", "refuse_other_columns", "refuse_other_values"]

_KINDS = {True: "numeric", False: "of categories"}


def numeric_before(release: Release) -> dict[str, bool]:
    """Whether each quasi-identifier was numeric; empty if the release holds nobody."""
    first = next(iter(release.members), None)
    if first is None:
        return {}
    return {
        name: isinstance(value, Fraction) for name, value in zip(release.attributes, first.point, strict=True)
    }


def refuse_other_columns(table: Microdata, history: History) -> None:
    """Refuse a table whose columns are not those of the newest release, or not of their kinds.

    Raises
    ------
    ReleaseError
    """
    last, private = history[-1], table.sensitive.name
    if (last.attributes, last.sensitive) != (table.attributes, private):
        raise ReleaseError(
            f"the table has columns {(*table.attributes, private)}, the history "
            f"{(*last.attributes, last.sensitive)}: all releases of a series have the same columns in "
            "the same order"
        )
    before = numeric_before(last)
    for domain in table.domains:
        numeric = isinstance(domain, Numeric)
        if before.get(domain.name, numeric) != numeric:
            remedy = (
                "declare it flat, or give it a hierarchy"
                if numeric
                else "declare it numeric, and correct cells that are no numbers"
            )
            raise ReleaseError(
                f"column {domain.name!r} is {_KINDS[numeric]} in the table, and {_KINDS[not numeric]} in the "
                f"history: all releases of a series publish a column alike: {remedy}"
            )


def refuse_other_values(table: Microdata, history: History) -> None:
    """Refuse persistent sensitive values that differ from what was published, or are missing now.

    Raises
    ------
    TableError
    """
    private = table.sensitive
    for row, member in enumerate(table.members, start=1):
        record = history.records.get(member.respondent)
        if record is None or record.member.value == member.value:
            continue
        release = record.groups[-1][0] + 1
        was = parted(record.member.value) if private.parts else [record.member.value]
        now = parted(member.value) if private.parts else [member.value]
        for part, value, published in zip(private.attributes, now, was, strict=False):
            if value == MISSING != published:
                raise TableError(
                    f"column {part.name!r}, row {row}: the value is missing, and release {release} published "
                    "one: fill it in, or drop the row"
                )
        raise TableError(
            f"column {private.name!r}, row {row}: the value differs from the one published in release "
            f"{release}: correct it, give the new tuple a new respondent id, or declare the values transient"
        )
