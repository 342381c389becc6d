"""The best division of every set of tuples into listed groups, by dynamic programming over subsets.

For tables of up to `MOST_DIVIDED` tuples. With ``cost(S)`` the least cost of a listed group with exactly
the tuples S, and ``least(M)`` that of dividing M into groups and suppressed tuples,

    least(M) = min( hidden(t) + least(M - t),  min over S in M with t in S of cost(S) + least(M - S) )

for the lowest tuple t of M. ``least`` of the whole table bounds every release of listed groups, and no
release with a group S costs less than ``cost(S) + least(table - S)``: lists are made as short by it as
bounds on single groups can make them. If all requirements judge groups singly, the bound is the optimum.

Levels are one integer: a level's costs times a number above all that the levels behind it can cost. What
is not counted here (`_Level`) costs 0, so everything is a lower bound, exact for sums of information loss,
counterfeits and suppressed tuples.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from .....models.compiled import compiled
from .....models.policy import Level
from .....models.problem import Problem
from ....settings import Clock
from ..objective import factor
from ..rows import Ints, Rows
from .columns import Column

__all__ = ["MOST_DIVIDED", "Division"]

MOST_DIVIDED = 20
"""More tuples have too many pairs of subsets."""
LAYERS = 3
"""Limits of suppressed tuples up to this are kept; a larger one is left out, which leaves the bound valid."""
NEVER = 1 << 62
STRIDE = 1 << 12
"""Sets between two looks at the clock."""


@dataclass(frozen=True, kw_only=True)
class _Level:
    """What is counted of a level, in units of 1 / scale.

    Attributes
    ----------
    scale : int
    box, tuple_, fake : int
        Of one unit of the rows' cost, of one suppressed tuple, of one counterfeit.
    most : int
        No release of the table has more, as far as it is counted here.
    """

    scale: int
    box: int
    tuple_: int
    fake: int
    most: int

    @classmethod
    def of(cls, level: Level, problem: Problem, rows: Rows, most_fakes: int) -> _Level:
        tuples = len(problem.table)
        weights = dict(level.weights)
        box = factor(level, tuples) / rows.scale
        hidden = box * rows.scale * len(problem.table.domains) + weights.get("suppressed", Fraction(0))
        fake = weights.get("counterfeits", Fraction(0))
        scale = lcm(box.denominator, hidden.denominator, fake.denominator)
        parts = [int(scale * part) for part in (box, hidden, fake)]
        widest = rows.scale * len(problem.table.domains)
        most = tuples * max(parts[0] * widest, parts[1]) + most_fakes * parts[2]
        return cls(scale=scale, box=parts[0], tuple_=parts[1], fake=parts[2], most=most)


class Division:
    """Least costs of all sets of tuples; `Division.of` says None where they cannot be had.

    Parameters
    ----------
    problem : Problem
    rows : Rows
    levels : sequence of _Level
    clock : Clock
    """

    def __init__(self, problem: Problem, rows: Rows, levels: Sequence[_Level], clock: Clock) -> None:
        self.problem, self.rows, self.levels, self.clock = problem, rows, levels, clock
        self._base = [1]
        for level in reversed(levels[1:]):
            self._base.insert(0, self._base[0] * (level.most + 1))
        self._whole = (1 << len(problem.table)) - 1
        self._boxes = self._subset_boxes()
        self._cost = np.zeros(0, dtype=np.int64)
        self._least = np.zeros((0, 0), dtype=np.int64)
        self._columns: dict[int, Column] = {}
        limit = problem.policy.suppression_limit(len(problem.table))
        self._layers = limit + 1 if limit <= LAYERS else 1
        self._free = limit > LAYERS
        # Published sizes: with counterfeits, fewer tuples make a group.
        smallest = max(r.smallest_group(problem.table) for r in problem.policy.requirements)
        self._size = smallest if problem.policy.counterfeit_limit == 0 else 1

    @classmethod
    def of(cls, problem: Problem, most_fakes: int, clock: Clock) -> Division | None:
        """Prepare a problem; None if its table is too large, or its costs for 62 bits."""
        if len(problem.table) > MOST_DIVIDED:
            return None
        rows = Rows.of(problem)
        levels = [_Level.of(level, problem, rows, most_fakes) for level in problem.policy.levels]
        size = 1
        for level in levels:
            size *= level.most + 1
        return None if size >= NEVER else cls(problem, rows, levels, clock)

    # -- costs -----------------------------------------------------------------------------

    def _subset_boxes(self) -> Ints:
        """Cost of each set as a group, in units of the rows; 0 for groups without boxes."""
        count, rows = len(self.problem.table), self.rows
        if self.problem.policy.form != "generalized":
            return np.zeros(1 << count, dtype=np.int64)
        home = np.empty(count, dtype=np.int64)
        for r, behind in enumerate(rows.tuples):
            home[list(behind)] = r
        codes = rows.geometry.codes[home]
        attributes = codes.shape[1]
        low = np.full((1, attributes), np.iinfo(np.int64).max)
        high, size = np.full((1, attributes), -1), np.zeros(1, dtype=np.int64)
        for t in range(count):
            low = np.concatenate([low, np.minimum(low, codes[t])])
            high = np.concatenate([high, np.maximum(high, codes[t])])
            size = np.concatenate([size, size + 1])
        low[0], high[0] = 0, 0
        return size * rows.box_cost(low, high)

    def _code(self, box: Ints | int, fakes: int) -> Ints | int:
        return sum(
            base * (level.box * box + level.fake * fakes)
            for base, level in zip(self._base, self.levels, strict=True)
        )

    @property
    def _hidden(self) -> int:
        return sum(base * level.tuple_ for base, level in zip(self._base, self.levels, strict=True))

    def _ceiling(self, values: Sequence[Fraction] | None) -> int:
        """The code that no better release reaches."""
        if values is None:
            return NEVER
        total = 0
        for base, level, value in zip(self._base, self.levels, values, strict=True):
            exact = value * level.scale
            if exact > level.most:
                # More than is counted here: whatever follows is lower.
                return total + base * (level.most + 1)
            total += base * -(-exact.numerator // exact.denominator)
            if exact.denominator > 1:
                return total
        return total

    # -- least costs -----------------------------------------------------------------------

    def divide(self, masks: Ints) -> bool:
        """Take groups with these tuples (bit t: tuple t) and no counterfeits; False if time ended."""
        cost = np.full(self._whole + 1, NEVER, dtype=np.int64)
        cost[masks] = self._code(self._boxes[masks], 0)
        return self._fill(cost)

    def divide_columns(self, columns: Sequence[Column]) -> bool:
        """Take these groups; False if time ended."""
        cost = np.full(self._whole + 1, NEVER, dtype=np.int64)
        self._columns = {}
        for column in columns:
            mask = sum(1 << t for t in column.rows)
            code = int(self._code(int(self._boxes[mask]), column.made))
            if code < cost[mask]:
                cost[mask], self._columns[mask] = code, column
        return self._fill(cost)

    def _fill(self, cost: Ints) -> bool:
        least = np.full((self._layers, self._whole + 1), NEVER, dtype=np.int64)
        least[:, 0] = 0
        for begin in range(1, self._whole + 1, STRIDE):
            if self.clock.over:
                return False
            end = min(begin + STRIDE, self._whole + 1)
            _divide(cost, self._hidden, self._free, self._size, least, begin, end)
        self._cost, self._least = cost, least
        return True

    def better(self, values: Sequence[Fraction] | None) -> bool:
        """Whether a release of the groups may be better than `values`; without them, whether there is one."""
        return bool(self._least[-1, self._whole] < self._ceiling(values))

    def worth(self, masks: Ints, values: Sequence[Fraction] | None) -> Ints:
        """Those of some sets that a release better than `values` may have as a group."""
        beside = self._least[-1, self._whole ^ masks]
        own = self._cost[masks]
        # Neither is above 2**62, so the sum does not overflow.
        return masks[(own < NEVER) & (beside < NEVER) & (own + beside < self._ceiling(values))]

    def worthy(self, column: Column, values: Sequence[Fraction] | None) -> bool:
        """The same for one group with its counterfeits."""
        mask = sum(1 << t for t in column.rows)
        own = int(self._code(int(self._boxes[mask]), column.made))
        beside = int(self._least[-1, self._whole ^ mask])
        return beside < NEVER and own + beside < self._ceiling(values)

    def bounds(self, values: Sequence[Fraction] | None) -> list[Fraction | None]:
        """Bounds per level; a level's is about releases that reach the bounds of all levels before."""
        found: list[Fraction | None] = []
        rest = int(self._least[-1, self._whole])
        exact = True
        for index, (base, level) in enumerate(zip(self._base, self.levels, strict=True)):
            amount, rest = divmod(rest, base)
            bound = Fraction(amount, level.scale)
            found.append(bound if exact else None)
            exact = exact and values is not None and values[index] == bound
        return found

    def columns(self) -> list[Column]:
        """Groups of a best division; after `divide_columns`, if there is one."""
        found, mask, layer = list[Column](), self._whole, self._layers - 1
        while mask:
            low = mask & -mask
            target = int(self._least[layer, mask])
            if self._free and self._hidden + int(self._least[layer, mask ^ low]) == target:
                mask ^= low
                continue
            if layer and self._hidden + int(self._least[layer - 1, mask ^ low]) == target:
                mask, layer = mask ^ low, layer - 1
                continue
            rest = mask ^ low
            sub = rest
            while int(self._cost[sub | low]) + int(self._least[layer, rest ^ sub]) != target:
                sub = (sub - 1) & rest
            found.append(self._columns[sub | low])
            mask = rest ^ sub
        return found


@compiled
def _divide(cost: Ints, hidden: int, free: bool, size: int, least: Ints, begin: int, end: int) -> None:
    """Least costs of the sets from `begin` to before `end`; those of all smaller numbers are known."""
    layers = least.shape[0]
    for mask in range(begin, end):
        low = mask & -mask
        rest = mask ^ low
        if free:
            least[0, mask] = min(least[0, mask], hidden + least[0, rest])
        for layer in range(1, layers):
            least[layer, mask] = min(least[layer, mask], hidden + least[layer - 1, rest])
        count = 0
        left = mask
        while left:
            left &= left - 1
            count += 1
        if count < size:
            continue
        sub = rest
        while True:
            own = cost[sub | low]
            if own < NEVER:
                for layer in range(layers):
                    beside = least[layer, rest ^ sub]
                    if beside < NEVER:
                        least[layer, mask] = min(least[layer, mask], own + beside)
            if sub == 0:
                break
            sub = (sub - 1) & rest
