"""Several sensitive attributes of a table, told as one whose values are their combinations.

A row is published with all of them, so what the adversary sees, and what engines and worlds count, are the
combinations: ``flu ¦ low``. Only the edges know better: readers join columns, files of releases part them
again, a requirement may be bound to some of the attributes (`requirements.of_attribute`), and the audit adds
up what it found for each.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from .combination import joined, parted
from .errors import PolicyError

__all__ = [
    "joined_columns",
    "parted_columns",
    "places",
]


def places(sensitive: str, wanted: Sequence[str], owner: str) -> tuple[int, ...]:
    """Numbers (from 0) of some attributes among those of a table.

    Raises
    ------
    PolicyError
        If the table has no such sensitive attribute.
    """
    known = parted(sensitive)
    for name in wanted:
        if name not in known:
            raise PolicyError(
                f"{owner}: there is no sensitive attribute {name!r}: the table has {', '.join(known)}"
            )
    return tuple(known.index(name) for name in wanted)


def parted_columns(frame: pd.DataFrame, sensitive: str) -> pd.DataFrame:
    """A frame with one column per sensitive attribute, where the column of their combinations was."""
    names = parted(sensitive)
    if len(names) == 1:
        return frame
    at = frame.columns.get_loc(sensitive)
    assert isinstance(at, int)
    values = [parted(value) for value in frame[sensitive]]
    rest = frame.drop(columns=sensitive)
    for number, name in enumerate(names):
        column = pd.Series([value[number] for value in values], dtype="str", index=frame.index)
        rest.insert(at + number, name, column)
    return rest


def joined_columns(frame: pd.DataFrame, sensitive: str) -> pd.DataFrame:
    """The other way; a frame that lacks one of the columns is left alone, as its reader will say so."""
    names = parted(sensitive)
    if len(names) == 1 or not set(names) <= set(frame.columns):
        return frame
    cells = [frame[name].astype("string").fillna("") for name in names]
    values = [joined(row) for row in zip(*cells, strict=True)]
    joint = pd.Series(values, dtype="str", index=frame.index)
    return frame.drop(columns=list(names)).assign(**{sensitive: joint})
