"""A first grouping: halve the table along its widest sides as long as both halves are admissible.

Mondrian (LeFevre, DeWitt, Ramakrishnan) with any requirement that looks at values only; where both
halves would not do at the median, places near it are tried. It fails only if the whole table is
not admissible; then no grouping of a monotone requirement exists. Where groups of different values will do,
a part is admissible, too, if it can be dealt to such groups; parts that cannot be cut are.

When time is short, the parts that are left are cut in the order of the rows instead, all of a size at once:
a tenth of the work, and since neighbours in that order are near one another, groups are still small boxes.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from ....models.compiled import compiled
from ...settings import Clock
from ..column import Group
from ..covering import Ints
from ..kernels.boxes import side_cost
from ..structure.histograms import Judge
from ..table import Rows
from .limits import START as LIMITS

__all__ = ["chopped", "halved"]


def halved(rows: Rows, judge: Judge, clock: Clock | None = None) -> list[Group] | None:
    """Groups of rows (with repeats), or None if not even the whole table is admissible.

    The largest parts are cut first; those that are left when the clock is over are `chopped`.

    Complexity: O(n log n) costs and at most `LIMITS.tries` verdicts per part and attribute.
    """
    units = np.repeat(np.arange(len(rows), dtype=np.int64), rows.count)
    value = judge.seen(rows.value)
    values = judge.told_apart
    if not judge.divisible(np.bincount(value[units], minlength=values)[None, :])[0]:
        return None
    done, pending = list[Group](), deque([units])
    while pending and not (clock is not None and clock.over):
        part = pending.popleft()
        halves = _best_cut(rows, judge, part, value, values)
        if halves is None:
            done += _dealt(judge, np.sort(part), value)
        else:
            pending += halves
    return done + chopped([np.sort(part) for part in pending], judge, value)


def chopped(parts: Sequence[Ints], judge: Judge, value: Ints) -> list[Group]:
    """Halve parts of the table in the order of their rows, as long as both halves are admissible.

    All that are left are halved at once, at their middles; those that cannot be are tried at places near it.
    Each part must be admissible.

    Complexity: O(n) per level, O(log n) levels.
    """
    if not parts:
        return []
    units = np.concatenate(parts)
    ends = np.cumsum([len(part) for part in parts])
    start, end = ends - [len(part) for part in parts], ends
    closed = list[tuple[Ints, Ints]]()
    while len(start):
        cut = _cut_places(judge, value[units], start, end)
        whole = cut < 0
        closed.append((start[whole], end[whole]))
        start, middle, end = start[~whole], cut[~whole], end[~whole]
        start, end = np.concatenate([start, middle]), np.concatenate([middle, end])
    start, end = (np.concatenate(side) for side in zip(*closed, strict=True))
    order = np.argsort(start)
    parts = [units[a:b] for a, b in zip(start[order].tolist(), end[order].tolist(), strict=True)]
    return [group for part in parts for group in _dealt(judge, part, value)]


def _dealt(judge: Judge, part: Ints, value: Ints) -> list[Group]:
    """One group, or as many as there may be, to which the tuples of each value are dealt in their order."""
    groups = len(part) // judge.least
    if not judge.different or groups < 2 or np.bincount(value[part]).max() > groups:
        return [tuple(part.tolist())]
    order = part[np.argsort(value[part], kind="stable")]
    return [tuple(np.sort(order[g::groups]).tolist()) for g in range(groups)]


def _cut_places(judge: Judge, value: Ints, start: Ints, end: Ints) -> Ints:
    """Where both halves of each part are admissible, or -1."""
    found = np.full(len(start), -1, dtype=np.int64)
    left = np.flatnonzero(end - start >= 2 * judge.least)
    wide = judge.told_apart
    for step in (0, *(d for far in range(1, LIMITS.tries) for d in (far, -far))):
        cut = (start[left] + end[left]) // 2 + step
        inside = (cut - start[left] >= judge.least) & (end[left] - cut >= judge.least)
        left, cut = left[inside], cut[inside]
        good = np.zeros(len(left), dtype=np.bool_)
        for at in range(0, len(left), max(1, LIMITS.at_once // wide)):
            some = slice(at, at + max(1, LIMITS.at_once // wide))
            lower = _counted(value, start[left[some]], cut[some], wide)
            good[some] = judge.divisible(lower)
            left_good = np.flatnonzero(good[some])
            upper = _counted(value, cut[some][left_good], end[left[some]][left_good], wide)
            good[at + left_good] = judge.divisible(upper)
        found[left[good]] = cut[good]
        left = left[~good]
        if not len(left):
            break
    return found


def _counted(value: Ints, start: Ints, end: Ints, values: int) -> Ints:
    """How often each value is there from each start to its end, one line each."""
    sizes = end - start
    line = np.repeat(np.arange(len(start)), sizes)
    first = np.cumsum(sizes) - sizes
    there = np.arange(len(line)) - first[line] + start[line]
    counts = np.bincount(line * values + value[there], minlength=len(start) * values)
    return counts.reshape(len(start), values).astype(np.int64)


def _best_cut(rows: Rows, judge: Judge, part: Ints, value: Ints, values: int) -> tuple[Ints, Ints] | None:
    """The admissible cut with the least cost, or None; along the first attribute among equal ones."""
    if len(part) < 2 * judge.least:
        return None
    g = rows.geometry
    attributes, middle = g.codes.shape[1], len(part) // 2
    reach = middle if len(part) <= 8 * LIMITS.tries else LIMITS.tries // 2
    first, last = max(1, middle - reach), min(len(part) - 1, middle + reach)
    orders = np.argsort(g.codes[part].T, axis=1, kind="stable")
    costs, lower, upper = _cuts(
        g.codes, g.weight, g.tree, g.side, g.table, part, orders, first, last, value, values
    )
    for at in np.argsort(costs, kind="stable").tolist():
        if judge.divides(lower[at]) and judge.divides(upper[at]):
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
