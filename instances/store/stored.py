"""A history in a database.

All releases are read when it is opened and checked against the chain of digests they were
written with. Appending writes a release with its private memberships, policy, certificate and audit
in one transaction, and only if the stored history still ends where this one does.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from ...models.errors import ConflictError, ReleaseError, StoreError
from ...models.group import Member
from ...models.history import History, Statement
from ...models.policy import Policy
from ...models.release import Release
from ...models.requirements.of_respondents import aligned
from .anchor import refuse_other
from .codec import DAMAGES, Entry, release_of, release_record
from .database import Database, database_url
from .identities import Identities, read_key
from .migrations import prepare
from .rows import newest, read_entries, try_to_write, write_entry
from .schema import VERSION, begin, setting, stored_version

__all__ = ["StoredHistory"]

_REMEDY = "correct the name, or make it by `optanon history init`"
_CHANGED = "was changed after it was appended"
_RESTORE = "restore the file or database from a backup"


class StoredHistory(History):
    """A history that is kept in a database; open it with `History.open`.

    Parameters
    ----------
    where, create, key, key_file, expect
        As in `History.open`.
    """

    def __init__(
        self,
        where: str | Path,
        *,
        create: bool = True,
        key: str | bytes | None = None,
        key_file: str | Path | None = None,
        expect: str | None = None,
    ) -> None:
        super().__init__()
        given = read_key(key, key_file)
        self._database = Database(database_url(where))
        self._lock = Lock()
        self._entries: list[Entry] = []
        self._digests: list[str] = []
        self._spellings: dict[str, str] = {}
        self._told: set[str] = set()
        if self._database.missing_file and not create:
            raise StoreError(f"{self.name}: there is no such file: {_REMEDY}")
        self._identities = self._settled(given, create)
        self._digests = [self._identities.genesis]
        self.reload()
        refuse_other(self.name, self._digests, expect)

    def __repr__(self) -> str:
        return f"StoredHistory({self.name}, {len(self)} releases, {len(self.records)} respondents)"

    @property
    def name(self) -> str:
        """File or URL (without a password)."""
        return str(self._database.name)

    @property
    def continues(self) -> bool:
        return True  # it is kept for the releases to come

    @property
    def stored(self) -> bool:
        return True

    @property
    def identities(self) -> Identities:
        """How respondents are named: as given, or by keyed hashes."""
        return self._identities

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What is kept of every release, oldest first: private."""
        return tuple(self._entries)

    @property
    def digest(self) -> str:
        """SHA-256 of all that is stored; before the first release empty, or that of the key's check."""
        return self._digests[-1]

    def aligned_members(self, members: tuple[Member, ...]) -> tuple[Member, ...]:
        for member in members:
            self._note_spelling(member.respondent)
        return self._identities.members(members)

    def aligned_id(self, respondent: str) -> str:
        return self._identities.kept(respondent)

    def aligned_release(self, release: Release) -> Release:
        for member in release.members:
            self._note_spelling(member.respondent)
        return self._identities.release(release)

    def spelling(self, respondent: str) -> str:
        if self._identities.check is None:
            return super().spelling(respondent)
        # A hash whose id nobody gave, of a release before version 4, is like no other.
        return self._spellings.get(respondent, respondent)

    def reload(self) -> None:
        """Read the releases that others appended since.

        Raises
        ------
        StoreError
            If the store cannot be read, or something in it was changed.
        """
        with self._lock, self._database.reading() as connection:
            last, _ = newest(connection)
            try:
                found = read_entries(connection, len(self))
            except DAMAGES as error:
                raise StoreError(f"{self.name}: a release {_CHANGED}: {_RESTORE}") from error
            if last != len(self) + len(found):
                raise StoreError(
                    f"{self.name}: a release is missing from the store: restore it from a backup"
                )
            for number, stated, entry in found:
                self._take(number, stated, entry)
            try:
                self._identities.refuse_hashes(self.records)
            except StoreError as error:
                raise StoreError(f"{self.name}: {error}") from error

    def refuse_read_only(self) -> None:
        """See that releases can be appended, before one is searched for.

        Raises
        ------
        StoreError
            If nothing may be written, or another writer does not end.
        """
        with self._lock, self._database.writing() as connection:
            try_to_write(connection)

    def append(
        self,
        release: Release,
        *,
        policy: Statement | None = None,
        certificate: Statement | None = None,
        audit: Mapping[str, Any] | None = None,
    ) -> None:
        self.append_entry(
            release,
            appended=datetime.now(UTC).isoformat(timespec="seconds"),
            policy=None if policy is None else self._named(policy).content,
            certificate=None if certificate is None else certificate.content,
            audit=audit,
        )

    def append_entry(
        self,
        release: Release,
        *,
        appended: str,
        policy: Mapping[str, Any] | None,
        certificate: Mapping[str, Any] | None,
        audit: Mapping[str, Any] | None = None,
    ) -> None:
        """`append` with policy and certificate as plain values, and the time given."""
        self._refuse(release)
        if not release.groups:
            raise ReleaseError("the release publishes nobody, so there is nothing to store")
        kept = self.aligned_release(release)
        self._identities.refuse_hashes(member.respondent for member in kept.members)
        people = {member.respondent for member in kept.members} - self._told
        new = {who: self._spellings[who] for who in sorted(people) if who in self._spellings}
        entry = Entry(
            release=release_record(kept),
            appended=appended,
            policy=policy,
            certificate=certificate,
            audit=audit,
            spellings=new or None,
        )
        with self._lock:
            number = len(self) + 1
            digest = entry.digest(self.digest)
            try:
                with self._database.writing() as connection:
                    self._still_newest(connection)
                    write_entry(connection, number, entry, digest)
            except StoreError as error:
                if isinstance(error.__cause__, IntegrityError):
                    raise self._conflict() from error
                raise
            self._add(kept)
            self._told |= set(new)
            self._entries.append(entry)
            self._digests.append(digest)

    def _named(self, policy: Statement) -> Statement:
        """A policy that names people, by the ids that are kept."""
        if not isinstance(policy, Policy):
            return policy
        asked = aligned(policy.requirements, self.aligned_id)
        return policy if asked is policy.requirements else policy.changed(requirements=asked)

    def _note_spelling(self, respondent: str) -> None:
        hashed = self._identities.spelling(respondent)
        if hashed is not None:
            self._spellings[self._identities.kept(respondent)] = hashed

    def _still_newest(self, connection: Connection) -> None:
        number, digest = newest(connection)
        if (number, digest or self._identities.genesis) != (len(self), self.digest):
            raise self._conflict()

    def _conflict(self) -> ConflictError:
        return ConflictError(
            f"{self.name}: another release was appended since this history was read, and a release that "
            "was not checked against it may be unsafe. Nothing was written: open the history again (or "
            "call reload) and solve again"
        )

    def _settled(self, key: bytes | None, create: bool) -> Identities:
        """Make the tables, or bring them to the newest version, and check the key."""
        with self._database.reading() as connection:
            try:
                version = stored_version(connection)
            except StoreError as error:
                raise StoreError(f"{self.name}: {error}") from error
        if version is None and not create:
            raise StoreError(f"{self.name}: holds no history: {_REMEDY}")
        if version != VERSION:
            with self._database.writing() as connection:
                if not prepare(connection):
                    check = Identities.of(key).check
                    begin(connection, {} if check is None else {"key check": check})
        with self._database.reading() as connection:
            stored = Identities(check=setting(connection, "key check"))
        try:
            return stored.unlocked(key)
        except StoreError as error:
            raise StoreError(f"{self.name}: {error}") from error

    def _take(self, number: int, stated: str, entry: Entry) -> None:
        try:
            if entry.digest(self.digest) != stated:
                raise ValueError("digests differ")
            self._add(release_of(entry.release))
            self._spellings.update(entry.spellings or {})
        except DAMAGES as error:  # a ReleaseError is a ValueError
            what = ", or how ids are kept was" if number == 1 else ""
            raise StoreError(f"{self.name}: release {number} {_CHANGED}{what}: {_RESTORE}") from error
        self._told |= set(entry.spellings or {})
        self._entries.append(entry)
        self._digests.append(stated)
