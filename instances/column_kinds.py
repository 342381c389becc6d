"""How a problem file says what a column is, and the domain or hierarchy that it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..models import hierarchies
from ..models.domain import Domain
from ..models.errors import ProblemFileError
from ..models.hierarchy import ROOT, Hierarchy
from ..models.missing import MISSING
from ..models.numeric import Numeric
from ..models.parameters import as_fraction
from ..models.table import QISpec

__all__ = ["Kind", "MarksKey", "OrderedKind", "Strict", "TaxonomyKind", "column_spec"]

_MISFITS = (ValueError, ZeroDivisionError, OverflowError)
"""What building levels raises for cells that have none."""


class Strict(BaseModel):
    """A part of a file in which unknown keys are errors."""

    model_config = ConfigDict(extra="forbid")


def _mark(raw: Any) -> Any:
    """What YAML takes for nothing is what stands there: null."""
    return "null" if raw is None else str(raw) if isinstance(raw, int | float) else raw


_Mark = Annotated[str, BeforeValidator(_mark)]
MarksKey = list[_Mark] | dict[str, list[_Mark]]
"""What may stand under `missing_marks` and `real_values`."""


class _NumericKind(Strict):
    """Numbers, published as intervals."""

    kind: Literal["numeric"]
    lo: float | int | str | None = None
    """Least value of the domain; the table's unless said."""
    hi: float | int | str | None = None
    """Largest value of the domain; the table's unless said."""
    decimals: int | None = Field(default=None, ge=0, le=12)
    """Decimals that count; as many as the table has unless said."""


class _FlatKind(Strict):
    """Categories without a hierarchy: published, or `*`."""

    kind: Literal["flat"]


class OrderedKind(Strict):
    """Categories in their order."""

    kind: Literal["ordered"]
    categories: list[str | int | float] = Field(min_length=1)
    """From the lowest to the highest; they are published as ranges."""
    sizes: list[int] | None = None
    """How many neighbouring categories each level puts together, each a multiple of the one before: a
    hierarchy instead of ranges."""


class TaxonomyKind(Strict):
    """A hierarchy in a file."""

    kind: Literal["taxonomy"]
    hierarchy: str
    """CSV file as ARX writes it: a line per value, from the value to `*`."""


class _IntervalsKind(Strict):
    """A hierarchy of intervals."""

    kind: Literal["intervals"]
    widths: list[int | float | str] = Field(min_length=1)
    """Of each level, from fine to coarse, each a multiple of the one before."""


class _RoundingKind(Strict):
    """A hierarchy of rounded numbers."""

    kind: Literal["rounding"]
    steps: list[int | float | str] = Field(min_length=1)
    """Numbers are rounded to multiples of each, level by level; each an odd multiple of the one before."""


class _PrefixKind(Strict):
    """A hierarchy of codes by their beginnings."""

    kind: Literal["prefix"]
    keep: list[int] = Field(min_length=1)
    """First characters that each level keeps, from many to few."""


class _DatesKind(Strict):
    """A hierarchy of dates."""

    kind: Literal["dates"]
    levels: list[Literal["month", "quarter", "year", "decade"]] = Field(
        default_factory=lambda: ["month", "year"], min_length=1
    )
    """From the finest to the coarsest."""
    pattern: str | None = None
    """How the dates are written (as Python's strptime has it); ISO dates unless said."""


Kind = Annotated[
    _NumericKind
    | _FlatKind
    | OrderedKind
    | TaxonomyKind
    | _IntervalsKind
    | _RoundingKind
    | _PrefixKind
    | _DatesKind,
    Field(discriminator="kind"),
]


def column_spec(
    name: str, kind: Any, frame: pd.DataFrame, file: Path, missing: Literal["refuse", "category"]
) -> QISpec:
    """What one entry under `quasi_identifiers` means for a column of `frame`.

    Parameters
    ----------
    kind : Kind, str or None
        As read from `file`; None to guess.
    missing
        If missing cells are a category, a hierarchy built here gets a branch for them.

    Raises
    ------
    ProblemFileError
        If the column does not fit its kind.
    """
    if kind is None or isinstance(kind, str):
        return kind
    if isinstance(kind, _FlatKind):
        return "flat"
    if isinstance(kind, OrderedKind):
        return _ordered(kind)
    if isinstance(kind, TaxonomyKind):
        return Hierarchy.from_csv(file.parent / kind.hierarchy)
    column = frame[name].dropna().tolist()
    where = f"{file}, key quasi_identifiers.{name}"
    try:
        if isinstance(kind, _NumericKind):
            return _numeric(name, kind, column)
        if not column:
            raise ProblemFileError(f"{where}: all cells of the column are missing: leave it out")
        found = _built(kind, column)
    except ProblemFileError:
        raise
    except _MISFITS as error:
        raise ProblemFileError(f"{where}{_row_of(kind, frame[name])}: {error}") from error
    if MISSING in column:
        return found
    return _with_missing(found, missing=missing == "category" and bool(frame[name].isna().to_numpy().any()))


def _row_of(kind: Any, column: pd.Series[Any]) -> str:
    """The first row whose cell has no levels, in words; none where none has: then the kind is wrong."""
    if isinstance(kind, _NumericKind):
        return ""  # its errors name the row
    first: dict[object, int] = {}
    for row, (cell, lost) in enumerate(zip(column.tolist(), column.isna(), strict=True), start=1):
        if not lost:
            first.setdefault(cell, row)
    wrong = [row for cell, row in first.items() if not _has_levels(kind, cell)]
    return f", row {wrong[0]}" if 0 < len(wrong) < len(first) else ""


def _has_levels(kind: Any, cell: object) -> bool:
    try:
        _ = _built(kind, [cell])
    except _MISFITS:
        return False
    return True


def _with_missing(built: Hierarchy, *, missing: bool) -> Hierarchy:
    """A hierarchy that was built, with a branch for missing cells, there or by its rule."""
    paths = (*built.paths, (*[MISSING] * built.height, ROOT)) if missing else built.paths
    return Hierarchy(paths, rule=None if built.rule is None else partial(_built_again, built.rule))


def _built_again(rule: Callable[[Iterable[str]], Hierarchy], leaves: Iterable[str]) -> Hierarchy:
    said = list(leaves)
    built = rule(leaf for leaf in said if leaf != MISSING)
    return _with_missing(built, missing=MISSING in said)


def _ordered(kind: OrderedKind) -> QISpec:
    categories = [str(category) for category in kind.categories]
    return categories if kind.sizes is None else hierarchies.ordered(categories, kind.sizes)


def _built(kind: Any, column: list[object]) -> Hierarchy:
    if isinstance(kind, _IntervalsKind):
        return hierarchies.intervals(column, [str(width) for width in kind.widths])
    if isinstance(kind, _RoundingKind):
        return hierarchies.rounding(column, [str(step) for step in kind.steps])
    if isinstance(kind, _PrefixKind):
        return hierarchies.prefixes(column, kind.keep)
    return hierarchies.dates(column, kind.levels, pattern=kind.pattern)


def _numeric(name: str, kind: _NumericKind, column: list[object]) -> Domain:
    lo = None if kind.lo is None else as_fraction("numeric", "lo", kind.lo)
    hi = None if kind.hi is None else as_fraction("numeric", "hi", kind.hi)
    return Numeric.of(name, column, lo=lo, hi=hi, decimals=kind.decimals)
