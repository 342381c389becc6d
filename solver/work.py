"""A clock of steps: what a thread's searches have done, in the seconds that such steps take on average.

Plans that are made by it do not depend on how fast a machine is, or how busy: the same steps are always
planned the same way, and a limit only cuts them off (`settings.Clock.count`). Each kind of step says here
what it was, by the paces of `schedule.WORK`.
"""

from __future__ import annotations

import threading

__all__ = ["spend", "spent"]


class _Meter(threading.local):
    seconds: float = 0.0


_METER = _Meter()


def spend(seconds: float) -> None:
    """Tell of steps that take so many seconds on average."""
    _METER.seconds += seconds


def spent() -> float:
    """Seconds that all steps of this thread take on average: only differences mean something."""
    return _METER.seconds
