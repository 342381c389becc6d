"""The integer program of a level that sizes decide: what a search tree must prove of it.

Variables: how many groups of each shape (`shapes`); per row suppressed tuples s and counterfeits f, where the
policy allows them; per row the multiple of the unit that is published, if there is one; N larger groups than
those of the shapes and their tuples B, per row or, for sums, all together. Last the totals of groups,
suppressed tuples and counterfeits.

Rows of values: ``counts of the groups + s - f + B = tuples``; for sums, at least the sums of the totals n - s
+ f, which fall like the table's. Every group has a real tuple, so groups and suppressed tuples are no more
than tuples; and those groups that publish no values but those of a set W no more than the tuples left of W.
Larger groups have one tuple more than any shape at least, and cost at least as much per tuple as any of that
size. Levels before cost no more than the release does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from ...models.errors import CertificateError
from ...models.problem import Problem
from ..exact.program import FREE, Program
from .parts import most_published
from .rows import Ints
from .shapes import CheckedShapes, shapes_of
from .sizes import SizeCosts

__all__ = ["BySizes", "CostFloor"]


@dataclass(frozen=True, kw_only=True)
class CostFloor:
    """That no solution of a program costs less than a target.

    Attributes
    ----------
    program : Program
    target : int
    totals : slice
        The variables of totals: the best ones to branch on.
    """

    program: Program
    target: int
    totals: slice


@dataclass(frozen=True, kw_only=True)
class BySizes:
    """Variables and rows that all levels share; groups of up to some size are looked at one by one."""

    problem: Problem
    shapes: CheckedShapes

    @classmethod
    def of(cls, problem: Problem, top: int) -> BySizes:
        """Find the shapes.

        Raises
        ------
        CertificateError
            If histograms do not decide what groups are admissible.
        """
        return cls(problem=problem, shapes=shapes_of(problem, top))

    def value(self, level: int, bound: int) -> Fraction:
        """What a cost of a level stands for; of a maximum, the size of the largest group."""
        return SizeCosts.of(self.problem, self.problem.policy.levels[level]).value(bound)

    def asked(
        self, level: int, costs: Sequence[int], bound: int, sets: Sequence[Sequence[int]]
    ) -> CostFloor | None:
        """What must be shown for a level's bound; None if it says nothing.

        Parameters
        ----------
        level : int
        costs : sequence of int
            Of the levels before, which releases do not exceed.
        bound : int
            Of this level, which releases are claimed not to be below.
        sets : sequence of sequence of int
            Sets W of values, by their place among the rows.

        Raises
        ------
        CertificateError
            If a level is not decided by sizes, or a set names values that are not there.
        """
        prices = [SizeCosts.of(self.problem, found) for found in self.problem.policy.levels[: level + 1]]
        named = [sorted(set(inside)) for inside in sets]
        if named and (self.shapes.sums or any(not 0 <= v < self.rows for inside in named for v in inside)):
            raise CertificateError("the proof names values that are not there")
        limits = [
            (self._above(self._as_large(price, cost)), 0)
            if price.kind == "max"
            else (self._cost(price), cost)
            for price, cost in zip(prices, costs, strict=False)
        ]
        line, target = np.zeros(0, dtype=np.int64), bound
        if prices[level].kind == "max":
            smaller = [size for size in self._group_sizes if size < bound]
            if not smaller:
                return None
            line, target = self._above(smaller[-1]), 1
        else:
            line = self._cost(prices[level])
        return CostFloor(
            program=self._program(line, limits, named), target=target, totals=self.parts["totals"]
        )

    @property
    def rows(self) -> int:
        """Rows of values."""
        return len(self.shapes.tuples)

    @property
    def people(self) -> int:
        """Tuples of the table."""
        return len(self.problem.table)

    @cached_property
    def hides(self) -> int:
        """Most suppressed tuples."""
        return self.problem.policy.suppression_limit(self.people)

    @cached_property
    def fakes(self) -> int:
        """Most counterfeits: if any number, no group needs more tuples than the largest shape."""
        limit, shapes = self.problem.policy.counterfeit_limit, self.shapes
        if limit is not None:
            return limit
        if shapes.beyond is None:
            return self.people * int(shapes.sizes.max(initial=1))
        return most_published(self.problem, len(self.problem.values)) - self.people

    @cached_property
    def parts(self) -> dict[str, slice]:
        """Where the variables are."""
        shapes, larger = self.shapes, self.shapes.beyond is not None
        wide = {
            "groups": len(shapes.sizes),
            "hidden": self.rows if self.hides else 0,
            "fakes": self.rows if self.fakes else 0,
            "multiples": self.rows if shapes.unit > 1 else 0,
            "larger": int(larger),
            "inside": (1 if shapes.sums else self.rows) if larger else 0,
            "totals": 3,
        }
        ends = np.cumsum([0, *wide.values()]).tolist()
        return {name: slice(ends[i], ends[i + 1]) for i, name in enumerate(wide)}

    @property
    def width(self) -> int:
        """How many variables there are."""
        return self.parts["totals"].stop

    @property
    def first_larger(self) -> int:
        """The least size beyond the shapes."""
        return (self.shapes.beyond or 0) + 1

    @property
    def _group_sizes(self) -> list[int]:
        """Sizes that the largest group can have, rising; 0 if there is none."""
        larger = [] if self.shapes.beyond is None else [self.first_larger]
        return sorted({0, *self.shapes.sizes.tolist(), *larger})

    def _line(self, **parts: Any) -> Ints:
        """Coefficients by kind of variable."""
        found = np.zeros(self.width, dtype=np.int64)
        for name, entries in parts.items():
            found[self.parts[name]] = entries
        return found

    def _cost(self, price: SizeCosts) -> Ints:
        """What a level costs, unless it is a maximum."""
        line = self._line(groups=price.groups(self.shapes.sizes), hidden=price.hidden, fakes=price.fake)
        if self.shapes.beyond is not None:
            line[self.parts["inside"]] = price.per_tuple(self.first_larger)
            if price.kind == "ratio":
                line[self.parts["larger"]] = -1
        return line

    def _as_large(self, price: SizeCosts, size: int) -> int:
        """The largest size of groups that a maximum does not tell from those of this size."""
        most = price.value(size)
        return max((other for other in self._group_sizes if price.value(other) <= most), default=0)

    def _above(self, size: int) -> Ints:
        """How many groups have more tuples than `size`."""
        return self._line(groups=self.shapes.sizes > size, larger=int(self.first_larger > size))

    def _program(
        self, cost: Ints, limits: Sequence[tuple[Ints, int]], sets: Sequence[Sequence[int]]
    ) -> Program:
        """Write the program down."""
        parts, shapes, tuples = self.parts, self.shapes, self.shapes.tuples
        total = self.people + self.fakes
        upper = np.full(self.width, FREE, dtype=np.int64)
        upper[parts["groups"]] = np.minimum(total // np.maximum(1, shapes.sizes), self.people)
        upper[parts["hidden"]] = np.minimum(tuples, self.hides)[: self.rows if self.hides else 0]
        upper[parts["fakes"]] = self.fakes
        upper[parts["multiples"]] = upper[parts["inside"]] = total
        upper[parts["larger"]] = min(total // self.first_larger, self.people)
        upper[parts["totals"]] = [self.people, self.hides, self.fakes]
        rows = [*self._values(), *self._totals(), *self._people(sets), *self._larger(total)]
        for line, most in limits:
            rows.append((line, -FREE, most))
            if (line >= 0).all():
                upper = np.minimum(upper, np.where(line > 0, most // np.maximum(1, line), FREE))
        return Program(
            cost=cost,
            lower=np.zeros(self.width, dtype=np.int64),
            upper=np.maximum(upper, 0),
            matrix=csr_array(np.array([line for line, _, _ in rows])),
            low=np.array([low for _, low, _ in rows], dtype=np.int64),
            high=np.array([high for _, _, high in rows], dtype=np.int64),
        )

    def _values(self) -> list[tuple[Ints, int, int]]:
        """Every value's tuples, or those of the 1, 2, ... most frequent."""
        shapes, n, found = self.shapes, self.shapes.tuples, list[tuple[Ints, int, int]]()
        for r in range(self.rows):
            these = np.arange(self.rows) <= r if shapes.sums else np.arange(self.rows) == r
            line = self._line(groups=shapes.entries[:, r])
            line[self.parts["hidden"]] = these[: self._wide("hidden")]
            line[self.parts["fakes"]] = -these[: self._wide("fakes")].astype(np.int64)
            line[self.parts["inside"]] = 1 if shapes.sums else these[: self._wide("inside")]
            least = int(n[these].sum())
            found.append((line, least, FREE if shapes.sums and r + 1 < self.rows else least))
        for r in range(self.rows - 1 if shapes.sums and (self.hides or self.fakes) else 0):
            # Totals fall: n - s + f of this value is at least that of the next.
            found.append((self._total(r) - self._total(r + 1), int(n[r + 1] - n[r]), FREE))
        for r in range(self.rows if shapes.unit > 1 else 0):
            line = self._total(r)
            line[self.parts["multiples"].start + r] = -shapes.unit
            found.append((line, -int(n[r]), -int(n[r])))
        return found

    def _wide(self, name: str) -> int:
        return self.parts[name].stop - self.parts[name].start

    def _total(self, r: int) -> Ints:
        """F - s of a row."""
        line = np.zeros(self.width, dtype=np.int64)
        if self.hides:
            line[self.parts["hidden"].start + r] = -1
        if self.fakes:
            line[self.parts["fakes"].start + r] = 1
        return line

    def _totals(self) -> list[tuple[Ints, int, int]]:
        """What the last three variables are."""
        lines = [self._line(groups=1, larger=1), self._line(hidden=1), self._line(fakes=1)]
        for at, line in enumerate(lines):
            line[self.parts["totals"].start + at] = -1
        return [(line, 0, 0) for line in lines]

    def _people(self, sets: Sequence[Sequence[int]]) -> list[tuple[Ints, int, int]]:
        """Limits, and that every group has a real tuple."""
        found: list[tuple[Ints, int, int]] = []
        if self.hides:
            found.append((self._line(hidden=1), -FREE, self.hides))
        if self.fakes:
            found.append((self._line(fakes=1), -FREE, self.fakes))
            found.append((self._line(groups=1, hidden=1, larger=1), -FREE, self.people))
        for inside in sets:
            outside = np.setdiff1d(np.arange(self.rows), inside)
            line = self._line(groups=~(self.shapes.entries[:, outside] > 0).any(axis=1))
            if self.hides:
                line[self.parts["hidden"]][list(inside)] = 1
            found.append((line, -FREE, int(self.shapes.tuples[list(inside)].sum())))
        return found

    def _larger(self, total: int) -> list[tuple[Ints, int, int]]:
        """Tuples of larger groups."""
        if self.shapes.beyond is None:
            return []
        return [
            (self._line(inside=1, larger=-self.first_larger), 0, FREE),
            (self._line(inside=1, larger=-total), -FREE, 0),
        ]
