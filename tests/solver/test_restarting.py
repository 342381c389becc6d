"""Searches without a course of their own: a longer limit begins with all that a shorter one does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from cases.people import people
from cases.six import PROBLEM
from clocks import faked
from courses import searched

from optanon.models.errors import CertificateError, TooLargeError
from optanon.models.policy import LevelSpec, Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import KCAnonymity
from optanon.solver import restarting
from optanon.solver.claims import Claim, Grouped, LatticeClaim, Trusted
from optanon.solver.engines.partition.enumerated.guide import Guide
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.incumbent import BestRelease, refused
from optanon.solver.restarting import Restarting, proves_most, restarted
from optanon.solver.search import partition_engine
from optanon.solver.settings import Answer, Clock, Settings, Watch
from optanon.solver.status import Status, Termination

WHOLE, THREES, PAIRS = (
    PROBLEM.assemble(groups)
    for groups in ([[0, 1, 2, 3, 4, 5]], [[0, 1, 2], [3, 4, 5]], [[0, 1], [2, 3], [4, 5]])
)
LATE, EARLY = Termination.TIME_LIMIT, Termination.ITERATION_LIMIT
BEST = PROBLEM.objective(PAIRS)[0]

Known = tuple[Release | None, Fraction, Termination]


class Telling:
    """A search that finds one release after the other, each with a bound; the last one again and again."""

    name = "telling"

    def __init__(self, *found: Known) -> None:
        self.found, self.asked = found, list[Settings]()

    def refuses(self, problem: Problem) -> str | None:
        return None

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        release, bound, ended = self.found[min(len(self.asked), len(self.found) - 1)]
        self.asked.append(settings)
        known = BestRelease(problem, watch)
        known.offer(release)
        known.raise_bound(0, bound)
        claim = Trusted(level=0, bound=bound, solver=self.name, why="it says so")
        return replace(
            known.answer((claim,)), termination=ended, interrupted=ended is Termination.INTERRUPTED
        )


def told(answer: Answer) -> tuple[Release | None, tuple[Fraction | None, ...], Status, Termination]:
    return answer.release, answer.bounds, answer.status, answer.termination


def test_restarts_of_a_shorter_limit_are_the_first_of_a_longer_one(monkeypatch: pytest.MonkeyPatch):
    faked(monkeypatch)
    ran = list[list[float | None]]()
    for limit in (1.0, 9.0, 40.0, 200.0):
        engine, watch = Telling((WHOLE, Fraction(0), LATE)), Watch()
        Restarting(engine).solve(PROBLEM, Settings(time_limit=limit), watch)
        ran.append([own.time_limit for own in engine.asked])
        assert {own.end for own in engine.asked} == {watch.clock.began + limit}
    assert [len(planned) for planned in ran] == [1, 2, 4, 7]
    assert all(longer[: len(planned)] == planned for planned, longer in pairwise(ran))


def test_each_begins_with_the_best_so_far_and_the_answer_is_the_best_of_all(monkeypatch: pytest.MonkeyPatch):
    faked(monkeypatch)
    engine = Telling(
        (WHOLE, Fraction(0), LATE), (THREES, BEST / 2, LATE), (WHOLE, BEST / 4, LATE), (None, BEST / 8, LATE)
    )
    answer = Restarting(engine).solve(PROBLEM, Settings(time_limit=40.0), Watch())
    assert [own.initial for own in engine.asked] == [None, WHOLE, THREES, THREES]
    assert told(answer) == (THREES, (BEST / 2,), Status.FEASIBLE, LATE)
    (claim,) = answer.claims  # of the one that proves most
    assert isinstance(claim, Trusted)
    assert claim.bound == BEST / 2
    caller = Telling((None, Fraction(0), LATE))
    answer = Restarting(caller).solve(PROBLEM, Settings(time_limit=1.0, initial=PAIRS), Watch())
    assert answer.release is PAIRS


def test_a_search_that_ends_early_is_begun_again_until_one_has_all_the_time(monkeypatch: pytest.MonkeyPatch):
    faked(monkeypatch)
    monkeypatch.setattr(restarting, "rearranged", lambda _, answer, *__: answer)
    some: list[tuple[Known, ...]] = [((WHOLE, Fraction(0), EARLY),) * 4]  # 2.5, 10, 30, 60 s
    some += [(*some[0], (found, bound, EARLY)) for found, bound in ((PAIRS, Fraction(0)), (None, BEST / 9))]
    some += [((WHOLE, Fraction(0), ended),) for ended in (Termination.ROUNDING, Termination.INTERRUPTED)]
    for found, times in zip(some, (4, 4, 4, 1, 1), strict=True):
        engine = Telling(*found)
        answer = Restarting(engine).solve(PROBLEM, Settings(time_limit=50.0, seed=3), Watch())
        assert [own.seed for own in engine.asked] == list(range(3, 3 + times))
        assert answer.termination is found[0][2]
    gaining = Telling(*some[0][:3], (THREES, Fraction(0), EARLY), (WHOLE, Fraction(0), EARLY))
    Restarting(gaining).solve(PROBLEM, Settings(time_limit=50.0), Watch())
    assert len(gaining.asked) == 5
    alone = Telling((WHOLE, Fraction(0), EARLY))
    Restarting(alone).solve(PROBLEM, Settings(), Watch())
    assert [own.time_limit for own in alone.asked] == [None]


def test_a_bound_and_a_release_of_different_restarts_close_the_gap(monkeypatch: pytest.MonkeyPatch):
    faked(monkeypatch)
    engine = Telling((WHOLE, BEST, LATE), (PAIRS, Fraction(0), LATE))
    answer = Restarting(engine).solve(PROBLEM, Settings(time_limit=600.0), Watch())
    assert told(answer) == (PAIRS, (BEST,), Status.OPTIMAL, Termination.COMPLETED)
    assert len(engine.asked) == 2


def test_contradictions_are_errors_and_denials_are_passed_on():
    def optimal(own: Settings, best: BestRelease) -> Answer:
        best.offer(PAIRS)
        return replace(BestRelease(PROBLEM, Watch()).answer(), release=WHOLE, status=Status.OPTIMAL)

    with pytest.raises(CertificateError, match="optimal that is worse"):
        restarted(optimal, PROBLEM, Settings(time_limit=5.0), Watch())

    def denied(own: Settings, best: BestRelease) -> Answer:
        best.offer(PAIRS)
        return refused(PROBLEM, None)

    with pytest.raises(CertificateError, match="denies that there is a release"):
        restarted(denied, PROBLEM, Settings(time_limit=5.0), Watch())
    nobody = restarted(lambda own, best: refused(PROBLEM, None), PROBLEM, Settings(time_limit=5.0), Watch())
    assert nobody.status is Status.INFEASIBLE


def told_by(name: str | None, *bounds: int | None) -> Answer:
    """An answer with a claim of each bound: somebody's word, or nobody's."""
    known = [(level, bound) for level, bound in enumerate(bounds) if bound is not None]
    claims: list[Claim] = [LatticeClaim(level=level) for level, _ in known]
    if name is not None:
        claims = [Trusted(level=at, bound=Fraction(b), solver=name, why="it says so") for at, b in known]
    found = tuple(None if bound is None else Fraction(bound) for bound in bounds)
    return replace(refused(PROBLEM, None), bounds=found, claims=tuple(claims))


def test_claims_are_those_that_prove_most_of_each_level():
    first, second, proven = told_by("first", 3, 1), told_by("second", 2, 4), told_by(None, 3, None)
    assert proves_most(()) == ()
    assert proves_most([first, second]) == (*first.claims, *second.claims)
    assert proves_most([first, told_by("third", 3, 1)])[0] == told_by("third", 3).claims[0]
    assert proves_most([first, proven]) == (*proven.claims, *first.claims)
    assert proves_most([proven, told_by("later", 3, None)]) == proven.claims


@pytest.mark.parametrize("error", [KeyboardInterrupt, TooLargeError])
def test_what_is_known_stays_whatever_happens_later(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch
):
    faked(monkeypatch)
    engine = Telling((PAIRS, BEST / 2, LATE))

    def then(times: int) -> Callable[[Settings, BestRelease], Answer]:
        def search(own: Settings, best: BestRelease) -> Answer:
            if len(engine.asked) >= times:
                raise error("later")
            return engine.solve(PROBLEM, own, Watch())

        return search

    answer = restarted(then(1), PROBLEM, Settings(time_limit=60.0), Watch())
    assert answer.release is PAIRS
    assert answer.claims
    assert answer.termination is (Termination.INTERRUPTED if error is KeyboardInterrupt else LATE)
    with pytest.raises(error):
        restarted(then(0), PROBLEM, Settings(time_limit=60.0), Watch())


def test_heuristics_are_begun_when_a_restart_has_time_for_them(monkeypatch: pytest.MonkeyPatch):
    faked(monkeypatch)
    engine, limits = Telling((None, Fraction(0), LATE)), list[float | None]()

    def further(clock: Clock) -> Iterator[Release]:
        limits.append(clock.limit)
        yield from (WHOLE,) if len(limits) == 1 else (THREES, PAIRS)

    answer = Restarting(engine).solve(PROBLEM, Settings(time_limit=9.0, further=further), Watch())
    assert limits == [own.time_limit for own in engine.asked]
    assert [own.known for own in engine.asked] == [WHOLE, PAIRS]
    assert [own.further for own in engine.asked] == [None, None]
    assert answer.release is PAIRS


def test_a_search_within_a_restart_is_one():
    engine, settings = Telling((WHOLE, Fraction(0), LATE)), Settings(time_limit=60.0, end=1e9)
    Restarting(engine).solve(PROBLEM, settings, Watch())
    (own,) = engine.asked
    assert replace(own, known=None) == settings


@pytest.mark.parametrize(
    "minimize",
    [["maximum_group_size", "information_loss"], [{"information_loss": 1, "discernibility": "1/100"}]],
    ids=["levels", "weighed"],
)
def test_where_groups_are_listed_a_longer_limit_ends_no_worse(
    minimize: list[LevelSpec], monkeypatch: pytest.MonkeyPatch
):
    problem = people(60, 3, KCAnonymity(k=3, c="1/2"), values="abcd")
    problem = replace(problem, policy=Policy(problem.policy.requirements, minimize))
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    assert plan.name == "enumerated"
    engine = Restarting(partition_engine())
    searched(problem, 2.0, monkeypatch, engine=engine)  # compiled code is loaded
    limits = (1.0, 2.4, 4.0, 9.0, 20.0)
    found = [searched(problem, limit, monkeypatch, engine=engine) for limit in limits]
    for one, other in pairwise(found):
        assert other.losses <= one.losses


@pytest.mark.parametrize("closed", [False, True], ids=["open", "solved"])
def test_ctrl_c_in_a_part_or_a_turn_is_heard_although_that_was_just_solved(closed: bool):
    """The status says that it is solved, and nothing of the signal: who asked went on until the limit."""
    best = BestRelease(PROBLEM, Watch())
    best.offer(PAIRS)
    best.raise_bound(0, BEST if closed else Fraction(0))
    answer = best.answer(interrupted=True)
    assert answer.interrupted
    assert (answer.status is Status.OPTIMAL) == closed
    guide = Guide(problem=PROBLEM, levels=(None,)).after(Grouped(), answer, None, (None,))
    assert guide.interrupted
    assert guide.ended
