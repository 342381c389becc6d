"""First groups where shares of values matter: every value is dealt evenly along the order of the rows.

Groups of near tuples rarely have the table's shares; they have to be far larger than the policy asks. Here
there are as many groups as wanted, and each value's tuples, in the order of the rows, are dealt to them from
the first to the last: a group gets about its share of every value, and near tuples of each. Groups that are
still not admissible are merged with the next one. Several numbers of groups are tried.
"""

from __future__ import annotations

import numpy as np

from ...settings import Clock
from ..column import Group
from ..covering import Ints
from ..structure.histograms import Judge
from ..table import Rows
from .limits import SPREADING as LIMITS

__all__ = ["spread"]


def spread(rows: Rows, judge: Judge, clock: Clock) -> list[Group] | None:
    """Groups of rows (with repeats), the cheapest of those tried; None if time was over before.

    The whole table must be admissible, and merging must keep the policy.

    Complexity: O(n) and a verdict on each group, for each of about `LIMITS.sizes` sizes.
    """
    best, least = None, 0
    unit = np.repeat(np.arange(len(rows), dtype=np.int64), rows.count)
    size, tuples = max(2, judge.least), len(unit)
    for _ in range(LIMITS.sizes):
        if clock.over or size > tuples:
            break
        groups = _merged(unit, rows.value[unit], max(1, tuples // size), judge)
        cost = sum(rows.group_costs(groups))
        if best is None or cost < least:
            best, least = groups, cost
        size += max(1, size * LIMITS.larger // 100)
    return best


def _merged(unit: Ints, value: Ints, number: int, judge: Judge) -> list[Group]:
    """So many groups at first; from the first to the last, those that are not admissible take the next."""
    order, wide = _dealt(value), len(judge.names)
    flat, values = unit[order], value[order]
    ends = np.arange(1, number + 1) * len(unit) // number
    of = np.repeat(np.arange(number), np.diff(ends, prepend=0))
    counts = np.bincount(of * wide + values, minlength=number * wide).reshape(number, wide).astype(np.int64)
    good, cuts, inside = judge.verdicts(counts).tolist(), [0], np.zeros(wide, dtype=np.int64)
    for g, end in enumerate(ends.tolist()):
        alone = not inside.any()
        inside += counts[g]
        if good[g] if alone else judge.verdicts(inside[None, :])[0]:
            cuts.append(end)
            inside[:] = 0
    while cuts[-1] < len(flat):
        # What is left at the end takes groups before it; the whole table is admissible.
        rest = np.bincount(values[cuts[-1] :], minlength=wide).astype(np.int64)
        if cuts[-1] == 0 or judge.verdicts(rest[None, :])[0]:
            cuts.append(len(flat))
        else:
            cuts.pop()
    return [tuple(part.tolist()) for part in np.split(flat, cuts[1:-1])]


def _dealt(value: Ints) -> Ints:
    """The order in which all values come evenly, each value's tuples in the order they have."""
    known = np.argsort(value, kind="stable")
    often = np.bincount(value)
    place = np.arange(len(value)) - (np.cumsum(often) - often)[value[known]]
    return known[np.argsort((2 * place + 1) / often[value[known]], kind="stable")]
