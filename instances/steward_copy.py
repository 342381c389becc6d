"""The steward's own copy of a release, read back from a data frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from ..models.domain import Domain
from ..models.errors import ReleaseError
from ..models.publication import GROUP, HIDDEN, KIND, PUBLISHED, STAR
from ..models.release import Form, QIGroup, Release
from ..models.table import Member

__all__ = ["steward_release"]


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
        Column names.
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
    needed = [GROUP, KIND, respondent, *names, *(name + PUBLISHED for name in names), sensitive]
    for name in needed:
        if name not in frame.columns:
            raise ReleaseError(f"the steward's copy has no column {name!r}: it needs {', '.join(needed)}")
    text = frame[needed].astype("string").fillna("")
    stars = _stars(frame, names)
    found = form or (
        "generalized" if (text[[n + PUBLISHED for n in names]] != "").any(axis=None) else "anatomized"
    )
    groups: list[QIGroup] = []
    suppressed: list[Member] = []
    members: dict[str, list[Member]] = {}
    fakes: dict[str, Counter[str]] = {}
    boxes: dict[str, tuple[str, ...]] = {}
    hidden: dict[str, Counter[tuple[int, str]]] = {}
    for number, row in enumerate(text.itertuples(index=False, name=None), start=1):
        group, kind, who = row[:3]
        exact, cells, value = row[3 : 3 + len(names)], row[3 + len(names) : -1], row[-1]
        if kind not in ("member", "counterfeit", "suppressed"):
            raise ReleaseError(f"row {number}: kind is {kind!r}, not member, counterfeit or suppressed")
        if kind == "counterfeit":
            fakes.setdefault(group, Counter())[value] += 1
        else:
            try:
                point = tuple(domain.parse_value(cell) for domain, cell in zip(domains, exact, strict=True))
            except ReleaseError as error:
                raise ReleaseError(f"row {number}: {error}") from error
            (suppressed if kind == "suppressed" else members.setdefault(group, [])).append(
                Member(who, point, value)
            )
            gone = [(a, str(point[a])) for a in stars.get(number, ())]
            if gone and kind == "suppressed":
                raise ReleaseError(f"row {number}: a suppressed tuple has no published cell to hide")
            hidden.setdefault(group, Counter()).update(gone)
        if kind != "suppressed" and boxes.setdefault(group, cells) != cells:
            raise ReleaseError(f"row {number}: group {group} has different published cells in an earlier row")
    lonely = set(fakes) - set(members)
    if lonely:
        raise ReleaseError(f"group {min(lonely)} has counterfeits only: a group needs a real tuple")
    for group, people in members.items():
        box = None
        if found == "generalized":
            box = tuple(domain.parse(cell) for domain, cell in zip(domains, boxes[group], strict=True))
        groups.append(
            QIGroup(
                members=tuple(people),
                counterfeits=tuple(sorted(fakes.get(group, Counter()).items())),
                box=box,
                hidden=tuple((a, v, count) for (a, v), count in sorted(hidden[group].items())),
            )
        )
    return Release(
        groups=tuple(groups),
        suppressed=tuple(suppressed),
        attributes=tuple(names),
        sensitive=sensitive,
        form=found,
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
