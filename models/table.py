"""The steward's microdata at one time: respondents, quasi-identifiers, sensitive values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import starmap
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from .attributes import joined, parted_columns, refuse_separator
from .box import Exact
from .categories import Categories, Ordered
from .column_names import refuse_reserved
from .domain import Codes, Domain
from .errors import PolicyError, TableError
from .hierarchy import Hierarchy
from .member import Member
from .missing import MISSING, Gaps, Marks
from .numeric import Numeric
from .spelling import (
    Choice,
    Spelling,
    fold,
    one_spelling,
    refuse_id_spellings,
    refuse_value_spellings,
    spellings,
)

__all__ = ["MISSING", "Member", "Microdata", "Persistence", "QISpec", "Sensitive", "SensitiveSpec"]

Persistence: TypeAlias = Literal["persistent", "transient", "both"]
QISpec: TypeAlias = Domain | Hierarchy | str | Sequence[str] | None
"""How a column is generalized: a domain, a hierarchy, ``"numeric"``, ``"flat"``, an ordered
list of categories, or None to guess (numbers are numeric, all else is flat)."""


@dataclass(frozen=True, kw_only=True)
class Sensitive:
    """The sensitive attribute.

    Parameters
    ----------
    name : str
        Column name.
    persistence : {"persistent", "transient", "both"}
        Whether a respondent's value stays the same over releases. It decides
        which adversary is meant; ``"both"`` (unchanging data, requirements of
        either kind) makes the user's choice explicit when the two are mixed.
    order : tuple of str, optional
        The values in their natural order, if they have one (a salary band);
        ordered t-closeness needs it.
    domain : frozenset of str
        Values that may be used for counterfeits although no tuple has them.
    parts : tuple of Sensitive
        The attributes, if it stands for several: its values are their combinations (see `attributes`).
    """

    name: str
    persistence: Persistence = "persistent"
    order: tuple[str, ...] | None = None
    domain: frozenset[str] = frozenset()
    parts: tuple[Sensitive, ...] = ()

    @classmethod
    def of(cls, said: SensitiveSpec) -> Sensitive:
        """One attribute, or several as one.

        Raises
        ------
        TableError
            If there is none, or several of them disagree about persistence or declare further values.
        """
        if isinstance(said, str | Sensitive):
            return said if isinstance(said, Sensitive) else cls(name=said)
        parts = tuple(map(cls.of, said))
        names = [part.name for part in parts]
        if len(parts) < 2:
            raise TableError("sensitive: a list names two attributes or more: give a single one by its name")
        if len({part.persistence for part in parts}) > 1:
            raise TableError(f"columns {', '.join(names)}: declare one persistence for all of them")
        for part in parts:
            if part.domain or part.parts:
                raise TableError(
                    f"column {part.name!r}: several sensitive attributes declare no further values: "
                    "leave domain out"
                )
            refuse_separator(part.name, [part.name])
        return cls(name=joined(names), persistence=parts[0].persistence, parts=parts)

    @property
    def attributes(self) -> tuple[Sensitive, ...]:
        """Each sensitive attribute; itself, if it is the only one."""
        return self.parts or (self,)

    def __post_init__(self) -> None:
        if self.persistence not in ("persistent", "transient", "both"):
            raise TableError(
                f"persistence of column {self.name!r} must be 'persistent', 'transient' or 'both', "
                f"got {self.persistence!r}"
            )


SensitiveSpec: TypeAlias = str | Sensitive | Sequence[str | Sensitive]
"""The sensitive column by name or with its options, or several of them."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Microdata:
    """A validated table; build it with `from_frame`.

    Attributes
    ----------
    members : tuple of Member
        One per row, in the row order of the frame it came from.
    respondent : str
        Name of the respondent column.
    domains : tuple of Domain
        One per quasi-identifier.
    sensitive : Sensitive
        The sensitive attribute.
    codes : int64 array, shape (n, number of quasi-identifiers)
        Quasi-identifiers as codes of their domains.
    spelling : Spelling
        What is declared about ids and sensitive values that differ in spelling only.
    weights : tuple of Fraction
        How much the width of each quasi-identifier counts in losses that measure boxes; 1 unless a
        policy says otherwise.
    """

    respondent: str
    members: tuple[Member, ...]
    domains: tuple[Domain, ...]
    sensitive: Sensitive
    codes: Codes
    spelling: Spelling = field(default_factory=Spelling)
    weights: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        if not self.members:
            raise TableError("the table is empty: give at least one row")
        if not self.domains:
            raise TableError("the table has no quasi-identifier: name at least one column")
        if not self.weights:
            object.__setattr__(self, "weights", (Fraction(1),) * len(self.domains))
        private = [part.name for part in self.sensitive.attributes]
        refuse_reserved(self.respondent, (*self.attributes, *private))
        first: dict[str, int] = {}
        for row, member in enumerate(self.members, start=1):
            if first.setdefault(member.respondent, row) != row:
                raise TableError(
                    f"column {self.respondent!r}: rows {first[member.respondent]} and {row} have the same "
                    "respondent: "
                    "keep one row per respondent and release"
                )
        self.codes.setflags(write=False)

    def __repr__(self) -> str:
        return f"Microdata({len(self)} tuples, {', '.join(self.attributes)} | {self.sensitive.name})"

    def __len__(self) -> int:
        return len(self.members)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        return tuple(domain.name for domain in self.domains)

    @cached_property
    def row(self) -> Mapping[str, int]:
        """Row number (from 0) of each respondent."""
        return {member.respondent: row for row, member in enumerate(self.members)}

    @cached_property
    def histogram(self) -> Mapping[str, int]:
        """How many tuples have each sensitive value."""
        return Counter(member.value for member in self.members)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The table as strings, one row per tuple (the steward's own copy)."""
        rows = [(m.respondent, *(str(v) for v in m.point), m.value) for m in self.members]
        found = pd.DataFrame(rows, columns=[self.respondent, *self.attributes, self.sensitive.name])
        return parted_columns(found, self.sensitive.name)

    def weighted(self, weights: Mapping[str, Fraction]) -> Microdata:
        """The same table with other weights of some quasi-identifiers; 1 for those that are not named.

        Raises
        ------
        PolicyError
            If a column is no quasi-identifier.
        """
        for name in weights:
            if name not in self.attributes:
                raise PolicyError(
                    f"weights: {name!r} is no quasi-identifier, only {', '.join(self.attributes)} are"
                )
        return replace(self, weights=tuple(weights.get(name, Fraction(1)) for name in self.attributes))

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        respondent: str,
        quasi_identifiers: Sequence[str] | Mapping[str, QISpec],
        sensitive: SensitiveSpec,
        missing: Literal["refuse", "category"] = "refuse",
        missing_marks: Marks = (),
        real_values: Marks = (),
        spelling: Spelling | Choice | Mapping[str, Choice] = "refuse",
    ) -> Microdata:
        """Read the roles off a data frame.

        Parameters
        ----------
        frame : DataFrame
            One row per respondent. Respondents and sensitive values are kept as strings.
        respondent, sensitive : str
            Column names (or a `Sensitive` for its options); a list of several sensitive ones.
        quasi_identifiers : sequence of str, or mapping of str to QISpec
            Columns the adversary knows, and how each is generalized.
        missing : {"refuse", "category"}
            Missing values are an error, or the category ``missing`` (of a flat or
            sensitive column, or where a hierarchy lists it).
        missing_marks : collection of str, or mapping of column to collection
            Cells that are missing although they hold a text, such as ``N/A`` (in any case).
        real_values : collection of str, or mapping of column to collection
            Cells that are values although they look missing. Cells that look so are an error until
            they are named here or there.
        spelling : {"refuse", "keep", "merge"}, or mapping of "respondent" and "sensitive" to one
            What to do about ids, or sensitive values, that differ in blanks around them, case or
            composed letters only: an error that lists them; they differ; they are one (`Spelling`).

        Raises
        ------
        TableError
            Naming the column, the row (from 1) and the remedy.
        """
        specs, private = _specs(quasi_identifiers), Sensitive.of(sensitive)
        roles = [respondent, *specs, *(part.name for part in private.attributes)]
        gaps, rule = Gaps(marks=missing_marks, real=real_values), Spelling.of(spelling)
        frame = gaps.declared(_with_roles(frame, roles))
        _refuse_doubtful(frame, gaps, specs, private)
        columns = {name: _column(frame, name, missing, refuse=name == respondent) for name in roles}
        people = _ids(respondent, columns[respondent], rule)
        values = _private_values(private, columns, rule)
        domains = tuple(_domain(name, columns[name], spec) for name, spec in specs.items())
        codes = np.stack([domain.encode(columns[domain.name]) for domain in domains], axis=1)
        points = zip(*(_values(domain, codes[:, a]) for a, domain in enumerate(domains)), strict=True)
        members = tuple(starmap(Member, zip(people, points, values, strict=True)))
        return cls(
            respondent=respondent,
            members=members,
            domains=domains,
            sensitive=private,
            codes=codes,
            spelling=rule,
        )


def _specs(quasi_identifiers: Sequence[str] | Mapping[str, QISpec]) -> dict[str, QISpec]:
    """How each quasi-identifier is generalized; None if that is not said."""
    names = list(quasi_identifiers)
    for name in names:
        if names.count(name) > 1:
            raise TableError(f"quasi_identifiers names column {name!r} twice: name each once")
    if not names:
        raise TableError("the table has no quasi-identifier: name at least one column")
    if isinstance(quasi_identifiers, Mapping):
        return dict(quasi_identifiers)
    return dict.fromkeys(quasi_identifiers)


def _with_roles(frame: pd.DataFrame, roles: list[str]) -> pd.DataFrame:
    """The columns with a role, if the table has each of them once, and a row."""
    for name in roles:
        if name not in frame.columns:
            known = ", ".join(repr(str(column)) for column in frame.columns)
            raise TableError(f"there is no column {name!r}: the table has {known}")
        if roles.count(name) > 1:
            raise TableError(
                f"column {name!r} has two roles: respondent, quasi-identifiers and sensitive differ"
            )
    if len(frame) == 0:
        raise TableError("the table is empty: give at least one row")
    for name in roles:
        if isinstance(frame[name], pd.DataFrame):
            raise TableError(f"column {name!r} appears twice in the table: rename one")
    return frame[roles]


def _private_values(
    private: Sensitive, columns: Mapping[str, Sequence[object]], rule: Spelling
) -> Sequence[str]:
    """Sensitive values, of several attributes their combinations."""
    found: list[Sequence[str]] = []
    for part in private.attributes:
        values = _spelt([_text(value) for value in columns[part.name]], part, rule)
        _refuse_outside_order(part, values)
        if private.parts:
            refuse_separator(part.name, values)
        found.append(values)
    return [joined(row) for row in zip(*found, strict=True)] if private.parts else found[0]


def _refuse_doubtful(
    frame: pd.DataFrame, gaps: Gaps, specs: Mapping[str, QISpec], private: Sensitive
) -> None:
    """Refuse cells that look missing, unless they are declared or listed."""
    others = {part.name: part.domain | {*(part.order or ())} for part in private.attributes}
    for name in frame.columns:
        listed = _listed(specs[name]) if name in specs else others.get(name, frozenset[str]())
        gaps.refuse_doubtful(name, frame[name].tolist(), listed)


def _refuse_outside_order(private: Sensitive, values: Sequence[str]) -> None:
    if private.order is None:
        return
    for row, value in enumerate(values, start=1):
        if value not in private.order:
            raise TableError(
                f"column {private.name!r}, row {row}: its value is not in the declared order of values"
            )


def _values(domain: Domain, codes: Codes) -> list[Exact]:
    """Exact values behind codes; equal ones are one object."""
    distinct, places = np.unique(codes, return_inverse=True)
    values = [domain.value(code) for code in distinct.tolist()]
    return [values[place] for place in places.tolist()]


def _column(frame: pd.DataFrame, name: str, missing: str, *, refuse: bool) -> list[object]:
    column = frame[name]
    gone = column.isna().to_numpy()
    if not gone.any():
        return column.tolist()
    row = int(np.flatnonzero(gone)[0]) + 1
    if refuse or missing != "category":
        remedy = (
            "fill it in or drop the row"
            if refuse
            else "fill it in, drop the row, or read with missing='category'"
        )
        raise TableError(f"column {name!r}, row {row}: value is missing: {remedy}")
    if pd.api.types.is_numeric_dtype(column.dtype):
        raise TableError(
            f"column {name!r}, row {row}: value is missing in a numeric column: fill it in, drop the row, "
            "or read the column as text to make 'missing' a category"
        )
    cells = column.tolist()
    for number, (raw, lost) in enumerate(zip(cells, gone, strict=True), start=1):
        if not lost and isinstance(raw, str) and fold(raw) == MISSING:
            raise TableError(
                f"column {name!r}: cells are missing (row {row}), and others say {raw!r} (row {number}): "
                f"they would be one category: declare missing_marks: [{MISSING}] if both are missing, else "
                "rename the value"
            )
    return [MISSING if lost else raw for raw, lost in zip(cells, gone, strict=True)]


def _listed(spec: QISpec) -> frozenset[str]:
    """The categories that somebody wrote down one by one."""
    if isinstance(spec, Categories):
        spec = spec.hierarchy
    if isinstance(spec, Hierarchy):
        return frozenset(spec.leaves)
    if isinstance(spec, Ordered):
        return frozenset(spec.categories)
    if spec is None or isinstance(spec, str | Domain):
        return frozenset()
    return frozenset(str(category) for category in spec)


def _text(cell: object) -> str:
    """An id or value as text; whole numbers without a point, as files have them."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _ids(name: str, cells: Sequence[object], rule: Spelling) -> list[str]:
    """Who each row is about; refuses ids that are spelt differently, unless the rule keeps them apart."""
    people = [_text(who) for who in cells]
    if rule.respondent == "keep" or len(set(map(fold, people))) == len(people):
        return people
    alike = {who for group in spellings(people).values() for who in group}
    rows: dict[str, list[int]] = {}
    for row, who in enumerate(people, start=1):
        if who in alike:
            rows.setdefault(fold(who), []).append(row)
    refuse_id_spellings(name, list(rows.values()), merging=rule.respondent == "merge")
    return people


def _spelt(values: Sequence[str], private: Sensitive, rule: Spelling) -> list[str]:
    """The values, as the rule wants them spelt: as declared, else as most rows do."""
    if rule.sensitive == "keep":
        return list(values)
    declared = (*(private.order or ()), *sorted(private.domain))
    if rule.sensitive == "refuse":
        refuse_value_spellings(private.name, spellings((*declared, *values)).values())
        return list(values)
    refuse_value_spellings(private.name, spellings(declared).values())
    best = one_spelling(values, declared)
    return [best.get(value, value) for value in values]


def _looks_numeric(raw: object) -> bool:
    """Numbers, and texts written like one; 007 is a code, not a number."""
    if isinstance(raw, str):
        return re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", raw.strip()) is not None
    return isinstance(raw, int | float | Fraction | np.number) and not isinstance(raw, bool)


def _domain(name: str, column: list[object], spec: QISpec) -> Domain:
    if isinstance(spec, Domain):
        if spec.name != name:
            raise TableError(f"column {name!r} was given the domain of {spec.name!r}")
        return spec
    if isinstance(spec, Hierarchy):
        return Categories(name=name, hierarchy=spec)
    if spec is None:
        numeric = all(_looks_numeric(raw) for raw in column)
        spec = "numeric" if numeric else "flat"
    if spec == "numeric":
        return Numeric.of(name, column)
    if spec == "flat":
        return Categories(name=name, hierarchy=Hierarchy.flat(sorted({str(raw) for raw in column})))
    if isinstance(spec, str):
        raise TableError(
            f"column {name!r}: unknown kind {spec!r}: use 'numeric', 'flat', an ordered list or a hierarchy"
        )
    return Ordered(name=name, categories=tuple(str(category) for category in spec))
