"""Charts of the page, drawn as SVG whose text has the colour of the page's text: readable light and dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from nicegui import ui

from .marks import marked

__all__ = ["BEST", "BOUND", "bars", "course", "draw_course", "points"]

BEST, BOUND = "best release", "bound"
COLOURS = {BEST: "#c8621b", BOUND: "#2a6fb0"}
GREY = {"color": "#8888", "width": 0.5}
"""Lines that are seen, and do not stand out, light and dark."""
LEGEND = {"data": [BEST, BOUND], "top": 0}


def _chart(options: dict[str, Any], name: str, label: str) -> ui.echart:
    chart = ui.echart({"animation": False, **options}, renderer="svg").props("role=img")
    return marked(chart.classes("w-full h-64 [&_text]:!fill-current"), "chart", name, label=label)


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
    for series, key in enumerate(("value", "bound")):
        chart.options["series"][series]["data"] = [
            [point["seconds"], float(Fraction(point[key]))] for point in shown if point[key] is not None
        ]
    chart.options["yAxis"]["name"] = last.replace("_", " ")
    chart.update()


def bars(name: str, pairs: Sequence[Sequence[Any]], axis: str, label: str, *, across: bool) -> ui.echart:
    """Bars, across with the first on top (at most 100), or upright."""
    names, values = [str(one) for one, _ in pairs], [value for _, value in pairs]
    category = (
        _axis("category", data=names, inverse=across) if across else _axis("category", axis, data=names)
    )
    value = _axis("value", axis, max=100) if across else _axis("value", "groups", minInterval=1)
    return _chart(
        {
            "grid": {"left": 20, "right": 20, "bottom": 45, "top": 20, "containLabel": True},
            "xAxis": value if across else category,
            "yAxis": category if across else value,
            "series": [{"type": "bar", "color": COLOURS[BOUND], "data": values, "barMaxWidth": 28}],
        },
        name,
        label,
    )


def points(name: str, drawn: Sequence[Mapping[str, Any]], axis: str, loss: str) -> ui.echart:
    """Loss and bound over the values of a parameter."""
    return _chart(
        {
            "legend": LEGEND,
            "grid": {"left": 70, "right": 20, "bottom": 45, "top": 35},
            "xAxis": _axis("category", axis, data=[point["at"] for point in drawn]),
            "yAxis": _axis("value", loss.replace("_", " "), scale=True, nameGap=50),
            "series": [
                {
                    "name": kind,
                    "type": "line",
                    "symbol": "circle",
                    "symbolSize": 10 if kind == BEST else 5,  # a bound that is reached lies upon it
                    "color": COLOURS[kind],
                    "data": [point[key] for point in drawn],
                }
                for kind, key in ((BEST, "value"), (BOUND, "bound"))
            ],
        },
        name,
        f"{loss.replace('_', ' ')} over {axis}, with its bound",
    )
