"""Which files a problem file names, so that no output ever replaces one of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .problem_file import names_of
from .views_file import is_views_file, table_of_views

__all__ = ["named_files", "store_files"]


def named_files(path: str | Path) -> Mapping[Path, str]:
    """The problem file itself and the files it names, each with what it is, in words.

    Raises
    ------
    ProblemFileError
        If the problem file cannot be read.
    """
    file = Path(path)
    names = {table_of_views(file): "the table"} if is_views_file(file) else names_of(file)
    found = {file: "the problem file"}
    for name, what in names.items():
        parts = store_files(name) if what == "the database" else [name]
        found |= dict.fromkeys(parts, f"{what} that {file} names")
    return found


def store_files(where: str | Path) -> list[Path]:
    """The files of a database: none for a server, for SQLite also what lies beside it while it is used."""
    # Imported here: whoever has no database need not wait for its library.
    from .store.database import database_url

    url = database_url(where)
    if url.get_backend_name() != "sqlite" or not url.database:
        return []
    return [Path(f"{url.database}{ending}") for ending in ("", "-journal", "-wal", "-shm")]
