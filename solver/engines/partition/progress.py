"""The best groups and the best bound so far, in whole costs of the level they are judged by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from ....models.problem_view import CheckedProblem
from ....models.release import Release
from ...colgen.choice import best_of
from ...colgen.column import Column, Group, lines_of
from ...colgen.covering import tuples_of
from ...colgen.duals import Duals
from ...colgen.histogram_pricing import HistogramPricing
from ...colgen.primal.suppressing import left_out
from ...colgen.structure.histograms import Judge
from ...colgen.table import Rows
from ...incumbent import Incumbent
from ...limits import HISTOGRAM_LIMITS as LIMITS
from ...settings import Clock, Watch

__all__ = ["Progress"]


class Progress(Incumbent[tuple[Group, ...], int]):
    """What a search for groups of rows has reached. The release they make is checked when it is told.

    Attributes
    ----------
    starts : list of Group
        Groups of all releases to start from.
    """

    def __init__(
        self,
        problem: CheckedProblem,
        rows: Rows,
        watch: Watch,
        level: int,
        factor: Fraction,
        judge: Judge | None = None,
    ) -> None:
        super().__init__(problem, watch, [level])
        self.rows, self.judge = rows, judge
        self.bounds = [0]
        self.starts: list[Group] = []
        self._factor = factor

    @property
    def groups(self) -> tuple[Group, ...] | None:
        """The cheapest release so far."""
        return self.best

    @property
    def cost(self) -> int:
        """What it costs; above every release's cost if there is none."""
        return self.rows.most + 1 if self.values is None else self.values[0]

    @property
    def bound(self) -> int:
        """No release costs less."""
        return self.bounds[0] or 0

    @property
    def exact(self) -> bool:
        return self.rows.exact

    def offer(
        self, solution: Sequence[Group | Column] | None, text: str = "release", *, checked: bool = False
    ) -> bool:
        groups = None if solution is None else tuple(c.rows if isinstance(c, Column) else c for c in solution)
        if groups and self.rows.spare and self.judge is not None:
            groups = tuple(left_out(self.rows, self.judge, groups))
        return super().offer(groups, text, checked=checked)

    def measured(self, solution: tuple[Group, ...]) -> tuple[int]:
        return (sum(self.rows.group_costs(solution)),)

    def keeps(self, solution: tuple[Group, ...]) -> bool:
        """Whether the policy admits every group: those of a part of it need not be."""
        if self.judge is None:
            return True
        groups = [group for group in solution if len(group) > 1] if self.rows.spare else solution
        line = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        counts = np.zeros((len(groups), len(self.judge.names)), dtype=np.int64)
        np.add.at(counts, (line, self.rows.value[np.concatenate(groups)]), 1)
        return bool(self.judge.verdicts(counts).all())

    def value(self, index: int, cost: int) -> Fraction:
        """The level's value that a cost (or a bound on it) stands for."""
        return self._factor * self.rows.loss(cost)

    def release(self) -> Release | None:
        if self.groups is None:
            return None
        groups = tuples_of(self.rows, self.groups)
        return self.problem.assemble([g for g in groups if len(g) > 1] if self.rows.spare else groups)

    def start(self, groups: Sequence[Group] | None) -> None:
        """Offer a release found at the start; all its groups are columns from the beginning."""
        self.starts += groups or ()
        self.offer(groups)

    def combine(
        self, pricing: HistogramPricing, groups: Iterable[Group], duals: Duals, seed: int, clock: Clock
    ) -> bool:
        """Offer the best release of some groups, those of several releases; whether it is better."""
        found, _ = best_of(
            pricing,
            lines_of(sorted(set(groups))),
            self.groups,
            duals=duals,
            cuts=pricing.cuts,
            nodes=LIMITS.combined_nodes,
            seed=seed,
            clock=clock,
        )
        return self.offer(found, "combined")

    def lift(self, bound: int, text: str) -> None:
        """Keep a bound if it is higher."""
        self.raise_bound(0, bound, text)
