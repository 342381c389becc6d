"""How many counterfeits the releases after one will probably need: an exact function of what is published.

V prices signatures one by one, so that a search may choose among them. What they need together depends on one
another and on those who come: an arrival fills one vacancy, in any bucket, and whoever finds none begins a
signature that needs counterfeits in its turn. So what is foreseen is drawn from the release itself: its
groups, whom they met before, and everybody's lives together (`together`), as often as the outlook says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from ..compiled_random import ONE
from ..history import History
from ..release import QIGroup, Release
from ..structure import OverlapRule
from .asked import Outlook
from .forecast import Forecast
from .prices import forbidden
from .together import Buckets, Chances, Everybody, lived_together

__all__ = ["drawn_lives", "mean", "nine_in_ten"]

_Told: TypeAlias = tuple[int, tuple[tuple[int, int], ...]]
"""Number of a member's value; its earlier groups, as (release, group)."""
PEOPLE = 100_000
"""In all draws together: larger tables are drawn less often."""
SPARE = 4
"""Further values that a begun signature may have."""


def drawn_lives(
    release: Release,
    history: History,
    outlook: Outlook,
    coming: Forecast,
    rules: Sequence[OverlapRule],
    least: int,
    multiplicity: int | None = None,
) -> tuple[tuple[int, ...], ...]:
    """Counterfeits of each of the outlook's releases after this one, in each life drawn of everybody.

    Parameters
    ----------
    history
        Of the releases before.
    least
        Fewest values of a signature.
    multiplicity
        How often a group may hold each value; None for any number.

    Complexity: O(people x releases) for each draw, by experience.
    """
    start = _Start(release, history, coming, outlook.releases, least)
    wide = start.buckets.place.shape[1]
    bad = np.zeros((wide + 1, 1 if multiplicity == 1 else 2, 2, 2 * wide + 1), dtype=np.bool_)
    for size in range(least, wide + 1):
        bad[size, :, :, : 2 * size + 1] = forbidden(rules, size, multiplicity)
    # Of values that only counterfeits have nobody stays, and nobody comes.
    none = [0] * (len(start.number) - len(coming.values))
    survival, trials, chance = (
        np.array([*found, *none], dtype=np.int64) for found in (coming.survival, coming.trials, coming.chance)
    )
    chances = Chances(survival, coming.returns, trials, chance, bad, least)
    state = np.array([(outlook.seed * 1_000_003 + 7_919) % (ONE - 1) + 1], dtype=np.int64)
    draws = max(1, min(outlook.draws, PEOPLE // max(1, len(release.members))))
    drawn = list[tuple[int, ...]]()
    for _ in range(draws):
        buckets = Buckets(*(part.copy() for part in start.buckets))
        people = Everybody(*(part.copy() for part in start.people))
        fakes = np.zeros(outlook.releases, dtype=np.int64)
        lived_together(buckets, people, chances, fakes, state)
        drawn.append(tuple(fakes.tolist()))
    return tuple(drawn)


def mean(fakes: Sequence[int]) -> Fraction:
    """What is foreseen, in one number."""
    return Fraction(sum(fakes), len(fakes))


def nine_in_ten(fakes: Sequence[int]) -> tuple[int, int] | None:
    """Between which numbers nine of ten lives are; None for too few lives to tell."""
    beyond = len(fakes) // 20
    return (sorted(fakes)[beyond], sorted(fakes)[-1 - beyond]) if beyond else None


class _Start:
    """A release as seats and people, with room for those who come."""

    def __init__(
        self, release: Release, history: History, coming: Forecast, releases: int, least: int
    ) -> None:
        faked = {value for group in release.groups for value in group.signature} - set(coming.values)
        self.number = {value: v for v, value in enumerate([*coming.values, *sorted(faked)])}
        signatures = sorted({tuple(sorted(group.signature)) for group in release.groups})
        at = {frozenset(signature): b for b, signature in enumerate(signatures)}
        rows = [0] * len(signatures)
        for group in release.groups:
            rows[at[group.signature]] += _often(group)
        arrivals = 2 * sum(t * c for t, c in zip(coming.trials, coming.chance, strict=True)) // ONE + 64
        wide = max((len(signature) for signature in signatures), default=least) + SPARE
        begun, room = releases * (arrivals // least + 1), [3 * n + 4 * wide + 4 for n in rows]
        spare = releases * 3 * arrivals + begun * (4 * wide + 7)
        most, earlier = len(signatures) + begun, len(history)
        self.buckets = Buckets(
            values=np.full((most, wide), -1, dtype=np.int64),
            wide=np.zeros(most, dtype=np.int64),
            groups=np.zeros(most, dtype=np.int64),
            first=np.zeros(most, dtype=np.int64),
            room=np.zeros(most, dtype=np.int64),
            place=np.full((sum(room) + spare, wide), -1, dtype=np.int64),
            mate=np.full(sum(room) + spare, -1, dtype=np.int64),
            used=np.array([len(signatures), sum(room)], dtype=np.int64),
        )
        crowd = len(release.members) + releases * arrivals
        self.people = Everybody(
            value=np.zeros(crowd, dtype=np.int64),
            bucket=np.zeros(crowd, dtype=np.int64),
            column=np.zeros(crowd, dtype=np.int64),
            away=np.zeros(crowd, dtype=np.int64),
            past=np.full((crowd, earlier + 1 + releases), -1, dtype=np.int64),
            used=np.zeros(1, dtype=np.int64),
        )
        begin = 0
        for b, signature in enumerate(signatures):
            self.buckets.values[b, : len(signature)] = [self.number[value] for value in signature]
            self.buckets.wide[b], self.buckets.first[b], self.buckets.room[b] = len(signature), begin, room[b]
            begin += room[b]
        # Lives are drawn person by person: whatever the order of groups and members, it must be one.
        told = [(self._told(group, history), group) for group in release.groups]
        for name, (members, group) in enumerate(sorted(told, key=lambda pair: pair[0])):
            self._seat(members, group, at[group.signature], name, history)

    def _told(self, group: QIGroup, history: History) -> list[_Told]:
        """Members by value and by earlier groups: who has the same of both is as good as the other."""
        known = ((m, history.records.get(m.respondent)) for m in group.members)
        return sorted(
            (self.number[m.value], () if found is None else tuple(found.groups)) for m, found in known
        )

    def _seat(self, members: Sequence[_Told], group: QIGroup, b: int, name: int, history: History) -> None:
        """The members of a group, one row of seats for each time that it holds its values."""
        buckets, people, often = self.buckets, self.people, _often(group)
        first, seated = int(buckets.first[b] + buckets.groups[b]), Counter[int]()
        buckets.groups[b] += often
        columns = {int(v): i for i, v in enumerate(buckets.values[b].tolist()) if v >= 0}
        for value, met in members:
            p, i = int(people.used[0]), columns[value]
            people.used[0] += 1
            people.value[p], people.bucket[p], people.column[p] = value, b, i
            buckets.place[first + seated[value], i] = p
            seated[value] += 1
            people.past[p, len(history)] = 2 * name + (often > 1)
            for release, before in met:
                old = history.group(release, before)
                people.past[p, release] = 2 * before + (_often(old) > 1)


def _often(group: QIGroup) -> int:
    return max(group.histogram.values())
