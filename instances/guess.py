"""A guess at the role of each column of a table, with the reason in words, for a person to correct."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

import pandas as pd

from ..models.errors import TableError

__all__ = ["Guess", "Role", "date_patterns", "dates_kind", "guess_kind", "guess_roles"]

Role = Literal["respondent", "quasi-identifier", "sensitive", "left out"]

_ID = re.compile(
    r"(^|[^a-z])(id|ids|nr|no|key|ssn|name|patient|person|respondent|record|case|mrn|e?mail|phone|tel|mobile|"
    r"account|iban|passport|uuid|guid|login)($|[^a-z])"
)
_SENSITIVE = re.compile(
    r"diseas|diagnos|illness|condition|sensitive|salar|income|wage|drug|medic|treat|problem|hiv|relig|"
    r"krankheit|maladie|enfermedad"
)
_KNOWN = re.compile(r"sex|gender|age$|birth|town|city|region|state|country|race|zip|postal|post_?code|plz")
_POSTAL = re.compile(r"zip|postal|post_?code|plz|postleit|pin_?code|(^|_)cep($|_)")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
_LONG = re.compile(r"\d{7,}")
_CODE = re.compile(r"[0-9A-Za-z]+([ -][0-9A-Za-z]+)*")
_PATTERNS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d")

LEVELS = 10
"""About so many levels by first characters are drafted at most."""
FEW = 50
"""So many different texts can still be categories."""


@dataclass(frozen=True, kw_only=True)
class Guess:
    """What one column is taken for.

    Attributes
    ----------
    name : str
        The column.
    role : Role
        Its role.
    kind : str
        How a quasi-identifier is generalized, as a problem file says it.
    why : str
        In words.
    """

    name: str
    role: Role
    kind: str = ""
    why: str

    @property
    def built(self) -> str:
        """The kind without its settings."""
        return self.kind.removeprefix("{kind: ").partition(",")[0]


@dataclass(frozen=True, kw_only=True)
class _Column:
    name: str
    values: tuple[str, ...]
    gaps: int

    @cached_property
    def different(self) -> int:
        return len(set(self.values))

    @property
    def names_rows(self) -> bool:
        """Whether every row has a value of its own."""
        return not self.gaps and self.different == len(self.values)

    @property
    def rows(self) -> int:
        return self.gaps + len(self.values)

    @property
    def called_id(self) -> bool:
        return _ID.search(self.plain) is not None

    @property
    def nearly_names_rows(self) -> bool:
        """Whether it may be ids of which a few are missing or wrong: what is called so, and other texts."""
        few = max(1, self.rows // 10) if self.called_id else self.rows // 20
        if not 0 < self.rows - self.different <= few or 2 * self.different <= self.rows:
            return False
        if self.called_id:
            return True
        known = _KNOWN.search(self.plain) is not None or self.is_numeric or _is_postal(self)
        return not known and _date_pattern(self) is None

    @property
    def like_ids(self) -> bool:
        """Whether every row has an id of its own: it is called so, or long numbers that are nothing else."""
        if not self.names_rows or self.called_id:
            return self.names_rows
        known = _KNOWN.search(self.plain) or _SENSITIVE.search(self.plain)
        return known is None and all(map(_LONG.fullmatch, self.values))

    @property
    def seen(self) -> str:
        """How nearly it names rows."""
        empty = f", {self.gaps} empty" if self.gaps else ""
        return f"{self.different} different values in {self.rows} rows{empty}"

    @property
    def plain(self) -> str:
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).lower()

    @property
    def is_numeric(self) -> bool:
        return bool(self.values) and all(_NUMBER.fullmatch(value) for value in self.values)


def guess_roles(
    frame: pd.DataFrame,
    *,
    respondent: str | None = None,
    sensitive: Sequence[str] | None = None,
    quasi_identifiers: Sequence[str] | None = None,
) -> tuple[Guess, ...]:
    """Guess the role of every column; what is given is taken as it is.

    Parameters
    ----------
    frame : DataFrame
        The table, as text; its missing cells are missing.
    respondent : str, optional
        The column of respondents.
    sensitive : sequence of str, optional
        The columns to be protected; one is guessed otherwise.
    quasi_identifiers : sequence of str, optional
        The quasi-identifiers; all others are then left out.

    Raises
    ------
    TableError
        If no column can play a role that is needed; it says what to do.
    """
    columns = {str(name): _column(frame, str(name)) for name in frame.columns}
    given = [*([respondent] if respondent else []), *(sensitive or ())]
    for name in (*given, *(quasi_identifiers or ())):
        if name not in columns:
            raise TableError(f"there is no column {name!r}: the table has {', '.join(map(repr, columns))}")
        if (*given, *(quasi_identifiers or ())).count(name) > 1:
            raise TableError(f"column {name!r} is given two roles: a column has only one")
    if len(frame) < 2:
        raise TableError(f"the table has {len(frame)} rows: nobody can hide among fewer than two")
    taken = {*given, *(quasi_identifiers or ())}
    who, why_who = _respondent(columns, respondent, taken)
    private = _sensitive(columns, sensitive, taken | {who})
    found = [
        Guess(name=who, role="respondent", why=why_who),
        *(Guess(name=name, role="sensitive", why=why) for name, why in private.items()),
    ]
    for name, column in columns.items():
        if name == who or name in private:
            continue
        if quasi_identifiers is not None and name not in quasi_identifiers:
            found.append(Guess(name=name, role="left out", why="not among the columns named"))
        else:
            found.append(_quasi_identifier(column, asked=quasi_identifiers is not None))
    if not any(guess.role == "quasi-identifier" for guess in found):
        left = "; ".join(f"{guess.name!r}: {guess.why}" for guess in found if guess.role == "left out")
        raise TableError(
            "no column is left that others may know of a person and that could be made coarser"
            + (f" ({left})" if left else "")
            + ": name such columns with --qi"
        )
    return tuple(found)


def guess_kind(
    name: str, values: Sequence[str], *, as_levels: bool = False, as_categories: bool = False
) -> Guess:
    """How a quasi-identifier with these values is generalized.

    Numbers are put into levels of intervals, `as_levels`, instead of any interval; `as_categories` all
    values are published exactly or as `*`.
    """
    column = _Column(name=name, values=tuple(values), gaps=0)
    if as_categories:
        return _flat(column)
    return _in_levels(column) if as_levels else _quasi_identifier(column, asked=True)


def _column(frame: pd.DataFrame, name: str) -> _Column:
    gone = frame[name].isna().to_numpy()
    values = tuple(str(cell) for cell, lost in zip(frame[name].tolist(), gone, strict=True) if not lost)
    return _Column(name=name, values=values, gaps=len(gone) - len(values))


def _respondent(columns: dict[str, _Column], given: str | None, taken: set[str]) -> tuple[str, str]:
    if given is not None:
        column = columns[given]
        if column.gaps:
            raise TableError(
                f"column {given!r}: {column.gaps} rows without an id: fill it in, or drop these rows"
            )
        if not column.names_rows:
            value, count = Counter(column.values).most_common(1)[0]
            rows = [row for row, other in enumerate(column.values, start=1) if other == value]
            raise TableError(
                f"column {given!r} cannot name the respondents: rows {rows[0]} and {rows[1]} are the same "
                f"person ({count} rows in all): keep one row per person, or name another column"
            )
        return given, "given"
    free = [column for name, column in columns.items() if name not in taken]
    able = [column for column in free if column.names_rows]
    near = "; ".join(f"column {column.name!r}: {column.seen}" for column in free if column.nearly_names_rows)
    if not able:
        raise TableError(
            "no column has a different value in every row, so rows cannot be told apart by person: add a "
            "column with an id for each person (a patient number, or just 1, 2, 3, ...), keep one row per "
            "person, and try again" + (f" ({near})" if near else "")
        )
    hinted = [column for column in able if column.called_id]
    best = (hinted or able)[0]
    if hinted:
        return best.name, "every row has a different value, and it is called like an id"
    if near:
        return best.name, (
            "every row has a different value. But what may be ids has cells that are empty or repeated "
            f"({near}): if it says who a row is about, correct them or drop these rows, and name it here"
        )
    return best.name, "every row has a different value"


def _sensitive(columns: dict[str, _Column], given: Sequence[str] | None, taken: set[str]) -> dict[str, str]:
    """Columns to be protected, and why each."""
    if given:
        for name in given:
            if columns[name].different < 2:
                raise TableError(
                    f"column {name!r} has the same value everywhere: there is nothing to protect"
                )
        return dict.fromkeys(given, "given")
    able = [
        column
        for name, column in columns.items()
        if name not in taken and column.different > 1 and not (column.nearly_names_rows or column.like_ids)
    ]
    hinted = _repeated([column for column in able if _SENSITIVE.search(column.plain)])
    if hinted:
        return {hinted[0].name: "it is called like something private"}
    texts = _repeated(
        [
            column
            for column in able
            if not column.is_numeric
            and column.different <= FEW
            and not _KNOWN.search(column.plain)
            and _date_pattern(column) is None
        ]
    )
    if texts:
        return {texts[-1].name: f"a text of {texts[-1].different} different values; please check"}
    raise TableError(
        "no column looks like what must be protected (a diagnosis, an income): name it with --sensitive"
    )


def _repeated(columns: list[_Column]) -> list[_Column]:
    """Those with values that come again, if any: what differs in every row may be a name, or a note."""
    return [column for column in columns if not column.names_rows] or columns


def _quasi_identifier(column: _Column, *, asked: bool) -> Guess:
    name, different = column.name, column.different

    def known(kind: str, why: str) -> Guess:
        return Guess(name=name, role="quasi-identifier", kind=kind, why=why)

    if different < 2 and not asked:
        return Guess(name=name, role="left out", why="the same value in every row, it says nothing")
    if column.nearly_names_rows and not asked:
        return Guess(
            name=name, role="left out", why=f"{column.seen}: ids of people, to be corrected and named above?"
        )
    if column.like_ids and not asked:
        return Guess(name=name, role="left out", why="every row has a value of its own, as ids have")
    if _is_postal(column):
        length = max(map(len, column.values))
        keep = list(range(length - 1, 0, -(1 if length <= 5 else max(2, length // LEVELS))))
        return known(
            f"{{kind: prefix, keep: {keep}}}", f"a code; coarser by its first characters ({_many(different)})"
        )
    pattern = _date_pattern(column)
    if pattern is not None:
        return known(dates_kind(pattern), "dates")
    if column.is_numeric:
        if column.gaps:
            return _in_levels(column)
        return known("numeric", f"{_range(column)}, published as intervals")
    if column.names_rows and not asked:
        return Guess(name=name, role="left out", why="every row has a text of its own: a name, a note?")
    if different > FEW and not asked:
        why = f"{different} different texts: give it a hierarchy (`optanon hierarchy`)"
        return Guess(name=name, role="left out", why=why)
    return _flat(column)


def _in_levels(column: _Column) -> Guess:
    numbers = [float(value) for value in column.values]
    kind = f"{{kind: intervals, widths: {_widths(max(numbers) - min(numbers))}}}"
    return Guess(name=column.name, role="quasi-identifier", kind=kind, why=f"{_range(column)}, some missing")


def _range(column: _Column) -> str:
    low, high = min(column.values, key=float), max(column.values, key=float)
    return f"numbers from {low} to {high}"


def _flat(column: _Column) -> Guess:
    why = f"{_many(column.different)}, published exactly or as *"
    return Guess(name=column.name, role="quasi-identifier", kind="flat", why=why)


def _many(different: int) -> str:
    return "1 value" if different == 1 else f"{different} different values"


def _is_postal(column: _Column) -> bool:
    lengths = {len(value) for value in column.values}
    if not lengths or max(lengths) < 2 or not all(_CODE.fullmatch(value) for value in column.values):
        return False
    zeros = any(value.startswith("0") for value in column.values)
    digits = all(value.isdecimal() for value in column.values)
    return bool(_POSTAL.search(column.plain)) or (digits and zeros and len(lengths) == 1 and max(lengths) > 2)


def _date_pattern(column: _Column) -> str | None:
    """How the column's dates are written; "" for ISO 8601, None if they are no dates."""
    return next(iter(date_patterns(set(column.values))), None)


def date_patterns(values: Collection[str]) -> list[str]:
    """All ways to write dates that fit these; "" is ISO 8601."""
    if not values or all(value.isdecimal() for value in values):
        return []
    return [pattern for pattern in ("", *_PATTERNS) if all(_is_date(value, pattern) for value in values)]


def dates_kind(pattern: str) -> str:
    """How a problem file says that a column holds dates, written so."""
    said = f', pattern: "{pattern}"' if pattern else ""
    return f"{{kind: dates, levels: [month, quarter, year, decade]{said}}}"


def _is_date(value: str, pattern: str) -> bool:
    try:
        _ = datetime.strptime(value, pattern) if pattern else datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _widths(span: float) -> list[int]:
    """Interval widths that suit numbers over a range: four levels, each twice the one before."""
    first = max(1, round(span / 16))
    return [first, 2 * first, 4 * first, 8 * first]
