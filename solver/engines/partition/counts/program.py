"""The integer program of one level: how many groups of each shape, who is suppressed, how many counterfeits.

Variables: one per column of `Shapes`; per row suppressed tuples s and counterfeits f where the policy has
them; for larger groups than the columns', their number N and, per row, their tuples B. Those cost what tuples
of larger groups cost at least. Last, the totals of groups, suppressed tuples and counterfeits: branching on
them closes most gaps.

Explicit rows: for each value, ``sum of counts x + s - f + B = n``. Evened rows, with published totals
p = n - s + f in falling order: ``sum of counts x + B >= p1 + ... + pk`` for each k, equality for the last.
The order is no loss: exchanging the totals of two values changes neither what groups can be made nor, if
the larger total goes to the value with more tuples, how many must be suppressed or invented for it.

Every group needs a real tuple, so groups and suppressed tuples are at most the table's tuples. That is
necessary only: for every set W of values, groups that publish no others than those of W must be at most the
tuples left of them (Hall). Such rows are added for sets that a solution breaks (`deal.lacking`); they matter
only if more groups are better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from .....models.problem import Problem
from ....colgen.covering import Ints
from ....exact.program import FREE, Program
from .prices import Prices
from .shapes import Shapes, published_at_most

__all__ = ["Frame", "Row"]


@dataclass(frozen=True, kw_only=True)
class Row:
    """A further row: these costs may not exceed a limit."""

    cost: Ints
    most: int


@dataclass(frozen=True, kw_only=True)
class Frame:
    """All levels' variables and rows.

    Attributes
    ----------
    problem : Problem
    shapes : Shapes
    loose : bool
        Whether columns and variables that only bound releases take part.
    sets : tuple of tuple of int
        Sets W of values (rows of explicit shapes) that have a row of their own.
    """

    problem: Problem
    shapes: Shapes
    loose: bool
    sets: tuple[tuple[int, ...], ...] = ()

    @cached_property
    def rows(self) -> int:
        """Rows of values."""
        return self.shapes.counts.shape[1]

    @cached_property
    def tuples(self) -> Ints:
        """Tuples of the table per row."""
        room = self.shapes.room
        return np.array([room.sum()]) if self.shapes.blind else room

    @cached_property
    def _hides(self) -> int:
        return self.problem.policy.suppression_limit(len(self.problem.table))

    @cached_property
    def _fakes(self) -> int:
        limit, shapes = self.problem.policy.counterfeit_limit, self.shapes
        if limit is not None:
            return limit
        # No more groups than tuples, none larger than the largest that is needed.
        tuples = len(self.problem.table)
        if self._big:
            return published_at_most(self.problem, len(shapes.values)) - tuples
        return tuples * int(shapes.sizes.max(initial=1))

    @cached_property
    def _big(self) -> bool:
        return self.loose and self.shapes.beyond is not None

    @cached_property
    def parts(self) -> dict[str, slice]:
        """Where each kind of variable is."""
        found: dict[str, slice] = {}
        at = 0
        for name, wide in (
            ("groups", len(self.shapes)),
            ("suppressed", self.rows if self._hides else 0),
            ("fakes", self.rows if self._fakes else 0),
            ("multiples", self.rows if self.shapes.unit > 1 else 0),
            ("larger", 1 if self._big else 0),
            ("inside", (1 if self.shapes.evened else self.rows) if self._big else 0),
            ("totals", 3),
        ):
            found[name] = slice(at, at + wide)
            at += wide
        return found

    @property
    def width(self) -> int:
        """How many variables there are."""
        return self.parts["totals"].stop

    # -- costs ---------------------------------------------------------------------------------

    def cost(self, prices: Prices) -> Ints:
        """A level's cost; for a maximum, see `above`."""
        cost = np.zeros(self.width, dtype=np.int64)
        cost[self.parts["groups"]] = prices.groups(self.shapes.sizes)
        cost[self.parts["suppressed"]] = prices.suppressed
        cost[self.parts["fakes"]] = prices.fake
        if self._big:
            cost[self.parts["inside"]] = prices.per_tuple(self._first_larger)
            if prices.kind == "ratio":
                cost[self.parts["larger"]] = prices.groups(np.array([self._first_larger]))
        return cost

    def above(self, size: int) -> Ints:
        """Cost 1 for every group with more than `size` tuples."""
        cost = np.zeros(self.width, dtype=np.int64)
        cost[self.parts["groups"]] = self.shapes.sizes > size
        if self._big:
            cost[self.parts["larger"]] = self._first_larger > size
        return cost

    @cached_property
    def group_sizes(self) -> list[int]:
        """Sizes the largest group can have, rising; 0 if there is none."""
        usable = self.shapes.sizes if self.loose else self.shapes.sizes[self.shapes.real]
        return sorted({0, *usable.tolist(), *([self._first_larger] if self._big else [])})

    def largest(self, x: Ints) -> int:
        """Size of the largest group of a solution."""
        made = self.shapes.sizes[x[self.parts["groups"]] > 0]
        larger = self._first_larger if x[self.parts["larger"]].any() else 0
        return max(larger, int(made.max(initial=0)))

    def stands_in(self, x: Ints) -> bool:
        """Whether a solution uses what only bounds releases."""
        return bool(x[self.parts["groups"]][~self.shapes.real].any() or x[self.parts["larger"]].any())

    @property
    def _first_larger(self) -> int:
        assert self.shapes.beyond is not None
        return self.shapes.beyond + 1

    # -- the program ---------------------------------------------------------------------------

    def program(self, cost: Ints, before: Sequence[Row]) -> Program:
        """Minimize a cost within limits on others."""
        parts, n, shapes = self.parts, self.tuples, self.shapes
        lower, upper = np.zeros(self.width, dtype=np.int64), np.full(self.width, FREE, dtype=np.int64)
        total = int(n.sum()) + self._fakes
        upper[parts["groups"]] = np.minimum(total // shapes.sizes, int(n.sum()))
        if not self.loose:
            upper[parts["groups"]][~shapes.real] = 0
        upper[parts["suppressed"]] = np.minimum(n, self._hides) if self._hides else 0
        upper[parts["fakes"]] = self._fakes
        upper[parts["multiples"]] = upper[parts["inside"]] = total
        if self._big:
            upper[parts["larger"]] = min(total // self._first_larger, int(n.sum()))
        upper[parts["totals"]] = [int(n.sum()), self._hides, self._fakes]
        rows, low, high = self._values()
        for line, least, most in self._limits():
            rows, low, high = np.vstack([rows, line]), [*low, least], [*high, most]
        for row in before:
            rows, low, high = np.vstack([rows, row.cost]), [*low, -FREE], [*high, row.most]
            if (row.cost >= 0).all():
                upper = np.minimum(upper, np.where(row.cost > 0, row.most // np.maximum(1, row.cost), FREE))
        return Program(
            cost=cost,
            lower=lower,
            upper=upper,
            matrix=csr_array(rows),
            low=np.array(low, dtype=np.int64),
            high=np.array(high, dtype=np.int64),
        )

    def _values(self) -> tuple[Ints, list[int], list[int]]:
        """Rows of values, and of multiples and the order of totals."""
        parts, n, shapes, count = self.parts, self.tuples, self.shapes, self.rows
        rows = np.zeros((count, self.width), dtype=np.int64)
        rows[:, parts["groups"]] = shapes.counts.T
        unit = np.eye(count, dtype=np.int64)
        sums = np.tril(np.ones((count, count), dtype=np.int64)) if shapes.evened else unit
        if self._hides:
            rows[:, parts["suppressed"]] = sums
        if self._fakes:
            rows[:, parts["fakes"]] = -sums
        if self._big:
            rows[:, parts["inside"]] = 1 if shapes.evened else unit
        low = (sums @ n).tolist()
        high = [FREE] * (count - 1) + [low[-1]] if shapes.evened else low
        totals = np.zeros((count, self.width), dtype=np.int64)
        if self._hides:
            totals[:, parts["suppressed"]] = -unit
        if self._fakes:
            totals[:, parts["fakes"]] = unit
        if shapes.evened and (self._hides or self._fakes):
            rows = np.vstack([rows, totals[:-1] - totals[1:]])
            low, high = [*low, *(n[1:] - n[:-1]).tolist()], [*high, *[FREE] * (count - 1)]
        if shapes.unit > 1:
            totals[:, parts["multiples"]] = -shapes.unit * unit
            rows = np.vstack([rows, totals])
            low, high = [*low, *(-n).tolist()], [*high, *(-n).tolist()]
        return rows, low, high

    def _limits(self) -> list[tuple[Ints, int, int]]:
        parts, found = self.parts, list[tuple[Ints, int, int]]()
        line = np.zeros(self.width, dtype=np.int64)
        for at, names in enumerate((("groups", "larger"), ("suppressed",), ("fakes",))):
            total = line.copy()
            total[parts["totals"].start + at] = -1
            for name in names:
                total[parts[name]] = 1
            found.append((total, 0, 0))
        if self._hides:
            hides = line.copy()
            hides[parts["suppressed"]] = 1
            found.append((hides, -FREE, self._hides))
        if self._fakes:
            fakes, groups = line.copy(), line.copy()
            fakes[parts["fakes"]] = 1
            found.append((fakes, -FREE, self._fakes))
            for name in ("groups", "suppressed", "larger"):
                groups[parts[name]] = 1
            found.append((groups, -FREE, int(self.tuples.sum())))
        for inside in self.sets:
            among, outside = line.copy(), np.setdiff1d(np.arange(self.rows), inside)
            among[parts["groups"]] = ~(self.shapes.counts[:, outside] > 0).any(axis=1)
            if self._hides:
                among[parts["suppressed"]][list(inside)] = 1
            found.append((among, -FREE, int(self.tuples[list(inside)].sum())))
        if self._big:
            # B of one evened row are all tuples of larger groups.
            inside = line.copy()
            inside[parts["inside"]] = 1
            inside[parts["larger"]] = -self._first_larger
            found.append((inside, 0, FREE))
            inside = inside.copy()
            inside[parts["larger"]] = -(int(self.tuples.sum()) + self._fakes)
            found.append((inside, -FREE, 0))
        return found
