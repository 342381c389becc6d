"""The quick checks of a table that is being cut: the verdicts of the requirements after every cut."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from optanon.instances.generators import clustered_table, generated_roles, uniform_table
from optanon.models.box import Interval, Leaves
from optanon.models.categories import Ordered
from optanon.models.errors import EngineError
from optanon.models.history import History
from optanon.models.numeric import Numeric
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import Difference, Intersection, KCAnonymity, RecordTracing
from optanon.solver.baselines.growing import (
    CutRelease,
    Growing,
    PartsInCodes,
    boxes_in_codes,
    codes_covered,
)
from optanon.solver.baselines.inferences import Inferences
from optanon.solver.baselines.mondrian import mondrian_static
from optanon.solver.baselines.mondrian_series import mondrian_checked
from optanon.solver.baselines.top_down import Rows, SharesWithin, group_of

TRACED: list[dict[str, Any]] = [
    {},
    {"direction": "forward"},
    {"direction": "backward"},
    {"direction": "forward", "edges": "plausible"},
]
"""Ways to trace records."""


def series(seed: int, *policies: Policy, sizes: tuple[int, ...] = (15, 22, 30)) -> list[Problem]:
    """A table that grows by a third; numbers, a hierarchy, and an order of categories in turn."""
    random = Random(seed)
    make = random.choice([uniform_table, clustered_table])
    frame = make(30, seed=seed, values=random.choice([2, 3]), categorical=1)
    roles = generated_roles(values=3)
    if seed % 2:
        specs = dict(roles.quasi_identifiers) | {
            "c1": Ordered(name="c1", categories=("west", "north", "east", "south"))
        }
        roles = type(roles)(respondent="id", quasi_identifiers=specs, sensitive=roles.sensitive)
    history = History()
    problems: list[Problem] = []
    for rows, policy in zip(sizes, policies, strict=True):
        problem = Problem(table=roles.table(frame.head(rows)), policy=policy, history=history)
        problems.append(problem)
        history = History([*history, mondrian_static(problem)])
    return problems


def halves(problem: Problem, part: Rows, random: Random) -> tuple[Rows, Rows] | None:
    """A part cut at some number of some column."""
    codes = problem.table.codes[part, random.randrange(problem.table.codes.shape[1])]
    low = codes <= random.choice(codes.tolist())
    return None if low.all() else (part[low], part[~low])


@pytest.mark.slow
def test_after_every_cut_the_quick_verdict_is_the_one_of_the_requirements() -> None:
    verdicts = Counter(verdict for seed in range(30) for verdict in compared(seed))
    # Safe; only differences; records traced: each is met often enough to tell something.
    assert min(verdicts[safe] for safe in ((), ("difference",), ("record_tracing",))) >= 15


@pytest.mark.slow
@pytest.mark.parametrize("last", [30, 24, 22])
def test_groups_that_are_k_c_need_no_checker(last: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if hardly anybody, or nobody, is new: closed sets then share people with no other group."""

    def uneven(self: Growing, k: int, c: Fraction) -> bool:
        raise AssertionError("the checker was asked")

    monkeypatch.setattr(Growing, "_uneven", uneven)
    verdicts = Counter(verdict for seed in range(30) for verdict in compared(seed, last=last, fair=True))
    assert min(verdicts[()], sum(n for verdict, n in verdicts.items() if "difference" in verdict)) >= 15


def compared(seed: int, last: int = 30, *, fair: bool = False) -> list[tuple[str, ...]]:
    """Random cuts, the safe ones made and the others taken back, judged twice: what each is vulnerable to.

    Fair ones are cuts into groups that are (k, c).
    """
    random = Random(seed)
    k, c = random.choice([2, 3]), random.choice([Fraction(1, 2), Fraction(2, 3), Fraction(1)])
    asked = KCAnonymity(k=k, c=c) if fair else KCAnonymity(k=2)
    policy = Policy([asked])
    try:
        problem = series(seed, policy, policy, policy, sizes=(15, 22, last))[-1]
    except EngineError:
        return []  # no group is (k, c)
    tracing = RecordTracing(k=1 if fair else k, **random.choice(TRACED))
    difference = Difference(k=k, c=c)
    shares = SharesWithin(problem, asked.k, asked.c)
    found: list[tuple[str, ...]] = []

    def broken(groups: list[Rows], before: History) -> set[str]:
        release = Release(
            groups=tuple(group_of(problem, rows) for rows in groups),
            attributes=problem.table.attributes,
            sensitive="value",
        )
        return {v.requirement for check in (tracing, difference) for v in check.check(release, before)}

    for old in problem.history:
        parts = PartsInCodes(problem)
        boxes = boxes_in_codes(problem.table.domains, old)
        assert boxes is not None
        if broken([parts.rows(0)], History([old])):
            continue
        watched = Growing(problem, old, parts, boxes, tracing, difference, fair=fair)
        for _ in range(20):
            number = random.randrange(parts.count)
            cut = halves(problem, np.sort(parts.rows(number)), random)
            if cut is None or (fair and not all(map(shares.holds, cut))):
                continue
            parts.cut(number, *cut)
            watched.cut(number)
            attacks = broken([np.sort(parts.rows(part)) for part in range(parts.count)], History([old]))
            assert watched.vulnerable(number) == bool(attacks)
            if attacks:
                parts.undo(number)
                watched.undo(number)
            found.append(tuple(sorted(attacks)))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_a_policy_with_a_weaker_tracing_check_is_followed_too(seed: int) -> None:
    asked = KCAnonymity(k=2)
    both = Policy([asked, RecordTracing(k=2)])
    forward = Policy([asked, RecordTracing(k=2, direction="forward")])
    for problem in series(seed, both, forward, forward)[1:]:
        try:
            release = mondrian_checked(problem)
        except EngineError:
            continue  # vulnerable as one group already
        assert list(problem.check(release)) == []


@pytest.mark.parametrize("reading", ["multiset", "set"])
def test_who_is_left_alone_by_all_earlier_groups_is_found_as_by_the_requirement(reading: Any) -> None:
    policy = Policy([KCAnonymity(k=2, c=Fraction(2, 3)), Intersection(c=Fraction(2, 3), reading=reading)])
    verdicts = Counter[bool]()
    for seed in range(6):
        plain = Policy([KCAnonymity(k=2, c=Fraction(2, 3))])
        try:
            problem = series(seed, plain, plain, policy)[-1]
        except EngineError:
            continue
        random, inferences = Random(seed), Inferences(problem, "test")
        everybody = np.arange(len(problem.table), dtype=np.int64)
        cuts = CutRelease(inferences, everybody)
        for _ in range(20):
            rows = np.sort(np.array(random.sample(range(30), random.randint(3, 9)), dtype=np.int64))
            expected = inferences.isolated([group_of(problem, rows)])
            assert cuts.isolated(rows) == expected
            verdicts[expected] += 1
    assert min(verdicts[True], verdicts[False]) >= 10


def test_cells_cover_the_codes_that_their_points_have() -> None:
    numbers = Numeric(name="n", lo=Fraction(0), hi=Fraction(10), step=Fraction(2))
    order = Ordered(name="o", categories=("a", "b", "c"))
    assert codes_covered(numbers, Interval(Fraction(1), Fraction(4))) == (1, 2)
    assert codes_covered(numbers, Interval(Fraction(5, 2), Fraction(7, 2))) == (2, 1)
    assert codes_covered(order, order.cell(1, 2)) == (1, 2)
    assert codes_covered(order, Leaves("a|c", frozenset(("a", "c")))) is None
    assert codes_covered(order, Interval(Fraction(1), Fraction(4))) is None
    first, last = codes_covered(order, Leaves("z", frozenset("z"))) or (0, 0)
    assert not any(low <= last and first <= high for low in range(3) for high in range(low, 3))
