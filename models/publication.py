"""Releases as data frames: the public copy and the steward's own copy.

The steward's copy has one row per tuple: `group` (from 1; empty if suppressed), `kind`
(member, counterfeit, suppressed), the respondent, exact quasi-identifiers, their
published cells (columns ``NAME published``) and the sensitive values. Only if single cells
are hidden, columns ``NAME hidden`` follow: ``*`` for a hidden cell, empty otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Protocol

import numpy as np
import pandas as pd

from .attributes import parted_columns
from .column_names import COUNT, FAKES, GROUP, HIDDEN, KIND, PUBLISHED, RESPONDENT
from .errors import ReleaseError
from .group import Form, Member, QIGroup

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


def _as_text(things: Sequence[object]) -> list[str]:
    """Cells or exact values as text; one object is written once, and large releases share most of them."""
    written = {
        number: str(thing) for number, thing in dict(zip(map(id, things), things, strict=True)).items()
    }
    return [written[id(thing)] for thing in things]


_respondent = attrgetter("respondent")


def published_frame(release: Published) -> pd.DataFrame:
    """The public copy of a generalized release: one row per published tuple.

    Rows are sorted by group and value. If the release has counterfeits, a column
    `counterfeits` tells how many tuples of the row's group are invented, not which.
    """
    if release.form != "generalized":
        raise ReleaseError("an anatomized release is published as two tables: use anatomized_frames")
    sizes = np.array([group.size for group in release.groups], dtype=np.int64)
    frame = pd.DataFrame({GROUP: np.repeat(np.arange(1, len(sizes) + 1), sizes)})
    for a, name in enumerate(release.attributes):
        cells = _as_text([(group.box or ())[a] for group in release.groups])
        frame[name] = pd.Series(np.repeat(np.array(cells, dtype=object), sizes), dtype="str")
    values = [v for group in release.groups for v in sorted(Counter(group.histogram).elements())]
    frame[release.sensitive] = pd.Series(values, dtype="str")
    if release.counterfeits:
        frame[FAKES] = np.repeat([group.fakes for group in release.groups], sizes)
    return parted_columns(frame, release.sensitive)


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
    value_table = pd.DataFrame(values, columns=[GROUP, release.sensitive, COUNT, FAKES])
    if not release.counterfeits:
        value_table = value_table.drop(columns=FAKES)
    people_table = pd.DataFrame(people, columns=[GROUP, *release.attributes])
    return people_table, parted_columns(value_table, release.sensitive)


def steward_frame(release: Published, respondent: str = RESPONDENT) -> pd.DataFrame:
    """The steward's own copy, with respondents; never to be published."""
    # Column by column: releases of a million tuples are written so, too.
    people, values, sizes = list[Member | None](), list[str](), list[int]()
    for group in release.groups:
        members = sorted(group.members, key=_respondent)
        invented = [value for value, count in group.counterfeits for _ in range(count)]
        people += [*members, *([None] * len(invented))]
        values += [*(member.value for member in members), *invented]
        sizes.append(len(members) + len(invented))
    gone = sorted(release.suppressed, key=_respondent)
    people += gone
    values += [member.value for member in gone]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    nobody = [""] * len(gone)
    columns: dict[str, Any] = {
        GROUP: [*map(str, (groups + 1).tolist()), *nobody],
        KIND: ["counterfeit" if m is None else "member" for m in people[: len(groups)]]
        + ["suppressed"] * len(gone),
        respondent: ["" if m is None else m.respondent for m in people],
    }
    for a, name in enumerate(release.attributes):
        columns[name] = _as_text(["" if m is None else m.point[a] for m in people])
    for a, name in enumerate(release.attributes):
        cells = _as_text(["" if group.box is None else group.box[a] for group in release.groups])
        columns[name + PUBLISHED] = [*np.array(cells, dtype=object)[groups].tolist(), *nobody]
    columns[release.sensitive] = values
    if release.hidden_cells:
        starred = [group.starred for group in release.groups]
        for a, name in enumerate(release.attributes):
            columns[name + HIDDEN] = [
                STAR if m is not None and (m.respondent, a) in starred[at] else ""
                for m, at in zip(people, groups.tolist(), strict=False)
            ] + nobody
    return parted_columns(pd.DataFrame(columns), release.sensitive)
