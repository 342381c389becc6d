"""Ctrl-C when a search is over, but its answer is not there yet: nothing is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from threading import Event, main_thread
from typing import Any

import pytest
from oracle.partition import random_problem

from optanon.models.outlook.asked import Outlook
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import KCAnonymity, WeakMInvariance
from optanon.solver import answering, ending, portfolio, restarting, search
from optanon.solver.backends.interrupts import interruptible, put_off
from optanon.solver.ending import concluded
from optanon.solver.engines.assignment.engine import AssignmentEngine
from optanon.solver.engines.fulldomain.engine import FullDomainEngine
from optanon.solver.incumbent import BestRelease, Incumbent
from optanon.solver.restarting import restarted
from optanon.solver.search import partition_engine, result_of
from optanon.solver.settings import Answer, Settings, Watch
from optanon.solver.status import Status, Termination


def strike(times: int = 1) -> None:
    """Somebody presses Ctrl-C."""
    for _ in range(times):
        signal.raise_signal(signal.SIGINT)


def struck(made: Callable[..., Any], times: int = 1) -> Callable[..., Any]:
    """The same; somebody presses Ctrl-C when it is first called."""
    left = [times]

    def call(*given: Any, **named: Any) -> Any:
        strike(left.pop() if left else 0)
        return made(*given, **named)

    return call


def asked() -> tuple[Problem, Answer]:
    """A table of six with its best release."""
    problem = random_problem(1, 6, [KCAnonymity(k=2)])
    return problem, partition_engine().solve(problem, Settings(), Watch())


@pytest.mark.parametrize(
    ("module", "name"),
    [(search, "search_clock"), (search, "settled"), (answering, "certify"), (answering, "summarize")],
)
def test_ctrl_c_while_a_result_is_made_loses_nothing(module: Any, name: str, monkeypatch: pytest.MonkeyPatch):
    problem, answer = asked()
    monkeypatch.setattr(module, name, struck(getattr(module, name)))
    result = result_of(problem, answer, "partition (6 tuples)", Watch(), Settings(), reasons=True)
    assert result.release == answer.release
    assert (result.status is Status.OPTIMAL) or result.termination is Termination.INTERRUPTED
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_whoever_presses_it_twice_means_it(monkeypatch: pytest.MonkeyPatch):
    problem, answer = asked()
    monkeypatch.setattr(answering, "certify", struck(answering.certify, 2))
    with pytest.raises(KeyboardInterrupt):
        result_of(problem, answer, "partition (6 tuples)", Watch(), Settings(), reasons=True)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_that_is_not_put_off_is_raised():
    with pytest.raises(KeyboardInterrupt), put_off(wanted=False):
        strike()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with put_off() as heard:
            strike(2)
        assert not heard.is_set()
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "policy",
    [
        Policy([KCAnonymity(k=2)]),
        Policy([KCAnonymity(k=2)], ["squared_error"]),
        Policy([WeakMInvariance(m=2)], ["counterfeits", "information_loss"]),
        Policy([KCAnonymity(k=2)], ["information_loss", "discernibility"]),
        Policy([KCAnonymity(k=2)], recoding="full_domain", max_suppressed=1),
    ],
)
def test_ctrl_c_while_a_plan_writes_its_answer_keeps_it(policy: Policy, monkeypatch: pytest.MonkeyPatch):
    drawn = (random_problem(seed, 6, [KCAnonymity(k=2)]).table for seed in range(1, 40))
    table = next(t for t in drawn if t.attributes == ("number",))
    problem = Problem(table=table, policy=policy)
    monkeypatch.setattr(Incumbent, "answer", struck(Incumbent.answer))
    engine = FullDomainEngine() if policy.recoding == "full_domain" else partition_engine()
    answer = engine.solve(problem, Settings(), Watch())
    assert answer.release is not None
    assert answer.interrupted


def test_ctrl_c_while_the_direct_model_or_a_plan_ahead_writes_its_answer_keeps_it(
    monkeypatch: pytest.MonkeyPatch,
):
    problem = random_problem(3, 6, [KCAnonymity(k=2)])
    ahead = Policy([WeakMInvariance(m=2)], ["counterfeits", "information_loss"], outlook=Outlook(releases=2))
    for module in (Incumbent, BestRelease):
        with monkeypatch.context() as patch:
            patch.setattr(module, "answer", struck(module.answer))
            engine = AssignmentEngine() if module is Incumbent else partition_engine()
            asked = problem if module is Incumbent else replace(problem, policy=ahead)
            answer = engine.solve(asked, Settings(), Watch())
            assert answer.release is not None
            assert answer.interrupted


def waiting() -> tuple[Callable[[], str], Callable[[], None]]:
    """A call that Ctrl-C meets, and that ends when it is stopped."""
    going = Event()

    def call() -> str:
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
        return "stopped" if going.wait(10) else "not stopped"

    return call, going.set


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_handler_of_the_caller_s_own_hears_ctrl_c_and_decides():
    heard = list[int]()
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        assert interruptible(*waiting()) == ("stopped", False)
        assert heard == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)
    with put_off() as told:  # as when a proof is derived from a release that was found
        assert interruptible(*waiting()) == ("stopped", False)
        assert told.is_set()
    assert interruptible(*waiting()) == ("stopped", True)


def test_who_ignores_ctrl_c_is_not_interrupted():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert interruptible(lambda: strike() or signal.getsignal(signal.SIGINT), lambda: None) == (
            signal.SIG_IGN,
            False,
        )
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("status", "ended"), [(Status.OPTIMAL, Termination.COMPLETED), (Status.FEASIBLE, Termination.INTERRUPTED)]
)
def test_an_answer_tells_of_ctrl_c_meanwhile(status: Status, ended: Termination):
    _, answer = asked()
    given = replace(answer, status=status, termination=Termination.COMPLETED)
    assert concluded(lambda: given) is given
    told = concluded(struck(lambda: given))
    assert (told.release, told.termination, told.interrupted) == (given.release, ended, True)


def test_ctrl_c_while_a_restart_s_release_is_measured_keeps_it(monkeypatch: pytest.MonkeyPatch):
    problem, answer = asked()
    measured, times = BestRelease.measured, [0]

    def once(best: BestRelease, release: Release) -> Any:
        times[0] += 1
        if times[0] == 1:
            raise KeyboardInterrupt
        return measured(best, release)

    monkeypatch.setattr(BestRelease, "measured", once)
    found = restarted(lambda own, best: answer, problem, Settings(), Watch())
    assert (found.release, found.interrupted) == (answer.release, True)


def test_ctrl_c_while_an_answer_is_compared_keeps_it(monkeypatch: pytest.MonkeyPatch):
    problem, answer = asked()

    class Found:
        name = "found"
        asks_for_heuristics = True

        def refuses(self, problem: Problem) -> str | None:
            return None

        def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
            return answer

    monkeypatch.setattr(portfolio, "no_worse", struck(portfolio.no_worse))
    found = portfolio.informed(Found(), problem, Settings(), Watch())
    assert (found.release, found.interrupted) == (answer.release, True)
    monkeypatch.setattr(restarting, "_together", struck(restarting._together))  # pyright: ignore[reportPrivateUsage]
    found = restarted(lambda own, best: answer, problem, Settings(), Watch())
    assert (found.release, found.interrupted) == (answer.release, True)


def test_no_end_of_time_is_no_limit(monkeypatch: pytest.MonkeyPatch):
    limits, known = list[float | None](), search._searching  # pyright: ignore[reportPrivateUsage]

    def asked_for(problem: Problem, settings: Settings) -> Settings:
        limits.append(settings.time_limit)
        return known(problem, settings)

    monkeypatch.setattr(search, "_searching", asked_for)
    problem, _ = asked()
    for limit in (None, float("inf"), 10**400, Fraction(5, 2)):
        search.solve_problem(problem, time_limit=limit, display=False)  # pyright: ignore[reportArgumentType]
    assert limits == [None, None, None, 2.5]


def test_how_long_the_end_takes_is_measured_before_the_search(monkeypatch: pytest.MonkeyPatch):
    """Measured when the search is over, it is one more moment in which Ctrl-C would lose what was found."""
    measured, begun = list[Problem](), list[int]()
    known, counted = ending.released, search._searched  # pyright: ignore[reportPrivateUsage]

    def released(problem: Problem, groups: list[list[int]]) -> Release:
        measured.append(problem)
        return known(problem, groups)

    def searched(*given: Any, **named: Any) -> Answer:
        begun.append(len(measured))
        return counted(*given, **named)

    monkeypatch.setattr(ending, "released", released)
    monkeypatch.setattr(search, "_searched", searched)
    problem = Problem(
        table=random_problem(7, 20).table, policy=Policy([KCAnonymity(k=2)], ["discernibility"])
    )
    search.solve_problem(problem, time_limit=5.0, display=False)
    assert begun == [sum(one is problem for one in measured)]
    assert begun[0] > 0
