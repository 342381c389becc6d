"""Releases as data frames: the public copy and the steward's own copy.

The steward's copy has one row per tuple: `group` (from 1; empty if suppressed), `kind`
(member, counterfeit, suppressed), the respondent, exact quasi-identifiers, their
published cells (columns ``NAME published``) and the sensitive value. Only if single cells
are hidden, columns ``NAME hidden`` follow: ``*`` for a hidden cell, empty otherwise.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

import pandas as pd

from .errors import ReleaseError
from .group import Form, QIGroup
from .table import Member

__all__ = [
    "FAKES",
    "GROUP",
    "HIDDEN",
    "KIND",
    "PUBLISHED",
    "STAR",
    "anatomized_frames",
    "published_frame",
    "steward_frame",
]

GROUP, KIND, FAKES = "group", "kind", "counterfeits"
PUBLISHED = " published"
HIDDEN = " hidden"
STAR = "*"


class Published(Protocol):
    """What a release is made of, as far as its copies need it."""

    @property
    def groups(self) -> tuple[QIGroup, ...]: ...
    @property
    def suppressed(self) -> tuple[Member, ...]: ...
    @property
    def attributes(self) -> tuple[str, ...]: ...
    @property
    def sensitive(self) -> str: ...
    @property
    def form(self) -> Form: ...
    @property
    def counterfeits(self) -> int: ...
    @property
    def hidden_cells(self) -> int: ...


def published_frame(release: Published) -> pd.DataFrame:
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


def anatomized_frames(release: Published) -> tuple[pd.DataFrame, pd.DataFrame]:
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


def steward_frame(release: Published, respondent: str = "respondent") -> pd.DataFrame:
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
