"""Data of the brute-force oracle: people, groups, releases and quasi-identifier attributes.

The oracle is written straight from the definitions and shares nothing with the package: no
import, no data structure, no clever step. Where the two disagree, one of them is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, combinations, pairwise
from typing import NamedTuple, TypeAlias, TypeVar

Number: TypeAlias = int | Fraction
Coordinate: TypeAlias = int | Fraction | str
Item = TypeVar("Item")


@dataclass(frozen=True)
class Person:
    """One tuple of the microdata; the name says who it is about, also across releases."""

    name: str
    qi: tuple[Coordinate, ...]
    value: str


@dataclass(frozen=True)
class Group:
    """A QI-group: real members, and invented tuples as pairs (value, how many of it)."""

    members: tuple[Person, ...]
    fakes: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        if not self.members:
            raise ValueError("a group needs a real member")
        if len(self.names) < len(self.members):
            raise ValueError("a group holds a respondent twice")
        if any(count < 1 for _, count in self.fakes):
            raise ValueError("a fake value needs a count of at least 1")
        if len({value for value, _ in self.fakes}) < len(self.fakes):
            raise ValueError("a fake value is listed twice")

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of the real members."""
        return frozenset(person.name for person in self.members)

    @property
    def histogram(self) -> Counter[str]:
        """Published multiset of values: members and fakes together."""
        return Counter(person.value for person in self.members) + Counter(dict(self.fakes))

    @cached_property
    def values(self) -> tuple[str, ...]:
        """Published values one by one, sorted."""
        return tuple(sorted(self.histogram.elements()))

    @cached_property
    def fake_count(self) -> int:
        """Number of invented tuples."""
        return sum(count for _, count in self.fakes)

    @cached_property
    def size(self) -> int:
        """Number of published tuples: members and fakes together."""
        return len(self.members) + self.fake_count

    @cached_property
    def signature(self) -> frozenset[str]:
        """Set of published values."""
        return frozenset(self.histogram)


class Release(NamedTuple):
    """What is published at one time. A plain pair (groups, suppressed) works as well."""

    groups: tuple[Group, ...]
    suppressed: tuple[Person, ...] = ()


ReleaseLike: TypeAlias = tuple[tuple[Group, ...], tuple[Person, ...]]
History: TypeAlias = Sequence[ReleaseLike]


def microdata(release: ReleaseLike) -> tuple[Person, ...]:
    """Everybody the release was made from: published members, then suppressed people."""
    groups, suppressed = release
    return (*(person for group in groups for person in group.members), *suppressed)


def names_of(groups: Iterable[Group]) -> frozenset[str]:
    """Names of all members of the groups."""
    return frozenset(name for group in groups for name in group.names)


def published(groups: Iterable[Group]) -> Counter[str]:
    """Multiset of all values the groups publish, fakes included."""
    total: Counter[str] = Counter()
    for group in groups:
        total += group.histogram
    return total


def groups_with(history: History, name: str) -> list[Group]:
    """Groups that hold the respondent, oldest first; at most one per release."""
    return [group for groups, _ in history for group in groups if name in group.names]


def subsets(items: Sequence[Item]) -> Iterator[tuple[Item, ...]]:
    """All non-empty subsets, small ones first."""
    return chain.from_iterable(combinations(items, size) for size in range(1, len(items) + 1))


@dataclass(frozen=True)
class Interval:
    """Closed interval of numbers."""

    lo: Number
    hi: Number


# What a group publishes for one attribute: an interval, or the set of values it may stand for.
Side: TypeAlias = Interval | frozenset[str]


def covers(side: Side, coordinate: Coordinate) -> bool:
    """Whether the exact coordinate may be behind the published one."""
    if isinstance(side, Interval):
        return not isinstance(coordinate, str) and side.lo <= coordinate <= side.hi
    return coordinate in side


def compatible(one: Side, other: Side) -> bool:
    """Whether two published coordinates have an exact one in common."""
    if isinstance(one, Interval) and isinstance(other, Interval):
        return max(one.lo, other.lo) <= min(one.hi, other.hi)
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return bool(one & other)
    raise TypeError("the two sides belong to attributes of different kinds")


def _numbers(values: Sequence[Coordinate]) -> list[Number]:
    numbers = [value for value in values if not isinstance(value, str)]
    if len(numbers) < len(values):
        raise TypeError("a numeric attribute holds a string")
    return numbers


def _labels(values: Sequence[Coordinate], domain: Iterable[str]) -> list[str]:
    known = set(domain)
    labels = [value for value in values if isinstance(value, str) and value in known]
    if len(labels) < len(values):
        raise ValueError("a categorical attribute holds a value outside its domain")
    return labels


@dataclass(frozen=True)
class Numeric:
    """Numeric attribute with the ends of its domain; published as the tight interval."""

    lo: Number
    hi: Number

    def __post_init__(self) -> None:
        if self.lo > self.hi:
            raise ValueError("the domain ends are in the wrong order")

    def width(self, values: Sequence[Coordinate]) -> Fraction:
        """(max - min) / (hi - lo); 0 if the domain is a point."""
        numbers = _numbers(values)
        if self.hi == self.lo:
            return Fraction(0)
        return Fraction(max(numbers) - min(numbers)) / Fraction(self.hi - self.lo)

    def side(self, values: Sequence[Coordinate]) -> Side:
        """Tight interval."""
        numbers = _numbers(values)
        return Interval(min(numbers), max(numbers))


@dataclass(frozen=True)
class Ordered:
    """Ordered categories; published as an interval of ranks."""

    values: tuple[str, ...]

    def _ranks(self, values: Sequence[Coordinate]) -> list[int]:
        return [self.values.index(label) for label in _labels(values, self.values)]

    def width(self, values: Sequence[Coordinate]) -> Fraction:
        """(highest - lowest rank) / (highest - lowest rank of the domain)."""
        ranks = self._ranks(values)
        if len(self.values) == 1:
            return Fraction(0)
        return Fraction(max(ranks) - min(ranks), len(self.values) - 1)

    def side(self, values: Sequence[Coordinate]) -> Side:
        """All categories between the lowest and the highest one."""
        ranks = self._ranks(values)
        return frozenset(self.values[min(ranks) : max(ranks) + 1])


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """Tree of categories: leaf -> its ancestors, nearest first, root last.

    A path may start with the leaf itself, and may repeat a label on neighbouring levels.
    """

    paths: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        parents: dict[str, str] = {}
        for leaf in self.paths:
            for child, parent in pairwise(self._chain(leaf)):
                if child == parent:
                    continue
                if parents.setdefault(child, parent) != parent or parent in self.paths:
                    raise ValueError("the paths do not form a tree: a label has two meanings")
        if len({self._chain(leaf)[-1] for leaf in self.paths}) != 1:
            raise ValueError("the paths do not end in one root")

    def _chain(self, leaf: str) -> tuple[str, ...]:
        path = self.paths[leaf]
        return path if path[:1] == (leaf,) else (leaf, *path)

    def leaves(self, node: str) -> frozenset[str]:
        """Leaves below a node (a leaf: itself)."""
        return frozenset(leaf for leaf in self.paths if node in self._chain(leaf))

    def node(self, values: Sequence[Coordinate]) -> str:
        """Lowest node above all values."""
        chains = [self._chain(label) for label in _labels(values, self.paths)]
        return next(node for node in chains[0] if all(node in other for other in chains))

    def width(self, values: Sequence[Coordinate]) -> Fraction:
        """leaves(lowest common node) / leaves(root), but 0 for a single leaf (NCP)."""
        below = len(self.leaves(self.node(values)))
        return Fraction(0) if below == 1 else Fraction(below, len(self.paths))

    def side(self, values: Sequence[Coordinate]) -> Side:
        """Leaves below the lowest common node."""
        return self.leaves(self.node(values))


@dataclass(frozen=True)
class Flat:
    """Categories without structure: published as the value if all agree, otherwise as '*'."""

    values: tuple[str, ...]

    def width(self, values: Sequence[Coordinate]) -> Fraction:
        """0 if all agree, otherwise 1."""
        return Fraction(len(set(_labels(values, self.values))) > 1)

    def side(self, values: Sequence[Coordinate]) -> Side:
        """The common value, or the whole domain."""
        labels = frozenset(_labels(values, self.values))
        return labels if len(labels) == 1 else frozenset(self.values)


Attribute: TypeAlias = Numeric | Ordered | Taxonomy | Flat


def box(group: Group, attributes: Sequence[Attribute]) -> tuple[Side, ...]:
    """Tight box around the members: what the group publishes for each attribute."""
    return tuple(
        attribute.side([person.qi[position] for person in group.members])
        for position, attribute in enumerate(attributes)
    )


@lru_cache(maxsize=100_000)
def _perimeter(members: tuple[Person, ...], attributes: tuple[Attribute, ...]) -> Fraction:
    widths = (
        attribute.width([person.qi[position] for person in members])
        for position, attribute in enumerate(attributes)
    )
    return sum(widths, Fraction(0))


def perimeter(group: Group, attributes: Sequence[Attribute]) -> Fraction:
    """Sum over the attributes of the box width, each as a share of its domain."""
    return _perimeter(group.members, tuple(attributes))
