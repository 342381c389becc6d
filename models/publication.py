"""Releases as data frames: the public copy and the steward's own copy.

The steward's copy has one row per tuple: `group` (from 1; empty if suppressed), `kind`
(member, counterfeit, suppressed), the respondent, exact quasi-identifiers, their
published cells (columns ``NAME published``) and the sensitive value. Only if single cells
are hidden, columns ``NAME hidden`` follow: ``*`` for a hidden cell, empty otherwise.
"""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from typing import Any, Protocol

import numpy as np
import pandas as pd

from .column_names import COUNT, FAKES, GROUP, HIDDEN, KIND, PUBLISHED, RESPONDENT
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


class _Written:
    """Cells and exact values as text; one object is written once, and large releases share most of them."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, str]] = {}

    def of(self, thing: object) -> str:
        known = self._known.get(id(thing))
        if known is None:
            known = self._known[id(thing)] = thing, str(thing)
        return known[1]


_respondent = attrgetter("respondent")


def published_frame(release: Published) -> pd.DataFrame:
    """The public copy of a generalized release: one row per published tuple.

    Rows are sorted by group and value. If the release has counterfeits, a column
    `counterfeits` tells how many tuples of the row's group are invented, not which.
    """
    if release.form != "generalized":
        raise ReleaseError("an anatomized release is published as two tables: use anatomized_frames")
    sizes = np.array([group.size for group in release.groups], dtype=np.int64)
    written = _Written()
    frame = pd.DataFrame({GROUP: np.repeat(np.arange(1, len(sizes) + 1), sizes)})
    for a, name in enumerate(release.attributes):
        cells = [written.of((group.box or ())[a]) for group in release.groups]
        frame[name] = pd.Series(np.repeat(np.array(cells, dtype=object), sizes), dtype="str")
    values = [v for group in release.groups for v in sorted(Counter(group.histogram).elements())]
    frame[release.sensitive] = pd.Series(values, dtype="str")
    if release.counterfeits:
        frame[FAKES] = np.repeat([group.fakes for group in release.groups], sizes)
    return frame


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
    return pd.DataFrame(people, columns=[GROUP, *release.attributes]), value_table


def steward_frame(release: Published, respondent: str = RESPONDENT) -> pd.DataFrame:
    """The steward's own copy, with respondents; never to be published."""
    nothing = [""] * len(release.attributes)
    rows: list[list[Any]] = []
    starred: list[list[str]] = []
    written, hides = _Written(), bool(release.hidden_cells)
    for number, group in enumerate(release.groups, start=1):
        cells = [written.of(cell) for cell in group.box] if group.box is not None else nothing
        for member in sorted(group.members, key=_respondent):
            exact = [written.of(v) for v in member.point]
            rows.append([str(number), "member", member.respondent, *exact, *cells, member.value])
            if hides:
                starred.append(
                    [STAR if (member.respondent, a) in group.starred else "" for a in range(len(exact))]
                )
        for value, count in group.counterfeits:
            rows += [[str(number), "counterfeit", "", *nothing, *cells, value]] * count
            starred += [nothing] * count
    for member in sorted(release.suppressed, key=_respondent):
        exact = [written.of(v) for v in member.point]
        rows.append(["", "suppressed", member.respondent, *exact, *nothing, member.value])
        starred.append(nothing)
    published = [name + PUBLISHED for name in release.attributes]
    frame = pd.DataFrame(
        rows, columns=[GROUP, KIND, respondent, *release.attributes, *published, release.sensitive]
    )
    if not release.hidden_cells:
        return frame
    return frame.join(pd.DataFrame(starred, columns=[name + HIDDEN for name in release.attributes]))
