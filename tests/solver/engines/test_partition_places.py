"""Policies that need groups of any size, by boxes over places: against brute force, and forged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from cases.people import people
from oracle.partition import LEAVES, REGIONS, optimum, random_problem

from optanon.models.errors import CertificateError
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import (
    DistinctLDiversity,
    EntropyLDiversity,
    KCAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from optanon.models.table import Microdata
from optanon.solver.claims import PricedClaim
from optanon.solver.colgen.boxes import grid
from optanon.solver.colgen.boxes.pricing import BoxPricing
from optanon.solver.colgen.duals import DualBound
from optanon.solver.colgen.structure.histograms import Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition import by_boxes, histogram, places as places_room
from optanon.solver.engines.partition.places import PlacedBoxes
from optanon.solver.search import solve_problem
from optanon.solver.settings import Clock
from optanon.solver.verify.checking import verify
from optanon.solver.verify.priced import priced_loss

BEYOND: list[Sequence[Requirement]] = [
    [DistinctLDiversity(l=2)],
    [KCAnonymity(k=2), DistinctLDiversity(l=2)],
    [KCAnonymity(k=3), DistinctLDiversity(l=2)],
    [KCAnonymity(k=2), EntropyLDiversity(l=Fraction(2))],
    [KCAnonymity(k=2), RecursiveCLDiversity(c=Fraction(2), l=2)],
    [KCAnonymity(k=2), TCloseness(t=Fraction(1, 2))],
]


def placed(problem: Problem) -> PlacedBoxes | None:
    judge = Judge(problem)
    return PlacedBoxes.of(problem, Rows.of(problem, blind=judge.blind), 1, Clock())


def proof(places: PlacedBoxes, seed: int) -> PricedClaim:
    """Duals drawn at random and made feasible by the boxes, under cuts over different divisors."""
    boxes, random = places.boxes, np.random.default_rng(seed)
    many, dear = len(boxes.rows), boxes.rows.dearest
    boxes.cuts.add([tuple(range(0, many, 2))], 3)
    boxes.cuts.add([tuple(range(many // 2))], 2)
    duals = boxes.duals(random.uniform(0.0, 0.3, many) * dear, np.array([-0.05, -0.02]) * dear)
    places.best.offer(duals.made_feasible(boxes.price(duals, per_anchor=1).worst))
    assert places.best.duals is not None
    found = places.described(places.best.duals, 0)
    assert isinstance(found, PricedClaim)
    return found


def without(problem: Problem, attribute: int) -> PlacedBoxes | None:
    """Boxes that know nothing of an attribute."""
    places = placed(problem)
    if places is None:
        return None
    rows = Rows.of(problem, blind=True, unpriced=[attribute])
    boxes = BoxPricing.of(rows, places.boxes.histograms, 1, Clock())
    assert boxes is not None
    return replace(places, boxes=boxes, best=DualBound(boxes), unpriced=(attribute,))


def per(problem: Problem) -> int:
    return len(problem.table) if "average_information_loss" in problem.policy.levels[0].losses else 1


@pytest.mark.parametrize("seed", range(24))
def test_what_boxes_over_places_prove_is_true_of_the_whole_policy(seed: int):
    problem = random_problem(seed, 9, BEYOND[seed % len(BEYOND)])
    places, least = placed(problem), optimum(problem)
    if places is None or least is None:
        pytest.skip("values matter to the part, or there is no release")
    known = proof(places, seed)
    proven = priced_loss(problem, known, None)
    assert proven == max(proven, places.boxes.rows.loss(places.best.bound))
    assert proven <= least * per(problem)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_proven_without_an_attribute_is_true_with_it_and_needs_to_be_said(seed: int):
    problem = random_problem(seed, 9, BEYOND[seed % len(BEYOND)])
    attribute = seed % len(problem.table.domains)
    places, least = without(problem, attribute), optimum(problem)
    if places is None or least is None:
        pytest.skip("values matter to the part, or there is no release")
    known = proof(places, seed)
    proven = priced_loss(problem, known, None)
    assert proven == max(proven, places.boxes.rows.loss(places.best.bound))
    assert proven <= least * per(problem)
    for other in ((), tuple(range(len(problem.table.domains)))):
        try:
            forged = priced_loss(problem, known.model_copy(update={"unpriced": other}), None)
        except CertificateError:
            continue
        assert forged <= least * per(problem)
    with pytest.raises(CertificateError, match="does not have"):
        priced_loss(problem, known.model_copy(update={"unpriced": (99,)}), None)


@pytest.mark.parametrize("seed", range(4))
def test_forged_bounds_over_places_are_refused_or_prove_no_more_than_is_true(seed: int):
    drawn = (random_problem(at, 9, BEYOND[2]) for at in range(seed, 100, 4))
    problem = next(problem for problem in drawn if optimum(problem) is not None)
    places, least = placed(problem), optimum(problem)
    assert places is not None
    assert least is not None
    known, refused = proof(places, seed), 0
    one, values = known.root.scale * places.boxes.rows.scale, len(problem.table)
    forged = [known.model_copy(update={"places": False})]
    for cut in range(len(known.cuts)):
        cuts = (*known.cuts[:cut], known.cuts[cut][1:], *known.cuts[cut + 1 :])
        forged += [
            known.model_copy(update={"cuts": cuts}),
            known.model_copy(update={"divisors": (7,) * len(known.cuts)}),
        ]
    for t in range(values):
        duals = list(known.root.duals)
        duals[t] += one
        root = known.root.model_copy(update={"duals": tuple(duals)})
        forged.append(known.model_copy(update={"root": root}))
    root = known.root.model_copy(update={"duals": tuple(d + one for d in known.root.duals)})
    forged.append(known.model_copy(update={"root": root}))
    for claim in forged:
        try:
            assert priced_loss(problem, claim, None) <= least * per(problem)
        except CertificateError:
            refused += 1
    assert refused > 1


def test_places_are_no_rows_of_a_part_that_looks_at_values():
    problem = random_problem(3, 9, [KCAnonymity(k=3), DistinctLDiversity(l=2)])
    places = placed(problem)
    assert places is not None
    known = proof(places, 1)
    looks = Problem(table=problem.table, policy=Policy([KCAnonymity(k=3, c=Fraction(1, 2))]))
    with pytest.raises(CertificateError, match="looks at values"):
        priced_loss(looks, known, None)


def test_groups_of_places_are_dealt_so_that_the_whole_policy_admits_them():
    problem = people(300, 1, DistinctLDiversity(l=2))
    places, judge = placed(problem), Judge(problem)
    assert places is not None
    each = np.repeat(np.arange(len(places.boxes.rows)), places.boxes.rows.count).tolist()
    threes = [tuple(each[at : at + 3]) for at in range(0, len(each), 3)]
    groups = places.dealt(threes, judge, Clock())
    assert groups is not None
    rows = places.rows
    assert (
        sorted(r for group in groups for r in group) == np.repeat(np.arange(len(rows)), rows.count).tolist()
    )
    assert all(len({int(rows.value[r]) for r in group}) > 1 for group in groups)
    kept = sum(places.of_rows([group])[0] in threes for group in groups)
    assert 4 * kept > len(threes)


def two_numbers(tuples: int) -> Problem:
    """Ages and hours, most of them 40, in regions."""
    random = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "id": range(tuples),
            "hours": np.where(random.random(tuples) < 0.6, 40, random.integers(1, 80, tuples)),
            "age": random.integers(20, 50, tuples),
            "region": random.choice(LEAVES, tuples),
            "value": random.choice(list("abcdefg"), tuples),
        }
    )
    table = Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={"hours": "numeric", "age": "numeric", "region": REGIONS},
        sensitive="value",
    )
    return Problem(table=table, policy=Policy([KCAnonymity(k=3), TCloseness(t=Fraction(1, 2))]))


def test_two_numbers_make_too_many_boxes_and_the_one_that_tells_more_proves_a_bound(
    monkeypatch: pytest.MonkeyPatch,
):
    limits = replace(histogram.LIMITS, finished_rows=100, cut_rounds=2, box_stalled=1)
    monkeypatch.setattr(histogram, "LIMITS", limits)
    for module in (by_boxes, places_room):
        monkeypatch.setattr(module, "LIMITS", limits)
    monkeypatch.setattr(grid, "MOST_PAIRS", 10_000)
    monkeypatch.setattr(histogram, "at_sight", lambda *given: None)  # pyright: ignore[reportUnknownLambdaType]
    problem = two_numbers(200)
    places = placed(problem)
    assert places is not None
    assert places.unpriced == (0,)
    for seconds in (3, 10, 60):  # most of the first may go into compiling
        result = solve_problem(
            problem, seed=1, workers=1, engine="partition", time_limit=seconds, display=False
        )
        assert result.certificate is not None
        if any(
            isinstance(claim, PricedClaim) and claim.unpriced == (0,) for claim in result.certificate.claims
        ):
            break
    else:
        pytest.fail("no bound that leaves hours unpriced")
    bound, value = result.bound[0], result.objective[0]
    assert bound is not None
    assert 0 < bound <= value
    assert verify(result.certificate, problem, result.release).whole


def test_a_large_table_under_l_diversity_has_a_bound_that_the_verifier_derives(
    monkeypatch: pytest.MonkeyPatch,
):
    limits = replace(histogram.LIMITS, finished_rows=100, cut_rounds=2, box_stalled=1)
    monkeypatch.setattr(histogram, "LIMITS", limits)
    monkeypatch.setattr(by_boxes, "LIMITS", limits)
    problem = people(200, 1, DistinctLDiversity(l=2), values="abcdefg")
    for seconds in (6, 30, 90):  # most of the first may go into compiling
        result = solve_problem(
            problem, seed=1, workers=1, engine="partition", time_limit=seconds, display=False
        )
        if result.objective[0] <= Fraction(5, 4) * (result.bound[0] or 0):
            break
    assert result.certificate is not None
    (claim,) = [c for c in result.certificate.claims if isinstance(c, PricedClaim)]
    assert claim.part is None  # groups with so many different values are priced whole
    assert not claim.places
    bound, value = result.bound[0], result.objective[0]
    assert bound is not None
    assert 0 < value <= Fraction(5, 4) * bound
    assert verify(result.certificate, problem, result.release).whole
