"""Large releases that need no counterfeits: first ones as tables released once, a bound of later ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from oracle.partition import optimum

from optanon.instances.generators import generated_roles, uniform_table
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import QIGroup
from optanon.models.requirements import HcSafety, WeakMInvariance
from optanon.solver import portfolio
from optanon.solver.claims import PricedClaim
from optanon.solver.colgen.structure.histograms import Histograms
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.engines.partition.signature import levels
from optanon.solver.engines.partition.signature.construct import read
from optanon.solver.engines.partition.signature.levels import SignatureSearch
from optanon.solver.search import solve_problem
from optanon.solver.settings import Settings, Watch
from optanon.solver.verify.checking import verify
from optanon.solver.verify.priced import priced_loss

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


@pytest.mark.parametrize(("tuples", "m"), [(8, 2), (60, 3)])
def test_later_releases_without_counterfeits_have_a_bound_by_the_least_size(tuples: int, m: int):
    before = first(tuples, m, 1)
    published = solve_problem(before, engine="partition", workers=1, time_limit=9.0, display=False).release
    assert published is not None
    history = History()
    history.append(published)
    problem = replace(before, history=history)
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    assert plan.rules is not None
    assert plan.objective is not None
    search = SignatureSearch(problem, Settings(), Watch(), plan.rules, plan.objective)
    assert search.best.offer(read(search.types, problem, history.releases[0]))  # the same once more
    search.by_sizes()
    assert isinstance(search.sized, PricedClaim)
    bound, (fakes, loss) = priced_loss(problem, search.sized, None), problem.objective(history.releases[0])
    assert not fakes
    assert 0 < bound == search.best.value(-1, search.best.bound) <= loss
    if tuples < 10:
        best = optimum(problem)
        assert best is not None
        assert bound <= best
