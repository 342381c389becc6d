"""Tables and series with two sensitive attributes, and what the oracle says of each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import oracle.brute_force as bf

from cases.attacks import ours
from optanon.models.history import History

NAMES = ("illness", "salary")


def random_pairs(random: Random, people: int = 8) -> tuple[bf.Release, ...]:
    """Two to four releases of up to eight people with two values each: leavers, new ones, counterfeits."""
    diversity, bands = random.choice(["ab", "abc", "abcd"]), random.choice(["xy", "xyz"])

    def value() -> str:
        return random.choice(diversity) + random.choice(bands)

    here = [bf.Person(str(i), (), value()) for i in range(random.randint(3, people))]
    fresh = len(here)
    made: list[bf.Release] = []
    for _ in range(random.randint(2, 4)):
        homes: dict[int, list[bf.Person]] = {}
        for person in here:
            homes.setdefault(random.randrange(random.randint(1, 3)), []).append(person)
        fakes = [((value(), 1),) if random.random() < 0.1 else () for _ in homes]
        made.append(
            bf.Release(tuple(bf.Group(tuple(m), f) for m, f in zip(homes.values(), fakes, strict=True)))
        )
        stay = [person for person in here if random.random() < 0.75] or here[:1]
        new = [bf.Person(str(fresh + i), (), value()) for i in range(random.randint(0, people - len(stay)))]
        here, fresh = stay + new[:2], fresh + 2
    return tuple(made)


def paired_history(series: Sequence[bf.Release]) -> History:
    """The same as optanon's: both letters of a value are attributes of their own."""

    def spelt(value: str) -> str:
        return f"{value[0]} ¦ {value[1]}"

    def renamed(release: bf.Release) -> bf.Release:
        return bf.Release(
            tuple(
                bf.Group(
                    tuple(replace(p, value=spelt(p.value)) for p in group.members),
                    tuple(sorted((spelt(value), count) for value, count in group.fakes)),
                )
                for group in release.groups
            )
        )

    return History(replace(ours(renamed(release)), sensitive=" ¦ ".join(NAMES)) for release in series)


def of_each(chances: dict[str, Fraction], at: int) -> dict[str, Fraction]:
    """The oracle's probabilities of one attribute's values."""
    found: dict[str, Fraction] = {}
    for value, chance in chances.items():
        found[value[at]] = found.get(value[at], Fraction(0)) + chance
    return found
