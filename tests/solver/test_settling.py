"""What is told of a proof that is derived in part only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from oracle.partition import random_problem

from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.solver.claims import ListedClaim, PricedClaim
from optanon.solver.search import partition_engine
from optanon.solver.settings import Answer, Clock, Settings, Watch
from optanon.solver.settling import settled
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
