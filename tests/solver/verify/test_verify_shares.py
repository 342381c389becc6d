"""Groups with shares near the table's: prices and the verifier's walk, against all groups one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from oracle.partition import random_problem
from oracle.paying import groups, pays

from optanon.models.errors import CertificateError
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import DistinctLDiversity, KCAnonymity, TCloseness
from optanon.models.requirements.l_diversity import EntropyLDiversity, RecursiveCLDiversity
from optanon.solver.claims import PricedClaim
from optanon.solver.colgen.boxes.shares_pricing import SharesPricing
from optanon.solver.colgen.structure.histograms import Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition import prices as prices_of
from optanon.solver.engines.partition.prices import near_shares
from optanon.solver.engines.partition.proof import describe
from optanon.solver.settings import Clock
from optanon.solver.verify import priced
from optanon.solver.verify.boxes import Walk
from optanon.solver.verify.duals import ClaimedDuals
from optanon.solver.verify.priced import Single, priced_loss

pytestmark = pytest.mark.slow  # compiles what nothing else needs
TUPLES = 9
FORMS = [
    [TCloseness(t="1/3")],
    [TCloseness(t="1/4")],
    [KCAnonymity(k=3), TCloseness(t="2/5")],
    [TCloseness(t="2/5"), KCAnonymity(k=4)],
    [TCloseness(t="1/2"), DistinctLDiversity(l=3)],
    [TCloseness(t="1/10")],
    [TCloseness(t="1/4", order=("a", "b", "c", "d"))],
    [TCloseness(t="1/6", order=("d", "b", "x", "a", "c")), KCAnonymity(k=3)],
    [EntropyLDiversity(l=2)],
    [EntropyLDiversity(l="5/2"), KCAnonymity(k=4)],
    [RecursiveCLDiversity(c=2, l=2)],
    [RecursiveCLDiversity(c="3/2", l=3)],
    [RecursiveCLDiversity(c="2/3", l=1)],
]
VALUES = TCloseness, EntropyLDiversity, RecursiveCLDiversity


def prices(problem: Problem) -> SharesPricing:
    """As in tables that are large enough for all forms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prices_of, "HISTOGRAM_LIMITS", replace(prices_of.HISTOGRAM_LIMITS, recursive_tuples=0))
        found = near_shares(problem, Rows.of(problem), Judge(problem), Clock())
    assert found is not None
    return found[1]


def in_part(problem: Problem) -> tuple[Single, list[tuple[int, ...]]]:
    """What the verifier reads, as where histograms are too many; groups of the part, of any size."""
    asked = [r for r in problem.policy.requirements if isinstance(r, VALUES)]
    place = problem.policy.requirements.index(asked[0])
    single = Single.of(problem, (place,))
    assert single.near is not None
    part = Judge(problem, [asked[0], KCAnonymity(k=Judge(problem).least)])
    return single, groups(single, part, TUPLES)


@pytest.mark.parametrize("requirements", FORMS, ids=repr)
@pytest.mark.parametrize("seed", range(6))
def test_duals_are_lowered_until_no_group_pays_and_the_verifier_sees_it(
    seed: int, requirements: Sequence[Requirement]
):
    problem = random_problem(seed, TUPLES, requirements)
    pricing, judge, (single, known) = prices(problem), Judge(problem), in_part(problem)
    walk, random, rows = Walk.of(single.rows, None, single.near), np.random.default_rng(seed), pricing.rows
    assert walk is not None
    assert walk.exact == (single.near is not None and single.near.values.exact)
    looser = any(isinstance(r, RecursiveCLDiversity) for r in requirements)
    order = [single.rows.tuples.index(behind) for behind in rows.tuples]  # both have kinds of tuples as rows
    for high in (0.1, 0.2, 0.3, 0.5, 0.8):
        duals = pricing.duals(random.uniform(-0.05, high, len(rows)) * rows.dearest, np.zeros(0))
        claimed = np.zeros(len(rows), dtype=np.int64)
        claimed[order] = duals.rows
        given = ClaimedDuals(rows=claimed, cuts=(), fake=0, scale=duals.scale)
        assert walk.pays(given) == walk.pays(given, workers=3)
        found = pricing.price(duals, per_anchor=3)
        assert found.complete
        assert (found.worst >= 0).all()
        assert found.worst.any() == walk.pays(given)
        # Of groups that are not small, recursive diversity asks more than is priced.
        assert walk.pays(given) == pays(single, given, known) or (looser and walk.pays(given))
        claimed[order] = duals.made_feasible(found.worst).rows
        after = ClaimedDuals(rows=claimed, cuts=(), fake=0, scale=duals.scale)
        assert not pays(single, after, known)
        assert not walk.pays(after)
        for line, cost in zip(found.lines, rows.costs(found.lines).tolist(), strict=True):
            group = line[line >= 0]
            assert (np.bincount(group, minlength=len(rows)) <= rows.count).all()
            assert judge.admits(tuple(np.bincount(rows.value[group], minlength=len(judge.names)).tolist()))
            assert duals.rows[group].sum() > cost * duals.scale


def test_searches_that_are_cut_short_lower_enough():
    whole = short = 0
    for seed in range(12):
        problem = random_problem(seed, TUPLES, [TCloseness(t="1/3")])
        pricing, (single, known) = prices(problem), in_part(problem)
        rows, random = pricing.rows, np.random.default_rng(seed)
        order = [single.rows.tuples.index(behind) for behind in rows.tuples]
        duals = pricing.duals(random.uniform(0.0, 0.4, len(rows)) * rows.dearest, np.zeros(0))
        found = pricing.price(duals, per_anchor=1, nodes=0)
        whole, short = whole + 1, short + (found.short > 0)
        assert found.bounded
        claimed = np.zeros(len(rows), dtype=np.int64)
        claimed[order] = duals.made_feasible(found.worst).rows
        assert not pays(single, ClaimedDuals(rows=claimed, cuts=(), fake=0, scale=duals.scale), known)
    assert 0 < short < whole


def proof_of(problem: Problem, pricing: SharesPricing, seed: int) -> PricedClaim:
    random, rows = np.random.default_rng(seed), pricing.rows
    duals = pricing.duals(random.uniform(0.1, 0.4, len(rows)) * rows.dearest, np.zeros(0))
    feasible = duals.made_feasible(pricing.price(duals, per_anchor=1).worst)
    found = describe(rows, pricing.cuts, feasible, None, level=0, part=(0,))
    assert isinstance(found, PricedClaim)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_higher_duals_are_refused(seed: int, monkeypatch: pytest.MonkeyPatch):
    """As they are where histograms can be listed."""
    problem = random_problem(seed, TUPLES, [TCloseness(t="1/3")])
    pricing = prices(problem)
    claim = proof_of(problem, pricing, seed)
    proven = priced_loss(problem, claim, None)

    def none(_: object) -> None:
        raise CertificateError("histograms are too many")

    single, known = in_part(problem)
    refused = 0
    for needed in (priced.Needed.of, none):
        monkeypatch.setattr(priced.Needed, "of", needed)
        assert priced_loss(problem, claim, None) == proven
        for tuples in (range(TUPLES), *single.rows.tuples):
            raised = [
                dual + int(pricing.rows.dearest) * claim.root.scale * (t in tuples)
                for t, dual in enumerate(claim.root.duals)
            ]
            forged = claim.model_copy(update={"root": claim.root.model_copy(update={"duals": tuple(raised)})})
            duals = ClaimedDuals.of(single.rows, raised, (), (), claim.root.scale)
            if pays(single, duals, known):
                refused += 1
                with pytest.raises(CertificateError):
                    priced_loss(problem, forged, None)
            else:
                assert priced_loss(problem, forged, None) >= proven
    assert refused > 2


def test_numbers_too_long_for_64_bits_are_not_priced():
    long = RecursiveCLDiversity(c="1.2345678901234567890123", l=2)
    problem = random_problem(1, TUPLES, [long])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prices_of, "HISTOGRAM_LIMITS", replace(prices_of.HISTOGRAM_LIMITS, recursive_tuples=0))
        assert near_shares(problem, Rows.of(problem), Judge(problem), Clock()) is None
    assert Single.of(problem, (0,)).near is None
