"""A release in one picture: sizes of groups, different values in them, columns that are still exact.

All of it can be read off the public copy, so the picture may be published with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .box import Cell, Interval
from .errors import InputError
from .group import QIGroup

__all__ = ["draw_release", "draw_sizes"]


def draw_release(groups: Sequence[QIGroup], attributes: Sequence[str], sensitive: str) -> Figure:
    """Draw a release.

    Raises
    ------
    InputError
        If it publishes nobody.
    """
    if not groups:
        raise InputError("there is nothing to draw: the release publishes nobody")
    figure = Figure(figsize=(12, 3.4), layout="constrained")
    sizes, values, columns = figure.subplots(1, 3)
    draw_sizes(groups, sizes)
    _counts(values, (len(group.histogram) for group in groups))
    values.set(xlabel=f"different values of {sensitive}", ylabel="groups", title="Values in a group")
    rows = sum(group.size for group in groups)
    exact = [
        100 * sum(group.size for group in groups if group.box is None or _exact(group.box[a])) / rows
        for a in range(len(attributes))
    ]
    columns.barh(list(attributes), exact)
    columns.invert_yaxis()
    columns.set(xlim=(0, 100), xlabel="% of rows with an exact value", title="Columns")
    return figure


def draw_sizes(groups: Sequence[QIGroup], axes: Axes) -> None:
    """How many groups have which size."""
    _counts(axes, (group.size for group in groups))
    axes.set(xlabel="rows", ylabel="groups", title="Group sizes")


def _counts(axes: Axes, numbers: Iterable[int]) -> None:
    counted = Counter(numbers)
    axes.bar(list(counted), list(counted.values()))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))


def _exact(cell: Cell) -> bool:
    return cell.lo == cell.hi if isinstance(cell, Interval) else len(cell.values) == 1
