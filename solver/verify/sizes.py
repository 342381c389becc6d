"""Levels of an objective that sizes decide, as whole numbers: what a group of each size costs.

A level is a sum of losses f(size) + a times counterfeits, with a price for every suppressed tuple; or the
largest f(size) of a group, told by that size; or a ratio that falls with the number of groups, told by its
negative. `Loss.by_size` promises that f never falls and that cutting a group in two never costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

from ...models.errors import CertificateError
from ...models.exact_numbers import common_unit
from ...models.losses.base import loss
from ...models.policy import Level
from ...models.problem import Problem
from .rows import Ints

__all__ = ["SizeCosts"]

LARGEST = 1 << 50


@dataclass(frozen=True, kw_only=True)
class SizeCosts:
    """One level.

    Raises
    ------
    CertificateError
        By `of`: if boxes matter; by others: if costs are not whole numbers of moderate size.
    """

    problem: Problem
    level: Level

    @classmethod
    def of(cls, problem: Problem, level: Level) -> SizeCosts:
        """Read a level."""
        if any(loss(name).by_size(1, 0, problem.policy.form) is None for name in level.losses):
            raise CertificateError(f"{level.name} depends on more than the sizes of groups")
        return cls(problem=problem, level=level)

    @property
    def kind(self) -> str:
        """``"sum"``, ``"max"`` or ``"ratio"``."""
        return loss(self.level.weights[0][0]).combine

    @cached_property
    def unit(self) -> Fraction:
        """What a cost of 1 stands for in a sum."""
        if self.kind != "sum":
            return Fraction(1)
        common = common_unit([weight for _, weight in self.level.weights])
        found = [self._fake, self._hidden, *(self._loss(size, 0) for size in (1, 2, 3))]
        return common / lcm(*((each / common).denominator for each in found))

    def groups(self, sizes: Ints) -> Ints:
        """Cost of groups without counterfeits; each costs -1 in a ratio."""
        if self.kind == "ratio":
            return np.full(len(sizes), -1, dtype=np.int64)
        known = {size: self._whole(self._loss(size, 0)) for size in set(sizes.tolist())}
        return np.array([known[size] for size in sizes.tolist()], dtype=np.int64)

    def per_tuple(self, size: int) -> int:
        """No group with so many tuples or more costs less per tuple: it can be cut until none has twice."""
        if self.kind == "ratio":
            return 0
        sizes = np.arange(size, 2 * size, dtype=np.int64)
        return int((self.groups(sizes) // sizes).min())

    @property
    def fake(self) -> int:
        """Cost of a counterfeit."""
        return self._whole(self._fake) if self.kind == "sum" else 0

    @property
    def hidden(self) -> int:
        """Cost of a suppressed tuple."""
        return self._whole(self._hidden) if self.kind == "sum" else 0

    def value(self, cost: int) -> Fraction:
        """What a cost stands for; of a maximum, the size of the largest group."""
        (name, weight), *_ = self.level.weights
        if self.kind == "sum":
            return cost * self.unit
        if self.kind == "max":
            return self._loss(cost, 0) if cost else Fraction(0)
        table = self.problem.table
        return weight * loss(name).decode(len(table) + cost, 1, table)

    def _whole(self, value: Fraction) -> int:
        cost = value / self.unit
        if cost.denominator > 1 or cost > LARGEST:
            raise CertificateError(f"{self.level.name}: costs by size are not whole numbers of moderate size")
        return int(cost)

    def _loss(self, size: int, fakes: int) -> Fraction:
        total = Fraction(0)
        for name, weight in self.level.weights:
            found = loss(name).by_size(size, fakes, self.problem.policy.form)
            assert found is not None
            total += weight * found
        return total

    @property
    def _fake(self) -> Fraction:
        return self._loss(2, 1) - self._loss(2, 0)

    @property
    def _hidden(self) -> Fraction:
        table, total = self.problem.table, Fraction(0)
        for name, weight in self.level.weights:
            total += weight * loss(name).of_suppressed(table.members[0], table)
        return total
