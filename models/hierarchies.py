"""Builders of hierarchies from the values of a column.

Each takes the values (repeats do not matter) and says how they become coarser, level by level; the
root ``*`` comes by itself. `Hierarchy.to_csv` writes what they make in ARX's format. For a series of
releases build a hierarchy once, from all values that may ever come, and keep it. Each but `ordered`, whose
categories are listed, leaves in it what it was asked as its `rule`, by which values of other releases find
their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import floor
from typing import Literal, TypeAlias, TypeVar

import pandas as pd

from .box import format_number
from .errors import HierarchyError
from .exact_numbers import exact_number, shortest_decimals
from .hierarchy import ROOT, Hierarchy, as_written

__all__ = ["DateLevel", "dates", "intervals", "ordered", "prefixes", "rounding"]

T = TypeVar("T")

DateLevel: TypeAlias = Literal["month", "quarter", "year", "decade"]
"""How coarse a date is said."""

_DATE_LEVELS: tuple[DateLevel, ...] = ("month", "quarter", "year", "decade")


def intervals(
    numbers: Iterable[object], widths: Sequence[Fraction | int | str], *, origin: Fraction | int | str = 0
) -> Hierarchy:
    """Half-open intervals of growing width.

    Parameters
    ----------
    numbers
        The leaves; texts and floats stay as a table writes them (``37.0``, ``070``).
    widths
        Above 0, from fine to coarse, each a multiple of the one before.
    origin : rational
        Where an interval of every width begins.

    Returns
    -------
    Hierarchy

    Raises
    ------
    HierarchyError
        If a width is not above 0 or no multiple of the one before, or a leaf is no number.

    Examples
    --------
    >>> intervals([31, 37, 42], [5, 10]).paths[1]
    ('37', '[35,40)', '[30,40)', '*')
    """
    steps = [_number(width, "width") for width in _several("widths", widths)]
    found = Hierarchy.intervals(_numbers(numbers), steps, origin=_number(origin, "origin"))
    return replace(found, rule=partial(intervals, widths=steps, origin=origin))


def rounding(numbers: Iterable[object], steps: Sequence[Fraction | int | str]) -> Hierarchy:
    """Numbers rounded to the nearest multiple of growing steps; halves are rounded up.

    Parameters
    ----------
    numbers
        The leaves; texts and floats stay as a table writes them (``37.0``, ``070``).
    steps
        Above 0, from fine to coarse, each an odd multiple of the one before: only then does rounding
        to the coarser one not cut through what was rounded to the finer one alike.

    Returns
    -------
    Hierarchy

    Raises
    ------
    HierarchyError
        If a step is not above 0 or no odd multiple of the one before.

    Examples
    --------
    >>> rounding([31, 37, 42], [10, 30]).paths[0]
    ('31', '30±5', '30±15', '*')
    """
    widths = [_number(step, "step") for step in _several("steps", steps)]
    if any(width <= 0 for width in widths):
        raise HierarchyError("rounding steps must be above 0")
    for finer, coarser in pairwise(widths):
        if (coarser / finer).denominator != 1 or (coarser / finer).numerator % 2 == 0:
            raise HierarchyError(
                f"rounding to {format_number(coarser)} cuts through numbers rounded to "
                f"{format_number(finer)}: take odd multiples (10, 30, 90), or intervals"
            )
    rows: list[tuple[str, ...]] = []
    for number, leaf in as_written(_numbers(numbers)):
        labels = [
            f"{format_number(floor(number / width + Fraction(1, 2)) * width)}±{format_number(width / 2)}"
            for width in widths
        ]
        rows.append((leaf, *labels, ROOT))
    return Hierarchy(tuple(rows), rule=partial(rounding, steps=widths))


def prefixes(codes: Iterable[object], keep: Sequence[int]) -> Hierarchy:
    """Codes of which fewer and fewer first characters are said, such as postal codes.

    Parameters
    ----------
    codes
        The leaves, as text.
    keep
        How many characters each level says: at least 1, from many to few.

    Returns
    -------
    Hierarchy

    Raises
    ------
    HierarchyError
        If they are not so.

    Examples
    --------
    >>> prefixes(["12047", "12049", "12555"], [4, 2]).paths[0]
    ('12047', '1204*', '12***', '*')
    """
    _ = _several("keep", keep)
    if any(not isinstance(n, int) or n < 1 for n in keep) or any(a <= b for a, b in pairwise(keep)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise HierarchyError(f"keep says how many characters stay, from many to few, got {list(keep)}")
    leaves = sorted({str(code) for code in codes})
    longest = max((len(leaf) for leaf in leaves), default=0)
    rows = ((leaf, *(leaf[:n] + "*" * max(1, longest - n) for n in keep), ROOT) for leaf in leaves)
    return Hierarchy(tuple(rows), rule=partial(prefixes, keep=tuple(keep)))


def dates(
    days: Iterable[object], levels: Sequence[DateLevel] = ("month", "year"), *, pattern: str | None = None
) -> Hierarchy:
    """Dates said as month, quarter, year, decade.

    Parameters
    ----------
    days
        The leaves: dates, or texts such as ``2024-03-05``.
    levels
        From fine to coarse.
    pattern : str, optional
        How dates are written, for `datetime.strptime`: ``%d.%m.%Y``. Default: ISO 8601.

    Returns
    -------
    Hierarchy

    Raises
    ------
    HierarchyError
        If a text is no date of this pattern, or levels are unknown or out of order.

    Examples
    --------
    >>> dates(["2024-03-05", "2024-11-30"], ["quarter", "year"]).paths[0]
    ('2024-03-05', '2024-Q1', '2024', '*')
    """
    unknown = [level for level in _several("levels", levels) if level not in _DATE_LEVELS]
    if unknown:
        raise HierarchyError(f"dates have no level {unknown[0]!r}: use {', '.join(_DATE_LEVELS)}")
    if any(_DATE_LEVELS.index(a) >= _DATE_LEVELS.index(b) for a, b in pairwise(levels)):
        raise HierarchyError(f"date levels go from fine to coarse: {', '.join(_DATE_LEVELS)}")
    rows: list[tuple[str, ...]] = []
    for text in sorted({str(day) for day in days}):
        day = _date(text, pattern)
        said = {
            "month": f"{day.year:04}-{day.month:02}",
            "quarter": f"{day.year:04}-Q{(day.month + 2) // 3}",
            "year": f"{day.year:04}",
            "decade": f"{day.year // 10:03}0s",
        }
        rows.append((text, *(said[level] for level in levels), ROOT))
    return Hierarchy(tuple(rows), rule=partial(dates, levels=tuple(levels), pattern=pattern))


def ordered(categories: Sequence[object], sizes: Sequence[int]) -> Hierarchy:
    """Categories in an order, put together in runs of growing size.

    Parameters
    ----------
    categories
        The leaves, in their order.
    sizes
        How many categories each level puts together, from few to many, each a multiple of the one
        before.

    Returns
    -------
    Hierarchy

    Raises
    ------
    HierarchyError
        If sizes are not so.

    Examples
    --------
    >>> ordered(["none", "school", "college", "university"], [2]).paths[2]
    ('college', 'college..university', '*')
    """
    leaves = [str(category) for category in categories]
    _ = _several("sizes", sizes)
    if any(not isinstance(n, int) or n < 2 for n in sizes) or any(b % a for a, b in pairwise(sizes)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise HierarchyError(
            f"sizes are whole numbers from 2, each a multiple of the one before, got {list(sizes)}"
        )
    rows: list[tuple[str, ...]] = []
    for place, leaf in enumerate(leaves):
        runs = [leaves[place // n * n : place // n * n + n] for n in sizes]
        rows.append((leaf, *(run[0] if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in runs), ROOT))
    return Hierarchy(tuple(rows))


def _several(what: str, given: Sequence[T]) -> Sequence[T]:
    """One level is a list of one."""
    if isinstance(given, str) or not isinstance(given, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise HierarchyError(f"{what} must be a list, one entry for each level: write [{given!r}]")
    return given


def _numbers(numbers: Iterable[object]) -> list[object]:
    """The same, each once, if all of them are numbers."""
    column = shortest_decimals(numbers) if isinstance(numbers, pd.Series) else numbers
    found = [number for _, number in dict.fromkeys((type(number), number) for number in column)]
    for number in found:  # 37 and 37.0 are equal, and two cells
        _number(number, "value")
    return found


def _number(raw: object, what: str) -> Fraction:
    try:
        return exact_number(raw)
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        raise HierarchyError(f"the {what} {str(raw)[:60]!r} is not a number: correct it") from error


def _date(text: str, pattern: str | None) -> date:
    try:
        found = datetime.fromisoformat(text) if pattern is None else datetime.strptime(text, pattern)
    except ValueError as error:
        how = "written as YYYY-MM-DD; say how dates are written, such as '%d.%m.%Y'"
        expected = how if pattern is None else f"of the pattern {pattern!r}: correct it or the pattern"
        raise HierarchyError(f"{text!r} is not a date {expected}") from error
    return found.date()
