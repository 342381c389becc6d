"""The tables of a stored history, and their version.

Version 1 had releases with policies and memberships; version 2 keeps certificates too, version 3 what the
audit of the series found when a release was appended. In version 4 the chain of digests begins with the
check value of the key, where there is one, and spellings of hashed ids are kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

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
)

from ...models.errors import StoreError

__all__ = [
    "AUDITS",
    "CERTIFICATES",
    "GROUPS",
    "MEMBERSHIPS",
    "RELEASES",
    "SETTINGS",
    "SPELLINGS",
    "VERSION",
    "begin",
    "setting",
    "stored_version",
]

VERSION = 4

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


SPELLINGS = Table(
    "optanon_spellings",
    _tables,
    Column("release", ForeignKey(RELEASES.c.number), primary_key=True, autoincrement=False),
    Column("content", Text, nullable=False),
)


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
    stated = setting(connection, "version") or "none"
    if re.fullmatch(r"[1-9]\d{0,8}", stated) is None:
        raise StoreError(
            f"the history's version is {stated[:20]!r}, which is not a version: restore it from a backup"
        )
    version = int(stated)
    if version > VERSION:
        raise StoreError(
            f"the history was written by a newer optanon (its tables are of version {version}, this one "
            f"knows {VERSION}): update optanon"
        )
    return version
