"""A stored history as one JSON file, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ...models.errors import ReleaseError, StoreError
from ...models.files import write_whole
from ..bounded import read_json
from .codec import Entry, canonical, release_of
from .database import Database, database_url
from .identities import Identities, read_key
from .rows import newest, write_entry
from .schema import begin, prepare, setting
from .stored import StoredHistory

__all__ = ["FORMAT", "export_history", "import_history"]

FORMAT = 2


class _EntryFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    release: dict[str, Any]
    appended: str
    policy: dict[str, Any] | None
    certificate: dict[str, Any] | None
    audit: dict[str, Any] | None = None  # files of format 1 had none


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
            }
            for entry in history.entries
        ],
    }
    write_whole(
        path, lambda draft: draft.write_text(canonical(content) + "\n", encoding="utf-8"), private=True
    )


def import_history(
    where: str | Path,
    path: str | Path,
    *,
    key: str | bytes | None = None,
    key_file: str | Path | None = None,
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

    Raises
    ------
    StoreError
        If the file is damaged, the key is wrong, or the store already has releases.
    """
    source = _read(Path(path))
    entries = [Entry(**dict(found)) for found in source.releases]
    digests: list[str] = [""]
    try:
        for entry in entries:
            release_of(entry.release)
            digests.append(entry.digest(digests[-1]))
        damaged = digests[-1] != source.digest
    except (KeyError, IndexError, TypeError, ValueError, ReleaseError):
        damaged = True
    if damaged:
        raise StoreError(f"{path}: was changed after it was exported: export it again")
    given = read_key(key, key_file)
    Identities(check=source.key_check).unlocked(given)
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


def _read(path: Path) -> _File:
    try:
        found = _File.model_validate(read_json(path, kind=StoreError))
    except ValidationError as error:
        raise StoreError(f"{path}: is no exported history: give a file from `history export`") from error
    if found.optanon_history not in (1, FORMAT):
        raise StoreError(f"{path}: was exported by a newer optanon: update optanon")
    return found
