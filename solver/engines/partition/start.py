"""A first grouping: halve the table along its widest sides as long as both halves are admissible.

Mondrian (LeFevre, DeWitt, Ramakrishnan) with any requirement that looks at values only; where both
halves would not do at the median, places near it are tried. It fails only if the whole table is
not admissible; then no grouping of a monotone requirement exists.
"""

from __future__ import annotations

import numpy as np

from .histograms import Judge
from .master import Group
from .rows import Ints, Rows

__all__ = ["halved"]

TRIES = 9
"""Places around the median that are tried on each side, in large parts."""


def halved(rows: Rows, judge: Judge) -> list[Group] | None:
    """Groups of rows (with repeats), or None if not even the whole table is admissible.

    Complexity: O(n log n) costs and at most `TRIES` verdicts per part and attribute.
    """
    units = np.repeat(np.arange(len(rows), dtype=np.int64), rows.count)
    if not judge.admits(_histogram(rows, judge, units)):
        return None
    done, pending = list[Group](), [units]
    while pending:
        part = pending.pop()
        halves = _best_cut(rows, judge, part)
        if halves is None:
            done.append(tuple(sorted(part.tolist())))
        else:
            pending += halves
    return done


def _best_cut(rows: Rows, judge: Judge, part: Ints) -> list[Ints] | None:
    """The admissible cut with the least cost, or None."""
    codes = rows.geometry.codes
    best: tuple[int, list[Ints]] | None = None
    for a in range(codes.shape[1]):
        order = part[np.argsort(codes[part, a], kind="stable")]
        middle = len(part) // 2
        reach = middle if len(part) <= 8 * TRIES else TRIES // 2
        for at in range(max(1, middle - reach), min(len(part), middle + reach + 1)):
            halves = [order[:at], order[at:]]
            cost = sum(_cost(rows, half) for half in halves)
            if (best is None or cost < best[0]) and all(
                judge.admits(_histogram(rows, judge, half)) for half in halves
            ):
                best = cost, halves
    return None if best is None else best[1]


def _cost(rows: Rows, part: Ints) -> int:
    codes = rows.geometry.codes[part]
    return len(part) * int(rows.box_cost(codes.min(axis=0)[None], codes.max(axis=0)[None])[0])


def _histogram(rows: Rows, judge: Judge, part: Ints) -> tuple[int, ...]:
    return tuple(np.bincount(rows.value[part], minlength=1 if judge.blind else len(judge.names)).tolist())
