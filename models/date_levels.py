"""Dates as hierarchies, also where nobody said that a column holds dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time
from functools import partial
from itertools import pairwise
from typing import Literal, TypeAlias, TypeVar

from .errors import HierarchyError
from .hierarchy import ROOT, Hierarchy
from .missing import MISSING

__all__ = ["DateLevel", "dated", "dates", "several_levels", "with_missing"]

T = TypeVar("T")

DateLevel: TypeAlias = Literal["month", "quarter", "year", "decade"]
"""How coarse a date is said."""

_DATE_LEVELS: tuple[DateLevel, ...] = ("month", "quarter", "year", "decade")
_ISO = re.compile(r"\d{4}-\d\d-\d\d")


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
    unknown = [level for level in several_levels("levels", levels) if level not in _DATE_LEVELS]
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


def dated(cells: Sequence[object]) -> tuple[list[str], Hierarchy] | None:
    """The cells of a column of ISO dates as text, and all levels of dates for it; None for any other column.

    Typed cells that are all midnights are dates, as in a file. Cells that are missing are a category.
    """
    if not all(cell == MISSING or _ISO.match(str(cell)) for cell in cells):
        return None
    days = all(cell.time() == time() for cell in cells if isinstance(cell, datetime))
    texts = [str(cell.date() if days and isinstance(cell, datetime) else cell) for cell in cells]
    try:
        found = dates(set(texts) - {MISSING}, _DATE_LEVELS)
    except HierarchyError:  # all are missing, or 2024-02-31
        return None
    return texts, with_missing(found, missing=MISSING in texts)


def with_missing(built: Hierarchy, *, missing: bool) -> Hierarchy:
    """A hierarchy that was built, with a branch for missing cells, there or by its rule."""
    paths = (*built.paths, (*[MISSING] * built.height, ROOT)) if missing else built.paths
    return Hierarchy(paths, rule=None if built.rule is None else partial(_built_again, built.rule))


def _built_again(rule: Callable[[Iterable[str]], Hierarchy], leaves: Iterable[str]) -> Hierarchy:
    said = list(leaves)
    built = rule(leaf for leaf in said if leaf != MISSING)
    return with_missing(built, missing=MISSING in said)


def several_levels(what: str, given: Sequence[T]) -> Sequence[T]:
    """One level is a list of one."""
    if isinstance(given, str) or not isinstance(given, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise HierarchyError(f"{what} must be a list, one entry for each level: write [{given!r}]")
    return given


def _date(text: str, pattern: str | None) -> date:
    try:
        found = datetime.fromisoformat(text) if pattern is None else datetime.strptime(text, pattern)
    except ValueError as error:
        how = "written as YYYY-MM-DD; say how dates are written, such as '%d.%m.%Y'"
        expected = how if pattern is None else f"of the pattern {pattern!r}: correct it or the pattern"
        raise HierarchyError(f"{text!r} is not a date {expected}") from error
    return found.date()
