"""Ctrl-C while numba makes or loads a function is heard, and leaves the function as it should be."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest

from optanon.models import compiled
from optanon.models.held_signals import HeldSignals

numba = pytest.importorskip("numba")
from numba.core import event  # noqa: E402
from numba.core.compiler_lock import global_compiler_lock  # noqa: E402

assert compiled  # it is what listens to numba


class _Pressed(event.Listener):
    """Ctrl-C as a function begins to be compiled."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def on_start(self, event: Any) -> None:
        if event.data["dispatcher"] is self.function:
            signal.raise_signal(signal.SIGINT)

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def pressed(function: Any) -> Generator[None]:
    listener = _Pressed(function)
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)


@numba.njit
def step(x):
    return x + 1


@numba.njit
def twice(x):
    return step(step(x))


@numba.njit
def alone(x):
    return x - 1


def test_the_function_is_made_and_then_the_signal_is_heard():
    before = signal.getsignal(signal.SIGINT)
    with pressed(alone), pytest.raises(KeyboardInterrupt):
        alone(3)
    assert len(alone.signatures) == 1
    assert signal.getsignal(signal.SIGINT) is before
    assert alone(3) == 2


def test_of_nested_ones_only_the_inner_is_made_first():
    with pressed(step), pytest.raises(KeyboardInterrupt):
        twice(3)
    assert len(step.signatures) == 1
    assert not twice.signatures
    assert twice(3) == 5


def test_nothing_is_raised_where_functions_are_loaded():
    reached: list[str] = []

    def load() -> None:
        with global_compiler_lock:
            signal.raise_signal(signal.SIGINT)
            with global_compiler_lock:
                reached.append("within")
            reached.append("after")

    with pytest.raises(KeyboardInterrupt):
        load()
    assert reached == ["within", "after"]


def test_a_handler_of_ones_own_is_told_once():
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: heard.append(number))
    try:
        with global_compiler_lock:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            assert not heard
        assert heard == [signal.SIGINT]
        with global_compiler_lock:
            pass
        assert heard == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_keep_nothing_from_the_main_one():
    handlers: list[Any] = []

    def compile_there() -> None:
        with global_compiler_lock:
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=compile_there)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGINT)]


def test_ctrl_c_before_signals_are_kept_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch):
    """It may come while the handler is being installed: nobody calls `end` then."""
    before, install = signal.getsignal(signal.SIGINT), signal.signal

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    held = HeldSignals()
    monkeypatch.setattr(signal, "signal", interrupted)
    with pytest.raises(KeyboardInterrupt):
        held.begin()
    monkeypatch.setattr(signal, "signal", install)
    held.told()
    assert signal.getsignal(signal.SIGINT) is before
    held.begin()
    assert signal.getsignal(signal.SIGINT) is not before
    held.end()
    assert signal.getsignal(signal.SIGINT) is before
