"""A backtest as a picture: four figures of every release, publisher by publisher."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ....models.errors import InputError
from ....models.files import check_picture, write_picture
from .published import PublishedSeries
from .steps import BacktestStep

__all__ = ["draw_backtest"]


def draw_backtest(publishers: Sequence[str], series: Sequence[PublishedSeries], path: Path) -> None:
    """One panel per figure, one colour per publisher, one line per series of tables.

    Raises
    ------
    OptanonError
        As `check_picture`, and if there is no release.
    """
    target = check_picture(path)
    if not any(found.made for found in series):
        raise InputError("there is nothing to draw: nobody has a release")
    from matplotlib.figure import Figure

    from ....models.release_picture import words

    figure = Figure(figsize=(10, 7), layout="constrained")
    axes: Any = figure.subplots(2, 2)
    for axis, (label, value) in zip(axes.flat, FIGURES.items(), strict=True):
        for number, publisher in enumerate(publishers):
            named = words(publisher)
            for found in series:
                points = [(s.release, y) for s in found.made if (y := value(s)) is not None]
                if found.publisher == publisher and points:
                    xs, ys = zip(*points, strict=True)
                    axis.plot(xs, ys, marker="o", markersize=3, color=f"C{number % 10}", label=named)
                    named = None
        axis.set_title(label, fontsize="medium")
        axis.set_xlabel("release")
        axis.set_ylim(bottom=0)
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.grid(alpha=0.3)
    axes.flat[0].legend(fontsize="small")
    write_picture(figure, target)


def _error(step: BacktestStep) -> float | None:
    error = None if step.figures is None else step.figures.query_error
    return None if error is None else 100 * error


def _worst(step: BacktestStep) -> float | None:
    return None if step.verdict is None or step.verdict.worst is None else float(step.verdict.worst)


FIGURES: dict[str, Callable[[BacktestStep], float | None]] = {
    "counterfeits": lambda step: step.counterfeits,
    "information loss": lambda step: None if step.loss is None else float(step.loss),
    "median error of queries in percent": _error,
    "worst posterior of anybody's value": _worst,
}
