"""The tables of a stored history, their version, and how older versions become the newest.

Version 1 had releases with policies and memberships; version 2 keeps certificates too, version 3 what the
audit of the series found when a release was appended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import (
    Column,
    Connection,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    insert,
    inspect,
    select,
    update,
)

from ...models.errors import StoreError

__all__ = [
    "AUDITS",
    "CERTIFICATES",
    "GROUPS",
    "MEMBERSHIPS",
    "RELEASES",
    "VERSION",
    "begin",
    "prepare",
    "setting",
    "stored_version",
]

VERSION = 3

_tables = MetaData()

SETTINGS = Table(
    "optanon_settings",
    _tables,
    Column("name", String(40), primary_key=True),
    Column("content", Text, nullable=False),
)
RELEASES = Table(
    "optanon_releases",
    _tables,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("digest", String(64), nullable=False),
    Column("appended", String(40), nullable=False),
    Column("attributes", Text, nullable=False),
    Column("sensitive", Text, nullable=False),
    Column("form", String(20), nullable=False),
    Column("cells", Text, nullable=False),
    Column("policy", Text),
)
GROUPS = Table(
    "optanon_groups",
    _tables,
    Column("release", ForeignKey(RELEASES.c.number), primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("box", Text),
    Column("counterfeits", Text, nullable=False),
    Column("hidden", Text, nullable=False),
)
MEMBERSHIPS = Table(
    "optanon_memberships",
    _tables,
    Column("release", ForeignKey(RELEASES.c.number), primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("group_number", Integer),
    Column("respondent", Text, nullable=False),
    Column("point", Text, nullable=False),
    Column("value", Text, nullable=False),
    ForeignKeyConstraint(["release", "group_number"], [GROUPS.c.release, GROUPS.c.number]),
)
CERTIFICATES = Table(
    "optanon_certificates",
    _tables,
    Column("release", ForeignKey(RELEASES.c.number), primary_key=True, autoincrement=False),
    Column("content", Text, nullable=False),
)
AUDITS = Table(
    "optanon_audits",
    _tables,
    Column("release", ForeignKey(RELEASES.c.number), primary_key=True, autoincrement=False),
    Column("content", Text, nullable=False),
)


def _add_certificates(connection: Connection) -> None:
    CERTIFICATES.create(connection)


def _add_audits(connection: Connection) -> None:
    AUDITS.create(connection)


MIGRATIONS: Mapping[int, Callable[[Connection], None]] = {1: _add_certificates, 2: _add_audits}
"""By version: the step from it to the next."""


def setting(connection: Connection, name: str) -> str | None:
    """One of the store's settings; None if it is not set."""
    found = connection.execute(select(SETTINGS.c.content).where(SETTINGS.c.name == name)).scalar()
    return None if found is None else str(found)


def begin(connection: Connection, settings: Mapping[str, str]) -> None:
    """Make the tables of a new store."""
    _tables.create_all(connection)
    rows = [{"name": name, "content": content} for name, content in settings.items()]
    connection.execute(insert(SETTINGS), [{"name": "version", "content": str(VERSION)}, *rows])


def stored_version(connection: Connection) -> int | None:
    """The version of the store's tables; None if there are none.

    Raises
    ------
    StoreError
        If it is newer than this program knows.
    """
    if not inspect(connection).has_table(SETTINGS.name):
        return None
    version = int(setting(connection, "version") or 0)
    if version > VERSION:
        raise StoreError(
            f"the history was written by a newer optanon (its tables are of version {version}, this one "
            f"knows {VERSION}): update optanon"
        )
    return version


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
