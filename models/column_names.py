"""What files of releases have besides a table's own columns and cells: names that no table may use."""

from __future__ import annotations

from collections.abc import Sequence

from .errors import TableError

__all__ = [
    "COUNT",
    "FAKES",
    "GROUP",
    "HIDDEN",
    "KIND",
    "PUBLISHED",
    "RESPONDENT",
    "STAR",
    "refuse_reserved",
]

GROUP, KIND, FAKES, COUNT = "group", "kind", "counterfeits", "count"
RESPONDENT = "respondent"
"""The steward's column of ids, where the table's name for it is not known."""
PUBLISHED = " published"
HIDDEN = " hidden"
STAR = "*"
"""What stands in a hidden cell."""


def refuse_reserved(respondent: str, others: Sequence[str]) -> None:
    """See that no column of a table has a name that files of releases use for something else.

    Parameters
    ----------
    respondent : str
        Its column of ids.
    others : sequence of str
        Its quasi-identifiers and sensitive column.

    Raises
    ------
    TableError
    """
    for name in (respondent, *others):
        taken = name in (GROUP, KIND, FAKES, COUNT) or (name == RESPONDENT and name != respondent)
        if taken or name.endswith((PUBLISHED, HIDDEN)):
            raise TableError(
                f"column {name!r}: files of releases have a column of their own of this name: rename it in "
                "the table (in a query with AS)"
            )
