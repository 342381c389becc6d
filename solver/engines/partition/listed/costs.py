"""What columns and suppressed tuples cost in one level of the objective, as integers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from ortools.sat.python import cp_model

from .....models.encoding import Linear
from .....models.losses import loss
from .....models.losses.information import LARGEST
from .....models.policy import Level
from .....models.problem import Problem
from .columns import group_of
from .model import ColumnEncoding

__all__ = ["Objective", "objective_of"]


@dataclass(frozen=True, kw_only=True)
class Objective:
    """A level as an integer expression: its value is at least ``decode(expression)``.

    Attributes
    ----------
    level : Level
    expression : linear expression
    scale : int
        What one unit of the level costs.
    """

    level: Level
    expression: Linear
    scale: int

    def decode(self, cost: int, problem: Problem) -> Fraction:
        """The level's value that a cost (or a bound on it) stands for."""
        (name, weight), *others = self.level.weights
        if others or loss(name).combine == "sum":
            return Fraction(cost, self.scale)
        return weight * loss(name).decode(cost, self.scale, problem.table)


def objective_of(level: Level, model: ColumnEncoding, problem: Problem) -> Objective:
    """Write a level into a model of columns.

    Sums over groups are sums over columns. Costs are exact if their common denominator
    leaves room in 2**50, and otherwise rounded down.
    """
    (name, _), *others = level.weights
    if not others and loss(name).combine != "sum":
        cost = loss(name).encode(model)
        return Objective(level=level, expression=cost.expression, scale=cost.scale)
    summed = [(loss(name), weight) for name, weight in level.weights if loss(name).by_group]
    apart = [(loss(name).encode(model), weight) for name, weight in level.weights if not loss(name).by_group]
    table = problem.table
    of_columns = [
        sum((weight * kind.of_group(group, table) for kind, weight in summed), Fraction(0))
        for group in (group_of(problem, column) for column in model.columns)
    ]
    of_tuples = [
        sum((weight * kind.of_suppressed(member, table) for kind, weight in summed), Fraction(0))
        for member in table.members
    ]
    parts = [*of_columns, *of_tuples, *(weight / cost.scale for cost, weight in apart)]
    scale = lcm(*{part.denominator for part in parts})
    most = len(table) * max(parts, default=Fraction(0))
    if scale * most > LARGEST:
        scale = 1 << max(0, int(LARGEST / most).bit_length() - 1)
    literals, costs = list(model.chosen), [int(part * scale) for part in of_columns]
    for t, cost in enumerate(of_tuples):
        hidden = model.suppressed(t)
        if isinstance(hidden, cp_model.IntVar):
            literals.append(hidden)
            costs.append(int(cost * scale))
    terms: list[Linear] = [cp_model.LinearExpr.weighted_sum(literals, costs)]
    terms += [int(weight / cost.scale * scale) * cost.expression for cost, weight in apart]
    return Objective(level=level, expression=sum(terms), scale=scale)
