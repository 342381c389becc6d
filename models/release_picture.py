"""A release in one picture: sizes of groups, different values in them, columns that are still exact.

All of it can be read off the public copy, so the picture may be published with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .errors import InputError

__all__ = ["draw_release", "draw_sizes", "words"]


def draw_release(
    sizes: Sequence[int], different: Sequence[int], exact: Mapping[str, int], sensitive: str
) -> Figure:
    """Draw a release: rows and different values of its groups, rows with an exact value by column.

    Raises
    ------
    InputError
        If it publishes nobody.
    """
    if not sizes:
        raise InputError("there is nothing to draw: the release publishes nobody")
    figure = Figure(figsize=(12, 3.4), layout="constrained")
    rows, values, columns = figure.subplots(1, 3)
    draw_sizes(sizes, rows)
    _counts(values, different)
    values.set(xlabel=f"different values of {words(sensitive)}", ylabel="groups", title="Values in a group")
    total = sum(sizes)
    columns.barh([words(name) for name in exact], [100 * known / total for known in exact.values()])
    columns.invert_yaxis()
    columns.set(xlim=(0, 100), xlabel="% of rows with an exact value", title="Columns")
    return figure


def draw_sizes(sizes: Sequence[int], axes: Axes) -> None:
    """How many groups have which size."""
    _counts(axes, sizes)
    axes.set(xlabel="rows", ylabel="groups", title="Group sizes")


def words(text: str) -> str:
    """Text as it is: two dollar signs would enclose a formula, which ends the drawing if it is none."""
    return text.replace("$", r"\$")


def _counts(axes: Axes, numbers: Iterable[int]) -> None:
    counted = Counter(numbers)
    axes.bar(list(counted), list(counted.values()))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
