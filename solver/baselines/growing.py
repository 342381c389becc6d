"""The checks of `inferences` after one more cut, from what is known before it: same verdicts, faster.

A table only grows, boxes are tight, and the release was safe before the cut. So only what the halves change
is asked: the residual graphs of the values they hold (`growing_traces`), and differences with exactly one of
them (`growing_differences`); what members can be taken for, theirs only. Compiled, these answers take
milliseconds. Where groups are not (k, c) as differences must be, and these are not seen to be, the checker
itself looks (`models.adversary.overlap`). A cut that leaves an attack is taken back. The earlier release that
refused a cut last is asked first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import cast

import numpy as np

from ...models.adversary.overlap import GroupOverlaps, unsafe_differences
from ...models.box import Cell, Interval
from ...models.categories import Categories, Ordered
from ...models.compiled import compiled
from ...models.domain import Codes, Domain
from ...models.numeric import Numeric
from ...models.problem_view import ProblemView
from ...models.release import QIGroup, Release
from ...models.requirements.difference import Difference
from ...models.requirements.intersection import Intersection
from ...models.requirements.k_c_anonymity import KCAnonymity
from ...models.requirements.record_tracing import RecordTracing
from .growing_arrays import Beside, Ints, Old, Parts, count_spare, entered, widened
from .growing_differences import surely_even
from .growing_traces import traced
from .inferences import Inferences
from .parameters import parameters
from .top_down import Rows, group_of

__all__ = ["CutRelease", "Growing", "PartsInCodes", "boxes_in_codes", "codes_covered"]

NOWHERE = (np.iinfo(np.int64).max, -1)
"""Codes of a cell that covers nothing of a domain: it meets no interval of codes."""


def codes_covered(domain: Domain, cell: Cell) -> tuple[int, int] | None:
    """First and last of the codes that a cell covers; None if they have gaps.

    The last is before the first if a cell of numbers lies between two codes.
    """
    if isinstance(domain, Numeric) and isinstance(cell, Interval):
        return ceil((cell.lo - domain.lo) / domain.step), floor((cell.hi - domain.lo) / domain.step)
    if isinstance(domain, Numeric) or isinstance(cell, Interval):
        return None
    known = domain.hierarchy.leaves if isinstance(domain, Categories) else cast("Ordered", domain).categories
    codes = [code for code, name in enumerate(known) if name in cell.values]
    if not codes:
        return NOWHERE
    return (codes[0], codes[-1]) if codes[-1] - codes[0] == len(codes) - 1 else None


def _ends(domain: Domain, lo: int, hi: int) -> tuple[int, int]:
    """First and last of the codes in the cell over two codes."""
    if isinstance(domain, Categories):
        return domain.node(lo, hi)
    return lo, hi + (isinstance(domain, Numeric) and domain.rounded)


class PartsInCodes:
    """The groups of a release that is cut, first one of all rows.

    Parameters
    ----------
    problem : ProblemView
    """

    def __init__(self, problem: ProblemView) -> None:
        table = problem.table
        self.domains, self.codes = table.domains, np.ascontiguousarray(table.codes, dtype=np.int64)
        _, value = np.unique([m.value for m in table.members], return_inverse=True)
        self.value = value.reshape(-1).astype(np.int64)
        rows, attributes = self.codes.shape
        self.count = 1
        self.arrays = Parts(
            order=np.arange(rows, dtype=np.int64),
            start=np.zeros(2, dtype=np.int64),
            size=np.array([rows, 0]),
            now=np.zeros(rows, dtype=np.int64),
            low=np.zeros((2, attributes), dtype=np.int64),
            high=np.zeros((2, attributes), dtype=np.int64),
        )
        self._box(0, self.arrays.order)

    def rows(self, part: int) -> Rows:
        """The rows of a group."""
        first = self.arrays.start[part]
        return self.arrays.order[first : first + self.arrays.size[part]]

    def cut(self, part: int, left: Rows, right: Rows) -> None:
        """Give the left half the number of the group, the right one a new number."""
        if self.count == len(self.arrays.start):
            arrays = self.arrays
            wider = {name: widened(getattr(arrays, name), 0) for name in ("start", "size", "low", "high")}
            self.arrays = arrays._replace(**wider)
        arrays, first = self.arrays, self.arrays.start[part]
        arrays.order[first : first + len(left)] = left
        arrays.order[first + len(left) : first + len(left) + len(right)] = right
        arrays.start[self.count] = first + len(left)
        arrays.size[part], arrays.size[self.count] = len(left), len(right)
        arrays.now[right] = self.count
        self._box(part, left)
        self._box(self.count, right)
        self.count += 1

    def undo(self, part: int) -> None:
        """Take back the last cut, of this group."""
        self.count -= 1
        self.arrays.size[part] += self.arrays.size[self.count]
        rows = self.rows(part)
        self.arrays.now[rows] = part
        self._box(part, rows)

    def _box(self, part: int, rows: Rows) -> None:
        ends = zip(self.codes[rows].min(axis=0).tolist(), self.codes[rows].max(axis=0).tolist(), strict=True)
        covered = [_ends(domain, lo, hi) for domain, (lo, hi) in zip(self.domains, ends, strict=True)]
        self.arrays.low[part], self.arrays.high[part] = np.array(covered, dtype=np.int64).T


class Growing:
    """One earlier release beside the new one while this is cut.

    Parameters
    ----------
    problem : ProblemView
        The earlier release has no counterfeits and boxes; all its respondents are in the table, unchanged.
    old : Release
    parts : PartsInCodes
        Not cut yet; one group is safe.
    boxes : int64 array of shape (2, earlier groups, attributes)
        The codes that earlier boxes cover.
    tracing : RecordTracing
    difference : Difference
        Not ``deep``.
    fair : bool
        Whether all groups that come out of cuts are (k, c) as differences must be.
    """

    def __init__(
        self,
        problem: ProblemView,
        old: Release,
        parts: PartsInCodes,
        boxes: Codes,
        tracing: RecordTracing,
        difference: Difference,
        *,
        fair: bool,
    ) -> None:
        self._parts, self._people, self._difference = parts, tracing.k, difference
        exact = tracing.edges == "exact"
        ways = ("forward", "backward") if tracing.direction == "both" else (tracing.direction,)
        self._asked = exact, "forward" in ways, exact and "backward" in ways
        home = np.full(len(problem.table), -1, dtype=np.int64)
        for number, group in enumerate(old.groups):
            home[[problem.table.row[who] for who in group.respondents]] = number
        known = np.flatnonzero(home >= 0)
        values, older = int(parts.value.max()) + 1, len(old.groups)
        supply = np.zeros((values, older), dtype=np.int64)
        np.add.at(supply, (parts.value[known], home[known]), 1)
        inside = [
            known[((low <= parts.codes[known]) & (parts.codes[known] <= high)).all(axis=1)]
            for low, high in zip(*boxes, strict=True)
        ]
        self._old = Old(
            codes=parts.codes,
            value=parts.value,
            home=home,
            low=np.ascontiguousarray(boxes[0]),
            high=np.ascontiguousarray(boxes[1]),
            supply=supply,
            inside_at=np.cumsum([0, *map(len, inside)]),
            inside=np.concatenate(inside),
            member_at=np.cumsum([0, *supply.sum(axis=0).tolist()]),
            member=known[np.argsort(home[known], kind="stable")],
            value_at=np.cumsum([0, *supply.sum(axis=1).tolist()]),
            having=known[np.argsort(parts.value[known], kind="stable")],
        )
        self._joined = Beside(
            room=np.zeros((values, 2), dtype=np.int64),
            filled=np.zeros((values, 2), dtype=np.int64),
            meets=np.zeros((2, older), dtype=np.bool_),
            direct=np.zeros((values, older), dtype=np.int64),
        )
        entered(self._old, parts.arrays, self._joined, 0, np.ones(older, dtype=np.bool_))
        self._near = self._joined.meets[0]
        self._fair = fair and _fair_groups(supply, difference)

    def cut(self, part: int) -> None:
        """Follow the cut that `parts` has just made."""
        new = self._parts.count - 1
        if new == len(self._joined.meets):
            joined = self._joined
            self._joined = joined._replace(
                room=widened(joined.room, 1), filled=widened(joined.filled, 1), meets=widened(joined.meets, 0)
            )
        self._near = self._joined.meets[part].copy()
        count_spare(self._joined, part, -1)
        for half in (part, new):
            entered(self._old, self._parts.arrays, self._joined, half, self._near)

    def undo(self, part: int) -> None:
        """Follow `parts`, which has just taken back the cut that was followed last."""
        for half in (part, self._parts.count):
            count_spare(self._joined, half, -1)
        entered(self._old, self._parts.arrays, self._joined, part, self._near)

    def vulnerable(self, part: int) -> bool:
        """Whether records can be traced or a difference is not (k, c) since the last cut, of this group."""
        k, c = self._difference.k, self._difference.c
        arrays = self._old, self._parts.arrays, self._joined
        new = self._parts.count - 1
        if traced(*arrays, self._near, (part, new), self._people, self._asked):
            return True
        if surely_even(*arrays, (part, new), k, c.numerator, c.denominator, self._fair):
            return False
        return self._fair or self._uneven(k, c)

    def _uneven(self, k: int, c: Fraction) -> bool:
        """Whether a difference is not (k, c), by the checker itself."""
        known = self._old.member
        now, home, value = self._parts.arrays.now[known], self._old.home[known], self._old.value[known]
        groups, older = self._parts.count, self._joined.meets.shape[1]
        pairs, at = np.unique(now * older + home, return_inverse=True)
        along = np.zeros((len(pairs), len(self._old.supply)), dtype=np.int64)
        np.add.at(along, (at.reshape(-1), value), 1)
        target, source = pairs // older, pairs % older
        fresh = (self._joined.room - self._joined.filled)[:, :groups].T
        inside = GroupOverlaps(outer=target, inner=source, counts=along, rest=fresh, new=fresh.sum(axis=1))
        if any(True for _ in unsafe_differences(inside, k, c)):
            return True
        usable = (fresh.sum(axis=1) == 0)[target]
        source, target, along = source[usable], target[usable], along[usable]
        rest = self._old.supply.T.copy()
        np.subtract.at(rest, source, along)
        around = GroupOverlaps(outer=source, inner=target, counts=along, rest=rest, new=rest.sum(axis=1))
        return any(True for _ in unsafe_differences(around, k, c))


class CutRelease:
    """The groups of a release that is being cut, which leave no inference attack.

    Parameters
    ----------
    inferences : Inferences
    everybody : int64 array
        All rows. As one group they are not vulnerable.
    """

    def __init__(self, inferences: Inferences, everybody: Rows) -> None:
        self._inferences, problem = inferences, inferences.problem
        self._numbers: dict[bytes, int] = {everybody.tobytes(): 0}
        self._groups: list[QIGroup] = [group_of(problem, everybody)]
        self._parts = PartsInCodes(problem)
        self._left = _left_by_intersection(problem, self._parts.value, inferences.intersection)
        tracing, difference = inferences.tracing, inferences.difference
        past = [old for old in problem.history if old.groups]  # nothing is told by a release of nobody
        boxes = [boxes_in_codes(problem.table.domains, old) for old in past]
        self._pairs: list[Growing] | None = None
        if not difference.deep:
            known = [box for box in boxes if box is not None]
            if len(known) == len(boxes):
                asked = parameters(problem, KCAnonymity, inferences.baseline)
                fair = difference.k <= asked.k and difference.c >= asked.c
                self._pairs = [
                    Growing(problem, old, self._parts, box, tracing, difference, fair=fair)
                    for old, box in zip(past, known, strict=True)
                ]

    def made(self, part: Rows, left: Rows, right: Rows) -> bool:
        """Whether a part can be cut so without an attack; if so the cut is made."""
        if self.isolated(left) or self.isolated(right):
            return False
        number = self._numbers[part.tobytes()]
        if self._pairs is None:
            halves = [group_of(self._inferences.problem, rows) for rows in (left, right)]
            groups = [*self._groups[:number], halves[0], *self._groups[number + 1 :], halves[1]]
            if self._inferences.first(groups, intersected=True) is not None:
                return False
            self._groups = groups
            new = len(groups) - 1
        elif self._refused(self._pairs, number, left, right):
            return False
        else:
            new = self._parts.count - 1
        self._numbers |= {left.tobytes(): number, right.tobytes(): new}
        return True

    def _refused(self, pairs: list[Growing], number: int, left: Rows, right: Rows) -> bool:
        """Cut, and take it back where somebody can attack."""
        self._parts.cut(number, left, right)
        for followed, pair in enumerate(pairs, start=1):
            pair.cut(number)
            if pair.vulnerable(number):
                self._parts.undo(number)
                for other in pairs[:followed]:
                    other.undo(number)
                pairs.insert(0, pairs.pop(followed - 1))
                return True
        return False

    def isolated(self, rows: Rows) -> bool:
        """Whether some of these rows, as a group, are vulnerable to an intersection attack."""
        if self._left is None:
            return self._inferences.isolated([group_of(self._inferences.problem, rows)])
        c = self._inferences.intersection.c
        return _isolated(rows, self._parts.value, self._left, c.numerator, c.denominator)


def _fair_groups(supply: Ints, asked: Difference) -> bool:
    """Whether earlier groups, by values and groups, are (k, c) themselves."""
    size, most = supply.sum(axis=0), supply.max(axis=0)
    return bool((size >= asked.k).all() and (asked.c.denominator * most <= asked.c.numerator * size).all())


def boxes_in_codes(domains: Sequence[Domain], old: Release) -> Codes | None:
    """Codes covered by each box, first and last; None if some cell has gaps."""
    found: list[list[tuple[int, int]]] = []
    known: dict[tuple[int, Cell], tuple[int, int] | None] = {}
    for group in old.groups:
        row: list[tuple[int, int]] = []
        for a, (domain, cell) in enumerate(zip(domains, group.box or (), strict=True)):
            if (a, cell) not in known:
                known[a, cell] = codes_covered(domain, cell)
            ends = known[a, cell]
            if ends is None:
                return None
            row.append(ends)
        found.append(row)
    return np.array(found, dtype=np.int64).transpose(2, 0, 1)


def _left_by_intersection(problem: ProblemView, value: Ints, asked: Intersection) -> Ints | None:
    """How often each row's respondent can have each value, by all earlier groups; None where others decide.

    Somebody new has a value as often as there are rows.
    """
    names = sorted({m.value for m in problem.table.members})
    most = len(value) * max(asked.c.numerator, asked.c.denominator)
    if asked.reading != "multiset" or not len(problem.history) or most > np.iinfo(np.int64).max:
        return None
    left = np.full((len(value), len(names)), len(value), dtype=np.int64)
    for row, member in enumerate(problem.table.members):
        record = problem.history.records.get(member.respondent)
        if record is not None:
            if member.value not in record.inferable:
                return None  # values contradict one another: the requirement says how
            left[row] = [record.inferable.get(name, 0) for name in names]
    return left


@compiled
def _isolated(rows: Ints, value: Ints, left: Ints, over: int, under: int) -> bool:
    """Whether for some of the rows a value has more than its share in what is left of their group."""
    counts = np.bincount(value[rows], minlength=left.shape[1])
    for row in rows:
        total, most = 0, 0
        for v in range(left.shape[1]):
            here = min(counts[v], left[row, v])
            total += here
            most = max(most, here)
        if under * most > over * total:
            return True
    return False
