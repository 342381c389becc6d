"""Random cases and plain readings for the requirements on transient values."""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from random import Random
from typing import Any

import oracle.brute_force as bf
import pandas as pd

from optanon.models.history import History
from optanon.models.release import QIGroup, Release
from optanon.models.requirement import Requirement
from optanon.models.requirements.constant_ratio import ConstantRatio
from optanon.models.requirements.geometric import Geometric
from optanon.models.requirements.global_guarantee import GlobalGuarantee
from optanon.models.requirements.link_budget import LinkBudget
from optanon.models.table import Member, Microdata, Sensitive

# --- from the oracle's notation to the package ----------------------------------------------


def published(made: bf.ReleaseLike) -> Release:
    def member(person: bf.Person) -> Member:
        return Member(person.name, tuple(Fraction(x) for x in person.qi) or (Fraction(0),), person.value)

    groups, gone = made
    return Release(
        groups=tuple(
            QIGroup(members=tuple(map(member, group.members)), counterfeits=group.fakes) for group in groups
        ),
        suppressed=tuple(map(member, gone)),
        attributes=("x",),
        sensitive="disease",
        form="anatomized",
    )


def past(*made: bf.ReleaseLike) -> History:
    return History(map(published, made))


def microdata(table: Collection[bf.Person], persistence: Any = "transient") -> Microdata:
    frame = pd.DataFrame(
        [(p.name, int(p.qi[0]) if p.qi else 0, p.value) for p in table], columns=["id", "x", "disease"]
    )
    return Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={"x": "numeric"},
        sensitive=Sensitive(name="disease", persistence=persistence),
    )


def safe(requirement: Requirement, made: bf.ReleaseLike, history: bf.History = ()) -> bool:
    return not list(requirement.check(published(made), past(*history)))


# --- the same requirements, read plainly --------------------------------------------------


def oracle(requirement: LinkBudget) -> bf.Check:
    """Each requirement from its formula and the oracle's probabilities only."""
    most, protected = 1 / requirement.l, requirement.protected_values
    if isinstance(requirement, GlobalGuarantee) and requirement.releases is None:
        return bf.global_guarantee(requirement.l, protected)

    def fine(group: bf.Group, name: str, value: str, made: bf.ReleaseLike, history: bf.History) -> bool:
        before = bf.link_probability(history, name, value)
        share = Fraction(group.histogram[value], group.size)
        if isinstance(requirement, Geometric):
            left = most - before
            return left > 0 and 1 / share >= (1 - before) / ((1 - 1 / requirement.a) * left)
        links = sum(value in old.signature for old in bf.groups_with(history, name))
        if isinstance(requirement, GlobalGuarantee):
            assert requirement.releases is not None
            return 1 - (1 - before) * (1 - share) ** max(1, requirement.releases - links) <= most
        assert isinstance(requirement, ConstantRatio)
        return (
            1 - (1 - share) ** requirement.k <= most
            and bf.link_probability((*history, made), name, value) <= most
            and (links < requirement.k or requirement.beyond == "slack")
        )

    def check(made: bf.ReleaseLike, history: bf.History) -> bool:
        return all(
            fine(group, name, value, made, history)
            for group in made[0]
            for name in group.names
            for value in group.signature
            if protected is None or value in protected
        )

    return check


REQUIREMENTS = [
    GlobalGuarantee(l=2),
    GlobalGuarantee(l=Fraction(3, 2), protected_values=["a", "b"]),
    GlobalGuarantee(l=Fraction(3, 2), releases=2),
    ConstantRatio(l=Fraction(3, 2), k=2),
    ConstantRatio(l=Fraction(4, 3), k=2, beyond="slack"),
    ConstantRatio(l=2, k=2, protected_values=["a"]),
    Geometric(l=Fraction(4, 3), a=3),
    Geometric(l=Fraction(3, 2), a=Fraction(5, 2), protected_values=["a", "c"]),
]


def good_groups(requirement: LinkBudget, history: bf.History) -> Callable[[bf.Group], bool]:
    """Whether a group alone passes; a release passes when all its groups do."""
    check = oracle(requirement)
    return lambda group: check(bf.Release((group,)), history)


def by_name(requirement: Requirement) -> str:
    return str(requirement)


def some_people(random: Random, names: Collection[str]) -> tuple[bf.Person, ...]:
    return tuple(bf.Person(n, (random.randint(0, 9),), random.choice("aabc")) for n in names)


def some_history(random: Random, releases: int, names: str) -> list[bf.Release]:
    """Random groups, mostly large, so that budgets are spent but seldom exhausted."""
    history: list[bf.Release] = []
    for _ in range(releases):
        chosen = random.sample(names, random.randint(len(names) // 2, len(names)))
        cut = random.randint(0, len(chosen))
        parts = [part for part in (chosen[:cut], chosen[cut:]) if part]
        fakes = [(("a", 1), ("b", 1), ("c", 2), ("d", 4)), (("b", 3),), ()]
        history.append(
            bf.Release(tuple(bf.Group(some_people(random, p), random.choice(fakes)) for p in parts))
        )
    return history
