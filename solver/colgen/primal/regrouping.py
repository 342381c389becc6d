"""Where a rounding leaves over too many tuples for other groups, they are grouped as a table of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...settings import Clock
from ..column import Group
from ..covering import Ints
from ..neighbours import near_places
from ..structure.histograms import Judge
from ..table import Rows
from .annealing import ALONE, Annealing
from .limits import ROUNDING as LIMITS
from .ties import tied

__all__ = ["regrouped"]


def regrouped(
    rows: Rows, judge: Judge, groups: Sequence[Group], left: Ints, *, dear: float, seed: int, clock: Clock
) -> list[Group] | None:
    """Admissible groups as they are, and groups of the tuples left over: of equal ones first, then by moves.

    The last groups are given up, twice as many each time, until the tuples left over can be released alone.

    Parameters
    ----------
    rows, judge
    groups
        Of rows, admissible; those worth most first.
    left : int array
        Rows of the tuples in none, with repeats.
    dear : float
        Share of the dearest tuple's cost, as of `tied`.
    seed : int
    clock

    Returns
    -------
    list of Group or None
        Every row as often as in both; None if time was over, or no release exists even without the groups.

    Notes
    -----
    Complexity: `tied` and near places of what is left, logarithmically often; then moves per tuple of it.
    """
    kept, given = list(groups), max(1, len(groups) // LIMITS.given)
    while not clock.over:
        chosen, count = np.unique(left, return_counts=True)
        part = rows.part(chosen, count)
        found = tied(part, judge, dear=dear, clock=clock)
        near = None if found is None else near_places(part, clock)
        if found is not None and near is not None:
            for better in Annealing(part, judge, near, found, seed).rounds(ALONE, clock):
                found = better
            return [*kept, *(tuple(chosen[list(group)].tolist()) for group in found)]
        if not kept:
            return None
        kept, back = kept[:-given], kept[-given:]
        left, given = np.concatenate([left, *map(np.array, back)]), 2 * given
    return None
