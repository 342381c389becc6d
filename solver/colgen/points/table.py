"""The table as points: what a group of them costs, in whole numbers that are never too high.

Costs are rounded down, as `models.losses.pair_costs` says.

Rounded costs cannot tell an optimum from what is a hair above it. So there is a second reading, relative to
one release: its own groups cost their exact cost rounded *up*, all others as before. A release that differs
from it in some groups costs exactly at least what the others' lower costs say, and the release at most what
its own say: if no release is cheaper in this reading, none is cheaper. `verify` derives both readings again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil

import numpy as np

from ....models.losses.pair_costs import FINE, MOST_CODE, group_costs, pair_costs, places, squares
from ....models.losses.squared import squared_error_of
from ....models.problem import Problem
from ...exact.incidence import Members
from ..column import Group, lines_of
from ..covering import Ints, home_of
from .limits import POINTS as LIMITS

__all__ = ["FINE", "PointRows"]


@dataclass(frozen=True, kw_only=True)
class PointRows:
    """Rows of the set-partitioning problem in the order of first tuples; see `places`.

    Attributes
    ----------
    codes : shape (rows, attributes)
        Of the attributes that count.
    prices : tuple of Fraction
        What the square of a step of one code costs, in percent.
    pairs : shape (rows, rows)
        See `pair_costs`.
    count, tuples
        How many tuples share each row, and which rows of the microdata (from 0) they are.
    value : shape (rows,)
        The number of each row's sensitive value, in sorted order, of rows that are `singly`; else empty.
    """

    codes: Ints
    prices: tuple[Fraction, ...]
    pairs: Ints = field(repr=False)
    count: Ints
    tuples: tuple[tuple[int, ...], ...]
    value: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    spare: int = 0
    single: int = 0

    def __len__(self) -> int:
        return len(self.count)

    @property
    def most(self) -> int:
        """No release costs more: all tuples as one group."""
        return 100 * FINE + 1

    def costs(self, lines: Members) -> Ints:
        """Cost of groups, one per line, rounded down."""
        return group_costs(self.pairs, lines)

    def group_costs(self, groups: Sequence[Group]) -> list[int]:
        """Cost of each group, rounded down."""
        return self.costs(lines_of(groups)).tolist()

    def exact(self, group: Sequence[int]) -> Fraction:
        """Cost of a group in percent."""
        return squares(self.codes[list(group)], self.prices)

    def up(self, groups: Iterable[Group]) -> dict[Group, int]:
        """Exact costs rounded up."""
        return {group: ceil(self.exact(group) * FINE) for group in groups}

    def some(self, inside: Ints, count: Ints | None = None) -> PointRows:
        """Some rows as a table of their own, with other counts if these are given."""
        return replace(
            self,
            codes=self.codes[inside],
            pairs=self.pairs[np.ix_(inside, inside)],
            count=self.count[inside] if count is None else count,
            value=self.value[inside] if len(self.value) else self.value,
            tuples=tuple(self.tuples[row] for row in inside.tolist()),
        )

    def singly(self, problem: Problem) -> PointRows:
        """Each tuple as a row of its own, in the table's order, with its sensitive value.

        Complexity: 8 bytes for each pair of tuples, unless all are rows already.
        """
        number = {value: at for at, value in enumerate(sorted(problem.table.histogram))}
        value = np.array([number[member.value] for member in problem.table.members], dtype=np.int64)
        home = home_of(self)
        single = len(self) == len(home) and bool((home == np.arange(len(home))).all())
        return replace(
            self,
            codes=self.codes[home],
            pairs=self.pairs if single else self.pairs[np.ix_(home, home)],
            count=np.ones_like(home),
            tuples=tuple((t,) for t in range(len(home))),
            value=value,
        )

    @classmethod
    def of(cls, problem: Problem) -> PointRows | str:
        """Read a problem, or say why its points are none."""
        squared = squared_error_of(problem)
        if squared is None:
            return "the objective is not squared error alone"
        codes, prices = squared.steps(problem.table)
        alike = places(codes)
        if len(alike) > LIMITS.most_rows:
            return f"there are more than {LIMITS.most_rows:,} different points"
        if codes.size and int(codes.max()) > MOST_CODE:
            return "numbers are too fine for 53 bits: round them"
        first = codes[[found[0] for found in alike]]
        return cls(
            codes=first,
            prices=prices,
            pairs=pair_costs(first, prices),
            count=np.array([len(found) for found in alike], dtype=np.int64),
            tuples=alike,
        )
