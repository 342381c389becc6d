"""Worlds near a fractional optimum: what is whole stays, the rest is asked CP-SAT in small parts.

The fractional counts of a linear program's optimum fall apart into small components once all
others are fixed. Each is solved by itself; one that has no solution takes in what shares a row with
it, a few times.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ...models.adversary.propagation import Bounds, Component, open_components
from ...models.adversary.rows import Compact, Integers
from ..schedule import AUDIT
from ..settings import Clock
from .component_lp import NEAR, ComponentLP, Floats
from .counts import CountModel, Verdict

__all__ = ["Rounding"]

ROUNDS = 4
"""How often parts without a solution may grow."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Rows:
    """A component as a system of its own."""

    compact: Compact
    low: Integers
    high: Integers
    most: Integers


class Rounding:
    """Rounds optima of one component.

    Parameters
    ----------
    lp : ComponentLP
        Whose bounds hold.
    """

    def __init__(self, lp: ComponentLP) -> None:
        part: Component = lp.component
        self._lp = lp
        self._rows = _Rows(
            compact=part.compact,
            low=part.low,
            high=part.high,
            most=lp.upper,
        )

    def world(
        self, found: Floats, wanted: Collection[int], must: int | None, clock: Clock
    ) -> Integers | None:
        """A world near an optimum in which many of the wanted counts are positive, and one of them for sure.

        None if none was found.
        """
        nearest = np.rint(found)
        fixed = nearest.astype(np.int64)
        free = np.abs(found - nearest) > NEAR
        asked = np.zeros(len(fixed), dtype=bool)
        asked[list(wanted)] = True
        for _ in range(ROUNDS):
            lower, upper = np.where(free, self._lp.lower, fixed), np.where(free, self._lp.upper, fixed)
            if must is not None:
                lower[must] = max(1, lower[must])
            world, stuck = self._filled(Bounds(lower, upper), asked, clock)
            if not len(stuck):
                return world if self._lp.component.holds(world) else None
            if clock.over:
                return None
            touched = np.zeros(self._rows.compact.height, dtype=bool)
            matrix = self._rows.compact
            touched[matrix.rows[np.isin(matrix.column, stuck)]] = True
            free[matrix.column[touched[matrix.rows]]] = True
        return None

    def _filled(self, bounds: Bounds, asked: np.ndarray, clock: Clock) -> tuple[Integers, Integers]:
        """Counts with every part solved, and the counts of the parts that have no solution."""
        world = bounds.lower.copy()
        stuck: list[Integers] = []
        for part in open_components(self._rows, bounds):
            answer, counts = CountModel(part, bounds).most_positive(
                np.flatnonzero(asked[part.pairs]).tolist(), clock.share(AUDIT.rounding)
            )
            if answer is Verdict.POSSIBLE:
                world[part.pairs] = counts
            else:
                stuck.append(part.pairs)
        return world, np.concatenate(stuck) if stuck else np.zeros(0, dtype=np.int64)
