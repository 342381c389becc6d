"""Knowledge about single respondents by enumeration, also of values that no release publishes.

Without any release somebody may have any value that is allowed, and there are always more values than
those that somebody speaks of. Who has one value left then is given; who has one value left only in the
worlds that fit the releases is disclosed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import oracle.brute_force_boxes as weak
from oracle.brute_force_checks import Check
from oracle.brute_force_tables import History, ReleaseLike
from oracle.brute_force_worlds import persistent_worlds

ANOTHER = "a value nobody speaks of"


class Known(NamedTuple):
    """What an adversary is told, by respondent."""

    compromised: dict[str, str]
    excluded: dict[str, frozenset[str]]
    priors: dict[str, frozenset[str]]

    def allows(self, who: str, value: str) -> bool:
        """Whether somebody may have a value."""
        return (
            self.compromised.get(who) in (None, value)
            and value not in self.excluded.get(who, frozenset())
            and (who not in self.priors or value in self.priors[who])
        )

    def about(self, names: Iterable[str]) -> Known:
        """What is told of some respondents."""
        kept = set(names)
        return Known(*({n: x for n, x in part.items() if n in kept} for part in self))


class Conclusions(NamedTuple):
    """Who is given, whose value the releases tell besides, and what everybody can have."""

    given: frozenset[str]
    disclosed: frozenset[str]
    left: dict[str, frozenset[str]]


def conclusions(history: Sequence[ReleaseLike], known: Known, *, boxes: bool = False) -> Conclusions:
    """By going through all worlds, those without a release first.

    Parameters
    ----------
    history
        Releases, oldest first.
    known
        True, and about people in some group.
    boxes
        Whether only quasi-identifiers are known, not who is in which group.
    """
    groups = [group for release_groups, _ in history for group in release_groups]
    universe = {ANOTHER, *known.compromised.values(), *(value for g in groups for value in g.histogram)}
    universe |= {v for part in (known.excluded, known.priors) for values in part.values() for v in values}
    left: dict[str, set[str]] = {name: set() for g in groups for name in g.names}
    for world in fitting(history, known, boxes=boxes):
        for name, value in world.items():
            left[name].add(value)
    given = frozenset(n for n in left if sum(known.allows(n, value) for value in universe) == 1)
    disclosed = frozenset(n for n, values in left.items() if len(values) == 1) - given
    return Conclusions(given, disclosed, {n: frozenset(values) for n, values in left.items()})


def fitting(
    history: Sequence[ReleaseLike], known: Known, *, boxes: bool = False
) -> Iterator[Mapping[str, str]]:
    """Values of everybody in each world that fits releases and knowledge."""
    every = weak.worlds(history) if boxes else (world.values for world in persistent_worlds(history))
    return (world for world in every if all(known.allows(n, value) for n, value in world.items()))


def told_by_knowledge(known: Known) -> frozenset[str]:
    """Who has one value left before anything is published."""
    left = {n: {v for v in [*prior, ANOTHER] if known.allows(n, v)} for n, prior in known.priors.items()}
    return frozenset(n for n, values in left.items() if len(values) == 1) | frozenset(known.compromised)


def inference_safety(most: Fraction, least: int, known: Known, compromised: int = 0) -> Check:
    """As in `brute_force_worlds`, of worlds that fit the knowledge, for those who are not given by it."""

    def broken(history: History) -> frozenset[str]:
        own = {p.name: p.value for groups, _ in history for g in groups for p in g.members}
        told = known.about(own)
        worlds = [
            w for w in persistent_worlds(history) if all(told.allows(*each) for each in w.values.items())
        ]
        found: set[str] = set()
        for size in range(compromised + 1):
            for chosen in combinations(own, size):
                weights: dict[str, Counter[str]] = {name: Counter() for name in own.keys() - set(chosen)}
                for world in worlds:
                    if all(world.values[n] == own[n] for n in chosen):
                        for name, count in weights.items():
                            count[world.values[name]] += world.weight
                found |= {
                    name
                    for name, count in weights.items()
                    if len(count) < least or max(count.values()) > most * count.total()
                }
        return frozenset(found) - told_by_knowledge(told)

    return lambda release, history: not broken((*history, release))
