"""How long heuristics take, roughly: said by what grows with a table, measured on 30,162 people of Adult.

Four, seven and nine quasi-identifiers, k = 5 and 10; what is said is within a factor of two there.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from ...models.problem import Problem
from ...models.problem_view import smallest_group

__all__ = ["Extent", "Pace"]

TESTED = 0.75
"""Incognito tests twice so high a power of the number of level vectors: 54 of 80, 727 of 2,160."""
OVERHEAD = 2_500
"""A test takes as long as for so many more tuples."""


@dataclass(frozen=True, kw_only=True)
class Extent:
    """What the time of heuristics grows with.

    Attributes
    ----------
    tuples, attributes : int
    points : int
        Tuples that differ in some quasi-identifier.
    least : int
        Tuples in a smallest group.
    vectors : int
        Ways to choose a level for each quasi-identifier.
    """

    tuples: int
    attributes: int
    points: int
    least: int
    vectors: int

    @staticmethod
    def of(problem: Problem) -> Extent:
        """The extent of a problem; O(n d log n)."""
        table = problem.table
        return Extent(
            tuples=len(table),
            attributes=len(table.domains),
            points=len(np.unique(table.codes, axis=0)),
            least=max(1, smallest_group(problem)),
            vectors=prod(ladder.height + 1 for ladder in problem.ladders),
        )


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Seconds on an ordinary machine.

    Attributes
    ----------
    tuple : float
        Per tuple and quasi-identifier.
    point : float
        Per tuple and different point: each tuple is the nearest of all points left.
    pair : float
        Per pair of tuples and quasi-identifier, if groups have one tuple: each looks at all that are left.
    level : float
        Per tuple and level vector that is tested.
    start : float
        Before the first tuple: of compiled code, so that simple heuristics come first.
    """

    tuple: float = 0.0
    point: float = 0.0
    pair: float = 0.0
    level: float = 0.0
    start: float = 0.0

    def seconds(self, extent: Extent) -> float:
        """Roughly how long it takes."""
        each = self.tuple * extent.attributes + self.point * extent.points
        each += self.pair * extent.tuples * extent.attributes / extent.least
        tests = 2 * extent.vectors**TESTED
        return self.start + each * extent.tuples + self.level * tests * (extent.tuples + OVERHEAD)
