"""A first grouping: halve the table along its widest sides as long as both halves are admissible.

Mondrian (LeFevre, DeWitt, Ramakrishnan) with any requirement that looks at values only; where both
halves would not do at the median, places near it are tried. It fails only if the whole table is
not admissible; then no grouping of a monotone requirement exists.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections import deque

import numpy as np

from ....models.compiled import compiled
from ...settings import Clock
from .boxes import side_cost
from .histograms import Judge
from .master import Group
from .rows import Ints, Rows

__all__ = ["halved"]

TRIES = 9
"""Places around the median that are tried on each side, in large parts."""


def halved(rows: Rows, judge: Judge, clock: Clock | None = None) -> list[Group] | None:
    """Groups of rows (with repeats), or None if not even the whole table is admissible.

    When the clock is over, parts stay as they are: each of them is admissible. The largest are cut first.

    Complexity: O(n log n) costs and at most `TRIES` verdicts per part and attribute.
    """
    units = np.repeat(np.arange(len(rows), dtype=np.int64), rows.count)
    value = np.zeros_like(rows.value) if judge.blind else rows.value
    values = 1 if judge.blind else len(judge.names)
    if not judge.admits(tuple(np.bincount(value[units], minlength=values).tolist())):
        return None
    done, pending = list[Group](), deque([units])
    while pending:
        part = pending.popleft()
        late = clock is not None and clock.over
        halves = None if late else _best_cut(rows, judge, part, value, values)
        if halves is None:
            done.append(tuple(sorted(part.tolist())))
        else:
            pending += halves
    return done


def _best_cut(rows: Rows, judge: Judge, part: Ints, value: Ints, values: int) -> tuple[Ints, Ints] | None:
    """The admissible cut with the least cost, or None; along the first attribute among equal ones."""
    if len(part) < 2 * judge.least:
        return None
    g = rows.geometry
    attributes, middle = g.codes.shape[1], len(part) // 2
    reach = middle if len(part) <= 8 * TRIES else TRIES // 2
    first, last = max(1, middle - reach), min(len(part) - 1, middle + reach)
    orders = np.argsort(g.codes[part].T, axis=1, kind="stable")
    costs, lower, upper = _cuts(
        g.codes, g.weight, g.tree, g.side, g.table, part, orders, first, last, value, values
    )
    for at in np.argsort(costs, kind="stable").tolist():
        if judge.admits(tuple(lower[at].tolist())) and judge.admits(tuple(upper[at].tolist())):
            a, place = divmod(at, last - first + 1)
            order = part[orders[a]]
            assert a < attributes
            return order[: first + place], order[first + place :]
    return None


@compiled
def _cuts(
    codes: Ints,
    weight: Ints,
    tree: Ints,
    side: Ints,
    table: Ints,
    part: Ints,
    orders: Ints,
    first: int,
    last: int,
    value: Ints,
    values: int,
) -> tuple[Ints, Ints, Ints]:
    """Costs of the cuts along each attribute after the first to the last place, and histograms of halves."""
    attributes, count, places = codes.shape[1], len(part), last - first + 1
    costs = np.zeros(attributes * places, dtype=np.int64)
    lower = np.zeros((attributes * places, values), dtype=np.int64)
    upper = np.zeros((attributes * places, values), dtype=np.int64)
    lo, hi = np.empty(attributes, dtype=np.int64), np.empty(attributes, dtype=np.int64)
    met = np.empty(values, dtype=np.int64)
    for a in range(attributes):
        for back in range(2):
            met[:] = 0
            for k in range(count):
                u = part[orders[a, count - 1 - k if back else k]]
                met[value[u]] += 1
                for b in range(attributes):
                    x = codes[u, b]
                    lo[b] = x if k == 0 else min(lo[b], x)
                    hi[b] = x if k == 0 else max(hi[b], x)
                taken = k + 1
                at = count - taken if back else taken
                if first <= at <= last:
                    line = a * places + at - first
                    box = 0
                    for b in range(attributes):
                        box += side_cost(weight, tree, side, table, b, lo[b], hi[b])
                    costs[line] += taken * box
                    for v in range(values):
                        if back:
                            upper[line, v] = met[v]
                        else:
                            lower[line, v] = met[v]
    return costs, lower, upper
