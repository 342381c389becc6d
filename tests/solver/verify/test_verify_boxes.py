"""The verifier's own way through all boxes, against all groups one by one."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
from oracle.partition import optimum, random_problem
from oracle.paying import groups, pays

from optanon.models.errors import CertificateError
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import KCAnonymity, WeakMInvariance
from optanon.solver.claims import PricedClaim
from optanon.solver.colgen.boxes.pricing import BoxPricing
from optanon.solver.colgen.structure.histograms import Histograms, Judge
from optanon.solver.colgen.table import Rows as EngineRows
from optanon.solver.engines.partition.proof import describe
from optanon.solver.verify import priced
from optanon.solver.verify.boxes import Walk
from optanon.solver.verify.duals import ClaimedDuals, CutMultipliers
from optanon.solver.verify.listing import listed
from optanon.solver.verify.priced import Single, priced_loss

TUPLES = 9


FORMS: list[Requirement] = [
    KCAnonymity(k=2),
    KCAnonymity(k=3),
    KCAnonymity(k=3, c="1/2"),
    KCAnonymity(k=2, c="2/3"),
    WeakMInvariance(m=3, multiplicity=1),
]


@pytest.mark.parametrize("requirement", FORMS, ids=repr)
@pytest.mark.parametrize("seed", range(8))
def test_a_group_pays_exactly_if_one_of_all_groups_does(seed: int, requirement: Requirement):
    problem = random_problem(seed, TUPLES, [requirement])
    single = Single.of(problem)
    walk, random, rows = Walk.of(single.rows, single.needed), np.random.default_rng(seed), single.rows
    assert walk is not None
    known = groups(single, Judge(problem), int(walk.sizes.most.max()))
    dear, answers = rows.one * sum(rows.units), set[bool]()
    for high in (0.05, 0.1, 0.15, 0.2, 0.3):
        chosen = tuple(np.flatnonzero(random.random(len(rows)) < 0.7).tolist())
        cut = CutMultipliers(rows=chosen, times=(1,) * len(chosen), over=int(random.integers(2, 4)))
        per_row = (random.uniform(-0.02, high, len(rows)) * dear).astype(np.int64)
        duals = ClaimedDuals(rows=per_row, cuts=((cut, -dear // 20),), fake=0, scale=1)
        answers.add(pays(single, duals, known))
        assert walk.pays(duals) == walk.pays(duals, workers=3) == pays(single, duals, known)
    assert answers


def proof_of(problem: Problem, seed: int) -> PricedClaim:
    """Feasible duals with cuts over different divisors, as an engine writes them down."""
    histograms = Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    pricing = BoxPricing.of(EngineRows.of(problem, blind=Judge(problem).blind), histograms)
    assert pricing is not None
    random, rows = np.random.default_rng(seed), len(pricing.rows)
    pricing.cuts.add([tuple(range(0, rows, 2))], 3)
    pricing.cuts.add([tuple(range(rows // 2))], 2)
    dear = pricing.rows.dearest
    duals = pricing.duals(random.uniform(0.0, 0.3, rows) * dear, np.array([-0.05, -0.02]) * dear)
    feasible = duals.made_feasible(pricing.price(duals, per_anchor=1).worst)
    found = describe(pricing.rows, pricing.cuts, feasible, None, level=0, part=None)
    assert isinstance(found, PricedClaim)
    return found


@pytest.mark.parametrize("requirement", FORMS[1:3], ids=repr)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("visits", [0, 1_000_000], ids=["boxes", "listing"])
def test_whatever_is_changed_in_a_proof_is_refused_or_proves_no_more_than_is_true(
    seed: int, requirement: Requirement, visits: int, monkeypatch: pytest.MonkeyPatch
):
    drawn = (random_problem(at, TUPLES, [requirement]) for at in range(seed, 100, 4))
    problem = next(problem for problem in drawn if optimum(problem) is not None)
    known, least = proof_of(problem, seed), optimum(problem)
    assert least is not None
    monkeypatch.setattr(priced, "FEW_VISITS", visits)
    assert known.divisors == (3, 2)
    if problem.policy.levels[0].name != "information_loss":
        least *= len(problem.table)
    proven = priced_loss(problem, known, None)
    assert 0 < proven <= least
    content, refused = known.model_dump(mode="json"), 0
    for change in changes(content):
        try:
            found = priced_loss(problem, PricedClaim.model_validate_json(text(change)), None)
        except (CertificateError, ValueError):
            refused += 1
            continue
        assert found <= least
    assert refused > TUPLES


@pytest.mark.parametrize(("visits", "said"), [(0, "in some box"), (1_000_000, "a group of 3 tuples")])
def test_duals_for_which_a_group_pays_are_refused(visits: int, said: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(priced, "FEW_VISITS", visits)
    problem = random_problem(3, TUPLES, [KCAnonymity(k=3)])
    known = proof_of(problem, 3).model_dump(mode="json")
    known["root"]["duals"] = [dual + 10**12 for dual in known["root"]["duals"]]
    with pytest.raises(CertificateError, match=said):
        priced_loss(problem, PricedClaim.model_validate_json(text(known)), None)


@pytest.mark.parametrize("few", [0, 6_000], ids=["many rows", "few rows"])
def test_groups_of_large_tables_are_not_listed_before_boxes(few: int, monkeypatch: pytest.MonkeyPatch):
    """Each visit of a listing takes so long there that bounds of 104,731 people were not derived in time."""
    asked = list[int | None]()

    def told(*given: Any) -> Any:
        asked.append(given[-1])
        return listed(*given)

    monkeypatch.setattr(priced, "listed", told)
    monkeypatch.setattr(priced, "FEW_ROWS", few)
    problem = random_problem(3, TUPLES, [KCAnonymity(k=3)])
    assert priced_loss(problem, proof_of(problem, 3), None) > 0
    assert bool(asked) == bool(few)


def changes(content: dict[str, Any]) -> list[dict[str, Any]]:
    """One number changed: a dual of all alike tuples, of a cut, its members, its divisor, the scale."""
    made: list[dict[str, Any]] = []

    def changed(*path: Any, by: int) -> None:
        made.append(copy.deepcopy(content))
        place: Any = made[-1]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] += by

    unit = content["root"]["scale"]
    for by in (-unit * 10**6, -1, 1, unit, unit * 10**6):
        for number, dual in enumerate(content["root"]["duals"]):
            changed("root", "duals", number, by=by)
            for other, same in enumerate(content["root"]["duals"]):
                if other != number and same == dual:
                    made[-1]["root"]["duals"][other] += by
        for number in range(2):
            changed("root", "cut_duals", number, by=by)
    for by in (-1, 1, 2):
        for number in range(2):
            changed("divisors", number, by=by)
            changed("cuts", number, 0, by=by)
    changed("root", "scale", by=-unit // 2)
    made.append({**content, "divisors": []})
    made.append({**content, "divisors": [2]})
    made.append({**content, "cuts": content["cuts"][:1]})
    return made


def text(content: dict[str, Any]) -> str:
    return json.dumps(content)
