"""Random policies: answers of the program are found sound, and forged ones are not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from optanon.bench import wild_policies
from optanon.bench.wild_policies import WildPolicies, WrongAnswerError, drawn
from optanon.models.errors import CertificateError
from optanon.solver.search import solve_problem


def test_every_number_is_a_problem_of_its_own_and_always_the_same():
    known = [drawn(Random(f"1/{number}")) for number in range(40)]
    assert [limit for _, limit in known] == [drawn(Random(f"1/{number}"))[1] for number in range(40)]
    assert len({str(problem.policy.content) for problem, _ in known}) > 30
    assert {len(problem.table) > 30 for problem, _ in known} == {True, False}


@pytest.mark.slow
def test_answers_are_sound():
    rows = WildPolicies(seed=3, problems=4).run()
    assert rows[0]["times"] == 4


def test_a_bound_above_the_value_is_a_mistake_and_can_be_had_again(monkeypatch: pytest.MonkeyPatch):
    def forged(problem, **asked):
        result = solve_problem(problem, time_limit=0.5, seed=1, workers=1)
        levels = tuple(replace(level, bound=level.value + 1) for level in result.levels)
        return replace(result, levels=levels, bounds=tuple(level.bound for level in levels))

    monkeypatch.setattr(wild_policies, "solve_problem", forged)
    number = next(i for i in range(50) if len(drawn(Random(f"1/{i}"))[0].table) == 12)
    with pytest.raises(WrongAnswerError, match=f"bound above value, --seed 1 --at {number}"):
        WildPolicies(seed=1, at=number).run()


def test_an_exception_is_a_mistake(monkeypatch: pytest.MonkeyPatch):
    def broken(problem, **asked):
        raise ZeroDivisionError(Fraction(1))

    monkeypatch.setattr(wild_policies, "solve_problem", broken)
    with pytest.raises(WrongAnswerError, match="ZeroDivisionError"):
        WildPolicies(seed=1, problems=1).run()


def test_a_contradiction_is_a_mistake(monkeypatch: pytest.MonkeyPatch):
    def contradicted(problem, **asked):
        raise CertificateError("the loss is 3, below the bound 4")

    monkeypatch.setattr(wild_policies, "solve_problem", contradicted)
    with pytest.raises(WrongAnswerError, match=r"contradiction.*below the bound 4"):
        WildPolicies(seed=1, problems=1).run()
