"""Level vectors evaluated again in less time than they were, or in more."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

import optanon as oa
from optanon.models.errors import CertificateError
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.recoding import Recoding
from optanon.models.requirements import KAnonymity
from optanon.solver.certify import published
from optanon.solver.search import solve_problem
from optanon.solver.verify.checking import verify

OVER = 1e-9
"""Seconds that have passed before anything is evaluated."""


@pytest.fixture(name="problem")
def four_ages() -> Problem:
    """Ages two and two: halves of the domain are best."""
    frame = pd.DataFrame({"id": list("abcd"), "age": [0, 1, 8, 9], "value": list("xyxy")})
    table = oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"age": "numeric"}, sensitive="value"
    )
    return Problem(table=table, policy=Policy([KAnonymity(k=2)], recoding="full_domain"))


def test_no_time_leaves_the_bound_to_its_engine(problem: Problem):
    """A true certificate was refused: of its bound nothing was what its claims proved."""
    result = solve_problem(problem, workers=1, display=False)
    assert result.certificate is not None
    assert verify(result.certificate, problem, result.release).whole
    outcome = verify(result.certificate, problem, result.release, seconds=OVER)
    assert outcome.bounds == (0,)
    assert "not all level vectors could be evaluated again in time" in outcome.verdict
    assert "optimal" not in outcome.verdict


def test_a_search_that_ended_early_states_less_than_all_vectors_prove(problem: Problem):
    """So does every search of a large lattice that ends at its limit: its certificates were refused."""
    result = solve_problem(problem, workers=1, display=False)
    assert result.certificate is not None
    (least,) = result.objective
    early = result.certificate.model_copy(update={"status": "FEASIBLE", "bounds": (least / 2,)})
    outcome = verify(early, problem, result.release)
    assert outcome.whole
    assert outcome.bounds == (least,)


def test_more_than_all_vectors_prove_is_refused(problem: Problem):
    best = solve_problem(problem, workers=1, display=False)
    assert best.certificate is not None
    top = Recoding(ladders=problem.ladders, levels=(problem.ladders[0].height,))
    whole = problem.assemble([range(4)], boxes=[top.box([0])])
    values = problem.objective(whole)
    assert values > best.objective
    for bounds, status in ((values, "OPTIMAL"), ((best.objective[0] + Fraction(1, 9),), "FEASIBLE")):
        changes = {"values": values, "bounds": bounds, "status": status, "release": published(problem, whole)}
        with pytest.raises(CertificateError, match="is what its claims prove"):
            verify(best.certificate.model_copy(update=changes), problem, whole)
