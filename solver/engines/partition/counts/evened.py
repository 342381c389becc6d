"""Columns where only sorted counts matter and evening out never breaks a requirement.

Let a release have groups with sorted counts p1, p2, ... The values' totals n can be dealt to groups with
just these counts or more even ones exactly if n is majorized by p1 + p2 + ...: the k most frequent
values have no more tuples than the k largest counts of all groups together, for each k, and totals are
equal. (Sums of permutohedra are permutohedra of the sums, and their integer points are sums of integer
points, as for all polymatroids.) More even groups are admissible, so the condition is exact, and of all
admissible counts of one size only those that no other majorizes are needed.

For a size, the k largest counts have at most a certain sum: the largest P for which P tuples spread evenly
over k values, and the others evenly over the rest, are admissible; that is the most even histogram with
such a sum. If the differences of these sums for k = 1, 2, ... are themselves admissible counts, they
majorize all others. If not, admissible counts of that size are listed if they are few, and otherwise
the sums stand in for them in bounds.

Equal counts: with m-invariance and its kin a value occurs 1 time (or a fixed number of times) in
every needed group, and there is nothing to even out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....models.problem import Problem
from .....models.structure import DependsOn, Structure
from ....colgen.covering import Ints
from .limits import COUNTS_LIMITS as LIMITS
from .shapes import Shapes, needed, published_at_most, splits_at
from .verdicts import CountVerdicts

__all__ = ["evened"]


def evened(problem: Problem, top: int) -> Shapes | None:
    """Find the columns; None if requirements have another form."""
    verdicts = CountVerdicts(problem)
    there = problem.table.histogram
    values = tuple(sorted(verdicts.values, key=lambda v: (-there.get(v, 0), v)))
    room = np.array([there.get(v, 0) for v in values], dtype=np.int64)
    asked = _AskedCounts(problem, verdicts, values, room)
    if verdicts.blind:
        return _by_size(asked, top)
    structures = [r.structure(problem) for r in verdicts.requirements]
    rules = [s.signature for s in structures if s.signature is not None]
    if not all(_evening(s) for s in structures if s.signature is None):
        return None
    if rules:
        times = {rule.multiplicity for rule in rules if rule.multiplicity is not None}
        if len(times) > 1:
            return _made(asked, [], unit=1)
        return _equal(asked, max(r.min_values for r in rules), min(times, default=None))
    return _unequal(asked, top)


class _AskedCounts(NamedTuple):
    """Whose columns are sought: values from the most frequent one on, and how many tuples have each."""

    problem: Problem
    verdicts: CountVerdicts
    values: tuple[str, ...]
    room: Ints

    @property
    def published(self) -> int:
        """No release worth looking at publishes more tuples."""
        return published_at_most(self.problem, len(self.values))


def _evening(structure: Structure) -> bool:
    return (structure.schur_concave and structure.symmetric) or structure.depends_on is DependsOn.SIZE


def _made(
    asked: _AskedCounts, columns: list[tuple[Ints, bool]], *, unit: int = 1, beyond: int | None = None
) -> Shapes:
    """Columns of partial sums, and whether they are real; not needed ones are left out."""
    counts = np.array([sums for sums, _ in columns], dtype=np.int64).reshape(len(columns), len(asked.room))
    return needed(
        Shapes(
            values=asked.values,
            room=asked.room,
            sizes=counts[:, -1].copy(),
            counts=counts,
            real=np.array([real for _, real in columns], dtype=np.bool_),
            evened=True,
            unit=unit,
            beyond=beyond,
        )
    )


def _most(asked: _AskedCounts, top: int) -> tuple[int, int | None]:
    """Largest size to look at, and whether there may be needed ones beyond."""
    most, splits = asked.published, splits_at(asked.verdicts)
    if splits is not None:
        most = min(most, splits - 1)
        top = max(top, LIMITS.splits)
    top = min(most, top, max(64, LIMITS.most_judged // len(asked.values) ** 2))
    return top, None if top == most else top


def _by_size(asked: _AskedCounts, top: int) -> Shapes:
    last, beyond = _most(asked, top)
    sizes = np.arange(1, last + 1, dtype=np.int64)
    sizes = sizes[asked.verdicts.sizes(sizes)]
    return needed(
        Shapes(
            values=asked.values,
            room=asked.room,
            sizes=sizes,
            counts=sizes[:, None],
            real=np.ones(len(sizes), dtype=np.bool_),
            evened=True,
            blind=True,
            beyond=beyond,
        )
    )


def _equal(asked: _AskedCounts, least: int, times: int | None) -> Shapes | None:
    """Each value once, or a fixed number of times; a group with c of each is cut into c groups."""
    unit, values, found = times or 1, len(asked.values), list[Ints]()
    for wide in range(least, values + 1):
        pattern = np.array([[unit] * wide + [0] * (values - wide)], dtype=np.int64)
        if asked.verdicts.admit(pattern)[0]:
            found.append(pattern[0])
        elif times is None:
            most = min(asked.published, LIMITS.most_sizes) // wide
            multiples = np.arange(2, most + 1, dtype=np.int64)[:, None] * pattern
            if most * wide < asked.published - wide or asked.verdicts.admit(multiples).any():
                return None
    return _made(asked, [(pattern.cumsum(), True) for pattern in found], unit=unit)


def _unequal(asked: _AskedCounts, top: int) -> Shapes:
    verdicts, (last, beyond) = asked.verdicts, _most(asked, top)
    sizes, sums = _envelope(verdicts, np.arange(1, last + 1, dtype=np.int64))
    steps = np.diff(sums, axis=1, prepend=0)
    falling = (np.diff(steps, axis=1) <= 0).all(axis=1) & (steps >= 0).all(axis=1)
    exact = falling & verdicts.admit(steps)
    columns: list[tuple[Ints, bool]] = []
    for size, sum_, good in zip(sizes.tolist(), sums, exact.tolist(), strict=True):
        if good:
            columns.append((sum_, True))
            continue
        listed = _least_even(verdicts, size, sum_) if len(columns) < LIMITS.most_evened else None
        if listed is not None:
            columns += [(line, True) for line in listed]
            continue
        # One that exists, and one that stands in for all.
        first = int(sum_[0])
        columns.append((_spread(np.array([size]), np.array([first]), 1, len(asked.values))[0].cumsum(), True))
        columns.append((sum_, False))
    return _made(asked, columns, beyond=beyond)


def _spread(sizes: Ints, sums: Ints, first: int, values: int) -> Ints:
    """Histograms whose `first` largest counts have a given sum, as even as that can be."""
    counts = np.zeros((len(sizes), values), dtype=np.int64)
    for start, end, total in ((0, first, sums), (first, values, sizes - sums)):
        wide = end - start
        if wide:
            counts[:, start:end] = (total // wide)[:, None] + (np.arange(wide) < (total % wide)[:, None])
    return counts


def _envelope(verdicts: CountVerdicts, sizes: Ints) -> tuple[Ints, Ints]:
    """Sizes that groups can have, and for each the most that its 1, 2, ... largest counts can hold."""
    values = len(verdicts.values)
    evenest = _spread(sizes, sizes, values, values)
    fits = verdicts.admit(evenest)
    sizes, least = sizes[fits], evenest[fits].cumsum(axis=1)
    sums = np.repeat(sizes[:, None], values, axis=1)
    for first in range(1, values):
        low, high = least[:, first - 1].copy(), sizes.copy()
        open_ = np.flatnonzero(~verdicts.admit(_spread(sizes, high, first, values)))
        if not len(open_):
            break
        high[open_] -= 1
        low[np.setdiff1d(np.arange(len(sizes)), open_)] = sizes[np.setdiff1d(np.arange(len(sizes)), open_)]
        while True:
            open_ = np.flatnonzero(low < high)
            if not len(open_):
                break
            middle = (low[open_] + high[open_] + 1) // 2
            good = verdicts.admit(_spread(sizes[open_], middle, first, values))
            low[open_[good]] = middle[good]
            high[open_[~good]] = middle[~good] - 1
        sums[:, first - 1] = low
    return sizes, sums


def _least_even(verdicts: CountVerdicts, size: int, sums: Ints) -> list[Ints] | None:
    """Partial sums of the admissible counts of one size that no others majorize; None if too many."""
    listed: list[tuple[int, ...]] = []
    for counts in _partitions(size, sums.tolist()):
        listed.append(counts)
        if len(listed) > LIMITS.most_parts:
            return None
    table = np.array(listed, dtype=np.int64).reshape(len(listed), len(sums))
    good: NDArray[np.bool_] = verdicts.admit(table)
    kept: list[Ints] = []
    for line in table[good].cumsum(axis=1):
        # In falling order, whatever majorizes a line came before it.
        if not any((other >= line).all() for other in kept):
            kept.append(line)
    return kept


def _partitions(size: int, sums: list[int]) -> Iterator[tuple[int, ...]]:
    """Falling counts of `size` tuples within given partial sums, in falling order."""

    def extend(at: int, taken: int, last: int) -> Iterator[tuple[int, ...]]:
        if at == len(sums):
            if taken == size:
                yield ()
            return
        left = size - taken
        if left > last * (len(sums) - at):
            return
        for count in range(min(last, left, sums[at] - taken), -1, -1):
            if count * (len(sums) - at) < left:
                return
            for rest in extend(at + 1, taken + count, count):
                yield (count, *rest)

    return extend(0, 0, size)
