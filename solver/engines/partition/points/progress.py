"""The best groups of points and what is proven: values are exact, the search counts in rounded costs.

Costs of the search are relative to the best release, as `colgen.points.table` says: a release is as good as
proven when no other costs less than its own groups, rounded up. What falls short of that, in costs, falls
short of its value.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .....models.problem import Problem
from .....models.release import Release
from ....colgen.column import Column, Group
from ....colgen.covering import tuples_of
from ....colgen.points.table import FINE, PointRows
from ....colgen.structure.histograms import Judge
from ....incumbent import Incumbent
from ....settings import Watch

__all__ = ["PointProgress"]


class PointProgress(Incumbent[tuple[Group, ...], Fraction]):
    """What a search for groups of points has reached.

    Attributes
    ----------
    up : dict
        Costs of the best release's groups, rounded up.
    judge : Judge or None
        Of groups, where more than their sizes matters: rows are single tuples then.
    tied : bool
        Whether another release costs less in rounded costs, and not less exactly: these cannot tell more.
    relative : bool
        Whether bounds that come in are about costs relative to the best release, so that they end with it.
    """

    def __init__(self, problem: Problem, rows: PointRows, watch: Watch, judge: Judge | None = None) -> None:
        super().__init__(problem, watch, [0])
        self.judge = judge
        self.rows, self.weight = rows, next(iter(problem.policy.levels[0].weights))[1]
        self.bounds = [Fraction(0)]
        self.up: dict[Group, int] = {}
        self.tied = self.relative = False
        self._cost, self._bound_cost, self._lasting = rows.most + 1, 0, 0

    @property
    def cost(self) -> int:
        """What the best release costs; above every release's cost if there is none."""
        return self._cost

    @property
    def bound(self) -> int:
        """No release costs less, in the costs that are relative to the best one."""
        return self._bound_cost

    @property
    def rounded(self) -> bool:
        """Whether rounding may be all that is missing: less than a unit a group."""
        return self.cost - self.bound <= len(self.up)

    def offer(
        self, solution: Sequence[Group | Column] | None, text: str = "release", *, checked: bool = False
    ) -> bool:
        if solution is None:
            return False
        groups = tuple(tuple(sorted(c.rows if isinstance(c, Column) else c)) for c in solution)
        if super().offer(groups, text, checked=checked):
            self.up = self.rows.up(groups)
            self._cost, self.tied = sum(self.up[group] for group in groups), False
            self._bound_cost = self._lasting
            return True
        cost = sum(
            self.up.get(group, cost)
            for group, cost in zip(groups, self.rows.group_costs(groups), strict=True)
        )
        if cost < self._cost:
            self._cost, self.tied = cost, True
        return False

    def lift(self, bound: int, text: str) -> None:
        """Keep a bound if it is higher."""
        self._bound_cost = max(self._bound_cost, bound)
        if not self.relative:
            self._lasting = max(self._lasting, bound)
        if self.values is not None:
            missing = Fraction(sum(self.up.values()) - bound, FINE)
            least = Fraction(0) if self.relative else self.weight * Fraction(bound, FINE)
            self.raise_bound(0, max(least, self.values[0] - self.weight * missing), text)

    def measured(self, solution: tuple[Group, ...]) -> tuple[Fraction]:
        return (self.weight * sum((self.rows.exact(group) for group in solution), Fraction(0)),)

    def keeps(self, solution: tuple[Group, ...]) -> bool:
        judge = self.judge
        if judge is None:
            return True
        values = len(judge.names)
        counts = [np.bincount(self.rows.value[list(group)], minlength=values) for group in solution]
        return bool(judge.verdicts(np.array(counts, dtype=np.int64)).all())

    def value(self, index: int, cost: Fraction) -> Fraction:
        return cost

    def release(self) -> Release | None:
        if self.best is None:
            return None
        return self.problem.assemble(tuples_of(self.rows, self.best))
