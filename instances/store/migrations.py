"""How a store of an older version becomes one of the newest, step by step, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, update

from ...models.errors import StoreError
from .codec import DAMAGES
from .identities import Identities
from .rows import read_entries
from .schema import AUDITS, CERTIFICATES, RELEASES, SETTINGS, SPELLINGS, VERSION, setting, stored_version

__all__ = ["MIGRATIONS", "prepare"]


def _add_certificates(connection: Connection) -> None:
    CERTIFICATES.create(connection)


def _add_audits(connection: Connection) -> None:
    AUDITS.create(connection)


def _begin_with_the_key(connection: Connection) -> None:
    """Let the chain of digests begin with the check value of the key, if it is whole as it was."""
    SPELLINGS.create(connection)
    before, digest = "", Identities(check=setting(connection, "key check")).genesis
    if not digest:
        return
    try:
        for number, stated, entry in read_entries(connection, 0):
            if entry.digest(before) != stated:
                raise ValueError("digests differ")
            before, digest = stated, entry.digest(digest)
            connection.execute(update(RELEASES).where(RELEASES.c.number == number).values(digest=digest))
    except DAMAGES as error:
        raise StoreError("a release was changed after it was appended: restore it from a backup") from error


MIGRATIONS: Mapping[int, Callable[[Connection], None]] = {
    1: _add_certificates,
    2: _add_audits,
    3: _begin_with_the_key,
}
"""By version: the step from it to the next."""


def prepare(connection: Connection) -> bool:
    """Bring an existing store to the newest version; False if there is none to bring."""
    version = stored_version(connection)
    if version is None:
        return False
    for older in range(version, VERSION):
        MIGRATIONS[older](connection)
    if version != VERSION:
        connection.execute(update(SETTINGS).where(SETTINGS.c.name == "version").values(content=str(VERSION)))
    return True
