"""Levels of sizes before or after one of boxes: bounds are true, and none is worse than it is alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import oracle.brute_force as bf
import pytest
from cases.certificates import changed, plain
from oracle.partition import optimum, random_problem

import optanon as oa
from optanon.instances.generators import clustered_table, generated_roles
from optanon.models.capped import Capped, largest_group
from optanon.models.errors import CertificateError
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import DistinctLDiversity, KCAnonymity
from optanon.solver.engines.assignment.engine import AssignmentEngine
from optanon.solver.engines.partition.enumerated import search
from optanon.solver.engines.partition.histogram import HistogramSearch
from optanon.solver.engines.partition.objective import Objective
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.search import partition_engine, solve_problem
from optanon.solver.settings import Settings, Watch
from optanon.solver.status import Status
from optanon.solver.verify.checking import verify

SIZES = ("discernibility", "average_group_size", "maximum_group_size")
LEVELS: list[list[Any]] = [
    *([name, "information_loss"] for name in SIZES),
    *(["information_loss", name] for name in SIZES),
    ["maximum_group_size", "discernibility", "information_loss"],
    ["average_information_loss", "discernibility", "maximum_group_size"],
]


def asked(problem: Problem, levels: Sequence[Any]) -> Problem:
    return replace(problem, policy=problem.policy.changed(minimize=levels))


def least(problem: Problem) -> tuple[Fraction, ...] | None:
    """The best of all groupings, from the definitions."""
    releases = (
        problem.assemble([list(group) for group in groups])
        for groups in bf.set_partitions(range(len(problem.table)))
    )
    return min(
        (problem.objective(release) for release in releases if next(problem.check(release), None) is None),
        default=None,
    )


@pytest.mark.parametrize("number", range(len(LEVELS)))
@pytest.mark.parametrize("seed", range(2))
def test_bounds_are_true_and_derived_again(seed: int, number: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(search, "LIMITS", replace(search.LIMITS, small=0))  # parts say what they can
    monkeypatch.setattr(search.EnumeratedSearch, "_exactly", lambda _: None)
    policy = ([KCAnonymity(k=2)], [KCAnonymity(k=2, c="1/2")])[seed]
    problem = asked(random_problem(10 * seed + number, 7, policy), LEVELS[number])
    best, answer = least(problem), partition_engine().solve(problem, Settings(), Watch())
    if best is None:
        assert answer.release is None
        return
    assert answer.release is not None
    values = problem.objective(answer.release)
    assert values >= best
    for level, bound in enumerate(answer.bounds):
        # A bound is about releases that are as good on the levels before.
        assert bound is None or values[:level] != best[:level] or bound <= best[level]
    assert (answer.status is Status.OPTIMAL) == (tuple(answer.bounds) == values)
    found = solve_problem(problem, engine="partition", display=False, reasons=False)
    assert found.certificate is not None
    assert verify(found.certificate, problem, found.release).whole


def clustered(levels: Sequence[Any], tuples: int = 60) -> Problem:
    table = generated_roles(categorical=0).table(clustered_table(tuples, seed=5, categorical=0))
    return Problem(table=table, policy=Policy([KCAnonymity(k=3)], levels))


@pytest.mark.parametrize("name", SIZES)
def test_boxes_after_sizes_are_optimal_among_releases_of_these_sizes(name: str):
    size = oa.solve_problem(clustered([name]), time_limit=120, seed=1, display=False)
    problem = clustered([name, "information_loss"])
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    assert plan.name == "enumerated"
    both = oa.solve_problem(problem, time_limit=120, seed=1, display=False)
    assert both.release is not None
    assert {group.size for group in both.release.groups} == {3}
    assert both.status is Status.OPTIMAL
    assert both.objective[0] == size.objective[0]
    assert both.levels[1].trusted_bound is None


def test_a_smaller_limit_of_sizes_than_the_levels_before_leave_is_refused():
    problem = clustered(["discernibility", "information_loss"], 62)
    found = oa.solve_problem(problem, time_limit=120, seed=1, display=False)
    assert found.release is not None
    assert max(group.size for group in found.release.groups) == 4
    parts = [claim["part"] for claim in plain(found.certificate)["claims"] if claim["kind"] == "within"]
    assert {"kind": "plain", "requirements": [0], "largest": 4, "level": None} in parts
    bound = verify(found.certificate, problem, found.release).bounds[1]
    assert bound is not None

    def forge(content: dict[str, Any], largest: int) -> None:
        for claim in content["claims"]:
            if claim["kind"] == "within" and claim["part"]["kind"] == "plain":
                claim["part"]["largest"] = largest

    with pytest.raises(CertificateError, match="groups of 4 tuples"):
        verify(changed(found.certificate, lambda content: forge(content, 3)), problem, found.release)
    # Of larger groups the same duals prove less, or nothing.
    try:
        looser = verify(changed(found.certificate, lambda content: forge(content, 5)), problem, found.release)
    except CertificateError:
        return
    assert (looser.bounds[1] or 0) <= bound


@pytest.mark.parametrize("levels", [*([name] for name in SIZES), [{"discernibility": 2, "suppressed": 1}]])
@pytest.mark.parametrize("tuples", [6, 7, 8])
def test_how_large_a_group_can_be_is_what_enumeration_says(levels: list[Any], tuples: int):
    drawn = random_problem(tuples, tuples, [KCAnonymity(k=2)])
    problem = replace(drawn, policy=drawn.policy.changed(minimize=levels, max_suppressed=0))
    known: dict[Fraction, int] = {}
    for groups in bf.set_partitions(range(tuples)):
        if min(map(len, groups)) < 2:
            continue
        value = problem.objective(problem.assemble([list(group) for group in groups]))[0]
        known[value] = max(known.get(value, 0), *map(len, groups))
    for value in known:
        reached = max(size for other, size in known.items() if other <= value)
        assert largest_group(problem, [value]) == reached


@pytest.mark.parametrize("name", SIZES)
def test_a_level_after_boxes_does_not_make_them_worse(name: str):
    problem = random_problem(8, 36, [KCAnonymity(k=3), DistinctLDiversity(l=2)])
    alone = oa.solve_problem(asked(problem, ["information_loss"]), time_limit=120, seed=1, display=False)
    both = oa.solve_problem(asked(problem, ["information_loss", name]), time_limit=5, seed=1, display=False)
    assert alone.status is Status.OPTIMAL
    assert (both.objective[0], both.bounds[0]) == (alone.objective[0], alone.objective[0])
    assert both.levels[0].trusted_bound is None


@pytest.mark.parametrize("seed", range(8))
def test_groups_of_limited_size_are_searched_by_prices_and_by_the_direct_model(seed: int):
    own = (KCAnonymity(k=2, c=Fraction(2, 3)), KCAnonymity(k=2))[seed % 2]
    capped = Capped(requirements=(own,), largest=2 + seed % 3)
    drawn = random_problem(seed, 8)
    problem = replace(drawn, policy=Policy([capped], drawn.policy.levels[0].name))
    best = optimum(problem)
    objective = Objective.of(problem)
    assert isinstance(objective, Objective)
    priced = HistogramSearch(problem, Settings(), Watch(), objective).run()
    direct = AssignmentEngine().solve(problem, Settings(), Watch())
    for answer in (priced, direct):
        if best is None:
            assert answer.status is Status.INFEASIBLE
            continue
        assert answer.status is Status.OPTIMAL
        assert answer.release is not None
        assert problem.objective(answer.release) == (best,)
        assert max(group.size for group in answer.release.groups) <= capped.largest


def test_a_group_that_is_too_large_is_told_so():
    problem = random_problem(1, 6)
    capped = Capped(requirements=(KCAnonymity(k=2),), largest=4)
    everybody = problem.assemble([list(range(6))])
    (found,) = capped.check(everybody, problem.history)
    assert found.message == "group 1: 6 tuples, more than 4"
    assert not list(capped.check(problem.assemble([[0, 1, 2], [3, 4, 5]]), problem.history))
