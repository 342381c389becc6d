"""The releases published so far, kept so that no check has to read them all again.

Compact form after Byun et al., sec. 5.1: for each respondent the first release,
the sensitive values that can still be inferred (as a multiset), the box the
quasi-identifiers can still lie in, and the group in every release.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from .box import Box, Interval, Leaves
from .combination import fold_id
from .errors import ReleaseError, StoreError
from .fingerprint import Fingerprint
from .group import Member
from .parameters import require_each, require_kind
from .release import QIGroup, Release

__all__ = ["History", "Opener", "Record", "Statement", "register_store"]


class Statement(Protocol):
    """A policy or a certificate, as far as a history keeps it."""

    @property
    def content(self) -> Mapping[str, Any]:
        """Plain values, ready for JSON."""
        ...


class Opener(Protocol):
    """What opens a stored history."""

    def __call__(
        self,
        where: str | Path,
        *,
        create: bool,
        key: str | bytes | None,
        key_file: str | Path | None,
        expect: str | None,
    ) -> History: ...


AnyOpener = TypeVar("AnyOpener", bound=Opener)
_openers: list[Opener] = []


def register_store(opener: AnyOpener) -> AnyOpener:
    """Function decorator: what `History.open` calls. Storage lives above this room and registers itself."""
    _openers[:] = [opener]
    return opener


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


class _Said(NamedTuple):
    """What a group says of each of its members, and where it is."""

    histogram: Mapping[str, int]
    signature: frozenset[str]
    box: Box | None
    place: tuple[tuple[int, int]]


class History:
    """Append-only sequence of releases with one compact record per respondent.

    Parameters
    ----------
    releases : iterable of Release
        Oldest first.

    Raises
    ------
    ReleaseError
        If something else than releases is given, or they have different quasi-identifiers or sensitive
        columns.
    """

    def __init__(self, releases: Iterable[Release] = ()) -> None:
        self._releases: list[Release] = []
        self._records: dict[str, Record] = {}
        self._spelt: dict[str, str | None] = {}
        self._spelt_of = 0
        self._values: set[str] = set()
        self._fingerprint = Fingerprint()
        remedy = "give a list of releases such as [release], each the release of a Result"
        for release in require_each("releases", releases, Release, remedy=remedy, error=ReleaseError):
            self.append(release)

    @staticmethod
    def open(
        where: str | Path,
        *,
        create: bool = True,
        key: str | bytes | None = None,
        key_file: str | Path | None = None,
        expect: str | None = None,
    ) -> History:
        """Open a history that is kept in a database; appending to it is one transaction.

        Parameters
        ----------
        where : path or URL
            A file (SQLite) or an SQLAlchemy URL such as ``postgresql://steward@host/hospital``
            (needs the extra ``optanon[postgres]``).
        create : bool
            Whether to begin an empty history if there is none yet.
        key, key_file
            A new history with a key keeps respondent ids as keyed hashes (HMAC-SHA256), in all
            other cases as given. The key, at least 16 random bytes, is never stored; the same
            one is needed to solve against the history and to append.
        expect : str, optional
            The digest of its newest release, as `optanon history show` prints it (at least its first 12
            characters). Written down elsewhere, it tells a history from one that was cut off or replaced.

        Returns
        -------
        History
            With all releases so far; what is appended to it is stored.

        Raises
        ------
        StoreError
            If it cannot be opened, was changed from outside, is not the one expected, or the key is not
            its key.
        """
        if not _openers:
            raise StoreError("no store is loaded: use `optanon.History`, which brings one")
        return _openers[0](where, create=create, key=key, key_file=key_file, expect=expect)

    def aligned_members(self, members: tuple[Member, ...]) -> tuple[Member, ...]:
        """Tuples of a table with respondents named as this history names them."""
        return members

    def aligned_id(self, respondent: str) -> str:
        """The id this history knows a respondent by."""
        return respondent

    def spelling(self, respondent: str) -> str:
        """What ids (as this history names them) have in common if they differ in spelling only."""
        return fold_id(respondent)

    @property
    def spelt(self) -> Mapping[str, str | None]:
        """The respondent by what spellings of an id have in common; None if several have it in common."""
        if self._spelt_of != len(self._records):
            self._spelt_of = len(self._records)
            self._spelt.clear()
            for who in self._records:
                folded = self.spelling(who)
                self._spelt[folded] = None if folded in self._spelt else who
        return self._spelt

    @property
    def spelt_alike(self) -> int:
        """How many ids differ from another one in spelling only; each counts as a person of its own."""
        alike = {folded for folded, who in self.spelt.items() if who is None}
        return sum(self.spelling(who) in alike for who in self._records) if alike else 0

    @property
    def values(self) -> frozenset[str]:
        """All sensitive values that were ever published."""
        return frozenset(self._values)

    def aligned_release(self, release: Release) -> Release:
        """The release with respondents named as this history names them."""
        return release

    def before(self, number: int) -> History:
        """The first `number` releases, as a history of their own."""
        return History(self._releases[:number])

    def followed_by(self, release: Release) -> History:
        """These releases and one more, as a history in memory; O(respondents), none is read again.

        Raises
        ------
        ReleaseError
            If the release has other columns than the series.
        """
        found = History()
        found._releases, found._records = self._releases.copy(), self._records.copy()
        found._values = self._values.copy()
        found._fingerprint = self._fingerprint.copy()
        found.append(release)
        return found

    def __len__(self) -> int:
        return len(self._releases)

    def __iter__(self) -> Iterator[Release]:
        return iter(self._releases)

    def __getitem__(self, index: int) -> Release:
        return self._releases[index]

    def __repr__(self) -> str:
        return f"History({len(self)} releases, {len(self._records)} respondents)"

    @property
    def continues(self) -> bool:
        """Whether a release made with this history is one of a series: some came before, or are to follow."""
        return bool(self._releases)

    @property
    def stored(self) -> bool:
        """Whether it is kept for the releases to come."""
        return False

    @property
    def releases(self) -> tuple[Release, ...]:
        """All releases, oldest first."""
        return tuple(self._releases)

    @property
    def records(self) -> Mapping[str, Record]:
        """The record of every respondent ever published."""
        return self._records

    @property
    def fingerprint(self) -> str:
        """SHA-256 of all releases, with everything the steward knows of them."""
        seen = self._fingerprint
        seen.add(release.plain for release in self._releases[seen.read :])
        return seen.hexdigest()

    def group(self, release: int, index: int) -> QIGroup:
        """One published group."""
        return self._releases[release].groups[index]

    def append(
        self,
        release: Release,
        *,
        policy: Statement | None = None,
        certificate: Statement | None = None,
        audit: Mapping[str, Any] | None = None,
    ) -> None:
        """Add the newest release; O(tuples), earlier releases are not read again.

        It is recorded as it is: nobody is asked what it gives away together with the others.
        `optanon.append_release` audits the series first and may refuse.

        Parameters
        ----------
        release : Release
        policy, certificate, audit
            What it was made for, what was proven of it, and what an audit of the series up to it found
            (see `append_release`, which makes one): a stored history keeps them beside the release, a
            history in memory does not.

        Raises
        ------
        ReleaseError
            If it is no release, or has other columns than the series.
        StoreError
            If it cannot be stored; nothing is then. `ConflictError` if the stored history grew
            since it was read.
        """
        self._refuse(release)
        self._add(release)

    def _refuse(self, release: Release) -> None:
        require_kind("release", release, Release, remedy="append result.release", error=ReleaseError)
        if self._releases:
            last = self._releases[-1]
            if (last.attributes, last.sensitive) != (release.attributes, release.sensitive):
                raise ReleaseError(
                    f"release {len(self) + 1} has columns {(*release.attributes, release.sensitive)}, "
                    f"earlier ones {(*last.attributes, last.sensitive)}: one series keeps its columns"
                )

    def _add(self, release: Release) -> None:
        number = len(self._releases)
        fresh: dict[str, Record] = {}
        for index, group in enumerate(release.groups):
            # One of each for all members: nobody changes them, and large releases have many.
            said = _Said(dict(group.histogram), group.signature, group.box, ((number, index),))
            together: dict[int, Record] = {}
            for member in group.members:
                old = self._records.get(member.respondent)
                # Who was always together shares the tuple of groups, and so everything but the member.
                kind = 0 if old is None else id(old.groups)
                like = together.get(kind)
                if like is None:
                    like = together[kind] = _extended(old, member, number, said)
                fresh[member.respondent] = like if like.member is member else replace(like, member=member)
            self._values |= group.signature
        self._releases.append(release)
        self._records.update(fresh)


def _extended(old: Record | None, member: Member, number: int, said: _Said) -> Record:
    if old is None:
        return Record(
            member=member,
            first=number,
            inferable=said.histogram,
            signature=said.signature,
            box=said.box,
            groups=said.place,
        )
    return Record(
        member=member,
        first=old.first,
        inferable=_common(old.inferable, said.histogram),
        signature=old.signature if old.signature == said.signature else None,
        box=_intersection(old.box, said.box),
        groups=(*old.groups, *said.place),
    )


def _common(one: Mapping[str, int], other: Mapping[str, int]) -> Mapping[str, int]:
    """The smaller multiplicity of each value of both; the first itself where that is all of it."""
    if all(number <= other.get(value, 0) for value, number in one.items()):
        return one
    return {value: min(number, other[value]) for value, number in one.items() if value in other}


def _intersection(one: Box | None, other: Box | None) -> Box | None:
    """Cells of either where they are within the other's: most are, and many records share them."""
    if one is None or other is None:
        return None
    cells: list[Interval | Leaves] = []
    for a, b in zip(one, other, strict=True):
        if not a.meets(b):
            return None
        if a.within(b):
            cells.append(a)
        elif b.within(a):
            cells.append(b)
        elif isinstance(a, Interval) and isinstance(b, Interval):
            cells.append(Interval(max(a.lo, b.lo), min(a.hi, b.hi)))
        elif isinstance(a, Leaves) and isinstance(b, Leaves):
            common = a.values & b.values
            cells.append(Leaves("|".join(sorted(common)), common))
    return tuple(cells)
