"""A longer limit begins with all that a shorter one does, so it never ends with a worse release.

Time is counted in looks at the clock here: what a search does then depends on its limit alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, pairwise
from random import Random

import numpy as np
import pandas as pd
import pytest
from cases.people import people
from clocks import faked
from courses import grown, paced, searched

from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import DistinctLDiversity, KCAnonymity, TCloseness
from optanon.models.table import Microdata
from optanon.solver import ending as ending_module, portfolio
from optanon.solver.colgen.column import Group
from optanon.solver.colgen.neighbours import near_places
from optanon.solver.colgen.primal.annealing import BRIEFLY, COLD, Annealing, Cooling
from optanon.solver.colgen.primal.near_shares import NearShares
from optanon.solver.colgen.primal.ties import tied
from optanon.solver.colgen.structure.histograms import Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition import by_boxes, histogram, stages, starting
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.portfolio import informed
from optanon.solver.schedule import HISTOGRAM, STAGES, Stages
from optanon.solver.search import partition_engine
from optanon.solver.settings import Clock, Settings, Watch

LIMITS = (5.0, 10.0, 20.0, 60.0)
SHORT = (1.0, 1.4, 2.0)
"""Limits before the end of the first plan, and after the first release: one made in haste may be lucky."""
POLICIES: dict[str, tuple[Requirement, ...]] = {
    "k": (),
    "l": (DistinctLDiversity(l=2),),
    "t": (TCloseness(t=Fraction(1, 4)),),
}


def numbers(tuples: int, seed: int, *beside: Requirement) -> Problem:
    """Ages and hours of people of whom few are alike."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": range(tuples),
            "age": random.integers(0, 60, tuples),
            "hours": random.integers(0, 60, tuples),
            "value": random.choice(list("abcd"), tuples),
        }
    )
    table = Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={"age": "numeric", "hours": "numeric"},
        sensitive="value",
    )
    return Problem(table=table, policy=Policy([KCAnonymity(k=3), *beside]))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", range(2))
def test_a_longer_limit_goes_on_from_where_a_shorter_one_stopped(
    policy: str, seed: int, monkeypatch: pytest.MonkeyPatch
):
    asked = POLICIES[policy]
    searched(people(300, seed, *asked, values="abcd"), LIMITS[0], monkeypatch)  # compiled code is loaded
    found = [searched(people(300, seed, *asked, values="abcd"), limit, monkeypatch) for limit in LIMITS]
    grown(LIMITS, found)
    assert found[-1].losses < found[0].losses


def going_by_time(_: Clock) -> None:
    """Plans of tests that turn the clock go by it, not by steps."""


@pytest.mark.parametrize(
    "kind", ["k", "l", "t", "few", "numbers", "few numbers", "l of numbers", "t of numbers"]
)
def test_plans_by_steps_are_the_same_at_any_pace(kind: str, monkeypatch: pytest.MonkeyPatch):
    if "numbers" in kind:
        problem = numbers(120 if "few" in kind else 300, 1, *POLICIES.get(kind[0], ()))
    else:
        problem = people(130 if kind == "few" else 300, 1, *POLICIES.get(kind, ()), values="abcd")
    courses, losses = list[list[Fraction | None]](), list[tuple[Fraction, ...]]()
    for tick in (0.01, 0.01, 0.03, 0.1):  # compiled code is loaded at first
        found = searched(problem, 40.0, monkeypatch, tick)
        # What moves have reached when time ends is kept: a longer course goes on from there.
        courses.append([point.value for point in found.points if point.seconds < 39])
        losses.append(found.losses)
    _, fast, slow, slowest = courses
    assert fast[: len(slow)] == slow
    assert fast[: len(slowest)] == slowest
    assert len(fast) > len(slowest) or found.losses == found.bounds
    assert losses[1:] == sorted(losses[1:])


def brief_moves(monkeypatch: pytest.MonkeyPatch) -> list[list[Group]]:
    """What moves begin with, in searches that have time for nothing else."""
    begun = list[list[Group]]()

    class Told(Annealing):
        def begin(self, groups: Sequence[Group]) -> None:
            begun.append(list(groups))
            super().begin(groups)

    brief = replace(HISTOGRAM.brief, value=1.0)  # a second a row: there is time for moves only
    monkeypatch.setattr(histogram, "HISTOGRAM", replace(HISTOGRAM, brief=brief))
    monkeypatch.setattr(histogram, "LIMITS", replace(histogram.LIMITS, finished_rows=100))
    monkeypatch.setattr(histogram, "Annealing", Told)
    return begun


def test_warm_moves_begin_with_tuples_that_are_alike_even_if_better_releases_are_known(
    monkeypatch: pytest.MonkeyPatch,
):
    begun = brief_moves(monkeypatch)
    problem = people(300, 1, values="abcd")
    best = partition_engine().solve(problem, Settings(time_limit=4.0), Watch())
    known = best.release
    assert known is not None
    rows, judge = Rows.of(problem, blind=True), Judge(problem)
    alike = tied(rows, judge, dear=histogram.LIMITS.dear, clock=Clock())
    again = partition_engine().solve(problem, Settings(time_limit=4.0, known=known), Watch())
    assert again.release is not None
    assert begun == [alike, alike]
    assert problem.objective(again.release) <= problem.objective(known)


@pytest.mark.parametrize(("policy", "small"), [("k", True), ("k", False), ("l", False), ("t", False)])
@pytest.mark.parametrize("seed", range(2))
def test_of_any_two_limits_the_longer_never_ends_worse(
    policy: str, small: bool, seed: int, monkeypatch: pytest.MonkeyPatch
):
    if not small:  # as in large tables: roundings in place of dives, places where groups of any size may do
        for module in (histogram, by_boxes):
            monkeypatch.setattr(module, "LIMITS", replace(module.LIMITS, finished_rows=100))
    random, asked = Random(seed), POLICIES[policy]
    limits = [*SHORT, *sorted(round(STAGES.limits[0] * 40 ** random.random(), 2) for _ in range(4))]
    found = [
        searched(people(200, seed, *asked, values="abcd"), limit, monkeypatch, tick=0.02)
        for limit in (limits[0], *limits)  # compiled code is loaded at first
    ][1:]
    grown(limits, found, along=False)
    assert policy == "t" or found[-1].losses < found[0].losses


@pytest.mark.parametrize(("policy", "tuples"), [("k", 200), ("l", 200), ("t", 200), ("k", 100), ("l", 60)])
def test_of_any_two_limits_the_longer_never_ends_worse_on_numbers(
    policy: str, tuples: int, monkeypatch: pytest.MonkeyPatch
):
    random, problem = Random(tuples), numbers(tuples, 1, *POLICIES[policy])
    limits = [*SHORT, *sorted(round(STAGES.limits[0] * 40 ** random.random(), 2) for _ in range(4))]
    found = [searched(problem, limit, monkeypatch, tick=0.02) for limit in (limits[0], *limits)][1:]
    grown(limits, found)
    one, other = found[0], found[-1]
    assert other.losses < one.losses or (other.bounds[0] or 0) > (one.bounds[0] or 0)


def test_heuristics_that_a_longer_limit_has_time_for_are_begun_later(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Clock, "count", going_by_time)
    begun = paced(monkeypatch, {"late": 4.0, "never": 400.0, "soon": 0.1})
    found, both = list[Fraction](), ["soon", "late"]
    for limit, names in ((2.4, ["soon"]), (2.6, ["soon"]), (11.0, both), (20.0, both), (40.0, both)):
        begun.clear()
        faked(monkeypatch, 0.02)
        problem = people(200, 1, values="abcd")
        watch = Watch()
        answer = informed(partition_engine(), problem, Settings(time_limit=limit, seed=1), watch)
        assert answer.release is not None
        found.append(problem.objective(answer.release)[0])
        assert begun == names
        course = [point.value for point in watch.points if point.value is not None]
        assert course == sorted(course, reverse=True)  # whatever heuristics find later
    assert all(later <= loss for loss, later in pairwise(found[1:]))
    begun.clear()
    assert informed(partition_engine(), people(20, 1), Settings(), Watch()).release is not None
    assert begun == both  # a minute's worth without a limit


@pytest.mark.parametrize(("tuples", "times", "names"), [(10, 1, 1), (10, 100, 2), (10_000, 1, 2)])
def test_heuristics_of_large_tables_are_not_begun_where_those_before_are_far_behind(
    tuples: int, times: int, names: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Clock, "count", going_by_time)
    begun = paced(monkeypatch, {"soon": 0.1, "late": 0.4})
    limits = replace(portfolio.PORTFOLIO, tuples=tuples, beaten=Fraction(times))
    monkeypatch.setattr(portfolio, "PORTFOLIO", limits)
    faked(monkeypatch, 0.02)
    problem = people(200, 1, values="abcd")
    answer = informed(partition_engine(), problem, Settings(time_limit=12.0, seed=1), Watch())
    assert answer.release is not None
    assert begun == ["soon", "late"][:names]


def test_moves_that_a_stage_had_no_time_for_are_a_later_ones(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Clock, "count", going_by_time)
    asked, moved = list[bool](), list[Cooling]()

    class Told(Annealing):
        @staticmethod
        def fits(rows: Rows, clock: Clock) -> bool:
            asked.append(len(asked) > 1)
            return asked[-1]

        def rounds(self, cooling: Cooling, clock: Clock) -> Iterator[list[Group]]:
            moved.append(cooling)
            return super().rounds(cooling, clock)

    monkeypatch.setattr(histogram, "Annealing", Told)
    searched(people(300, 1, values="abcd"), 60.0, monkeypatch, tick=0.02)
    assert asked == [False, False, True]
    assert moved[0] == BRIEFLY
    assert COLD in moved  # roundings are improved by them


def test_tuples_that_are_alike_are_grouped_anew_if_a_stage_had_no_time(monkeypatch: pytest.MonkeyPatch):
    found, begun = list[list[Group] | None](), brief_moves(monkeypatch)

    def late(rows: Rows, judge: Judge, *, dear: float, clock: Clock) -> list[Group] | None:
        while not found and not clock.over:
            pass
        found.append(tied(rows, judge, dear=dear, clock=clock if len(found) == 0 else Clock()))
        return found[-1]

    monkeypatch.setattr(starting, "tied", late)
    searched(people(300, 1, values="abcd"), 20.0, monkeypatch, tick=0.02)
    assert found[0] is None
    assert len(found) == 2  # the third plan does not group them again
    assert found[1] in begun


def test_groups_of_near_tuples_that_a_stage_had_no_time_for_are_a_later_ones(monkeypatch: pytest.MonkeyPatch):
    found, begun = list[list[Group] | None](), list[list[Group]]()

    class Late(NearShares):
        def run(self, clock: Clock) -> list[Group] | None:
            found.append(None)
            groups = super().run(Clock()) if len(found) > 1 else None
            near = near_places(self.rows)
            if groups is not None and near is not None:
                found[-1] = Annealing(self.rows, self.judge, near, groups, 1).exactly(COLD, Clock())
            return found[-1]

    class Told(Annealing):
        def begin(self, groups: Sequence[Group]) -> None:
            begun.append(list(groups))
            super().begin(groups)

    monkeypatch.setattr(starting, "NearShares", Late)
    monkeypatch.setattr(histogram, "Annealing", Told)
    asked = KCAnonymity(k=4), TCloseness(t=Fraction(1, 5))
    searched(people(300, 1, *asked, values="abcdefghijklmn"), 20.0, monkeypatch, tick=0.02)
    assert len(found) > 1
    assert found[1] in begun[1:]  # moves go on with them


@pytest.mark.parametrize(("apart", "least"), [(False, 0.5), (True, 0.25)])
def test_a_stage_soon_after_another_has_time_for_its_linear_program(
    apart: bool, least: float, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Clock, "count", going_by_time)
    shares = list[float]()

    class Told(by_boxes.Boxed):
        @property
        def _apart(self) -> bool:
            return apart  # as where attributes are left unpriced

        def solve(self) -> bool:
            found, left = super().solve(), self.clock.left
            planned = self.generation.clock.limit
            assert left is not None
            assert planned is not None
            shares.append(planned / (planned + left))
            return found

    monkeypatch.setattr(histogram, "Boxed", Told)
    monkeypatch.setattr(Stages, "limits", (5.0, 20.0, 24.0, 28.0))
    searched(people(300, 1, values="abcd"), 28.0, monkeypatch, tick=0.02)
    assert len(shares) == 4
    assert all(share > least for share in shares)


def test_limits_that_a_search_is_planned_for():
    assert list(islice(STAGES.planned(1_000, 0.0), 10)) == [*STAGES.limits, 1_200.0, 2_400.0]
    assert list(islice(STAGES.planned(30_162, 1.0), 3)) == [5.0, 10.0, 30.0]
    assert next(STAGES.planned(30_162, 4.0)) == 10.0
    assert next(STAGES.planned(30_162, 6.0)) == 30.0  # half of 10 s has passed before it begins
    assert next(STAGES.planned(10**7, 0.0)) == 2_400.0


def test_a_limit_too_short_for_the_first_plan_is_its_beginning(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Clock, "count", going_by_time)
    planned = list[float | None]()

    class Told(histogram.HistogramSearch):
        def _stage(self) -> bool:
            planned.append(self.clock.limit)
            return super()._stage()

    def at_once(_: Problem) -> float:
        return 0.0

    for module in (ending_module, stages):
        monkeypatch.setattr(module, "ending", at_once)
    for limit, plans in ((2.0, [2.5]), (2.5, [2.5]), (20.0, [2.5, 10.0, 30.0]), (None, [None])):
        planned.clear()
        faked(monkeypatch, tick=0.01)
        problem = people(300, 1, values="abcd")
        plan = Plan.of(problem)
        assert isinstance(plan, Plan)
        assert plan.objective is not None
        Told(problem, Settings(time_limit=limit), Watch(), plan.objective).run()
        assert planned == plans
