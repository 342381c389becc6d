"""QI-groups and releases: what is published, with the steward's record of who is where.

`Release` knows the members of each group; what leaves the house is only what
`to_frame` gives for ``copy="public"``: boxes beside values (generalized), or the
exact QI table and the value table joined by group (anatomized). Rows of a public
copy are sorted, so that their order tells nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

import pandas as pd

from .box import Box, covers
from .domain import Domain
from .errors import ReleaseError
from .files import write_whole
from .table import Member

__all__ = ["Form", "QIGroup", "Release", "tight_box"]

Form: TypeAlias = Literal["generalized", "anatomized"]


@dataclass(frozen=True, kw_only=True)
class QIGroup:
    """Tuples published together.

    Parameters
    ----------
    members : tuple of Member
        The real tuples, in any order; may not be empty.
    counterfeits : tuple of (value, count)
        Invented tuples, counts at least 1. The adversary learns how many a group
        has, not which of its tuples they are.
    box : Box, optional
        Published cells; None in an anatomized release. Must cover every member.
    hidden : tuple of (attribute, value, count)
        Hidden cells of an anatomized group: in `count` of the rows whose quasi-identifier
        number `attribute` (from 0) is `value`, ``*`` is published instead. Only counts
        are recorded: which of the rows it is follows from published columns alone.

    Raises
    ------
    ReleaseError
        If the group has no member, a respondent twice, a wrong count, or a box
        that does not cover a member.
    """

    members: tuple[Member, ...] = field(repr=False)
    counterfeits: tuple[tuple[str, int], ...] = field(default=(), repr=False)
    box: Box | None = None
    hidden: tuple[tuple[int, str, int], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not self.members:
            raise ReleaseError("a QI-group needs at least one real tuple")
        if len(self.respondents) != len(self.members):
            raise ReleaseError("a QI-group holds the same respondent twice")
        if any(count < 1 for _, count in self.counterfeits):
            raise ReleaseError(
                "a counterfeit count must be at least 1; leave out values without counterfeits"
            )
        if self.box is not None and not all(covers(self.box, member.point) for member in self.members):
            raise ReleaseError("a QI-group's box does not cover all its members")
        if self.hidden:
            self._check_hidden()

    def _check_hidden(self) -> None:
        if self.box is not None:
            raise ReleaseError("a QI-group with a box has no single cells to hide: widen the box instead")
        if len({(attribute, value) for attribute, value, _ in self.hidden}) != len(self.hidden):
            raise ReleaseError("a QI-group hides cells of the same value in two entries: add them up")
        for attribute, value, count in self.hidden:
            if not 0 <= attribute < len(self.members[0].point):
                raise ReleaseError(f"hidden cells: there is no quasi-identifier number {attribute}")
            if not 1 <= count <= sum(str(member.point[attribute]) == value for member in self.members):
                raise ReleaseError(
                    f"hidden cells of {value!r}: {count} is not between 1 and their number in the group; "
                    "leave out values of which none is hidden"
                )

    @cached_property
    def respondents(self) -> frozenset[str]:
        """Who is in the group."""
        return frozenset(member.respondent for member in self.members)

    @cached_property
    def histogram(self) -> Mapping[str, int]:
        """Published sensitive values with their counts, counterfeits included."""
        found = Counter(member.value for member in self.members)
        for value, count in self.counterfeits:
            found[value] += count
        return found

    @property
    def signature(self) -> frozenset[str]:
        """The set of published sensitive values."""
        return frozenset(self.histogram)

    @property
    def fakes(self) -> int:
        """Number of counterfeits."""
        return sum(count for _, count in self.counterfeits)

    @property
    def size(self) -> int:
        """Number of published tuples: members and counterfeits."""
        return len(self.members) + self.fakes

    @property
    def hidden_cells(self) -> int:
        """Number of hidden cells, of all quasi-identifiers."""
        return sum(count for _, _, count in self.hidden)

    def hidden_count(self, attribute: int, value: str) -> int:
        """How many cells with one exact value of a quasi-identifier are hidden."""
        return sum(count for a, v, count in self.hidden if (a, v) == (attribute, value))

    @cached_property
    def starred(self) -> frozenset[tuple[str, int]]:
        """Respondents and quasi-identifiers whose cell is hidden.

        Of the rows with one value the first in the order of all exact quasi-identifiers: the
        sensitive values have no say in it. (Rows that are equal are published alike.)
        """
        rows = sorted(self.members, key=lambda m: ([str(v) for v in m.point], m.respondent))
        return frozenset(
            (member.respondent, attribute)
            for attribute, value, count in self.hidden
            for member in [m for m in rows if str(m.point[attribute]) == value][:count]
        )


def tight_box(members: Iterable[Member], domains: Iterable[Domain]) -> Box:
    """The smallest box over some members."""
    people = list(members)
    return tuple(
        domain.hull(int(code) for code in domain.encode([member.point[a] for member in people]))
        for a, domain in enumerate(domains)
    )


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

    @cached_property
    def histogram(self) -> Mapping[str, int]:
        """Sensitive values of the microdata (suppressed tuples included, counterfeits not)."""
        return Counter(member.value for member in self.members)

    # -- copies (written by `publication`, imported late because it builds releases) ----------

    def to_frame(self, *, copy: Literal["public", "steward"] = "public") -> pd.DataFrame:
        """The public copy (generalized releases), or the steward's own copy with respondents."""
        from .publication import published_frame, steward_frame

        return published_frame(self) if copy == "public" else steward_frame(self)

    def to_csv(self, path: str | Path, *, copy: Literal["public", "steward"] = "public") -> None:
        """Write a copy as UTF-8 CSV, whole or not at all.

        The public copy of an anatomized release is two files: the exact QI table at `path`
        and the value table beside it, ``NAME.values.csv``.
        """
        self._write(
            Path(path), copy, ".csv", lambda frame, file: frame.to_csv(file, index=False, lineterminator="\n")
        )

    def to_parquet(self, path: str | Path, *, copy: Literal["public", "steward"] = "public") -> None:
        """Write a copy as Parquet (needs the extra ``optanon[parquet]``), whole or not at all."""
        self._write(Path(path), copy, ".parquet", lambda frame, file: frame.to_parquet(file, index=False))

    def _write(
        self, path: Path, copy: str, ending: str, write: Callable[[pd.DataFrame, Path], object]
    ) -> None:
        from .publication import anatomized_frames, published_frame, steward_frame

        if copy == "public" and self.form == "anatomized":
            people, values = anatomized_frames(self)
            files = {path: people, path.with_suffix(f".values{ending}"): values}
        else:
            files = {path: published_frame(self) if copy == "public" else steward_frame(self)}
        for target, frame in files.items():
            write_whole(target, lambda draft, frame=frame: write(frame, draft))
