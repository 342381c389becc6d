"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from .errors import InputError

__all__ = ["write_whole"]


def write_whole(path: str | Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a file beside `path`, then move it there in one step.

    If `write` fails, an existing file at `path` stays as it was and no partial file is left.

    Raises
    ------
    InputError
        If the folder does not exist.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"{target}: there is no folder {target.parent}: create it or name another")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    draft = Path(name)
    try:
        write(draft)
        draft.chmod(0o666 & ~_umask())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
