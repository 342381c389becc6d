"""Cor-Split (Riboni and Bettini, Figs. 4 to 6): m-invariance's buckets, cut into hc-safe groups.

Phases 1 to 3 (Fig. 4, lines 1 to 8) are those of `buckets`. Phase 4, Cor-Partition (Fig. 4, lines 9 to 11;
Fig. 5), takes groups off a bucket one after the other; line numbers below are those of Figs. 5
and 6, sec. 4.2 explains them. n is given: their n-Choose (Fig. 3) is `models.n_choose`.

    1, 2       empty c, lists and discards; one sorted list per attribute    `_Partition.__init__`
    3 to 19    until the bucket is empty                                      `_Partition.run`
    5 to 14    one candidate per list                                         `_Partition._candidate`
    7          createQIG                                                      `_Partition._create`
    8, 10, 13  hcSafe (Fig. 6)                                                `HcSafe.holds`
    9 to 12    a group without discards, merged with earlier ones             `_Partition._candidate`
    13         setCounterfeits                                                `_Partition._faked`
    15         the least semiperimeter                                        `_Partition.run`
    16 to 18   publish, drop what was merged, take tuples off the lists       `_Partition.run`

Corrections to the printed lines
    Line 11 writes ``c'_i := c' - 1``: the counter c' itself is meant, and the newest earlier group
    is merged first. Fig. 6 line 1 counts releases from 0: they are numbered from 1. l is 0 if
    nobody in the group was in the release; that is safe for every n.
Readings
    createQIG (line 7) takes the first tuple of each value that is not discarded. After a group
    that is not hc-safe one of its real tuples, chosen at random, is discarded for the time being.
    Counterfeits of phase 2 come last in each list; they cannot be discarded, since nobody is behind
    them. Semiperimeters (line 15) are widths of published cells.

    setCounterfeits (line 13) replaces one random real tuple after the other by a counterfeit of
    the same value. The tuples replaced stay in the bucket. It is unbalanced from then on: where
    line 9 finds no tuple of a value, a counterfeit fills the group up. Counterfeits of phase 2 that
    are left when all real tuples have gone are not published.

    The text has it that counterfeits are only inserted where nothing else gives a hc-safe group,
    while line 15 as printed would prefer them (they shrink a box). So line 15 looks at
    semiperimeters among the groups with the fewest counterfeits inserted on the spot.

    A merged group contains all groups merged into it (line 16, removeDuplicates).
If n = m, one real tuple among counterfeits may still be unsafe; then nothing is published.

Heads of one sorted list make groups that are narrow in one attribute and random in the others, with twice
the query error of m-invariance: see `cor_split_halving` for narrow groups that are hc-safe.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from ...models.errors import EngineError
from ...models.problem import Problem
from ...models.release import Release
from ..settings import Clock
from .buckets import Bucket, balanced_buckets
from .hc_safe import GroupInMaking, HcSafe, numbers_asked
from .parameters import Perimeter

__all__ = ["cor_split"]


def cor_split(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Publish every tuple under its old signature in groups that are hc-safe by Fig. 6.

    The policy's `WeakMInvariance` gives m, its `HcSafety` gives n (either reading: Fig. 6 accepts nothing
    that the definition rejects). The seed decides which new tuples balance a bucket, the order of equal ones,
    and discards.

    Raises
    ------
    EngineError
        If n > m, if a multiplicity is asked for (merged groups have others), if no group around
        a tuple is safe (n = m only), and as `balanced_buckets`.

    Notes
    -----
    O(d n log n) if few tuples are discarded, at worst O(d n**2 / m).
    """
    (m, n), random = numbers_asked(problem, "cor_split"), Random(seed)
    safety, watch = HcSafe(problem, n), clock or Clock()
    groups: list[list[int]] = []
    fakes: list[dict[str, int]] = []
    for bucket in balanced_buckets(problem, m, random, "cor_split"):
        for group in _Partition(problem, bucket, safety, random, watch).run():
            groups.append(sorted(group.rows))
            fakes.append(dict(group.fakes))
    return problem.assemble(groups, fakes)


@dataclass(frozen=True)
class _Candidate:
    """What one list offers (line 14).

    Attributes
    ----------
    fresh : GroupInMaking
        Tuples taken off the bucket.
    group : GroupInMaking
        What will be published: `fresh` and the earlier groups merged into it.
    merged : tuple of int
        Numbers of these earlier groups.
    spare : tuple of str
        Values whose counterfeit comes from phase 2.
    inserted : int
        Counterfeits of lines 9 and 13.
    """

    fresh: GroupInMaking
    group: GroupInMaking
    merged: tuple[int, ...] = ()
    spare: tuple[str, ...] = ()
    inserted: int = 0


class _Partition:
    """Cor-Partition (Fig. 5) of one bucket."""

    def __init__(
        self, problem: Problem, bucket: Bucket, safety: HcSafe, random: Random, clock: Clock
    ) -> None:
        self.codes = problem.table.codes
        self.perimeter = Perimeter(problem.table.domains)
        self.signature = bucket.signature
        self.safety, self.random, self.clock = safety, random, clock
        self.spare = dict(bucket.fakes)  # counterfeits of phase 2 that are in no group yet
        self.value_of = {row: value for value in self.signature for row in bucket.rows[value]}
        self.here = set(self.value_of)  # B without its counterfeits
        self.lists: list[dict[str, list[int]]] = [{} for _ in problem.table.domains]
        for value in self.signature:  # line 2; equal codes stay in random order
            shuffled = sorted(bucket.rows[value])
            random.shuffle(shuffled)
            rows = np.array(shuffled, dtype=np.int64)
            for a, lists in enumerate(self.lists):
                lists[value] = rows[np.argsort(self.codes[rows, a], kind="stable")].tolist()
        self.starts = [dict.fromkeys(self.signature, 0) for _ in self.lists]
        self.made: dict[int, GroupInMaking] = {}

    def run(self) -> Iterable[GroupInMaking]:
        """Take groups off the bucket until no tuple is left (lines 3 to 19)."""
        number = 0
        while self.here:
            self.clock.ask()
            found = [self._candidate(a) for a in range(len(self.lists))]
            best = min(found, key=lambda one: (one.inserted, self._semiperimeter(one.group)))  # line 15
            for earlier in best.merged:  # line 16, removeDuplicates
                del self.made[earlier]
            self.made[number] = best.group
            self.here -= best.fresh.rows  # lines 17 and 18
            for value in best.spare:
                self.spare[value] -= 1
            number += 1
        return self.made.values()

    def _candidate(self, a: int) -> _Candidate:
        """Lines 6 to 13 for one list."""
        discarded: set[int] = set()
        while (found := self._create(a, discarded)) is not None:
            self.clock.ask()
            if self.safety.holds(found.group):
                return found
            discarded.add(self.random.choice(sorted(found.group.rows)))
        start = self._create(a, set(), fill=True)  # line 9
        assert start is not None, "tuples are left and values can be filled in"
        group, merged = start.group, list[int]()
        for number in reversed(self.made):  # lines 10 to 12
            if self.safety.holds(group):
                break
            group |= self.made[number]
            merged.append(number)
        if self.safety.holds(group):
            return replace(start, group=group, merged=tuple(merged))
        return self._faked(start)

    def _create(self, a: int, discarded: set[int], *, fill: bool = False) -> _Candidate | None:
        """CreateQIG: the first tuple of each value; None if a value has none and must not be filled in."""
        rows: list[int] = []
        fakes: list[str] = []
        spare: list[str] = []
        for value in self.signature:
            row = self._first(a, value, discarded)
            if row is not None:
                rows.append(row)
                continue
            if self.spare[value]:
                spare.append(value)
            elif not fill:
                return None
            fakes.append(value)
        if not rows:
            return None
        group = GroupInMaking(frozenset(rows), Counter(fakes))
        return _Candidate(group, group, spare=tuple(spare), inserted=len(fakes) - len(spare))

    def _first(self, a: int, value: str, discarded: set[int]) -> int | None:
        rows, starts = self.lists[a][value], self.starts[a]
        while starts[value] < len(rows) and rows[starts[value]] not in self.here:
            starts[value] += 1
        for at in range(starts[value], len(rows)):
            if rows[at] in self.here and rows[at] not in discarded:
                return rows[at]
        return None

    def _faked(self, start: _Candidate) -> _Candidate:
        """SetCounterfeits (line 13)."""
        order = sorted(start.group.rows)
        self.random.shuffle(order)
        for kept in range(len(order) - 1, 0, -1):
            replaced = Counter(self.value_of[row] for row in order[kept:])
            group = GroupInMaking(frozenset(order[:kept]), start.group.fakes + replaced)
            if self.safety.holds(group):
                return replace(start, fresh=group, group=group, inserted=start.inserted + len(order) - kept)
        raise EngineError(
            f"cor_split finds no safe group around row {order[0] + 1}, not even with counterfeits for all "
            "others: lower n"
        )

    def _semiperimeter(self, group: GroupInMaking) -> int:
        codes = self.codes[list(group.rows)]
        return self.perimeter.of(codes.min(axis=0).tolist(), codes.max(axis=0).tolist())
