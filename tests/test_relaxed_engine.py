"""The relaxation engine: its releases keep the whole policy, its bound never exceeds the true optimum."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import brute_force as bf
import pytest
from strategies import instance, seeded

import optanon as oa
from optanon.instances.generators import clustered_table, generated_roles
from optanon.models.errors import CertificateError, EngineError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import (
    Difference,
    GlobalGuarantee,
    Intersection,
    KCAnonymity,
    RecordTracing,
)
from optanon.solver.certificate import Certificate
from optanon.solver.certify import verify
from optanon.solver.engines.relaxed.engine import RelaxedEngine
from optanon.solver.engines.relaxed.state import State
from optanon.solver.result import Status, Termination
from optanon.solver.search import solve_problem
from optanon.solver.settings import Settings, Watch

F = Fraction

POLICIES: list[tuple[list[Requirement], Callable[[Any], list[bf.Check]]]] = [
    ([KCAnonymity(k=2), Difference(k=2)], lambda at: [bf.k_c(2), bf.difference_safety(2, F(1))]),
    (
        [KCAnonymity(k=2, c="2/3"), Difference(k=2, c="2/3"), Intersection(c="2/3")],
        lambda at: [bf.k_c(2, F(2, 3)), bf.difference_safety(2, F(2, 3)), bf.intersection_safety(F(2, 3))],
    ),
    ([Intersection(c="1/2", reading="set")], lambda at: [bf.intersection_safety(F(1, 2), "set")]),
    (
        [KCAnonymity(k=2), RecordTracing(k=2, direction="forward")],
        lambda at: [bf.k_c(2), bf.tracing_safety(2, at.attributes)],
    ),
    ([GlobalGuarantee(l=2)], lambda at: [bf.global_guarantee(2)]),
]


def drawn(seed: int):
    """A small growing table with one or two earlier releases, and a policy."""
    requirements, checks_of = POLICIES[seed % len(POLICIES)]
    at = instance(
        seeded("relaxed", seed),
        tuples=(3, 7),
        releases=(1, 2),
        values=(2, 4),
        insert_only=True,
        form="generalized",
    )
    checks = checks_of(at)
    problem = Problem(table=at.table, policy=Policy(requirements), history=at.history)
    return at, problem, bf.optimum(at.people, at.attributes, checks, ["information_loss"], at.past)


@pytest.mark.parametrize("seed", range(60))
def test_bounds_hold_and_releases_are_clean(seed: int):
    _, problem, best = drawn(seed)
    answer = RelaxedEngine().solve(problem, Settings(time_limit=20), Watch())
    if best is None:
        assert answer.release is None
        assert answer.status in (Status.INFEASIBLE, Status.UNKNOWN)
        return
    assert answer.status is not Status.INFEASIBLE
    (bound,) = answer.bounds
    assert bound is not None
    assert bound <= best[0]
    if answer.release is not None:
        assert next(problem.check(answer.release), None) is None
        (value,) = problem.objective(answer.release)
        assert value >= best[0]
        assert (answer.status is Status.OPTIMAL) == (value == bound)


def test_most_small_ones_are_solved():
    """The check above would pass for an engine that finds nothing."""
    found = feasible = optimal = 0
    for seed in range(60):
        _, problem, best = drawn(seed)
        if best is None:
            continue
        feasible += 1
        answer = RelaxedEngine().solve(problem, Settings(time_limit=20), Watch())
        found += answer.release is not None
        optimal += answer.release is not None and problem.objective(answer.release) == best
    assert feasible >= 10
    assert found >= 0.9 * feasible
    assert optimal >= 0.7 * feasible


def growing(first: int, then: int, policy: Policy) -> Problem:
    """A clustered table that grows; the first release is by Mondrian's kind of policy alone."""
    frame, roles = clustered_table(then, seed=3), generated_roles()
    whole = roles.table(frame)
    start = oa.Microdata(
        respondent=whole.respondent,
        members=whole.members[:first],
        domains=whole.domains,
        sensitive=whole.sensitive,
        codes=whole.codes[:first].copy(),
    )
    release = oa.solve(start, Policy([KCAnonymity(k=3, c="1/2")]), time_limit=20).release
    assert release is not None
    return Problem(table=whole, policy=policy, history=History([release]))


SAFE = Policy(
    [KCAnonymity(k=3, c="1/2"), Difference(k=3, c="1/2"), Intersection(c="1/2"), RecordTracing(k=3)]
)


@pytest.fixture(scope="module")
def solved():
    problem = growing(40, 80, SAFE)
    return problem, solve_problem(problem, time_limit=30)


def test_a_growing_table_is_published_safely_and_its_bound_can_be_verified(solved):
    problem, result = solved
    assert result.engine.startswith("relaxed (80 tuples; the partition engine")
    assert result.status in (Status.FEASIBLE, Status.OPTIMAL)
    assert result.release is not None
    assert 0 < result.bounds[0] <= result.objective[0]
    confirmed = verify(result.certificate, problem, result.release)
    assert any("by exact pricing" in text for text in confirmed)


def test_a_corrupted_proof_is_refused(solved):
    problem, result = solved
    content = copy.deepcopy(result.certificate.content)
    root = content["proof"]["of"]["root"]
    root["duals"] = [dual + root["scale"] for dual in root["duals"]]
    with pytest.raises(CertificateError, match="the duals prove nothing"):
        verify(Certificate(content), problem, result.release)
    content = copy.deepcopy(result.certificate.content)
    content["proof"]["kept"] = [0, 1]
    with pytest.raises(CertificateError, match="cannot speak of"):
        verify(Certificate(content), problem, result.release)


def test_the_callers_clean_release_is_a_start(solved):
    problem, result = solved
    again = solve_problem(problem, engine="relaxed", time_limit=2, initial=result.release)
    assert again.release is not None
    assert again.objective <= result.objective


def test_it_refuses_what_it_cannot_do():
    problem = growing(20, 40, SAFE)
    plain = Problem(table=problem.table, policy=Policy([KCAnonymity(k=3)]))
    with pytest.raises(EngineError, match="use the partition engine"):
        solve_problem(plain, engine="relaxed")
    fakes = Policy(SAFE.requirements, ["counterfeits", "information_loss"])
    with pytest.raises(EngineError, match="set both limits to 0"):
        solve_problem(Problem(table=problem.table, policy=fakes), engine="relaxed")


def test_a_state_counts_costs_as_the_loss_does():
    problem = growing(20, 40, SAFE)
    groups = [list(range(i, i + 8)) for i in range(0, 40, 8)]
    state = State(problem, groups)
    assert state.rows.loss(state.total) == problem.objective(problem.assemble(groups))[0]


def test_interrupting_keeps_what_there_is(monkeypatch: pytest.MonkeyPatch):
    problem = growing(20, 40, SAFE)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("optanon.solver.engines.relaxed.engine.improve", interrupt)
    answer = RelaxedEngine().solve(problem, Settings(time_limit=10), Watch())
    assert answer.termination is Termination.INTERRUPTED
    assert answer.release is not None
