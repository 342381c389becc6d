"""Small series of releases, and the best next release by dynamic programming over subsets.

The oracle knows the definitions of `brute_force` only. A group that publishes each value of some set
equally often is tried for every set and up to `MOST` times; every other group breaks weak
m-uniqueness. Fewest counterfeits first, then information loss, both sums over groups: so the best
release of a set of people is its best first group and the best release of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from random import Random

import pandas as pd

import oracle.brute_force as bf
from optanon.models.hierarchy import Hierarchy
from optanon.models.numeric import Numeric
from optanon.models.release import Release
from optanon.models.table import Microdata

MOST = 4
COLORS = ("blue", "green", "red")
WIDE = 6

Cost = tuple[int, Fraction]


def people(random: Random, number: int, values: str, *, first: int = 0) -> list[bf.Person]:
    """Respondents with a number and a color."""
    return [
        bf.Person(f"id{first + i}", (random.randint(0, WIDE), random.choice(COLORS)), random.choice(values))
        for i in range(number)
    ]


def table(persons: Sequence[bf.Person]) -> Microdata:
    """The same people as microdata."""
    frame = pd.DataFrame(
        {
            "id": [p.name for p in persons],
            "number": [p.qi[0] for p in persons],
            "color": [p.qi[1] for p in persons],
            "value": [p.value for p in persons],
        }
    )
    columns = {
        "number": Numeric(name="number", lo=Fraction(0), hi=Fraction(WIDE)),
        "color": Hierarchy.flat(COLORS),
    }
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=columns, sensitive="value")


def theirs(release: Release, persons: Sequence[bf.Person]) -> bf.Release:
    """An optanon release as the oracle's."""
    by_name = {p.name: p for p in persons}
    return bf.Release(
        tuple(
            bf.Group(tuple(by_name[who] for who in sorted(g.respondents)), tuple(g.counterfeits))
            for g in release.groups
        )
    )


def best(
    persons: Sequence[bf.Person],
    checks: Sequence[bf.Check],
    past: Sequence[bf.Release],
    values: Sequence[str],
    price: Fraction | None = None,
) -> Cost | None:
    """Fewest counterfeits and then least loss of a release, or the least sum of both at a price; or None.

    Complexity: 3**n steps, and 2**n * 2**values * MOST verdicts.
    """
    attributes = (bf.Numeric(0, WIDE), bf.Flat(COLORS))
    number, cost = len(persons), dict[int, Cost]()
    for mask in range(1, 1 << number):
        members = tuple(persons[t] for t in range(number) if mask >> t & 1)
        fakes = _fewest(members, checks, past, values)
        if fakes is not None:
            loss = bf.LOSSES["information_loss"](bf.Release((bf.Group(members),)), attributes)
            cost[mask] = (fakes, loss) if price is None else (0, loss + price * fakes)
    found: dict[int, Cost | None] = {0: (0, Fraction(0))}
    for mask in range(1, 1 << number):
        lowest, least, part = mask & -mask, None, mask
        while part:
            rest = found[mask ^ part]
            if part & lowest and part in cost and rest is not None:
                total = (cost[part][0] + rest[0], cost[part][1] + rest[1])
                least = total if least is None else min(least, total)
            part = (part - 1) & mask
        found[mask] = least
    return found[(1 << number) - 1]


def _fewest(
    members: tuple[bf.Person, ...],
    checks: Sequence[bf.Check],
    past: Sequence[bf.Release],
    values: Sequence[str],
) -> int | None:
    have, least = Counter(p.value for p in members), None
    for size in range(1, len(values) + 1):
        for chosen in combinations(values, size):
            if not set(have) <= set(chosen):
                continue
            for times in range(max(have.values()), MOST + 1):
                fakes = tuple((v, times - have[v]) for v in chosen if times > have[v])
                release = bf.Release((bf.Group(members, fakes),))
                count = sum(extra for _, extra in fakes)
                if (least is None or count < least) and all(check(release, past) for check in checks):
                    least = count
    return least


def least_within(
    persons: Sequence[bf.Person],
    checks: Sequence[bf.Check],
    past: Sequence[bf.Release],
    family: Mapping[frozenset[str], int],
) -> Fraction | None:
    """The least loss of releases that publish each of these signatures at most so often, and no other."""
    attributes = (bf.Numeric(0, WIDE), bf.Flat(COLORS))
    signatures, whole = sorted(family, key=sorted), (1 << len(persons)) - 1
    loss, may = dict[int, Fraction](), dict[int, list[tuple[int, int]]]()
    for mask in range(1, whole + 1):
        members = tuple(p for t, p in enumerate(persons) if mask >> t & 1)
        have = Counter(p.value for p in members)
        may[mask] = []
        loss[mask] = bf.LOSSES["information_loss"](bf.Release((bf.Group(members),)), attributes)
        for s, signature in enumerate(signatures):
            for times in range(max(have.values()), family[signature] + 1):
                fakes = tuple((v, times - have[v]) for v in sorted(signature) if times > have[v])
                release = bf.Release((bf.Group(members, fakes),))
                if set(have) <= signature and all(check(release, past) for check in checks):
                    may[mask].append((s, times))

    @cache
    def least(left: int, often: tuple[int, ...]) -> Fraction | None:
        found, part = Fraction(0) if not left else None, left
        while part:
            for s, times in may[part] if part & left & -left else ():
                if often[s] >= times:
                    rest = least(left ^ part, (*often[:s], often[s] - times, *often[s + 1 :]))
                    if rest is not None and (found is None or loss[part] + rest < found):
                        found = loss[part] + rest
            part = (part - 1) & left
        return found

    return least(whole, tuple(family[signature] for signature in signatures))
