"""First levels with a plan of their own, and levels that are settled: true bounds, nothing worse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import oracle.brute_force as bf
import pandas as pd
import pytest
from oracle.partition import random_problem

from optanon.instances.generators import generated_roles, uniform_table
from optanon.models.errors import CertificateError
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import DistinctLDiversity, KAnonymity, KCAnonymity, TCloseness
from optanon.models.table import Microdata
from optanon.solver import claims
from optanon.solver.engines.partition.enumerated import search
from optanon.solver.engines.partition.plan import first_levels
from optanon.solver.search import solve_problem
from optanon.solver.verify.bounds import derived
from optanon.solver.verify.checking import verify
from optanon.solver.verify.given import Given

SUM = {"information_loss": 1, "discernibility": "1/20"}
LEVELS: list[list[Any]] = [
    ["information_loss", "suppressed"],
    ["information_loss", "discernibility"],
    ["suppressed", "discernibility", "information_loss"],
    ["discernibility", "information_loss"],
    [SUM],
    [SUM, "suppressed"],
    [{"information_loss": 2, "suppressed": 1, "discernibility": "1/7"}, "maximum_group_size"],
    ["ncp", "suppressed", "discernibility"],
]
RULES = [[KAnonymity(k=2)], [KCAnonymity(k=2, c="1/2")], [KAnonymity(k=2), TCloseness(t="2/5")]]


def asked(problem: Problem, levels: Sequence[Any], most: int) -> Problem:
    return replace(problem, policy=problem.policy.changed(minimize=levels, max_suppressed=most))


def kept(problem: Problem) -> Iterator[Release]:
    """All releases that keep the policy."""
    rows = range(len(problem.table))
    for out in range(problem.policy.suppression_limit(len(problem.table)) + 1):
        for hidden in combinations(rows, out):
            for groups in bf.set_partitions([row for row in rows if row not in hidden]):
                release = problem.assemble([list(group) for group in groups])
                if next(problem.check(release), None) is None:
                    yield release


@pytest.mark.parametrize("number", range(len(LEVELS)))
@pytest.mark.parametrize("rules", range(len(RULES)))
def test_bounds_are_true_and_derived_again(rules: int, number: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(search, "LIMITS", replace(search.LIMITS, small=0))  # parts say what they can
    monkeypatch.setattr(search.EnumeratedSearch, "_exactly", lambda _: None)
    monkeypatch.setattr("optanon.solver.search.SMALL", 0)
    monkeypatch.setattr("optanon.solver.search.CLOSED", 0)
    problem = asked(random_problem(10 * rules + number, 6, RULES[rules]), LEVELS[number], number % 3)
    best = min((problem.objective(release) for release in kept(problem)), default=None)
    result = solve_problem(problem, time_limit=3.0, display=False, reasons=False)
    if best is None:
        assert result.release is None
        return
    assert result.release is not None
    assert result.certificate is not None
    assert result.objective >= best
    for level, (bound, value) in enumerate(zip(result.bound, result.objective, strict=True)):
        assert bound is None or bound <= value
        if result.objective[:level] == best[:level]:
            assert bound is None or bound <= best[level]
    assert verify(result.certificate, problem, result.release).whole


def losses(problem: Problem) -> tuple[int, tuple[str, ...], int] | None:
    found = first_levels(problem)
    return None if found is None else (found.part.levels, found.part.losses, len(found.part.requirements))


def test_as_many_levels_as_have_a_plan():
    problem = random_problem(1, 12, [KCAnonymity(k=3, c="1/2")])
    known = [losses(asked(problem, levels, 2)) for levels in LEVELS]
    boxes = ("information_loss",)
    assert known == [
        (1, boxes, 1),
        (1, boxes, 1),
        (1, ("suppressed",), 1) if known[2] else None,
        None,
        (1, boxes, 1),
        (1, boxes, 1),
        (1, boxes, 1),
        (1, ("ncp",), 1),
    ]


def test_requirements_without_largest_groups_are_left_out_where_tuples_may_be():
    table = generated_roles(values=14).table(uniform_table(150, seed=1, values=14))
    problem = Problem(table=table, policy=Policy([KAnonymity(k=3), TCloseness(t="1/5")]))
    part = first_levels(asked(problem, ["information_loss", "suppressed"], 2))
    assert part is not None
    assert part.part.requirements == (0,)


def given(problem: Problem, *values: int) -> Given:
    return Given(problem=problem, values=tuple(map(Fraction, values)))


DUALS = claims.PricedClaim(
    level=0, root=claims.WrittenDuals(scale=1, duals=(0,) * 12, cut_duals=()), cuts=(), part=None
)


def leading(**changed: Any) -> claims.Within:
    part: dict[str, Any] = {"levels": 1, "losses": ("information_loss",), "requirements": (0,)}
    return claims.Within(part=claims.Leading(**(part | changed)), claims=(DUALS,))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"levels": 0}, "cannot speak of"),
        ({"levels": 3}, "cannot speak of"),
        ({"requirements": (1,)}, "cannot speak of"),
        ({"losses": ()}, "does not have"),
        ({"losses": ("ncp",)}, "does not have"),
    ],
)
def test_first_levels_that_the_policy_does_not_have_bound_nothing(changed: dict[str, Any], why: str):
    problem = asked(random_problem(1, 12, [KAnonymity(k=3)]), ["information_loss", "suppressed"], 2)
    assert [line.bound for line in derived(given(problem, 9, 0), leading())] == [0]
    with pytest.raises(CertificateError, match=why):
        derived(given(problem, 9, 0), leading(**changed))


def test_first_levels_allow_no_fewer_counterfeits():
    problem = random_problem(1, 12, [KAnonymity(k=3)])
    policy = problem.policy.changed(minimize=["information_loss", "counterfeits"])
    with pytest.raises(CertificateError, match="fewer counterfeits"):
        derived(given(replace(problem, policy=policy), 9, 0), leading())


def test_the_rest_is_bounded_where_the_first_levels_are_settled():
    problem = asked(random_problem(1, 12, [KAnonymity(k=3)]), ["suppressed", "information_loss"], 2)
    claim = claims.Rest(levels=1, claim=DUALS)
    assert [(line.level, line.bound) for line in derived(given(problem, 0, 9), claim)] == [(1, 0)]
    with pytest.raises(CertificateError, match="others are as good"):
        derived(given(problem, 1, 9), claim)
    with pytest.raises(CertificateError, match="others are as good"):
        derived(given(asked(problem, ["information_loss"], 2), 9), claims.Rest(levels=0, claim=DUALS))
    with pytest.raises(CertificateError, match="only count"):
        derived(given(problem, 0, 9), claims.Rest(levels=2, claim=DUALS))


def test_a_loss_has_one_share():
    problem = asked(random_problem(1, 12, [KAnonymity(k=3)]), [SUM], 0)
    sizes = claims.Within(
        part=claims.Sized(start=0, hidden=None, fakes=None),
        claims=(claims.Trusted(level=0, bound=Fraction(1), solver="somebody", why="it says so"),),
    )
    lines = derived(given(problem, 99), claims.Shares(sizes=sizes, boxes=leading()))
    assert [(line.bound, line.trusted) for line in lines] == [(0, False), (1, True)]
    twice = leading(losses=("discernibility", "information_loss"))
    with pytest.raises(CertificateError, match="share already"):
        derived(given(problem, 99), claims.Shares(sizes=sizes, boxes=twice))
    with pytest.raises(CertificateError, match="first level"):
        derived(given(problem, 99), claims.Shares(sizes=leading(), boxes=leading()))


@pytest.mark.parametrize(
    "levels", [["suppressed", "discernibility", "information_loss"], ["suppressed", SUM]]
)
def test_where_nobody_need_be_left_out_the_rest_is_what_it_is_alone(levels: list[Any]):
    problem = random_problem(3, 40, [DistinctLDiversity(l=2)])
    loose = solve_problem(asked(problem, levels, 4), time_limit=2.0, workers=1)
    strict = solve_problem(asked(problem, levels[1:], 0), time_limit=2.0, workers=1)
    assert loose.objective == (0, *strict.objective)
    assert loose.bound == (0, *strict.bound)
    assert loose.certificate is not None
    assert verify(loose.certificate, asked(problem, levels, 4), loose.release).whole


def test_squares_beside_categories_are_no_first_level_of_their_own():
    """They measure numbers alone, which is refused by itself."""
    table = Microdata.from_frame(
        pd.DataFrame(
            {"id": range(40), "age": range(40), "sex": list("fm") * 20, "disease": list("abcd") * 10}
        ),
        respondent="id",
        quasi_identifiers={"age": "numeric", "sex": "flat"},
        sensitive="disease",
    )
    policy = Policy([KAnonymity(k=3)], ["squared_error", "information_loss"])
    problem = Problem(table=table, policy=policy)
    assert first_levels(problem) is None
    assert solve_problem(problem, time_limit=1.0, seed=1, workers=1).release is not None
    with pytest.raises(CertificateError, match="none by themselves"):
        derived(given(problem, 9, 9), leading(losses=("squared_error",)))
