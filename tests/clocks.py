"""Clocks that tests turn: what a search does when time ends must not depend on how fast a machine is."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from optanon.models import moment

__all__ = ["Asked", "faked", "struck", "worked"]


class Asked:
    """A `Clock.stop` that counts how often it is asked, and says yes after some times."""

    def __init__(self, until: int) -> None:
        self.times, self.until = 0, until

    def __call__(self) -> bool:
        self.times += 1
        return self.times > self.until


def faked(monkeypatch: pytest.MonkeyPatch, tick: float = 0.0) -> list[float]:
    """Replace the time that clocks read: it stands still but for `tick` seconds whenever it is read.

    Returns
    -------
    list of float
        The seconds, to be turned on by hand.
    """
    seconds = [0.0]

    def monotonic() -> float:
        seconds[0] += tick
        return seconds[0]

    monkeypatch.setattr(time, "monotonic", monotonic)
    monkeypatch.setattr(moment, "COMPILING", moment.Compiling())  # what was compiled so far took true seconds
    for look in ("begin", "end"):  # and what is compiled from now on takes none
        monkeypatch.setattr(moment.Compiling, look, _nothing)
    return seconds


def _nothing(_: moment.Compiling) -> None:
    """No look at the clock."""


def worked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds of work, not of waiting for others; what is compiled takes none, as everywhere."""
    monkeypatch.setattr(moment, "time", SimpleNamespace(monotonic=time.process_time))


def struck(monkeypatch: pytest.MonkeyPatch, look: int, tick: float = 0.0) -> None:
    """As `faked`, and somebody presses Ctrl-C at one of the looks at the clock, counted from 1."""
    faked(monkeypatch, tick)
    go_on, looks = time.monotonic, [0]

    def monotonic() -> float:
        looks[0] += 1
        if looks[0] == look:
            raise KeyboardInterrupt
        return go_on()

    monkeypatch.setattr(time, "monotonic", monotonic)
