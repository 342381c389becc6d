"""How a node is divided: by two rows of count 1 that may share a column, else by one column."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import csc_array

from .limits import BRANCHING as LIMITS
from .program import Box, Floats
from .relaxation import BoxProposal
from .remaining import Remaining
from .tree_check import Branch

__all__ = ["chosen"]


def chosen(
    rest: Remaining,
    divide: Callable[[Branch, int], Box],
    proposal: BoxProposal,
    amount: Floats,
    gap: float,
    first: slice,
) -> Branch:
    """The branch, of a few undecided ones, that raises the bound most on both sides.

    Parameters
    ----------
    divide
        Ends of a branch's child.
    gap
        What closes a node.
    first
        Columns of the whole program to branch on before all others.
    """
    part = np.abs(amount - np.rint(amount))
    sooner = np.where((rest.columns >= first.start) & (rest.columns < first.stop), part, 0.0)
    pairs = [] if sooner.max() > LIMITS.whole else _undecided(rest, amount)
    if not pairs:
        j = int((sooner if sooner.max() > LIMITS.whole else part).argmax())
        return Branch(column=int(rest.columns[j]), at=int(np.floor(amount[j])))
    best, found, idle, least = -1.0, pairs[0], 0, 1e-3 * rest.relaxation.unit
    for branch in pairs[: LIMITS.probed]:
        gains = [
            max(least, min(gap, rest.relaxation.probe(box, LIMITS.probe) - proposal.value))
            for box in (rest.inside(divide(branch, side)) for side in (0, 1))
        ]
        idle += 1
        if gains[0] * gains[1] > best:
            best, found, idle = gains[0] * gains[1], branch, 0
        if idle >= LIMITS.idle or min(gains) >= gap:
            break
    return found


def _undecided(rest: Remaining, amount: Floats) -> list[Branch]:
    """Pairs of rows of count 1 that are partly in one column."""
    matrix, single = csc_array(rest.program.matrix), rest.system.single
    pairs: dict[tuple[int, int], float] = {}
    for j in np.flatnonzero(np.abs(amount - np.rint(amount)) > LIMITS.whole).tolist():
        here = matrix.indices[matrix.indptr[j] : matrix.indptr[j + 1]]
        rows = sorted(row for row in here.tolist() if single[row])
        for a, i in enumerate(rows):
            for k in rows[a + 1 :]:
                pairs[i, k] = pairs.get((i, k), 0.0) + float(amount[j])
    split = [
        (abs(share - LIMITS.middle), pair)
        for pair, share in pairs.items()
        if LIMITS.whole < share < 1 - LIMITS.whole
    ]
    return [Branch(pair=pair) for _, pair in sorted(split)]
