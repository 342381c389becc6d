"""Ctrl-C while modules load: the program ends at once, with the word that it has for it later.

A module that is interrupted while it loads may fail in any way (`ImportError`, `RuntimeError`), or be left
half loaded. Nothing is written or asked for so far, so there is nothing to be kept.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["ENDED", "INTERRUPTED", "from_ctrl_c", "loading"]

INTERRUPTED = "interrupted: nothing was written or appended but what is told above"
ENDED = 128 + signal.SIGINT
"""Exit code of a program that was interrupted."""


@contextmanager
def loading() -> Generator[None]:
    """While modules load; where Ctrl-C is ignored or heard otherwise, or in a thread, nothing changes."""
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    before = signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        _ = signal.signal(signal.SIGINT, before)


def _end(*_: object) -> None:
    os.write(2, f"{INTERRUPTED}\n".encode())
    os._exit(ENDED)


def from_ctrl_c(error: BaseException | None) -> bool:
    """Whether an error is what a module made of Ctrl-C while it was loaded, in the midst of a command."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
