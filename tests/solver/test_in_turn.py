"""Engines one after the other: what is too large for one is left to others, and the claims of all count."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

import pandas as pd
import pytest
from cases.six import PROBLEM

from optanon.models.errors import CertificateError, EngineError, TooLargeError
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import (
    EntropyLDiversity,
    KAnonymity,
    KCAnonymity,
    TCloseness,
    WeakMInvariance,
)
from optanon.models.table import Microdata
from optanon.solver.claims import Trusted
from optanon.solver.engines.assignment.engine import AssignmentEngine
from optanon.solver.engines.partition.enumerated.search import EnumeratedSearch
from optanon.solver.engines.subsets.engine import SubsetEngine
from optanon.solver.in_turn import InTurn
from optanon.solver.incumbent import BestRelease
from optanon.solver.search import choose, solve_problem
from optanon.solver.settings import Answer, Settings, Watch
from optanon.solver.status import Status, Termination

WHOLE, PAIRS = [[0, 1, 2, 3, 4, 5]], [[0, 1], [2, 3], [4, 5]]


@dataclass
class Fixed:
    """An engine that knows one release and a bound, or takes nothing."""

    name: str
    groups: list[list[int]] | None = None
    bound: Fraction = Fraction(0)
    ended: Termination = Termination.ITERATION_LIMIT
    refusing: bool = False
    asked: list[Settings] = field(default_factory=list[Settings])

    def refuses(self, problem: Problem) -> str | None:
        return f"{self.name} takes nothing" if self.refusing else None

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        self.asked.append(settings)
        if self.groups is None:
            raise TooLargeError(f"too large for {self.name}")
        known = BestRelease(problem, watch)
        known.offer(problem.assemble(self.groups))
        known.raise_bound(0, self.bound)
        claim = Trusted(level=0, bound=self.bound, solver=self.name, why="it says so")
        return replace(
            known.answer((claim,)),
            termination=self.ended,
            interrupted=self.ended is Termination.INTERRUPTED,
        )


def test_the_next_begins_from_the_best_so_far_and_all_claims_count():
    first, second = Fixed("first", PAIRS, Fraction(1, 9)), Fixed("second", WHOLE, Fraction(1, 8))
    engine = InTurn(first, second)
    answer = engine.solve(PROBLEM, Settings(time_limit=100.0), Watch())
    assert engine.name == "first, then second"
    assert answer.release == PROBLEM.assemble(PAIRS)
    assert answer.bounds == (Fraction(1, 8),)
    assert [claim.solver for claim in answer.claims if isinstance(claim, Trusted)] == ["first", "second"]
    assert first.asked[0].time_limit is not None
    assert first.asked[0].time_limit < 50
    assert second.asked[0].time_limit == 100.0
    assert second.asked[0].initial == answer.release


def test_what_is_too_large_for_one_is_left_to_the_next_and_for_all_is_said():
    known, large = Fixed("known", PAIRS), Fixed("large")
    for engine in (InTurn(large, known), InTurn(known, large), InTurn(Fixed("no", refusing=True), known)):
        answer = engine.solve(PROBLEM, Settings(), Watch())
        assert answer.release == PROBLEM.assemble(PAIRS)
        assert engine.refuses(PROBLEM) is None
    with pytest.raises(TooLargeError, match="large"):
        InTurn(large, Fixed("another")).solve(PROBLEM, Settings(), Watch())
    none = InTurn(Fixed("no", refusing=True), Fixed("none", refusing=True))
    assert none.refuses(PROBLEM) == "no takes nothing; none takes nothing"


def test_who_has_the_last_word_ends_it():
    proven = Fixed("proven", PAIRS, PROBLEM.objective(PROBLEM.assemble(PAIRS))[0])
    other = Fixed("other", WHOLE)
    assert InTurn(proven, other).solve(PROBLEM, Settings(), Watch()).status is Status.OPTIMAL
    stopped = Fixed("stopped", WHOLE, ended=Termination.INTERRUPTED)
    answer = InTurn(stopped, other).solve(PROBLEM, Settings(), Watch())
    assert answer.termination is Termination.INTERRUPTED
    assert (
        InTurn(Fixed("any", WHOLE), other).solve(PROBLEM, Settings(first=True), Watch()).release is not None
    )
    assert not other.asked


def test_ctrl_c_before_an_engine_listens_keeps_what_those_before_it_found(monkeypatch: pytest.MonkeyPatch):
    known, stopped = Fixed("known", PAIRS, Fraction(1, 9)), Fixed("stopped", WHOLE)

    def interrupted(*_: object) -> Answer:
        raise KeyboardInterrupt

    monkeypatch.setattr(stopped, "solve", interrupted)
    answer = InTurn(known, stopped).solve(PROBLEM, Settings(), Watch())
    assert answer.release == PROBLEM.assemble(PAIRS)
    assert answer.termination is Termination.INTERRUPTED
    assert answer.bounds == (Fraction(1, 9),)
    with pytest.raises(KeyboardInterrupt):  # there is no release to keep
        InTurn(stopped, known).solve(PROBLEM, Settings(), Watch())


def rows(tuples: int) -> Microdata:
    ages = [(7 * i * i + 3 * i) % 61 for i in range(tuples)]
    frame = pd.DataFrame({"id": range(tuples), "age": ages, "disease": [f"v{i % 6}" for i in range(tuples)]})
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="disease")


@pytest.mark.parametrize("rule", [EntropyLDiversity(l=2), TCloseness(t="3/10")], ids=lambda rule: rule.name)
def test_squares_of_two_dozen_tuples_under_any_requirement_have_a_release_and_a_bound(rule):
    """The direct model refused their numbers, and there was no answer."""
    problem = Problem(table=rows(21), policy=Policy([rule], "squared_error"))
    result = solve_problem(problem, time_limit=2.0, seed=1)
    assert result.release is not None
    assert 0 < result.bound[0] <= result.objective[0]


def test_first_levels_of_two_dozen_tuples_are_what_they_are_alone():
    problem = Problem(
        table=rows(22), policy=Policy([KCAnonymity(k=3)], ["information_loss", "discernibility"])
    )
    engine, _ = choose(problem)
    assert engine.name == "partition, then assignment"
    alone = replace(problem, policy=problem.policy.changed(minimize="information_loss"))
    both, one = (solve_problem(each, time_limit=4.0, seed=1) for each in (problem, alone))
    assert one.status is Status.OPTIMAL
    assert both.objective[0] == both.bound[0] == one.objective[0]


def test_ways_to_add_counterfeits_that_are_too_many_are_left_to_prices():
    """Two of six people have one value: each of their groups has five, with four counterfeits in all."""
    frame = pd.DataFrame({"id": range(6), "age": range(6), "disease": list("aabcde")})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="disease")
    problem = Problem(table=table, policy=Policy([WeakMInvariance(m=5)], "counterfeits"))
    result = solve_problem(problem, time_limit=5.0, seed=1)
    assert result.status is Status.OPTIMAL
    assert result.objective == (4,)


def test_the_best_of_all_sets_stays_where_the_next_engine_does_not_take_the_problem():
    """Squares beyond 64 bits were an error, whatever was known."""
    numbers = [0, 2**39, 5, 2**38 + 1, 2**37 + 11, 2**39 - 7]
    frame = pd.DataFrame({"id": range(6), "age": numbers, "disease": list("ababab")})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="disease")
    problem = Problem(table=table, policy=Policy([KAnonymity(k=2)], "squared_error"))
    assert AssignmentEngine().refuses(problem) is not None
    known, engine = problem.assemble(WHOLE), SubsetEngine()
    answer = engine.solve(problem, Settings(initial=known, time_limit=1e-6), Watch())
    assert answer.release == known
    with pytest.raises(EngineError, match="too large for 64 bits"):
        engine.solve(problem, Settings(time_limit=1e-6), Watch())
    direct = EnumeratedSearch(problem, Settings(time_limit=9.0), Watch(), lambda *_: iter(()))
    direct._direct(6, 1.0)
    assert direct.incumbent.best is None


def test_attributes_may_weigh_more_than_64_bits_hold():
    """The direct model refused their weights, and nobody else was asked."""
    ages = [(7 * i * i + 3 * i) % 61 for i in range(22)]
    frame = pd.DataFrame({"id": range(22), "age": ages, "zip": ages[::-1], "disease": list("ab" * 11)})
    table = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers=["age", "zip"], sensitive="disease"
    )
    policy = Policy([KAnonymity(k=3)], weights={"age": 10**30, "zip": 1})
    assert solve_problem(Problem(table=table, policy=policy), time_limit=1.0, seed=1).release is not None


def test_what_one_denies_and_another_found_is_an_error():
    @dataclass
    class Denying(Fixed):
        status: Status = Status.INFEASIBLE

        def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
            return replace(super().solve(problem, settings, watch), release=None, status=self.status)

    for status, why in ((Status.INFEASIBLE, "denies"), (Status.OPTIMAL, "calls a release optimal")):
        engine = InTurn(Fixed("first", PAIRS), Denying("second", WHOLE, status=status))
        with pytest.raises(CertificateError, match=why):
            engine.solve(PROBLEM, Settings(), Watch())
