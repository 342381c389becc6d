"""Compromised respondents by brute force: all sets of them, all worlds; and random series to try."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from random import Random

import oracle.brute_force as bf

from cases.attacks import crowd

Series = tuple[bf.Release, ...]


class Oracle:
    """Everything about compromised people, by trying all sets and all worlds."""

    def __init__(
        self,
        series: Series,
        known: dict[str, str],
        allows: Callable[[str, str], bool] = lambda name, value: True,
    ) -> None:
        self.own = {p.name: p.value for groups, _ in series for g in groups for p in g.members}
        self.free = [name for name in self.own if name not in known]
        worlds = [
            values
            for values, _ in bf.persistent_worlds(series, known)
            if all(allows(name, value) for name, value in values.items())
        ]
        # For each person: in worlds where the value is another one, who still has the true one.
        self.keeps = {
            name: [
                frozenset(n for n, v in world.items() if v == self.own[n])
                for world in worlds
                if world[name] != self.own[name]
            ]
            for name in self.free
        }

    def disclosed(self, name: str, compromised: frozenset[str] = frozenset()) -> bool:
        return not any(compromised <= keeps for keeps in self.keeps[name])

    def uncertain(self) -> list[str]:
        return [name for name in self.free if not self.disclosed(name)]

    def given_away(self, *compromised: str) -> frozenset[str]:
        return frozenset(
            name
            for name in self.uncertain()
            if name not in compromised and self.disclosed(name, frozenset(compromised))
        )

    def smallest(self, name: str) -> int | None:
        others = [other for other in self.free if other != name]
        for size in range(len(others) + 1):
            if any(self.disclosed(name, frozenset(chosen)) for chosen in combinations(others, size)):
                return size
        return None


def random_series(random: Random) -> Series:
    """One to three releases of up to seven people; some come, go, or are joined by counterfeits."""
    people = crowd(random, random.choice([4, 5, 6, 7]), random.choice(["ab", "aab", "abc", "aabc", "abcd"]))
    made: list[bf.Release] = []
    for _ in range(random.choice([1, 2, 2, 3])):
        there = [p for p in people if random.random() < 0.85] or people[:1]
        homes: dict[int, list[bf.Person]] = {}
        parts = random.choice([1, 2, 3])
        for person in there:
            homes.setdefault(random.randrange(parts), []).append(person)
        made.append(
            bf.Release(
                tuple(
                    bf.Group(tuple(m), ((random.choice("abc"), 1),) if random.random() < 0.2 else ())
                    for m in homes.values()
                )
            )
        )
    return tuple(made)


@lru_cache
def cases(seed: int, number: int = 100) -> tuple[tuple[Series, tuple[tuple[str, str], ...]], ...]:
    random = Random(seed)
    found: list[tuple[Series, tuple[tuple[str, str], ...]]] = []
    for _ in range(number):
        series = random_series(random)
        own = {p.name: p.value for groups, _ in series for g in groups for p in g.members}
        found.append((series, tuple((n, v) for n, v in own.items() if random.random() < 0.1)))
    return tuple(found)
