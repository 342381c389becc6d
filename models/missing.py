"""Cells that say nothing: which ones are missing, and which ones only look so and are asked about.

A few marks are missing wherever they stand in a file. Others (``N/A``, ``null``, ``-``) may be missing or a
value; counted as values they would pass for diversity, so whoever knows must say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import pandas as pd

from .combination import fold
from .errors import TableError

__all__ = ["DOUBTFUL", "MISSING", "MISSING_MARKS", "Gaps", "Marks", "listed_cells"]

MISSING = "missing"
"""The category of missing values, where they are one."""

MISSING_MARKS = ("", "?", "NA", "NaN", "nan")
"""Cells of files that count as missing unless they are declared to be values."""

DOUBTFUL = frozenset(
    {
        *(fold(mark) for mark in MISSING_MARKS),
        *("n/a", "n.a.", "n.a", "#n/a", "#na", "<na>", "<nan>", "nat", "<nat>"),
        *("null", "(null)", "<null>", "#null!", "nil", "none", "<none>", "\\n"),
        *("-", "--", "---", "\N{EN DASH}", "\N{EM DASH}"),
        *(".", "..", "...", "\N{HORIZONTAL ELLIPSIS}", "??", "???"),
    }
)
"""What cells fold to that may be missing or a value."""

_LONGEST = max(map(len, DOUBTFUL))

Marks: TypeAlias = Collection[str] | Mapping[str, Collection[str]]
"""Cells: of all columns, or by column. Blanks around them and case do not matter."""


@dataclass(frozen=True, kw_only=True)
class Gaps:
    """What is declared about cells that say nothing.

    Parameters
    ----------
    marks : Marks
        Cells that are missing, besides the usual marks of files.
    real : Marks
        Cells that are values although they look missing.
    """

    marks: Marks = field(default=())
    real: Marks = field(default=())

    def __post_init__(self) -> None:
        for key, marks in (("missing_marks", self.marks), ("real_values", self.real)):
            said = list(marks.values()) if isinstance(marks, Mapping) else [marks]
            # A text is a collection of letters, each of which would be a mark.
            if alone := [cells for cells in said if isinstance(cells, str)]:
                raise TableError(f"{key} lists cells, got the text {alone[0]!r}: write [{alone[0]!r}]")

    def read(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The table of a file as text, with its missing cells missing."""
        return self._without(frame, MISSING_MARKS)

    def declared(self, frame: pd.DataFrame) -> pd.DataFrame:
        """A table with the cells missing that are declared so."""
        return self._without(frame, ())

    def refuse_absent(self, columns: Iterable[object]) -> None:
        """See that every column something is declared about is among those of the table.

        Raises
        ------
        TableError
            Naming the key, the column and the columns there are.
        """
        known = [str(column) for column in columns]
        for key, marks in (("missing_marks", self.marks), ("real_values", self.real)):
            for name in marks if isinstance(marks, Mapping) else ():
                if name not in known:
                    raise TableError(f"{key}: the table has no column {name!r}, only {', '.join(known)}")

    def refuse_doubtful(self, name: str, cells: Iterable[object], known: Collection[str] = ()) -> None:
        """See that no cell of a column looks missing without anybody having said what it is.

        Categories that are declared one by one (`known`) are values.

        Raises
        ------
        TableError
            Naming column, cells, the first rows and the remedy.
        """
        found = self.doubtful(name, cells, known)
        if not found:
            return
        shown = ", ".join(f"{cell!r} (row {row})" for cell, row in found.items())
        listed = listed_cells(map(fold, found))
        raise TableError(
            f"column {name!r}: {shown} may be missing or a value: declare missing_marks: {listed} (and "
            f"missing: category, to count missing cells as one value), or real_values: {listed}"
        )

    def doubtful(self, name: str, cells: Iterable[object], known: Collection[str] = ()) -> dict[str, int]:
        """Cells of a column that look missing although nobody said what they are, and their first rows."""
        real = self.real_of(name)
        cells = list(cells)
        # Folding makes no text shorter than it is without its blanks.
        different = {cell for cell in cells if isinstance(cell, str) and len(cell.strip()) <= _LONGEST}
        found = {
            cell
            for cell in different
            if (folded := fold(cell)) in DOUBTFUL and folded not in real and cell not in known
        }
        rows: dict[str, int] = {}
        if found:
            for row, cell in enumerate(cells, start=1):
                if isinstance(cell, str) and cell in found:
                    _ = rows.setdefault(cell, row)
        return rows

    def real_of(self, name: str) -> frozenset[str]:
        """What cells of a column fold to that are values although they look missing."""
        return _of(self.real, name)

    def _without(self, frame: pd.DataFrame, usual: Collection[str]) -> pd.DataFrame:
        if not usual and not self.marks:
            return frame
        columns: dict[str, pd.Series[str]] = {}
        for a, name in enumerate(frame.columns):
            column = frame.iloc[:, a]
            columns[str(name)] = column
            if pd.api.types.is_numeric_dtype(column.dtype):
                continue
            marks, real = _of(self.marks, str(name)), _of(self.real, str(name))
            if not marks and not usual:
                continue
            gone = [
                cell
                for cell in column.unique().tolist()
                if isinstance(cell, str)
                and ((cell in usual and fold(cell) not in real) or (marks and fold(cell) in marks))
            ]
            if gone:
                columns[str(name)] = column.mask(column.isin(gone))
        return pd.DataFrame(columns, index=frame.index)


def listed_cells(cells: Iterable[str]) -> str:
    r"""Marks as a problem file lists them; none has a quote in it.

    Examples
    --------
    >>> print(listed_cells(["-", "\\n", "-"]))
    ['-', '\n']
    """
    return "[" + ", ".join(f"'{cell}'" for cell in dict.fromkeys(cells)) + "]"


def _of(marks: Marks, name: str) -> frozenset[str]:
    found = marks.get(name, ()) if isinstance(marks, Mapping) else marks
    return frozenset(fold(mark) for mark in found)
