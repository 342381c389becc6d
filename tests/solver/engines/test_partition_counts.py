"""Releases without boxes: optima of exhaustive search, of the assignment engine, and by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from cases.certificates import changed, plain, without_duals
from cases.counts import NAMES, drawn, posed
from cases.drawn import Case
from cases.examples import EXAMPLES, build
from oracle.partition import random_problem
from strategies import instance, seeded

from optanon.models.errors import CertificateError
from optanon.models.history import History
from optanon.models.losses import losses
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import QIGroup
from optanon.models.requirement import Context, Requirement
from optanon.models.requirements import (
    DistinctLDiversity,
    EntropyLDiversity,
    KCAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    WeakMInvariance,
)
from optanon.models.table import Member, Microdata
from optanon.solver.engines.assignment.engine import AssignmentEngine
from optanon.solver.engines.partition.counts import evened, search, solving
from optanon.solver.engines.partition.counts.search import CountsSearch
from optanon.solver.engines.partition.counts.verdicts import refusal
from optanon.solver.search import solve_problem
from optanon.solver.settings import Answer, Settings, Watch
from optanon.solver.status import Status, Termination
from optanon.solver.verify.checking import verify


def solved(problem: Problem, **settings: Any) -> Answer:
    """Solve, and check what holds for every answer."""
    answer = CountsSearch(problem, Settings(**settings), Watch()).run()
    if answer.release is not None:
        assert next(problem.check(answer.release), None) is None
        values = problem.objective(answer.release)
        assert all(b is None or b <= v for b, v in zip(answer.bounds, values, strict=True))
        assert (answer.status is Status.OPTIMAL) == (values == answer.bounds)
    return answer


def agrees(case: Case, answer: Answer) -> None:
    """The answer is the optimum of exhaustive enumeration."""
    best = case.optimum(case.fakes)
    if best is None:
        assert (answer.status, answer.release) == (Status.INFEASIBLE, None)
    else:
        assert (answer.status, answer.bounds) == (Status.OPTIMAL, best)


@pytest.mark.parametrize("seed", [*range(100), 158, 1028])
def test_the_optimum_is_that_of_exhaustive_enumeration(seed: int):
    case = drawn(seed)
    if posed(case):
        agrees(case, solved(case.problem))


@pytest.mark.parametrize("seed", range(200, 250))
def test_larger_groups_are_looked_at_where_a_bound_leaves_room_for_them(
    seed: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(search, "LIMITS", replace(search.LIMITS, tops=(2, 3, 5, 400)))
    monkeypatch.setattr(evened, "LIMITS", replace(evened.LIMITS, splits=2))
    case = drawn(seed)
    if posed(case):
        agrees(case, solved(case.problem))


@pytest.mark.parametrize("seed", range(300, 340))
def test_explicit_histograms_give_the_same_optimum(seed: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(search, "evened", lambda problem, top: None)
    case = drawn(seed)
    if posed(case):
        agrees(case, solved(case.problem))


@pytest.mark.parametrize("seed", range(400, 440))
def test_stand_ins_for_groups_that_are_not_listed_give_true_bounds(
    seed: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(search, "LIMITS", replace(search.LIMITS, tops=(3,)))
    monkeypatch.setattr(evened, "LIMITS", replace(evened.LIMITS, most_parts=1, splits=3))
    case = drawn(seed)
    if not posed(case):
        return
    answer, best = solved(case.problem), case.optimum(case.fakes)
    assert answer.status is not Status.INFEASIBLE or best is None
    if best is not None:
        known = [bound for bound in answer.bounds if bound is not None]
        assert tuple(known) <= best[: len(known)]
        assert answer.status is not Status.OPTIMAL or answer.bounds == best


@pytest.mark.parametrize("seed", range(8))
def test_the_optimum_is_that_of_the_assignment_engine(seed: int):
    """Tables that enumeration cannot do."""
    source = seeded("boxless beside", seed)
    at = instance(
        source, tuples=(10, 11), releases=(0, 0), values=(3, 4), attributes=(1, 1), form="anatomized"
    )
    requirements: list[list[Requirement]] = [
        [KCAnonymity(k=4, c="1/2")],
        [DistinctLDiversity(l=3)],
        [WeakMInvariance(m=3)],
        [TCloseness(t="1/4"), KCAnonymity(k=3)],
    ]
    levels = (["suppressed", "discernibility"], ["average_group_size", "maximum_group_size"])[seed % 2]
    policy = Policy(requirements[seed // 2 % 4], levels, max_suppressed=3, form="anatomized")
    problem = Problem(table=at.table, policy=policy)
    other, answer = AssignmentEngine().solve(problem, Settings(), Watch()), solved(problem)
    assert (answer.status, answer.bounds) == (other.status, other.bounds)


# -- by hand ----------------------------------------------------------------------------------------


def table(counts: Mapping[str, int]) -> Microdata:
    values = [value for value, count in counts.items() for _ in range(count)]
    frame = pd.DataFrame({"id": [f"r{i}" for i in range(len(values))], "x": range(len(values)), "v": values})
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x"], sensitive="v")


def posed_for(
    counts: Mapping[str, int], requirements: list[Requirement], levels: Any, **options: Any
) -> Problem:
    return Problem(
        table=table(counts), policy=Policy(requirements, levels, **{"form": "anatomized", **options})
    )


BY_HAND: list[tuple[Problem, tuple[Fraction | int, ...]]] = [
    # 28 groups of 7 are 196 tuples; 4 more make 4 groups of 8: 24 x 49 + 4 x 64.
    (posed_for({"a": 150, "b": 50}, [KCAnonymity(k=7)], ["discernibility"]), (1432,)),
    # Boxes are published, but no loss looks at them.
    (posed_for({"a": 150, "b": 50}, [KCAnonymity(k=7)], ["discernibility"], form="generalized"), (1432,)),
    # 2,000 = 664 x 3 + 2 x 4: 5,976 + 32; the most frequent value has no more than a third.
    (
        posed_for({"a": 666, "b": 500, "c": 500, "d": 334}, [WeakMInvariance(m=3)], ["discernibility"]),
        (6008,),
    ),
    # Eligibility (Xiao and Tao): a may have a third of what is published, so 700 of its 1,000 go.
    (
        posed_for(
            {"a": 1000, "b": 300, "c": 300},
            [WeakMInvariance(m=3)],
            ["suppressed", "discernibility"],
        ),
        (700, 700 * 1600 + 300 * 9),
    ),
    # Or b and c get 700 counterfeits each: 1,000 groups of 3.
    (
        posed_for(
            {"a": 1000, "b": 300, "c": 300},
            [WeakMInvariance(m=3)],
            ["counterfeits", "discernibility"],
        ),
        (1400, 9000),
    ),
    # l-diversity may publish every a: 30 groups, each with one b and one c, share 100 a.
    (
        posed_for(
            {"a": 100, "b": 30, "c": 30},
            [DistinctLDiversity(l=3)],
            ["average_group_size", "maximum_group_size"],
        ),
        (Fraction(160, 30), 6),
    ),
    # Two of every three tuples need another value: at most 500 a beside 500 b in halves.
    (
        posed_for(
            {"a": 700, "b": 400, "c": 100}, [KCAnonymity(k=4, c="1/2")], ["suppressed", "average_group_size"]
        ),
        (200, Fraction(1200, 250)),
    ),
    # Each value twice: 3 groups of 2 + 2 + 2, and one of the 20 tuples of a pair more.
    (
        posed_for(
            {"a": 7, "b": 6, "c": 6}, [WeakMInvariance(m=3, multiplicity=2)], ["suppressed", "discernibility"]
        ),
        (1, 19 + 3 * 36),
    ),
]


@pytest.mark.parametrize(("problem", "best"), BY_HAND)
def test_the_optimum_is_what_a_hand_can_compute(problem: Problem, best: tuple[Fraction | int, ...]):
    result = solve_problem(problem)
    assert result.engine.startswith("partition")
    assert (result.status, result.objective) == (Status.OPTIMAL, best)
    lines = verify(result.certificate, problem, result.release)  # pyright: ignore[reportArgumentType]
    assert sum("integer duals over histograms" in line for line in lines.confirmed) == len(best)
    assert lines.whole


@pytest.mark.parametrize(
    "requirement", [TCloseness(t="1/5"), EntropyLDiversity(l=3), RecursiveCLDiversity(c=2, l=3)]
)
def test_two_thousand_tuples_are_closed(requirement: Requirement):
    counts = {"a": 600, "b": 500, "c": 400, "d": 300, "e": 200}
    result = solve_problem(posed_for(counts, [requirement], ["suppressed", "discernibility"]))
    assert (result.status, result.objective[0]) == (Status.OPTIMAL, 0)


def test_highs_is_not_asked_where_ends_are_so_far_apart_that_it_would_not_hear_the_clock(
    monkeypatch: pytest.MonkeyPatch,
):
    problem, best = BY_HAND[3]

    def never(*_: object) -> None:
        raise AssertionError("asked")

    monkeypatch.setattr(solving, "guessed", never)
    with pytest.raises(AssertionError, match="asked"):
        solve_problem(problem)
    monkeypatch.setattr(solving, "LIMITS", replace(solving.LIMITS, drawn=0))
    result = solve_problem(problem)
    assert (result.status, result.objective) == (Status.OPTIMAL, best)


# -- how it ends ------------------------------------------------------------------------------------


def test_a_corrupted_proof_is_refused():
    problem, _ = BY_HAND[3]
    result = solve_problem(problem)
    stated = plain(result.certificate)["claims"]

    def refused(word: str, change: Callable[[list[dict[str, Any]]], object]) -> None:
        wrong = changed(result.certificate, lambda content: change(content["claims"]))
        with pytest.raises(CertificateError, match=word):
            verify(wrong, problem, result.release)

    refused("does not reach", lambda levels: levels[1].update(proof=without_duals(problem, stated[1])))
    refused("other values of the levels before", lambda levels: levels[1].update(costs=[0]))
    refused(
        "is stated, .* is what its claims prove",
        lambda levels: levels[1].update(bound=stated[1]["bound"] - 1),
    )
    refused("is stated, 0 is what its claims prove", lambda levels: levels.pop())
    # Larger groups are then part of the program by what they hold together, and the proof holds there, too.
    fewer = changed(result.certificate, lambda content: content["claims"][0].update(sizes=7))
    assert verify(fewer, problem, result.release).bounds == result.bounds
    refused("up to 1000000 tuples", lambda levels: levels[0].update(sizes=10**6))


def test_when_time_ends_the_bound_is_true():
    problem, best = BY_HAND[5]
    answer = solved(problem, time_limit=1e-9)
    assert answer.status is not Status.OPTIMAL or answer.bounds == best
    assert answer.bounds[0] is None or answer.bounds[0] <= best[0]


def test_a_start_is_never_made_worse():
    problem, _ = BY_HAND[0]
    best = solved(problem)
    again = solved(problem, initial=best.release, time_limit=1e-9)
    assert again.release is not None
    assert problem.objective(again.release) == best.bounds


def test_interrupting_keeps_what_there_is(monkeypatch: pytest.MonkeyPatch):
    problem, _ = BY_HAND[0]
    best = solved(problem)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "solved", interrupt)
    answer = solved(problem, initial=best.release)
    assert (answer.termination, answer.release) == (Termination.INTERRUPTED, best.release)


@pytest.mark.parametrize(
    "level",
    [
        {"discernibility": 1, "suppressed": 10**20},
        {"discernibility": 10**20, "information_loss": 1},
    ],
)
def test_weights_beyond_64_bits_are_left_to_other_plans(level: dict[str, int]):
    problem = random_problem(3, 12, [KCAnonymity(k=2)])
    policy = problem.policy.changed(minimize=[level], max_suppressed=2 if "suppressed" in level else 0)
    problem = replace(problem, policy=policy)
    assert ("64 bits" in str(refusal(problem))) == ("information_loss" not in level)
    assert solve_problem(problem, engine="partition", display=False).status is Status.OPTIMAL


@pytest.mark.parametrize("weight", ["1099511627776", "100000000000000000000", "1099511627776/3"])
def test_a_weight_that_all_costs_have_in_common_costs_no_digits(weight: str):
    problem = random_problem(3, 40, [KCAnonymity(k=3, c="1/2")])
    alone, weighed = (
        replace(problem, policy=problem.policy.changed(minimize=[{"discernibility": w}]))
        for w in ("1", weight)
    )
    one, other = (solve_problem(asked, display=False) for asked in (alone, weighed))
    assert one.status is other.status is Status.OPTIMAL
    assert other.objective[0] == one.objective[0] * Fraction(weight)
    proven = verify(other.certificate, weighed, other.release)
    assert proven.trusted == ()


def test_equal_runs_give_equal_releases():
    problem, _ = BY_HAND[2]
    one, other = (solved(problem, seed=5) for _ in range(2))
    assert one.release == other.release


# -- what losses and requirements declare -----------------------------------------------------------


def test_losses_by_size_are_those_of_groups_and_never_rise_by_a_cut():
    people = table({"a": 9})
    for name, kind in losses().items():
        for form in ("generalized", "anatomized"):
            if kind.by_size(1, 0, form) is None:
                # What a suppressed tuple loses of squares depends on who it is.
                whole = kind.combine == "release"
                assert form == "generalized" or whole or name.startswith("squared_error"), name
                continue
            sizes = range(1, 9)
            for size in sizes:
                for fakes in range(size):
                    group = QIGroup(
                        members=people.members[: size - fakes], counterfeits=(("a", fakes),) if fakes else ()
                    )
                    assert kind.combine == "ratio" or kind.by_size(size, fakes, form) == kind.of_group(
                        group, people
                    )
            alone = {size: kind.by_size(size, 0, form) or Fraction(0) for size in range(1, 17)}
            for one in sizes:
                for other in sizes:
                    both = (alone[one], alone[other])
                    assert (max(both) if kind.combine == "max" else sum(both)) <= alone[one + other]


EVENED = [name for name in NAMES if build(name, 0)[0].structure().schur_concave]


@pytest.mark.parametrize("name", EVENED)
@pytest.mark.parametrize("seed", range(40))
def test_evening_out_keeps_what_declares_it(name: str, seed: int):
    source = seeded("evening", name, seed)
    requirement, _ = build(name, source(0, len(EXAMPLES[name]) - 1))
    counts = [source(0, 6) for _ in range(4)]
    at = Context(history=History(), reference={"a": 1})

    def keeps(counts: list[int]) -> bool:
        members = [Member(f"{v}{i}", (), "abcd"[v]) for v, count in enumerate(counts) for i in range(count)]
        return bool(members) and requirement.admits(QIGroup(members=tuple(members)), at)  # pyright: ignore

    assert requirement.structure().schur_concave
    assert requirement.structure().symmetric
    if keeps(counts):
        for high in range(4):
            for low in range(4):
                if counts[high] >= counts[low] + 2:
                    evener = counts.copy()
                    evener[high] -= 1
                    evener[low] += 1
                    assert keeps(evener)
