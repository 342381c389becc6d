"""Levels of the objective by published sizes, in integers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Literal

import numpy as np

from .....models.errors import TooLargeError
from .....models.exact_numbers import common_unit
from .....models.losses.base import loss
from .....models.problem_view import LevelView, ProblemView
from ....colgen.covering import Ints
from .limits import COUNTS_LIMITS as LIMITS

__all__ = ["Prices"]


@dataclass(frozen=True, kw_only=True)
class Prices:
    """One level: what groups by size, counterfeits and suppressed tuples cost.

    Attributes
    ----------
    level : LevelView
    problem : ProblemView
    kind : {"sum", "max", "ratio"}
        As `Loss.combine`.
    """

    level: LevelView
    problem: ProblemView
    kind: Literal["sum", "max", "ratio", "release"]

    @classmethod
    def of(cls, problem: ProblemView, level: LevelView) -> Prices:
        """Read a level; all its losses must answer `Loss.by_size`."""
        return cls(level=level, problem=problem, kind=loss(level.weights[0][0]).combine)

    @cached_property
    def unit(self) -> Fraction:
        """What a cost of 1 stands for; 1 unless the level is a sum."""
        if self.kind != "sum":
            return Fraction(1)
        common = common_unit([weight for _, weight in self.level.weights])
        found = [self._fake, self._suppressed, *(self._group(size) for size in (1, 2, 3))]
        return common / lcm(*((cost / common).denominator for cost in found))

    def groups(self, sizes: Ints) -> Ints:
        """Cost of a group of each size without counterfeits.

        A ratio's groups cost -1 each; for a maximum, see `above`.
        """
        if self.kind == "ratio":
            return np.full(len(sizes), -1, dtype=np.int64)
        costs = {size: self._group(size) / self.unit for size in sorted(set(sizes.tolist()))}
        if any(cost.denominator > 1 or cost > LIMITS.largest_cost for cost in costs.values()):
            raise TooLargeError(f"weights of {self.level.name} have too many digits for 64 bits: round them")
        return np.array([int(costs[size]) for size in sizes.tolist()], dtype=np.int64)

    def fits(self, size: int) -> bool:
        """Whether a group of that size, and all tuples suppressed or invented, cost what fits in 64 bits."""
        if self.kind != "sum":
            return True
        each, tuples = max(self.suppressed, self.fake), len(self.problem.table)
        groups = self._group(size) / self.unit <= LIMITS.largest_cost
        return groups and each * tuples <= LIMITS.largest_cost << 10

    def per_tuple(self, size: int) -> int:
        """No group of `size` tuples or more costs less per tuple.

        Larger groups are sums of ones with `size` to 2 `size` - 1 tuples, and cost no less (`Loss.by_size`).
        """
        if self.kind == "ratio":
            return 0
        sizes = np.arange(size, 2 * size, dtype=np.int64)
        return int((self.groups(sizes) // sizes).min())

    @property
    def fake(self) -> int:
        """Cost of a counterfeit."""
        return int(self._fake / self.unit) if self.kind == "sum" else 0

    @property
    def suppressed(self) -> int:
        """Cost of a suppressed tuple."""
        return int(self._suppressed / self.unit) if self.kind == "sum" else 0

    def value(self, cost: int) -> Fraction:
        """The level's value that a cost stands for; for a maximum, the cost is the size."""
        (name, weight), *_ = self.level.weights
        if self.kind == "sum":
            return cost * self.unit
        if self.kind == "max":
            return self._group(cost) if cost else Fraction(0)
        tuples = len(self.problem.table)
        return weight * loss(name).decode(tuples + cost, 1, self.problem.table)

    def _of(self, size: int, fakes: int) -> Fraction:
        form = self.problem.policy.form
        total = Fraction(0)
        for name, weight in self.level.weights:
            found = loss(name).by_size(size, fakes, form)
            assert found is not None
            total += weight * found
        return total

    def _group(self, size: int) -> Fraction:
        return self._of(size, 0)

    @cached_property
    def _fake(self) -> Fraction:
        return self._of(2, 1) - self._of(2, 0)

    @cached_property
    def _suppressed(self) -> Fraction:
        table = self.problem.table
        return sum(
            (
                weight * loss(name).of_suppressed(table.members[0], table)
                for name, weight in self.level.weights
            ),
            Fraction(0),
        )
