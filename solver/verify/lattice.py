"""Full-domain recoding evaluated again: every level vector, or why none finer than it needs a look.

A level vector decides the release: tuples with equal cells are one group, and exactly the groups that break
a requirement on groups are suppressed. Nothing of the engine is used, and two arguments spare vectors:

* cells never get narrower from one level to the next, and a suppressed tuple loses 1 in every attribute. So
  the widths of a vector's cells add up to no more than the information loss of its release;
* in all finer vectors, tuples of a group smaller than any requirement allows are suppressed, and of every
  group that breaks a requirement which merging keeps at least one tuple is. If these are more than may be
  suppressed, no finer vector has a release (`hopeless`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...models.box_measure import BoxMeasure
from ...models.domain import Codes
from ...models.problem import Problem
from ...models.problem_view import smallest_group
from ...models.recoding import Recoding
from ...models.release import QIGroup, Release
from ...models.requirement import GroupRequirement
from ..settings import Clock

__all__ = ["MOST_VECTORS", "Best", "least"]

Vector: TypeAlias = tuple[int, ...]
Values: TypeAlias = tuple[Fraction, ...]
MOST_VECTORS = 2_000_000
"""Larger lattices are not evaluated."""


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
    heights = [ladder.height for ladder in problem.ladders]
    if np.prod([float(height + 1) for height in heights]) > MOST_VECTORS:
        return None
    hopeless: set[Vector] = set()
    best: Values | None = None
    open_bounds: list[Values] = []
    # Coarse before fine, so that a hopeless vector is known before all that are finer.
    for levels in sorted(product(*(range(h + 1) for h in heights)), key=sum, reverse=True):
        if any((*levels[:a], up + 1, *levels[a + 1 :]) in hopeless for a, up in enumerate(levels)):
            hopeless.add(levels)
            continue
        widths = table.widths(levels)
        if below is not None and widths >= below:
            continue
        if clock.over:
            open_bounds.append(widths)
            continue
        classes = table.classes(levels)
        gone = table.suppressed(levels, classes)
        if gone is None:
            hopeless.add(levels)
        elif int(classes.sizes[gone].sum()) <= table.limit:
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
        table, requirements = problem.table, problem.policy.requirements
        self.limit = problem.policy.suppression_limit(len(table))
        self.smallest = smallest_group(problem)
        self.judging = [r for r in requirements if isinstance(r, GroupRequirement)]
        self.values = tuple(sorted(table.histogram))
        place = {value: at for at, value in enumerate(self.values)}
        self.value = np.array([place[member.value] for member in table.members], dtype=np.int64)
        self.parts = [
            [ladder.parts(level, table.codes[:, a]) for level in range(ladder.height + 1)]
            for a, ladder in enumerate(problem.ladders)
        ]
        self._lost = [
            [self._loss(a, level) for level in range(ladder.height + 1)]
            for a, ladder in enumerate(problem.ladders)
        ]
        measures = [BoxMeasure.of(level, table) for level in problem.policy.levels]
        none = (Fraction(0),) * len(table.domains)
        self._weights = [none if m is None else tuple(m.factor * u for u in m.units) for m in measures]

    def _loss(self, a: int, level: int) -> Fraction:
        """Widths of all rows' cells in one attribute, added up."""
        ladder = self.problem.ladders[a]
        codes, counts = np.unique(self.problem.table.codes[:, a], return_counts=True)
        cells = (ladder.domain.width(ladder.cell(level, int(code))) for code in codes)
        return sum((width * int(count) for width, count in zip(cells, counts, strict=True)), Fraction(0))

    def widths(self, levels: Vector) -> Values:
        """Level by level, no release of these or coarser cells is below it."""
        lost = [self._lost[a][level] for a, level in enumerate(levels)]
        return tuple(
            sum((w * own for w, own in zip(weights, lost, strict=True)), Fraction(0))
            for weights in self._weights
        )

    def classes(self, levels: Vector) -> _Classes:
        """Tuples with equal cells."""
        home = np.zeros(len(self.value), dtype=np.int64)
        for a, level in enumerate(levels):
            # Renumbered after every attribute, so that numbers stay small.
            pairs = home * (int(self.parts[a][level].max(initial=0)) + 1) + self.parts[a][level]
            _, home = np.unique(pairs, return_inverse=True)
        return _Classes(home.astype(np.int64), np.bincount(home).astype(np.int64))

    def suppressed(self, levels: Vector, classes: _Classes) -> NDArray[np.bool_] | None:
        """Which classes break a requirement on groups; None if no finer vector has a release, either."""
        small = classes.sizes < self.smallest
        broken, forced = small.copy(), small.copy()
        counts = np.zeros((len(classes.sizes), len(self.values)), dtype=np.int64)
        np.add.at(counts, (classes.home, self.value), 1)
        groups: list[QIGroup] | None = None
        for requirement in self.judging:
            kept = requirement.admits_counts(counts, self.values, self.problem.context)
            if kept is None:
                groups = groups or self._groups(levels, classes)
                kept = np.array([requirement.admits(group, self.problem.context) for group in groups])
            broken |= ~kept
            if requirement.structure(self.problem).monotone:
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
