"""The domain of a column of numbers: intervals on a grid, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from math import lcm

import numpy as np

from .box import Cell, Exact, Interval, format_number
from .domain import Codes, Domain
from .entries import Entries
from .errors import ReleaseError, TableError
from .exact_numbers import exact_number

__all__ = ["Numeric"]

MAX_CODE = 2**40
"""Largest code; leaves room for sums of products in int64."""
REMEMBERED = 100_000
"""Cells of one domain that are kept for the next time, at most."""


@dataclass(frozen=True, kw_only=True)
class Numeric(Domain):
    """Numbers, generalized to intervals.

    Parameters
    ----------
    name : str
        Column name.
    lo, hi : Fraction
        Ends of the domain, ``lo <= hi``; ``|D| = hi - lo``.
    step : Fraction
        Grid of the codes, above 0. Every number is ``lo + code * step`` exactly
        unless `rounded`.
    rounded : bool
        True if numbers were rounded down to the grid; cells are then published
        one step wider, so that they still cover the true numbers, and widths are
        off by at most ``step / (hi - lo)``.
    """

    name: str
    lo: Fraction
    hi: Fraction
    step: Fraction = Fraction(1)
    rounded: bool = False

    def __post_init__(self) -> None:
        if self.lo > self.hi:
            raise TableError(f"column {self.name!r}: domain starts at {self.lo} but ends at {self.hi}")
        if self.step <= 0:
            raise TableError(f"column {self.name!r}: step must be above 0, got {self.step}")

    @classmethod
    def of(
        cls,
        name: str,
        column: Sequence[object],
        *,
        lo: Fraction | int | None = None,
        hi: Fraction | int | None = None,
        decimals: int | None = None,
    ) -> Numeric:
        """Fit a domain to a column: the coarsest grid on which every number is exact.

        With `decimals` the grid is ``10**-decimals`` and numbers are rounded down
        to it (cells stay correct: they are published one step wider).

        Raises
        ------
        TableError
            If a value is no finite number, there is none, or the grid would need codes above 2**40.
        """
        counted = isinstance(decimals, int) and not isinstance(decimals, bool) and decimals >= 0
        if decimals is not None and not counted:
            raise TableError(
                f"column {name!r}: decimals must be a whole number of at least 0, got {decimals!r}"
            )
        if len(column) == 0 and (lo is None or hi is None):
            raise TableError(f"column {name!r}: it has no values to fit a domain to: give lo and hi")
        numbers = _numbers(name, Entries.of(name, column))
        low = min(numbers) if lo is None else Fraction(lo)
        high = max(numbers) if hi is None else Fraction(hi)
        if decimals is not None:
            step, rounded = Fraction(1, 10**decimals), True
            low = (low // step) * step
            rounded = any((number - low) % step for number in numbers)
        else:
            offsets = {number - low for number in numbers} | {high - low}
            scale = reduce(lcm, (offset.denominator for offset in offsets), 1)
            step, rounded = Fraction(1, scale), False
        if (high - low) / step > MAX_CODE:
            remedy = (
                f"give {'fewer ' if decimals else ''}`decimals` for this column to round them"
                if step < 1 and decimals != 0 and high - low <= MAX_CODE
                else "divide them by a power of ten, or declare the column `flat`"
            )
            raise TableError(
                f"column {name!r}: its numbers need a grid of {step}, too fine for exact integers: {remedy}"
            )
        return cls(name=name, lo=low, hi=high, step=step, rounded=rounded)

    @property
    def span(self) -> int:
        return max(1, -((self.lo - self.hi) // self.step))

    def encode(self, column: Sequence[object]) -> Codes:
        distinct = Entries.of(self.name, column)
        codes = np.empty(len(distinct.raws), dtype=np.int64)
        for at, number in enumerate(_numbers(self.name, distinct)):
            row = distinct.rows[at]
            if not self.lo <= number <= self.hi:
                raise TableError(
                    f"column {self.name!r}, row {row + 1}: {format_number(number)} is outside its domain "
                    f"[{format_number(self.lo)},{format_number(self.hi)}]: correct the value or widen the "
                    "domain"
                )
            steps = (number - self.lo) / self.step
            if not self.rounded and steps.denominator != 1:
                raise TableError(
                    f"column {self.name!r}, row {row + 1}: {format_number(number)} is not on the grid of "
                    "step "
                    f"{self.step}: give `decimals` for this column"
                )
            codes[at] = int(steps)
        return codes[distinct.places]

    def widened(self, values: Collection[Exact]) -> Numeric:
        numbers = [self.lo, self.hi, *(value for value in values if isinstance(value, Fraction))]
        lo, hi = min(numbers), max(numbers)
        if self.rounded:
            return replace(self, lo=self.lo + (lo - self.lo) // self.step * self.step, hi=hi)
        return Numeric.of(self.name, [*numbers, self.lo + self.step], lo=lo, hi=hi)

    # Rational arithmetic is slow, and a release of a large table asks for the same cells again and again.
    @cached_property
    def _values(self) -> dict[int, Fraction]:
        return {}

    @cached_property
    def _cells(self) -> dict[tuple[int, int], Interval]:
        return {}

    @cached_property
    def _widths(self) -> dict[Interval, Fraction]:
        return {}

    def value(self, code: int) -> Fraction:
        known = self._values.get(code)
        if known is None:
            known = self.lo + code * self.step
            if len(self._values) < REMEMBERED:
                self._values[code] = known
        return known

    def units(self, lo: int, hi: int) -> int:
        return hi - lo

    def cell(self, lo: int, hi: int) -> Interval:
        known = self._cells.get((lo, hi))
        if known is None:
            known = Interval(self.value(lo), self.value(hi + 1 if self.rounded else hi))
            if len(self._cells) < REMEMBERED:
                self._cells[lo, hi] = known
        return known

    def width(self, cell: Cell) -> Fraction:
        if not isinstance(cell, Interval):
            return Fraction(1)
        known = self._widths.get(cell)
        if known is None:
            wide = (cell.hi - cell.lo) / self.step - int(self.rounded)
            known = min(Fraction(1), max(Fraction(0), wide / self.span))
            if len(self._widths) < REMEMBERED:
                self._widths[cell] = known
        return known

    def refuses(self, cell: Cell) -> str | None:
        """Any interval will do: one that holds a group is at least as wide as the tightest."""
        return None if isinstance(cell, Interval) else "is no interval of numbers"

    def holds(self, cell: Cell, value: Exact) -> bool:
        """A number that was rounded down may be anywhere up to the next of the grid."""
        return cell.covers(value) and (
            not self.rounded or (isinstance(value, Fraction) and cell.covers(value + self.step))
        )

    def parse(self, label: str) -> Interval:
        text = label.strip()
        ends = text[1:-1].split(",") if text[:1] == "[" and text[-1:] == "]" else [text, text]
        if len(ends) != 2:
            raise ReleaseError(
                f"column {self.name!r}: {label[:60]!r} is neither a number nor an interval [a,b]"
            )
        lo, hi = (self.parse_value(end) for end in ends)
        if lo > hi:
            raise ReleaseError(f"column {self.name!r}: the interval {label!r} ends before it starts")
        return Interval(lo, hi)

    def parse_value(self, text: str) -> Fraction:
        try:
            return exact_number(text)
        except ValueError as error:
            raise ReleaseError(f"column {self.name!r}: {text[:60]!r} is not a number") from error


def _numbers(name: str, column: Entries) -> list[Fraction]:
    numbers: list[Fraction] = []
    for row, raw in zip(column.rows, column.raws, strict=True):
        try:
            numbers.append(exact_number(raw))
        except (ValueError, OverflowError, ZeroDivisionError) as error:
            raise TableError(
                f"column {name!r}, row {row + 1}: {str(raw)[:60]!r} is not a finite number: "
                "correct it or declare the column categorical"
            ) from error
    return numbers
