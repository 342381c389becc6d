"""A comparison as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from matplotlib.axes import Axes
from matplotlib.figure import Figure, FigureBase
from matplotlib.patches import Patch

from ....models.errors import InputError
from ....models.files import check_picture, write_picture
from ....models.release_picture import words
from .distance import Distance
from .rows import ComparisonRow

__all__ = ["plot", "save_picture"]

WHOLE, OWN, KEPT = "#1b6ca8", "#8fb8d8", "#555555"


class ComparisonView(Protocol):
    """A comparison, as far as it is drawn."""

    @property
    def levels(self) -> Sequence[str]: ...
    @property
    def rows(self) -> Sequence[ComparisonRow]: ...
    @property
    def settings(self) -> Mapping[str, Any]: ...


def save_picture(comparisons: Mapping[str, ComparisonView], path: str | Path) -> None:
    """Draw comparisons into one file, whole or not at all.

    Raises
    ------
    OptanonError
        As `check_picture`, and if no row has a release.
    """
    target = check_picture(path)
    write_picture(plot(comparisons), target)


def plot(comparisons: Mapping[str, ComparisonView]) -> Figure:
    """Bars of the multiples of what is proven, and of query errors, one comparison below the other.

    Hatched bars are no distances: these releases break the policy. Several comparisons have their
    names as titles.

    Raises
    ------
    InputError
        If no row has a release.
    """
    shown = {name: found for name, found in comparisons.items() if _made(found)}
    if not shown:
        raise InputError("there is nothing to draw: no baseline and no engine gave a release")
    asked = any(_asked(row) for found in shown.values() for row in _made(found))
    heights = [1.6 + 0.42 * len(_made(found)) for found in shown.values()]
    figure = Figure(figsize=(10 if asked else 7, sum(heights)), layout="constrained", dpi=150)
    parts: list[FigureBase] = list(
        figure.subfigures(len(shown), 1, squeeze=False, height_ratios=heights)[:, 0]
    )
    for part, (name, found) in zip(parts, shown.items(), strict=True):
        if len(comparisons) > 1:
            part.suptitle(words(name), fontsize="medium")
        _draw(part, found)
    return figure


def _draw(part: FigureBase, comparison: ComparisonView) -> None:
    rows = _made(comparison)[::-1]
    asked = any(map(_asked, rows))
    panels: list[Axes] = list(part.subplots(1, 2 if asked else 1, sharey=True, squeeze=False)[0])
    _multiples(panels[0], comparison, rows)
    if asked:
        _errors(panels[1], comparison, rows)


def _made(comparison: ComparisonView) -> list[ComparisonRow]:
    return [row for row in comparison.rows if row.figures is not None]


def _asked(row: ComparisonRow) -> bool:
    return row.figures is not None and row.figures.query_error is not None


def _multiples(axes: Axes, comparison: ComparisonView, rows: Sequence[ComparisonRow]) -> None:
    for place, row in enumerate(rows):
        _bar(axes, place + 0.19, row.distance, WHOLE, broken=not row.keeps_policy)
        _bar(axes, place - 0.19, row.own, OWN, broken=not row.keeps_promises)
    axes.margins(x=0.15)
    axes.axvline(1, color=KEPT, linewidth=0.8)
    axes.set_yticks(range(len(rows)), [row.name for row in rows])
    places = [place for row in rows for place in (row.distance, row.own) if place is not None]
    against = "optimum" if all(place.proven for place in places) else "optimum or bound"
    deciding = sorted({comparison.levels[place.level] for place in places})
    axes.set_xlabel(f"{', '.join(deciding) or 'loss'} as a multiple of the proven {against}")
    axes.legend(
        handles=[
            Patch(facecolor=WHOLE, label="best release that keeps the policy"),
            Patch(facecolor=OWN, label="best that keeps what is promised"),
            Patch(facecolor="white", edgecolor=KEPT, hatch="///", label="breaks it: no distance"),
        ],
        fontsize="x-small",
        loc="best",
    )


def _bar(axes: Axes, height: float, place: Distance | None, colour: str, *, broken: bool) -> None:
    if place is None:
        return
    if place.multiple is None:
        axes.text(0.02, height, f" {place.text}", va="center", fontsize="x-small")
        return
    length = float(place.multiple)
    face = "white" if broken else colour
    axes.barh(height, length, 0.36, color=face, edgecolor=colour, hatch="///" if broken else None)
    label = place.text if place.proven else f"{place.text} (bound)"
    axes.text(length, height, f" {label}", va="center", fontsize="x-small")


def _errors(axes: Axes, comparison: ComparisonView, rows: Sequence[ComparisonRow]) -> None:
    for place, row in enumerate(rows):
        error = None if row.figures is None else row.figures.query_error
        if error is not None:
            axes.barh(place, 100 * error, 0.6, color=WHOLE)
            axes.text(100 * error, place, f" {100 * error:.1f} %", va="center", fontsize="x-small")
    axes.margins(x=0.15)
    share = comparison.settings["selectivity"]
    axes.set_xlabel(f"median error of {comparison.settings['queries']} queries of {share:.0%} in percent")
