"""Parts of a policy as the verifier reads them: the engines' own, and what a bound on them cannot say."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from oracle.partition import random_problem

from optanon.models.errors import CertificateError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import (
    Difference,
    HcSafety,
    Intersection,
    KCAnonymity,
    SafeCorrelation,
    WeakMInvariance,
)
from optanon.models.table import Microdata
from optanon.solver import claims
from optanon.solver.engines.partition.enumerated import measure, part, sizes
from optanon.solver.engines.partition.objective import factor
from optanon.solver.verify import parts
from optanon.solver.verify.bounds import derived
from optanon.solver.verify.given import Given
from optanon.solver.verify.rows import CheckedRows

RULES = [KCAnonymity(k=3, c="1/2"), Difference(k=2), Intersection(c="2/3")]
POLICIES = [
    Policy(RULES),
    Policy(RULES, ["suppressed", "average_information_loss"], max_suppressed="0.1"),
    Policy(RULES, [{"information_loss": "1/3", "suppressed": 7}], max_suppressed=2),
    Policy([WeakMInvariance(m=2), HcSafety(n=2)], ["counterfeits", "information_loss"]),
    Policy(RULES, ["discernibility", "information_loss"]),
    Policy(RULES, [{"discernibility": 1, "information_loss": 2}, "maximum_group_size"]),
    Policy(RULES, ["suppressed", "counterfeits", "discernibility"], form="anatomized"),
    Policy(RULES, [{"counterfeits": 2, "discernibility": 1}], max_counterfeits=3, form="anatomized"),
]


def problem_with(policy: Policy) -> Problem:
    return Problem(table=random_problem(1, 12).table, policy=policy)


@pytest.mark.parametrize("policy", POLICIES)
def test_parts_are_the_engines(policy: Policy):
    problem = problem_with(policy)
    kept = problem.policy.decided_by_histograms(problem)
    for indices in (kept, kept[:1]):
        assert parts.plain(problem, indices).digests == part.plain(problem, indices).digests
    assert parts.grouped(problem).digests == part.grouped(problem).digests
    for count, level in enumerate(policy.levels, start=1):
        theirs = part.leading(problem, count, level.losses, kept)
        if theirs is None:
            with pytest.raises(CertificateError):
                parts.leading(problem, count, sorted(level.losses), kept)
        else:
            assert parts.leading(problem, count, sorted(level.losses), kept).digests == theirs.digests
    for start in range(len(policy.levels)):
        for hidden, fakes in ((None, None), (0, 0), (1, 4)):
            mine = parts.sized(problem, start, hidden, fakes)
            theirs = sizes.sized(problem, start, hidden, fakes)
            assert (None if mine is None else mine.digests) == (None if theirs is None else theirs.digests)
    for level in policy.levels:
        weight = parts.loss_weight(level, problem.table)
        assert weight == factor(level, problem.table)
        if weight and policy.suppression_limit(12) and level is policy.levels[-1]:
            assert parts.hidden_price(problem, level) == measure.suppressing(problem, weight)


class KeptHistory(History):
    """As one in a store is."""

    @property
    def stored(self) -> bool:
        return True


def test_a_part_has_the_levels_of_the_whole():
    """A series kept for later under equal counts looks ahead, unless whole releases are judged, too."""
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(100)], "age": range(100), "value": list("ab") * 50})
    table = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"age": "numeric"}, sensitive="value"
    )
    kept = [WeakMInvariance(m=2), HcSafety(n=2, deep=True)]
    policy = Policy(kept, ["counterfeits", "information_loss"])
    problem = Problem(table=table, policy=policy, history=KeptHistory([]))
    assert problem.policy.outlook is None
    assert parts.grouped(problem).policy.levels == problem.policy.levels
    assert part.grouped(problem).policy.levels == problem.policy.levels
    known = claims.Within(part=claims.Grouped(), claims=(claims.KnownClaim(kind="allowed", level=1),))
    given = Given(problem=problem, values=(Fraction(0), Fraction(100)))
    assert [line.bound for line in derived(given, known)] == [0]
    ahead = replace(problem, policy=Policy(kept[:1], ["counterfeits", "information_loss"]))
    assert ahead.policy.outlook is not None
    assert parts.grouped(ahead).digests == part.grouped(ahead).digests == ahead.digests


def test_the_rest_of_the_levels_hides_no_cells_if_the_first_ones_count_some():
    half, one = Fraction(1, 2), Fraction(1)
    asked = SafeCorrelation(attribute="q0", l=2, min_confidence=half, max_confidence=one)
    policy = Policy([KCAnonymity(k=2), asked], ["hidden_cells", "discernibility"], form="anatomized")
    problem = problem_with(policy)
    none = parts.rest(problem, (Fraction(0), Fraction(24)), 1)
    assert not none.policy.counts("hidden_cells")
    with pytest.raises(CertificateError, match="hide no cells, and others are as good"):
        parts.rest(problem, (Fraction(1), Fraction(24)), 1)
    weighed = policy.changed(minimize=["hidden_cells", {"hidden_cells": 1, "discernibility": 1}])
    problem = replace(problem, policy=weighed)
    assert parts.rest(problem, (Fraction(1), Fraction(24)), 1).policy.counts("hidden_cells")


PRICED: dict[str, Any] = {
    "root": claims.WrittenDuals(scale=1, duals=(0,) * 12, cut_duals=()),
    "cuts": (),
    "part": None,
}


@pytest.mark.parametrize(
    ("policy", "values", "why"),
    [
        (Policy([KCAnonymity(k=2)], ["discernibility"]), [5], "something else"),
        (Policy([KCAnonymity(k=2)], form="anatomized"), [5], "something else"),
        (Policy([KCAnonymity(k=2)], ["hidden_cells", "information_loss"]), [0, 5], "hide cells"),
        (Policy([KCAnonymity(k=2)], max_counterfeits=1), [5], "that invent nothing"),
        (Policy([KCAnonymity(k=2)], max_suppressed=1, max_counterfeits=1), [5], "that invent nothing"),
    ],
)
def test_duals_say_nothing_of_other_levels_and_freer_releases(policy: Policy, values: list[int], why: str):
    problem = problem_with(policy)
    given = Given(problem=problem, values=tuple(map(Fraction, values)))
    claim = claims.PricedClaim(level=len(values) - 1, **PRICED)
    with pytest.raises(CertificateError, match=why):
        derived(given, claim)


def test_a_part_with_counterfeits_has_no_bound_on_information_loss():
    problem = problem_with(Policy([KCAnonymity(k=2)], ["counterfeits", "information_loss"]))
    claim = claims.Within(
        part=claims.Plain(requirements=(0,)), claims=(claims.PricedClaim(level=0, **PRICED),)
    )
    none = Given(problem=problem, values=(Fraction(0), Fraction(5)))
    assert [line.level for line in derived(none, claim)] == [1]
    some = Given(problem=problem, values=(Fraction(1), Fraction(5)))
    with pytest.raises(CertificateError, match="without counterfeits"):
        derived(some, claim)


def test_duals_are_lowered_to_what_a_suppressed_tuple_adds():
    # No group has 13 of 12 tuples, so any duals will do for groups; one tuple is to be published.
    policy = Policy([KCAnonymity(k=13)], [{"information_loss": 2, "suppressed": "1/4"}], max_suppressed=12)
    problem = problem_with(policy)
    price = len(problem.table.domains) + Fraction(1, 8)
    assert parts.hidden_price(problem, policy.levels[0]) == price
    high = {**PRICED, "root": claims.WrittenDuals(scale=8, duals=(10**6,) * 12, cut_duals=())}
    claim = claims.Within(part=claims.Plain(requirements=(0,)), claims=(claims.PricedClaim(level=0, **high),))
    (line,) = derived(Given(problem=problem, values=(24 * price,)), claim)
    one = CheckedRows.of(problem.table, parts.units_of(problem)).one
    assert line.bound == 2 * Fraction(10**6 + 11 * int(8 * one * price), 8 * one)


def test_costs_are_no_whole_numbers_where_a_suppressed_tuple_has_another_price():
    """A third is lost beside the whole width for one of three, which is the least that can be lost."""
    frame = pd.DataFrame({"id": list("xyz"), "age": [0, 0, 10], "value": list("aba")})
    table = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"age": "numeric"}, sensitive="value"
    )
    levels = [{"information_loss": 1, "suppressed": "1/3"}]
    problem = Problem(table=table, policy=Policy([KCAnonymity(k=2)], levels, max_suppressed=1))
    best = problem.assemble([[0, 1]])
    assert problem.objective(best) == (Fraction(4, 3),)
    root = claims.WrittenDuals(scale=3, duals=(0, 0, 40), cut_duals=())
    claim = claims.PricedClaim(**{**PRICED, "root": root}, level=0)
    within = claims.Within(part=claims.Plain(requirements=(0,)), claims=(claim,))
    given = Given(problem=problem, values=problem.objective(best), release=best)
    assert [line.bound for line in derived(given, within)] == [Fraction(4, 3)]
