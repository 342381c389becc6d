"""What a drafted problem file declares about doubtful cells and spellings: the careful answer.

Careful is what makes fewer values of many: cells that may be missing are one value, and so are spellings.
Whether two ids are one person nobody can guess: that is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import pandas as pd

from ..models.combination import fold, parted
from ..models.history import History
from ..models.missing import DOUBTFUL, MISSING, Gaps, listed_cells
from ..models.spelling import one_spelling, shown, spellings
from .guess import Guess
from .yaml_words import comment, scalar

__all__ = ["MISSING_CELLS", "DeclaredCells", "published_gaps"]

MISSING_CELLS = (
    "",
    "# Some cells are missing: they count as a value of their own, called missing. In the private column",
    "# missing makes groups more diverse, as any other value does: leave such rows out if that is not meant.",
    "missing: category",
)
"""Of a problem file, if cells of columns with a role are missing."""

_MOST = 5
"""Groups of spellings that a comment lists."""


def published_gaps(history: History) -> Gaps:
    """Cells that look missing and were published as values: they are values again."""
    published: dict[str, set[str]] = {}
    if len(history):
        last = history[-1]
        for a, name in enumerate(last.attributes):
            published[name] = {str(member.point[a]) for member in last.members}
        published |= _values(last.sensitive, history)
    real = {name: sorted(DOUBTFUL.intersection(map(fold, cells))) for name, cells in published.items()}
    return Gaps(real={name: cells for name, cells in real.items() if cells})


def _values(sensitive: str, history: History) -> dict[str, set[str]]:
    """Values of each sensitive attribute that a history has."""
    apart = zip(*(parted(value) for value in sorted(history.values)), strict=True)
    return {name: set(values) for name, values in zip(parted(sensitive), apart, strict=False)}


@dataclass(frozen=True, kw_only=True)
class DeclaredCells:
    """Declarations about the cells of a table.

    Attributes
    ----------
    marks, real : Mapping of column to list of str
        Cells that are missing; cells that look so and were published as values before.
    people : {"keep", "merge"} or None
        What ids that differ in spelling only are, if somebody said.
    merged : Mapping of column to Mapping of str to str
        Sensitive values that are written otherwise, too, and the spelling that all get.
    kept : bool
        Whether such values stay different, because earlier releases have them as different ones.
    dropped : Mapping of column to int
        Numeric columns with missing cells, and how many: such rows are left out, for among numbers there is
        no value of its own for what is missing.
    """

    marks: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    real: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    people: Literal["keep", "merge"] | None = None
    merged: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    kept: bool = False
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def of(cls, frame: pd.DataFrame, columns: Iterable[str], history: History) -> DeclaredCells:
        """The careful answers about missing cells of a table that was read with `published_gaps`."""
        published = published_gaps(history)
        marks: dict[str, list[str]] = {}
        real: dict[str, list[str]] = {}
        for name in columns:
            cells = [str(cell) for cell in frame[name].dropna().unique().tolist()]
            folded = dict.fromkeys(map(fold, cells))
            doubtful = dict.fromkeys(map(fold, published.doubtful(name, cells)))
            # A value called like the category of missing cells would be one with them.
            if MISSING in folded and (doubtful or frame[name].isna().any()):
                doubtful[MISSING] = None
            if doubtful:
                marks[name] = list(doubtful)
            before = [cell for cell in folded if cell in published.real_of(name)]
            if before:
                real[name] = before
        return cls(marks=marks, real=real)

    def about(self, frame: pd.DataFrame, guesses: Iterable[Guess], history: History) -> DeclaredCells:
        """What is to be said of the columns with a role; spellings of the sensitive one, too."""
        guesses = tuple(guesses)
        used = {guess.name: guess.role for guess in guesses if guess.role != "left out"}
        gaps = Gaps(marks=self.marks).declared(frame).isna().sum()
        numeric = [guess.name for guess in guesses if guess.kind == "numeric"]
        published = _values(history[-1].sensitive, history) if len(history) else {}
        merged: dict[str, Mapping[str, str]] = {}
        kept = False
        for private in (name for name, role in used.items() if role == "sensitive"):
            gone = self.marks.get(private, ())
            values = [str(cell) for cell in frame[private].dropna().tolist() if fold(str(cell)) not in gone]
            folded = set(map(fold, values))
            again = [value for value in published.get(private, ()) if fold(value) in folded]
            kept = kept or bool(spellings(again))
            merged[private] = one_spelling(values, again)
        return replace(
            self,
            marks={name: cells for name, cells in self.marks.items() if name in used},
            real={name: cells for name, cells in self.real.items() if name in used},
            kept=kept,
            merged={} if kept else merged,
            dropped={name: int(gaps[name]) for name in numeric if gaps[name]},
        )

    def applied(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The table as a problem file with these declarations has it."""
        return (
            Gaps(marks=self.marks)
            .declared(frame)
            .dropna(subset=list(self.dropped), ignore_index=True)
            .replace({name: dict(to) for name, to in self.merged.items()})
        )

    def lines(self) -> list[str]:
        """As a problem file says it, with comments."""
        found: list[str] = []
        if self.dropped:
            told = (
                "Rows without a number in these columns, whose releases before have one for everybody, are "
            )
            told += "left out of the table, and their people out of the release: fill them in, if you can. "
            told += "; ".join(f"Missing in {name}: {count}" for name, count in self.dropped.items()) + "."
            columns = ", ".join(map(scalar, self.dropped))
            found += ["", *comment(told), f"drop_missing: [{columns}]"]
        if self.marks:
            told = "These cells look as if they were missing; name them under real_values if they are values."
            found += ["", *comment(told), f"missing_marks: {_by_column(self.marks)}"]
        if self.real:
            told = "These cells look as if they were missing, but earlier releases published them as values."
            found += ["", *comment(told), f"real_values: {_by_column(self.real)}"]
        rule: dict[str, str] = {}
        told = ""
        if self.people is not None:
            rule["respondent"] = self.people
            what = "different people" if self.people == "keep" else "one person"
            told = "Ids that differ in blanks, case, composed letters or zeros in front only are "
            told += f"{what}, as you said. "
        if self.kept:
            rule["sensitive"] = "keep"
            told += "Values that differ so are different ones, as in the releases before."
        elif any(self.merged.values()):
            rule["sensitive"] = "merge"
            groups = [shown(group) for one in self.merged.values() for group in spellings(one).values()]
            listed = "; ".join(groups[:_MOST]) + ("; ..." if len(groups) > _MOST else "")
            told += "Values that differ in blanks, case or composed letters only are one "
            told += f"({listed}). If they are different values, write keep instead of merge."
        if rule:
            choices = ", ".join(f"{role}: {choice}" for role, choice in rule.items())
            found += ["", *comment(told), f"spelling: {{{choices}}}"]
        return found


def _by_column(cells: Mapping[str, list[str]]) -> str:
    told = (f"{scalar(name)}: {listed_cells(marks)}" for name, marks in cells.items())
    return "{" + ", ".join(told) + "}"
