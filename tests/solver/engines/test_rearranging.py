"""Groups put together anew in the time that a search has left: few tuples in the best of all ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest
from cases.points import asked
from cases.released_before import drawn
from cases.six import PROBLEM
from clocks import Asked
from oracle.partition import POLICIES, optimum, random_problem

from optanon.models.policy import LevelSpec, Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import KCAnonymity, WeakMInvariance
from optanon.models.table import Microdata
from optanon.solver.baselines.registry import baselines
from optanon.solver.engines.rearranging import RearrangingSearch, rearranged
from optanon.solver.exact.subsets import Subsets
from optanon.solver.incumbent import BestRelease, passes
from optanon.solver.price import Price
from optanon.solver.search import result_of, solve_problem
from optanon.solver.settings import Answer, Clock, Settings, Watch
from optanon.solver.status import Status, Termination

EVERYBODY = PROBLEM.assemble([range(6)])


def changed(problem: Problem, start: Release, clock: Clock | None = None, seed: int = 0) -> BestRelease:
    """The best release after groups were put together anew."""
    best = BestRelease(problem, Watch())
    assert best.offer(start)
    best.raise_bounds([Fraction(0)] * len(problem.policy.levels))
    RearrangingSearch(problem, best, seed, clock or Clock()).run()
    return best


def together(problem: Problem) -> Release:
    """Everybody in one group."""
    return problem.assemble([range(len(problem.table))])


LOOSE = KCAnonymity(k=2, c="2/3")
DRAWN = [seed for seed in range(len(POLICIES)) if passes(found := random_problem(seed, 7), together(found))]
SUPPRESSING = [n for n in range(12) if passes(found := random_problem(n, 7, [LOOSE]), together(found))]


@pytest.mark.parametrize("level", [["information_loss"], [{"discernibility": "1/3", "information_loss": 1}]])
@pytest.mark.parametrize("seed", DRAWN)
def test_few_tuples_are_grouped_in_the_best_of_all_ways(seed: int, level: Sequence[LevelSpec]):
    problem = random_problem(seed, 7)
    problem = replace(problem, policy=problem.policy.changed(minimize=level))
    best = changed(problem, together(problem))
    assert best.values == (optimum(problem),)


@pytest.mark.parametrize(
    "levels",
    [
        [{"information_loss": 1, "suppressed": "1/5"}],
        ["average_group_size", "information_loss"],
        [{"discernibility": 1, "suppressed": 1}, "information_loss"],
    ],
)
@pytest.mark.parametrize("seed", SUPPRESSING)
def test_tuples_are_left_out_where_that_is_best(seed: int, levels: Sequence[LevelSpec]):
    problem = random_problem(seed, 7, [LOOSE])
    problem = replace(problem, policy=problem.policy.changed(minimize=levels, max_suppressed=2))
    assert changed(problem, together(problem)).values == Subsets(problem).optimum().values


def test_large_groups_are_cut_and_exchange_tuples():
    """Three clusters of eight like points lose nothing; no group may have fewer."""
    clusters = asked([[100 * (i % 3), 0] for i in range(24)], 8)
    cut = changed(clusters, clusters.assemble([range(24)]))
    assert cut.closed
    pairs = asked([[100 * (i % 2), 0] for i in range(16)], 8)
    mixed = [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]]
    assert changed(pairs, pairs.assemble(mixed)).closed


def test_counterfeits_stay_where_they_are():
    frame = pd.DataFrame({"id": range(7), "age": [1, 9, 2, 8, 1, 9, 5], "v": list("aabbaba")})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="v")
    policy = Policy([WeakMInvariance(m=2)], ["counterfeits", "information_loss"], max_counterfeits=1)
    problem = Problem(table=table, policy=policy)
    start = problem.assemble([[6], [0, 3], [1, 2], [4, 5]], [{"b": 1}, {}, {}, {}])
    best = changed(problem, start, Clock(stop=Asked(2_000)))
    assert best.best is not None
    assert best.best.counterfeits == 1
    assert best.values is not None
    assert best.values < problem.objective(start)
    assert best.values[1] == 2


def test_what_breaks_a_requirement_on_the_whole_is_taken_back():
    problem = drawn("uniform", 60, 2, 1)
    assert problem is not None
    start = baselines()["cor_split"].run(problem, 1)
    best = changed(problem, start, Clock(stop=Asked(20_000)))
    assert best.best is not None
    assert passes(problem, best.best)
    assert problem.objective(best.best) <= problem.objective(start)


# -- which answers --------------------------------------------------------------------------------


def early(release: Release | None = EVERYBODY) -> Answer:
    known = BestRelease(PROBLEM, Watch())
    known.offer(release)
    return known.answer()


@pytest.mark.parametrize(
    ("answer", "settings"),
    [
        (early(), Settings()),
        (early(), Settings(time_limit=5.0, first=True)),
        (early(None), Settings(time_limit=5.0)),
        (replace(early(), termination=Termination.TIME_LIMIT), Settings(time_limit=5.0)),
        (replace(early(), interrupted=True), Settings(time_limit=5.0)),
    ],
)
def test_answers_of_searches_that_were_ended_stay(answer: Answer, settings: Settings):
    assert rearranged(PROBLEM, answer, settings, Watch()) is answer


def test_an_answer_found_early_is_improved_and_keeps_its_bound():
    least = BestRelease(PROBLEM, Watch())
    least.offer(PROBLEM.assemble([[0, 1], [2, 3], [4, 5]]))
    assert least.values is not None
    bound = least.values
    answer = rearranged(PROBLEM, replace(early(), bounds=bound), Settings(time_limit=5.0), Watch())
    assert (answer.status, answer.bounds) == (Status.OPTIMAL, bound)
    answer = rearranged(PROBLEM, early(), Settings(time_limit=5.0), Watch())
    assert answer.release is not None
    assert PROBLEM.objective(answer.release) == bound
    assert answer.status is Status.FEASIBLE


def test_ctrl_c_keeps_the_best_release(monkeypatch: pytest.MonkeyPatch):
    def struck(self: RearrangingSearch) -> None:
        self.best.offer(PROBLEM.assemble([[0, 1, 2], [3, 4, 5]]))
        raise KeyboardInterrupt

    monkeypatch.setattr(RearrangingSearch, "run", struck)
    answer = rearranged(PROBLEM, early(), Settings(time_limit=5.0), Watch())
    assert answer.interrupted
    assert answer.termination is Termination.INTERRUPTED
    assert answer.release is not None
    assert len(answer.release.groups) == 2


def test_a_price_is_that_of_the_release_that_leaves():
    price = Price(value=Fraction(9), bound=Fraction(2), without=Fraction(6))
    settings = Settings(time_limit=5.0)
    answer = rearranged(PROBLEM, replace(early(), price=price), settings, Watch())
    found = result_of(PROBLEM, answer, "partition (asked for)", Watch(), settings, reasons=True)
    assert found.price is not None
    assert found.price.value == found.objective[-1]
    assert found.price.without == min(6, found.objective[-1])
    assert found.price.bound is None  # no claim proves it


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["auto", "assignment"])
def test_no_search_of_squares_ends_before_its_time(engine: str):
    policy = Policy([WeakMInvariance(m=2)], ["squared_error"])
    points = asked([[(i * 37) % 101, (i * 53) % 97] for i in range(30)], 2).table
    frame = pd.DataFrame(
        [(m.respondent, *m.point, "abc"[i % 3]) for i, m in enumerate(points.members)],
        columns=["id", "x", "y", "v"],
    )
    table = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers=dict.fromkeys("xy", "numeric"), sensitive="v"
    )
    found = solve_problem(
        Problem(table=table, policy=policy), engine=engine, time_limit=3, seed=0, display=False
    )
    assert found.termination is not Termination.ITERATION_LIMIT
    assert found.release is not None
    assert len(found.release.groups) > 8
