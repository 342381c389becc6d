"""Who can be inferred in a component: groups of all releases that people link.

What is known of somebody follows from the groups of the component alone, so a move is judged on the
components it makes. Bounds are propagated first, as in the audit; where nobody is given away by that, values
are decided and worlds are counted exactly. What cannot be decided counts as unsafe. Verdicts are kept by
content: the people of a component and how the new release groups them; the earlier groups follow.

Bounds are never continued from those before a move: rows that went away had tightened some.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .....models.adversary.rows import Integers
from .arrays import NewGroups, PublishedPast
from .component import content, linked_cells, told
from .counting import counted, room_for
from .limits import WITHSTAND_LIMITS as LIMITS
from .moves import linked

__all__ = ["SeriesJudge"]


class SeriesJudge:
    """Verdicts on components.

    Parameters
    ----------
    past : PublishedPast
    needed : int
        Values that everybody keeps.
    limit : Fraction
        Largest probability of a value.

    Attributes
    ----------
    asked, decided, counted : int
        Components asked for, propagated, and decided exactly.
    """

    def __init__(self, past: PublishedPast, needed: int, limit: Fraction) -> None:
        self.past, self.needed, self.limit = past, needed, limit
        people = len(past.value)
        self._met, self._people = np.zeros(people, dtype=np.int64), np.empty(people, dtype=np.int64)
        self._old = np.zeros(len(past.fakes), dtype=np.int64)
        self._new = np.zeros(people, dtype=np.int64)
        self._number = np.full(len(past.fakes) + people, -1, dtype=np.int64)
        self._room = room_for(LIMITS.steps_counted, LIMITS.slots, past.counts.shape[1])
        self._mark = 0
        self._known: dict[bytes, tuple[int, ...]] = {}
        self.asked = self.decided = self.counted = 0

    @property
    def met_groups(self) -> np.ndarray:
        """Which groups of the new release were in the components asked for last."""
        return self._new == self._mark

    def inferred(self, groups: NewGroups, seeds: Sequence[int], most: int | None = None) -> list[int] | None:
        """People who can be inferred in components of some people; None once there are more than `most`.

        Nobody exactly if all of these people are known to keep the limits; otherwise some may be missing,
        where bounds alone give somebody away.
        """
        self._mark += 1
        found: list[int] = []
        for p in seeds:
            if self._met[p] == self._mark:
                continue
            count = linked(self.past, groups, p, self._mark, self._met, self._old, self._new, self._people)
            found += self._verdict(groups, self._people[:count])
            if most is not None and len(found) > most:
                return None
        return found

    def _verdict(self, groups: NewGroups, people: Integers) -> tuple[int, ...]:
        self.asked += 1
        key = content(groups, people, self._number).tobytes()
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = tuple(people[self._unsafe(groups, people)].tolist())
        return known

    def _unsafe(self, groups: NewGroups, people: Integers) -> Integers:
        """Which of the people of a component, by place, can be inferred or are not known to be safe."""
        self.decided += 1
        found = linked_cells(self.past, groups, people, self._number)
        asked = self.needed, self.limit.numerator, self.limit.denominator
        bad = told(found, *asked)
        if not bad.any() and (found.lower < found.upper).any():
            self.counted += 1
            bad = counted(found, *asked, self._room) if len(people) <= LIMITS.people else np.ones_like(bad)
        return np.flatnonzero(bad[found.cell_of])
