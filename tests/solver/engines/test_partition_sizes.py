"""Losses by sizes beside requirements on people, releases and series: true bounds, fewest counterfeits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from cases.certificates import changed, claim, plain, without_duals
from cases.counts import BOXES, SIZES
from cases.drawn import NAMES, Case, drawn_case
from cases.enumerated import agrees, listed, posed
from strategies import pick, seeded

from optanon.instances.generators import clustered_table, generated_roles
from optanon.models.errors import CertificateError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import Difference, HcSafety, Intersection, KCAnonymity, WeakMInvariance
from optanon.models.table import Microdata
from optanon.solver.engines.partition.enumerated import search
from optanon.solver.search import solve_problem
from optanon.solver.status import Status
from optanon.solver.verify.checking import verify
from optanon.solver.verify.parts import sized

F = Fraction


def drawn(name: str, number: int) -> Case:
    """A case with other levels: sizes and counts, and mixtures with boxes."""
    case = drawn_case(name, 7001 + number)
    levels = pick(seeded("sizes", name, number), SIZES + BOXES)
    return replace(case, levels=levels, fakes=max(case.fakes, 0))


@pytest.mark.parametrize("number", range(10))
@pytest.mark.parametrize("name", NAMES)
def test_bounds_of_parts_are_true(name: str, number: int, monkeypatch: pytest.MonkeyPatch):
    """The way of large tables, on small ones: a bound above the optimum would be seen."""
    monkeypatch.setattr(search, "LIMITS", replace(search.LIMITS, small=0))
    case = drawn(name, number)
    if posed(case):
        agrees(case, listed(case.problem))


def growing(first: int, then: int, before: Sequence[Requirement], policy: Policy, gone: int = 0) -> Problem:
    """A table that grows after an anatomized release; the first `gone` respondents leave."""
    frame, roles = clustered_table(then, seed=3), generated_roles()
    whole = roles.table(frame)

    def part(start: int, end: int) -> Microdata:
        return replace(whole, members=whole.members[start:end], codes=whole.codes[start:end].copy())

    begun = Policy(before, ["average_group_size"], form="anatomized")
    made = solve_problem(Problem(table=part(0, first), policy=begun), time_limit=20)
    assert made.release is not None
    return Problem(table=part(gone, then), policy=policy, history=History([made.release]))


WEAK = [WeakMInvariance(m=3), HcSafety(n=2)]


@pytest.mark.parametrize("gone", [0, 25])
def test_a_later_anatomized_release_has_the_fewest_counterfeits(gone: int):
    policy = Policy(
        WEAK, ["suppressed", "counterfeits", "discernibility"], max_suppressed=5, form="anatomized"
    )
    problem = growing(60, 120, WEAK, policy, gone)
    result = solve_problem(problem, time_limit=30)
    assert result.engine.startswith("partition")
    assert result.status in (Status.OPTIMAL, Status.FEASIBLE)
    assert result.objective[:2] == result.bounds[:2]
    assert result.bounds[2] is not None
    assert 0 < result.bounds[2] <= result.objective[2]
    lines = verify(result.certificate, problem, result.release)  # pyright: ignore[reportArgumentType]
    fewest = result.objective[1]
    assert any(line.startswith(f"counterfeits at least {fewest}:") for line in lines.confirmed)


@pytest.fixture(scope="module")
def solved() -> tuple[Problem, Any]:
    requirements = [KCAnonymity(k=3, c="1/2"), Difference(k=2), Intersection(c="2/3")]
    policy = Policy(requirements, ["discernibility"], form="anatomized")
    problem = growing(30, 60, [KCAnonymity(k=4, c="1/2")], policy)
    return problem, solve_problem(problem, time_limit=6)


def test_a_series_without_boxes_is_published_with_a_bound(solved: tuple[Problem, Any]):
    problem, result = solved
    assert result.engine.startswith("partition")
    # 20 groups of 3.
    assert result.bounds == (180,)
    assert result.release is not None
    lines = verify(result.certificate, problem, result.release).confirmed
    assert any("at least 180: integer duals" in line for line in lines)


def test_a_corrupted_proof_is_refused(solved: tuple[Problem, Any]):
    problem, result = solved

    def refused(word: str, *path: Any, to: Any) -> None:
        def change(content: dict[str, Any]) -> None:
            at = claim(content, path[0])
            for key in path[1:-1]:
                at = at[key]
            at[path[-1]] = to

        with pytest.raises(CertificateError, match=word):
            verify(changed(result.certificate, change), problem, result.release)

    level = claim(plain(result.certificate), "histograms")
    sizes = sized(problem, 0, None, None)
    assert sizes is not None
    refused("does not reach", "histograms", "proof", to=without_duals(sizes, level))
    refused("proves less", "histograms", "bound", to=181)
    refused("where no loss is", "sized", "start", to=1)
    refused("claims something else", "within", "part", to={"kind": "counted"})


def test_mixtures_add_up_the_bounds_of_their_parts():
    table = generated_roles().table(clustered_table(90, seed=5))
    levels = [{"information_loss": 1, "discernibility": "1/20"}]
    problem = Problem(table=table, policy=Policy([KCAnonymity(k=3)], levels))
    alone = solve_problem(Problem(table=table, policy=Policy([KCAnonymity(k=3)])))
    result = solve_problem(problem, time_limit=6)
    assert alone.status is Status.OPTIMAL
    # 30 groups of 3 cost 270 / 20.
    assert result.bounds == (alone.objective[0] + F(27, 2),)
    assert result.release is not None
    lines = verify(result.certificate, problem, result.release)  # pyright: ignore[reportArgumentType]
    assert any("sizes and exact pricing, each for itself" in line for line in lines.confirmed)
    assert lines.bounds == result.bounds


def test_nothing_is_refused_for_its_size():
    table = generated_roles().table(clustered_table(400, seed=5))
    problem = Problem(table=table, policy=Policy([KCAnonymity(k=3)], ["semiperimeter"]))
    result = solve_problem(problem, time_limit=4)
    assert result.engine.startswith("partition")
    assert result.release is not None
    assert result.bounds == (0,)
