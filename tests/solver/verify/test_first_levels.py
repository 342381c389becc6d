"""Somebody's word on some levels of the objective: what small tables tell without a claim is about these."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import optanon as oa
from optanon.models.errors import CertificateError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import Difference, KAnonymity
from optanon.solver.certificate import Certificate, CertificateRun
from optanon.solver.certify import digests, published
from optanon.solver.claims import Trusted
from optanon.solver.verify.checking import verify

AGES = np.array([0, 5, 9, 6, 8])


@pytest.fixture(name="problem")
def series() -> Problem:
    """Two people come to three who were one group: one of these alone is never told apart from two."""
    first, both = (_table(people) for people in (3, 5))
    earlier = Problem(table=first, policy=Policy([KAnonymity(k=3)])).assemble([range(3)])
    kept = [KAnonymity(k=1), Difference(k=2)]
    policy = Policy(kept, ["maximum_group_size", "information_loss"])
    return Problem(table=both, policy=policy, history=History([earlier]))


def _table(people: int) -> oa.Microdata:
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(people)], "age": AGES[:people], "value": "a"})
    return oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"age": "numeric"}, sensitive="value"
    )


def _told(problem: Problem, release: Release, words: dict[int, Fraction]) -> Certificate:
    """A certificate that nothing proves, with CP-SAT's word on some levels."""
    values = problem.objective(release)
    return Certificate(
        problem=digests(problem),
        status="FEASIBLE",
        release=published(problem, release),
        values=values,
        bounds=(Fraction(0),) * len(values),
        claims=tuple(
            Trusted(level=level, bound=bound, solver="CP-SAT", why="no proof")
            for level, bound in words.items()
        ),
        refusal=None,
        run=CertificateRun(engine="assignment", seed=0, workers=1, versions={}, effort={}),
    )


def test_the_best_in_the_first_level_may_be_improved_in_the_next(problem: Problem):
    """A search that ended there said nothing of the rest: its certificate was refused."""
    wide = problem.assemble([[0], [1, 4], [2, 3]])
    assert next(problem.check(wide), None) is None
    assert problem.objective(problem.assemble([[0], [1, 3], [2, 4]])) < problem.objective(wide)
    outcome = verify(_told(problem, wide, {0: Fraction(2)}), problem, wide)
    assert outcome.bounds == (2, 0)
    assert outcome.whole
    assert any("better groupings fail the check" in line for line in outcome.confirmed)


def test_a_word_on_a_later_level_is_about_releases_as_good_before(problem: Problem):
    """Smaller groups lose less, too, and contradict nothing."""
    large = problem.assemble([[0, 3], [1, 2, 4]])
    assert next(problem.check(large), None) is None
    outcome = verify(_told(problem, large, {1: problem.objective(large)[1]}), problem, large)
    assert not outcome.whole
    assert outcome.bounds == (0, 0)


def test_words_that_a_better_release_contradicts_are_refused(problem: Problem):
    large, wide = problem.assemble([range(5)]), problem.assemble([[0], [1, 4], [2, 3]])
    for release, words in ((large, {0: Fraction(5)}), (wide, dict(enumerate(problem.objective(wide))))):
        with pytest.raises(CertificateError, match="better than the one that is said to be optimal"):
            verify(_told(problem, release, words), problem, release)
