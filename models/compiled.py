"""Numba behind a typed door: compiled functions keep their signature for the type checker.

Where numba is not installed the same functions run as plain Python: the answers are the same, and take about
a hundred times longer.

Compiled code is kept on disk. Numba asks only whether the file of a function has changed; but a function's
code holds what it calls in other files, and the fields of the tuples it is given. So each state of all these
files together has a folder of its own: after an update nothing runs that was compiled of what is gone.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

try:
    import numba  # pyright: ignore[reportMissingTypeStubs]
except ImportError:
    numba = None

__all__ = ["compiled"]

P = ParamSpec("P")
R = TypeVar("R")

PACKAGE = Path(__file__).parents[1]
ROOMS = ("models", "solver")
COMPILED = (b"@compiled", b"(NamedTuple)")
"""Files with one of these are part of what is compiled."""


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of numbers and arrays; threads may run it side by side."""
    if numba is None:
        return function
    compiler = cast("Any", numba)
    with _kept(compiler.config):
        return cast("Callable[P, R]", compiler.njit(cache=True, nogil=True)(function))


@contextmanager
def _kept(config: Any) -> Generator[None, None, None]:
    """Let compiled code be kept in the folder of this state of the package."""
    before = config.CACHE_DIR
    folder = _folder(before)
    config.CACHE_DIR = before if folder is None else str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


@cache
def _folder(asked: str) -> Path | None:
    """A folder below the one that was asked for, else in the package or with the user's files, if any can be.

    Folders of states that are gone may be deleted.
    """
    state = f"compiled-{_state(PACKAGE)}"
    if asked:
        return _writable(Path(asked) / state)
    found = _writable(PACKAGE / "__pycache__" / state)
    if found is None:
        import pooch

        found = _writable(pooch.os_cache("optanon") / state)
    return found


def _writable(folder: Path) -> Path | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def _state(package: Path) -> str:
    digest = hashlib.sha256()
    for room in ROOMS:
        for file in sorted((package / room).rglob("*.py")):
            text = file.read_bytes()
            if any(mark in text for mark in COMPILED):
                digest.update(str(file.relative_to(package)).encode() + b"\0" + text)
    return digest.hexdigest()[:16]
