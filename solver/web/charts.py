"""Charts of the page, drawn as SVG whose text has the colour of the page's text: readable light and dark.

A chart stands on the page from the beginning and is filled anew: one that is taken away before the browser
has drawn it makes it complain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from nicegui import ui

from .marks import marked

__all__ = ["BEST", "BOUND", "bars", "course", "draw_bars", "draw_course", "draw_points", "points"]

BEST, BOUND = "best release", "bound"
COLOURS = {BEST: "#c8621b", BOUND: "#2a6fb0"}
GREY = {"color": "#8888", "width": 0.5}
"""Lines that are seen, and do not stand out, light and dark."""
LEGEND = {"data": [BEST, BOUND], "top": 0}


def _chart(options: dict[str, Any], name: str, label: str) -> ui.echart:
    chart = ui.echart({"animation": False, **options}, renderer="svg").props("role=img")
    return marked(chart.classes("w-full h-64 [&_text]:!fill-current"), "chart", name, label=label)


def _fill(chart: ui.echart, data: Sequence[Sequence[Any]]) -> None:
    for series, values in zip(chart.options["series"], data, strict=True):
        series["data"] = values
    chart.update()


def _axis(kind: str, name: str = "", **more: Any) -> dict[str, Any]:
    lines = {"axisLine": {"lineStyle": GREY}, "splitLine": {"show": kind == "value", "lineStyle": GREY}}
    return {"type": kind, "name": name, "nameLocation": "middle", "nameGap": 28, **lines, **more}


def course() -> ui.echart:
    """Best release and bound over the seconds of a search, to be filled as it goes."""
    return _chart(
        {
            "legend": LEGEND,
            "grid": {"left": 70, "right": 20, "bottom": 45, "top": 35},
            "xAxis": _axis("value", "seconds"),
            "yAxis": _axis("value", scale=True, nameGap=50),
            "series": [
                {
                    "name": name,
                    "type": "line",
                    "step": "end",
                    "symbol": "circle",  # the usual one is filled with white, also in the dark
                    "symbolSize": 5,
                    "color": colour,
                    "data": [],
                }
                for name, colour in COLOURS.items()
            ],
        },
        "course",
        "best release and bound over time",
    )


def draw_course(chart: ui.echart, points: Sequence[Mapping[str, Any]]) -> None:
    """Show the points of the loss that is searched last."""
    if not points:
        return
    last = max(points, key=lambda point: point["level"])["loss"]
    shown = [point for point in points if point["loss"] == last]
    chart.options["yAxis"]["name"] = last.replace("_", " ")
    _fill(
        chart,
        [
            [[point["seconds"], float(Fraction(point[key]))] for point in shown if point[key] is not None]
            for key in ("value", "bound")
        ],
    )


def bars(name: str, axis: str, *, across: bool) -> ui.echart:
    """Bars, across with the first on top (at most 100), or upright, to be filled."""
    category = _axis("category", inverse=across) if across else _axis("category", axis)
    value = _axis("value", axis, max=100) if across else _axis("value", "groups", minInterval=1)
    return _chart(
        {
            "grid": {"left": 20, "right": 20, "bottom": 45, "top": 20, "containLabel": True},
            "xAxis": value if across else category,
            "yAxis": category if across else value,
            "series": [{"type": "bar", "color": COLOURS[BOUND], "data": [], "barMaxWidth": 28}],
        },
        name,
        axis,
    )


def draw_bars(chart: ui.echart, pairs: Sequence[Sequence[Any]], label: str) -> None:
    """Show names and values; `label` is what a screen reader says."""
    axis = next(chart.options[key] for key in ("xAxis", "yAxis") if chart.options[key]["type"] == "category")
    axis["data"] = [str(name) for name, _ in pairs]
    chart.props["aria-label"] = label
    _fill(chart, [[value for _, value in pairs]])


def points(name: str) -> ui.echart:
    """Loss and bound over the values of a parameter, to be filled."""
    return _chart(
        {
            "legend": LEGEND,
            "grid": {"left": 70, "right": 20, "bottom": 45, "top": 35},
            "xAxis": _axis("category"),
            "yAxis": _axis("value", scale=True, nameGap=50),
            "series": [
                {
                    "name": kind,
                    "type": "line",
                    "symbol": "circle",
                    "symbolSize": 10 if kind == BEST else 5,  # a bound that is reached lies upon it
                    "color": COLOURS[kind],
                    "data": [],
                }
                for kind in (BEST, BOUND)
            ],
        },
        name,
        "loss and bound over a parameter",
    )


def draw_points(chart: ui.echart, drawn: Sequence[Mapping[str, Any]], axis: str, loss: str) -> None:
    """Show best release and bound at each value of the parameter that `axis` names."""
    words = loss.replace("_", " ")
    chart.options["xAxis"].update(name=axis, data=[point["at"] for point in drawn])
    chart.options["yAxis"]["name"] = words
    chart.props["aria-label"] = f"{words} over {axis}, with its bound"
    _fill(chart, [[point[key] for point in drawn] for key in ("value", "bound")])
