"""A comparison as people read it: one line of words and numbers per baseline or engine."""

from __future__ import annotations

from collections.abc import Sequence

from ....models.exact_numbers import show_number
from .distance import Distance, Reference
from .rows import ComparisonRow

__all__ = ["cells", "columns", "notes", "proven_in_words"]

_COUNTED = ("counterfeits", "suppressed", "hidden_cells")


def columns(levels: Sequence[str], rows: Sequence[ComparisonRow]) -> tuple[str, ...]:
    """Headings; counts that are 0 everywhere, or are in the objective, have no column."""
    extra = _extra(levels, rows)
    return ("", *levels, "x best", "x promised", *extra, "sizes", "query error", "seconds")


def cells(levels: Sequence[str], rows: Sequence[ComparisonRow], row: ComparisonRow) -> tuple[str, ...]:
    """One of some rows that have releases."""
    figures = row.figures
    assert figures is not None, "only rows with a release are shown"
    return (
        row.name if row.status is None else f"{row.name} {row.status}",
        *(show_number(value) for value in figures.objective),
        _multiple(row.distance, broken=not row.keeps_policy),
        _multiple(row.own, broken=not row.keeps_promises),
        *(str(getattr(figures, name)) for name in _extra(levels, rows)),
        f"{figures.smallest} / {float(figures.average):.2f} / {figures.largest}",
        "-" if figures.query_error is None else f"{figures.query_error:.1%}",
        f"{row.seconds:.2f}",
    )


def notes(levels: Sequence[str], rows: Sequence[ComparisonRow]) -> list[str]:
    """How to read the rows."""
    found = ["x best: how many times the loss of the best release that keeps the policy"]
    if len(levels) > 1:
        found[0] += ", taken on the first level where they differ"
    if any(row.own is not None for row in rows):
        found.append("x promised: the same for the best release that keeps what this heuristic promises")
    if any(row.own is not None and row.kind == "engine" for row in rows):
        found.append("x promised of full_domain: for the best release with one hierarchy level per column")
    places = [place for row in rows for place in (row.distance, row.own) if place is not None]
    if any(place.multiple is None for place in places):
        found.append("0 + ...: the best loss is 0; the number is what this release loses beyond it")
    if not all(place.proven for place in places):
        found.append("of bound: the optimum is not proven; the true multiple is at most this")
    if not all(row.keeps_policy for row in rows):
        found.append(
            "(in brackets): the release breaks what is asked, so this is not a distance from the optimum"
        )
    if any(row.figures is not None and "recoding" in row.figures.violations for row in rows):
        found.append(
            "recoding: this policy allows only one hierarchy level per column; `recoding: multidimensional` "
            "allows all groupings"
        )
    found.append("sizes: smallest / average / largest group")
    return found


def proven_in_words(levels: Sequence[str], known: Reference) -> str:
    """What is proven of the best release that keeps the policy."""
    if known.infeasible:
        return "proven: no release keeps this policy"
    parts = [f"{level} {show_number(value)}" for level, value in zip(levels, known.optimum, strict=False)]
    text = f"proven optimum: {', '.join(parts)}" if parts else ""
    if known.bound is not None:
        bound = f"{levels[len(parts)]} at least {show_number(known.bound)}"
        text = f"{text}; then {bound}" if text else f"proven bound, no optimum: {bound}"
    return text or "nothing is proven about the best release"


def _extra(levels: Sequence[str], rows: Sequence[ComparisonRow]) -> list[str]:
    free = [name for name in _COUNTED if name not in levels]
    return [name for name in free if any(getattr(row.figures, name) for row in rows)]


def _multiple(place: Distance | None, *, broken: bool) -> str:
    if place is None:
        return "-"
    text = place.text if place.proven else f"{place.text} of bound"
    return f"({text})" if broken else text
