"""What a level of the objective makes every tuple pay for its box, in whole numbers.

Losses that are linear in the box declare a weight per attribute (`Loss.box_weights`). Those of a level that
every tuple pays add up to ``factor`` times a sum of widths with coprime whole weights, its ``units``. Engines
price boxes by the units, and multiply what they find by the factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from .errors import EngineError
from .problem_view import LevelView
from .table import Microdata

__all__ = ["LARGEST", "BoxMeasure", "unit_weights", "whole_weights"]

LARGEST = 2**50
"""Largest cost of a whole release: far inside int64 and exact in a float."""

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
        common = lcm(*(weight.denominator for weight in total))
        whole = [int(weight * common) for weight in total]
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


def unit_weights(
    table: Microdata, copies: int, units: Sequence[int] | None = None
) -> tuple[list[int], int, bool]:
    """Integer weight per width unit of each attribute, the common scale, and whether it is exact.

    As `whole_weights` says, for the spans of the table's domains and `units` (default: 1 each).
    """
    spans = [domain.span for domain in table.domains]
    return whole_weights(spans, [1] * len(spans) if units is None else units, copies)


def whole_weights(spans: Sequence[int], units: Sequence[int], copies: int) -> tuple[list[int], int, bool]:
    """Integer weights for ``units / spans``, the scale they have in common, and whether they are exact.

    The exact scale is the least common multiple of the spans. If `copies` times the widest box would then
    exceed 2**50, the largest power of two that fits is taken as the scale and weights are rounded down, so
    that costs never exceed the true loss.

    Raises
    ------
    EngineError
        If the units alone exceed it.
    """
    scale, widest = lcm(*spans), copies * sum(units)
    exact = scale * widest <= LARGEST
    if not exact:
        if widest > LARGEST:
            raise EngineError("weights of attributes have too many digits for 64 bits: round them")
        scale = 1 << (LARGEST // widest).bit_length() - 1
    return [scale * unit // span for unit, span in zip(units, spans, strict=True)], scale, exact
