"""Calls that Ctrl-C ends at any moment, with what they found kept; and ends of searches that it does not end.

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

__all__ = ["interruptible", "put_off"]

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
        What the call returns, and whether a signal ended it. A handler of the caller's own is told when it
        has ended, and decides what becomes of the signal: False then.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or (before := signal.getsignal(signal.SIGINT)) is signal.SIG_IGN:
        return call(), False
    with _heard() as interrupt, ThreadPoolExecutor(1) as pool:
        running = pool.submit(call)
        while not wait([running], timeout=SOLVERS.listen.value).done:
            if interrupt.is_set():  # told again, as a call that had not begun does not hear it
                stop()
    if interrupt.is_set() and before not in (None, signal.default_int_handler):
        signal.raise_signal(signal.SIGINT)
        return running.result(), False
    return running.result(), interrupt.is_set()


@contextmanager
def put_off(*, wanted: bool = True) -> Generator[threading.Event]:
    """Do what ends soon and must not be lost; the event tells of Ctrl-C. Who presses it again means it.

    Where Ctrl-C does not raise `KeyboardInterrupt`, or if this is not wanted, nothing is changed.
    """
    main = threading.current_thread() is threading.main_thread()
    if not (wanted and main and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
        yield threading.Event()
        return
    with _heard(once=True) as interrupt:
        yield interrupt


@contextmanager
def _heard(*, once: bool = False) -> Generator[threading.Event]:
    """Set the event when the signal comes, once or always, instead of raising wherever the main thread is."""
    interrupt = threading.Event()

    def hear(_number: int, _frame: FrameType | None) -> None:
        if once and interrupt.is_set():
            raise KeyboardInterrupt
        interrupt.set()

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler if before is None else before)
