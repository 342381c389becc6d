"""The last level in integers, at given duals: what groups and suppressed tuples cost beyond the bound.

Let pi be duals of tuples and mu <= 0 duals of cuts with limits b, feasible for every group that the
part of the policy admits. Where tuples may be suppressed at a cost s each, pi is lowered to s: no
group's profit rises, and suppressing pays for no tuple. Every release then costs

    sum pi + mu b  +  (reduced costs of its groups and suppressed tuples)  +  sum |mu| (room left in cuts)

with no summand after the bound below 0. So a release below a target holds only groups with a reduced
cost below the difference, and the integer program minimizes these summands, not costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import numpy as np
from ortools.sat.python import cp_model

from .....models.box_measure import BoxMeasure
from .....models.encoding import Linear
from .....models.parameters import in_int64
from .....models.problem import Problem
from ....colgen.covering import home_of
from ....colgen.cuts import Cuts
from ....colgen.duals import ROOM, Duals, ceil_div
from ....colgen.table import Rows
from ....settings import Clock
from .columns import NamedColumn
from .judge import GroupVerdicts
from .limits import ENUMERATED_LIMITS as LIMITS
from .model import ColumnEncoding
from .near import near_groups

__all__ = ["Near", "PricedPart", "ReducedCosts", "suppressing"]


@dataclass(frozen=True, kw_only=True)
class Near:
    """All groups that a release below a target may hold; the target is in units of the measure."""

    columns: list[NamedColumn]
    target: int


@dataclass(frozen=True, kw_only=True)
class PricedPart:
    """A part of the policy whose linear program was solved.

    Attributes
    ----------
    rows, cuts, duals
        Of that program.
    bound : int
        No release of the part costs less.
    """

    rows: Rows
    cuts: Cuts
    duals: Duals
    bound: int


def suppressing(problem: Problem, factor: Fraction) -> Fraction | None:
    """What a suppressed tuple adds to the last level, in units of its measure; None if none may be."""
    policy = problem.policy
    if not policy.suppression_limit(len(problem.table)):
        return None
    measure = BoxMeasure.last(policy.levels, problem.table)
    return sum(measure.units) + policy.levels[-1].weight_of("suppressed") / factor


class ReducedCosts:
    """One problem at one set of duals.

    Parameters
    ----------
    problem : Problem
        Levels before the last are constant in it.
    factor : Fraction
        What one unit of information loss weighs in the last level.
    solved : PricedPart
    best : Fraction or None
        The last level of the best release.
    clock : Clock
    known : dict
        Verdicts on groups, shared between measures.
    """

    def __init__(
        self,
        problem: Problem,
        factor: Fraction,
        solved: PricedPart,
        best: Fraction | None,
        clock: Clock,
        known: dict[NamedColumn, bool],
    ) -> None:
        self.problem, self.factor, self._clock, self._known = problem, factor, clock, known
        self._rows, self._cuts = solved.rows, solved.cuts
        self._duals = coarse(solved.duals)
        rows, self._home = self._rows, home_of(self._rows)
        price = suppressing(problem, factor)
        self._fine, self._gone = self._duals.scale, None
        self._step = self._fine
        if price is not None:
            fine = price * rows.scale
            self._fine *= fine.denominator
            self._gone = int(fine * self._fine)
            self._duals = self._clipped(self._gone * self._duals.scale // self._fine)
            self._step = gcd(self._fine, self._gone)
        self._times = self._fine // self._duals.scale
        self.base = self._times * self._duals.value(rows, self._cuts)
        self.known = self.base
        if price is None:
            self.known = max(self.base, solved.bound * self._fine)
        self._best = None if best is None else self._coded(best)

    def _clipped(self, most: int) -> Duals:
        rows = self._duals.rows
        highest = min(most, int(rows.max(initial=0)))  # a price may have any number of digits
        return Duals(rows=np.minimum(rows, highest), cuts=self._duals.cuts, scale=self._duals.scale)

    def _coded(self, value: Fraction) -> int:
        """The least multiple of the step that is not below a value of the last level."""
        exact = value / self.factor * self._rows.scale * self._fine
        return ceil_div(-(-exact.numerator // exact.denominator), self._step) * self._step

    @property
    def highest(self) -> int | None:
        """The target that every better release is below; None if there is no release."""
        return self._best

    def bounds(self, reached: int) -> list[Fraction | None]:
        """Bounds per level, if no release is below `reached`; levels before are 0."""
        before = [Fraction(0)] * (len(self.problem.policy.levels) - 1)
        return [*before, self.factor * Fraction(reached, self._fine * self._rows.scale)]

    def least(self, value: int) -> int:
        """What a value of the program's expression stands for."""
        return max(self.known, self.base + value)

    # -- lists -----------------------------------------------------------------------------

    def listed(self, judge: GroupVerdicts, room: int) -> Near | None:
        """All admissible groups for the highest target with at most `room` groups at the duals.

        None if even the lowest target has more, or time is over. A target whose sums do not fit in 64 bits is
        too high, too.
        """
        if self._best is None:
            return None
        target, table = self._best, (self._rows, self._home, self._duals, self._cuts)
        while True:
            slack = target - self._step - self.base
            found = near_groups(*table, min(slack // self._times, ROOM), room, self._clock)
            if found is not None and not in_int64(slack * (len(found) + len(self._home))):
                found = None
            if found is not None:
                columns = self._admitted(judge, found)
                return None if columns is None else Near(columns=columns, target=target)
            lower = self.base + (target - self.base) * 2 // 3 // self._step * self._step
            if self._clock.over or lower <= self.known or lower >= target:
                return None
            target = lower

    def _admitted(self, judge: GroupVerdicts, groups: list[tuple[int, ...]]) -> list[NamedColumn] | None:
        columns: list[NamedColumn] = []
        for number, rows in enumerate(groups):
            if number % 64 == 0 and self._clock.over:
                return None
            column = NamedColumn(rows)
            if column not in self._known:
                self._known[column] = judge.admits(column)
            if self._known[column]:
                columns.append(column)
        return columns

    # -- the program -------------------------------------------------------------------------

    def expression(self, model: ColumnEncoding, target: int) -> Linear:
        """What a release costs beyond `base`, with rows that keep it below a target."""
        slack = target - self._step - self.base
        literals, costs = list(model.chosen), self._reduced(model.columns)
        for t in model.tuples:
            hidden = model.suppressed(t)
            if self._gone is None or not isinstance(hidden, cp_model.IntVar):
                continue
            cost = self._gone - self._times * int(self._duals.rows[self._home[t]])
            if cost > slack:
                model.cp.add(hidden == 0)
            else:
                literals.append(hidden)
                costs.append(cost)
        held: dict[int, list[tuple[int, int]]] = {}
        for i, column in enumerate(model.columns):
            for cut, times in self._cuts.coefficients([int(self._home[t]) for t in column.rows]).items():
                held.setdefault(cut, []).append((i, times))
        for cut, dual in enumerate(self._duals.cuts.tolist()):
            if not dual:
                continue
            limit = int(self._cuts.limit[cut])
            left = model.cp.new_int_var(0, limit, f"room[{cut}]")
            here = held.get(cut, [])
            used = cp_model.LinearExpr.weighted_sum(
                [model.chosen[i] for i, _ in here], [times for _, times in here]
            )
            model.cp.add(used + left == limit)
            literals.append(left)
            costs.append(-self._times * dual)
        total = cp_model.LinearExpr.weighted_sum(literals, costs)
        model.cp.add(total <= slack)
        return total

    def _reduced(self, columns: Sequence[NamedColumn]) -> list[int]:
        rows, duals = self._rows, self._duals
        found: list[int] = []
        for column in columns:
            lines = self._home[list(column.rows)]
            codes = rows.geometry.codes[lines]
            cost = len(lines) * int(rows.box_cost(codes.min(axis=0), codes.max(axis=0)))
            fined = sum(
                int(duals.cuts[cut]) * times
                for cut, times in self._cuts.coefficients(lines.tolist()).items()
                if cut < len(duals.cuts)
            )
            found.append(cost * self._fine - self._times * (int(duals.rows[lines].sum()) + fined))
        return found


def coarse(duals: Duals) -> Duals:
    """Duals in units of at least 1 / `LIMITS.coarse`: rounding down keeps them feasible."""
    if duals.scale <= LIMITS.coarse:
        return duals
    times = duals.scale // LIMITS.coarse
    return Duals(rows=duals.rows // times, cuts=duals.cuts // times, scale=LIMITS.coarse)
