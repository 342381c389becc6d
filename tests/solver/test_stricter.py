"""Who may suppress tuples, or make some up, starts from the release of who may not."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

from optanon.models.outlook.asked import Outlook
from optanon.models.policy import LevelSpec, Policy
from optanon.models.problem import Problem
from optanon.models.requirements import DistinctLDiversity, KAnonymity, WeakMInvariance
from optanon.models.table import Microdata
from optanon.solver.incumbent import BestRelease
from optanon.solver.portfolio import informed
from optanon.solver.search import engines, partition_engine, solve_problem
from optanon.solver.settings import Answer, Settings, Watch
from optanon.solver.status import Status, Termination
from optanon.solver.stricter import Solved, StricterProblem, duals_of, strictly_first
from optanon.solver.verify.bounds import derived
from optanon.solver.verify.given import Given


def asked(minimize: list[LevelSpec], *, equal: bool = False, tuples: int = 48, **more: Any) -> Problem:
    random = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "id": range(tuples),
            "age": random.integers(20, 80, tuples),
            "income": random.integers(0, 400, tuples),
            "disease": [str(i % 4) for i in range(tuples)],
        }
    )
    table = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers=["age", "income"], sensitive="disease"
    )
    rule = WeakMInvariance(m=3) if equal else DistinctLDiversity(l=3)
    return Problem(table=table, policy=Policy([rule], minimize, **more))


def test_the_stricter_policy_has_neither_and_counts_neither():
    problem = asked([{"counterfeits": 1, "information_loss": 2}], equal=True, max_counterfeits=4)
    found = StricterProblem.of(problem)
    assert found is not None
    assert found.settled == 0
    strict = found.problem
    assert strict.policy.counterfeit_limit == 0
    assert strict.policy.levels == Policy([KAnonymity(k=2)], [{"information_loss": 2}]).levels
    assert strict.table is problem.table


@pytest.mark.parametrize(
    "problem",
    [
        pytest.param(asked(["squared_error"]), id="it is that"),
        pytest.param(asked(["suppressed", "information_loss"], max_suppressed=2), id="it has a plan"),
        pytest.param(asked(["suppressed"], max_suppressed=2), id="nothing is left to minimize"),
        pytest.param(
            asked(
                ["counterfeits", "information_loss"],
                equal=True,
                max_counterfeits=4,
                outlook=Outlook(releases=3),
            ),
            id="later releases count",
        ),
    ],
)
def test_others_have_none(problem: Problem):
    assert StricterProblem.of(problem) is None


def strict_and(run: Solved, solved: Solved, problem: Problem, settings: Settings, watch: Watch) -> Answer:
    strict = StricterProblem.sought(problem, settings)
    if strict is None:
        return run(problem, settings, watch)
    return strictly_first(strict, run, solved, problem, settings, watch)


class Telling:
    """An engine that knows one release."""

    name = "partition"

    def __init__(self, groups: list[range]) -> None:
        self.groups, self.asked = groups, list[tuple[Problem, Settings]]()

    def refuses(self, problem: Problem) -> str | None:
        return None

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        self.asked.append((problem, settings))
        known = BestRelease(problem, watch)
        known.offer(problem.assemble(self.groups))
        return known.answer()


def test_its_release_is_the_start_unless_the_callers_is_better():
    problem, watch = asked(["squared_error"], max_suppressed=2), Watch()
    engine, settings = Telling([range(24), range(24, 48)]), list[Settings]()
    halves = problem.assemble(engine.groups)

    def run(problem: Problem, own: Settings, watch: Watch) -> Answer:
        settings.append(own)
        known = BestRelease(problem, watch)
        known.offer(own.initial)
        return known.answer()

    begin = partial(strict_and, run, partial(informed, engine))
    answer = begin(problem, Settings(time_limit=1.5), watch)
    (strict, own), *_ = engine.asked
    assert strict.policy.suppression_limit(48) == 0
    assert own.time_limit is not None
    assert own.time_limit < 1.5
    assert answer.release is not None
    assert problem.objective(answer.release) <= problem.objective(halves)  # heuristics are asked, too
    assert watch.points[-1].value == problem.objective(answer.release)[0]
    best = solve_problem(replace(problem, policy=strict.policy), time_limit=1.5, seed=1).release
    assert best is not None
    settings.clear()
    begin(problem, Settings(time_limit=1.5, initial=best), Watch())
    assert settings[0].initial is best
    worst = problem.assemble([range(48)])
    settings.clear()
    begin(problem, Settings(time_limit=1.5, initial=worst), Watch())
    assert settings[0].initial is not None
    assert problem.objective(settings[0].initial) < problem.objective(worst)
    begin(problem, Settings(first=True), Watch())
    assert settings[-1] == Settings(first=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("minimize", "more"),
    [
        (["squared_error"], {"max_suppressed": 2}),
        ([{"counterfeits": 1, "information_loss": 2}], {"equal": True, "max_counterfeits": 4}),
    ],
    ids=["suppressing", "inventing"],
)
def test_a_looser_policy_does_not_lose_much_more(minimize: list[LevelSpec], more: dict[str, Any]):
    """It lost fifteen times as much, and a third more."""
    loose = asked(minimize, **more)
    found = StricterProblem.of(loose)
    assert found is not None
    strict = found.problem
    results = [solve_problem(problem, time_limit=2.0, seed=1, workers=1) for problem in (loose, strict)]
    assert results[0].objective[0] <= results[1].objective[0] * 11 / 10
    assert engines()["partition"].refuses(strict) is None


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("loss", ["squared_error", "information_loss"])
def test_duals_of_the_stricter_policy_bound_this_one_where_a_suppressed_tuple_has_its_price(
    loss: str, seed: int, monkeypatch: pytest.MonkeyPatch
):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": range(9),
            "age": [*random.integers(0, 30, 8), 400],
            "income": random.integers(0, 50, 9),
            "disease": [str(i % 3) for i in range(9)],
        }
    )
    table = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers=["age", "income"], sensitive="disease"
    )
    policy = Policy([KAnonymity(k=3)], loss, max_suppressed=1 + seed % 2)
    problem = Problem(table=table, policy=policy)
    best = solve_problem(problem, engine="subsets")
    assert best.status is Status.OPTIMAL
    strict = replace(problem, policy=policy.changed(max_suppressed=0))
    found = partition_engine().solve(strict, Settings(time_limit=3.0), Watch())
    claims = duals_of(problem, found.claims)
    assert claims
    given = Given(problem=problem, values=best.objective)
    bounds = [line.bound for claim in claims for line in derived(given, claim)]
    assert 0 < max(bounds) <= best.objective[0]


def test_without_a_limit_a_plan_of_its_own_begins_by_itself():
    """The stricter search would be ended by time, and two runs begin from different releases."""
    problem, engine = asked(["information_loss"], max_suppressed=2), Telling([range(24), range(24, 48)])

    def run(problem: Problem, own: Settings, watch: Watch) -> Answer:
        return BestRelease(problem, watch).answer()

    begin = partial(strict_and, run, partial(informed, engine))
    begin(problem, Settings(), Watch())
    assert not engine.asked
    begin(problem, Settings(time_limit=9.0), Watch())
    assert engine.asked


def test_restarts_of_a_shorter_limit_are_the_first_of_a_longer_one():
    problem, ran = asked(["information_loss"], max_suppressed=2), list[list[float]]()

    class Slow(Telling):
        def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
            answer = super().solve(problem, settings, watch)
            return replace(answer, termination=Termination.TIME_LIMIT)

    def run(problem: Problem, own: Settings, watch: Watch) -> Answer:
        assert own.time_limit is not None
        ran[-1].append(own.time_limit)
        known = BestRelease(problem, watch)
        known.offer(own.initial)
        return replace(known.answer(), termination=Termination.TIME_LIMIT)

    for limit in (1.0, 9.0, 40.0, 200.0):
        engine = Slow([range(24), range(24, 48)])
        ran.append([])
        answer = strict_and(run, partial(informed, engine), problem, Settings(time_limit=limit), Watch())
        assert answer.release is not None
        assert all(end < limit for end in ran[-1][:-1])
        assert ran[-1][-1] >= limit
        assert len(engine.asked) == len(ran[-1])
        assert all(own.time_limit < end for (_, own), end in zip(engine.asked, ran[-1], strict=True))
    assert [len(ends) for ends in ran] == [1, 2, 4, 7]
    assert all(longer[: len(ends)] == ends for ends, longer in pairwise(ran))


def test_ctrl_c_in_the_stricter_search_ends_both():
    problem, watch = asked(["information_loss"], max_suppressed=2), Watch()

    class Interrupted(Telling):
        def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
            answer = super().solve(problem, settings, watch)
            return replace(answer, termination=Termination.INTERRUPTED, interrupted=True)

    def run(problem: Problem, own: Settings, watch: Watch) -> Answer:
        raise AssertionError

    engine = Interrupted([range(24), range(24, 48)])
    answer = strict_and(run, engine.solve, problem, Settings(time_limit=9.0), watch)
    assert answer.termination is Termination.INTERRUPTED
    assert answer.release is not None
    assert problem.objective(answer.release) == problem.objective(problem.assemble(engine.groups))


def test_ctrl_c_before_anybody_listens_keeps_the_best_release():
    problem = asked(["information_loss"], max_suppressed=2)
    engine = Telling([range(24), range(24, 48)])

    def run(problem: Problem, own: Settings, watch: Watch) -> Answer:
        raise KeyboardInterrupt

    answer = strict_and(run, engine.solve, problem, Settings(time_limit=9.0), Watch())
    assert answer.termination is Termination.INTERRUPTED
    assert answer.release == problem.assemble(engine.groups)
    with pytest.raises(KeyboardInterrupt):  # there is no release to keep
        strict_and(run, run, problem, Settings(time_limit=9.0), Watch())


@pytest.mark.parametrize("levels", [["information_loss"], ["suppressed", "squared_error"]])
def test_ctrl_c_without_a_release_ends_both(levels: list[LevelSpec]):
    problem = asked(levels, max_suppressed=2)

    def interrupted(problem: Problem, own: Settings, watch: Watch) -> Answer:
        return BestRelease(problem, watch).answer(interrupted=True)

    def run(problem: Problem, own: Settings, watch: Watch) -> Answer:
        raise AssertionError

    answer = strict_and(run, interrupted, problem, Settings(time_limit=9.0), Watch())
    assert (answer.status, answer.termination) == (Status.UNKNOWN, Termination.INTERRUPTED)
    assert len(answer.bounds) == len(levels)


def test_an_answer_as_good_as_the_stricter_release_is_what_it_says():
    problem = asked(["information_loss"], max_suppressed=2)
    halves = [range(24), range(24, 48)]

    def run(problem: Problem, own: Settings, watch: Watch) -> Answer:
        known = BestRelease(problem, watch)
        known.offer(problem.assemble(halves))
        known.raise_bounds(known.values or ())
        return known.answer()

    answer = strict_and(run, Telling(halves).solve, problem, Settings(time_limit=9.0), Watch())
    assert (answer.status, answer.termination) == (Status.OPTIMAL, Termination.COMPLETED)
