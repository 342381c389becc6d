"""Full-domain recoding: the engine equals plain enumeration of the whole lattice."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import optanon as oa
from optanon.models.box import Box, Cell, Interval, Leaves
from optanon.models.categories import Categories, Ordered
from optanon.models.history import History
from optanon.models.losses import base as loss_module, loss, losses
from optanon.models.numeric import Numeric
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.recoded import recoding_of
from optanon.models.recoding import Recoding, ladders
from optanon.models.release import QIGroup, Release
from optanon.models.requirement import Context, GroupRequirement, Requirement, Scope, Violation
from optanon.models.table import Microdata
from optanon.solver.engines.fulldomain.engine import FullDomainEngine
from optanon.solver.engines.fulldomain.grid import Grid
from optanon.solver.engines.fulldomain.lattice import Lattice
from optanon.solver.engines.fulldomain.measures import Corner, measure_of
from optanon.solver.search import solve_problem
from optanon.solver.settings import Clock, Settings, Watch
from optanon.solver.status import Status, Termination

CITY = oa.Hierarchy.from_tree({"north": ["Oslo", "Bergen"], "south": ["Rome", "Bari", "Pisa"]})
JOB = oa.Hierarchy.from_tree(
    {"office": {"law": ["judge", "clerk"], "care": ["nurse"]}, "field": {"farm": ["farmer", "baker"]}}
)
GRADES = ("E", "D", "C", "B", "A")
GRADE_LEVELS = oa.Hierarchy.from_tree({"poor": ["E", "D"], "good": ["C", "B", "A"]})
BANDS = oa.Hierarchy.intervals(range(20, 40), [5, 10])

Step = Callable[[str], Cell]


# -- requirements of the tests' own ---------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class EvenSizes(GroupRequirement):
    """Groups of an even size: not merge-closed on purpose of the declaration, no histograms, no bound."""

    name: ClassVar[str] = "even_sizes"
    reference: ClassVar[str] = "none"

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        if group.size % 2:
            yield Violation(requirement=self.name, message="odd")

    def encode(self, model: object) -> None:
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class WideCity(GroupRequirement):
    """Looks at the published box: the first cell covers at least two values."""

    name: ClassVar[str] = "wide_city"
    reference: ClassVar[str] = "none"

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        cell = group.box[0] if group.box else None
        if isinstance(cell, Leaves) and len(cell.values) < 2:
            yield Violation(requirement=self.name, message="exact")

    def encode(self, model: object) -> None:
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class OddGroups(Requirement):
    """Release scope, about as far from monotone as can be: an odd number of groups."""

    name: ClassVar[str] = "odd_groups"
    scope: ClassVar[Scope] = Scope.RELEASE
    reference: ClassVar[str] = "none"

    def check(self, release: Release, history: History) -> Iterator[Violation]:
        if len(release.groups) % 2 == 0:
            yield Violation(requirement=self.name, message="an even number of groups")

    def encode(self, model: object) -> None:
        raise NotImplementedError


class LabelLength(loss_module.Loss):
    """A loss the engine has no formula for."""

    name: ClassVar[str] = "label_length"
    reference: ClassVar[str] = "none"

    def of_group(self, group: QIGroup, table: Microdata) -> Fraction:
        return Fraction(sum(len(str(cell)) for cell in group.box or ()) + group.size**2)

    def of_suppressed(self, member: object, table: Microdata) -> Fraction:
        return Fraction(3)

    def encode(self, model: object) -> loss_module.Cost:
        raise NotImplementedError


# -- enumeration, sharing nothing with the engine -------------------------------------------


def steps_of(table: Microdata, policy: Policy) -> list[list[Step]]:
    """Per attribute and level: a value's published cell, from the definition."""
    given = dict(policy.hierarchies)
    found: list[list[Step]] = []
    for domain in table.domains:
        hierarchy = domain.hierarchy if isinstance(domain, Categories) else given.get(domain.name)
        if isinstance(domain, Numeric):
            lo, hi = int(domain.lo), int(domain.hi)
            if hierarchy is None:
                found.append([halved(lo, hi, parts) for parts in (0, 8, 4, 2, 1) if hi - lo + 1 >= 2 * parts])
            else:
                found.append([banded(lo, hi, width) for width in (1, 5, 10, 1000)])
        else:
            categories = domain.categories if isinstance(domain, Ordered) else ()
            if hierarchy is None:
                count = len(categories)
                sets = [halved_categories(categories, p) for p in (0, 8, 4, 2, 1) if count >= 2 * p]
                labels = [dict.fromkeys(categories, "?")] * len(sets)
            else:
                paths = {path[0]: path for path in hierarchy.paths}
                levels = range(hierarchy.height + 1)
                sets = [
                    {c: {d for d in paths if paths[d][level:] == paths[c][level:]} for c in paths}
                    for level in levels
                ]
                labels = [{c: paths[c][level] for c in paths} for level in levels]
            found.append([known(*both, categories) for both in zip(sets, labels, strict=True)])
    return found


def halved_categories(categories: Sequence[str], parts: int) -> dict[str, set[str]]:
    part = {c: i * parts // len(categories) if parts else i for i, c in enumerate(categories)}
    return {c: {d for d in categories if part[d] == part[c]} for c in categories}


def known(sets: dict[str, set[str]], labels: dict[str, str], order: Sequence[str]) -> Step:
    def cell(value: str) -> Cell:
        if not order:
            return Leaves(labels[value], frozenset(sets[value]))
        ranked = sorted(sets[value], key=order.index)
        label = ranked[0] if len(ranked) == 1 else f"{ranked[0]}..{ranked[-1]}"
        return Leaves(label, frozenset(ranked))

    return cell


def banded(lo: int, hi: int, width: int) -> Step:
    def cell(value: Fraction) -> Cell:
        first = int(value) // width * width
        return Interval(Fraction(max(lo, first)), Fraction(min(hi, first + width - 1)))

    return cell  # pyright: ignore[reportReturnType]


def halved(lo: int, hi: int, parts: int) -> Step:
    def cell(value: Fraction) -> Cell:
        count = hi - lo + 1
        same = [
            lo + code for code in range(count)
            if (code * parts // count == (int(value) - lo) * parts // count if parts else lo + code == value)
        ]  # fmt: skip
        return Interval(Fraction(same[0]), Fraction(same[-1]))

    return cell  # pyright: ignore[reportReturnType]


def releases(problem: Problem) -> Iterator[Release]:
    """The release of every level vector that keeps the policy."""
    table, policy = problem.table, problem.policy
    limit = policy.suppression_limit(len(table))
    for steps in product(*steps_of(table, policy)):
        classes: dict[Box, list[oa.models.table.Member]] = {}
        for member in table.members:
            box = tuple(step(value) for step, value in zip(steps, member.point, strict=True))
            classes.setdefault(box, []).append(member)
        groups = [QIGroup(members=tuple(members), box=box) for box, members in classes.items()]
        kept = [
            group
            for group in groups
            if all(
                next(r.violations(group, problem.context), None) is None
                for r in policy.requirements
                if isinstance(r, GroupRequirement)
            )
        ]
        gone = [m for group in groups if group not in kept for m in group.members]
        release = Release(
            groups=tuple(kept),
            suppressed=tuple(gone),
            attributes=table.attributes,
            sensitive=table.sensitive.name,
        )
        if len(gone) <= limit and all(
            next(r.check(release, problem.history), None) is None for r in policy.requirements
        ):
            yield release


def optimum(problem: Problem) -> tuple[Fraction, ...] | None:
    return min((problem.objective(release) for release in releases(problem)), default=None)


# -- random instances -------------------------------------------------------------------------

LOSSES = [
    "information_loss", "average_information_loss", "discernibility", "semiperimeter",
    "average_group_size", "maximum_group_size", "suppressed",
]  # fmt: skip


def random_table(dice: random.Random, rows: int) -> Microdata:
    frame = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(rows)],
            "city": [dice.choice(CITY.leaves) for _ in range(rows)],
            "job": [dice.choice(JOB.leaves) for _ in range(rows)],
            "age": [dice.randrange(20, 40) for _ in range(rows)],
            "grade": [dice.choice(GRADES) for _ in range(rows)],
            "ill": [dice.choice("aabbc") for _ in range(rows)],
        }
    )
    specs = {"city": CITY, "job": JOB, "age": "numeric", "grade": GRADES}
    names = dice.sample(list(specs), dice.choice([1, 2, 3]))
    return Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={name: specs[name] for name in names},
        sensitive=oa.Sensitive(name="ill", persistence="both"),
    )


def random_history(dice: random.Random, table: Microdata) -> History:
    """One or two earlier releases of some of the people, grouped at random."""
    found: list[Release] = []
    for _ in range(dice.choice([1, 2])):
        rows = dice.sample(range(len(table)), dice.randrange(2, len(table) + 1))
        cut = dice.randrange(1, len(rows) + 1)
        plain = Problem(table=table, policy=Policy([oa.KCAnonymity(k=1)]))
        release = plain.assemble([part for part in (rows[:cut], rows[cut:]) if part])
        found.append(
            Release(groups=release.groups, attributes=release.attributes, sensitive=release.sensitive)
        )
    return History(found)


REQUIREMENTS: list[Callable[[random.Random], Requirement]] = [
    lambda dice: oa.KCAnonymity(k=dice.choice([1, 2, 3])),
    lambda dice: oa.KCAnonymity(k=2, c=Fraction(dice.choice([1, 2]), 3)),
    lambda dice: oa.DistinctLDiversity(l=2),
    lambda dice: oa.EntropyLDiversity(l=Fraction(dice.choice([3, 4, 5]), 2)),
    lambda dice: oa.RecursiveCLDiversity(c=Fraction(dice.choice([3, 4]), 2), l=2),
    lambda dice: oa.TCloseness(t=Fraction(dice.choice([1, 2, 3]), 5)),
    lambda dice: oa.TCloseness(t=Fraction(1, 4), order=("c", "a", "b")),
    lambda dice: oa.WeakMInvariance(m=2),
    lambda dice: oa.HcSafety(n=2, reading=dice.choice(["hcsafe", "definition"])),
    lambda dice: EvenSizes(),
    lambda dice: WideCity(),
    lambda dice: OddGroups(),
]


def random_problem(seed: int, *, suppression: bool, history: bool) -> Problem:
    dice = random.Random(seed)
    table = random_table(dice, dice.randrange(4, 10))
    levels = dice.sample(LOSSES, dice.choice([1, 1, 2]))
    minimize: list[object] = list(levels)
    if dice.random() < 0.2:
        minimize = [{"information_loss": "1/3", "discernibility": 2}]
    limit = dice.choice([1, 2, "1/3", len(table)]) if suppression else 0
    hierarchies = {}
    if "age" in table.attributes and dice.random() < 0.6:
        hierarchies["age"] = BANDS
    if "grade" in table.attributes and dice.random() < 0.6:
        hierarchies["grade"] = GRADE_LEVELS
    first = REQUIREMENTS[seed % len(REQUIREMENTS)](dice)
    more = [dice.choice(REQUIREMENTS)(dice)] if dice.random() < 0.3 else []
    policy = Policy(
        [first, *(r for r in more if r.name != first.name)],
        minimize,  # pyright: ignore[reportArgumentType]
        max_suppressed=limit,
        recoding="full_domain",
        hierarchies=hierarchies,
    )
    past = random_history(dice, table) if history else History()
    if seed % 3 == 0:  # columns count by weights
        weights = dict(zip(table.attributes, ("2", "1/3", "0"), strict=False))
        policy = policy.changed(weights=weights)
    return Problem(table=table, policy=policy, history=past)


@pytest.mark.parametrize("history", [False, True], ids=["first", "later"])
@pytest.mark.parametrize("suppression", [False, True], ids=["whole", "suppressing"])
def test_equals_enumeration(suppression: bool, history: bool) -> None:
    """60 random problems for each kind: 240 in all, every requirement 20 times at least."""
    statuses: list[Status] = []
    for seed in range(60):
        problem = random_problem(
            seed + 1000 * (2 * suppression + history), suppression=suppression, history=history
        )
        best = optimum(problem)
        result = solve_problem(problem, display=False)
        statuses.append(result.status)
        if best is None:
            assert (seed, result.status, result.release) == (seed, Status.INFEASIBLE, None)
            continue
        assert (seed, result.status) == (seed, Status.OPTIMAL)
        assert result.release is not None
        assert (seed, result.objective, result.bounds) == (seed, best, best)
        assert next(problem.check(result.release), None) is None
    assert statuses.count(Status.OPTIMAL) >= 10
    if not suppression:
        assert Status.INFEASIBLE in statuses


def test_every_vector_is_visited_or_ruled_out() -> None:
    for seed in range(12):
        problem = random_problem(seed, suppression=True, history=False)
        answer = FullDomainEngine().solve(problem, Settings(), Watch())
        effort = answer.effort
        assert effort["lattice"] == prod(len(levels) for levels in steps_of(problem.table, problem.policy))
        assert effort["open"] == 0
        assert 1 <= effort["visited"] <= effort["lattice"]


def test_measures_equal_losses() -> None:
    """The engine's formulas say what each loss says of the finished release."""
    for seed in range(20):
        problem = random_problem(seed, suppression=True, history=False)
        grid = Grid(problem)
        dice = random.Random(seed)
        levels = tuple(dice.randint(0, top) for top in grid.tops)
        classes = grid.classes(levels)
        gone = np.array([dice.random() < 0.3 for _ in classes.sizes])
        shown = [classes.rows(i) for i in np.flatnonzero(~gone)]
        recoding = grid.recoding(levels)
        release = problem.assemble(
            shown, boxes=[recoding.box(problem.table.codes[rows[0]].tolist()) for rows in shown]
        )
        for name, known in losses().items():
            measure = measure_of(known, grid, len(problem.table), 1)
            if measure is None:
                assert known.box_weights(problem.table) is None  # the finished release says it
                assert known.by_size(1, 0, "generalized") is None
                continue
            value = measure.value(levels, classes, gone)
            assert (seed, name, value) == (seed, name, loss(name).value(release, problem.table))


class Unreleased(Grid):
    """What levels lose is told by their classes alone."""

    def release(self, levels: object, classes: object, gone: object) -> Release:
        return pytest.fail("no release needed")


def test_bounds_hold_for_every_vector_of_a_box() -> None:
    """Each loss's bound of a box against the value of each vector in it."""
    compared = 0
    for seed in range(120):
        dice = random.Random(seed)
        table = random_table(dice, 14)
        wanted = EvenSizes() if seed % 3 == 0 else oa.KCAnonymity(k=dice.choice([2, 3]))
        policy = Policy([wanted], max_suppressed=dice.randrange(6), recoding="full_domain")
        grid = Unreleased(Problem(table=table, policy=policy))
        lattice = Lattice(grid.problem, grid, Watch())
        judge = lattice.judge
        hi = tuple(dice.randint(0, top) for top in grid.tops)
        lo = tuple(dice.randint(0, level) for level in hi)
        corner = lattice.visit(hi)
        if corner is None:
            continue
        measures = {
            name: measure
            for name, known in losses().items()
            if (measure := measure_of(known, grid, judge.limit, judge.smallest)) is not None
        }
        bounds = {name: measure.bound(lo, corner) for name, measure in measures.items()}
        for levels in product(*(range(low, high + 1) for low, high in zip(lo, hi, strict=True))):
            outlook = judge.outlook(levels)
            gone = None if outlook is None else judge.suppressed(levels, outlook)
            if gone is None:
                continue
            compared += 1
            for name, measure in measures.items():
                value = measure.value(levels, grid.classes(levels), gone)
                assert bounds[name] <= value, (seed, name, lo, levels, hi)
    assert compared >= 40


def test_the_largest_class_may_be_suppressed() -> None:
    """Exact cities: 3 of Oslo (odd, suppressed), 2 of Rome, 2 of Bari: the largest group has 2."""
    table = cities(["Oslo", "Oslo", "Oslo", "Rome", "Rome", "Bari", "Bari"], "FFFFFFF")
    policy = Policy([EvenSizes()], "maximum_group_size", max_suppressed=3, recoding="full_domain")
    assert oa.solve(table, policy, display=False).objective == (2,)
    grid = Grid(Problem(table=table, policy=policy))
    known, alone = losses()["maximum_group_size"], Corner((0, 0), 0, None)
    made = [measure_of(known, grid, limit, 1) for limit in (2, 3, 4, 5, 7)]
    assert [measure.bound((0, 0), alone) for measure in made if measure is not None] == [3, 2, 2, 2, 0]


def test_loss_without_a_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(loss_module._registry, "label_length", LabelLength())
    for seed in range(8):
        table = random_table(random.Random(seed), 7)
        policy = Policy([oa.KCAnonymity(k=2)], ["label_length"], max_suppressed=2, recoding="full_domain")
        problem = Problem(table=table, policy=policy)
        assert solve_problem(problem, display=False).objective == optimum(problem)


def test_histogram_verdicts_equal_definitions() -> None:
    """`admits_counts` against `admits`, group by group."""
    dice = random.Random(5)
    values = ("a", "b", "c", "d")
    reference = {"a": 7, "b": 3, "c": 5, "d": 1}
    context = Context(history=History(), reference=reference)
    counts = np.array([[dice.choice([0, 0, 1, 2, 3, 4]) for _ in values] for _ in range(300)], dtype=np.int64)
    counts = counts[counts.sum(axis=1) > 0]
    requirements: list[GroupRequirement] = [
        oa.KCAnonymity(k=3),
        oa.KCAnonymity(k=2, c="1/2"),  # pyright: ignore[reportArgumentType]
        oa.KCAnonymity(k=1, c=Fraction(2, 7)),
        *(oa.DistinctLDiversity(l=n) for n in (1, 2, 4)),
        *(oa.EntropyLDiversity(l=Fraction(n, 4)) for n in (4, 5, 8, 11, 12, 16)),
        *(oa.RecursiveCLDiversity(c=Fraction(c, 2), l=n) for c in (1, 2, 3) for n in (1, 2, 3, 5)),
        *(oa.TCloseness(t=Fraction(n, 10)) for n in (0, 2, 3, 5, 10)),
        *(oa.TCloseness(t=Fraction(n, 10), order=("d", "b", "a", "c", "e")) for n in (1, 2, 3)),
    ]
    for requirement in requirements:
        verdict = requirement.admits_counts(counts, values, context)
        assert verdict is not None
        for row, good in zip(counts, verdict, strict=True):
            points = [v for v, count in zip(values, row, strict=True) for _ in range(count)]
            people = [oa.models.table.Member(str(i), ("x",), v) for i, v in enumerate(points)]
            assert requirement.admits(QIGroup(members=tuple(people)), context) == bool(good), (
                requirement, row,
            )  # fmt: skip


def test_histogram_verdicts_decline_what_int64_cannot_hold() -> None:
    counts = np.array([[2, 1]], dtype=np.int64)
    context = Context(history=History(), reference={"a": 2, "b": 1})
    fine = Fraction(2**62, 2**62 + 1)
    assert oa.KCAnonymity(k=1, c=fine).admits_counts(counts, ("a", "b"), context) is None
    assert oa.TCloseness(t=fine).admits_counts(counts, ("a", "b"), context) is None
    assert oa.TCloseness(t=Fraction(1), order=("a", "c")).admits_counts(counts, ("a", "b"), context) is None


# -- golden cases -----------------------------------------------------------------------------


def cities(names: Sequence[str], sexes: str, values: str | None = None) -> Microdata:
    frame = pd.DataFrame(
        {
            "id": [str(i) for i in range(len(names))],
            "city": names,
            "sex": list(sexes),
            "ill": list(values or "ab" * len(names))[: len(names)],
        }
    )
    return Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={"city": CITY, "sex": oa.Hierarchy.flat("FM")},
        sensitive="ill",
    )


def levels_of(result: oa.Result) -> object:
    assert result.certificate is not None
    assert result.certificate.release is not None
    return result.certificate.release.levels


def test_golden_levels() -> None:
    """k = 2: exact cities leave singles; "north" holds 2 of 5 leaves, "south" 3 of 5.

    City level 1, sex level 0 gives {Oslo, Bergen} F and {Rome, Bari} M:
    2 * 2/5 + 2 * 3/5 = 2. City level 2 costs 4, any sex level 1 adds 4 more.
    """
    table = cities(["Oslo", "Bergen", "Rome", "Bari"], "FFMM")
    result = oa.solve(table, Policy([oa.KCAnonymity(k=2)], recoding="full_domain"), display=False)
    assert result.status is Status.OPTIMAL
    assert result.objective == (2,)
    assert levels_of(result) == {"city": 1, "sex": 0}
    assert result.release is not None
    labels = sorted([str(cell) for cell in group.box or ()] for group in result.release.groups)
    assert labels == [["north", "F"], ["south", "M"]]  # "south" although Pisa does not occur: not tight


def test_golden_suppression() -> None:
    """One outlier: without suppression all become one group, 4 * (1 + 1) = 8.

    With one tuple suppressed exact values can stay: the outlier costs 2.
    """
    table = cities(["Oslo", "Oslo", "Oslo", "Rome"], "FFFM")
    whole = oa.solve(table, Policy([oa.KCAnonymity(k=2)], recoding="full_domain"), display=False)
    assert (whole.objective, levels_of(whole)) == ((8,), {"city": 2, "sex": 1})
    policy = Policy([oa.KCAnonymity(k=2)], max_suppressed="1/4", recoding="full_domain")
    result = oa.solve(table, policy, display=False)
    assert (result.objective, levels_of(result)) == ((2,), {"city": 0, "sex": 0})
    assert result.release is not None
    assert [m.point for m in result.release.suppressed] == [("Rome", "M")]


def test_suppressed_class_may_spoil_a_good_one() -> None:
    """Safe at the leaves, unsafe above: pruning upwards would be wrong under suppression.

    (2, 1/2): Oslo {a, b} is fine and Bergen {a, a} is suppressed; "north" {a, b, a, a} has
    3/4 and breaks it as a whole. At the leaves: loss 2 suppressed * 2 = 4.
    """
    table = cities(["Oslo", "Oslo", "Bergen", "Bergen"], "FFFF", "abaa")
    policy = Policy([oa.KCAnonymity(k=2, c=Fraction(1, 2))], max_suppressed=2, recoding="full_domain")
    result = oa.solve(table, policy, display=False)
    assert (result.status, result.objective) == (Status.OPTIMAL, (4,))
    assert levels_of(result) == {"city": 0, "sex": 0}


# -- infeasible, interrupted, refused ---------------------------------------------------------


def test_infeasible_says_why() -> None:
    table = cities(["Oslo", "Bergen", "Rome"], "FFM", "aab")
    policy = Policy([oa.EntropyLDiversity(l=Fraction(2))], recoding="full_domain")
    result = oa.solve(table, policy, display=False)
    assert (result.status, result.release) == (Status.INFEASIBLE, None)
    assert "levels" in str(result.reason)


class _Countdown(Clock):
    """Time is up after a number of looks."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    @property
    def over(self) -> bool:
        self.looks -= 1
        return self.looks < 0


@pytest.mark.parametrize("seed", range(6))
def test_bounds_hold_whenever_the_search_stops(seed: int) -> None:
    problem = random_problem(12 * seed, suppression=bool(seed % 2), history=False)
    best = optimum(problem)
    assert best is not None

    for looks in range(40):
        lattice = Lattice(problem, Unreleased(problem), Watch())
        done = lattice.run(_Countdown(looks), None)
        bounds = lattice.bounds()
        assert bounds is not None
        assert bounds[0] <= best[0]
        if lattice.best is not None:
            assert lattice.best.score >= best
            if lattice.best.score[0] == bounds[0] and len(best) > 1:
                assert bounds[1] <= best[1]
        if done:
            assert lattice.best is not None
            assert bounds == best


def test_time_limit() -> None:
    table = random_table(random.Random(3), 9)
    policy = Policy([oa.KCAnonymity(k=2)], recoding="full_domain")
    result = oa.solve(table, policy, time_limit=1e-9, display=False)
    best = optimum(Problem(table=table, policy=policy))
    assert best is not None
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TIME_LIMIT)
    assert result.bounds[0] is not None
    assert result.bounds[0] <= best[0] <= result.objective[0]


@dataclass(frozen=True, kw_only=True)
class _Interrupts(EvenSizes):
    """The user presses Ctrl-C at the n-th group."""

    seen: list[int]
    n: int

    def admits(self, group: QIGroup, context: Context) -> bool:
        self.seen[0] += 1
        if self.seen[0] == self.n:
            raise KeyboardInterrupt
        return super().admits(group, context)


def test_interrupt_keeps_the_best_release_and_a_valid_bound() -> None:
    table = cities(["Oslo", "Oslo", "Bergen", "Bergen", "Rome", "Bari", "Oslo", "Oslo"], "FMFMFMFM")
    plain = Problem(table=table, policy=Policy([EvenSizes()], recoding="full_domain"))
    best = optimum(plain)
    assert best is not None
    stopped = 0
    for n in range(1, 30):
        policy = Policy([_Interrupts(seen=[0], n=n)], recoding="full_domain")
        answer = FullDomainEngine().solve(Problem(table=table, policy=policy), Settings(), Watch())
        stopped += answer.termination is Termination.INTERRUPTED
        if answer.termination is Termination.INTERRUPTED and n == 1:
            assert (answer.status, answer.release) == (Status.UNKNOWN, None)
        assert answer.bounds[0] is not None
        assert answer.bounds[0] <= best[0]
        if answer.release is not None:
            assert plain.objective(answer.release) >= best
    assert stopped >= 2


def test_an_interrupt_before_the_lattice_is_entered_denies_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    table = cities(["Oslo", "Oslo"], "FM")
    problem = Problem(table=table, policy=Policy([EvenSizes()], recoding="full_domain"))
    monkeypatch.setattr("optanon.solver.engines.fulldomain.engine.Search.bound", interrupted)
    with pytest.raises(KeyboardInterrupt):
        FullDomainEngine().solve(problem, Settings(), Watch())


def test_start_from_a_given_release() -> None:
    """A full-domain release is taken as a start; another one is ignored."""
    table = cities(["Oslo", "Bergen", "Rome", "Bari"], "FFMM")
    problem = Problem(table=table, policy=Policy([oa.KCAnonymity(k=2)], recoding="full_domain"))
    good = solve_problem(problem, display=False).release
    assert good is not None
    late = solve_problem(problem, initial=good, time_limit=1e-9, display=False)
    assert late.objective == (2,)
    tight = problem.assemble([[0, 2], [1, 3]])  # equal boxes, two groups
    early = solve_problem(problem, initial=tight, time_limit=1e-9, display=False)
    assert early.objective == (8,)


def test_same_answer_every_time() -> None:
    problem = random_problem(3, suppression=True, history=False)
    one, two = (solve_problem(problem, display=False, seed=seed) for seed in (0, 0))
    assert one.certificate is not None
    assert two.certificate is not None
    assert one.certificate.to_json() == two.certificate.to_json()
    assert one.release is not None
    assert oa.verify(one.certificate, problem, one.release)


def test_refusals() -> None:
    table = cities(["Oslo", "Bergen"], "FF")
    with pytest.raises(oa.EngineError, match="counterfeits"):
        oa.solve(
            table, Policy([oa.KCAnonymity(k=2)], ["counterfeits"], recoding="full_domain"), display=False
        )
    with pytest.raises(oa.EngineError, match="full_domain"):
        oa.solve(table, Policy([oa.KCAnonymity(k=2)]), engine="full_domain", display=False)
    policy = Policy([oa.KCAnonymity(k=2)], recoding="full_domain")
    with pytest.raises(oa.EngineError, match="multidimensional"):
        oa.solve(table, policy, engine="assignment", display=False)
    with pytest.raises(oa.PolicyError, match="generalized"):
        Policy([oa.KCAnonymity(k=2)], form="anatomized", recoding="full_domain")
    with pytest.raises(oa.PolicyError, match="recoding"):
        Policy([oa.KCAnonymity(k=2)], recoding="global")  # pyright: ignore[reportArgumentType]
    with pytest.raises(oa.PolicyError, match="hierarchies"):
        Policy([oa.KCAnonymity(k=2)], hierarchies={"age": BANDS})


def test_recoding_changes_the_digest() -> None:
    table = random_table(random.Random(1), 5)
    policies = [
        Policy([oa.KCAnonymity(k=2)]),
        Policy([oa.KCAnonymity(k=2)], recoding="full_domain"),
    ]
    numeric = Microdata.from_frame(
        pd.DataFrame({"id": ["x", "y"], "age": [21, 39], "ill": ["a", "b"]}),
        respondent="id", quasi_identifiers=["age"], sensitive="ill",
    )  # fmt: skip
    leveled = [
        Policy([oa.KCAnonymity(k=2)], recoding="full_domain", hierarchies=h) for h in (None, {"age": BANDS})
    ]
    assert len({Problem(table=table, policy=policy).digest for policy in policies}) == 2
    assert len({Problem(table=numeric, policy=policy).digest for policy in leveled}) == 2


# -- levels and their cells --------------------------------------------------------------------


def ages(numbers: Sequence[object], **options: int) -> Microdata:
    frame = pd.DataFrame({"id": [str(i) for i in range(len(numbers))], "age": numbers, "ill": "a"})
    spec = Numeric.of("age", numbers, **options)
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers={"age": spec}, sensitive="ill")


def cells(table: Microdata, hierarchy: oa.Hierarchy | None, row: int = 0) -> list[str]:
    (ladder,) = ladders(table, {} if hierarchy is None else {table.attributes[0]: hierarchy})
    code = int(table.codes[row, 0])
    return [str(ladder.cell(level, code)) for level in range(ladder.height + 1)]


def test_levels_of_numbers() -> None:
    table = ages([31, 37, 42, 55], lo=30, hi=61)
    # 32 codes: eighths of 4, quarters of 8, halves of 16.
    assert cells(table, None) == ["31", "[30,33]", "[30,37]", "[30,45]", "[30,61]"]
    # [30,35) is published as 30 to 34 although 31 is the only number seen in it; the root is the domain.
    bands = oa.Hierarchy.intervals([31, 37, 42, 55], [5, 10, 40])
    assert cells(table, bands) == ["31", "[30,34]", "[30,39]", "[30,39]", "[30,61]"]
    # Labels that are no intervals: from the smallest to the largest leaf, cut to the domain.
    names = oa.Hierarchy(tuple((str(n), "low" if n < 50 else "high", "*") for n in range(20, 70)))
    assert cells(table, names) == ["31", "[30,49]", "[30,61]"]
    assert cells(table, names, row=3) == ["55", "[50,61]", "[30,61]"]


def test_levels_of_rounded_numbers_cover_the_true_ones() -> None:
    table = ages(["1.25", "3.75", "2.5"], decimals=0)
    (ladder,) = ladders(table, {})
    assert [str(ladder.cell(level, 0)) for level in range(ladder.height + 1)] == ["[1,2]", "[1,4]"]


def test_few_values_have_few_levels() -> None:
    assert cells(ages([5, 5]), None) == ["5"]
    assert cells(ages([5, 7]), None) == ["5", "[5,7]"]


def test_levels_that_do_not_fit() -> None:
    table = ages([31, 37, 42])
    crossing = oa.Hierarchy((("31", "x", "*"), ("37", "y", "*"), ("42", "x", "*")))
    with pytest.raises(oa.HierarchyError, match="overlap"):
        ladders(table, {"age": crossing})
    gap = oa.Hierarchy((("31", "x", "*"), ("42", "y", "*")))
    with pytest.raises(oa.HierarchyError, match="row 2"):
        ladders(table, {"age": gap})
    words = oa.Hierarchy((("young", "*"),))
    with pytest.raises(oa.HierarchyError, match="not a number"):
        ladders(table, {"age": words})
    with pytest.raises(oa.PolicyError, match="is not a quasi-identifier"):
        ladders(table, {"height": gap})
    with pytest.raises(oa.PolicyError, match="its own"):
        ladders(cities(["Oslo"], "F"), {"city": CITY})
    with pytest.raises(oa.PolicyError, match="levels 0 to"):
        Recoding(ladders=ladders(table, {}), levels=(9,))


def test_only_full_domain_releases_pass() -> None:
    table = cities(["Oslo", "Bergen", "Rome", "Bari", "Oslo"], "FFMMF")
    policy = Policy([oa.KCAnonymity(k=1)], max_suppressed=5, recoding="full_domain")
    problem = Problem(table=table, policy=policy)
    north = next(r for r in releases(problem) if len(r.groups) == 2).groups
    whole = Release(groups=north, attributes=("city", "sex"), sensitive="ill")
    assert next(problem.check(whole), None) is None
    found = recoding_of(whole, problem.ladders)
    assert found is not None
    assert found.by_name == {"city": 1, "sex": 0}
    one, two = north
    split = QIGroup(members=one.members[:1], box=one.box), QIGroup(members=one.members[1:], box=one.box)
    apart = Release(groups=(*split, two), attributes=("city", "sex"), sensitive="ill")
    assert [v.requirement for v in problem.check(apart)] == ["recoding"]
    part = Release(
        groups=(split[0], two), suppressed=split[1].members, attributes=("city", "sex"), sensitive="ill"
    )
    assert {v.requirement for v in problem.check(part)} == {"recoding"}
    mixed = problem.assemble([[0, 1, 4], [2], [3]])
    assert [v.requirement for v in problem.check(mixed)] == ["recoding"]  # north beside Rome


def test_full_domain_releases_make_a_history() -> None:
    """The second release is checked against the first one's hierarchy cells."""
    table = cities(["Oslo", "Bergen", "Rome", "Bari", "Oslo", "Pisa"], "FFMMFM", "abcabc")
    policy = Policy([oa.WeakMInvariance(m=2)], max_suppressed=3, recoding="full_domain")
    first = oa.solve(table, policy, display=False)
    assert first.release is not None
    problem = Problem(table=table, policy=policy, history=History([first.release]))
    second = solve_problem(problem, display=False)
    assert second.objective == optimum(problem) == first.objective
