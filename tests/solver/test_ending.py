"""How long the end of a search takes is estimated, whatever else the machine does for a moment."""

from __future__ import annotations

from itertools import accumulate, chain

import pytest
from cases.points import drawn

from optanon.solver import ending as module
from optanon.solver.ending import sample, scaled
from optanon.solver.settings import Settings, Watch


@pytest.mark.parametrize("late", range(5))
def test_one_moment_of_somebody_else_costs_no_time(late: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = drawn("plain")
    took = [100.0 if number == late else 0.25 for number in range(5)]
    now = accumulate(chain.from_iterable((0.0, seconds) for seconds in took))
    monkeypatch.setattr(module, "moment", lambda: next(now))
    clock = module.search_clock(problem, Settings(time_limit=600.0), Watch())
    kept = scaled(problem, sample(problem), 0.25)
    assert clock.limit == 600.0 - kept
    assert 0 < kept < 2
