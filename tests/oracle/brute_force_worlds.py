"""Possible worlds: what an adversary who holds all releases can conclude, exactly.

She knows who is in which group and how many fakes a group has, not which values they carry. A
fake is a dummy slot like any other: within a group every way to hand out the published values
to the labelled slots (members and dummies) is equally likely.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial, prod
from typing import NamedTuple

from oracle.brute_force_checks import Check
from oracle.brute_force_tables import Group, History, ReleaseLike, groups_with


class World(NamedTuple):
    """Values of all respondents, and the number of ways to fill the dummy slots around them."""

    values: dict[str, str]
    weight: int


def arrangements(group: Group) -> frozenset[tuple[str, ...]]:
    """Different ways to hand out the published values; members' slots first, in their order."""
    return frozenset(permutations(group.values))


def persistent_worlds(history: History, known: Mapping[str, str] | None = None) -> Iterator[World]:
    """All joint worlds of all releases if nobody ever changes her value.

    Parameters
    ----------
    history
        Releases, oldest first.
    known
        Values of compromised respondents.

    Raises
    ------
    ValueError
        If a known name is in no group.
    """
    groups = [group for release_groups, _ in history for group in release_groups]
    homes: dict[str, list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        for person in group.members:
            homes[person.name].append(number)
    known = known or {}
    if not known.keys() <= homes.keys():
        raise ValueError("a known respondent is in no group")
    names = list(homes)
    left = [group.histogram for group in groups]

    def extend(values: dict[str, str]) -> Iterator[World]:
        if len(values) == len(names):
            yield World(dict(values), prod(_orders(rest) for rest in left))
            return
        name = names[len(values)]
        for value in sorted(left[homes[name][0]]):
            if known.get(name, value) != value or any(not left[g][value] for g in homes[name]):
                continue
            for g in homes[name]:
                left[g][value] -= 1
            yield from extend({**values, name: value})
            for g in homes[name]:
                left[g][value] += 1

    return extend({})


def _orders(values: Counter[str]) -> int:
    """Number of different orders of a multiset."""
    return factorial(values.total()) // prod(factorial(count) for count in values.values())


def posterior(history: History, known: Mapping[str, str] | None = None) -> dict[str, dict[str, Fraction]]:
    """Exact probability of each possible value of each respondent (persistent values).

    Raises
    ------
    ValueError
        If no world fits: the releases or the known values contradict each other.
    """
    total = 0
    weights: dict[str, Counter[str]] = defaultdict(Counter)
    for values, weight in persistent_worlds(history, known):
        total += weight
        for name, value in values.items():
            weights[name][value] += weight
    if not total:
        raise ValueError("no possible world fits the releases and the known values")
    return {
        name: {value: Fraction(weight, total) for value, weight in found.items()}
        for name, found in weights.items()
    }


def possible_values(history: History, known: Mapping[str, str] | None = None) -> dict[str, frozenset[str]]:
    """Values each respondent can still have (persistent values)."""
    return {name: frozenset(found) for name, found in posterior(history, known).items()}


def inference_safety(most: Fraction, least: int = 1, compromised: int = 0, *, forgive: bool = False) -> Check:
    """Nobody has a value likelier than `most` or fewer than `least` values, whatever few others are known.

    With `forgive` those do not count for whom earlier releases alone break it.
    """

    def broken(history: History) -> frozenset[str]:
        own = {p.name: p.value for groups, _ in history for g in groups for p in g.members}
        worlds = list(persistent_worlds(history))
        found: set[str] = set()
        for size in range(compromised + 1):
            for chosen in combinations(own, size):
                fitting = [world for world in worlds if all(world.values[n] == own[n] for n in chosen)]
                total = sum(world.weight for world in fitting)
                for name in own.keys() - set(chosen):
                    weights: Counter[str] = Counter()
                    for values, weight in fitting:
                        weights[values[name]] += weight
                    if len(weights) < least or max(weights.values()) > most * total:
                        found.add(name)
        return frozenset(found)

    def check(release: ReleaseLike, history: History) -> bool:
        return broken((*history, release)) <= (broken(tuple(history)) if forgive else frozenset())

    return check


def ever_linked(history: History, name: str, value: str) -> Fraction:
    """P(respondent had the value at least once) if values change freely between releases.

    Counts the ways to draw one published tuple for her from each of her groups.
    """
    draws = list(product(*(group.values for group in groups_with(history, name))))
    return Fraction(sum(value in draw for draw in draws), len(draws))
