"""Windows: groups near one another are chosen anew from listed columns, by small integer programs.

All columns of low reduced cost are listed once. A window begins at a group whose own reduced cost is high,
and takes in the groups nearest to it; the columns that lie inside it, and its own groups, are a table of
their own. PointWindows grow while their programs end, and shrink where one does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ....colgen.choice import best_of
from ....colgen.column import Group, lines_of
from ....colgen.duals import Duals
from ....colgen.points.limits import POINT_WINDOWS as LIMITS
from ....colgen.points.pricing import PointPricing
from ....exact.incidence import Members
from ....settings import Clock
from .progress import PointProgress

__all__ = ["PointWindows"]


@dataclass(kw_only=True, eq=False)
class PointWindows:
    """Improve the best release.

    Parameters
    ----------
    source, progress, clock
    duals : Duals
        Feasible ones; they rank columns and groups.
    lines : int32 array
        Columns to choose from.
    seed : int
    """

    source: PointPricing
    progress: PointProgress
    duals: Duals
    lines: Members = field(repr=False)
    seed: int
    clock: Clock
    begun: dict[Group, int] = field(default_factory=dict[Group, int])

    def run(self) -> None:
        """Until time is over, one held the whole table, or each group began some without a gain."""
        assert self.progress.best is not None
        random, rows, idle = np.random.default_rng(self.seed), LIMITS.rows, 0
        groups = list(self.progress.best)
        while not self.clock.over and idle < LIMITS.patience * len(groups):
            chosen = self._window(groups, rows, random)
            own = [groups[g] for g in chosen.tolist()]
            found, ended = self._solved(own)
            rows = min(LIMITS.most, rows + LIMITS.more) if ended else max(LIMITS.least, rows - LIMITS.fewer)
            idle += 1
            inside = set(chosen.tolist())
            better = [*(group for g, group in enumerate(groups) if g not in inside), *found]
            if found != own and self.progress.offer(better, "windows"):
                groups, idle = better, 0
            if ended and len(better) == len(found):
                break

    def _window(self, groups: list[Group], most: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Numbers of the groups of a window of at most so many tuples."""
        rows = self.source.rows
        cost = np.array(rows.group_costs(groups), dtype=np.float64)
        paid = np.array([float(self.duals.rows[list(group)].sum()) for group in groups]) / self.duals.scale
        weight = np.maximum(0.0, cost - paid) + LIMITS.least_weight * (cost + cost.mean()) + 1.0
        weight *= np.array([LIMITS.tired ** self.begun.get(group, 0) for group in groups])
        center = int(random.choice(len(groups), p=weight / weight.sum()))
        self.begun[groups[center]] = self.begun.get(groups[center], 0) + 1
        way = rows.pairs[list(groups[center])].min(axis=0)
        far = np.array([way[list(group)].min() for group in groups])
        far[center] = -1
        order = np.argsort(far, kind="stable")
        many = int(np.searchsorted(np.cumsum([len(groups[g]) for g in order.tolist()]), most, side="right"))
        return order[: max(1, many)]

    def _solved(self, own: list[Group]) -> tuple[list[Group], bool]:
        """The best groups of a window's tuples that were found, and whether there are none better."""
        rows = self.source.rows
        times = np.bincount([row for group in own for row in group], minlength=len(rows))
        inside = np.flatnonzero(times)
        place = np.full(len(rows) + 1, -2, dtype=np.int32)
        place[inside], place[-1] = np.arange(len(inside)), -1
        part = replace(
            rows,
            codes=rows.codes[inside],
            pairs=rows.pairs[np.ix_(inside, inside)],
            count=times[inside],
            tuples=tuple(rows.tuples[row] for row in inside.tolist()),
        )
        mapped = place[self.lines]
        pool = mapped[(mapped > -2).all(axis=1)]
        start = place[lines_of(own)]
        table = PointPricing(part, self.source.sizes)
        found, bound = best_of(
            table,
            pool,
            [tuple(row for row in line if row >= 0) for line in start.tolist()],
            duals=replace(self.duals, rows=self.duals.rows[inside], cuts=np.zeros(0, dtype=np.int64)),
            nodes=LIMITS.nodes,
            seed=self.seed,
            seconds=self.clock.left,
        )
        if found is None:
            return own, False
        groups = [tuple(sorted(inside[list(column.rows)].tolist())) for column in found]
        cost = sum(rows.group_costs(groups))
        # The solver's bound is less than its value by its precision, however far it searched.
        return (groups if cost < sum(rows.group_costs(own)) else own), cost - bound <= LIMITS.precise * cost
