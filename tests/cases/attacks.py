"""What the tests of inference attacks share: oracle releases as optanon's, random series, optima."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import oracle.brute_force as bf
from strategies import Instance

from optanon.models.box import Interval
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import QIGroup, Release
from optanon.models.requirement import Requirement
from optanon.models.table import Member
from optanon.solver.result import Result
from optanon.solver.search import solve_problem
from optanon.solver.status import Status

HALF = Fraction(1, 2)


def ours(release: bf.ReleaseLike, *, boxed: bool = False) -> Release:
    """An oracle's release with numeric attributes (or none) as optanon's; anatomized unless boxed."""

    def member(person: bf.Person) -> Member:
        return Member(person.name, tuple(Fraction(x) for x in person.qi), person.value)

    groups: list[QIGroup] = []
    for group in release[0]:
        columns = zip(*(member(p).point for p in group.members), strict=True)
        box = tuple(Interval(Fraction(min(xs)), Fraction(max(xs))) for xs in columns) if boxed else None
        groups.append(QIGroup(members=tuple(map(member, group.members)), counterfeits=group.fakes, box=box))
    width = len(groups[0].members[0].point)
    return Release(
        groups=tuple(groups),
        suppressed=tuple(map(member, release[1])),
        attributes=tuple(f"q{a}" for a in range(width)),
        sensitive="value",
        form="generalized" if boxed else "anatomized",
    )


def history(releases: Sequence[bf.ReleaseLike], *, boxed: bool = False) -> History:
    """Several of them."""
    return History(ours(release, boxed=boxed) for release in releases)


def split(
    random: Random,
    people: Sequence[bf.Person],
    groups: int,
    *,
    fakes: str = "",
    check: bf.Check | None = None,
) -> bf.Release | None:
    """The people in at most so many random groups, some with a fake; None if no try passes the check."""
    for _ in range(40 if check else 1):
        homes: dict[int, list[bf.Person]] = {}
        for person in people:
            homes.setdefault(random.randrange(groups), []).append(person)
        made = bf.Release(
            tuple(
                bf.Group(tuple(m), ((random.choice(fakes), 1),) if fakes and random.random() < 0.3 else ())
                for m in homes.values()
            )
        )
        if check is None or check(made, ()):
            return made
    return None


def local(random: Random, people: Sequence[bf.Person], groups: int, fakes: str = "") -> bf.Release:
    """Groups of neighbours, more or less."""
    spread = random.choice([0, 2, 20])
    order = sorted(people, key=lambda p: p.qi[0] + random.random() * spread)  # pyright: ignore[reportOperatorIssue]
    homes: dict[int, list[bf.Person]] = {}
    for place, person in enumerate(order):
        homes.setdefault(place * groups // len(order), []).append(person)
    return bf.Release(
        tuple(
            bf.Group(tuple(m), ((random.choice(fakes), 1),) if fakes and random.random() < 0.4 else ())
            for m in homes.values()
        )
    )


def crowd(random: Random, size: int, values: str) -> list[bf.Person]:
    """People with values drawn from a word (repeated letters are likelier)."""
    return [bf.Person(str(i), (), random.choice(values)) for i in range(size)]


def solved(
    at: Instance, requirements: Sequence[Requirement], *, fakes: int = 0, suppressed: int = 0
) -> Result:
    """The least information loss, without asking why if there is none."""
    policy = Policy(requirements, max_counterfeits=fakes, max_suppressed=suppressed, form=at.form)
    problem = Problem(table=at.table, policy=policy, history=at.history)
    return solve_problem(problem, extend=lambda model: None, display=False)


def best(
    at: Instance, checks: Sequence[bf.Check], *, fakes: int = 0, suppressed: int = 0
) -> tuple[Fraction, ...] | None:
    """The same by enumeration."""

    def few(release: bf.ReleaseLike, past: bf.History) -> bool:
        return sum(group.fake_count for group in release[0]) <= fakes

    return bf.optimum(
        at.people,
        at.measured,
        [few, *checks],
        ["information_loss"],
        at.past,
        fakes,
        at.fake_values,
        suppressed,
    )


def agrees(result: Result, wanted: tuple[Fraction, ...] | None) -> bool:
    """Whether a result is the enumerated optimum, and it or a solver says so."""
    if wanted is None:
        return result.status is Status.INFEASIBLE
    return result.closed and result.objective == wanted
