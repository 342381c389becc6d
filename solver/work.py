"""A clock of steps: what a thread's searches have done, in the seconds that such steps take on average.

Plans that are made by it do not depend on how fast a machine is, or how busy: the same steps are always
planned the same way, and a limit only cuts them off (`settings.Clock.count`). Each kind of step says here
what it was, by the paces of `schedule.WORK`.
"""

from __future__ import annotations

import threading

__all__ = ["seconds_since", "spend", "spent"]


PARTS = 10**12
"""Of a second, counted in whole numbers: a sum of floating point depends on what was added before."""


class _Meter(threading.local):
    parts: int = 0


_METER = _Meter()


def spend(seconds: float) -> None:
    """Tell of steps that take so many seconds on average."""
    _METER.parts += round(seconds * PARTS)


def spent() -> int:
    """Parts of seconds that all steps of this thread take on average: only differences mean something."""
    return _METER.parts


def seconds_since(first: int) -> float:
    """Seconds since then."""
    return (_METER.parts - first) / PARTS
