"""Releases as data frames: the public copy, the steward's own copy, and back.

The steward's copy has one row per tuple: `group` (from 1; empty if suppressed), `kind`
(member, counterfeit, suppressed), the respondent, exact quasi-identifiers, their
published cells (columns ``NAME published``) and the sensitive value. Only if single cells
are hidden, columns ``NAME hidden`` follow: ``*`` for a hidden cell, empty otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from .domain import Domain
from .errors import ReleaseError
from .release import Form, QIGroup, Release
from .table import Member

__all__ = ["anatomized_frames", "published_frame", "steward_frame", "steward_release"]

GROUP, KIND, FAKES = "group", "kind", "counterfeits"
PUBLISHED = " published"
HIDDEN = " hidden"
STAR = "*"


def published_frame(release: Release) -> pd.DataFrame:
    """The public copy of a generalized release: one row per published tuple.

    Rows are sorted by group and value. If the release has counterfeits, a column
    `counterfeits` tells how many tuples of the row's group are invented, not which.
    """
    if release.form != "generalized":
        raise ReleaseError("an anatomized release is published as two tables: use anatomized_frames")
    rows: list[list[Any]] = []
    for number, group in enumerate(release.groups, start=1):
        cells = [str(cell) for cell in group.box or ()]
        values = sorted(Counter(group.histogram).elements())
        rows += [[number, *cells, value, group.fakes] for value in values]
    frame = pd.DataFrame(rows, columns=[GROUP, *release.attributes, release.sensitive, FAKES])
    return frame if release.counterfeits else frame.drop(columns=FAKES)


def anatomized_frames(release: Release) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The public copy of an anatomized release: exact QI table and value table, joined by group."""
    if release.form != "anatomized":
        raise ReleaseError("only an anatomized release is published as two tables")
    people: list[list[Any]] = []
    values: list[list[Any]] = []
    for number, group in enumerate(release.groups, start=1):
        people += sorted(
            [
                number,
                *(STAR if (m.respondent, a) in group.starred else str(v) for a, v in enumerate(m.point)),
            ]
            for m in group.members
        )
        values += [[number, value, count, group.fakes] for value, count in sorted(group.histogram.items())]
    value_table = pd.DataFrame(values, columns=[GROUP, release.sensitive, "count", FAKES])
    if not release.counterfeits:
        value_table = value_table.drop(columns=FAKES)
    return pd.DataFrame(people, columns=[GROUP, *release.attributes]), value_table


def steward_frame(release: Release, respondent: str = "respondent") -> pd.DataFrame:
    """The steward's own copy, with respondents; never to be published."""
    nothing = [""] * len(release.attributes)
    rows: list[list[Any]] = []
    starred: list[list[str]] = []
    for number, group in enumerate(release.groups, start=1):
        cells = [str(cell) for cell in group.box] if group.box is not None else nothing
        for member in sorted(group.members, key=lambda m: m.respondent):
            exact = [str(v) for v in member.point]
            rows.append([str(number), "member", member.respondent, *exact, *cells, member.value])
            starred.append(
                [STAR if (member.respondent, a) in group.starred else "" for a in range(len(exact))]
            )
        for value, count in group.counterfeits:
            rows += [[str(number), "counterfeit", "", *nothing, *cells, value]] * count
            starred += [nothing] * count
    for member in sorted(release.suppressed, key=lambda m: m.respondent):
        exact = [str(v) for v in member.point]
        rows.append(["", "suppressed", member.respondent, *exact, *nothing, member.value])
        starred.append(nothing)
    published = [name + PUBLISHED for name in release.attributes]
    frame = pd.DataFrame(
        rows, columns=[GROUP, KIND, respondent, *release.attributes, *published, release.sensitive]
    )
    if not release.hidden_cells:
        return frame
    return frame.join(pd.DataFrame(starred, columns=[name + HIDDEN for name in release.attributes]))


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
