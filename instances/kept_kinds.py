"""The kinds that columns had in the release before, for the next table of a series.

Guessed from its own cells alone, one typo among numbers would make categories of them, and a series of
intervals would go on with `*`. A release keeps exact values, numbers only where a column was numeric, and
what it published of several together: its values are guessed at as a table's are, and new cells have to fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from ..models.box import Leaves
from ..models.errors import TableError
from ..models.exact_numbers import exact_number
from ..models.hierarchy import ROOT
from ..models.missing import MISSING
from ..models.release import Release
from ..models.same_columns import numeric_before
from .guess import Guess, date_patterns, dates_kind, guess_kind

__all__ = ["kept_kinds"]

_LABELS = {
    "intervals": re.compile(r"\[.+,.+\)"),
    "prefix": re.compile(r".+\*"),
    "dates": re.compile(r"\d+(-Q?\d+|s)?"),
}
"""How the levels of kinds that are built are called."""

_NO_NUMBER = "is no number, as the release before has there: correct it"


def kept_kinds(guesses: Sequence[Guess], frame: pd.DataFrame, last: Release) -> tuple[Guess, ...]:
    """The guesses, with kinds as in the newest release.

    Parameters
    ----------
    guesses : sequence of Guess
    frame : DataFrame
        The new table, as text; its missing cells are missing.
    last : Release

    Raises
    ------
    TableError
        If a cell does not fit: naming column, row and remedy.
    """
    numeric = numeric_before(last)
    kept: list[Guess] = []
    for guess in guesses:
        if guess.role == "quasi-identifier" and guess.name in numeric:
            cells = [None if pd.isna(cell) else str(cell) for cell in frame[guess.name].tolist()]
            guess = _numeric(guess, cells) if numeric[guess.name] else _of_texts(guess, cells, last)
        kept.append(guess)
    return tuple(kept)


def _numeric(guess: Guess, cells: Sequence[str | None]) -> Guess:
    _refuse(guess.name, cells, _is_number, _NO_NUMBER)
    if guess.kind == "numeric":
        return guess
    return replace(guess, kind="numeric", why="numbers, published as intervals, as in the release before")


def _of_texts(guess: Guess, cells: Sequence[str | None], last: Release) -> Guess:
    at = last.attributes.index(guess.name)
    before = guess_kind(guess.name, sorted({str(member.point[at]) for member in last.members} - {MISSING}))
    levels = _levels(last, at)
    there = [cell for cell in cells if cell is not None]
    kind = before.built
    if kind == "dates":
        found = _dates(guess, cells, last, alone=not levels)
    elif kind == "numeric" and levels and all(map(_LABELS["intervals"].fullmatch, levels)):
        _refuse(guess.name, cells, _is_number, _NO_NUMBER)
        why = "numbers in levels of intervals, as in the release before: give its widths here"
        return replace(guess_kind(guess.name, there, as_levels=True), why=why)
    elif kind == "prefix":
        found = guess if guess.built == kind else before
    else:
        found = guess_kind(guess.name, there, as_categories=True)
    label = _LABELS.get(kind)
    other = [level for level in levels if label is None or label.fullmatch(level) is None]
    if other:
        why = f"{found.why}; NOT as the release before, which has levels such as {other[0]!r}"
        return replace(found, why=f"{why}: give its hierarchy here")
    if found.kind == guess.kind:
        return guess
    return replace(found, why=f"{found.why}, as in the release before")


def _dates(guess: Guess, cells: Sequence[str | None], last: Release, *, alone: bool) -> Guess:
    """Dates, written in a way that fits old and new cells; `alone` if nothing else tells that they are."""
    at = last.attributes.index(guess.name)
    old = date_patterns({str(member.point[at]) for member in last.members} - {MISSING})
    there = {cell for cell in cells if cell is not None}
    both = [pattern for pattern in old if not there or pattern in date_patterns(there)]
    if not both:
        remedy = ", or go on with the problem file of the release before if these are no dates"
        _refuse(
            guess.name,
            cells,
            lambda cell: old[0] in date_patterns([cell]),
            f"is no date as the release before writes them ({old[0] or 'YYYY-MM-DD'}): correct it"
            + (remedy if alone else ""),
        )
    return replace(guess, kind=dates_kind((both or old)[0]), why="dates")


def _levels(last: Release, at: int) -> list[str]:
    """What was published of several values together, but for the label that says nothing."""
    cells = {group.box[at] for group in last.groups if group.box is not None}
    wide = {cell.label for cell in cells if isinstance(cell, Leaves) and len(cell.values) > 1}
    return sorted(wide - {ROOT})


def _is_number(cell: str) -> bool:
    try:
        _ = exact_number(cell)
    except (ValueError, OverflowError, ZeroDivisionError):
        return False
    return True


def _refuse(name: str, cells: Sequence[str | None], fits: Callable[[str], bool], why: str) -> None:
    """Refuse a cell that does not fit: one that does not with a decimal point either, if there is one.

    A typo in a column of decimal commas leaves the commas of all others.
    """
    odd = [(row, cell) for row, cell in enumerate(cells, start=1) if cell is not None and not fits(cell)]
    worse = [(row, cell) for row, cell in odd if not fits(cell.replace(",", "."))]
    for row, cell in (worse or odd)[:1]:
        raise TableError(f"column {name!r}, row {row}: {cell[:60]!r} {why}")
