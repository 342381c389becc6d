"""Keeps what a compiled library prints by itself off the terminal and out of pipes.

HiGHS' branch and bound prints a line of its own on large programs, whatever its options say. C code
writes through C's own stream ``stdout``, Python through the file descriptor; so the stream is pointed
at the null device for the time of a call, and what Python writes meanwhile, from any thread, appears.
The GNU library and Apple's document the stream as a variable that may be set.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache

__all__ = ["silent"]

_lock = threading.Lock()
_calls = 0
_before: int | None = None


@contextmanager
def silent() -> Generator[None]:
    """Nothing that C code prints to standard output meanwhile appears; calls may overlap.

    Elsewhere than with the GNU library's or Apple's streams, nothing is changed.
    """
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _calls, _before
    with _lock:
        _calls += 1
        streams = _streams()
        if _calls == 1 and streams is not None:
            stdout, nowhere = streams
            _before, stdout.value = stdout.value, nowhere


def _leave() -> None:
    global _calls
    with _lock:
        _calls -= 1
        streams = _streams()
        if not _calls and streams is not None:
            streams[0].value = _before


@cache
def _streams() -> tuple[ctypes.c_void_p, int] | None:
    """C's variable ``stdout`` and a stream that leads nowhere; None where it is no variable."""
    if platform.libc_ver()[0] == "glibc":
        name = "stdout"
    elif sys.platform == "darwin":
        name = "__stdoutp"
    else:
        return None
    library = ctypes.CDLL(None)
    library.fopen.restype = ctypes.c_void_p
    nowhere = library.fopen(os.devnull.encode(), b"w")
    return None if nowhere is None else (ctypes.c_void_p.in_dll(library, name), nowhere)
