"""Which sets of tuples may be groups, and the fewest counterfeits with which they may.

If all requirements judge groups singly, of the groups with the same members only one with the fewest
counterfeits is needed: exchanging one for it keeps the release admissible, and no loss rises that says
what it loses by sizes (`Loss.by_size`) or boxes (`Loss.box_weights`).

A verdict on a group rests on its published histogram and on who is in it. So histograms are judged, not
groups, all at once where the requirement can: for each histogram of real tuples and each way to add so
many counterfeits,

* requirements that look at sizes and values say yes or no (`admits_counts`),
* requirements that judge respondents one by one say who may be there (`Structure.by_member`),
* requirements on meetings with earlier groups say how many of whom may (`allows`),

and a set is a group if it is among those who may, and meets no earlier group as it must not. What a
requirement of any other kind says is asked of each set that is left (`admits`).
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, islice

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import compiled
from ...models.problem_view import fake_cap
from ...models.release import QIGroup
from ...models.requirement import GroupRequirement
from ...models.structure import DependsOn, MemberVerdicts, Overlap, OverlapRule
from ..settings import Clock
from .sets import Ints, Sets, members

__all__ = ["Admissible", "BeyondReachError"]

CHUNK = 1 << 16
"""Histograms that are judged at once."""
MOST_JUDGED = 300_000
"""Groups that are judged one by one."""
MOST_HISTOGRAMS = 1_000_000
"""Histograms with counterfeits that are judged in all."""
BATCH = 10_000
"""What a batch of them takes beside, in histograms."""
NONE = -1


class BeyondReachError(Exception):
    """The exact program cannot be carried out: too much work, or no time left. Says which."""


@dataclass(frozen=True, kw_only=True)
class _Ways:
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


class Admissible:
    """The fewest counterfeits of every set, as far as they were looked for (`deepen`).

    Parameters
    ----------
    sets : Sets
    clock : Clock

    Attributes
    ----------
    fewest : int16 array
        Per set the fewest counterfeits with which it is a group; -1 if `known` or fewer do not do.
    known : int
        Groups with up to so many counterfeits were judged.
    complete : bool
        Whether no further counterfeits can make another set a group.
    """

    def __init__(self, sets: Sets, clock: Clock) -> None:
        problem = sets.problem
        self.problem, self.sets, self.clock = problem, sets, clock
        self.fewest = np.full(1 << sets.count, NONE, dtype=np.int16)
        self.known = -1
        self.complete = False
        self._fakes: list[tuple[int, ...]] = []
        self._choice = np.full(1 << sets.count, NONE, dtype=np.int32)
        self._judged = self._histograms = 0
        self._open = np.ones(sets.histograms, dtype=np.bool_)
        self._open[0] = False
        limit = problem.policy.counterfeit_limit
        self._cap = fake_cap(problem)
        self._most = self._cap * len(sets.values) if limit is None else limit
        self._sort_out()
        self._meet()

    def _sort_out(self) -> None:
        """Which requirement is asked how."""
        values, context = self.sets.values, self.problem.context
        probe = np.ones((1, len(values)), dtype=np.int64)
        groupwise = [r for r in self.problem.policy.requirements if isinstance(r, GroupRequirement)]
        self._by_values, self._alone = list[GroupRequirement](), list[GroupRequirement]()
        self._overlaps, self._by_member = list[OverlapRule](), list[tuple[str, MemberVerdicts]]()
        self._equal = False
        who = self.problem.table.members[0].respondent
        for r in groupwise:
            structure = r.structure(self.problem)
            ask = structure.by_member
            self._equal = self._equal or structure.signature is not None
            if structure.depends_on < DependsOn.MEMBERS:
                self._by_values.append(r)
            elif structure.overlap is not None:
                self._overlaps.append(structure.overlap)
            elif ask is not None and ask(who, probe, values, context.history) is not None:
                self._by_member.append((r.name, ask))
            else:
                self._alone.append(r)
        self._smallest = max((r.bounds(self.problem).smallest for r in groupwise), default=1)
        # Respondents who were in the same groups are judged alike.
        kinds: dict[tuple[tuple[int, int], ...], list[int]] = {}
        for t, member in enumerate(self.problem.table.members):
            record = context.history.records.get(member.respondent)
            kinds.setdefault(() if record is None else record.groups, []).append(t)
        self._kinds = [
            (self.problem.table.members[rows[0]].respondent, sum(1 << t for t in rows))
            for rows in kinds.values()
        ]

    def _meet(self) -> None:
        """Earlier groups with somebody of the table."""
        met: list[tuple[int, int, int]] = []
        old: dict[tuple[int, ...], int] = {}
        self._forms: list[tuple[int, int]] = []
        if self._overlaps:
            row = self.problem.table.row
            for release in self.problem.history:
                for group in release.groups:
                    mask = sum(1 << row[who] for who in group.respondents if who in row)
                    if mask:
                        counts = tuple(group.histogram.get(v, 0) for v in self.sets.values)
                        form = (group.size, len(group.members))
                        if form not in self._forms:
                            self._forms.append(form)
                        met.append((mask, old.setdefault(counts, len(old)), self._forms.index(form)))
        self._met = np.array(sorted(set(met)), dtype=np.int64).reshape(-1, 3)
        self._old = np.array(list(old), dtype=np.int64).reshape(len(old), len(self.sets.values))

    # -- what is known -------------------------------------------------------------------

    def fakes(self, number: int, count: int) -> dict[str, int]:
        """Counterfeits of a set that is a group; if it is none, so many of any value."""
        if self.fewest[number] < 0:
            return {self.sets.values[0]: count}
        found = self._fakes[self._choice[number]]
        return {value: count for value, count in zip(self.sets.values, found, strict=True) if count}

    def deepen(self) -> None:
        """Look for groups with one counterfeit more.

        Raises
        ------
        BeyondReachError
            If that is too much, or time is over.
        """
        fakes = self.known + 1
        allow = self._allow(fakes)
        waiting = np.flatnonzero(self._open)
        for begin in range(0, len(waiting), CHUNK):
            part = waiting[begin : begin + CHUNK]
            for entry in self._entries(part, fakes):
                self._assign(entry, fakes, allow)
        self.known = fakes
        self._open[:] = False
        self._open[self.sets.histogram_of[self.fewest == NONE]] = True
        self._open[0] = False
        self.complete = fakes >= self._most or not self._open.any()

    def _work(self, histograms: int) -> None:
        self._spent()
        self._histograms += histograms
        if self._histograms > MOST_HISTOGRAMS:
            raise BeyondReachError("there are too many ways to add counterfeits")

    def _spent(self) -> None:
        if self.clock.over:
            raise BeyondReachError("the time limit ended the search through all sets of tuples")

    # -- ways to publish -----------------------------------------------------------------

    def _entries(self, part: Ints, fakes: int) -> Iterator[_Ways]:
        """Admissible ways to publish some histograms with so many counterfeits, a batch at a time."""
        counts = self.sets.counts(part)
        found: list[tuple[Ints, Ints, Ints, Ints]] = []
        waiting = 0
        for places, extra in self._ways(counts, fakes):
            self._work(BATCH + len(places) if fakes else 0)
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
        elif self._equal:
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
            self._work(BATCH // 40 + len(counts) // 64)
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
        good = np.ones(len(published), dtype=np.bool_)
        for r in self._by_values:
            left = np.flatnonzero(good)
            if not len(left):
                break
            verdicts = r.admits_counts(published[left], self.sets.values, self.problem.context)
            if verdicts is None:
                verdicts = np.array([self._one(r, published[at], counts[at]) for at in left], dtype=np.bool_)
            good[left] = verdicts
        return good

    def _one(self, requirement: GroupRequirement, published: Ints, counts: Ints) -> bool:
        """The verdict on one histogram, by some group that has it."""
        self._count()
        group = self._group(self.sets.some(counts), (published - counts).tolist())
        return requirement.admits(group, self.problem.context)

    def _count(self) -> None:
        self._judged += 1
        if self._judged > MOST_JUDGED:
            raise BeyondReachError(f"more than {MOST_JUDGED} groups would have to be judged one by one")
        if self._judged % 64 == 0:
            self._spent()

    def _group(self, rows: Sequence[int], fakes: Sequence[int]) -> QIGroup:
        generalized = self.problem.policy.form == "generalized"
        return QIGroup(
            members=tuple(self.problem.table.members[t] for t in rows),
            counterfeits=tuple((v, n) for v, n in zip(self.sets.values, fakes, strict=True) if n),
            box=self.problem.box(rows) if generalized else None,
        )

    def _members(self, published: Ints) -> Ints:
        """Everybody who may be in groups with these histograms."""
        allowed = np.full(len(published), self.sets.whole, dtype=np.int64)
        for name, ask in self._by_member:
            for who, rows in self._kinds:
                self._spent()
                verdicts = ask(who, published, self.sets.values, self.problem.history)
                if verdicts is None:
                    raise BeyondReachError(f"{name}: counts are too large for exact integers")
                allowed[~verdicts] &= ~rows
        return allowed

    def _again(self, published: Ints) -> Ints:
        same = np.full(len(published), -1, dtype=np.int64)
        for number, counts in enumerate(self._old):
            same[(published == counts).all(axis=1)] = number
        return same

    def _merged(self, found: Sequence[tuple[Ints, Ints, Ints, Ints]]) -> _Ways:
        """Sorted by histogram; of ways that differ in nothing that is asked, one."""
        histogram, allowed, same, fakes = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.lexsort([same, allowed, histogram])
        if not self._alone:
            keys = np.stack([histogram[order], allowed[order], same[order]])
            fresh = np.ones(len(order), dtype=np.bool_)
            fresh[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
            order = order[fresh]
        return _Ways(histogram=histogram[order], allowed=allowed[order], same=same[order], fakes=fakes[order])

    # -- meetings with earlier groups -------------------------------------------------------

    def _allow(self, fakes: int) -> NDArray[np.bool_]:
        """Whether a group may have so many members, so many of them from an earlier group of a form.

        Shape (forms, members, shared, alike or not).
        """
        n = self.sets.count
        found = np.ones((len(self._forms), n + 1, n + 1, 2), dtype=np.bool_)
        for number, (size, old) in enumerate(self._forms):
            for real in range(1, n + 1):
                for shared in range(1, min(real, old) + 1):
                    for alike in (0, 1):
                        overlap = Overlap(
                            size=real + fakes,
                            members=real,
                            shared=shared,
                            old_size=size,
                            old_members=old,
                            alike=bool(alike),
                        )
                        good = all(rule.permits(overlap) for rule in self._overlaps)
                        found[number, real, shared, alike] = good
        return found

    # -- sets --------------------------------------------------------------------------------

    def _assign(self, entry: _Ways, fakes: int, allow: NDArray[np.bool_]) -> None:
        """Take the first admissible way of each set that has none yet."""
        ends = np.zeros((2, self.sets.histograms), dtype=np.int32)
        found, first = np.unique(entry.histogram, return_index=True)
        ends[0, found] = first
        ends[1, found] = np.append(first[1:], len(entry.histogram))
        chosen = np.full(len(self.fewest), NONE, dtype=np.int32)
        begin = ends[0, self.sets.histogram_of] if self._alone else np.zeros(0, dtype=np.int32)
        while True:
            _choose(
                self.sets.histogram_of,
                self.sets.sizes,
                self.fewest,
                ends,
                entry.allowed,
                entry.same,
                self._met,
                allow,
                begin,
                chosen,
            )
            new = np.flatnonzero(chosen != NONE)
            if not self._alone:
                break
            # What only the set itself can tell; a set that fails tries its next way.
            good = np.array([self._asked(int(s), entry.fakes[chosen[s]]) for s in new], dtype=np.bool_)
            begin[new[~good]] = chosen[new[~good]] + 1
            self._take(new[good], chosen, entry, fakes)
            if good.all():
                return
            chosen[:] = NONE
        self._take(new, chosen, entry, fakes)

    def _asked(self, number: int, fakes: Ints) -> bool:
        rows = members(number)
        if len(rows) + int(fakes.sum()) < self._smallest:
            return False
        self._count()
        group = self._group(rows, fakes.tolist())
        return all(r.admits(group, self.problem.context) for r in self._alone)

    def _take(self, new: Ints, chosen: NDArray[np.int32], entry: _Ways, fakes: int) -> None:
        known = {counts: number for number, counts in enumerate(self._fakes)}
        used, inverse = np.unique(chosen[new], return_inverse=True)
        numbers = np.empty(len(used), dtype=np.int32)
        for at, way in enumerate(used.tolist()):
            counts = tuple(entry.fakes[way].tolist())
            numbers[at] = known.setdefault(counts, len(known))
        self._fakes = list(known)
        self._choice[new] = numbers[inverse]
        self.fewest[new] = fakes


@compiled
def _choose(
    histogram_of: NDArray[np.int32],
    sizes: NDArray[np.int8],
    fewest: NDArray[np.int16],
    ends: NDArray[np.int32],
    allowed: Ints,
    same: Ints,
    met: Ints,
    allow: NDArray[np.bool_],
    begin: NDArray[np.int32],
    chosen: NDArray[np.int32],
) -> None:
    """The first way of each set without one that all its members may take part in; -1 if there is none."""
    for number in range(1, len(fewest)):
        if fewest[number] != NONE:
            continue
        histogram = histogram_of[number]
        start = ends[0, histogram]
        if len(begin):
            start = max(start, begin[number])
        for way in range(start, ends[1, histogram]):
            if number & ~allowed[way]:
                continue
            good = True
            for q in range(len(met)):
                shared, both = 0, number & met[q, 0]
                while both:
                    both &= both - 1
                    shared += 1
                alike = 1 if same[way] == met[q, 1] else 0
                if shared and not allow[met[q, 2], sizes[number], shared, alike]:
                    good = False
                    break
            if good:
                chosen[number] = way
                break
