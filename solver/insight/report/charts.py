"""Charts as SVG that takes its colours from the page, so that they follow light, dark and print."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ....models.errors import InputError
from ....models.release_picture import words

__all__ = ["bars", "histogram", "lines", "pairs", "steps"]

COLOURS = {
    "#010101": "var(--ink)",
    "#020202": "var(--line)",
    "#030303": "var(--one)",
    "#040404": "var(--two)",
    "#050505": "var(--three)",
    "#060606": "var(--four)",
}
"""Colours that stand for the page's own."""
INK, LINE, *SERIES = COLOURS
STYLE: Any = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": LINE,
}
LEGEND: Any = {"fontsize": 8, "frameon": False, "labelcolor": INK}
"""Legends are made outside the style."""


class _Chart:
    """One figure; `svg` ends it."""

    def __init__(self, name: str, high: float = 2.6) -> None:
        self.name = name
        with mpl.rc_context(STYLE):
            self.figure = Figure(figsize=(4.4, high), layout="constrained")
            self.axes: Axes = self.figure.add_subplot()

    def svg(self, title: str) -> str:
        """The figure as an element of a page; `title` is read out to those who cannot see it."""
        buffer = io.StringIO()
        with mpl.rc_context({**STYLE, "svg.hashsalt": self.name}):
            self.axes.grid(axis="y", linewidth=0.5, color=LINE)
            self.figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
        text = buffer.getvalue()
        text = text[text.index("<svg") :]
        text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        for mark, colour in COLOURS.items():
            text = text.replace(mark, colour)
        # Identifiers are unique on the page, not only in the figure.
        text = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{self.name}-", text)
        label = title.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
        return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def bars(name: str, title: str, labels: Sequence[str], values: Sequence[float], axis: str) -> str:
    """Horizontal bars, the first on top."""
    chart = _Chart(name, high=0.7 + 0.32 * max(2, len(labels)))
    place = range(len(labels))
    chart.axes.barh(place, values, color=SERIES[0])
    chart.axes.set_yticks(place, [_short(label) for label in labels])
    chart.axes.invert_yaxis()
    chart.axes.set_xlabel(words(axis))
    return chart.svg(title)


def histogram(
    name: str, title: str, labels: Sequence[str], counts: Sequence[int], axis: str, counted: str = "rows"
) -> str:
    """Counts as upright bars; `counted` names what is counted."""
    chart = _Chart(name)
    chart.axes.bar(range(len(labels)), counts, color=SERIES[0])
    chart.axes.set_xlim(-max(0.6, (4 - len(labels)) / 2), len(labels) - 1 + max(0.6, (4 - len(labels)) / 2))
    _label(chart.axes, labels, axis)
    chart.axes.set_ylabel(words(counted))
    chart.axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return chart.svg(title)


def pairs(
    name: str,
    title: str,
    labels: Sequence[str],
    first: Sequence[float],
    second: Sequence[float] | None,
    axis: str,
) -> str:
    """Two series of bars side by side: original and released."""
    chart = _Chart(name)
    wide = 0.4 if second is not None else 0.8
    chart.axes.bar([i - wide / 2 for i in range(len(labels))], first, wide, color=SERIES[0], label="original")
    if second is not None:
        chart.axes.bar(
            [i + wide / 2 for i in range(len(labels))], second, wide, color=SERIES[1], label="released"
        )
    _label(chart.axes, labels, axis)
    chart.axes.legend(**LEGEND)
    return chart.svg(title)


def steps(
    name: str,
    title: str,
    seconds: Sequence[float],
    incumbent: Sequence[float | None],
    bound: Sequence[float | None],
    axis: str,
) -> str:
    """Incumbent and bound over time."""
    if not len(seconds) == len(incumbent) == len(bound):
        raise InputError("a course of a search needs as many incumbents and bounds as times")
    chart = _Chart(name)
    for series, colour, label in ((incumbent, SERIES[1], "best release"), (bound, SERIES[0], "proven bound")):
        known = [(at, value) for at, value in zip(seconds, series, strict=True) if value is not None]
        if known:
            times, values = [at for at, _ in known], [value for _, value in known]
            chart.axes.step(times, values, where="post", color=colour, label=label, marker=".", markersize=4)
    chart.axes.set_xlabel("seconds")
    chart.axes.xaxis.set_major_locator(MaxNLocator(5))
    chart.axes.set_ylabel(words(axis))
    chart.axes.legend(**LEGEND)
    return chart.svg(title)


def lines(
    name: str,
    title: str,
    places: Sequence[int],
    series: Mapping[str, Sequence[float]],
    axis: str,
    *,
    counts: bool = True,
) -> str:
    """One line per series over the releases: whole numbers from 0, or shares of 1."""
    chart = _Chart(name)
    for (label, values), colour in zip(
        series.items(), [*SERIES] * (1 + len(series) // len(SERIES)), strict=False
    ):
        chart.axes.plot(places, values, color=colour, label=label, marker="o", markersize=4)
    chart.axes.set_xticks(places)
    chart.axes.set_xlabel("release")
    chart.axes.set_ylabel(words(axis))
    if counts:
        chart.axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    else:
        chart.axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    chart.axes.set_ylim(0, 1.08 * max(1.0, *(max(values) for values in series.values())))
    if any(series):
        chart.axes.legend(**LEGEND)
    return chart.svg(title)


def _label(axes: Axes, labels: Sequence[str], axis: str) -> None:
    crowded = len(labels) > 6 or any(len(label) > 8 for label in labels)
    turned: dict[str, Any] = {"rotation": 45, "ha": "right"} if crowded else {}
    axes.set_xticks(range(len(labels)), [_short(label) for label in labels], **turned)
    axes.set_xlabel(words(axis))
    axes.set_ylabel("rows")


def _short(label: str) -> str:
    return words(label if len(label) <= 22 else f"{label[:20]}…")
