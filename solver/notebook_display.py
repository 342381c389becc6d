"""A search in a notebook: bars that grow as the gap closes, in place, with what IPython has itself.

The bar of a loss is full where the proven bound meets the best release. It is removed when the search ends:
the result, which the cell shows next, says more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any, Protocol, cast

from ..models.exact_numbers import show_gap, show_number
from .status import Point

__all__ = ["bars", "notebook_display"]

REDRAWN = 0.2
"""Seconds between two pictures: a search may have news a thousand times a second."""


class _IPython(Protocol):
    """What is asked of `IPython.display`: told here, as only a notebook has the package."""

    HTML: Callable[[str], object]

    def display(self, *objects: object, display_id: bool) -> Any: ...


@contextmanager
def notebook_display(losses: Sequence[str]) -> Generator[Callable[[Point, str], None]]:
    """Give a listener that redraws the bars of a search in the cell that is running."""
    ipython = cast(_IPython, import_module("IPython.display"))
    latest: dict[int, Point] = {}
    shown = ipython.display(ipython.HTML(bars(losses, latest)), display_id=True)
    drawn = time.monotonic()

    def listener(point: Point, text: str) -> None:
        nonlocal drawn
        latest[point.level] = point
        if shown is not None and time.monotonic() - drawn >= REDRAWN:
            drawn = time.monotonic()
            shown.update(ipython.HTML(bars(losses, latest)))

    try:
        yield listener
    finally:
        if shown is not None:
            shown.update(ipython.HTML(""))


def bars(losses: Sequence[str], latest: Mapping[int, Point]) -> str:
    """A table with one bar per loss."""
    rows = "".join(_row(name, latest.get(level)) for level, name in enumerate(losses))
    heads = "".join(f"<th>{head}</th>" for head in ("loss", "best release", "proven bound", "", "gap", "s"))
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _row(name: str, point: Point | None) -> str:
    if point is None:
        return f"<tr><td>{escape(name)}</td><td colspan='5'><progress></progress></td></tr>"
    value, bound = point.value, point.bound
    closed = 0.0
    if value is not None and bound is not None:
        closed = float(bound / value) if value else 1.0
    cells = (
        escape(name),
        show_number(value),
        show_number(bound),
        f"<progress max='1' value='{closed:.3f}'></progress>",
        show_gap(value, bound),
        f"{point.seconds:.0f}",
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
