"""Who, if compromised, gives away most others: single respondents and pairs, counted exactly.

A compromised respondent tells only about the block she is in (see `worlds`), so each block is
looked at alone. Whether one kind gives another away is a question about one world; most answers
are read off worlds found for other questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import chain, combinations

import numpy as np

from ...settings import Clock
from ...worlds.blocks import Block
from ...worlds.possible import Verdict
from ...worlds.smallest_sets import Names

__all__ = ["Giveaway", "Giveaways", "giveaways"]


@dataclass(frozen=True, kw_only=True)
class Giveaway:
    """Respondents who give others away.

    Attributes
    ----------
    compromised : tuple of str
        One or two respondents (steward's own eyes only).
    others : frozenset of str
        Whose value becomes certain although it was not, besides theirs.
    """

    compromised: tuple[str, ...] = field(repr=False)
    others: frozenset[str] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Giveaways:
    """What compromising one or two respondents discloses.

    Attributes
    ----------
    singles : tuple of Giveaway
        Best first, of interchangeable respondents only one; those who give nobody away are left out.
    pairs : tuple of Giveaway
        The best pairs, best first, of those in which both add something: in one block, whoever tells of
        somebody beside anybody; of two blocks, two who each tell of somebody. Empty if not asked for.
    harmful : int
        Respondents who give somebody away.
    undecided : int
        Questions (kinds compromised, kind of target) not decided in time, asked or not: counts may be too
        small.
    """

    singles: tuple[Giveaway, ...] = field(repr=False)
    pairs: tuple[Giveaway, ...] = field(repr=False)
    harmful: int
    undecided: int


def giveaways(
    blocks: list[Block], names: Names, clock: Clock, *, pairs: bool = False, keep: int = 10
) -> Giveaways:
    """Rank single respondents, and pairs if asked for.

    Parameters
    ----------
    blocks, names
        See `worlds.blocks`.
    clock : Clock
        When over, nothing more is asked: what is left counts as undecided.
    pairs : bool
        Whether to look at pairs, too.
    keep : int
        At most so many pairs.
    """
    found: list[tuple[int, Giveaway]] = []
    best: list[Giveaway] = []
    harmful = undecided = 0
    for number, block in enumerate(blocks):
        tells = _Tells(block, names, clock)
        for kind in block.kinds:
            told = tells.told((kind,))
            harmful += int(block.truth[kind]) * bool(told)
            if told:
                found.append((number, told))
        if pairs:
            best = nsmallest(keep, chain(best, tells.pairs()), key=_rank)
        undecided += tells.undecided
    found.sort(key=lambda entry: _rank(entry[1]))
    if pairs:
        best = nsmallest(keep, chain(best, _across(found, keep)), key=_rank)
    return Giveaways(
        singles=tuple(told for _, told in found),
        pairs=tuple(best),
        harmful=harmful,
        undecided=undecided,
    )


def _rank(told: Giveaway) -> tuple[object, ...]:
    return -len(told.others), told.compromised


def _across(singles: list[tuple[int, Giveaway]], keep: int) -> Iterator[Giveaway]:
    """Pairs of different blocks: each gives away its own. The best are among the first of each block."""
    leading: list[tuple[int, Giveaway]] = []
    per_block: dict[int, int] = {}
    for number, told in singles:
        per_block[number] = per_block.get(number, 0) + 1
        if per_block[number] <= keep:
            leading.append((number, told))
        if len(per_block) > keep + 1:
            break
    for (home, one), (other_home, other) in combinations(leading, 2):
        if home != other_home:
            yield Giveaway(
                compromised=(*one.compromised, *other.compromised), others=one.others | other.others
            )


class _Tells:
    """Which kinds of a block become certain if one or two respondents are compromised."""

    def __init__(self, block: Block, names: Names, clock: Clock) -> None:
        self.block, self.clock = block, clock
        self.names = [names[pair] for pair in block.pairs.tolist()]
        self.undecided = 0
        free: list[int] = []
        for number, kind in enumerate(block.kinds):
            if clock.over:
                self.undecided += (len(block.kinds) - number) * len(block.kinds)
                break
            if self._free(kind):
                free.append(kind)
        self.targets = free
        self.certain: dict[int, frozenset[int]] = dict.fromkeys(block.kinds, frozenset())
        for number, kind in enumerate(block.kinds):
            if clock.over:
                self.undecided += (len(block.kinds) - number) * len(free)
                break
            self.certain[kind] = frozenset(target for target in free if self._asked(target, (kind,)))

    def _free(self, kind: int) -> bool:
        return self.block.shown(kind, {}) or self.block.ask(kind, {}, self.clock)[0] is not Verdict.EXCLUDED

    def _asked(self, target: int, kinds: tuple[int, ...]) -> bool:
        held = {kind: kinds.count(kind) for kind in kinds}
        left = int(self.block.truth[target]) - held.get(target, 0)
        if left <= 0 or self.block.shown(target, held):
            return False
        verdict, _ = self.block.ask(target, held, self.clock)
        self.undecided += verdict is Verdict.UNKNOWN
        return verdict is Verdict.EXCLUDED

    def told(self, kinds: tuple[int, ...], more: frozenset[int] = frozenset()) -> Giveaway | None:
        """Who is given away by respondents of these kinds (besides by both together: `more`)."""
        used = {kind: kinds.count(kind) for kind in kinds}
        compromised = tuple(who for kind, count in used.items() for who in self.names[kind][:count])
        targets = frozenset[int]().union(more, *(self.certain[kind] for kind in used))
        others = frozenset(who for target in targets for who in self.names[target]) - set(compromised)
        return Giveaway(compromised=compromised, others=others) if others else None

    def pairs(self) -> Iterator[Giveaway]:
        """All pairs that give somebody away, as far as there is time."""
        block, kinds = self.block, self.block.kinds
        for number, one in enumerate(kinds):
            if self.clock.over:
                left = len(kinds) - number
                self.undecided += left * (left + 1) // 2 * len(self.targets)
                return
            doubtful = self._doubtful(one)
            for other in kinds[number:]:
                if one == other and block.truth[one] < 2:
                    continue
                known = self.certain[one] | self.certain[other]
                more = frozenset(
                    target
                    for place, target in enumerate(self.targets)
                    if target not in known and doubtful[place, other] and self._asked(target, (one, other))
                )
                told = self.told((one, other), more)
                if told is not None:
                    yield told

    def _doubtful(self, one: int) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Targets and kinds: no world found so far shows the target with another value beside `one` and it.

        Those of one kind are asked of at a time: all at once would be as many as there are kinds, cubed.
        """
        block, targets = self.block, np.array(self.targets, dtype=np.int64)
        beside = block.seen[block.seen[:, one] > 0]
        rooms = np.array([block.room(target, {}) for target in self.targets], dtype=np.int64)
        other = (beside[:, targets] <= rooms).astype(np.float32)
        doubtful = (other.T @ (beside > 0).astype(np.float32)) < 0.5
        # Two of one kind, or of the target's own cell, need more than one positive count.
        doubtful[:, one] = True
        for place, target in enumerate(self.targets):
            near = [target, *block.mates[target]]
            doubtful[place, near] = True
            if one in near:
                doubtful[place] = True
        return doubtful
