"""Domains of quasi-identifiers: exact values as integer codes, groups of codes as cells.

A domain turns a column into int64 codes, says which cell covers a set of codes
most tightly, and measures that cell in integer *units* over an integer *span*:
``width = units / span`` is between 0 (exact) and 1 (nothing is said).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, reduce
from math import lcm

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .box import Cell, Exact, Interval, Leaves, format_number
from .errors import ReleaseError, TableError
from .exact_numbers import exact_number
from .hierarchy import Hierarchy

__all__ = ["Categories", "Codes", "Domain", "Numeric", "Ordered"]

Codes = NDArray[np.int64]

MAX_CODE = 2**40
"""Largest numeric code; leaves room for sums of products in int64."""
REMEMBERED = 100_000
"""Cells of one numeric domain that are kept for the next time, at most."""


class Domain(ABC):
    """What every quasi-identifier's domain offers. Codes are int64, from 0."""

    name: str

    @property
    @abstractmethod
    def span(self) -> int:
        """The domain's size in units, at least 1."""

    @abstractmethod
    def encode(self, column: Sequence[object]) -> Codes:
        """Codes of a column, shape (n,); a wrong value raises TableError naming its row."""

    @abstractmethod
    def value(self, code: int) -> Exact:
        """The exact value behind a code."""

    @abstractmethod
    def units(self, lo: int, hi: int) -> int:
        """Width in units of the tightest cell that covers codes `lo` <= `hi` and all between."""

    @abstractmethod
    def cell(self, lo: int, hi: int) -> Cell:
        """The tightest cell that covers codes `lo` <= `hi`."""

    @abstractmethod
    def width(self, cell: Cell) -> Fraction:
        """Width of any cell as a share of the domain, 0 to 1; the domain's loss of one tuple."""

    @abstractmethod
    def parse(self, label: str) -> Cell:
        """Read a published cell back; a wrong label raises ReleaseError."""

    @abstractmethod
    def parse_value(self, text: str) -> Exact:
        """Read one exact value back; a wrong text raises ReleaseError."""

    @property
    def nodes(self) -> tuple[tuple[int, int], ...] | None:
        """Allowed code intervals if cells are taxonomy nodes; None if any interval is a cell."""
        return None

    def hull(self, codes: Iterable[int]) -> Cell:
        """The tightest cell over one or more codes."""
        found = [int(code) for code in codes]
        return self.cell(min(found), max(found))


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
            If a value is no finite number, or the grid would need codes above 2**40.
        """
        numbers = _numbers(name, _Distinct.of(column))
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
            raise TableError(
                f"column {name!r}: its numbers need a grid of {step}, too fine for exact integers: "
                "give `decimals` for this column to round them"
            )
        return cls(name=name, lo=low, hi=high, step=step, rounded=rounded)

    @property
    def span(self) -> int:
        return max(1, -((self.lo - self.hi) // self.step))

    def encode(self, column: Sequence[object]) -> Codes:
        distinct = _Distinct.of(column)
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

    def parse(self, label: str) -> Interval:
        text = label.strip()
        ends = text[1:-1].split(",") if text[:1] == "[" and text[-1:] == "]" else [text, text]
        if len(ends) != 2:
            raise ReleaseError(f"column {self.name!r}: {label[:60]!r} is no number and no interval [a,b]")
        lo, hi = (self.parse_value(end) for end in ends)
        if lo > hi:
            raise ReleaseError(f"column {self.name!r}: the interval {label!r} ends before it starts")
        return Interval(lo, hi)

    def parse_value(self, text: str) -> Fraction:
        try:
            return exact_number(text)
        except ValueError as error:
            raise ReleaseError(f"column {self.name!r}: {text[:60]!r} is not a number") from error


@dataclass(frozen=True)
class _Distinct:
    """The different entries of a column: what is done for each of them is done once, however long it is.

    Attributes
    ----------
    raws : list of object
        In the order in which they come.
    rows : list of int
        Where each comes first.
    places : int array
        Number of each row's entry.
    """

    raws: list[object]
    rows: list[int]
    places: Codes

    @classmethod
    def of(cls, column: Sequence[object]) -> _Distinct:
        if {raw.__class__ for raw in column} == {str}:
            codes, texts = pd.factorize(np.array(column, dtype=object))
            places = codes.astype(np.int64)
            return cls(texts.tolist(), np.unique(places, return_index=True)[1].tolist(), places)
        known: dict[tuple[type, object], int] = {}
        numbers = (known.setdefault((raw.__class__, raw), len(known)) for raw in column)
        places = np.fromiter(numbers, dtype=np.int64, count=len(column))
        return cls([raw for _, raw in known], np.unique(places, return_index=True)[1].tolist(), places)


def _numbers(name: str, column: _Distinct) -> list[Fraction]:
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


@dataclass(frozen=True, kw_only=True)
class Ordered(Domain):
    """Categories with an order, generalized to ranges ``a..c`` of consecutive categories."""

    name: str
    categories: tuple[str, ...]
    _rank: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.categories or len(set(self.categories)) != len(self.categories):
            raise TableError(f"column {self.name!r}: an ordered domain needs distinct categories")
        object.__setattr__(self, "_rank", {c: i for i, c in enumerate(self.categories)})

    @property
    def span(self) -> int:
        return max(1, len(self.categories) - 1)

    def encode(self, column: Sequence[object]) -> Codes:
        return _lookup(self.name, column, self._rank, "its ordered list of categories")

    def value(self, code: int) -> str:
        return self.categories[code]

    def units(self, lo: int, hi: int) -> int:
        return hi - lo

    def cell(self, lo: int, hi: int) -> Leaves:
        label = self.categories[lo] if lo == hi else f"{self.categories[lo]}..{self.categories[hi]}"
        return Leaves(label, frozenset(self.categories[lo : hi + 1]))

    def width(self, cell: Cell) -> Fraction:
        if not isinstance(cell, Leaves):
            return Fraction(1)
        ranks = [self._rank[c] for c in cell.values if c in self._rank]
        return Fraction(max(ranks) - min(ranks), self.span) if ranks else Fraction(0)

    def parse(self, label: str) -> Leaves:
        text = label.strip()
        if text in self._rank:
            return self.cell(self._rank[text], self._rank[text])
        for dots in re.finditer(r"(?=\.\.)", text):  # a category may hold the sign of a range itself
            lo = self._rank.get(text[: dots.start()])
            hi = self._rank.get(text[dots.start() + 2 :])
            if lo is not None and hi is not None and lo <= hi:
                return self.cell(lo, hi)
        raise ReleaseError(f"column {self.name!r}: {label!r} is no range of its ordered categories")

    def parse_value(self, text: str) -> str:
        if text not in self._rank:
            raise ReleaseError(f"column {self.name!r}: {text!r} is not in its ordered list of categories")
        return text


@dataclass(frozen=True, kw_only=True)
class Categories(Domain):
    """Categories under a taxonomy (flat ones under a single root), generalized to its nodes.

    A node's width is its share of the leaves, 0 for a single leaf: the
    normalized certainty penalty (Xu et al., 2006). Codes are leaves in
    depth-first order, so a node is an interval of codes.
    """

    name: str
    hierarchy: Hierarchy

    @cached_property
    def _code(self) -> dict[str, int]:
        return {leaf: code for code, leaf in enumerate(self.hierarchy.leaves)}

    @cached_property
    def _cells(self) -> dict[tuple[int, int], Leaves]:
        leaves = self.hierarchy.leaves
        return {
            (lo, hi): Leaves(label, frozenset(leaves[lo : hi + 1])) for lo, hi, label in self.hierarchy.nodes
        }

    @cached_property
    def _hulls(self) -> dict[tuple[int, int], tuple[int, int]]:
        return {}

    @property
    def span(self) -> int:
        return len(self.hierarchy.leaves)

    @property
    def nodes(self) -> tuple[tuple[int, int], ...]:
        return tuple(self._cells)

    def encode(self, column: Sequence[object]) -> Codes:
        return _lookup(self.name, column, self._code, "its hierarchy")

    def value(self, code: int) -> str:
        return self.hierarchy.leaves[code]

    def node(self, lo: int, hi: int) -> tuple[int, int]:
        """The smallest node over codes `lo` to `hi`, as a code interval."""
        found = self._hulls.get((lo, hi))
        if found is None:
            found = next((a, b) for a, b in self._cells if a <= lo and hi <= b)
            self._hulls[lo, hi] = found
        return found

    def units(self, lo: int, hi: int) -> int:
        if lo == hi:
            return 0
        first, last = self.node(lo, hi)
        return last - first + 1

    def cell(self, lo: int, hi: int) -> Leaves:
        return self._cells[self.node(lo, hi)]

    def width(self, cell: Cell) -> Fraction:
        if not isinstance(cell, Leaves):
            return Fraction(1)
        known = sum(1 for leaf in cell.values if leaf in self._code)
        return Fraction(known if known > 1 else 0, self.span)

    @cached_property
    def _labels(self) -> dict[str, tuple[int, int] | None]:
        """Code interval per label on any level; None if disjoint nodes share the label."""
        found: dict[str, tuple[int, int] | None] = {}
        for level in range(self.hierarchy.height + 1):
            for lo, hi, label in self.hierarchy.runs(level):
                old = found.get(label, (lo, hi))
                nested = old is not None and lo <= old[0] and old[1] <= hi
                found[label] = (lo, hi) if nested else None
        return found

    def parse(self, label: str) -> Leaves:
        run = self._labels.get(label.strip())
        if run is None:
            why = "stands for several nodes" if label.strip() in self._labels else "is no label"
            raise ReleaseError(f"column {self.name!r}: {label!r} {why} of its hierarchy")
        return Leaves(label.strip(), frozenset(self.hierarchy.leaves[run[0] : run[1] + 1]))

    def parse_value(self, text: str) -> str:
        if text not in self._code:
            raise ReleaseError(f"column {self.name!r}: {text!r} is not in its hierarchy")
        return text


def _lookup(name: str, column: Sequence[object], known: dict[str, int], where: str) -> Codes:
    distinct = _Distinct.of(column)
    codes = np.empty(len(distinct.raws), dtype=np.int64)
    for at, (row, raw) in enumerate(zip(distinct.rows, distinct.raws, strict=True)):
        code = known.get(str(raw))
        if code is None:
            raise TableError(
                f"column {name!r}, row {row + 1}: {str(raw)!r} is not in {where}: correct the value or "
                "add it there"
            )
        codes[at] = code
    return codes[distinct.places]
