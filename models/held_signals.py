"""Ctrl-C while functions are compiled, or loaded from where they are kept: heard as soon as that is done.

LLVM calls numba back for what it has made. Python raises in the first line that it runs after the signal,
which is mostly in such a call, and from there no exception leads out: the signal would be lost, and the
function half made.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType

__all__ = ["HeldSignals"]


class HeldSignals:
    """Keeps Ctrl-C from the main thread between `begin` and `end`, which may be nested."""

    def __init__(self) -> None:
        self._depth, self._heard = 0, False
        self._before = signal.getsignal(signal.SIGINT)

    def begin(self) -> None:
        """From now on the signal is kept; other threads hear none."""
        if threading.current_thread() is not threading.main_thread():
            return
        if not self._depth:
            self._before, self._heard = signal.getsignal(signal.SIGINT), False
            signal.signal(signal.SIGINT, self._hear)
        self._depth += 1  # not before: the signal may come until it is kept, and nobody calls `end` then

    def end(self) -> None:
        """The outermost end tells of the signal that came, if one did."""
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth -= 1
        if not self._depth:
            self._restore()
            self._told()

    def told(self) -> None:
        """Tell of it now: a function that another one calls is done, and the other may take long.

        Raises
        ------
        KeyboardInterrupt
            Or whatever the handler of before does.
        """
        if self._depth and threading.current_thread() is threading.main_thread():
            self._restore()
            try:
                self._told()
            finally:
                signal.signal(signal.SIGINT, self._hear)

    def _restore(self) -> None:
        # None is a handler that Python did not install and cannot put back.
        signal.signal(signal.SIGINT, signal.default_int_handler if self._before is None else self._before)

    def _told(self) -> None:
        if self._heard:
            self._heard = False
            signal.raise_signal(signal.SIGINT)

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        self._heard = True
