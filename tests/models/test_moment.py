"""The clock that searches go by stands still while functions are compiled."""

from __future__ import annotations

import time
from typing import Any, cast

import pytest

import optanon.models.compiled  # noqa: F401  # it hears of compiling
from optanon.models import moment
from optanon.models.moment import COMPILING, Compiling
from optanon.solver.settings import Clock, Watch


def test_compiling_within_compiling_counts_once(monkeypatch: pytest.MonkeyPatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    heard = Compiling()
    heard.begin()
    now[0] += 2
    heard.begin()
    now[0] += 3
    assert heard.seconds == pytest.approx(5), "what is under way counts"
    heard.end()
    now[0] += 4
    heard.end()
    now[0] += 10
    assert heard.seconds == pytest.approx(9)


def test_a_limit_does_not_run_while_functions_are_compiled(monkeypatch: pytest.MonkeyPatch):
    now, heard = [100.0], Compiling()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(moment, "COMPILING", heard)
    monkeypatch.setattr("optanon.solver.settings.COMPILING", heard)
    watch, clock = Watch(), Clock(5.0)
    heard.begin()
    now[0] += 60
    assert (clock.left, clock.over) == (5.0, False)
    heard.end()
    now[0] += 4
    assert (clock.left, watch.clock.seconds, watch.compiled) == (1.0, 4.0, 60.0)
    now[0] += 1
    assert clock.over


def test_numba_tells_when_it_compiles():
    numba = cast("Any", pytest.importorskip("numba"))
    function = numba.njit(lambda x: x + 1)
    before = COMPILING.seconds
    assert function(1) == 2
    once = COMPILING.seconds
    assert once > before
    assert function(2) == 3
    assert COMPILING.seconds == once, "a compiled function is not compiled again"
    with pytest.raises(numba.core.errors.TypingError):
        function("text and number")
    refused = COMPILING.seconds
    assert refused > once
    time.sleep(0.01)
    assert COMPILING.seconds == refused, "a compilation that fails ends, too"
