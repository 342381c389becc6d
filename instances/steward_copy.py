"""The steward's own copy of a release, read back from a data frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from ..models.box import Box, Exact
from ..models.column_names import GROUP, HIDDEN, KIND, PUBLISHED, RESPONDENT, STAR
from ..models.domain import Domain
from ..models.errors import ReleaseError
from ..models.group import Member
from ..models.release import Form, QIGroup, Release

__all__ = ["NEEDED", "box_in_row", "steward_release"]

NEEDED = (
    "give the steward's copy (`optanon solve --steward` writes it, `optanon history write --steward` that of "
    "a stored release, and in Python release.to_csv(file, copy='steward'))"
)
"""The remedy wherever a public copy does not say enough."""


def box_in_row(number: int, domains: Sequence[Domain], cells: Sequence[str]) -> Box:
    """What the published cells of row `number` (from 1) say; an error names it."""
    try:
        return tuple(domain.parse(cell) for domain, cell in zip(domains, cells, strict=True))
    except ReleaseError as error:
        raise ReleaseError(f"row {number}: {error}") from error


def steward_release(
    frame: pd.DataFrame,
    *,
    respondent: str,
    domains: Sequence[Domain],
    sensitive: str,
    form: Form | None = None,
) -> Release:
    """Read a steward's copy back.

    Parameters
    ----------
    frame : DataFrame
        As made by `steward_frame`; all columns are taken as text.
    respondent, sensitive : str
        Column names; ids may also be in a column ``respondent``, as copies have it that a stored
        history wrote.
    domains : sequence of Domain
        The series' quasi-identifiers, to read cells and values.
    form
        Default: anatomized if no published cell is filled in.

    Raises
    ------
    ReleaseError
        If a column is missing, a cell cannot be read, or the groups are inconsistent.
    """
    names = [domain.name for domain in domains]
    if respondent not in frame.columns and RESPONDENT in frame.columns:  # no other column may be called so
        respondent = RESPONDENT
    needed = [GROUP, KIND, respondent, *names, *(name + PUBLISHED for name in names), sensitive]
    if KIND not in frame.columns:
        raise ReleaseError(f"this is not a steward's copy, there is no column {KIND!r}: {NEEDED}")
    for name in needed:
        if name not in frame.columns:
            raise ReleaseError(f"the steward's copy has no column {name!r}: it needs {', '.join(needed)}")
    text = frame[needed].astype("string").fillna("")
    stars = _stars(frame, names)
    found = form or (
        "generalized" if (text[[n + PUBLISHED for n in names]] != "").any(axis=None) else "anatomized"
    )
    rows = _StewardRows(domains=domains)
    for number, row in enumerate(text.itertuples(index=False, name=None), start=1):
        rows.add(number, row, stars.get(number, ()))
    return Release(
        groups=rows.groups(boxes=found == "generalized"),
        suppressed=tuple(rows.suppressed),
        attributes=tuple(names),
        sensitive=sensitive,
        form=found,
    )


@dataclass(kw_only=True)
class _StewardRows:
    """What rows of a steward's copy say of each group, by its name there."""

    domains: Sequence[Domain]
    suppressed: list[Member] = field(default_factory=list[Member])
    members: dict[str, list[Member]] = field(default_factory=dict[str, list[Member]])
    fakes: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    cells: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    first: dict[str, int] = field(default_factory=dict[str, int])
    hidden: dict[str, Counter[tuple[int, str]]] = field(default_factory=dict[str, Counter[tuple[int, str]]])

    def add(self, number: int, row: tuple[str, ...], stars: Sequence[int]) -> None:
        """Take row `number` (from 1): group, kind, respondent, exact values, cells and sensitive value."""
        group, kind, who = row[:3]
        exact, cells = row[3 : 3 + len(self.domains)], row[3 + len(self.domains) : -1]
        if kind == "counterfeit":
            self.fakes.setdefault(group, Counter())[row[-1]] += 1
        elif kind in ("member", "suppressed"):
            member = Member(who, self._point(number, exact), row[-1])
            (self.suppressed if kind == "suppressed" else self.members.setdefault(group, [])).append(member)
            if stars and kind == "suppressed":
                raise ReleaseError(f"row {number}: a suppressed tuple has no published cell to hide")
            gone = [(a, str(member.point[a])) for a in stars]
            self.hidden.setdefault(group, Counter()).update(gone)
        else:
            # What stands there instead may be an id, where a row is out of step.
            known = "member, counterfeit, suppressed"
            raise ReleaseError(f"row {number}: column {KIND!r} says none of {known}: correct it")
        if kind == "suppressed":
            return
        _ = self.first.setdefault(group, number)
        if self.cells.setdefault(group, cells) != cells:
            raise ReleaseError(f"row {number}: group {group} has different published cells in an earlier row")

    def _point(self, number: int, exact: Sequence[str]) -> tuple[Exact, ...]:
        try:
            return tuple(domain.parse_value(cell) for domain, cell in zip(self.domains, exact, strict=True))
        except ReleaseError as error:
            raise ReleaseError(f"row {number}: {error}") from error

    def groups(self, *, boxes: bool) -> tuple[QIGroup, ...]:
        """The groups, in the order in which they are named first."""
        lonely = set(self.fakes) - set(self.members)
        if lonely:
            raise ReleaseError(f"group {min(lonely)} has counterfeits only: a group needs a real tuple")
        return tuple(
            QIGroup(
                members=tuple(people),
                counterfeits=tuple(sorted(self.fakes.get(group, Counter()).items())),
                box=box_in_row(self.first[group], self.domains, self.cells[group]) if boxes else None,
                hidden=tuple((a, v, count) for (a, v), count in sorted(self.hidden[group].items())),
            )
            for group, people in self.members.items()
        )


def _stars(frame: pd.DataFrame, names: Sequence[str]) -> dict[int, list[int]]:
    """Hidden quasi-identifiers (positions from 0) of each row (from 1) of a steward's copy that has some."""
    found: dict[int, list[int]] = {}
    for a, name in enumerate(names):
        if name + HIDDEN not in frame.columns:
            continue
        marks = frame[name + HIDDEN].astype("string").fillna("")
        for number, mark in enumerate(marks, start=1):
            if mark not in ("", STAR):
                raise ReleaseError(
                    f"row {number}: column {name + HIDDEN!r} holds {mark!r}: it is empty or {STAR!r}"
                )
            if mark:
                found.setdefault(number, []).append(a)
    return found
