"""What is told of a proof that is derived in part only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from oracle.partition import random_problem

from optanon.models.errors import CertificateError
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.solver.claims import (
    Empty,
    LatticeClaim,
    ListedClaim,
    Plain,
    PricedClaim,
    Rest,
    Trusted,
    Within,
)
from optanon.solver.engines.assignment.engine import AssignmentEngine
from optanon.solver.exact.proving import proven
from optanon.solver.incumbent import refused
from optanon.solver.search import partition_engine, result_of
from optanon.solver.settings import Answer, Clock, Settings, Watch
from optanon.solver.settling import settled
from optanon.solver.status import Status, Termination
from optanon.solver.verify import priced
from optanon.solver.verify.outcome import UndecidedError


def listed() -> Iterator[tuple[Problem, Answer]]:
    """Tables whose optimum takes a search tree."""
    for seed in range(4):
        problem = random_problem(seed, 14, [KCAnonymity(k=3)])
        answer = partition_engine().solve(problem, Settings(time_limit=20.0), Watch())
        if any(isinstance(claim, ListedClaim) for claim in answer.claims):
            yield problem, answer


def test_a_tree_that_is_not_checked_in_time_leaves_the_bound_of_its_duals(monkeypatch: pytest.MonkeyPatch):
    def late(*_: object) -> int:
        raise UndecidedError("the search tree could not be checked in time")

    trees = 0
    for problem, answer in listed():
        whole = settled(problem, answer, "partition", Clock()).levels[0]
        assert whole.bound == whole.value
        with monkeypatch.context() as patch:
            patch.setattr(priced, "searched", late)
            told = settled(problem, answer, "partition", Clock())
        level = told.levels[0]
        assert 0 < level.bound <= whole.bound
        assert all(isinstance(claim, PricedClaim) for claim in told.answer.claims if claim.kind != "trusted")
        if level.bound < whole.bound:
            trees += 1
            assert (level.trusted_bound, level.word) == (whole.bound, "partition")
    assert trees


def test_a_tree_that_is_refused_within_a_part_leaves_the_bound_of_its_duals(monkeypatch: pytest.MonkeyPatch):
    def other(*_: object) -> int:
        raise CertificateError("node 1 of the search tree: it does not reach the bound")

    monkeypatch.setattr(priced, "searched", other)
    for problem, answer in listed():
        duals = settled(problem, answer, "partition", Clock()).levels[0].bound
        own = tuple(c for c in answer.claims if isinstance(c, PricedClaim | ListedClaim))
        within = Within(part=Plain(requirements=(0,)), claims=own)
        for claim in (within, Rest(levels=0, claim=within)):
            told = settled(problem, replace(answer, claims=(claim,)), "partition", Clock())
            assert 0 < told.levels[0].bound == duals
            assert told.levels[0].word == "partition"


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def small(k: int) -> tuple[Problem, Answer]:
    """A table of six, and the direct model's word."""
    problem = random_problem(1, 6, [KCAnonymity(k=k)])
    return problem, AssignmentEngine().solve(problem, Settings(), Watch())


def test_ctrl_c_while_claims_are_derived_keeps_the_release(monkeypatch: pytest.MonkeyPatch):
    problem, answer = small(2)
    assert answer.status is Status.OPTIMAL
    with monkeypatch.context() as patch:
        patch.setattr("optanon.solver.settling.derived", interrupted)
        told = settled(problem, answer, "assignment", Clock())
    assert told.answer.release == answer.release
    assert (told.answer.status, told.answer.termination) == (Status.FEASIBLE, Termination.PROOF_INCOMPLETE)
    (level,) = told.levels
    assert (level.bound, level.trusted_bound, level.word) == (0, answer.bounds[0], "assignment")
    monkeypatch.setattr("optanon.solver.exact.subsets.Subsets.optimum", interrupted)
    assert proven(problem, answer, Clock()) == answer


def test_ctrl_c_while_a_refusal_is_derived_keeps_the_verdict(monkeypatch: pytest.MonkeyPatch):
    problem, _ = small(2)
    monkeypatch.setattr("optanon.solver.settling.refused", interrupted)
    monkeypatch.setattr("optanon.solver.answering.conflict", interrupted)
    told = settled(problem, refused(problem, Empty(checked=None)), "subsets", Clock())
    assert (told.answer.status, told.answer.termination) == (Status.INFEASIBLE, Termination.PROOF_INCOMPLETE)
    assert told.words == "subsets (its proof was not derived again: interrupted)"
    result = result_of(problem, told.answer, "subsets (6 tuples)", Watch(), Settings(), reasons=True)
    assert result.status is Status.INFEASIBLE
    assert str(result.reason).startswith("no release keeps the policy; that is the word of subsets")


def test_a_derived_bound_above_the_release_s_value_is_an_error(monkeypatch: pytest.MonkeyPatch):
    problem, answer = small(2)
    answer = proven(problem, answer, Clock())
    (value,), (claim,) = answer.bounds, answer.claims
    assert value is not None
    assert claim.kind == "subsets"
    monkeypatch.setattr("optanon.solver.verify.bounds.subsets", lambda given: [value + 1])
    with pytest.raises(CertificateError, match=r"a claim of kind 'subsets'.*please report"):
        settled(problem, answer, "assignment", Clock())


def test_a_word_above_the_release_s_value_says_nothing():
    """A solver's floats may be a little too high, and on later levels it may be about better releases."""
    problem, answer = small(2)
    (value,) = answer.bounds
    assert value is not None
    for forged in (
        replace(answer, claims=(Trusted(level=0, bound=value + 1, solver="CP-SAT", why="the model"),)),
        replace(answer, claims=(), bounds=(value + 1,)),
    ):
        told = settled(problem, forged, "assignment", Clock())
        assert told.answer.bounds == (0,)
        assert [level.trusted_bound for level in told.levels] == [value if forged.claims else None]


def test_a_refused_proof_is_told_as_one():
    problem, answer = small(2)
    told = settled(problem, replace(answer, claims=(LatticeClaim(level=0),)), "assignment", Clock())
    (word,) = told.answer.claims
    assert isinstance(word, Trusted)
    assert word.why.startswith("its proof of kind 'lattice' was refused: level vectors decide nothing")


def test_what_is_denied_and_derived_is_an_error():
    problem, _ = small(2)
    for checked in (None, 3):
        with pytest.raises(CertificateError, match=r"other than the certificate says|says does not exist"):
            settled(problem, refused(problem, Empty(checked=checked)), "subsets", Clock())
