"""What every engine knows of its best release, and the one place where statuses are decided."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import optanon
from optanon.instances.generators import generated_roles, uniform_table
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import KCAnonymity
from optanon.solver.claims import TrustedRefusal
from optanon.solver.incumbent import BestRelease, Incumbent
from optanon.solver.settings import Clock, Watch
from optanon.solver.status import Point, Status, Termination

ROLES = generated_roles(values=4)
PROBLEM = Problem(
    table=ROLES.table(uniform_table(6, seed=1, values=4)),
    policy=Policy([KCAnonymity(k=2)], ["suppressed", "information_loss"], max_suppressed=4),
)


class Numbers(Incumbent[tuple[int, ...], int]):
    """Solutions that are their own costs; those with a 13 fail their check."""

    checked = 0

    def measured(self, solution: tuple[int, ...]) -> tuple[int, ...]:
        return solution

    def keeps(self, solution: tuple[int, ...]) -> bool:
        self.checked += 1
        return 13 not in solution

    def value(self, index: int, cost: int) -> Fraction:
        return Fraction(cost, 10)

    def release(self) -> Release | None:
        return None


class Rounded(Numbers):
    """Costs that are values only nearly."""

    @property
    def exact(self) -> bool:
        return False


def watched(levels: Sequence[int] = (0, 1)) -> tuple[Numbers, list[Point]]:
    heard: list[Point] = []
    return Numbers(PROBLEM, Watch(lambda point, _text: heard.append(point)), levels), heard


def told(points: Sequence[Point]) -> list[tuple[int, Fraction | None, Fraction | None]]:
    return [(point.level, point.value, point.bound) for point in points]


def test_earlier_levels_come_first() -> None:
    known, _ = watched()
    assert known.offer((2, 1))
    assert not known.offer((2, 1))
    assert not known.offer((2, 2))
    assert known.offer((1, 9))
    assert (known.best, known.values) == ((1, 9), (1, 9))


def test_only_what_is_better_is_checked() -> None:
    known, _ = watched()
    assert not known.offer((13, 0))
    assert known.offer((14, 0))
    assert known.checked == 2
    assert not known.offer((15, 0))
    assert known.checked == 2
    assert known.offer((13, 0), checked=True)
    assert known.checked == 2


def test_bounds_only_rise() -> None:
    known, _ = watched()
    known.raise_bound(0, 3)
    known.raise_bound(0, 2)
    known.raise_bounds([None, 5])
    known.raise_bounds([1, 4])
    assert known.bounds == [3, 5]


def test_the_first_open_level_is_told() -> None:
    known, heard = watched()
    known.offer((3, 8))
    known.raise_bound(0, 3)
    known.raise_bound(1, 6)
    known.offer((3, 6))
    tenths = [(0, 3, None), (1, 8, None), (1, 8, 6), (1, 6, 6)]
    assert told(heard) == [
        (level, Fraction(value, 10), None if bound is None else Fraction(bound, 10))
        for level, value, bound in tenths
    ]


def test_levels_that_do_not_differ_are_at_nothing() -> None:
    known, heard = watched(levels=[1])
    known.offer((7,))
    known.raise_bound(0, 5)
    assert known.stated() == (0, Fraction(1, 2))
    assert {point.level for point in heard} == {1}


def test_a_bound_given_an_open_level_stays_as_it_is() -> None:
    known, _ = watched()
    known.offer((3, 4))
    known.raise_bounds([2, 9])
    assert known.stated() == (Fraction(1, 5), Fraction(9, 10))
    known.raise_bound(0, 3)
    assert known.stated() == (Fraction(3, 10), Fraction(2, 5))


@pytest.mark.parametrize(
    ("offered", "bounds", "why", "status", "termination"),
    [
        (None, [0, 0], {}, Status.UNKNOWN, Termination.ITERATION_LIMIT),
        (None, [0, 0], {"late": True}, Status.UNKNOWN, Termination.TIME_LIMIT),
        (None, [0, 0], {"enough": True}, Status.UNKNOWN, Termination.COMPLETED),
        ((1, 2), [1, 1], {}, Status.FEASIBLE, Termination.ITERATION_LIMIT),
        ((1, 2), [1, 1], {"late": True}, Status.FEASIBLE, Termination.TIME_LIMIT),
        ((1, 2), [1, 1], {"late": True, "interrupted": True}, Status.FEASIBLE, Termination.INTERRUPTED),
        ((1, 2), [1, 1], {"solved": True}, Status.FEASIBLE, Termination.ROUNDING),
        ((1, 2), [1, 1], {"enough": True}, Status.FEASIBLE, Termination.COMPLETED),
        ((1, 2), [None, 2], {}, Status.FEASIBLE, Termination.ITERATION_LIMIT),
        ((1, 2), [1, 2], {"late": True, "interrupted": True}, Status.OPTIMAL, Termination.COMPLETED),
    ],
)
def test_what_is_known_decides_the_status(
    offered: tuple[int, ...] | None,
    bounds: list[int | None],
    why: dict[str, Any],
    status: Status,
    termination: Termination,
) -> None:
    known, _ = watched()
    known.offer(offered)
    known.raise_bounds(bounds)
    answer = known.answer(**why)
    assert (answer.status, answer.termination) == (status, termination)


def test_rounded_costs_prove_no_optimum() -> None:
    known = Rounded(PROBLEM, Watch(), [0, 1])
    known.offer((1, 2))
    known.raise_bounds([1, 2])
    answer = known.answer()
    assert (answer.status, answer.termination) == (Status.FEASIBLE, Termination.ROUNDING)


def test_a_refusal_says_that_there_is_no_release() -> None:
    known, _ = watched()
    refusal = TrustedRefusal(solver="nobody", why="said so")
    answer = known.refused(refusal, rounds=4)
    assert (answer.status, answer.termination) == (Status.INFEASIBLE, Termination.COMPLETED)
    assert (answer.release, answer.bounds, answer.refusal, answer.rounds) == (None, (None, None), refusal, 4)


def test_releases_are_checked_and_their_checks_kept_free() -> None:
    clock = Clock(100.0)
    known = BestRelease(PROBLEM, Watch(), clock)
    apart = PROBLEM.assemble([[0], [1, 2, 3, 4, 5]])
    whole = PROBLEM.assemble([range(6)])
    assert not known.offer(apart)
    assert known.offer(whole)
    assert known.values == PROBLEM.objective(whole)
    assert clock.limit is not None
    assert clock.limit < 100.0


def test_only_releases_that_cost_the_same_are_exchanged() -> None:
    """Where a solver's costs are rounded, what it takes for as good may cost more."""
    known = BestRelease(PROBLEM, Watch())
    pairs = [PROBLEM.assemble(groups) for groups in ([[0, 1], [2, 3], [4, 5]], [[0, 5], [1, 4], [2, 3]])]
    good, other = sorted(pairs, key=PROBLEM.objective)
    assert PROBLEM.objective(good) < PROBLEM.objective(other)
    assert known.offer(good)
    known.exchange(other)
    assert known.best is good
    same = PROBLEM.assemble([list(map(PROBLEM.table.row.__getitem__, g.respondents)) for g in good.groups])
    known.exchange(same)
    assert known.best is same


def test_nobody_else_makes_answers() -> None:
    """Statuses and terminations of answers are decided in one file."""
    home = Path(optanon.__file__).parent / "solver"
    made = {
        str(path.relative_to(home))
        for path in home.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Answer"
    }
    assert made == {"incumbent.py"}
