"""What widths of boxes cost while groups change: whole numbers, in units of their own."""

from __future__ import annotations

from fractions import Fraction

from .....models.box_measure import BoxMeasure
from .....models.problem import Problem
from .....models.whole_weights import unit_weights
from ....baselines.widths import Widths, widths_of

__all__ = ["sides_of", "sides_per_part"]


def sides_of(problem: Problem) -> Widths:
    """What widths cost, by the level that measures boxes."""
    measure = BoxMeasure.last(problem.policy.levels, problem.table)
    weights, _, _ = unit_weights(problem.table, len(problem.table), measure.units)
    return widths_of(problem.table.domains, weights)


def sides_per_part(problem: Problem) -> Fraction:
    """What one part of `Widening.costs` is in the units that sides cost, if a unit of loss weighs 1."""
    measure = BoxMeasure.last(problem.policy.levels, problem.table)
    _, scale, _ = unit_weights(problem.table, len(problem.table), measure.units)
    return scale / (measure.factor * problem.widening.scale)
