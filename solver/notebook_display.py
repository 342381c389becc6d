"""A search in a notebook: bars that grow as the gap closes, in place, with what IPython has itself.

The bar of a loss is full where the proven bound meets the best release. The seconds go on while there is no
news, so that nobody takes a long step for a standstill. The bars are removed when the search ends: the
result, which the cell shows next, says more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from html import escape
from importlib import import_module
from threading import Event, Thread
from typing import Any, Protocol, cast

from ..models.exact_numbers import show_gap, show_number
from .status import Point

__all__ = ["bars", "notebook_display"]

REDRAWN = 0.5
"""Seconds between two pictures: a search may have news a thousand times a second, or none for a minute."""
HEADS = ("loss", "best release", "proven bound", "", "gap", "since")


class _IPython(Protocol):
    """What is asked of `IPython.display`: told here, as only a notebook has the package."""

    HTML: Callable[[str], object]

    def display(self, *objects: object, display_id: bool) -> Any: ...


@contextmanager
def notebook_display(losses: Sequence[str]) -> Generator[Callable[[Point, str], None]]:
    """Give a listener that redraws the bars of a search in the cell that is running."""
    ipython = cast(_IPython, import_module("IPython.display"))
    latest: dict[int, Point] = {}
    began, over = time.monotonic(), Event()

    def picture() -> object:
        return ipython.HTML(bars(losses, latest.copy(), time.monotonic() - began))

    shown = ipython.display(picture(), display_id=True)

    def redraw() -> None:
        last = False
        while not last:
            last = over.wait(REDRAWN)
            shown.update(picture())

    # A kernel knows by its context which cell an output belongs to; threads do not inherit it.
    drawer = Thread(target=copy_context().run, args=(redraw,), daemon=True)
    if shown is not None:
        drawer.start()
    try:
        yield lambda point, _: latest.update({point.level: point})
    finally:
        over.set()
        if shown is not None:
            drawer.join()
            shown.update(ipython.HTML(""))


def bars(losses: Sequence[str], latest: Mapping[int, Point], seconds: float) -> str:
    """A table with one bar per loss, and how long the search has taken so far."""
    rows = "".join(_row(name, latest.get(level)) for level, name in enumerate(losses))
    heads = "".join(f"<th>{head}</th>" for head in HEADS)
    body = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    return f"{body}<p>searching for {seconds:.0f} s</p>"


def _row(name: str, point: Point | None) -> str:
    if point is None:
        return f"<tr><td>{escape(name)}</td><td colspan='5'><progress></progress></td></tr>"
    value, bound = point.value, point.bound
    closed = ""  # nothing is proven yet: the bar only shows that the search goes on
    if value is not None and bound:
        closed = f" max='1' value='{float(bound / value):.3f}'"
    elif value == 0:
        closed = " max='1' value='1.000'"
    cells = (
        escape(name),
        show_number(value),
        show_number(bound),
        f"<progress{closed}></progress>",
        show_gap(value, bound),
        f"{point.seconds:.0f} s",
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
