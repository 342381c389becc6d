"""What a level of the objective makes every tuple pay for its box, in whole numbers.

Losses that are linear in the box declare a weight per attribute (`Loss.box_weights`). Those of a level that
every tuple pays add up to ``factor`` times a sum of widths with coprime whole weights, its ``units``. Engines
price boxes by the units, and multiply what they find by the factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from .exact_numbers import in_units
from .problem_view import LevelView
from .table import Microdata

__all__ = ["BoxMeasure"]

MOST_UNITS = 1 << 40
"""Units of all tuples together: beyond, integers cannot tell the attributes' weights apart."""


@dataclass(frozen=True, kw_only=True)
class BoxMeasure:
    """The part of a level that tuples pay for the widths of their boxes.

    Attributes
    ----------
    names : tuple of str
        The losses it stands for.
    units : tuple of int
        Weight of each attribute's width, without a common divisor.
    factor : Fraction
        What one unit weighs in the level.
    """

    names: tuple[str, ...]
    units: tuple[int, ...]
    factor: Fraction

    @classmethod
    def of(cls, level: LevelView, table: Microdata) -> BoxMeasure | None:
        """Read a level; None if no loss of it is paid so, or weights are too fine for 64 bits."""
        total = [Fraction(0)] * len(table.domains)
        names: list[str] = []
        for loss, weight in level.terms:
            declared = loss.box_weights(table)
            if declared is None or loss.box_payer != "tuple":
                continue
            names.append(loss.name)
            total = [known + weight * own for known, own in zip(total, declared, strict=True)]
        whole, common = in_units(total)
        shared = gcd(*whole)
        if not shared or sum(whole) // shared * len(table) > MOST_UNITS:
            return None
        units = tuple(weight // shared for weight in whole)
        return cls(names=tuple(names), units=units, factor=Fraction(shared, common))

    @classmethod
    def last(cls, levels: Sequence[LevelView], table: Microdata) -> BoxMeasure:
        """The measure of the last level that has one; all widths alike if none has."""
        found = [measure for level in levels if (measure := cls.of(level, table)) is not None]
        alike = cls(names=(), units=(1,) * len(table.domains), factor=Fraction(1))
        return found[-1] if found else alike

    def alone(self, level: LevelView) -> dict[str, Fraction]:
        """A level of the measure alone in which one unit weighs 1."""
        return {loss.name: weight / self.factor for loss, weight in level.terms if loss.name in self.names}
