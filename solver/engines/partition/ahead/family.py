"""Which signatures a release should have: an integer program over counts.

Words. A *family* is a set of signatures with a number of groups L_S and how many new tuples x_{S,v} of each
value join each. For every value v of S, returning and joining tuples are at most L_S; all new tuples join
something; what is left of the seats are counterfeits. The fewest counterfeits come first, then the least sum
of V(L_S).

The second is solved over lines: V(L) is replaced by a charge for using S at all and a price per group, which
touch V where the last solution was; three rounds of this are taken, and the best solution by V itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from random import Random
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .....models.release import Release
from ....backends.highs import INFINITY
from ....colgen.covering import Ints
from ....settings import Clock
from .count_program import CountProgram
from .limits import AHEAD as LIMITS
from .people import Crowd

__all__ = ["Charges", "Family", "FlatPrices", "Gathering", "Signature", "candidates", "families", "published"]

Signature: TypeAlias = tuple[int, ...]


class Charges(Protocol):
    """What a signature costs."""

    def of(self, values: int, groups: int) -> Fraction:
        """With so many values, and so many groups."""
        ...

    def floats(self, values: int, groups: int) -> NDArray[np.float64]:
        """Nearly that for up to so many values, and up to so many groups."""
        ...


class FlatPrices:
    """Every signature in use costs one."""

    def of(self, values: int, groups: int) -> Fraction:
        return Fraction(1 if groups > 0 else 0)

    def floats(self, values: int, groups: int) -> NDArray[np.float64]:
        return np.tile(np.sign(np.arange(groups + 1.0)), (values + 1, 1))


@dataclass(frozen=True, kw_only=True)
class Family:
    """Signatures in use.

    Attributes
    ----------
    signatures : tuple of tuple of int
    buckets : tuple of int
        Number of the bucket of those who return with it, or -1.
    groups : tuple of int
        Groups of each, at least 1.
    joined : tuple of mapping
        New tuples of each value that join.
    fakes : int
        Counterfeits, if the past allows so few groups.
    price : Fraction
        Sum of V.
    """

    signatures: tuple[Signature, ...]
    buckets: tuple[int, ...]
    groups: tuple[int, ...]
    joined: tuple[Mapping[int, int], ...]
    fakes: int
    price: Fraction

    @classmethod
    def of(cls, crowd: Crowd) -> Family:
        """New tuples, each value by itself: seats to be divided anew, no family of a release."""
        counts = {v: n for v, n in enumerate(crowd.new.tolist()) if n}
        return cls(
            signatures=tuple((v,) for v in counts),
            buckets=(-1,) * len(counts),
            groups=tuple(counts.values()),
            joined=tuple({v: n} for v, n in counts.items()),
            fakes=0,
            price=Fraction(0),
        )

    def better(self, other: Family | None) -> Family:
        """The one with fewer counterfeits, or as many and a lower price; this one if neither is."""
        if other is None or (other.fakes, other.price) >= (self.fakes, self.price):
            return self
        return other


class Gathering:
    """Signatures with their groups and who joins them, put together one after the other."""

    def __init__(self) -> None:
        self.groups, self.joined = dict[Signature, int](), dict[Signature, Counter[int]]()

    def put(self, signature: Signature, groups: int, joining: Mapping[int, int]) -> None:
        """So many groups more, and new tuples of each value that join them."""
        self.groups[signature] = self.groups.get(signature, 0) + groups
        self.joined.setdefault(signature, Counter()).update({v: n for v, n in joining.items() if n})

    def family(self, crowd: Crowd, prices: Charges) -> Family:
        """Of everybody: seats that nobody takes are counterfeits."""
        bucket = {signature: b for b, signature in enumerate(crowd.types.rules.signatures)}
        return Family(
            signatures=tuple(self.groups),
            buckets=tuple(bucket.get(signature, -1) for signature in self.groups),
            groups=tuple(self.groups.values()),
            joined=tuple(self.joined[signature] for signature in self.groups),
            fakes=sum(len(signature) * n for signature, n in self.groups.items()) - len(crowd.value),
            price=sum((prices.of(len(s), n) for s, n in self.groups.items()), Fraction(0)),
        )


def candidates(crowd: Crowd, known: Iterable[Signature], random: Random) -> list[Signature]:
    """Signatures that new tuples may begin: all of least size if they are few, or some, and larger ones."""
    new, least, present = crowd.new, crowd.types.rules.least, np.flatnonzero(crowd.new).tolist()
    found, old = set(known), set(crowd.types.rules.signatures)
    if comb(len(present), least) <= LIMITS.all_signatures:
        found |= set(combinations(present, least))
    else:
        for _ in range(LIMITS.windows):
            near = {v: int(new[v]) * random.uniform(0.7, 1.4) for v in present}
            ranked = sorted(present, key=lambda v: (-near[v], v))
            for i in range(0, len(ranked) - least + 1, least):
                found.add(tuple(sorted(ranked[i : i + least])))
    if len(present) > least:
        for _ in range(LIMITS.larger):
            pool = list(present)
            some = list[int]()
            while len(some) <= least:
                v = random.choices(pool, [int(new[u]) for u in pool])[0]
                pool.remove(v)
                some.append(v)
            found.add(tuple(sorted(some)))
    return sorted(s for s in found - old if least <= len(s) and any(new[v] for v in s))


def published(crowd: Crowd, release: Release, row: Mapping[str, int], prices: Charges) -> Family | None:
    """The family of a release of everybody; None if a group holds some values more often than others.

    Parameters
    ----------
    row
        Respondents by number.
    """
    rules = crowd.types.rules
    number = {value: v for v, value in enumerate(rules.values)}
    gathered = Gathering()
    for group in release.groups:
        often = max(group.histogram.values())
        if min(group.histogram.values()) < often:
            return None
        people = np.array([row[who] for who in group.respondents])
        new = people[crowd.people.home[people] < 0]
        signature = tuple(sorted(number[value] for value in group.signature))
        gathered.put(signature, often, Counter(crowd.value[new].tolist()))
    return gathered.family(crowd, prices)


class _Lines(CountProgram):
    """The program: per signature L, whether it is begun, and who joins."""

    def __init__(self, crowd: Crowd, fewest: Ints, begun: Sequence[Signature]) -> None:
        super().__init__()
        rules, new = crowd.types.rules, crowd.new
        self.crowd, self.signatures = crowd, [*rules.signatures, *begun]
        self.old = len(rules.signatures)
        self.groups, self.opened, self.join = list[int](), list[int](), dict[tuple[int, int], int]()
        most, given = int(new.max(initial=0)), {v: dict[int, float]() for v in range(len(new))}
        self.seats: dict[int, float] = {}
        for s, signature in enumerate(self.signatures):
            first = int(fewest[s]) if s < self.old else 0
            each = self._variable(first + most, least=first)
            self.groups.append(each)
            self.seats[each] = len(signature)
            for v in signature:
                joining = self._variable(int(new[v]))
                self.join[s, v] = joining
                self.seats[joining] = -1.0
                given[v][joining] = 1.0
                back = float(crowd.back[s, v]) if s < self.old else 0.0
                self._row({each: 1.0, joining: -1.0}, back, INFINITY)
            if s >= self.old:
                begun_at = self._variable(1)
                self.opened.append(begun_at)
                top = max(1, sorted(int(new[v]) for v in signature)[-1])
                self._row({each: 1.0, begun_at: -float(top)}, -INFINITY, 0.0)
        for v, entries in given.items():
            if new[v]:
                self._row(entries, float(new[v]), float(new[v]))
        self.returning = int(crowd.back.sum())

    def limit(self, fakes: int) -> None:
        """No more counterfeits than so many."""
        self._row(self.seats, -INFINITY, float(fakes + self.returning))

    def solve(
        self, cost: Mapping[int, float], seconds: float | None, start: Ints | None = None
    ) -> tuple[Ints | None, float]:
        """A cheap solution, and a bound on all of them."""
        prices = np.zeros(len(self.cost))
        for j, price in cost.items():
            prices[j] = price
        found = self._best(prices, seconds, start=start)
        return found.x, found.bound

    def vector(self, family: Family) -> Ints | None:
        """A family as a solution; None if the program does not have its signatures."""
        at, x = {s: i for i, s in enumerate(self.signatures)}, np.array(self.lower).astype(np.int64)
        for signature, groups, joined in zip(family.signatures, family.groups, family.joined, strict=True):
            if signature not in at:
                return None
            s = at[signature]
            x[self.groups[s]] = groups
            if s >= self.old:
                x[self.opened[s - self.old]] = 1
            for v, number in joined.items():
                x[self.join[s, v]] = number
        return x

    def family(self, x: Ints, prices: Charges) -> Family:
        """A solution in words."""
        gathered = Gathering()
        for s, (signature, at) in enumerate(zip(self.signatures, self.groups, strict=True)):
            if x[at] > 0:
                gathered.put(signature, int(x[at]), {v: int(x[self.join[s, v]]) for v in signature})
        return gathered.family(self.crowd, prices)


def families(
    crowd: Crowd,
    fewest: Ints,
    begun: Sequence[Signature],
    prices: Charges,
    clock: Clock,
    start: Family | None = None,
) -> Family | None:
    """The best family found for buckets that need so many groups; None if time ends before there is one.

    With `start`, a family of some of these signatures, it is no worse than that one.
    """
    if not crowd.types.rules.signatures and not begun:
        return None
    lines = _Lines(crowd, fewest, begun)
    known = None if start is None else lines.vector(start)
    x, _ = lines.solve(lines.seats, _seconds(clock, LIMITS.fewest_seconds), known)
    found = [] if x is None else [(lines.family(x, prices), x)]
    found += [] if start is None or known is None else [(start, known)]
    if not found:
        return None
    best, x = min(found, key=lambda pair: (pair[0].fakes, pair[0].price))
    lines.limit(best.fakes)
    for _ in range(LIMITS.rounds):
        y, _ = lines.solve(_tangents(lines, x, prices), _seconds(clock, LIMITS.price_seconds), x)
        if y is None:
            break
        other = lines.family(y, prices)
        if (other.fakes, other.price) < (best.fakes, best.price):
            best = other
        if np.array_equal(x, y):
            break
        x = y
    return best


def _seconds(clock: Clock, most: float) -> float | None:
    """Without a limit nodes are counted alone, so that the same seed gives the same family."""
    left = clock.left
    return None if left is None else max(0.05, min(most, left))


def _tangents(lines: _Lines, x: Ints, prices: Charges) -> dict[int, float]:
    """Lines that touch V where a solution is: a charge for beginning a signature, and a price per group."""
    cost: dict[int, float] = {}
    for s, (signature, at) in enumerate(zip(lines.signatures, lines.groups, strict=True)):
        size, here = len(signature), max(1, int(x[at]))
        if s < lines.old:
            cost[at] = float(prices.of(size, here + 1) - prices.of(size, here)) + LIMITS.tie
            continue
        here = max(2, here if x[at] > 0 else LIMITS.usual)
        slope = max(LIMITS.tie, float(prices.of(size, here) - prices.of(size, 1)) / (here - 1))
        cost[at] = slope
        cost[lines.opened[s - lines.old]] = max(0.5, float(prices.of(size, here)) - slope * here)
    return cost
