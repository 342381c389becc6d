"""What an adversary with all releases concludes about each respondent, also with some others compromised.

Values never change, and it is known who is in which group of each release. Worlds are counted exactly
(see `counting`), block by block: compromised respondents of other blocks tell nothing. Of
respondents that nothing tells apart only one kind is looked at.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, combinations_with_replacement

import numpy as np

from ..errors import EngineError, InputError
from ..history import History
from .blocks import joined_cells
from .cells import Population, population, respondents_of
from .counting import Tableau, tableau
from .knowledge import Knowledge
from .propagation import first_bounds, propagate

__all__ = ["Conclusion", "conclusions", "linked_groups"]

MOST_SETS = 50_000
"""Sets of compromised respondents of a block that are looked at."""


@dataclass(frozen=True, kw_only=True)
class Conclusion:
    """What follows about interchangeable respondents if some others are compromised.

    Attributes
    ----------
    respondents : tuple of str
        Everybody it holds for, if the like of `compromised` are compromised.
    free : tuple of str
        Those of them who are not compromised; of every kind at least one.
    compromised : tuple of str
        Whose values are known.
    chances : Mapping of str to Fraction
        Probability of each possible value; none is 0.
    place : (release index, group index)
        One group of theirs.
    """

    respondents: tuple[str, ...] = field(repr=False)
    free: tuple[str, ...] = field(repr=False)
    compromised: tuple[str, ...] = field(repr=False)
    chances: dict[str, Fraction] = field(repr=False)
    place: tuple[int, int]

    @property
    def worst(self) -> Fraction:
        """Probability of the likeliest value."""
        return max(self.chances.values())


def conclusions(
    history: History, compromised: int = 0, knowledge: Knowledge | None = None
) -> Iterator[Conclusion]:
    """Conclusions about everybody in the releases, for every set of up to so many others that matters.

    Parameters
    ----------
    history : History
    compromised : int
        At least 0. Sets of respondents of different blocks are left out: they tell no more about
        anybody than their part inside of the block does.
    knowledge : Knowledge, optional
        What else is known, of persistent values in known groups; by default nothing. What it says of
        respondents who are in no release plays no part.

    Raises
    ------
    InputError
        If the knowledge is not true.
    ReleaseError
        If a respondent's value differs between two releases.
    EngineError
        If worlds are too many to be counted, or sets of compromised respondents to be looked at.

    Notes
    -----
    One count of each block's worlds per set of compromised kinds in it.
    """
    if not any(release.groups for release in history):
        return
    known = Knowledge() if knowledge is None else knowledge.among(history.records)
    people = population(history, known)
    system = people.system
    bounds = propagate(system, first_bounds(system))
    if bounds is None:
        raise InputError("the releases contradict each other: check the groups and their values")
    names = respondents_of(people, history)
    for joined in joined_cells(system, bounds):
        pairs = joined.pairs.tolist()
        cells = system.cell[joined.pairs].tolist()
        block = _LinkedBlock(
            tableau=tableau(joined, cells, system.sizes[cells].tolist(), bounds),
            values=[people.values[v] for v in system.value[joined.pairs].tolist()],
            names=[names[j] for j in pairs],
            places=[_place(people, cell) for cell in cells],
        )
        if block.sets(compromised) > MOST_SETS:
            raise EngineError(
                f"with up to {compromised} compromised respondents more than {MOST_SETS} sets of people would"
                f" have to be looked at, one by one: ask for fewer compromised ones"
            )
        for size in range(min(compromised, sum(map(len, block.names))) + 1):
            yield from block.conclude(size)


def _choices(most: list[int], size: int) -> Iterator[Counter[int]]:
    """Ways to take so many in all, of each kind no more than there are; the first kinds first."""
    for chosen in combinations_with_replacement(range(len(most)), size):
        counts = Counter(chosen)
        if all(count <= most[kind] for kind, count in counts.items()):
            yield counts


@dataclass(frozen=True, kw_only=True)
class _LinkedBlock:
    """A block with the names of its pairs: who truly belongs to them."""

    tableau: Tableau
    values: list[str]
    names: list[tuple[str, ...]]
    places: list[tuple[int, int]]

    def sets(self, most: int) -> int:
        """How many choices there are of up to so many of its respondents, where nothing tells kinds apart."""
        ways = [1]
        for names in self.names:
            sums, many = [0, *accumulate(ways)], len(names)
            upto = min(most, len(ways) - 1 + many)
            # Each number of people after this kind had from none to all of it.
            ways = [
                sums[min(n + 1, len(sums) - 1)] - sums[min(max(0, n - many), len(sums) - 1)]
                for n in range(upto + 1)
            ]
        return sum(ways)

    def conclude(self, size: int) -> Iterator[Conclusion]:
        """About everybody of the block, for each choice of so many of its respondents."""
        most = [len(names) for names in self.names]
        for counts in _choices(most, size):
            yield from self._about(counts)

    def _about(self, known: Counter[int]) -> Iterator[Conclusion]:
        left = self.tableau.without(known)
        means = left.expected()
        compromised = tuple(who for j, count in sorted(known.items()) for who in self.names[j][:count])
        pairs_of: dict[int, list[int]] = defaultdict(list)
        for j, cell in enumerate(left.cell):
            pairs_of[cell].append(j)
        for cell, pairs in pairs_of.items():
            if not left.sizes[cell]:
                continue
            others = [j for j in pairs if len(self.names[j]) > known[j]]
            yield Conclusion(
                respondents=tuple(who for j in others for who in self.names[j]),
                free=tuple(who for j in others for who in self.names[j][known[j] :]),
                compromised=compromised,
                chances={self.values[j]: means[j] / left.sizes[cell] for j in pairs if means[j]},
                place=self.places[pairs[0]],
            )


def _place(people: Population, cell: int) -> tuple[int, int]:
    pattern = people.system.patterns[cell]
    return people.groups[int(pattern[np.flatnonzero(pattern >= 0)[-1]])]


def linked_groups(history: History, start: tuple[int, int]) -> list[tuple[int, int]]:
    """All groups that share respondents with a group, directly or by way of others; sorted.

    What is known about anybody in them follows from these groups alone.
    """
    found, waiting = {start}, [start]
    while waiting:
        for who in history.group(*waiting.pop()).respondents:
            for where in history.records[who].groups:
                if where not in found:
                    found.add(where)
                    waiting.append(where)
    return sorted(found)
