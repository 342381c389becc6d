"""How histograms of real tuples may be published: with which counterfeits, for whom.

Histograms are judged, not groups, all at once where a requirement can; `Questions` says which requirement is
asked how.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, islice

import numpy as np
from numpy.typing import NDArray

from ...models.problem_view import fake_cap
from ...models.release import QIGroup
from ...models.structure import DependsOn, MemberVerdicts, OverlapRule
from ...models.verdicts import GroupJudge, admitted, group_judges
from ..settings import Clock
from .sets import BeyondReachError, Ints, Sets

__all__ = ["CHUNK", "HistogramWays", "Patience", "Questions", "Ways"]

CHUNK = 1 << 16
"""Histograms that are judged at once."""
MOST_JUDGED = 300_000
"""Groups that are judged one by one."""
MOST_HISTOGRAMS = 1_000_000
"""Histograms with counterfeits that are judged in all."""
BATCH = 10_000
"""What a batch of them takes beside, in histograms."""


class Patience:
    """What was asked so far; its methods raise `BeyondReachError` where that is too much."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._judged = self._histograms = 0

    def work(self, histograms: int) -> None:
        """So many histograms with counterfeits are to be judged."""
        self.spent()
        self._histograms += histograms
        if self._histograms > MOST_HISTOGRAMS:
            raise BeyondReachError("there are too many ways to add counterfeits")

    def count(self) -> None:
        """A group is to be judged by itself."""
        self._judged += 1
        if self._judged > MOST_JUDGED:
            raise BeyondReachError(f"more than {MOST_JUDGED} groups would have to be judged one by one")
        if self._judged % 64 == 0:
            self.spent()

    def spent(self) -> None:
        """Time passes."""
        if self._clock.over:
            raise BeyondReachError("the time limit ended the search through all sets of tuples")


@dataclass(frozen=True, kw_only=True)
class Questions:
    """Which requirement on groups is asked how.

    Attributes
    ----------
    by_values : sequence of GroupJudge
        Those that look at sizes and values.
    by_member : sequence of (name, verdicts)
        Those that judge respondents one by one.
    overlaps : sequence of OverlapRule
        Those on meetings with earlier groups.
    alone : sequence of GroupJudge
        All others: groups are put to them.
    equal : bool
        Whether only equal counts are admissible.
    smallest : int
        No group has fewer tuples.
    """

    by_values: Sequence[GroupJudge]
    by_member: Sequence[tuple[str, MemberVerdicts]]
    overlaps: Sequence[OverlapRule]
    alone: Sequence[GroupJudge]
    equal: bool
    smallest: int

    @classmethod
    def of(cls, sets: Sets) -> Questions:
        """Sort the requirements of a problem."""
        problem, values = sets.problem, sets.values
        probe, who = np.ones((1, len(values)), dtype=np.int64), problem.table.members[0].respondent
        by_values, alone = list[GroupJudge](), list[GroupJudge]()
        overlaps, by_member = list[OverlapRule](), list[tuple[str, MemberVerdicts]]()
        groupwise = group_judges(problem)
        for r in groupwise:
            structure = r.structure(problem)
            ask = structure.by_member
            if structure.depends_on < DependsOn.MEMBERS:
                by_values.append(r)
            elif structure.overlap is not None:
                overlaps.append(structure.overlap)
            elif ask is not None and ask(who, probe, values, problem.history) is not None:
                by_member.append((r.name, ask))
            else:
                alone.append(r)
        return cls(
            by_values=by_values,
            by_member=by_member,
            overlaps=overlaps,
            alone=alone,
            equal=any(r.structure(problem).signature is not None for r in groupwise),
            smallest=max((r.bounds(problem).smallest for r in groupwise), default=1),
        )


@dataclass(frozen=True, kw_only=True)
class Ways:
    """Ways to publish histograms of real tuples: one row per way, sorted by histogram.

    Attributes
    ----------
    histogram : int64 array
        Of the real tuples.
    allowed : int64 array
        The set of all who may be in such a group.
    same : int64 array
        Number of the earlier histogram that is published again, or -1.
    fakes : int64 array, shape (ways, values)
        Counterfeits.
    """

    histogram: Ints
    allowed: Ints
    same: Ints
    fakes: Ints


class HistogramWays:
    """Ways to publish histograms of real tuples.

    Parameters
    ----------
    sets : Sets
    asked : Questions
    effort : Patience
    old : int64 array, shape (histograms, values)
        Histograms of earlier groups.
    """

    def __init__(self, sets: Sets, asked: Questions, effort: Patience, old: Ints) -> None:
        self._problem, self._sets, self._asked, self._effort, self._old = (
            sets.problem,
            sets,
            asked,
            effort,
            old,
        )
        self._cap = fake_cap(sets.problem)
        # Respondents who were in the same groups are judged alike.
        kinds: dict[tuple[tuple[int, int], ...], list[int]] = {}
        for t, member in enumerate(sets.problem.table.members):
            record = sets.problem.history.records.get(member.respondent)
            kinds.setdefault(() if record is None else record.groups, []).append(t)
        people = sets.problem.table.members
        self._kinds = [(people[rows[0]].respondent, sum(1 << t for t in rows)) for rows in kinds.values()]

    def entries(self, part: Ints, fakes: int) -> Iterator[Ways]:
        """Admissible ways to publish some histograms with so many counterfeits, a batch at a time."""
        counts = self._sets.counts(part)
        found: list[tuple[Ints, Ints, Ints, Ints]] = []
        waiting = 0
        for places, extra in self._ways(counts, fakes):
            self._effort.work(BATCH + len(places) if fakes else 0)
            published = counts[places] + extra
            good = self._fit(published, counts[places])
            places, extra, published = places[good], extra[good], published[good]
            allowed = self._members(published)
            good = allowed > 0
            if good.any():
                ways = part[places[good]], allowed[good], self._again(published[good]), extra[good]
                found.append(ways)
                waiting += len(ways[0])
            if waiting > CHUNK:
                yield self._merged(found)
                found, waiting = [], 0
        if found:
            yield self._merged(found)

    def _ways(self, counts: Ints, fakes: int) -> Iterator[tuple[Ints, Ints]]:
        """Places of histograms with the counterfeits that are added to them, so many in all."""
        if not fakes:
            yield np.arange(len(counts)), np.zeros_like(counts)
        elif self._asked.equal:
            yield from self._evened(counts, fakes)
        else:
            every = combinations_with_replacement(range(counts.shape[1]), fakes)
            at_once = max(1, CHUNK // len(counts))
            while chosen := list(islice(every, at_once)):
                extra = np.array([np.bincount(c, minlength=counts.shape[1]) for c in chosen], dtype=np.int64)
                extra = extra[extra.max(axis=1) <= self._cap]
                yield np.tile(np.arange(len(counts)), len(extra)), np.repeat(extra, len(counts), axis=0)

    def _evened(self, counts: Ints, fakes: int) -> Iterator[tuple[Ints, Ints]]:
        """The same, where only equal counts are admissible: by the set of published values."""
        kinds = counts.shape[1]
        sizes, most = counts.sum(axis=1), counts.max(axis=1)
        there = (counts > 0) @ (1 << np.arange(kinds, dtype=np.int64))
        for signature in range(1, 1 << kinds):
            self._effort.work(BATCH // 40 + len(counts) // 64)
            number = signature.bit_count()
            times, rest = np.divmod(sizes + fakes, number)
            good = (there & ~signature == 0) & (rest == 0) & (times >= most)
            places = np.flatnonzero(good)
            if len(places):
                wanted = np.array([signature >> v & 1 for v in range(kinds)], dtype=np.int64)
                extra = wanted * times[places, None] - counts[places]
                low = extra.max(axis=1) <= self._cap
                yield places[low], extra[low]

    def _fit(self, published: Ints, counts: Ints) -> NDArray[np.bool_]:
        """Which histograms keep what looks at sizes and values only."""
        sets = self._sets

        def group(at: int) -> QIGroup:
            self._effort.count()
            return self.group(sets.some(counts[at]), (published[at] - counts[at]).tolist())

        return admitted(self._asked.by_values, published, sets.values, sets.context, group)

    def _members(self, published: Ints) -> Ints:
        """Everybody who may be in groups with these histograms."""
        allowed = np.full(len(published), self._sets.whole, dtype=np.int64)
        for name, ask in self._asked.by_member:
            for who, rows in self._kinds:
                self._effort.spent()
                verdicts = ask(who, published, self._sets.values, self._problem.history)
                if verdicts is None:
                    raise BeyondReachError(f"{name}: counts are too large for exact integers")
                allowed[~verdicts] &= ~rows
        return allowed

    def _again(self, published: Ints) -> Ints:
        same = np.full(len(published), -1, dtype=np.int64)
        for number, counts in enumerate(self._old):
            same[(published == counts).all(axis=1)] = number
        return same

    def _merged(self, found: Sequence[tuple[Ints, Ints, Ints, Ints]]) -> Ways:
        """Sorted by histogram; of ways that differ in nothing that is asked, one."""
        histogram, allowed, same, fakes = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.lexsort([same, allowed, histogram])
        if not self._asked.alone:
            keys = np.stack([histogram[order], allowed[order], same[order]])
            fresh = np.ones(len(order), dtype=np.bool_)
            fresh[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
            order = order[fresh]
        return Ways(histogram=histogram[order], allowed=allowed[order], same=same[order], fakes=fakes[order])

    def group(self, rows: Sequence[int], fakes: Sequence[int]) -> QIGroup:
        """A group that publishes these rows with these counterfeits."""
        generalized = self._problem.policy.form == "generalized"
        return QIGroup(
            members=tuple(self._problem.table.members[t] for t in rows),
            counterfeits=tuple((v, n) for v, n in zip(self._sets.values, fakes, strict=True) if n),
            box=self._problem.box(rows) if generalized else None,
        )
