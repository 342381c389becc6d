"""Releases: what is published, with the steward's record of who is where.

`Release` knows the members of each group; what leaves the house is only what
`to_frame` gives for ``copy="public"``: boxes beside values (generalized), or the
exact QI table and the value table joined by group (anatomized). Rows of a public
copy are sorted, so that their order tells nothing.

The steward's copy has one row per tuple: `group` (from 1; empty if suppressed), `kind`
(member, counterfeit, suppressed), the respondent, exact quasi-identifiers, their
published cells (columns ``NAME published``) and the sensitive values. Only if single cells
are hidden, columns ``NAME hidden`` follow: ``*`` for a hidden cell, empty otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import escape
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from .attributes import parted_columns
from .box import Box, Cell, Interval
from .column_names import COUNT, FAKES, GROUP, HIDDEN, KIND, PUBLISHED, RESPONDENT, STAR
from .csv_cells import write_csv
from .errors import InputError, ReleaseError
from .files import OutputFile, check_picture, write_picture, write_together
from .group import Form, Member, QIGroup

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "Copy",
    "Counted",
    "Form",
    "QIGroup",
    "Release",
    "anatomized_frames",
    "published_frame",
    "steward_frame",
]

Copy: TypeAlias = Literal["public", "steward"]
"""What is published, or the steward's own copy with respondents."""

Counted: TypeAlias = Literal["suppressed", "counterfeits", "hidden_cells"]
"""What of a release can be counted: by losses, in limits."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """One published version of the table.

    Parameters
    ----------
    groups : tuple of QIGroup
        Every respondent is in at most one group.
    suppressed : tuple of Member
        Tuples of the microdata that are not published.
    attributes : tuple of str
        Names of the quasi-identifiers, in the order of points and boxes.
    sensitive : str
        Name of the sensitive column.
    form : {"generalized", "anatomized"}
        Generalized groups need boxes, anatomized groups have none.
    """

    groups: tuple[QIGroup, ...] = field(repr=False)
    suppressed: tuple[Member, ...] = field(default=(), repr=False)
    attributes: tuple[str, ...]
    sensitive: str
    form: Form = "generalized"

    def __post_init__(self) -> None:
        if self.form not in ("generalized", "anatomized"):
            raise ReleaseError(f"a release is 'generalized' or 'anatomized', not {self.form!r}")
        seen: set[str] = set()
        for number, group in enumerate(self.groups, start=1):
            if (group.box is None) != (self.form == "anatomized"):
                raise ReleaseError(
                    f"group {number}: a {self.form} release has {'no boxes' if group.box else 'boxes'}"
                )
            if group.box is not None and len(group.box) != len(self.attributes):
                raise ReleaseError(
                    f"group {number}: {len(group.box)} cells for {len(self.attributes)} attributes"
                )
            if not seen.isdisjoint(group.respondents):
                raise ReleaseError(f"group {number}: a respondent is already in an earlier group")
            seen |= group.respondents
        if not seen.isdisjoint(member.respondent for member in self.suppressed):
            raise ReleaseError("a suppressed respondent is also published")

    def __repr__(self) -> str:
        return (
            f"Release({len(self.groups)} groups, {sum(g.size for g in self.groups)} tuples, "
            f"{self.counterfeits} counterfeits, {len(self.suppressed)} suppressed, {self.form})"
        )

    @property
    def counterfeits(self) -> int:
        """Number of counterfeits in all groups."""
        return sum(group.fakes for group in self.groups)

    @property
    def plain(self) -> dict[str, object]:
        """Everything the steward knows of it, in one order and ready for JSON."""
        return {
            "form": self.form,
            "columns": [*self.attributes, self.sensitive],
            "suppressed": sorted(m.plain for m in self.suppressed),
            "groups": [
                {
                    "members": sorted(m.plain for m in group.members),
                    "counterfeits": sorted(group.counterfeits),
                    "box": [str(cell) for cell in group.box or ()],
                    "hidden": sorted(group.hidden),
                }
                for group in self.groups
            ],
        }

    @property
    def hidden_cells(self) -> int:
        """Number of hidden cells in all groups."""
        return sum(group.hidden_cells for group in self.groups)

    @cached_property
    def members(self) -> tuple[Member, ...]:
        """All tuples of the microdata, published or suppressed."""
        return (*(m for group in self.groups for m in group.members), *self.suppressed)

    @cached_property
    def where(self) -> Mapping[str, int]:
        """Index of each published respondent's group."""
        return {who: index for index, group in enumerate(self.groups) for who in group.respondents}

    @property
    def boxes(self) -> list[Box]:
        """Boxes of its groups; none of an anatomized release."""
        return [group.box for group in self.groups if group.box is not None]

    @cached_property
    def histogram(self) -> Mapping[str, int]:
        """Sensitive values of the microdata (suppressed tuples included, counterfeits not)."""
        return Counter(member.value for member in self.members)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw sizes of groups, different sensitive values in them, and how much of each column is exact.

        Parameters
        ----------
        path : str or Path, optional
            A .png, .svg or .pdf file to write, whole or not at all.

        Returns
        -------
        matplotlib Figure
            A notebook shows it. It says nothing that the public copy does not say.

        Raises
        ------
        InputError
            If nobody is published, or the file cannot be one.
        """
        # Imported here: drawing takes a second to load.
        from .release_picture import draw_release

        exact = {
            name: sum(group.size for group in self.groups if group.box is None or _exact(group.box[a]))
            for a, name in enumerate(self.attributes)
        }
        sizes = [group.size for group in self.groups]
        different = [len(group.histogram) for group in self.groups]
        figure = draw_release(sizes, different, exact, self.sensitive)
        if path is not None:
            write_picture(figure, check_picture(path))
        return figure

    def _repr_html_(self) -> str:
        """What is published, for notebooks: a line, and the first rows of the public copy."""
        frame = published_frame(self) if self.form == "generalized" else anatomized_frames(self)[0]
        first = frame.head(10).to_html(index=False)
        return f"<p>{escape(repr(self))}</p>{first}"

    # -- copies --------------------------------------------------------------------

    def to_frame(self, *, copy: Copy = "public", respondent: str = "respondent") -> pd.DataFrame:
        """The public copy (generalized releases), or the steward's own copy with respondents.

        Parameters
        ----------
        copy : {"public", "steward"}
        respondent : str
            Name of the steward's column of ids; histories are read back by the table's name for it.

        Returns
        -------
        DataFrame

        Raises
        ------
        InputError
            If the copy is another, here and wherever one is asked for.
        """
        return steward_frame(self, respondent) if _for_steward(copy) else published_frame(self)

    def to_csv(
        self,
        path: str | Path,
        *,
        copy: Copy = "public",
        respondent: str = "respondent",
        raw_cells: bool = False,
    ) -> None:
        """Write a copy as UTF-8 CSV, whole or not at all; the steward's for its owner only.

        The public copy of an anatomized release is two files: the exact QI table at `path`
        and the value table beside it, ``NAME.values.csv``.

        Parameters
        ----------
        path : path
        copy, respondent
            As in `to_frame`.
        raw_cells : bool
            Whether cells that a spreadsheet would take for formulas stay as they are. By default they get a
            ``'`` in front (see `models/csv_cells.py`), which reading the file back takes away.
        """
        write_together(self.files(Path(path), copy=copy, respondent=respondent, raw_cells=raw_cells))

    def to_parquet(self, path: str | Path, *, copy: Copy = "public", respondent: str = "respondent") -> None:
        """Write a copy as Parquet (needs the extra ``optanon[parquet]``), whole or not at all.

        Parameters
        ----------
        path, copy, respondent
            As in `to_csv`; the value table of an anatomized release is ``NAME.values.parquet``.
        """
        whole = partial(pd.DataFrame.to_parquet, index=False)
        write_together(self._written(Path(path), copy, respondent, ".parquet", whole))

    def files(
        self,
        path: Path,
        *,
        copy: Copy = "public",
        respondent: str = "respondent",
        raw_cells: bool = False,
    ) -> list[OutputFile]:
        """The CSV files that `to_csv` writes, to be written together with others."""
        return self._written(path, copy, respondent, ".csv", partial(write_csv, raw_cells=raw_cells))

    def _written(
        self,
        path: Path,
        copy: Copy,
        respondent: str,
        ending: str,
        write: Callable[[pd.DataFrame, Path], object],
    ) -> list[OutputFile]:
        if _for_steward(copy):
            frame = steward_frame(self, respondent)
            return [OutputFile(path=path, write=partial(write, frame), private=True)]
        if self.form == "generalized":
            frames = {path: published_frame(self)}
        else:
            people, values = anatomized_frames(self)
            frames = {path: people, path.with_suffix(f".values{ending}"): values}
        return [OutputFile(path=name, write=partial(write, frame)) for name, frame in frames.items()]


def _for_steward(copy: str) -> bool:
    """Whether the steward's copy is asked for; a slip is refused, as it would name respondents."""
    if copy not in ("public", "steward"):
        raise InputError(f"copy must be 'public' or 'steward', got {copy!r}")
    return copy == "steward"


def _exact(cell: Cell) -> bool:
    return cell.lo == cell.hi if isinstance(cell, Interval) else len(cell.values) == 1


def _as_text(things: Sequence[object]) -> list[str]:
    """Cells or exact values as text; one object is written once, and large releases share most of them."""
    written = {
        number: str(thing) for number, thing in dict(zip(map(id, things), things, strict=True)).items()
    }
    return [written[id(thing)] for thing in things]


_respondent = attrgetter("respondent")


def published_frame(release: Release) -> pd.DataFrame:
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
    value_table = pd.DataFrame(values, columns=[GROUP, release.sensitive, COUNT, FAKES])
    if not release.counterfeits:
        value_table = value_table.drop(columns=FAKES)
    people_table = pd.DataFrame(people, columns=[GROUP, *release.attributes])
    return people_table, parted_columns(value_table, release.sensitive)


def steward_frame(release: Release, respondent: str = RESPONDENT) -> pd.DataFrame:
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
