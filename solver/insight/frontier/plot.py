"""Loss against privacy as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from ....models.files import check_picture, write_picture
from ...status import Status
from .grid import Setting
from .points import FrontierPoint

__all__ = ["draw", "draw_both"]


def draw(names: Sequence[str], points: Sequence[FrontierPoint], path: Path) -> None:
    """One panel per loss: value, down to the proven bound where they differ, and points without release."""
    target = check_picture(path)
    from matplotlib.figure import Figure

    losses = points[0].losses if points else ()
    first = list(dict.fromkeys(point.settings[0] for point in points))
    numeric = all(not isinstance(value, str | bool) for value in first)
    place = {value: float(value) if numeric else float(i) for i, value in enumerate(first)}  # pyright: ignore[reportArgumentType]
    others = list(dict.fromkeys(point.settings[1:] for point in points))
    figure = Figure(figsize=(7, 1 + 3.2 * max(1, len(losses))), layout="constrained")
    panels: Any = figure.subplots(max(1, len(losses)), 1, squeeze=False, sharex=True)
    for level, loss in enumerate(losses):
        panel = panels[level, 0]
        for number, rest in enumerate(others):
            line = sorted(
                (p for p in points if p.settings[1:] == rest), key=lambda point: place[point.settings[0]]
            )
            _line(panel, line, place, level, _label(names, rest), f"C{number % 10}")
        panel.set_ylabel(loss)
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.3)
        if len(others) > 1:
            panel.legend(fontsize="small")
        panel.set_xticks([place[value] for value in first], [str(value) for value in first])
    panels[-1, 0].set_xlabel(names[0])
    figure.suptitle("least loss found; bars reach down to the proven bound, x: no release exists", fontsize=9)
    write_picture(figure, target)


def draw_both(
    names: Sequence[str], points: Sequence[tuple[FrontierPoint, Mapping[str, Fraction]]], path: Path
) -> None:
    """The front of what is expected to come against what is lost now, every release with its settings."""
    target = check_picture(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    panel: Any = figure.subplots()
    across, *up = names
    for number, name in enumerate(up):
        spots = [(float(both[across]), float(both[name]), point) for point, both in points if both]
        spots.sort(key=lambda spot: spot[:2])
        panel.plot([x for x, _, _ in spots], [y for _, y, _ in spots], "o-", color=f"C{number}", label=name)
        for x, y, point in spots:
            panel.annotate(", ".join(map(str, point.settings)), (x, y), (4, 4), textcoords="offset points")
    panel.set_xlabel(across)
    panel.set_ylabel("this release")
    panel.set_xlim(left=0)
    panel.set_ylim(bottom=0)
    panel.grid(alpha=0.3)
    panel.legend(fontsize="small")
    write_picture(figure, target)


def _line(
    panel: Any,
    points: Sequence[FrontierPoint],
    place: dict[Setting, float],
    level: int,
    label: str,
    colour: str,
) -> None:
    found = [point for point in points if point.values]
    if found:
        spots = [place[point.settings[0]] for point in found]
        values = [float(point.values[level]) for point in found]
        bounds = [point.bounds[level] for point in found]
        below = [
            value - (float(bound) if bound is not None else 0.0)
            for value, bound in zip(values, bounds, strict=True)
        ]
        down = [max(0.0, size) for size in below]
        nothing = [0.0] * len(found)
        panel.errorbar(spots, values, yerr=[down, nothing], marker="o", capsize=3, label=label, color=colour)
    none = [place[point.settings[0]] for point in points if point.status is Status.INFEASIBLE]
    if none:
        panel.plot(none, [0.0] * len(none), "x", color=colour, clip_on=False, label=None if found else label)


def _label(names: Sequence[str], rest: Sequence[Setting]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in zip(names[1:], rest, strict=True))
