"""First groups where many tuples are alike: groups of equal tuples cost nothing.

The tuples of each place (equal quasi-identifiers) are cut into small admissible groups; what is left over,
the surplus of a frequent value above all, joins groups of its place, then grows groups with what is left at
other places near by, then goes to the group that it costs least. All groups are small, so moves can improve
them; halving a table leaves large groups where one value prevails, and no move makes them smaller.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing
from ...settings import Clock
from ..column import Group
from ..covering import Geometry, Ints
from ..kernels.boxes import side_cost
from ..structure.histograms import Judge
from ..table import Rows
from .left_over import joined
from .start import chopped

__all__ = ["tied"]

REACH, LOOKED = 1 << 10, 1 << 28
"""Tuples on each side in the order of the rows among which a group grows: at least, and in all."""


def tied(rows: Rows, judge: Judge, *, dear: float, clock: Clock) -> list[Group] | None:
    """Groups of rows (with repeats); None if somebody fits nowhere.

    When the clock is over, those who are left are `chopped`; None if that cannot be, or it was over at once.

    Parameters
    ----------
    rows, judge
    dear : float
        Groups that would cost more per tuple, as a share of the dearest, are not grown.
    clock

    Notes
    -----
    Complexity: O(n) verdicts, and O(groups) vectorized for each tuple that is left over at its place.
    """
    value = judge.seen(rows.value)
    made, left = list[list[int]](), list[int]()
    for place in _places(rows):
        if clock.over:
            return None
        cut, rest = _cut(judge, place, value, rows.count)
        made += cut
        left += rest
    far, last = _grown(rows, judge, np.array(left, dtype=np.int64), value, dear * rows.dearest, clock)
    groups = made + far
    if groups:
        last = joined(rows, judge, groups, last, value, clock)
    chopped_up = list[Group]()
    if last:
        if not judge.divisible(np.bincount(value[last], minlength=judge.told_apart)[None, :])[0]:
            return None
        chopped_up = chopped([np.sort(np.array(last, dtype=np.int64))], judge, value)
    return [tuple(sorted(group)) for group in groups] + chopped_up


def _places(rows: Rows) -> Iterator[Ints]:
    """Rows with equal quasi-identifiers."""
    codes = rows.geometry.codes
    order = np.lexsort(codes.T)
    changes = np.flatnonzero((np.diff(codes[order], axis=0) != 0).any(axis=1)) + 1
    yield from np.split(order, changes)


def _cut(judge: Judge, place: Ints, value: Ints, count: Ints) -> tuple[list[list[int]], list[int]]:
    """Small admissible groups of a place, its most frequent values first; and the rows that are left over."""
    room = dict(zip(place.tolist(), count[place].tolist(), strict=True))
    groups = list[list[int]]()
    while sum(room.values()) >= judge.least:
        group, inside, able = list[int](), _Inside(judge), dict(room)
        while not inside.good:
            # The value of which most are left, unless the group has enough of it.
            found = max(
                (r for r in able if able[r]),
                key=lambda r: (-inside.beyond(int(value[r])), able[r], -r),
                default=None,
            )
            if found is None:
                break
            group.append(found)
            inside.add(int(value[found]))
            able[found] -= 1
        if not inside.good:
            break
        groups.append(group)
        room = able
    insides = [_Inside(judge, value[group].tolist()) for group in groups]
    left = list[int]()
    for r, often in room.items():
        for _ in range(often):
            at = next((g for g, inside in enumerate(insides) if inside.takes(int(value[r]))), None)
            if at is None:
                left.append(r)
            else:
                groups[at].append(r)
                insides[at].add(int(value[r]))
    return groups, left


class _Inside:
    """The values of a group."""

    def __init__(self, judge: Judge, values: list[int] | None = None) -> None:
        self.judge, self.counts = judge, [0] * judge.told_apart
        self.size = 0
        for v in values or ():
            self.add(v)

    def beyond(self, value: int) -> int:
        """How far one more of a value is beyond what a smallest group may have of it."""
        return max(0, self.counts[value] + 1 - self.judge.most_alike)

    def add(self, value: int) -> None:
        self.counts[value] += 1
        self.size += 1

    @property
    def good(self) -> bool:
        return self.size >= self.judge.least and self.judge.admits(tuple(self.counts))

    def takes(self, value: int) -> bool:
        """Whether it is admissible with one more."""
        self.counts[value] += 1
        good = self.judge.admits(tuple(self.counts))
        self.counts[value] -= 1
        return good


def _grown(
    rows: Rows, judge: Judge, left: Ints, value: Ints, dear: float, clock: Clock
) -> tuple[list[list[int]], list[int]]:
    """Groups around tuples of the most frequent values first, always the nearest; and who is left over."""
    order = np.argsort(left, kind="stable")
    near, free = left[order], np.ones(len(left), dtype=np.bool_)
    found, last = list[list[int]](), list[int]()
    box = np.empty((2, rows.geometry.codes.shape[1]), dtype=np.int64)
    often, reach = np.bincount(value[left], minlength=1), max(REACH, LOOKED // max(1, len(left)))
    for at in np.argsort(-often[value[near]], kind="stable").tolist():
        if not free[at]:
            continue
        if clock.over:
            return found, last + near[free].tolist()
        free[at] = False
        taken, inside = [at], _Inside(judge, [int(value[near[at]])])
        box[:] = rows.geometry.codes[near[at]]
        while not inside.good and not clock.over:
            beyond = np.array([inside.beyond(v) for v in range(len(inside.counts))])
            best, cost = _cheapest(rows.geometry, near, free, value, beyond, at, reach, box)
            if best < 0 or cost > dear:
                break
            taken.append(best)
            free[best] = False
            inside.add(int(value[near[best]]))
            codes = rows.geometry.codes[near[best]]
            box[0], box[1] = np.minimum(box[0], codes), np.maximum(box[1], codes)
        if inside.good:
            found.append(near[taken].tolist())
        else:
            free[taken[1:]] = True
            last.append(int(near[at]))
    return found, last


@borrowing
def _cheapest(
    g: Geometry,
    near: Ints,
    free: NDArray[np.bool_],
    value: Ints,
    beyond: Ints,
    at: int,
    reach: int,
    box: Ints,
) -> tuple[int, int]:
    """Which free tuple near a place in the order costs least to have in a box, and what a tuple costs then.

    Of those whose values are least beyond what a group may have of them.
    """
    best, least, over = -1, np.int64(1) << 60, np.int64(1) << 60
    for u in range(max(0, at - reach), min(len(near), at + reach)):
        r = near[u]
        if not free[u] or beyond[value[r]] > over:
            continue
        cost = 0
        for a in range(g.codes.shape[1]):
            x = g.codes[r, a]
            low, high = min(box[0, a], x), max(box[1, a], x)
            cost += side_cost(g.weight, g.tree, g.side, g.table, a, low, high)
        if beyond[value[r]] < over or cost < least:
            best, least, over = u, cost, beyond[value[r]]
    return best, least
