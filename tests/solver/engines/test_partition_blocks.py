"""What blocks prove together: duals by which no group of the table is paid, derived again by `verify`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optanon.instances.generators import clustered_table, generated_roles
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import DistinctLDiversity, KCAnonymity
from optanon.solver import portfolio
from optanon.solver.colgen.duals import whole
from optanon.solver.colgen.histogram_pricing import HistogramPricing
from optanon.solver.colgen.structure.histograms import Histograms, Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition.blocks import bound, search
from optanon.solver.engines.partition.objective import Objective
from optanon.solver.engines.partition.progress import Progress
from optanon.solver.search import solve_problem
from optanon.solver.settings import Clock, Settings, Watch

K3 = Policy([KCAnonymity(k=3)])
K5L2 = Policy([KCAnonymity(k=3), DistinctLDiversity(l=2)])


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = replace(search.LIMITS, rows=50, tuples=120, priced=70, rounds=3, unlimited=20, passes=2)
    monkeypatch.setattr(search, "LIMITS", limits)
    monkeypatch.setattr(bound, "LIMITS", limits)
    monkeypatch.setattr(portfolio, "baselines", dict)


def clustered(policy: Policy, tuples: int = 300) -> Problem:
    return Problem(table=generated_roles().table(clustered_table(tuples, seed=4)), policy=policy)


@pytest.mark.parametrize("policy", [K3, K5L2], ids=["k", "k and l"])
def test_blocks_prove_a_bound_that_is_derived_again(policy: Policy):
    problem = clustered(policy)
    found = solve_problem(problem, seed=2, workers=1, display=False)
    assert found.release is not None
    (level,) = found.levels
    assert level.bound is not None
    assert level.trusted_bound is None  # nobody's word
    assert 0.5 * level.value < level.bound <= level.value


@pytest.mark.parametrize("policy", [K3, K5L2], ids=["k", "k and l"])
def test_what_tuples_pay_anyway_is_a_bound_before_any_block_is_priced(
    policy: Policy, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bound, "LIMITS", replace(bound.LIMITS, passes=0))
    (level,) = solve_problem(clustered(policy), seed=2, workers=1, display=False).levels
    assert level.bound is not None
    assert level.trusted_bound is None
    assert 0 < level.bound <= level.value


def test_swept_duals_pay_for_no_group_and_are_not_lowered_twice():
    problem = clustered(K3, 120)
    judge, histograms = Judge(problem), Histograms.of(problem)
    objective = Objective.of(problem)
    assert isinstance(histograms, Histograms)
    assert isinstance(objective, Objective)
    rows = Rows.of(problem, blind=judge.blind)
    progress = Progress(problem, rows, Watch(), objective.measured, objective.factor)
    rounds = search.Rounds(rows, judge, progress, Settings(), Clock())
    pricing = HistogramPricing(rows, histograms)
    proof = bound.TableProof(rounds, histograms, bound.DualBound(pricing))
    random = np.random.default_rng(0).uniform(0, rows.dearest / 2, len(rows))
    duals = whole(random, np.zeros(0), 0.0, costly=rows.dearest, places=len(problem.table))
    swept = proof.swept(duals)
    assert swept is not None
    assert (swept <= duals.rows).all()
    assert (swept < duals.rows).any()
    # The present search over sets of tuples knows nothing of boxes.
    priced = pricing.price(replace(duals, rows=swept), per_anchor=1, nodes=1_000_000)
    assert priced.complete
    assert len(priced.lines) == 0
    again = proof.swept(replace(duals, rows=swept))
    assert again is not None
    assert (again == swept).all()


def test_more_blocks_than_one_and_nodes_of_one_height_lie_side_by_side():
    problem = clustered(K3)
    rows = Rows.of(problem, blind=True)
    nodes = bound.nodes_of(rows)
    for level in range(len(nodes.order)):
        own = slice(nodes.start[level], nodes.start[level + 1])
        low, high, height = nodes.low[own], nodes.high[own], bound.heights_of(nodes, level)
        for a in range(len(low)):
            for b in range(len(low)):
                if a != b and height[a] == height[b]:
                    assert not (low[a] <= low[b] and high[b] <= high[a])
