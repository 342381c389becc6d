"""When a first-order linear program is run again, and what it is rounded to is offered."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from optanon.solver.engines.partition import scale
from optanon.solver.engines.partition.scale import RoundedProgram
from optanon.solver.settings import Clock


class Offered:
    """A search's progress that keeps what it is offered."""

    groups = None

    def __init__(self) -> None:
        self.offers: list[object] = []

    def offer(self, found: object, _text: str) -> None:
        self.offers.append(found)


def program(
    *runs: bool, late: bool = False, short: bool = False
) -> tuple[RoundedProgram, list[bool], Offered]:
    """One whose runs end so, each at the clock's end if they are late; the runs that are left."""
    left, progress = list(runs), Offered()

    def run(*_: object, **__: object) -> bool:
        if late:
            relaxation.clock.limit = 0.0
        return left.pop(0)

    relaxation: Any = SimpleNamespace(
        pricing=SimpleNamespace(buckets=False), level=1, run=run, program=SimpleNamespace(short=short)
    )
    return RoundedProgram(relaxation, progress), left, progress  # pyright: ignore[reportArgumentType]


def test_one_that_comes_no_nearer_is_not_run_again():
    made, left, _ = program(False, True)
    assert not made.solve(Clock())
    assert made.stuck
    assert not made.solve(Clock())
    assert left == [True]


def test_one_that_time_ended_goes_on():
    made, left, _ = program(False, True, late=True)
    assert not made.solve(Clock(100.0))
    assert not made.stuck
    assert made.solve(Clock(100.0))
    assert not left


@pytest.mark.parametrize("short", [False, True])
def test_what_time_cut_off_is_not_offered(short: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(scale, "a_release", lambda *_, **__: [(0, 1)])
    made, _, progress = program(short=short)
    made.release(None, Clock())  # pyright: ignore[reportArgumentType]
    assert progress.offers == ([] if short else [[(0, 1)]])
    made.release(None, Clock(stop=lambda: True))  # pyright: ignore[reportArgumentType]
    assert len(progress.offers) == (0 if short else 1)
