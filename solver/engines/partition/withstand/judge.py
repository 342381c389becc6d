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

from .....models.adversary.blocks import joined_cells
from .....models.adversary.cells import Integers, System
from .....models.adversary.counting import tableau
from .....models.adversary.propagation import Bounds, first_bounds, propagate
from .....models.errors import EngineError
from .arrays import NewGroups, PublishedPast
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
            found += self._verdict(groups, np.sort(self._people[:count]))
            if most is not None and len(found) > most:
                return None
        return found

    def _verdict(self, groups: NewGroups, people: Integers) -> tuple[int, ...]:
        self.asked += 1
        _, first, labels = np.unique(groups.of[people], return_index=True, return_inverse=True)
        key = people.tobytes() + first[labels].tobytes() + (groups.of[people] < 0).tobytes()
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = tuple(people[self._unsafe(groups, people)].tolist())
        return known

    def _unsafe(self, groups: NewGroups, people: Integers) -> Integers:
        """Which of the people of a component, by place, can be inferred or are not known to be safe."""
        self.decided += 1
        system, cell_of = self._cells(groups, people)
        bounds = propagate(system, first_bounds(system))
        assert bounds is not None, "the true world keeps every row"
        bad = self._told(system, bounds)
        if not bad.any() and (bounds.lower < bounds.upper).any():
            bad = self._exactly(system, bounds) if len(people) <= LIMITS.people else np.ones_like(bad)
        return np.flatnonzero(bad[cell_of])

    def _told(self, system: System, bounds: Bounds) -> np.ndarray:
        """Cells with too few values, or a value that is certain to be too likely."""
        cells = len(system.sizes)
        left = np.bincount(system.cell[bounds.upper > 0], minlength=cells)
        many = bounds.lower * self.limit.denominator > system.sizes[system.cell] * self.limit.numerator
        return (left < self.needed) | (np.bincount(system.cell[many], minlength=cells) > 0)

    def _exactly(self, system: System, bounds: Bounds) -> np.ndarray:
        """Cells with too few possible values, with one too likely, or with something unknown.

        Blocks are counted until one has such cells; nothing is said of those after it.
        """
        self.counted += 1
        bad = np.zeros(len(system.sizes), dtype=np.bool_)
        for joined in joined_cells(system, bounds, certain=False):
            cells = system.cell[joined.pairs]
            sizes = system.sizes[cells]
            try:
                means = tableau(joined, cells.tolist(), sizes.tolist(), bounds).expected(LIMITS.steps_counted)
            except EngineError:
                means = sizes.tolist()  # too many worlds to count them in a move: unsafe
            many = [mean > self.limit * size for mean, size in zip(means, sizes.tolist(), strict=True)]
            left = np.bincount(cells[[mean > 0 for mean in means]], minlength=len(bad))
            bad[cells] |= left[cells] < self.needed
            bad[cells[many]] = True
            if bad.any():
                break
        return bad

    def _cells(self, groups: NewGroups, people: Integers) -> tuple[System, Integers]:
        """A component as a system, and the cell of each of its people."""
        past, older = self.past, len(self.past.fakes)
        new = groups.of[people]
        patterns = np.column_stack([past.place[people], np.where(new < 0, -1, new + older)])
        numbers, local = np.unique(patterns, return_inverse=True)
        local = local.reshape(patterns.shape) - int(numbers[0] < 0)
        numbers = numbers[numbers >= 0]
        before, now = numbers[numbers < older], numbers[numbers >= older] - older
        cells, cell_of = np.unique(local, axis=0, return_inverse=True)
        cell_of = cell_of.reshape(-1)
        truth = np.zeros((len(cells), past.counts.shape[1]), dtype=np.int64)
        np.add.at(truth, (cell_of, past.value[people]), 1)
        system = System(
            patterns=cells.astype(np.int64),
            sizes=truth.sum(axis=1),
            allowed=np.ones(truth.shape, dtype=np.bool_),
            counts=np.vstack([past.counts[before], groups.counts[now]]),
            fakes=np.concatenate([past.fakes[before], np.zeros(len(now), dtype=np.int64)]),
        )
        return system, cell_of
