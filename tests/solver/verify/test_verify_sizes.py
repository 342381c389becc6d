"""Programs over shapes of groups, as the verifier writes them down: never above the optimum, mostly at it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from cases.counts import drawn, posed
from oracle.partition import random_problem
from scipy.optimize import Bounds, LinearConstraint, milp

from optanon.models.errors import CertificateError
from optanon.models.losses import MaximumGroupSize
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.solver.exact.program import FREE, Program
from optanon.solver.verify import shapes
from optanon.solver.verify.by_sizes import BySizes
from optanon.solver.verify.sizes import SizeCosts


def least(program: Program) -> int | None:
    """The program's optimum by HiGHS, checked to be whole."""
    rows = LinearConstraint(
        program.matrix.toarray(),  # pyright: ignore[reportArgumentType]
        np.where(program.low <= -FREE, -np.inf, program.low),
        np.where(program.high >= FREE, np.inf, program.high),
    )
    found = milp(
        program.cost.astype(float),
        constraints=rows,
        bounds=Bounds(program.lower, program.upper),  # pyright: ignore[reportArgumentType]
        integrality=np.ones(len(program.cost)),
    )
    if found.x is None:
        return None
    x = np.rint(found.x).astype(np.int64)
    assert program.holds(x)
    return int(program.cost @ x)


def cost_of(price: SizeCosts, value: Fraction) -> int:
    """The cost of a value."""
    (_, weight), *_ = price.level.weights
    if price.kind == "sum":
        return int(value / price.unit)
    if price.kind == "max":
        return int(value / weight)
    return -int(weight * len(price.problem.table) / value)


def proven(problem: Problem, best: Sequence[Fraction], top: int) -> tuple[int, int]:
    """How many levels have a program that reaches the optimum, of how many."""
    prices = [SizeCosts.of(problem, level) for level in problem.policy.levels]
    costs = [cost_of(price, value) for price, value in zip(prices, best, strict=True)]
    assert [price.value(cost) for price, cost in zip(prices, costs, strict=True)] == list(best)
    reached, sizes = 0, BySizes.of(problem, top)
    for level, cost in enumerate(costs):
        # At its own cost, a level's program has the optimum among its solutions.
        made = sizes.asked(level, costs[:level], cost, [])
        assert sizes.value(level, cost) == best[level]
        if made is None:
            reached += 1
            continue
        found = least(made.program)
        if prices[level].kind == "max":
            # Some release has no larger group: a bound one size above would not hold.
            reached += found is not None and found >= made.target
            above = sizes.asked(level, costs[:level], cost + 1, [])
            assert above is not None
            assert least(above.program) == 0
        else:
            assert found is not None
            assert found <= cost
            reached += found == cost
    return reached, len(costs)


@pytest.mark.parametrize("seed", range(0, 150, 2))
def test_no_program_is_above_the_optimum(seed: int):
    case = drawn(seed)
    best = case.optimum(case.fakes) if posed(case) else None
    if best is not None:
        reached, levels = proven(case.problem, best, 48)
        assert reached == levels


@pytest.mark.parametrize("seed", range(200, 260))
def test_larger_groups_than_the_shapes_are_bounded(seed: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shapes, "SPLIT", 2)
    case = drawn(seed)
    best = case.optimum(case.fakes) if posed(case) else None
    if best is not None:
        proven(case.problem, best, 2 + seed % 2)


@pytest.mark.parametrize("seed", range(300, 340))
def test_histograms_by_values_say_the_same(seed: int, monkeypatch: pytest.MonkeyPatch):
    case = drawn(seed)
    monkeypatch.setattr(shapes, "_by_sums", shapes._by_values)
    best = case.optimum(case.fakes) if posed(case) else None
    if best is not None:
        reached, levels = proven(case.problem, best, 48)
        assert reached == levels


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_sums_stand_for_counts_that_are_too_many(seed: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shapes, "MOST_PARTS", 0)
    case = drawn(seed)
    best = case.optimum(case.fakes) if posed(case) else None
    if best is not None:
        proven(case.problem, best, 48)


def small(policy: Policy) -> Problem:
    return Problem(table=drawn(0).problem.table, policy=policy)


def test_what_sizes_do_not_decide_is_refused():
    with pytest.raises(CertificateError, match="more than the sizes"):
        BySizes.of(small(Policy([KCAnonymity(k=2)])), 48).asked(0, [], 0, [])
    with pytest.raises(CertificateError, match="up to 4001 tuples"):
        BySizes.of(small(Policy([KCAnonymity(k=2)], ["discernibility"])), 4_001)
    by_sums = small(Policy([KCAnonymity(k=2, c="1/2")], ["discernibility"]))
    with pytest.raises(CertificateError, match="names values"):
        BySizes.of(by_sums, 48).asked(0, [], 0, [[0]])


def test_costs_are_whole_numbers_of_a_level_s_unit():
    price = SizeCosts.of(
        problem := small(Policy([KCAnonymity(k=2)], [{"discernibility": "1/3", "suppressed": "1/7"}])),
        problem.policy.levels[0],
    )
    assert price.unit == Fraction(1, 21)
    assert price.value(5) == Fraction(5, 21)
    assert price.value(22) > 1


def test_groups_that_a_maximum_does_not_tell_apart_are_as_large(monkeypatch: pytest.MonkeyPatch):
    """A plug-in's loss may be the same for several sizes: releases as good may have the largest of them."""
    monkeypatch.setattr(MaximumGroupSize, "by_size", lambda _, size, fakes, form: Fraction(size + size % 2))
    policy = Policy([KCAnonymity(k=3)], ["maximum_group_size", "suppressed"], max_suppressed=1)
    sizes = BySizes.of(Problem(table=random_problem(1, 4).table, policy=policy), 4)
    assert sizes.value(0, 3) == sizes.value(0, 4)
    asked = sizes.asked(1, [3], 1, [])
    assert asked is not None
    assert least(asked.program) == 0
