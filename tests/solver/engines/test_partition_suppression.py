"""Suppression in the same search: tuples left out where that is cheaper, with bounds that know it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from oracle.partition import optima, random_problem

import optanon as oa
from optanon.models.policy import LevelSpec, Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import (
    DistinctLDiversity,
    EntropyLDiversity,
    KCAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    WeakMInvariance,
)
from optanon.models.table import Microdata
from optanon.solver.colgen.duals import Duals
from optanon.solver.colgen.primal.start import halved
from optanon.solver.colgen.primal.suppressing import left_out, suppressed
from optanon.solver.colgen.structure import histograms as histograms_module
from optanon.solver.colgen.structure.histograms import Histograms, Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition import histogram as module
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.search import solve_problem
from optanon.solver.status import Status
from optanon.solver.verify.bounds import derived
from optanon.solver.verify.given import Given

POLICIES: list[Sequence[Requirement]] = [
    [KCAnonymity(k=2)],
    [KCAnonymity(k=3)],
    [KCAnonymity(k=2, c="1/2")],
    [KCAnonymity(k=2), DistinctLDiversity(l=2)],
]


def asked(seed: int, most: int, minimize: LevelSpec = "information_loss", tuples: int = 8) -> Problem:
    plain = random_problem(seed, tuples, POLICIES[seed % len(POLICIES)])
    policy = Policy(plain.policy.requirements, minimize, max_suppressed=most)
    return replace(plain, policy=policy)


def least(problem: Problem, price: Fraction) -> Fraction | None:
    """The least loss, whoever is left out at a price each; requirements look at groups alone."""
    everybody = len(problem.table)
    plain = replace(problem, policy=Policy(problem.policy.requirements))
    most = problem.policy.suppression_limit(everybody)
    return min(
        (
            best + gone * price
            for mask, best in enumerate(optima(plain))
            if best is not None and mask and (gone := everybody - mask.bit_count()) <= most
        ),
        default=None,
    )


@pytest.mark.parametrize("seed", range(40))
def test_the_optimum_of_all_who_may_be_left_out(seed: int):
    weight = Fraction(seed % 3, 13)
    minimize = {"information_loss": 1, "suppressed": weight} if weight else "information_loss"
    problem = asked(seed, 1 + seed % 2, minimize)
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    assert not plan.why
    result = solve_problem(problem, engine="partition", workers=1, display=False, reasons=False)
    best = least(problem, len(problem.table.domains) + weight)
    if best is None:
        assert result.status is Status.INFEASIBLE
        return
    assert (result.status, result.objective, result.bounds) == (Status.OPTIMAL, (best,), (best,))
    assert result.certificate is not None
    assert oa.verify(result.certificate, problem, result.release).whole


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_a_tuple_may_weigh_more_than_64_bits_hold(seed: int):
    weight = Fraction(10**30)
    problem = asked(seed, 1, {"information_loss": 1, "suppressed": weight})
    result = solve_problem(problem, engine="partition", workers=1, display=False, reasons=False)
    best = least(problem, len(problem.table.domains) + weight)
    assert result.objective == (best,)
    assert result.certificate is not None
    assert oa.verify(result.certificate, problem, result.release).whole
    assert result.release is not None
    assert result.bounds == (best,) or result.release.suppressed


@pytest.mark.parametrize("seed", range(24))
def test_the_first_order_path_too(seed: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "LIMITS", replace(module.LIMITS, simplex_rows=0))
    problem = asked(seed, 2)
    result = solve_problem(problem, engine="partition", workers=1, display=False, reasons=False)
    best = least(problem, Fraction(len(problem.table.domains)))
    assert result.objective == (() if best is None else (best,))


@pytest.mark.parametrize("seed", range(20))
def test_duals_bound_releases_whatever_their_limit(seed: int):
    """A certificate's duals say for every limit what no release can go below."""
    problem = asked(seed, 1, tuples=7)
    result = solve_problem(problem, engine="partition", workers=1, display=False, reasons=False)
    if result.certificate is None or result.release is None:
        return
    for claim in result.certificate.claims:
        if claim.kind not in ("priced", "listed"):
            continue
        for most in range(3):
            other = replace(problem, policy=problem.policy.changed(max_suppressed=most))
            best = least(other, Fraction(len(problem.table.domains)))
            if best is None:
                continue
            try:
                (line,) = derived(Given(problem=other, values=(best,)), claim)
            except oa.CertificateError:
                assert most != 1
                continue
            assert line.bound <= best


def test_a_limit_pays_for_what_is_above_the_price():
    problem = asked(1, 2)
    rows = Rows.of(problem, blind=True).suppressing(2, Fraction(3))
    assert rows.single == 3 * rows.scale
    random, price = np.random.default_rng(1), rows.single * 4
    duals = Duals(rows=random.integers(0, 2 * price, len(rows)), cuts=np.zeros(0, dtype=np.int64), scale=4)
    found = duals.suppressing(rows)
    whole = np.repeat(duals.rows, rows.count)
    tried = [int(np.minimum(whole, price + m).sum()) - 2 * m for m in {0, *np.maximum(whole - price, 0)}]
    value = int(found.rows @ rows.count) + found.limit * 2
    assert value == max(tried)
    assert (found.rows + found.limit <= price).all()


def far_out(
    tuples: int, outliers: int, seed: int, share: str, requirements: Sequence[Requirement]
) -> Problem:
    """Numbers in clusters, and some far from all of them."""
    random = np.random.default_rng(seed)
    points = random.integers(30, 70, (4, 2))[random.integers(0, 4, tuples)] + random.integers(
        -4, 5, (tuples, 2)
    )
    points[:outliers] = random.integers(500, 1000, (outliers, 2))
    frame = pd.DataFrame(points, columns=["a", "b"]).assign(
        id=[f"r{i}" for i in range(tuples)], v=random.choice(list("abcd"), tuples)
    )
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["a", "b"], sensitive="v")
    return Problem(table=table, policy=Policy(requirements, max_suppressed=share))


def test_outliers_are_left_out_within_the_limit_and_the_bound_is_near():
    """Three outliers are no group."""
    tuples = 32
    problem = far_out(tuples, 3, 1, "0.1", [KCAnonymity(k=4)])
    result = solve_problem(problem, display=False, workers=1)
    assert result.engine == f"partition ({tuples} tuples)"
    assert result.release is not None
    assert len(result.release.suppressed) == tuples // 10
    assert result.gap is not None
    assert result.gap < Fraction(1, 50)
    assert result.certificate is not None
    assert oa.verify(result.certificate, problem, result.release).bounds[0] == result.bounds[0]


@pytest.mark.parametrize("seed", range(12))
def test_policies_beyond_listed_histograms_know_it_too(seed: int, monkeypatch: pytest.MonkeyPatch):
    """Groups of any size may be needed: the bound comes from a part of the policy."""
    monkeypatch.setattr(module, "LIMITS", replace(module.LIMITS, simplex_rows=0))
    monkeypatch.setattr(histograms_module, "LIMITS", replace(histograms_module.LIMITS, read=4))
    more = EntropyLDiversity(l=2) if seed % 2 else RecursiveCLDiversity(c=2, l=2)
    plain = random_problem(seed, 8, [KCAnonymity(k=2), more])
    problem = replace(plain, policy=Policy(plain.policy.requirements, max_suppressed=2))
    histograms = Histograms.of(problem)
    if isinstance(histograms, str) or not histograms.steps.beyond:
        pytest.skip("no small group is admissible")
    result = solve_problem(problem, engine="partition", workers=1, display=False, reasons=False)
    best = least(problem, Fraction(len(problem.table.domains)))
    if best is None:
        assert result.release is None
        return
    assert result.bounds[0] is not None
    assert result.bounds[0] <= best <= result.objective[0]
    assert result.release is not None
    assert len(result.release.suppressed) <= 2


def test_a_group_is_given_up_where_its_tuples_cost_less_alone_or_elsewhere():
    problem = far_out(40, 3, 1, "0.1", [KCAnonymity(k=4)])
    judge, rows = Judge(problem), Rows.of(problem, blind=True).suppressing(4, Fraction(2))
    start = halved(rows, judge)
    assert start is not None
    assert suppressed(left_out(replace(rows, spare=0), judge, start)) == 0
    for most, gone in ((2, 0), (4, 3)):
        found = left_out(replace(rows, spare=most), judge, start)
        assert suppressed(found) == gone
        assert sum(map(len, found)) == 40
        assert all(len(group) == 1 or len(group) >= 4 for group in found)


@pytest.mark.parametrize("seed", range(12))
def test_tuples_go_only_where_that_gains_and_groups_stay_admissible(seed: int):
    problem = asked(seed, 3, tuples=12)
    judge = Judge(problem)
    plain = Rows.of(problem, blind=judge.blind)
    rows = plain.suppressing(3, Fraction(1, 20))
    units = np.repeat(np.arange(len(rows)), rows.count)
    if not judge.admits(tuple(np.bincount(rows.value[units], minlength=len(judge.names)).tolist())):
        return
    found = left_out(rows, judge, [tuple(units.tolist())])
    assert sorted(row for group in found for row in group) == units.tolist()
    assert suppressed(found) <= 3
    assert sum(rows.group_costs(found)) <= sum(rows.group_costs([tuple(units.tolist())]))
    (kept,) = (group for group in found if len(group) > 1)
    counts = np.bincount(rows.value[list(kept)], minlength=1 if judge.blind else len(judge.names))
    assert judge.admits(tuple(counts.tolist()))
    if suppressed(found) < 3:
        # Nobody's going would gain anything more.
        for seat in range(len(kept)):
            rest = (*kept[:seat], *kept[seat + 1 :])
            after = np.bincount(rows.value[list(rest)], minlength=len(counts))
            if len(rest) >= judge.least and judge.admits(tuple(after.tolist())):
                assert sum(rows.group_costs([rest])) + rows.single >= rows.group_costs([kept])[0]


@pytest.mark.parametrize(
    ("requirements", "minimize", "limits", "why"),
    [
        ([KCAnonymity(k=1)], "information_loss", {}, "published alone"),
        ([TCloseness(t=1)], "information_loss", {}, "published alone"),
        ([KCAnonymity(k=2)], ["counterfeits", "information_loss"], {}, "beside counterfeits"),
    ],
)
def test_what_cannot_be_priced_is_said(
    requirements: list[Requirement], minimize: list[LevelSpec], limits: dict[str, object], why: str
):
    plain = random_problem(1, 8)
    policy = Policy(requirements, minimize, max_suppressed=1, **limits)  # pyright: ignore[reportArgumentType]
    plan = Plan.of(replace(plain, policy=policy))
    assert isinstance(plan, Plan)
    assert why in plan.why


def test_signatures_are_not_searched_where_tuples_may_be_left_out():
    """They were taken to be none in every release: three of them were called optimal where two will do."""
    minimize: list[LevelSpec] = ["counterfeits", "signatures", "information_loss"]
    policy = Policy([WeakMInvariance(m=2)], minimize, max_suppressed=2, max_counterfeits=0)
    why = Plan.own(replace(random_problem(1, 8), policy=policy))
    assert isinstance(why, str)
    assert "set max_suppressed to 0" in why


def test_the_last_group_may_be_the_one_whose_tuples_find_other_groups():
    frame = pd.DataFrame({"age": [0, 60, 0, 60, 1, 59, 2, 58], "value": list("abababab")})
    frame["id"] = [f"r{i}" for i in range(len(frame))]
    roles = {"respondent": "id", "quasi_identifiers": {"age": "numeric"}, "sensitive": "value"}
    policy = Policy([KCAnonymity(k=2)], [{"suppressed": 2, "information_loss": 1}], max_suppressed=2)
    problem = Problem(table=Microdata.from_frame(frame, **roles), policy=policy)
    rows = Rows.of(problem, blind=True, apart=9).suppressing(2, Fraction(3))
    ends = np.isin(rows.geometry.codes[:, 0], [0, 60])
    far, near = (tuple(np.flatnonzero(which).tolist()) for which in (ends, ~ends))
    for groups in ([far, near], [near, far]):
        found = left_out(rows, Judge(problem), groups)
        assert all(found)
        assert suppressed(found) <= 2
        assert sorted(u for group in found for u in group) == list(range(8))
        assert sum(rows.group_costs(found)) <= sum(rows.group_costs(groups))
