"""Whatever ends the linear program over points, what it proved last is told, and derived again.

Clocks are turned by every look at them, so a search ends at each of its looks in turn, on any machine.
"""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest
from cases.points import drawn
from clocks import faked, struck

from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import EntropyLDiversity
from optanon.models.table import Microdata
from optanon.solver.colgen.finish import Finish
from optanon.solver.colgen.points.pricing import PointPricing
from optanon.solver.colgen.points.table import PointRows
from optanon.solver.ending import search_clock
from optanon.solver.engines.partition.points.search import PointsSearch
from optanon.solver.schedule import POINTS, RESERVES
from optanon.solver.settings import Settings, Watch
from optanon.solver.settling import settled
from optanon.solver.status import Point, Status, Termination
from optanon.solver.verify import points as verifier

ROUNDS = ("at sight", "linear program", "number of groups", "cuts")
"""What reports call bounds of the linear program; trees, and programs over lists, come later."""
TICK = 1e-3


def kept_nothing(*_: object) -> None:
    """Of the time there is."""


class Searched:
    """A search with its reports, and what is left of it after its claims were derived again."""

    def __init__(self, problem: Problem, limit: float | None) -> None:
        settings = Settings(time_limit=limit)
        self.proved = Fraction(0)
        watch = Watch(self.heard)
        rows = PointRows.of(problem)
        assert isinstance(rows, PointRows)
        self.search = PointsSearch(problem, settings, watch, rows)
        self.answer = self.search.run()
        left = search_clock(problem, settings, watch)
        self.told = settled(problem, self.answer, "partition", left).answer.bounds[0]

    def heard(self, point: Point, text: str) -> None:
        if text.endswith(ROUNDS):
            self.proved = max(self.proved, point.bound or Fraction(0))


@pytest.mark.parametrize("kind", ["plain", "blocks"])
def test_time_ends_anywhere_and_the_last_bound_is_derived_again(kind: str, monkeypatch: pytest.MonkeyPatch):
    problem, bounds = drawn(kind), set[Fraction]()
    for limit in (0.02, 0.5, 2.0, 8.0):
        with monkeypatch.context() as patch:
            faked(patch, TICK)
            found = Searched(problem, limit)
        assert found.told is not None
        assert found.told >= found.proved > 0
        bounds.add(found.told)
    assert len(bounds) > 2  # some of these limits ended the rounds, not only what comes before and after


@pytest.mark.parametrize("kind", ["plain", "blocks"])
@pytest.mark.parametrize("limit", [None, 4.0])
def test_interrupted_anywhere_the_last_bound_is_derived_again(
    kind: str, limit: float | None, monkeypatch: pytest.MonkeyPatch
):
    problem, ends = drawn(kind), set[tuple[Termination, bool]]()
    for look in (20, 500, 1_500):
        with monkeypatch.context() as patch:
            struck(patch, look, TICK)
            found = Searched(problem, limit)
        assert found.told is not None
        assert found.told >= found.proved
        ends.add((found.answer.termination, found.proved > 0))
    assert (Termination.INTERRUPTED, True) in ends


@pytest.mark.parametrize("kind", ["plain", "blocks"])
def test_time_is_kept_for_a_verifier_that_goes_by_its_clock_alone(kind: str, monkeypatch: pytest.MonkeyPatch):
    """Small tables are gone through however late it is; large ones only in the time that the search left."""
    monkeypatch.setattr(verifier, "LATE_TRIED", -1)
    problem = drawn(kind)
    for limit in (2.0, 8.0):
        with monkeypatch.context() as patch:
            faked(patch, TICK)
            found = Searched(problem, limit)
        assert found.told is not None
        assert found.told >= found.proved > 0


def test_without_that_time_the_bound_is_lost(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(verifier, "LATE_TRIED", -1)
    monkeypatch.setattr(PointsSearch, "_keep", kept_nothing)
    monkeypatch.setattr(Finish, "_checked", lambda self, tree: True)
    faked(monkeypatch, TICK)
    lost = Searched(drawn("plain"), 2.0)
    assert lost.proved > 0 == lost.told


@pytest.mark.parametrize(("took", "workers", "kept"), [(1.0, 1, 1.0), (1.0, 2, 2.0), (1e6, 1, None)])
def test_as_much_time_is_kept_as_going_through_the_groups_says(
    took: float, workers: int, kept: float | None, monkeypatch: pytest.MonkeyPatch
):
    seconds, problem = faked(monkeypatch), drawn("plain")
    rows = PointRows.of(problem)
    assert isinstance(rows, PointRows)
    search = PointsSearch(problem, Settings(time_limit=100.0, workers=workers), Watch(), rows)
    search.root.offer(search.pricing.at_sight())
    before, slow = search.clock.limit, PointPricing.all_below
    assert before is not None

    def walked(pricing: PointPricing, *asked: object, **how: object) -> object:
        seconds[0] += took
        return slow(pricing, *asked, **how)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(PointPricing, "all_below", walked)
    search._keep(search.root)  # pyright: ignore[reportPrivateUsage]
    most = (1 - RESERVES.kept.value) * before
    assert search.clock.limit == (most if kept is None else before - POINTS.check.value * kept)
    assert search.pricing.clock is search.clock


def test_a_bound_of_nothing_at_sight_and_no_time_for_more_end_with_a_release(monkeypatch: pytest.MonkeyPatch):
    ages = [1, 1, 1, 7, 7, 7, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 7, 7, 0, 1, 7]
    frame = pd.DataFrame({"id": range(len(ages)), "age": ages, "value": list("abbaab" * 3 + "abab")})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="value")
    problem = Problem(table=table, policy=Policy([EntropyLDiversity(l=2)], ["squared_error_unscaled"]))
    Searched(problem, 0.05)  # compiled code is loaded
    with monkeypatch.context() as patch:
        faked(patch, TICK)
        found = Searched(problem, 0.05)
    assert found.answer.release is not None
    assert found.answer.bounds == (0,)


@pytest.mark.parametrize(("more", "why"), [(0, Termination.ROUNDING), (1, Termination.ITERATION_LIMIT)])
def test_what_rounding_may_hide_is_no_limit(more: int, why: Termination):
    """Costs of groups are rounded up, each by less than a unit."""
    problem = drawn("plain")
    rows = PointRows.of(problem)
    assert isinstance(rows, PointRows)
    search = PointsSearch(problem, Settings(), Watch(), rows)
    numbers = tuple(range(int(rows.count.sum())))
    search.progress.offer([numbers[:4], numbers[4:]])
    search.progress.lift(search.progress.cost - 2 - more, "a bound")
    answer = search._answer()
    assert (answer.status, answer.termination) == (Status.FEASIBLE, why)
