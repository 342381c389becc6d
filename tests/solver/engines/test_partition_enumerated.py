"""Listed groups: optima equal exhaustive search and the assignment engine under every kind of policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import oracle.brute_force as bf
import pytest
from cases.certificates import changed, claim, claims_of
from cases.drawn import NAMES, drawn_case
from cases.enumerated import agrees, listed, posed
from clocks import faked
from strategies import instance, seeded

import optanon as oa
from optanon.instances.generators import clustered_table, generated_roles
from optanon.models.errors import CertificateError
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
    WeakMInvariance,
)
from optanon.solver.engines.assignment.engine import AssignmentEngine
from optanon.solver.engines.partition.enumerated import search
from optanon.solver.engines.partition.enumerated.guide import Guide
from optanon.solver.engines.partition.enumerated.state import RepairedGroups
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.search import obstacles, partition_engine, solve_problem
from optanon.solver.settings import Settings, Watch
from optanon.solver.status import Status, Termination
from optanon.solver.verify.checking import verify

F = Fraction

EACH = 20
"""Instances per requirement; every second one has another requirement besides, most a history."""


@pytest.mark.parametrize("number", range(EACH))
@pytest.mark.parametrize("name", NAMES)
def test_the_optimum_is_that_of_exhaustive_enumeration(name: str, number: int):
    case = drawn_case(name, 1000 + number if number % 2 else 2004 + 5 * number)
    if posed(case):
        agrees(case, listed(case.problem))


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("name", NAMES)
def test_lists_around_the_duals_of_a_part_hold_every_better_release(
    name: str, number: int, monkeypatch: pytest.MonkeyPatch
):
    """The way of large tables, on small ones."""
    monkeypatch.setattr(search, "LIMITS", replace(search.LIMITS, small=0, direct_rows=0, least_listed=4))
    monkeypatch.setattr(search, "MOST_TUPLES", 0)
    case = drawn_case(name, 3000 + number)
    if posed(case):
        agrees(case, listed(case.problem))


SERIES: list[tuple[list[Requirement], Callable[[Any], list[bf.Check]]]] = [
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


def growing_case(seed: int, least: int, most: int) -> tuple[Any, Problem, list[bf.Check]]:
    """A small growing table with one or two earlier releases, and a policy on people or series."""
    requirements, checks_of = SERIES[seed % len(SERIES)]
    at = instance(
        seeded("growing", seed),
        tuples=(least, most),
        releases=(1, 2),
        values=(2, 4),
        insert_only=True,
        form="generalized",
    )
    return (
        at,
        Problem(table=at.table, policy=Policy(requirements), history=at.history),
        checks_of(at),
    )


@pytest.mark.parametrize("seed", range(24))
def test_growing_tables(seed: int):
    at, problem, checks = growing_case(seed, 3, 8)
    if obstacles(problem):
        return
    best = bf.optimum(at.people, at.attributes, checks, ["information_loss"], at.past)
    answer = partition_engine().solve(problem, Settings(), Watch())
    if best is None:
        assert (answer.status, answer.release) == (Status.INFEASIBLE, None)
    else:
        assert (answer.status, answer.bounds) == (Status.OPTIMAL, best)


def beside(seed: int) -> Problem:
    """A growing table of 9 to 20 tuples whose groups are large enough for the other engine to finish."""
    size = 9 + seed % 12
    least = 3 if size < 11 else -(-size * 2 // 5)
    at = instance(
        seeded("beside", seed),
        tuples=(size, size),
        releases=(1, 1),
        values=(3, 4),
        attributes=(1, 1),
        insert_only=True,
        form="generalized",
        prefers=bf.k_c(2, F(2, 3)),
    )
    kc = KCAnonymity(k=least, c="2/3")
    policies: list[list[Requirement]] = [
        [kc, Difference(k=2, c="2/3")],
        [kc, Intersection(c="2/3")],
        [kc, Difference(k=2), RecordTracing(k=2, direction="forward")],
        [kc, GlobalGuarantee(l="3/2")],
        [kc, Difference(k=3)],
    ]
    weighted = {"information_loss": 1, "suppressed": "1/5"}
    levels = (["information_loss"], ["suppressed", "information_loss"], [weighted])[seed % 3]
    suppressed = (0, 1, 1)[seed % 3] if seed % 5 != 2 else 0
    policy = Policy(policies[seed % 5], levels, max_suppressed=suppressed)
    return Problem(table=at.table, policy=policy, history=at.history)


UNFIT = {6, 9, 18, 33}
"""Some plain reason forbids all releases."""


@pytest.mark.parametrize("seed", sorted({*range(42)} - UNFIT))
def test_lists_and_exact_programs_find_the_optimum_of_the_assignment_engine(seed: int):
    """Tables that enumeration cannot do."""
    same_as_assignment(seed)


def same_as_assignment(seed: int) -> None:
    problem = beside(seed)
    other = AssignmentEngine().solve(problem, Settings(), Watch())
    answer = listed(problem)
    assert answer.status is other.status
    if other.status is not Status.INFEASIBLE:
        assert answer.bounds == other.bounds


@pytest.mark.parametrize("seed", [46])
def test_too_long_a_list_claims_nothing(seed: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(search, "LIMITS", replace(search.LIMITS, direct_rows=0))
    monkeypatch.setattr(search.SubsetEngine, "refuses", lambda self, problem: "another time")
    answer = listed(beside(seed))
    assert (answer.status, answer.termination, answer.release) == (
        Status.UNKNOWN,
        Termination.ITERATION_LIMIT,
        None,
    )


def test_anatomized_groups_have_no_boxes_and_still_cost():
    at = instance(seeded("anatomized", 5), tuples=(9, 9), releases=(0, 0), values=(3, 3), form="anatomized")
    policy = Policy(
        [WeakMInvariance(m=2)], ["suppressed", "discernibility"], max_suppressed=3, form="anatomized"
    )
    problem = Problem(table=at.table, policy=policy)
    answer = partition_engine().solve(problem, Settings(), Watch())
    other = AssignmentEngine().solve(problem, Settings(), Watch())
    assert (answer.status, answer.bounds) == (other.status, other.bounds)


def test_a_fixed_multiplicity_is_listed():
    at = instance(seeded("twice", 1), tuples=(8, 8), releases=(0, 0), values=(2, 2), form="generalized")
    for requirement in (WeakMInvariance(m=2, multiplicity=2), WeakMInvariance(m=1, multiplicity=2)):
        policy = Policy([requirement], ["counterfeits", "information_loss"], max_counterfeits=4)
        problem = Problem(table=at.table, policy=policy)
        other = AssignmentEngine().solve(problem, Settings(), Watch())
        assert listed(problem).bounds == other.bounds


def test_equal_runs_give_equal_releases():
    _, problem, _ = growing_case(1, 9, 9)
    runs = [partition_engine().solve(problem, Settings(seed=4), Watch()) for _ in range(2)]
    assert runs[0].release == runs[1].release


# -- larger tables ----------------------------------------------------------------------------------


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
    with pytest.MonkeyPatch.context() as patch:
        faked(patch, tick=0.002)
        return problem, solve_problem(problem, time_limit=12, workers=1)


def test_a_growing_table_is_published_safely_and_its_bound_can_be_verified(solved):
    problem, result = solved
    assert result.engine.startswith("partition (80 tuples; groups are enumerated: difference looks at")
    assert result.status in (Status.FEASIBLE, Status.OPTIMAL)
    assert result.release is not None
    assert 0 < result.bounds[0] <= result.objective[0]
    confirmed = verify(result.certificate, problem, result.release)
    assert any("exact pricing of a part of the policy" in text for text in confirmed.confirmed)


def test_a_corrupted_proof_is_refused(solved):
    problem, result = solved

    def higher(content: dict[str, Any]) -> None:
        priced = claim(content, "priced") if list(claims_of(content, "priced")) else claim(content, "listed")
        priced["root"]["duals"] = [dual + priced["root"]["scale"] for dual in priced["root"]["duals"]]

    with pytest.raises(CertificateError, match="the duals prove nothing"):
        verify(changed(result.certificate, higher), problem, result.release)
    more = changed(result.certificate, lambda content: claim(content, "plain").update(requirements=[0, 1]))
    with pytest.raises(CertificateError, match="cannot speak of"):
        verify(more, problem, result.release)


def test_the_callers_clean_release_is_a_start(solved, monkeypatch: pytest.MonkeyPatch):
    problem, result = solved
    faked(monkeypatch, tick=0.002)
    again = solve_problem(problem, engine="partition", time_limit=2, workers=1, initial=result.release)
    assert again.release is not None
    assert again.objective <= result.objective


def test_a_gap_that_duals_leave_small_is_closed_and_says_what_it_rests_on():
    policy = Policy(
        [KCAnonymity(k=3, c="1/2")], [{"information_loss": 1, "suppressed": "1/3"}], max_suppressed=3
    )
    problem = growing(16, 32, policy)
    result = solve_problem(problem, time_limit=60)
    assert result.closed
    lines = verify(result.certificate, problem, result.release)
    assert not any("exact pricing" in line for line in lines.trusted)
    assert all("CP-SAT" in line for line in lines.trusted)


def test_what_is_too_large_for_a_full_list_has_the_bound_of_its_sizes():
    problem = growing(20, 40, Policy([KCAnonymity(k=3), Difference(k=3)], ["discernibility"]))
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    assert "difference looks at whole releases" in plan.why
    result = solve_problem(problem, time_limit=20)
    assert result.engine.startswith("partition (40 tuples; groups are enumerated: difference looks at")
    # Without `difference`: 12 groups of 3 and one of 4.
    assert result.bounds == (12 * 9 + 16,)
    assert result.release is not None
    lines = verify(result.certificate, problem, result.release)  # pyright: ignore[reportArgumentType]
    assert any("at least 124: integer duals over histograms" in line for line in lines.confirmed)


def test_a_state_counts_costs_as_the_loss_does():
    problem = growing(20, 40, SAFE)
    groups = [list(range(i, i + 8)) for i in range(0, 40, 8)]
    state = RepairedGroups(problem, groups)
    assert state.rows.loss(sum(state.costs)) == problem.objective(problem.assemble(groups))[0]


def test_interrupting_keeps_what_there_is(monkeypatch: pytest.MonkeyPatch):
    problem = growing(20, 40, SAFE)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("optanon.solver.engines.partition.enumerated.starts.improve", interrupt)
    answer = partition_engine().solve(problem, Settings(time_limit=10), Watch())
    assert answer.termination is Termination.INTERRUPTED
    assert answer.release is not None


@pytest.mark.parametrize(("tuples", "found"), [(48, True), (130, False)])
def test_where_nothing_finds_a_release_the_direct_model_has_the_time_left(
    tuples: int, found: bool, monkeypatch: pytest.MonkeyPatch
):
    """More than forty tuples ended without an answer, however much time there was."""
    monkeypatch.setattr(search.Starts, "quick", lambda self: None)
    frame = clustered_table(tuples, seed=1, values=4)
    table = generated_roles(values=4).table(frame)
    problem = Problem(table=table, policy=Policy([KCAnonymity(k=12)]))

    def unguided(*_: object) -> Iterator[Guide]:
        return iter(())

    for limit in (None, 20.0):
        answer = search.EnumeratedSearch(problem, Settings(time_limit=limit), Watch(), unguided).run()
        assert (answer.release is not None) == (found and limit is not None)
