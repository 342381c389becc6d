"""Full-domain recoding evaluated again: every level vector, or why none finer than it needs a look.

A level vector decides the release: tuples with equal cells are one group, and exactly the groups that break
a requirement on groups are suppressed. Nothing of the engine is used, and three arguments spare work:

* cells never get narrower from one level to the next, and a suppressed tuple loses 1 in every attribute. So
  the widths of a vector's cells add up to no more than the information loss of its release;
* what a suppressed tuple loses beyond that is added where it is known which tuples are suppressed;
* in all finer vectors, tuples of a group smaller than any requirement allows are suppressed, and of every
  group that breaks a requirement which merging keeps at least one tuple is. If these are more than may be
  suppressed, no finer vector has a release (`hopeless`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...models.box_measure import BoxMeasure
from ...models.domain import Codes
from ...models.problem import Problem
from ...models.problem_view import smallest_group
from ...models.recoding import Recoding
from ...models.release import QIGroup, Release
from ..settings import Clock

__all__ = ["MOST_VECTORS", "Best", "least"]

Vector: TypeAlias = tuple[int, ...]
Values: TypeAlias = tuple[Fraction, ...]
MOST_VECTORS = 2_000_000
"""Larger lattices are not evaluated."""
LARGEST = 1 << 62
"""Numbers below it are kept in 64 bits."""
KEPT = 1 << 24
"""Numbers of tuples that are kept for the vectors to come."""
BUCKETS = 2
"""At least so many times the tuples."""
SCATTER = 0x9E3779B1
"""The golden ratio in 32 bits: the first bits of its multiples are spread evenly."""


@dataclass(frozen=True, kw_only=True)
class Best:
    """What is known at the end.

    Attributes
    ----------
    values : tuple of Fraction or None
        The least objective of all releases that were found; None if there was none.
    bounds : tuple of Fraction
        No release is below it, lexicographically.
    whole : bool
        Whether nothing was left out for time.
    """

    values: Values | None
    bounds: Values
    whole: bool


def least(problem: Problem, below: Values | None, clock: Clock) -> Best | None:
    """Look for a release with an objective below `below` (any, if that is None).

    Parameters
    ----------
    problem : Problem
        With recoding ``"full_domain"``.
    below : tuple of Fraction or None
        Level vectors whose widths alone reach it are left out.
    clock : Clock

    Returns
    -------
    Best or None
        None if the lattice is too large.
    """
    table = _Table(problem)
    if np.prod([float(height + 1) for height in table.heights]) > MOST_VECTORS:
        return None
    best: Values | None = None
    open_bounds: list[Values] = []
    lattice = _Lattice(table, below)
    for levels in lattice.open_ones():
        if clock.over:
            open_bounds.append(table.widths(levels))
            continue
        classes = None if table.too_small(levels) else table.classes(levels)
        gone = None if classes is None else table.suppressed(levels, classes)
        if classes is None or gone is None:
            lattice.give_up(levels)
        elif int(classes.sizes[gone].sum()) <= table.limit:
            known = [end for end in (best, below) if end is not None]
            if known and table.widths(levels, gone[classes.home]) >= min(known):
                continue
            release = table.release(levels, classes, gone)
            if next(problem.check(release), None) is None:
                values = problem.objective(release)
                best = values if best is None else min(best, values)
    ends = [*open_bounds, *(end for end in (best, below) if end is not None)]
    return Best(
        values=best,
        bounds=min(ends, default=tuple(Fraction(0) for _ in problem.policy.levels)),
        whole=not open_bounds,
    )


class _Lattice:
    """Level vectors whose widths are below `below`, less those that are finer than a hopeless one.

    Widths only grow with the levels, so of vectors that are coarser than one in here all that could make it
    hopeless are in here, too.
    """

    def __init__(self, table: _Table, below: Values | None) -> None:
        self._shape = tuple(height + 1 for height in table.heights)
        places = np.unravel_index(np.arange(np.prod(self._shape)), self._shape)
        self._strides = np.array([np.prod(self._shape[a + 1 :]) for a in range(len(places))], dtype=np.int64)
        inside = np.ones(len(places[0]), dtype=np.bool_)
        if below is not None:
            inside, level = np.zeros_like(inside), np.ones_like(inside)
            for lost, end in zip(table.lost, below, strict=True):
                # Whole multiples of one unit; Python's integers where they are too large for a machine's.
                unit = lcm(end.denominator, *(own.denominator for column in lost for own in column))
                whole = [[int(own * unit) for own in column] for column in lost]
                goal = int(end * unit)
                small = max(goal, sum(map(max, whole))) < LARGEST
                sums = np.zeros(len(level), dtype=np.int64 if small else object)
                for column, place in zip(whole, places, strict=True):
                    sums += np.array(column, dtype=sums.dtype)[place]
                inside |= level & np.asarray(sums < goal, dtype=np.bool_)
                level &= np.asarray(sums == goal, dtype=np.bool_)
        self._left = np.flatnonzero(inside)
        self._levels = np.stack(places, axis=1)[self._left]
        self._hopeless = np.zeros(len(inside), dtype=np.bool_)

    def open_ones(self) -> Iterator[Vector]:
        """Coarse before fine, so that a hopeless vector is known before all that are finer."""
        height = self._levels.sum(axis=1)
        falling = np.argsort(-height, kind="stable")
        for here in np.split(falling, np.flatnonzero(np.diff(height[falling])) + 1):
            at, levels = self._left[here], self._levels[here]
            for a, stride in enumerate(self._strides.tolist()):
                up = levels[:, a] + 1 < self._shape[a]
                self._hopeless[at[up]] |= self._hopeless[at[up] + stride]
            for vector in levels[~self._hopeless[at]].tolist():
                yield tuple(vector)

    def give_up(self, levels: Vector) -> None:
        """No vector that is as fine or finer has a release."""
        self._hopeless[int(np.dot(self._strides, levels))] = True


@dataclass(frozen=True, eq=False)
class _Classes:
    """Tuples with equal cells: the class of each row, and how many rows each class has."""

    home: Codes
    sizes: Codes

    def rows(self) -> Iterator[list[int]]:
        """The rows of one class after the other."""
        order = np.argsort(self.home, kind="stable")
        for part in np.split(order, np.cumsum(self.sizes)[:-1]):
            yield part.tolist()


class _Table:
    """A problem's table and requirements."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        table = problem.table
        self.limit = problem.policy.suppression_limit(len(table))
        self.smallest = smallest_group(problem)
        self.judging = [(r, r.structure(problem).monotone) for r in problem.policy.group_requirements]
        self.values = tuple(sorted(table.histogram))
        place = {value: at for at, value in enumerate(self.values)}
        self.value = np.array([place[member.value] for member in table.members], dtype=np.int64)
        self.heights = [ladder.height for ladder in problem.ladders]
        self._parts = [
            [ladder.parts(level, table.codes[:, a]) for level in range(ladder.height + 1)]
            for a, ladder in enumerate(problem.ladders)
        ]
        self._counts = [max(int(part.max(initial=0)) + 1 for part in column) for column in self._parts]
        self._known: dict[tuple[int, Vector], NDArray[np.uint32]] = {}
        widths = [
            [self._loss(a, level) for level in range(ladder.height + 1)]
            for a, ladder in enumerate(problem.ladders)
        ]
        measures = [BoxMeasure.of(level, table) for level in problem.policy.levels]
        none = (Fraction(0),) * len(table.domains)
        self.weights = [none if m is None else tuple(m.factor * u for u in m.units) for m in measures]
        self.lost = [
            [[w * own for own in column] for w, column in zip(units, widths, strict=True)]
            for units in self.weights
        ]
        """By level of the objective, attribute and level of its ladder: what the widths of cells cost."""

    def _loss(self, a: int, level: int, some: NDArray[np.bool_] | None = None) -> Fraction:
        """Widths of the cells of all rows, or of some, in one attribute, added up."""
        ladder, column = self.problem.ladders[a], self.problem.table.codes[:, a]
        codes, counts = np.unique(column if some is None else column[some], return_counts=True)
        cells = (ladder.domain.width(ladder.cell(level, int(code))) for code in codes)
        return sum((width * int(count) for width, count in zip(cells, counts, strict=True)), Fraction(0))

    def widths(self, levels: Vector, gone: NDArray[np.bool_] | None = None) -> Values:
        """Level by level, no release of these cells in which these tuples are suppressed is below it.

        Without them no release of these or coarser cells, whatever it suppresses.
        """
        more = [Fraction(0)] * len(levels)
        if gone is not None:
            more = [int(gone.sum()) - self._loss(a, level, gone) for a, level in enumerate(levels)]
        found: list[Fraction] = []
        for weights, lost in zip(self.weights, self.lost, strict=True):
            cells = sum((column[level] for column, level in zip(lost, levels, strict=True)), Fraction(0))
            found.append(cells + sum((w * own for w, own in zip(weights, more, strict=True)), Fraction(0)))
        return tuple(found)

    def too_small(self, levels: Vector) -> bool:
        """Whether more tuples than may be suppressed are surely in classes smaller than requirements allow.

        Tuples are counted in buckets by their cells: classes that share one only look larger.
        """
        middle, bits = len(levels) // 2, (BUCKETS * len(self.value)).bit_length()
        scattered = self._scattered(0, levels[:middle]) + self._scattered(middle, levels[middle:])
        sizes = np.bincount(scattered >> np.uint32(32 - min(bits, 32)))
        return int(sizes[sizes < self.smallest].sum()) > self.limit

    def _scattered(self, start: int, levels: Vector) -> NDArray[np.uint32]:
        """A number per tuple, by its cells in some attributes; neighbouring vectors have most in common."""
        found = self._known.get((start, levels))
        if found is None:
            found = np.zeros(len(self.value), dtype=np.uint32)
            for a, level in enumerate(levels, start=start):
                found += self._parts[a][level].astype(np.uint32) * np.uint32(pow(SCATTER, a + 1, 1 << 32))
            if len(self._known) * len(found) > KEPT:
                self._known.clear()
            self._known[start, levels] = found
        return found

    def classes(self, levels: Vector) -> _Classes:
        """Tuples with equal cells."""
        home, count = np.zeros(len(self.value), dtype=np.int64), 1
        for a, level in enumerate(levels):
            if count * self._counts[a] > LARGEST:  # renumbered, so that numbers stay small
                home = pd.factorize(home)[0].astype(np.int64)
                count = len(home)
            home = home * self._counts[a] + self._parts[a][level]
            count *= self._counts[a]
        home = pd.factorize(home)[0].astype(np.int64)
        return _Classes(home, np.bincount(home).astype(np.int64))

    def suppressed(self, levels: Vector, classes: _Classes) -> NDArray[np.bool_] | None:
        """Which classes break a requirement on groups; None if no finer vector has a release, either."""
        small = classes.sizes < self.smallest
        broken, forced = small.copy(), small.copy()
        kinds = len(classes.sizes), len(self.values)
        counts = np.bincount(classes.home * kinds[1] + self.value, minlength=kinds[0] * kinds[1])
        counts = counts.reshape(kinds).astype(np.int64)
        groups: list[QIGroup] | None = None
        for requirement, monotone in self.judging:
            kept = requirement.admits_counts(counts, self.values, self.problem.context)
            if kept is None:
                groups = groups or self._groups(levels, classes)
                kept = np.array([requirement.admits(group, self.problem.context) for group in groups])
            broken |= ~kept
            if monotone:
                forced |= ~kept
        lost = int(classes.sizes[small].sum()) + int((forced & ~small).sum())
        return None if lost > self.limit else broken

    def _groups(self, levels: Vector, classes: _Classes) -> list[QIGroup]:
        table, recoding = self.problem.table, Recoding(ladders=self.problem.ladders, levels=levels)
        return [
            QIGroup(
                members=tuple(table.members[row] for row in rows),
                box=recoding.box(table.codes[rows[0]].tolist()),
            )
            for rows in classes.rows()
        ]

    def release(self, levels: Vector, classes: _Classes, gone: NDArray[np.bool_]) -> Release:
        """What the vector publishes."""
        recoding = Recoding(ladders=self.problem.ladders, levels=levels)
        kept = [rows for rows, lost in zip(classes.rows(), gone.tolist(), strict=True) if not lost]
        boxes = [recoding.box(self.problem.table.codes[rows[0]].tolist()) for rows in kept]
        return self.problem.assemble(kept, boxes=boxes)
