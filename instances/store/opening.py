"""What stands behind `History.open`: loaded when a store is first opened."""

from __future__ import annotations

from pathlib import Path

from ...models.errors import StoreError
from ...models.history import History, register_store
from ...models.parameters import require_kind

__all__ = ["History", "open_history"]


@register_store
def open_history(
    where: str | Path,
    *,
    create: bool = True,
    key: str | bytes | None = None,
    key_file: str | Path | None = None,
    expect: str | None = None,
) -> History:
    """Open a stored history; see `History.open`."""
    # Imported here: a program that stores nothing need not wait for the database library.
    from .stored import StoredHistory

    require_kind("where", where, str, Path, remedy="name a file or the URL of a database", error=StoreError)
    return StoredHistory(where, create=create, key=key, key_file=key_file, expect=expect)
