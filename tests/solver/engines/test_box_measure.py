"""A user's own loss of weighted widths is searched by prices, with a bound and a certificate."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import pytest
from strategies import instance, seeded

import optanon as oa
from optanon.models.box_measure import BoxMeasure
from optanon.models.losses import base as registry
from optanon.models.losses.base import BoxLoss
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.table import Microdata
from optanon.solver.engines.partition.objective import Objective
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.exact.subsets import Subsets
from optanon.solver.search import solve_problem
from optanon.solver.status import Status


class Weighted(BoxLoss):
    """Widths of the first attribute count a third, of the second one, of the third five thirds."""

    name: ClassVar[str] = "weighted"
    reference: ClassVar[str] = "this test"

    def box_weights(self, table: Microdata) -> tuple[Fraction, ...]:
        return tuple(Fraction(1 + 2 * a, 3) for a in range(len(table.domains)))


@pytest.fixture(autouse=True)
def weighted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._registry, "weighted", Weighted())  # pyright: ignore[reportPrivateUsage]


def problem(seed: int, *policy: object, tuples: tuple[int, int] = (8, 11), **limits: int) -> Problem:
    at = instance(seeded("weighted", seed), tuples=tuples, releases=(0, 0), form="generalized")
    return Problem(table=at.table, policy=Policy(*policy, **limits))  # pyright: ignore[reportArgumentType]


def test_a_level_is_a_factor_times_coprime_units():
    asked = problem(0, [oa.KCAnonymity(k=2)], [{"weighted": 6, "suppressed": 1}])
    (level,), attributes = asked.policy.levels, len(asked.table.domains)
    found = BoxMeasure.of(level, asked.table)
    assert found is not None
    assert found.factor == 2
    assert found.units == tuple(1 + 2 * a for a in range(attributes))
    assert (
        BoxMeasure.of(problem(0, [oa.KCAnonymity(k=2)], "suppressed").policy.levels[0], asked.table) is None
    )


@pytest.mark.parametrize("seed", range(3))
def test_prices_find_the_optimum_and_the_certificate_says_why(seed: int):
    mixed = {"weighted": 2, "information_loss": "1/2"}
    for policy, limits in (
        (([oa.KCAnonymity(k=2)], ["weighted"]), {}),
        (([oa.KCAnonymity(k=2)], ["suppressed", mixed]), {"max_suppressed": 2}),
        (([oa.WeakMInvariance(m=2)], ["counterfeits", "weighted"]), {}),
    ):
        asked = problem(seed, *policy, **limits)
        plan = Plan.of(asked)
        assert isinstance(plan, Plan)
        assert not plan.why
        result = solve_problem(asked, engine="partition", display=False, seed=1)
        best = Subsets(asked).optimum()
        if best is None or result.status is Status.INFEASIBLE:
            continue
        assert result.status is Status.OPTIMAL
        assert result.objective == tuple(best.values)
        assert result.certificate is not None
        assert result.release is not None
        assert oa.verify(result.certificate, asked, result.release).bounds == result.bounds


def test_reasons_name_the_loss_that_has_no_prices():
    asked = problem(0, [oa.KCAnonymity(k=2)], ["weighted", "semiperimeter"])
    reason = Objective.of(asked)
    assert isinstance(reason, str)
    assert "semiperimeter" in reason
    asked = problem(0, [oa.KCAnonymity(k=2)], ["weighted", "information_loss"])
    assert Objective.of(asked) == "two levels measure boxes, and prices are for one"
