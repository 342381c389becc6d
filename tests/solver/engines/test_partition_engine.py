"""The partition engine against exhaustive search, at ties and limits, and when it refuses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import oracle.brute_force as bf
import pandas as pd
import pytest
from clocks import faked
from oracle.partition import optimum, random_problem
from strategies import instance, seeded

from optanon.models.errors import EngineError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import (
    DistinctLDiversity,
    EntropyLDiversity,
    HcSafety,
    Intersection,
    KCAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    WeakMInvariance,
)
from optanon.models.table import Microdata
from optanon.solver.colgen.structure.histograms import Histograms
from optanon.solver.engines.assignment.engine import AssignmentEngine
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.search import partition_engine
from optanon.solver.settings import Answer, Settings, Watch
from optanon.solver.status import Status, Termination

F = Fraction

REQUIREMENTS: list[tuple[list[Requirement], list[bf.Check]]] = [
    ([KCAnonymity(k=2)], [bf.k_c(2)]),
    ([KCAnonymity(k=3)], [bf.k_c(3)]),
    ([KCAnonymity(k=2, c="1/2")], [bf.k_c(2, F(1, 2))]),
    ([KCAnonymity(k=3, c="2/3")], [bf.k_c(3, F(2, 3))]),
    ([DistinctLDiversity(l=2)], [bf.distinct_l_diversity(2)]),
    ([EntropyLDiversity(l="3/2")], [bf.entropy_l_diversity(F(3, 2))]),
    ([RecursiveCLDiversity(c=2, l=2)], [bf.recursive_diversity(2, 2)]),
    ([TCloseness(t="2/5")], [bf.t_closeness(F(2, 5))]),
    ([WeakMInvariance(m=2)], [bf.weak_m_invariance(2)]),
    ([KCAnonymity(k=3), DistinctLDiversity(l=2)], [bf.k_c(3), bf.distinct_l_diversity(2)]),
    ([KCAnonymity(k=2), TCloseness(t="1/2")], [bf.k_c(2), bf.t_closeness(F(1, 2))]),
    ([HcSafety(n=2), WeakMInvariance(m=2)], [bf.weak_m_invariance(2)]),
]


def solved(problem: Problem, **settings: object) -> Answer:
    """Solve, and check what holds for every answer."""
    answer = partition_engine().solve(problem, Settings(**settings), Watch())  # pyright: ignore[reportArgumentType]
    if answer.release is not None:
        assert next(problem.check(answer.release), None) is None
        for value, bound in zip(problem.objective(answer.release), answer.bounds, strict=True):
            assert bound is not None
            assert bound <= value
            assert answer.status is not Status.OPTIMAL or bound == value
    return answer


@pytest.mark.parametrize("seed", range(110))
def test_the_optimum_is_that_of_exhaustive_enumeration(seed: int):
    requirements, checks = REQUIREMENTS[seed % len(REQUIREMENTS)]
    at = instance(seeded("partition", seed), tuples=(2, 7), releases=(0, 0), form="generalized")
    loss = ("information_loss", "average_information_loss")[seed // len(REQUIREMENTS) % 2]
    best = bf.optimum(at.people, at.attributes, checks, [loss])
    answer = solved(Problem(table=at.table, policy=Policy(requirements, [loss])))
    if best is None:
        assert answer.status is Status.INFEASIBLE
        assert answer.release is None
    else:
        assert answer.status is Status.OPTIMAL
        assert answer.bounds == best
        assert answer.release is not None
        assert bf.LOSSES[loss](at.theirs(answer.release), at.attributes) == best[0]


@pytest.mark.parametrize("seed", range(32))
def test_the_optimum_is_that_of_dynamic_programming_on_larger_tables(seed: int):
    problem = random_problem(seed, 8 + seed % 2)
    answer, best = solved(problem), optimum(problem)
    assert answer.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL)
    assert best is None or answer.bounds == (best,)


@pytest.mark.parametrize("seed", [3, 21, 6])
def test_the_optimum_is_that_of_the_assignment_engine(seed: int):
    problem = random_problem(seed, 11)
    answer, other = solved(problem), AssignmentEngine().solve(problem, Settings(), Watch())
    assert answer.status is other.status is Status.OPTIMAL
    assert answer.bounds == other.bounds


def table(points: list[tuple[object, ...]], values: str) -> Microdata:
    names = [f"q{a}" for a in range(len(points[0]))]
    frame = pd.DataFrame(points, columns=names).assign(
        id=[f"r{i}" for i in range(len(points))], v=list(values)
    )
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=names, sensitive="v")


def test_tuples_that_tie_in_everything_are_told_apart_only_by_the_steward():
    # Eight equal tuples at each of two places, and values that only match across places 1 : 1.
    problem = Problem(
        table=table([(0,)] * 8 + [(9,)] * 8, "a" * 8 + "b" * 8), policy=Policy([KCAnonymity(k=2, c="1/2")])
    )
    answer = solved(problem)
    # Every group holds as many a as b, so each has the whole width 1: loss 16.
    assert (answer.status, answer.bounds) == (Status.OPTIMAL, (F(16),))


def test_a_release_without_loss_is_found_among_equal_tuples():
    problem = Problem(
        table=table([(0, "x")] * 7 + [(5, "y")] * 9, "ab" * 8), policy=Policy([KCAnonymity(k=3)])
    )
    answer = solved(problem)
    assert (answer.status, answer.bounds) == (Status.OPTIMAL, (F(0),))


def test_a_group_may_have_to_be_larger_than_any_histogram_that_is_listed():
    # One b for 60 a: only the whole table has two values.
    problem = Problem(
        table=table([(i,) for i in range(61)], "a" * 60 + "b"), policy=Policy([DistinctLDiversity(l=2)])
    )
    answer = solved(problem, time_limit=2)
    assert answer.release is not None
    assert problem.objective(answer.release) == (F(61),)


def test_infeasible_by_counting_although_the_whole_table_is_larger():
    # m-invariance needs a partner with another value for each of four a; there are three.
    problem = Problem(table=table([(i,) for i in range(7)], "aaaabbb"), policy=Policy([WeakMInvariance(m=2)]))
    assert solved(problem).status is Status.INFEASIBLE


@pytest.mark.parametrize(
    "levels",
    [
        ["counterfeits", "information_loss"],
        ["suppressed", "counterfeits", "information_loss"],
        ["suppressed", {"information_loss": 3, "suppressed": 1}],
        [{"suppressed": 2, "counterfeits": 1}, "average_information_loss"],
    ],
)
def test_what_nobody_needs_is_proven_to_be_unnecessary(levels: list[str]):
    # A release without counterfeits and suppressed tuples exists, so earlier levels are at 0.
    at = instance(seeded("trivial levels"), tuples=(6, 6), releases=(0, 0), form="generalized")
    policy = Policy([KCAnonymity(k=2)], levels)
    best = bf.optimum(at.people, at.attributes, [bf.k_c(2)], ["information_loss"])
    answer = solved(Problem(table=at.table, policy=policy))
    assert answer.status is Status.OPTIMAL
    assert best is not None
    assert answer.bounds[:-1] == (F(0),) * (len(levels) - 1)
    loss = policy.levels[-1].weights[0]
    weight = loss[1] / (6 if loss[0].startswith("average") else 1)
    assert answer.bounds[-1] == best[0] * weight


def test_infeasible_because_the_whole_table_breaks_a_monotone_requirement():
    problem = Problem(table=table([(1,), (2,)], "ab"), policy=Policy([KCAnonymity(k=3)]))
    answer = solved(problem)
    assert (answer.status, answer.termination) == (Status.INFEASIBLE, Termination.COMPLETED)


def test_an_initial_release_is_never_made_worse():
    problem = random_problem(3, 9)
    best = solved(problem)
    again = solved(problem, initial=best.release, time_limit=1e-9)
    assert again.release is not None
    assert best.release is not None
    assert problem.objective(again.release) == problem.objective(best.release)


@pytest.mark.parametrize("workers", [1, 2])
def test_same_seed_and_workers_give_the_same_release(workers: int):
    problem = random_problem(3, 40, [KCAnonymity(k=3, c="1/2")])
    one, other = (solved(problem, seed=7, workers=workers) for _ in range(2))
    assert one.status is Status.OPTIMAL
    assert one.release == other.release


@pytest.mark.parametrize("seconds", [1e-9, 0.3])
def test_when_time_ends_the_gap_is_true(seconds: float):
    problem = random_problem(5, 120, [KCAnonymity(k=4, c="1/2")])
    best, answer = solved(problem), solved(problem, time_limit=seconds)
    assert best.status is Status.OPTIMAL
    assert answer.bounds[0] is not None
    assert answer.bounds <= best.bounds
    if answer.status is not Status.OPTIMAL:
        assert answer.termination is Termination.TIME_LIMIT


LISTED = [
    ([KCAnonymity(k=2)], {"minimize": ["semiperimeter"]}, "semiperimeter"),
    ([KCAnonymity(k=2)], {"max_counterfeits": 1}, "counterfeits"),
    (
        [KCAnonymity(k=2)],
        {"minimize": [{"counterfeits": 1, "information_loss": 1}]},
        "only equal counts carry",
    ),
]


@pytest.mark.parametrize(("requirements", "options", "word"), LISTED)
def test_what_has_no_prices_is_listed_for_a_reason_in_words(requirements, options, word):
    data = table([(i,) for i in range(900)], "abc" * 300)
    problem = Problem(table=data, policy=Policy(requirements, **options))
    assert partition_engine().refuses(problem) is None
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    assert word in plan.why


def test_a_large_table_whose_histograms_are_too_many_is_searched_without_a_list_of_them():
    data = table([(i,) for i in range(900)], "abc" * 300)
    problem = Problem(table=data, policy=Policy([KCAnonymity(k=400, c="1/2")]))
    assert isinstance(Histograms.of(problem), str)
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    assert plan.objective is not None
    assert not plan.why


def test_full_domain_recoding_is_refused():
    problem = Problem(
        table=table([(1,), (2,)], "ab"), policy=Policy([KCAnonymity(k=2)], recoding="full_domain")
    )
    with pytest.raises(EngineError, match="multidimensional"):
        partition_engine().solve(problem, Settings(), Watch())


def test_groups_of_returning_respondents_are_listed_where_their_past_matters():
    data = table([(1,), (2,)], "ab")
    policy = Policy([Intersection(c="1/2")])
    first = solved(Problem(table=data, policy=policy))
    assert first.release is not None
    second = Problem(table=data, policy=policy, history=History([first.release]))
    plan = Plan.of(second)
    assert isinstance(plan, Plan)
    assert "people's past" in plan.why
    unbothered = Plan.of(Problem(table=data, policy=Policy([KCAnonymity(k=2)]), history=second.history))
    assert isinstance(unbothered, Plan)
    assert not unbothered.why


def test_small_tables_are_improved_by_moves_before_anything_is_proven(monkeypatch: pytest.MonkeyPatch):
    """Far from the best release lists of better groups are long, and no tree over them ends."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "id": range(120),
            "age": random.integers(18, 90, 120),
            "zip": random.integers(0, 100, 120),
            "sex": random.choice(["m", "f"], 120),
            "value": random.choice(["a", "b", "c", "d"], 120, p=[0.2, 0.4, 0.2, 0.2]),
        }
    )
    policy = Policy([KCAnonymity(k=4, c="1/2")], ["ncp"], weights={"age": 6, "zip": 3, "sex": 2})
    here = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers=["age", "zip", "sex"], sensitive="value"
    )
    faked(monkeypatch, tick=0.001)
    answer = solved(Problem(table=here, policy=policy), time_limit=1.0)
    assert answer.release is not None
    problem = Problem(table=here, policy=policy)
    assert float(problem.objective(answer.release)[0]) < 1.1 * 0.124713
