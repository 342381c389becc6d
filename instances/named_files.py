"""Which files a problem file names, so that no output ever replaces one of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .column_kinds import TaxonomyKind
from .problem_keys import QueryKeys, StoreKeys, is_release, read_keys
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
    names = {table_of_views(file): "the table"} if is_views_file(file) else _names(file)
    found = {file: "the problem file"}
    for name, what in names.items():
        parts = store_files(name) if what == "the database" else [name]
        found |= dict.fromkeys(parts, f"{what} that {file} names")
    return found


def _names(file: Path) -> Mapping[Path, str]:
    """The files a problem file names, each with what it is: "the table", "a hierarchy", ..."""
    spec = read_keys(file)
    found: dict[Path, str] = {}

    def add(name: str, what: str) -> None:
        found[file.parent / name] = what

    def add_database(where: str) -> None:
        from .store.database import database_url

        url = database_url(where, file.parent)
        if url.get_backend_name() == "sqlite" and url.database:
            found[Path(str(url.database))] = "the database"

    if isinstance(spec.table, QueryKeys):
        add_database(spec.table.url)
    else:
        add(spec.table, "the table")
    earlier = spec.history
    if isinstance(earlier, str):
        earlier = [earlier] if is_release(earlier) else StoreKeys(store=earlier)
    if isinstance(earlier, list):
        for name in earlier:
            add(name, "an earlier release")
    else:
        add_database(earlier.store)
        if earlier.key_file is not None:
            add(earlier.key_file, "the key")
    kinds = spec.quasi_identifiers if isinstance(spec.quasi_identifiers, dict) else {}
    for kind in kinds.values():
        if isinstance(kind, TaxonomyKind):
            add(kind.hierarchy, "a hierarchy")
    for name in spec.policy.hierarchies.values():
        add(name, "a hierarchy")
    return found


def store_files(where: str | Path) -> list[Path]:
    """The files of a database: none for a server, for SQLite also what lies beside it while it is used."""
    # Imported here: whoever has no database need not wait for its library.
    from .store.database import database_url

    url = database_url(where)
    if url.get_backend_name() != "sqlite" or not url.database:
        return []
    return [Path(f"{url.database}{ending}") for ending in ("", "-journal", "-wal", "-shm")]
