"""Connections to a database: transactions of readers and of the one writer at a time."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from ...models.errors import StoreError

__all__ = ["Database", "database_url", "plain_error", "shown_url"]

PATIENCE = 30
"""Seconds a writer waits for another one."""

WRITER_LOCK = 0x6F7074616E6F6E
"""PostgreSQL's advisory lock of writers: "optanon" in ASCII."""


def database_url(where: str | Path, folder: Path | None = None) -> URL:
    """The SQLAlchemy URL of a file or URL; ``${NAME}`` in a URL is an environment variable.

    Parameters
    ----------
    where : path or URL
    folder : path, optional
        What a relative file is relative to.

    Raises
    ------
    StoreError
        If it is no URL of a known kind, or names an unset variable.
    """
    text = str(where)
    if "://" not in text:
        return URL.create("sqlite", database=str((folder or Path()) / text))
    filled = os.path.expandvars(text)
    unset = re.search(r"\$\{(\w+)\}", filled)
    if unset is not None:
        raise StoreError(
            f"the database URL names ${{{unset[1]}}}, which is not set in the environment: set it"
        )
    try:
        url = make_url(filled)
    except (ArgumentError, ValueError) as error:
        raise StoreError(
            "not a database URL: write a file name, or a URL such as postgresql://user@host/name"
        ) from error
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    inside = url.database
    if folder is not None and url.get_backend_name() == "sqlite" and inside and inside != ":memory:":
        url = url.set(database=str(folder / inside))
    return url


def shown_url(url: URL) -> str:
    """The URL as it may be printed: without a password, wherever it stands."""
    secret = [name for name in url.query if "password" in name.lower()]
    return url.update_query_dict(dict.fromkeys(secret, "hidden")).render_as_string()


def plain_error(error: BaseException) -> str:
    """What a database says, in one line and without the statement and its values."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return str(cause).strip().splitlines()[0] if str(cause).strip() else type(cause).__name__


class Database:
    """One database of a store.

    Parameters
    ----------
    url : URL
        As `database_url` makes it.

    Raises
    ------
    StoreError
        If its driver is not installed.
    """

    def __init__(self, url: URL) -> None:
        self.name = url.database if url.get_backend_name() == "sqlite" else shown_url(url)
        self._engine = _engine(url)
        self._url = url

    def __repr__(self) -> str:
        return f"Database({self.name})"

    @property
    def missing_file(self) -> bool:
        """Whether it is an SQLite file that does not exist."""
        inside = self._url.database
        return (
            self._url.get_backend_name() == "sqlite"
            and bool(inside)
            and inside != ":memory:"
            and not os.path.exists(str(inside))
        )

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """A consistent view of the database."""
        with self._transaction("read", {"isolation_level": "REPEATABLE READ"}) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Generator[Connection]:
        """The one transaction that may write: all of it is stored when the block ends, or nothing.

        Other writers wait, at most half a minute; readers do not notice.
        """
        with self._transaction("written", {"optanon_writes": True}) as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{PATIENCE}s'")
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER_LOCK})")
            yield connection

    @contextmanager
    def _transaction(self, doing: str, options: dict[str, Any]) -> Generator[Connection]:
        if self._url.get_backend_name() == "sqlite":
            options.pop("isolation_level", None)
        try:
            if self._url.get_backend_name() == "sqlite" and self._url.database not in (None, ":memory:"):
                _refuse_no_place(Path(str(self._url.database)))
            # It says who was in which group: for its owner only; several may make it at once.
            if self.missing_file:
                os.close(os.open(str(self._url.database), os.O_CREAT | os.O_WRONLY, 0o600))
            with self._engine.connect().execution_options(**options) as connection, connection.begin():
                yield connection
        except (SQLAlchemyError, UnicodeError, OSError) as error:
            raise StoreError(
                f"{self.name}: the history cannot be {doing} ({plain_error(error)}); nothing was changed"
            ) from error


def _refuse_no_place(file: Path) -> None:
    if file.is_dir():
        raise StoreError(f"{file}: is a folder: name a file in it")
    if not file.parent.is_dir():
        raise StoreError(f"{file}: there is no folder {file.parent}: create it or name another")


def _engine(url: URL) -> Engine:
    shown = shown_url(url)
    try:
        engine = create_engine(url, poolclass=NullPool)
    except (ImportError, NoSuchModuleError) as error:
        remedy = (
            "install optanon[postgres]" if url.get_backend_name() == "postgresql" else "install its driver"
        )
        raise StoreError(f"{shown}: there is no driver for this database ({error}): {remedy}") from error
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _settle_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _settle_sqlite(connection: sqlite3.Connection, _: object) -> None:
    """SQLAlchemy opens transactions, not the driver; what was committed survives a power failure."""
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {1000 * PATIENCE}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = EXTRA")


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes its lock at once: two that had both read could not both go on."""
    writes = connection.get_execution_options().get("optanon_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
