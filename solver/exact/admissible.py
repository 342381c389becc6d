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

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import borrowing
from ...models.problem_view import fake_cap
from ...models.structure import Overlap
from ..settings import Clock
from .sets import Ints, Sets, members, size_of
from .ways import CHUNK, HistogramWays, Patience, Questions, Ways

__all__ = ["Admissible"]

NONE = -1


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
        self.problem, self.sets = problem, sets
        self.fewest = np.full(1 << sets.count, NONE, dtype=np.int16)
        self.known = -1
        self.complete = False
        self._fakes: list[tuple[int, ...]] = []
        self._choice = np.full(1 << sets.count, NONE, dtype=np.int32)
        self._open = np.ones(sets.histograms, dtype=np.bool_)
        self._open[0] = False
        limit = problem.policy.counterfeit_limit
        self._most = fake_cap(problem) * len(sets.values) if limit is None else limit
        self._asked, self._effort = Questions.of(sets), Patience(clock)
        old = self._meet()
        self._ways = HistogramWays(sets, self._asked, self._effort, old)

    def _meet(self) -> Ints:
        """Find the earlier groups with somebody of the table; their histograms."""
        met: list[tuple[int, int, int]] = []
        old: dict[tuple[int, ...], int] = {}
        self._forms: list[tuple[int, int]] = []
        if self._asked.overlaps:
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
        return np.array(list(old), dtype=np.int64).reshape(len(old), len(self.sets.values))

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
            for entry in self._ways.entries(part, fakes):
                self._assign(entry, fakes, allow)
        self.known = fakes
        self._open[:] = False
        self._open[self.sets.histogram_of[self.fewest == NONE]] = True
        self._open[0] = False
        self.complete = fakes >= self._most or not self._open.any()

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
                        good = all(rule.permits(overlap) for rule in self._asked.overlaps)
                        found[number, real, shared, alike] = good
        return found

    # -- sets --------------------------------------------------------------------------------

    def _assign(self, entry: Ways, fakes: int, allow: NDArray[np.bool_]) -> None:
        """Take the first admissible way of each set that has none yet."""
        ends = np.zeros((2, self.sets.histograms), dtype=np.int32)
        found, first = np.unique(entry.histogram, return_index=True)
        ends[0, found] = first
        ends[1, found] = np.append(first[1:], len(entry.histogram))
        chosen = np.full(len(self.fewest), NONE, dtype=np.int32)
        begin = ends[0, self.sets.histogram_of] if self._asked.alone else np.zeros(0, dtype=np.int32)
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
            if not self._asked.alone:
                break
            # What only the set itself can tell; a set that fails tries its next way.
            good = np.array([self._passes(int(s), entry.fakes[chosen[s]]) for s in new], dtype=np.bool_)
            begin[new[~good]] = chosen[new[~good]] + 1
            self._take(new[good], chosen, entry, fakes)
            if good.all():
                return
            chosen[:] = NONE
        self._take(new, chosen, entry, fakes)

    def _passes(self, number: int, fakes: Ints) -> bool:
        rows = members(number)
        if len(rows) + int(fakes.sum()) < self._asked.smallest:
            return False
        self._effort.count()
        group = self._ways.group(rows, fakes.tolist())
        return all(r.admits(group, self.sets.context) for r in self._asked.alone)

    def _take(self, new: Ints, chosen: NDArray[np.int32], entry: Ways, fakes: int) -> None:
        known = {counts: number for number, counts in enumerate(self._fakes)}
        used, inverse = np.unique(chosen[new], return_inverse=True)
        numbers = np.empty(len(used), dtype=np.int32)
        for at, way in enumerate(used.tolist()):
            counts = tuple(entry.fakes[way].tolist())
            numbers[at] = known.setdefault(counts, len(known))
        self._fakes = list(known)
        self._choice[new] = numbers[inverse]
        self.fewest[new] = fakes


@borrowing
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
                shared = size_of(number & met[q, 0])
                alike = 1 if same[way] == met[q, 1] else 0
                if shared and not allow[met[q, 2], sizes[number], shared, alike]:
                    good = False
                    break
            if good:
                chosen[number] = way
                break
