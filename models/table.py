"""The steward's microdata at one time: respondents, quasi-identifiers, sensitive values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import starmap
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from .attributes import parted_columns
from .categories import Categories, Ordered
from .cells import (
    cells_of,
    exact_values,
    refuse_doubtful_cells,
    respondent_ids,
    sensitive_values,
    with_roles,
)
from .column_names import refuse_reserved
from .domain import Codes, Domain
from .errors import PolicyError, TableError
from .group import Member
from .hierarchy import Hierarchy
from .missing import MISSING, Gaps, Marks
from .numeric import Numeric
from .sensitive import Persistence, Sensitive, SensitiveSpec
from .spelling import Choice, Spelling

__all__ = [
    "MISSING",
    "Member",
    "Microdata",
    "Persistence",
    "QISpec",
    "Sensitive",
    "SensitiveSpec",
    "specs_of",
]


QISpec: TypeAlias = Domain | Hierarchy | str | Sequence[str] | None
"""How a column is generalized: a domain, a hierarchy, ``"numeric"``, ``"flat"``, an ordered
list of categories, or None to guess (numbers are numeric, all else is flat)."""


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
    dropped : int
        Rows of its source that are left out because a cell is missing: nothing is published, counted or
        promised of them.
    """

    respondent: str
    members: tuple[Member, ...]
    domains: tuple[Domain, ...]
    sensitive: Sensitive
    codes: Codes
    spelling: Spelling = field(default_factory=Spelling)
    weights: tuple[Fraction, ...] = ()
    dropped: int = 0

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
                    f"weights: {name!r} is not a quasi-identifier, only {', '.join(self.attributes)} are"
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
            Missing cells are an error, or the category ``missing`` (flat, sensitive, or in a hierarchy).
        missing_marks : collection of str, or mapping of column to collection
            Cells that are missing although they hold a text, such as ``N/A`` (in any case).
        real_values : collection of str, or mapping of column to collection
            Cells that are values although they look missing. Cells that look so are an error until
            they are named here or there.
        spelling : {"refuse", "keep", "merge"}, or mapping of "respondent" and "sensitive" to one
            What to do about sensitive values, or ids, that differ in blanks, case or composed letters only,
            or ids in zeros in front: an error that lists them; they differ; they are one (`Spelling`).

        Raises
        ------
        TableError
            Naming the column, the row (from 1) and the remedy.
        """
        specs, private = specs_of(quasi_identifiers), Sensitive.of(sensitive)
        roles = [respondent, *specs, *(part.name for part in private.attributes)]
        gaps, rule = Gaps(marks=missing_marks, real=real_values), Spelling.of(spelling)
        gaps.refuse_absent(frame.columns)
        frame = gaps.declared(with_roles(frame, roles))
        refuse_doubtful_cells(frame, gaps, {name: _listed(spec) for name, spec in specs.items()}, private)
        must = {respondent, *(name for name, spec in specs.items() if _is_numeric(spec))}
        columns = {name: cells_of(frame, name, missing, refuse=name in must) for name in roles}
        people = respondent_ids(respondent, columns[respondent], rule)
        values = sensitive_values(private, columns, rule)
        domains = tuple(_domain_of(name, columns[name], spec) for name, spec in specs.items())
        codes = np.stack([domain.encode(columns[domain.name]) for domain in domains], axis=1)
        points = zip(*(exact_values(domain, codes[:, a]) for a, domain in enumerate(domains)), strict=True)
        members = tuple(starmap(Member, zip(people, points, values, strict=True)))
        return cls(
            respondent=respondent,
            members=members,
            domains=domains,
            sensitive=private,
            codes=codes,
            spelling=rule,
        )


def specs_of(quasi_identifiers: Sequence[str] | Mapping[str, QISpec]) -> dict[str, QISpec]:
    """How each quasi-identifier is generalized; None if that is not said.

    Raises
    ------
    TableError
        If it is neither a list of columns nor a mapping of them to kinds.
    """
    # Sets have another order in every run: so would the columns of the release, or the categories.
    if isinstance(quasi_identifiers, str | set | frozenset) or not isinstance(quasi_identifiers, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TableError(
            f"quasi_identifiers is a list of column names, or a mapping, got {quasi_identifiers!r}"
        )
    names = list(quasi_identifiers)
    for name in names:
        if names.count(name) > 1:
            raise TableError(f"quasi_identifiers names column {name!r} twice: name each once")
    if not names:
        raise TableError("the table has no quasi-identifier: name at least one column")
    if not isinstance(quasi_identifiers, Mapping):
        return dict.fromkeys(names)
    for name, spec in quasi_identifiers.items():
        known = spec is None or isinstance(spec, Domain | Hierarchy | Iterable)  # pyright: ignore[reportUnnecessaryIsInstance]
        if not known or isinstance(spec, Mapping | set | frozenset | bytes):
            raise _unknown_kind(name, spec)
    return dict(quasi_identifiers)


def _is_numeric(spec: QISpec) -> bool:
    return isinstance(spec, Numeric) or (isinstance(spec, str) and spec == "numeric")


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


def _looks_numeric(raw: object) -> bool:
    """Numbers, and texts written like one; 007 is a code, not a number."""
    if isinstance(raw, str):
        return re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", raw.strip()) is not None
    return isinstance(raw, int | float | Decimal | Fraction | np.number) and not isinstance(raw, bool)


def _domain_of(name: str, column: list[object], spec: QISpec) -> Domain:
    """The domain that was asked for, or guessed where nothing was said."""
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
        raise _unknown_kind(name, spec)
    return Ordered(name=name, categories=tuple(str(category) for category in spec))


def _unknown_kind(name: str, spec: object) -> TableError:
    return TableError(
        f"column {name!r}: unknown kind {spec!r}: use 'numeric', 'flat', an ordered list or a hierarchy "
        "(optanon.hierarchies builds them)"
    )
