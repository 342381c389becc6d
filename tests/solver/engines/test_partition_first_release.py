"""First releases that need no counterfeits: once they are large, they are tables released once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from oracle.partition import optimum

from optanon.instances.generators import generated_roles, uniform_table
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import QIGroup
from optanon.models.requirements import HcSafety, WeakMInvariance
from optanon.solver import portfolio
from optanon.solver.colgen.structure.histograms import Histograms
from optanon.solver.engines.partition.signature import levels
from optanon.solver.search import solve_problem
from optanon.solver.verify.checking import verify

LEVELS = ["counterfeits", "information_loss"]


@pytest.fixture(autouse=True)
def every_table_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "HISTOGRAM_LIMITS", replace(levels.HISTOGRAM_LIMITS, finished_rows=0))
    monkeypatch.setattr(portfolio, "baselines", dict)


def first(tuples: int, m: int, seed: int) -> Problem:
    frame = uniform_table(tuples, seed=seed, values=2 * m)
    table = generated_roles(values=2 * m).table(frame)
    return Problem(table=table, policy=Policy([WeakMInvariance(m=m), HcSafety(n=3)], LEVELS))


def test_the_least_loss_without_counterfeits_is_that_of_all_groupings():
    met = 0
    for seed in range(8):
        problem = first(8, 2, seed)
        found = solve_problem(problem, engine="partition", seed=seed, workers=1, display=False)
        assert found.release is not None
        assert found.certificate is not None
        if not found.objective[0]:
            assert found.objective[1] == found.bound[1] == optimum(problem)
            assert verify(found.certificate, problem, found.release).whole
            met += 1
    assert met > 3


def test_the_loss_of_many_has_a_bound_that_is_derived_again():
    problem = first(90, 3, 1)
    found = solve_problem(problem, engine="partition", workers=1, time_limit=60.0, display=False)
    assert found.release is not None
    assert found.certificate is not None
    fakes, loss = found.levels
    assert fakes.value == 0
    assert loss.bound is not None
    assert loss.trusted_bound is None
    assert loss.value / 2 < loss.bound <= loss.value
    assert verify(found.certificate, problem, found.release).whole


def test_nobody_is_asked_about_each_size_where_nobody_was_before(monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []

    def violations(self: HcSafety, group: QIGroup, context: object):
        asked.append(group.size)
        return iter(())

    monkeypatch.setattr(HcSafety, "violations", violations)
    table = first(400, 3, 2).table
    policy = Policy([WeakMInvariance(m=3), HcSafety(n=3)], ["information_loss"], max_counterfeits=0)
    found = Histograms.of(Problem(table=table, policy=policy))
    assert isinstance(found, Histograms)
    assert found.steps.largest == 5
    assert len(found.states) < 20  # values are exchangeable under both
    assert not asked
