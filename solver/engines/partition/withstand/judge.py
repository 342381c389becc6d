"""Who can be inferred in a component: groups of all releases that people link.

What is known of somebody follows from the groups of the component alone, so a move is judged on the
components it makes. Bounds are propagated first, as in the audit; where nobody is given away by that, values
are decided and worlds are counted exactly. What cannot be decided counts as unsafe. Verdicts are kept by
content: the people of a component, how the new release groups them, and with which counterfeits; the
earlier groups follow.

Bounds are never continued from those before a move: rows that went away had tightened some. They are
continued where somebody becomes known besides: that only takes worlds away.

If others may be compromised, a component is judged again for each choice of them: by cell and value, as
nothing else tells respondents apart. Whoever is in another component tells nothing of this one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np

from .....models.adversary.rows import Integers
from .arrays import NewGroups, PublishedPast
from .component import LinkedCells, content, known, linked_cells, told
from .counting import counted, room_for
from .limits import WITHSTAND_LIMITS as LIMITS
from .moves import linked

__all__ = ["Judging", "SeriesJudge"]


class Judging(Protocol):
    """What a search asks of groups as they are."""

    @property
    def met_groups(self) -> np.ndarray:
        """Which groups of the new release the last verdict was about."""
        ...

    def inferred(
        self, groups: NewGroups, seeds: Sequence[int], most: int | None = None, /
    ) -> list[int] | None:
        """People who can be inferred where some people are; None once there are more than `most`."""
        ...


class SeriesJudge:
    """Verdicts on components.

    Parameters
    ----------
    past : PublishedPast
    needed : int
        Values that everybody keeps.
    limit : Fraction
        Largest probability of a value.
    compromised : int
        Most others whose values are known.
    most : int
        People of a component that is judged exactly.

    Attributes
    ----------
    asked, decided, counted : int
        Components asked for, propagated, and decided exactly.
    """

    def __init__(
        self,
        past: PublishedPast,
        needed: int,
        limit: Fraction,
        compromised: int = 0,
        most: int = max(LIMITS.people),
    ) -> None:
        self.past, self.needed, self.limit, self.compromised = past, needed, limit, compromised
        self.most = most
        people = len(past.value)
        self._met, self._people = np.zeros(people, dtype=np.int64), np.empty(people, dtype=np.int64)
        self._old = np.zeros(len(past.fakes), dtype=np.int64)
        self._new = np.zeros(people, dtype=np.int64)
        self._number = np.full(len(past.fakes) + people, -1, dtype=np.int64)
        self._room = room_for(LIMITS.steps_counted, LIMITS.slots, past.counts.shape[1])
        self._mark = 0
        self._known: dict[tuple[bool, bytes], tuple[int, ...]] = {}
        self.asked = self.decided = self.counted = 0

    def narrow(self, most: int, steps: int) -> None:
        """Judge fewer people at a time, in fewer steps, from now on; verdicts that are known stay."""
        self.most = min(self.most, most)
        self._room = room_for(steps, LIMITS.slots, self.past.counts.shape[1])

    @property
    def met_groups(self) -> np.ndarray:
        """Which groups of the new release were in the components asked for last."""
        return self._new == self._mark

    def inferred(self, groups: NewGroups, seeds: Sequence[int], most: int | None = None) -> list[int] | None:
        """People who can be inferred in components of some people; None once there are more than `most`.

        Nobody exactly if all of these people are known to keep the limits. With `most` 0 that is all that is
        asked; otherwise whoever is known to be inferable is among them, also beside others whom bounds alone
        give away: to whoever is to hide these, the rest would seem to be given away by that.
        """
        self._mark += 1
        whole = most != 0
        found: list[int] = []
        for p in seeds:
            if self._met[p] == self._mark:
                continue
            count = linked(self.past, groups, p, self._mark, self._met, self._old, self._new, self._people)
            found += self._verdict(groups, self._people[:count], whole)
            if most is not None and len(found) > most:
                return None
        return found

    def _verdict(self, groups: NewGroups, people: Integers, whole: bool) -> tuple[int, ...]:
        self.asked += 1
        key = content(groups, people, self._number).tobytes()
        home = groups.of[people]
        if groups.faked[home].any():
            key += np.where(home[:, None] >= 0, groups.faked[home], 0).tobytes()
        known = self._known.get((whole, key))
        if known is None:
            if len(self._known) >= LIMITS.known:
                self._known.clear()
            known = self._known[whole, key] = tuple(people[self.unsafe(groups, people, whole=whole)].tolist())
        return known

    def unsafe(self, groups: NewGroups, people: Integers, *, whole: bool = False) -> Integers:
        """Which of the people of a component, by place, can be inferred or are not known to be safe.

        Only if it is to be the `whole` are all of those known among them where bounds give somebody away.
        """
        self.decided += 1
        found = linked_cells(self.past, groups, people, self._number)
        bad = self._bad(found, whole=whole)
        if self.compromised and not bad.any():
            numbers = {pair: j for j, pair in enumerate(zip(found.cell, found.value, strict=True))}
            own = zip(found.cell_of, self.past.value[people], strict=True)
            kinds = sorted(Counter(numbers[pair] for pair in own).items())
            bad = self._bad_with(found, kinds, self.compromised)
        return np.flatnonzero(bad[found.cell_of])

    def _bad(self, found: LinkedCells, *, whole: bool = False) -> np.ndarray:
        """Cells that do not keep the limits, or are not known to; some of them, or the `whole`."""
        asked = self.needed, self.limit.numerator, self.limit.denominator
        bad = told(found, *asked)
        given = bool(bad.any())
        few = len(found.cell_of) <= self.most
        if (not given or (whole and few)) and (found.lower < found.upper).any():
            self.counted += 1
            bad |= counted(found, *asked, self._room, whole) if few else np.ones_like(bad)
        return bad

    def _bad_with(self, found: LinkedCells, kinds: list[tuple[int, int]], others: int) -> np.ndarray:
        """The same with up to so many others known, of kinds (pair, how many there are) in order."""
        bad = np.zeros(len(found.size), dtype=np.bool_)
        for at, (pair, count) in enumerate(kinds):
            left = known(found, pair)
            bad = self._bad(left)
            if others > 1 and not bad.any():
                rest = [(pair, count - 1)] if count > 1 else []
                bad = self._bad_with(left, rest + kinds[at + 1 :], others - 1)
            if bad.any():
                break
        return bad
