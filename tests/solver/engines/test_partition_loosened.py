"""Policies without a largest needed group: bounds of a part and of the whole, against brute force."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases.certificates import changed, claim, plain
from oracle.partition import optimum, random_problem
from pydantic import ValidationError

from optanon.models.errors import CertificateError
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import (
    DistinctLDiversity,
    EntropyLDiversity,
    KCAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from optanon.solver.claims import ListedClaim, PricedClaim
from optanon.solver.colgen.structure import histograms
from optanon.solver.colgen.structure.histograms import Histograms
from optanon.solver.engines.partition import histogram, loosened
from optanon.solver.engines.partition.histogram import HistogramSearch
from optanon.solver.engines.partition.loosened import Loosened
from optanon.solver.engines.partition.objective import Objective
from optanon.solver.search import partition_engine, solve_problem
from optanon.solver.settings import Answer, Settings, Watch
from optanon.solver.status import Status
from optanon.solver.verify.checking import verify
from optanon.solver.verify.priced import proven_loss

BEYOND: list[Sequence[Requirement]] = [
    [DistinctLDiversity(l=2)],
    [KCAnonymity(k=2), DistinctLDiversity(l=2)],
    [KCAnonymity(k=3, c="2/3"), DistinctLDiversity(l=3)],
    [KCAnonymity(k=3, c="1/2"), DistinctLDiversity(l=3)],
    [KCAnonymity(k=2), EntropyLDiversity(l=2)],
    [KCAnonymity(k=2), RecursiveCLDiversity(c=2, l=2)],
    [KCAnonymity(k=2), TCloseness(t="0.5")],
    [KCAnonymity(k=2, c="2/3"), DistinctLDiversity(l=2), TCloseness(t="0.6")],
]


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables go the way of large ones: larger histograms than those of four tuples are beyond."""
    monkeypatch.setattr(histogram, "LIMITS", replace(histogram.LIMITS, simplex_rows=0))
    monkeypatch.setattr(histograms, "LIMITS", replace(histograms.LIMITS, read=4))


@pytest.fixture
def never_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the part's bound."""

    def no(*_: object) -> bool:
        return False

    monkeypatch.setattr(loosened, "_priced", no)
    monkeypatch.setattr(histogram, "boxes_of", lambda *_, **__: None)  # these price the whole, too


def solved(problem: Problem) -> Answer:
    answer = partition_engine().solve(problem, Settings(), Watch())
    if answer.release is not None:
        assert next(problem.check(answer.release), None) is None
    return answer


def beyond(problem: Problem) -> bool:
    found = Histograms.of(problem)
    return isinstance(found, Histograms) and found.steps.beyond


def compare(problem: Problem, answer: Answer) -> Fraction:
    """The optimum: never a bound above it, and a status that is true."""
    best = optimum(problem)
    if best is None:
        assert answer.release is None
        return Fraction(0)
    assert answer.status in (Status.OPTIMAL, Status.FEASIBLE)
    assert answer.release is not None
    assert answer.bounds[0] is not None
    value = problem.objective(answer.release)[0]
    assert answer.bounds[0] <= best <= value
    assert (answer.status is Status.OPTIMAL) == (answer.bounds[0] == value)
    return best


@pytest.mark.parametrize("seed", range(24))
def test_bounds_are_below_the_optimum_and_confirmed(seed: int):
    problem = random_problem(seed, 8 + seed % 3, BEYOND[seed % len(BEYOND)])
    if not beyond(problem):
        pytest.skip("no small group is admissible")
    answer = solved(problem)
    best = compare(problem, answer)
    for proof in priced(answer):
        assert answer.bounds[0] is not None
        assert proven_loss(problem, proof) <= best * per(problem)


@pytest.mark.usefixtures("never_whole")
@pytest.mark.parametrize("seed", range(24))
def test_the_part_bounds_the_whole(seed: int):
    problem = random_problem(seed, 8 + seed % 3, BEYOND[seed % len(BEYOND)])
    if not beyond(problem):
        pytest.skip("no small group is admissible")
    answer = solved(problem)
    best = compare(problem, answer)
    for proof in priced(answer):
        assert proof.part is not None
        assert proven_loss(problem, proof) <= best * per(problem)


def priced(answer: Answer) -> list[PricedClaim | ListedClaim]:
    return [found for found in answer.claims if isinstance(found, PricedClaim | ListedClaim)]


def per(problem: Problem) -> int:
    return len(problem.table) if "average_information_loss" in problem.policy.levels[0].losses else 1


@pytest.fixture
def by_part(never_whole: None) -> tuple[Problem, PricedClaim | ListedClaim]:
    problem = random_problem(3, 20, [KCAnonymity(k=2), DistinctLDiversity(l=2)])
    proof = max(priced(solved(problem)), key=lambda proof: proven_loss(problem, proof))
    assert proof.part == (0,)
    return problem, proof


def test_a_dual_of_the_part_that_is_too_high_is_caught(by_part: tuple[Problem, PricedClaim | ListedClaim]):
    problem, proof = by_part
    assert proven_loss(problem, proof) > 0
    root = proof.root.model_copy(update={"duals": tuple(3 * dual + 10**6 for dual in proof.root.duals)})
    with pytest.raises(CertificateError):
        proven_loss(problem, proof.model_copy(update={"root": root}))


@pytest.mark.parametrize("part", [(2,), (0, 5)])
def test_the_part_is_one_of_the_policy(
    by_part: tuple[Problem, PricedClaim | ListedClaim], part: tuple[int, ...]
):
    problem, proof = by_part
    with pytest.raises(CertificateError, match="does not have"):
        proven_loss(problem, proof.model_copy(update={"part": part}))


@pytest.mark.parametrize("part", [[-1], [True], ["0"]])
def test_the_part_is_told_by_numbers(by_part: tuple[Problem, PricedClaim | ListedClaim], part: list[Any]):
    with pytest.raises(ValidationError):
        type(by_part[1]).model_validate_json(json.dumps(by_part[1].model_dump() | {"part": part}))


def test_the_part_is_for_requirements_that_are_asked_for(by_part: tuple[Problem, PricedClaim | ListedClaim]):
    """Duals for groups of 2 prove nothing where single tuples may be published."""
    problem, proof = by_part
    looser = random_problem(3, 20, [KCAnonymity(k=1), DistinctLDiversity(l=1)])
    assert problem.table.members == looser.table.members
    with pytest.raises(CertificateError):
        proven_loss(looser, proof)


def test_the_certificate_is_verified_with_its_part(never_whole: None):
    problem = random_problem(5, 24, [KCAnonymity(k=3, c="2/3"), DistinctLDiversity(l=3)])
    result = solve_problem(problem, engine="partition", seed=1)
    assert result.certificate is not None
    assert claim(plain(result.certificate), "priced")["part"] == [0]
    assert "exact pricing" in "".join(verify(result.certificate, problem, result.release).confirmed)

    def higher(content: dict[str, Any]) -> None:
        root = claim(content, "priced")["root"]
        root["duals"] = [2 * dual + 10**6 for dual in root["duals"]]

    with pytest.raises(CertificateError, match="prove nothing"):
        verify(changed(result.certificate, higher), problem, result.release)


def test_what_is_left_out_can_only_add_groups():
    """The part has the requirements with a largest needed group, and the least size of all."""
    problem = random_problem(1, 12, [KCAnonymity(k=2), DistinctLDiversity(l=3)])
    indices, part, found = loosened.finite(problem)
    assert indices == (0,)
    assert not found.steps.beyond
    assert max(r.bounds(problem).smallest for r in part.policy.requirements) == 3
    only = random_problem(1, 12, [DistinctLDiversity(l=3)])
    assert loosened.finite(only)[0] == ()
    assert loosened.finite(only)[2].steps.largest == 5


def test_the_same_seed_gives_the_same_answer():
    problem = random_problem(7, 24, [KCAnonymity(k=2), DistinctLDiversity(l=2)])
    one, other = solved(problem), solved(problem)
    assert one.release == other.release
    assert one.bounds == other.bounds
    assert one.bounds[0] is not None
    assert one.bounds[0] > Fraction(0)


def test_duals_that_are_known_already_are_of_the_whole_policy():
    problem = random_problem(3, 12, [KCAnonymity(k=2), DistinctLDiversity(l=2)])
    assert beyond(problem)
    objective = Objective.of(problem)
    assert isinstance(objective, Objective)
    search = HistogramSearch(problem, Settings(), Watch(), objective)
    begun = problem, search.judge, search.pricing, search.progress, search.root, Settings()
    assert Loosened(*begun).part is not None
    search.root.offer(search.pricing.duals(np.zeros(len(search.rows)), np.zeros(0)))
    assert Loosened(*begun).part is None
