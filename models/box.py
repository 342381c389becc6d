"""Cells and boxes: what a published quasi-identifier says, independent of any table.

A cell carries its own meaning (the interval or the set of leaves it covers), so
releases of different years can be compared without the table they came from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

__all__ = [
    "Box",
    "Cell",
    "Exact",
    "Interval",
    "Leaves",
    "Point",
    "covered_by",
    "covers",
    "covers_all",
    "format_number",
    "meets",
]

Exact: TypeAlias = Fraction | str
"""One exact quasi-identifier value: a rational number or a category."""

Point: TypeAlias = tuple[Exact, ...]
"""One person's exact quasi-identifiers, in the order of the attributes."""


def format_number(number: Fraction) -> str:
    """Write a rational without loss: ``31``, ``1.5`` or, if no decimal ends, ``1/3``.

    Examples
    --------
    >>> [format_number(Fraction(n)) for n in ("31", "1.5", "1/3", "-0.25")]
    ['31', '1.5', '1/3', '-0.25']
    """
    numerator, denominator = number.numerator, number.denominator
    twos = fives = 0
    while denominator % 2 == 0:
        denominator //= 2
        twos += 1
    while denominator % 5 == 0:
        denominator //= 5
        fives += 1
    if denominator != 1:
        return str(number)
    places = max(twos, fives)
    if places == 0:
        return str(numerator)
    digits = str(abs(numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    return f"{'-' if numerator < 0 else ''}{digits[:-places]}.{digits[-places:]}"


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval of numbers.

    Parameters
    ----------
    lo, hi : Fraction
        Its ends, which belong to it.

    Raises
    ------
    ValueError
        If its lower end is above its upper end: it would hold no number.
    """

    lo: Fraction
    hi: Fraction

    def __post_init__(self) -> None:
        if self.lo.numerator * self.hi.denominator > self.hi.numerator * self.lo.denominator:
            raise ValueError(f"an interval from {self.lo} to {self.hi}: give its lower end first")

    def covers(self, value: Exact) -> bool:
        """Whether `value` is a number inside the interval."""
        if not isinstance(value, Fraction):
            return False
        # Cross-multiplied by hand: comparisons of Fractions look at types first, and large tables ask often.
        lo, hi, over, under = self.lo, self.hi, value.numerator, value.denominator
        return lo.numerator * under <= over * lo.denominator and over * hi.denominator <= hi.numerator * under

    def meets(self, other: Cell) -> bool:
        """Whether some value lies in both cells."""
        return isinstance(other, Interval) and self.lo <= other.hi and other.lo <= self.hi

    def within(self, other: Cell) -> bool:
        """Whether every value of it lies in the other cell."""
        return isinstance(other, Interval) and other.lo <= self.lo and self.hi <= other.hi

    def __str__(self) -> str:
        if self.lo == self.hi:
            return format_number(self.lo)
        return f"[{format_number(self.lo)},{format_number(self.hi)}]"


@dataclass(frozen=True, slots=True)
class Leaves:
    """A set of categories published under one label (a taxonomy node, a range, a star).

    Parameters
    ----------
    label : str
        What is published.
    values : frozenset of str
        The categories that it stands for.
    """

    label: str
    values: frozenset[str]

    def covers(self, value: Exact) -> bool:
        """Whether `value` is one of the categories."""
        return value in self.values

    def meets(self, other: Cell) -> bool:
        """Whether some category lies in both cells."""
        return isinstance(other, Leaves) and not self.values.isdisjoint(other.values)

    def within(self, other: Cell) -> bool:
        """Whether every category of it lies in the other cell."""
        return isinstance(other, Leaves) and self.values <= other.values

    def __str__(self) -> str:
        return self.label


Cell: TypeAlias = Interval | Leaves
Box: TypeAlias = tuple[Cell, ...]
"""One cell per quasi-identifier."""


def covers(box: Box, point: Point) -> bool:
    """Whether every cell of `box` covers its coordinate of `point`."""
    return all(cell.covers(value) for cell, value in zip(box, point, strict=True))


def covers_all(box: Box, points: Iterable[Point]) -> bool:
    """Whether every cell of `box` covers its coordinate of every point; equal coordinates are asked once."""
    columns = zip(*points, strict=True)
    return all(all(map(cell.covers, set(column))) for cell, column in zip(box, columns, strict=True))


def covered_by(cell: Cell) -> object:
    """What a cell covers: equal for cells that differ in their labels only."""
    return cell.values if isinstance(cell, Leaves) else cell


def meets(one: Box, other: Box) -> bool:
    """Whether two boxes have a point in common."""
    return all(a.meets(b) for a, b in zip(one, other, strict=True))
