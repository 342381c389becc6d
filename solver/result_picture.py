"""A result in one picture: course of the search, loss by column, sizes of groups."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from matplotlib.figure import Figure

from ..models.errors import InputError
from ..models.release import Release
from ..models.release_picture import draw_sizes, words
from .summary import Summary

__all__ = ["draw"]


def draw(
    release: Release | None,
    summary: Summary | None,
    course: Sequence[tuple[float, Fraction | None, Fraction | None]],
) -> Figure:
    """Draw a result's release.

    `course` has seconds, best value and bound of the last level.

    Raises
    ------
    InputError
        If there is none.
    """
    if release is None or summary is None:
        raise InputError("there is no release to draw: the result has none")
    figure = Figure(figsize=(12, 3.4), layout="constrained")
    search, columns, sizes = figure.subplots(1, 3)
    for name, known in (
        ("best release", [(at, value) for at, value, _ in course if value is not None]),
        ("proven bound", [(at, bound) for at, _, bound in course if bound is not None]),
    ):
        if known:
            values = [float(value) for _, value in known]
            search.step([at for at, _ in known], values, where="post", marker=".", label=name)
    search.set(xlabel="seconds", ylabel=summary.losses[-1].name.replace("_", " "), title="Search")
    if course:
        search.legend(frameon=False)
    names = [words(column.name) for column in summary.columns]
    columns.barh(names, [100 * float(column.lost) for column in summary.columns])
    columns.invert_yaxis()
    columns.set(xlim=(0, 100), xlabel="% of its information lost", title="Columns")
    draw_sizes([group.size for group in release.groups], sizes)
    return figure
