"""A stored history as one JSON file, and back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ...models.errors import StoreError
from ...models.files import write_text
from ..bounded import read_json
from .anchor import refuse_other
from .codec import DAMAGES, Entry, canonical, release_of
from .database import Database, database_url
from .identities import Identities, read_key
from .migrations import prepare
from .rows import newest, write_entry
from .schema import begin, setting
from .stored import StoredHistory

__all__ = ["FORMAT", "export_history", "import_history"]

FORMAT = 3
"""Format 1 had no audits; up to format 2 the chain of digests did not begin with the check of the key."""


class _EntryFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    release: dict[str, Any]
    appended: str
    policy: dict[str, Any] | None
    certificate: dict[str, Any] | None
    audit: dict[str, Any] | None = None
    spellings: dict[str, str] | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    optanon_history: int
    key_check: str | None
    digest: str
    releases: list[_EntryFile]


def export_history(history: StoredHistory, path: str | Path) -> None:
    """Write all that is stored to one file, whole or not at all. The file is as private as the store."""
    content = {
        "optanon_history": FORMAT,
        "key_check": history.identities.check,
        "digest": history.digest,
        "releases": [
            {
                "release": entry.release,
                "appended": entry.appended,
                "policy": entry.policy,
                "certificate": entry.certificate,
                "audit": entry.audit,
                "spellings": entry.spellings,
            }
            for entry in history.entries
        ],
    }
    write_text(path, canonical(content) + "\n", private=True)


def import_history(
    where: str | Path,
    path: str | Path,
    *,
    key: str | bytes | None = None,
    key_file: str | Path | None = None,
    expect: str | None = None,
) -> StoredHistory:
    """Make a stored history out of an exported file, in one transaction; it is then the same in all parts.

    Parameters
    ----------
    where
        A store that does not exist yet, or has no releases.
    path
        As written by `export_history`.
    key, key_file
        The key of the exported history, if it has one and is to be worked with at once.
    expect : str, optional
        The digest of its newest release; see `History.open`.

    Raises
    ------
    StoreError
        If the file is damaged, the key is wrong, or the store already has releases.
    """
    source = _read(Path(path))
    entries = [Entry(**dict(found)) for found in source.releases]
    identities = Identities(check=source.key_check)
    try:
        releases = [release_of(entry.release) for entry in entries]
        digests = _chain(entries, identities.genesis)
        damaged = (digests if source.optanon_history == FORMAT else _chain(entries, ""))[-1] != source.digest
    except DAMAGES as error:
        raise StoreError(f"{path}: was changed after it was exported: export it again") from error
    if damaged:
        raise StoreError(f"{path}: was changed after it was exported: export it again")
    refuse_other(str(path), digests, expect)
    given = read_key(key, key_file)
    _ = identities.unlocked(given)
    identities.refuse_hashes(member.respondent for release in releases for member in release.members)
    database = Database(database_url(where))
    with database.writing() as connection:
        if not prepare(connection):
            begin(connection, {} if source.key_check is None else {"key check": source.key_check})
        elif newest(connection)[0]:
            raise StoreError(f"{database.name}: already has releases: import into a new history")
        elif setting(connection, "key check") != source.key_check:
            raise StoreError(
                f"{database.name}: keeps respondent ids in another way (as given, or under another key) than "
                f"{path}: import into a new history"
            )
        for number, (entry, digest) in enumerate(zip(entries, digests[1:], strict=True), start=1):
            write_entry(connection, number, entry, digest)
    return StoredHistory(where, key=given)


def _chain(entries: Sequence[Entry], first: str) -> list[str]:
    digests = [first]
    for entry in entries:
        digests.append(entry.digest(digests[-1]))
    return digests


def _read(path: Path) -> _File:
    try:
        found = _File.model_validate(read_json(path, kind=StoreError))
    except ValidationError as error:
        raise StoreError(f"{path}: is not an exported history: give a file from `history export`") from error
    if found.optanon_history > FORMAT:
        raise StoreError(f"{path}: was exported by a newer optanon: update optanon")
    if found.optanon_history < 1:
        raise StoreError(f"{path}: is not an exported history: give a file from `history export`")
    return found
