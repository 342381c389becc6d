"""Windows: groups near one another are chosen anew from columns listed for them, by small integer programs.

A window begins at a group whose own reduced cost is high, and takes in the groups nearest to it. Its tuples
are a table of their own, with the cuts' members among them: columns inside it are listed up to the reduced
cost of all its groups together, if those are not too many, so that a dense part of the table elsewhere takes
no room. Windows grow while their programs end, and shrink where one does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ....colgen.choice import best_of
from ....colgen.column import Group, lines_of
from ....colgen.covering import Ints
from ....colgen.duals import Duals
from ....colgen.points.limits import POINT_WINDOWS as LIMITS
from ....colgen.points.pricing import PointPricing
from ....exact.incidence import Members
from ....settings import Clock
from .progress import PointProgress

__all__ = ["PointWindows", "part_of"]


@dataclass(kw_only=True, eq=False)
class PointWindows:
    """Improve the best release.

    Parameters
    ----------
    source, progress, clock
    duals : Duals
        Feasible ones; they rank columns and groups.
    seed : int
    """

    source: PointPricing
    progress: PointProgress
    duals: Duals
    seed: int
    clock: Clock
    begun: dict[Group, int] = field(default_factory=dict[Group, int])
    _random: np.random.Generator = field(init=False)
    _rows: int = field(init=False, default=LIMITS.rows)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    @property
    def far(self) -> bool:
        """Whether the bound is so far away that windows are worth their time."""
        return self.progress.cost - self.progress.bound > LIMITS.near * self.progress.bound

    def run(self) -> None:
        """Until the bound is near, time over, the whole table in one, or each group began some in vain.

        Run again, it goes on with windows as large as the last ones.
        """
        assert self.progress.best is not None
        rows, idle = self._rows, 0
        groups = list(self.progress.best)
        while self.far and not self.clock.over and idle < LIMITS.patience * len(groups):
            chosen = self._window(groups, rows)
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
        self._rows = rows

    def _window(self, groups: list[Group], most: int) -> NDArray[np.int64]:
        """Numbers of the groups of a window of at most so many tuples."""
        rows = self.source.rows
        cost = np.array(rows.group_costs(groups), dtype=np.float64)
        paid = np.array([float(self.duals.rows[list(group)].sum()) for group in groups]) / self.duals.scale
        weight = np.maximum(0.0, cost - paid) + LIMITS.least_weight * (cost + cost.mean()) + 1.0
        weight *= np.array([LIMITS.tired ** self.begun.get(group, 0) for group in groups])
        center = int(self._random.choice(len(groups), p=weight / weight.sum()))
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
        table, duals = part_of(self.source, self.duals, inside, times[inside])
        start = place[lines_of(own)]
        found, bound = best_of(
            table,
            self._listed(table, duals, start),
            [tuple(row for row in line if row >= 0) for line in start.tolist()],
            duals=duals,
            cuts=table.cuts,
            nodes=LIMITS.nodes,
            seed=self.seed,
            clock=self.clock,
        )
        if found is None:
            return own, False
        groups = [tuple(sorted(inside[list(column.rows)].tolist())) for column in found]
        cost = sum(rows.group_costs(groups))
        # The solver's bound is less than its value by its precision, however far it searched.
        return (groups if cost < sum(rows.group_costs(own)) else own), cost - bound <= LIMITS.precise * cost

    def _listed(self, table: PointPricing, duals: Duals, own: Members) -> Members:
        """Columns of no more reduced cost than a window's groups have together; less where they are many."""
        slack = max(0, int(table.reduced(own, duals).sum()))
        while slack:
            found = table.all_below(duals, slack, room=LIMITS.listed * len(table.rows))
            if found is not None:
                return found.lines
            slack = slack * 3 // 5
        return own


def part_of(
    source: PointPricing, duals: Duals, inside: Ints, count: Ints | None = None
) -> tuple[PointPricing, Duals]:
    """Some rows as a table, with duals of its rows and of cuts that can count there."""
    table = PointPricing(source.rows.some(inside, count), source.sizes)
    place, penalties = {row: at for at, row in enumerate(inside.tolist())}, list[int]()
    for cut in np.flatnonzero(duals.cuts).tolist():
        there = tuple(place[row] for row in source.cuts.sets[cut] if row in place)
        if len(there) >= source.cuts.divisors[cut]:
            table.cuts.add([there], source.cuts.divisors[cut])
            penalties.append(int(duals.cuts[cut]))
    return table, replace(duals, rows=duals.rows[inside], cuts=np.array(penalties, dtype=np.int64))
