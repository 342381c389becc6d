"""Random series for the tests of the audit: tiny ones to be enumerated, larger ones with local groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from random import Random

import oracle.brute_force as bf

from cases.attacks import crowd, history
from optanon.models.adversary.cells import population
from optanon.models.adversary.knowledge import Knowledge
from optanon.solver.worlds.possible import Possible, possible_values

Series = tuple[bf.Release, ...]


def random_series(random: Random) -> Series:
    """Up to three releases of up to seven people: leaving, returning, suppressed, with counterfeits."""
    people = crowd(random, random.choice([4, 5, 6, 7]), random.choice(["ab", "abc", "aabc", "abcd"]))
    made: list[bf.Release] = []
    for _ in range(random.choice([1, 2, 3, 3])):
        there = [p for p in people if random.random() < 0.85] or people[:1]
        homes: dict[int, list[bf.Person]] = defaultdict(list)
        for person in there:
            homes[random.randrange(random.choice([1, 2, 3]))].append(person)
        groups = [
            bf.Group(tuple(m), ((random.choice("abce"), random.choice([1, 1, 2])),))
            if random.random() < 0.25
            else bf.Group(tuple(m))
            for m in homes.values()
        ]
        made.append(bf.Release(tuple(groups), tuple(p for p in people if p not in there)))
    return tuple(made)


def values_of(series: Sequence[bf.Release]) -> dict[str, str]:
    """True value of each published person."""
    return {p.name: p.value for groups, _ in series for g in groups for p in g.members}


@lru_cache
def cases(seed: int, number: int = 120) -> tuple[tuple[Series, tuple[tuple[str, str], ...]], ...]:
    """Random series, and people whose value is known."""
    random = Random(seed)
    found: list[tuple[Series, tuple[tuple[str, str], ...]]] = []
    for _ in range(number):
        series = random_series(random)
        known = tuple((n, v) for n, v in values_of(series).items() if random.random() < 0.15)
        found.append((series, known))
    return tuple(found)


def possible(series: Sequence[bf.Release], knowledge: Knowledge | None = None) -> Possible:
    return possible_values(population(history(series), knowledge or Knowledge()))


def local_series(random: Random, size: int, times: int, k: int) -> Series:
    """Releases whose groups are neighbors on a line, with noise; a few come and go."""
    people = [bf.Person(str(i), (), random.choice("aabbcd")) for i in range(size)]
    made: list[bf.Release] = []
    for _ in range(times):
        there = [i for i in range(size) if random.random() < 0.9]
        there.sort(key=lambda i: i + random.random() * k)
        blocks = [there[i : i + k] for i in range(0, len(there), k)]
        made.append(
            bf.Release(
                tuple(
                    bf.Group(
                        tuple(people[i] for i in b),
                        ((random.choice("abcd"), 1),) if random.random() < 0.2 else (),
                    )
                    for b in blocks
                )
            )
        )
    return tuple(made)


def random_boxed_series(random: Random) -> list[bf.Release]:
    """Up to six people on a line, in overlapping groups of one to three releases; some counterfeits."""
    size = random.choice([3, 4, 5, 6])
    people = [bf.Person(str(i), (random.randrange(4),), random.choice("abc")) for i in range(size)]
    made: list[bf.Release] = []
    for _ in range(random.choice([1, 2, 2, 3]) if size < 6 else 2):
        there = [p for p in people if random.random() < 0.85] or people[:1]
        homes: dict[int, list[bf.Person]] = {}
        for person in there:
            homes.setdefault(random.randrange(2) if random.random() < 0.5 else person.qi[0] // 2, []).append(
                person
            )  # type: ignore[operator]
        groups = [
            bf.Group(tuple(m), ((random.choice("abc"), 1),) if random.random() < 0.2 else ())
            for m in homes.values()
        ]
        made.append(bf.Release(tuple(groups)))
    return made
