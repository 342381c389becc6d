"""All groups of a small table one by one, and whether one of them costs less than its duals."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

from optanon.solver.colgen.structure.histograms import Judge
from optanon.solver.verify.duals import ClaimedDuals
from optanon.solver.verify.priced import Single

__all__ = ["groups", "pays"]


def groups(single: Single, judge: Judge, most: int) -> list[tuple[int, ...]]:
    """All admissible groups of up to so many tuples."""
    rows, values = single.rows, 1 if judge.blind else len(judge.names)
    return [
        group
        for size in range(judge.least, most + 1)
        for group in combinations_with_replacement(range(len(rows)), size)
        if all(group.count(r) <= rows.count[r] for r in set(group))
        and judge.admits(tuple(np.bincount(rows.value[list(group)], minlength=values).tolist()))
    ]


def pays(single: Single, duals: ClaimedDuals, known: list[tuple[int, ...]]) -> bool:
    """Whether a group has a profit above 0, from the definitions."""
    rows = single.rows
    for group in known:
        profit = sum(int(duals.rows[r]) for r in group)
        profit += sum(dual * (sum(r in cut.rows for r in group) // cut.over) for cut, dual in duals.cuts)
        if profit > duals.scale * int(rows.costs(np.array([group], dtype=np.int32))[0]):
            return True
    return False
