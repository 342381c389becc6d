"""Tables out of databases, which are only read."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pandas as pd
from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.exc import NoSuchModuleError, ResourceClosedError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from ..models.errors import StoreError, TableError
from .cell_text import cell_text
from .store.database import database_url, plain_error, shown_url

__all__ = ["read_query"]


def read_query(where: str | Path, query: str, folder: Path | None = None) -> pd.DataFrame:
    """The result of a query as text, cell by cell, as a CSV file would give it.

    Parameters
    ----------
    where : path or URL
        As in `database_url`, relative to `folder`.
    query : str
        One SELECT statement.

    Raises
    ------
    TableError
        If the database cannot be reached, or the query fails, writes or gives no table.
    """
    try:
        url = database_url(where, folder)
    except StoreError as error:
        raise TableError(str(error)) from error
    embedded = url.get_backend_name() == "sqlite"
    name = str(url.database) if embedded else shown_url(url)
    if embedded and not Path(name).is_file():
        raise TableError(f"{name}: there is no such database file: check the name")
    try:
        engine = create_engine(url, poolclass=NullPool)
        if embedded:
            event.listen(engine, "connect", _query_only)
        with engine.connect() as connection:
            _only_read(connection)
            found = connection.execute(text(query.replace(":", r"\:")))
            columns = [str(column) for column in found.keys()]  # noqa: SIM118 - a result is no mapping
            rows = [[cell_text(value) for value in row] for row in found]
            connection.rollback()
    except (ImportError, NoSuchModuleError) as error:
        raise TableError(f"{name}: there is no driver for this database ({error}): install one") from error
    except ResourceClosedError as error:
        raise TableError(f"{name}: the query gives no table: write one SELECT statement") from error
    except SQLAlchemyError as error:
        raise TableError(
            f"{name}: the query failed ({plain_error(error)}); the database is only read"
        ) from error
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        raise TableError(f"{name}: the query gives column {twice!r} twice: name one with AS")
    return pd.DataFrame(rows, columns=columns, dtype=object)


_READING = frozenset(
    (
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
        sqlite3.SQLITE_TRANSACTION,
    )
)
"""What a query may do: attaching makes files, and a pragma could allow writing."""


def _query_only(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA query_only = ON")
    connection.set_authorizer(_permitted)


def _permitted(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def _only_read(connection: Connection) -> None:
    if connection.dialect.name in ("postgresql", "mysql", "mariadb"):
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")
