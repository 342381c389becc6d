"""Calls that Ctrl-C ends at any moment, with what they found kept.

CP-SAT's own handler catches the signal only some time after the call began: a signal before that would
end the program and lose the best release, or be noticed when the time limit ends.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from ..schedule import SOLVERS

__all__ = ["interruptible"]

T = TypeVar("T")


def interruptible(call: Callable[[], T], stop: Callable[[], None]) -> tuple[T, bool]:
    """Make a call in a thread, so that the main thread hears the signal; elsewhere nobody can.

    Parameters
    ----------
    call
        What may take long; it leaves signals alone.
    stop
        Ends it soon; may be called before it began, and again.

    Returns
    -------
    tuple of T and bool
        What the call returns, and whether a signal ended it.
    """
    if threading.current_thread() is not threading.main_thread():
        return call(), False
    with _heard() as interrupt, ThreadPoolExecutor(1) as pool:
        running = pool.submit(call)
        while not wait([running], timeout=SOLVERS.listen.value).done:
            if interrupt.is_set():  # told again, as a call that had not begun does not hear it
                stop()
    return running.result(), interrupt.is_set()


@contextmanager
def _heard() -> Generator[threading.Event]:
    """Set the event when the signal comes, instead of raising wherever the main thread is."""
    interrupt = threading.Event()

    def hear(_number: int, _frame: FrameType | None) -> None:
        interrupt.set()

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler if before is None else before)
