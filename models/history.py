"""The releases published so far, kept so that no check has to read them all again.

Compact form after Byun et al., sec. 5.1: for each respondent the first release,
the sensitive values that can still be inferred (as a multiset), the box the
quasi-identifiers can still lie in, and the group in every release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from .box import Box, Interval, Leaves
from .errors import ReleaseError
from .release import QIGroup, Release
from .table import Member

__all__ = ["History", "Record"]


@dataclass(frozen=True, kw_only=True)
class Record:
    """What is kept about one respondent.

    Attributes
    ----------
    member : Member
        As published last.
    first : int
        Index of the first release with the respondent.
    inferable : Mapping of str to int
        Intersection (minimum of multiplicities) of the histograms of all groups
        the respondent was in.
    signature : frozenset of str or None
        Signature of all these groups if it is one and the same, else None.
    box : Box or None
        Intersection of the boxes; None if a release was anatomized, or boxes are disjoint.
    groups : tuple of (release index, group index)
        Every group the respondent was in, oldest first.
    """

    member: Member = field(repr=False)
    first: int
    inferable: Mapping[str, int]
    signature: frozenset[str] | None
    box: Box | None
    groups: tuple[tuple[int, int], ...]


class History:
    """Append-only sequence of releases with one compact record per respondent.

    Parameters
    ----------
    releases : iterable of Release
        Oldest first.

    Raises
    ------
    ReleaseError
        If releases have different quasi-identifiers or sensitive columns.
    """

    def __init__(self, releases: Iterable[Release] = ()) -> None:
        self._releases: list[Release] = []
        self._records: dict[str, Record] = {}
        for release in releases:
            self.append(release)

    def __len__(self) -> int:
        return len(self._releases)

    def __iter__(self) -> Iterator[Release]:
        return iter(self._releases)

    def __getitem__(self, index: int) -> Release:
        return self._releases[index]

    def __repr__(self) -> str:
        return f"History({len(self)} releases, {len(self._records)} respondents)"

    @property
    def releases(self) -> tuple[Release, ...]:
        """All releases, oldest first."""
        return tuple(self._releases)

    @property
    def records(self) -> Mapping[str, Record]:
        """The record of every respondent ever published."""
        return self._records

    def group(self, release: int, index: int) -> QIGroup:
        """One published group."""
        return self._releases[release].groups[index]

    def append(self, release: Release) -> None:
        """Add the newest release; O(tuples), earlier releases are not read again."""
        if self._releases:
            last = self._releases[-1]
            if (last.attributes, last.sensitive) != (release.attributes, release.sensitive):
                raise ReleaseError(
                    f"release {len(self) + 1} has columns {(*release.attributes, release.sensitive)}, "
                    f"earlier ones {(*last.attributes, last.sensitive)}: one series keeps its columns"
                )
        number = len(self._releases)
        fresh: dict[str, Record] = {}
        for index, group in enumerate(release.groups):
            for member in group.members:
                fresh[member.respondent] = self._extended(member, number, index, group)
        self._releases.append(release)
        self._records.update(fresh)

    def _extended(self, member: Member, number: int, index: int, group: QIGroup) -> Record:
        old = self._records.get(member.respondent)
        if old is None:
            return Record(
                member=member,
                first=number,
                inferable=dict(group.histogram),
                signature=group.signature,
                box=group.box,
                groups=((number, index),),
            )
        return Record(
            member=member,
            first=old.first,
            inferable=dict(Counter(old.inferable) & Counter(group.histogram)),
            signature=old.signature if old.signature == group.signature else None,
            box=_intersection(old.box, group.box),
            groups=(*old.groups, (number, index)),
        )


def _intersection(one: Box | None, other: Box | None) -> Box | None:
    if one is None or other is None:
        return None
    cells: list[Interval | Leaves] = []
    for a, b in zip(one, other, strict=True):
        if not a.meets(b):
            return None
        if isinstance(a, Interval) and isinstance(b, Interval):
            cells.append(Interval(max(a.lo, b.lo), min(a.hi, b.hi)))
        elif isinstance(a, Leaves) and isinstance(b, Leaves):
            common = a.values & b.values
            label = (
                a.label if common == a.values else b.label if common == b.values else "|".join(sorted(common))
            )
            cells.append(Leaves(label, common))
    return tuple(cells)
