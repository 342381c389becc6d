"""Live incumbent, bound and gap on a terminal or in a notebook; silent elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.table import Table

from ..models.exact_numbers import show_gap, show_number
from ..models.problem import Problem
from .level_value import UNCHECKED
from .status import Point

__all__ = ["live_display", "plain_console", "show_warning", "soft_console", "told_to", "warn_unchecked"]


class _LastingConsole(Console):
    """A console that outlasts its reader: after `| head` files are written all the same, and not a line more.

    Rich would end the program, and what it searched for would be lost.
    """

    def on_broken_pipe(self) -> None:
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def plain_console(*, soft_wrap: bool = False) -> Console:
    """Full width where nothing draws the line, so that tables stay whole in files and pipes.

    Text is printed as it is: names and values of a table may look like markup or emoji.
    """
    width = None if sys.stdout.isatty() else 140
    return _LastingConsole(width=width, highlight=False, markup=False, emoji=False, soft_wrap=soft_wrap)


def soft_console() -> Console:
    """The same for sentences and paths: a line is never broken, so that it can be copied."""
    return plain_console(soft_wrap=True)


def show_warning(console: Console, warning: str) -> None:
    """What must be known before a release is used, on one line."""
    console.print(warning, style="bold red", markup=False, soft_wrap=True)


def warn_unchecked(console: Console, problem: Problem, name: str = "") -> None:
    """Say so if the problem has a history and a policy that is blind to it; `name` tells which problem."""
    if problem.series_checked is False:
        show_warning(console, f"{name}: {UNCHECKED}" if name else UNCHECKED)


@contextmanager
def live_display(problem: Problem, wanted: bool | None) -> Generator[Callable[[Point, str], None] | None]:
    """Give a listener that redraws a small table, or bars in a notebook; None if nothing is to be shown.

    Parameters
    ----------
    problem : Problem
        Its objective's levels are the table's rows.
    wanted : bool or None
        None shows only on a terminal or in a notebook.
    """
    console = Console(stderr=True)
    if console.is_jupyter and wanted is not False:
        from .notebook_display import notebook_display

        with notebook_display([level.name for level in problem.policy.levels]) as bars:
            yield bars
        return
    if wanted is False or (wanted is None and not console.is_terminal):
        yield None
        return
    latest: dict[int, Point] = {}

    def draw() -> Table:
        table = Table("loss", "incumbent", "bound", "gap", "seconds")
        for index, level in enumerate(problem.policy.levels):
            point = latest.get(index)
            if point is None:
                table.add_row(level.name, "", "", "", "")
                continue
            gap = show_gap(point.value, point.bound)
            table.add_row(
                level.name, show_number(point.value), show_number(point.bound), gap, f"{point.seconds:.1f}"
            )
        return table

    with Live(draw(), console=console, refresh_per_second=8, transient=True) as live:

        def listener(point: Point, text: str) -> None:
            latest[point.level] = point
            live.update(draw())

        yield listener


def told_to(
    shown: Callable[[Point, str], None] | None, listener: Callable[[Point], None] | None
) -> Callable[[Point, str], None] | None:
    """The display and the caller's listener as one."""
    if listener is None:
        return shown

    def tell(point: Point, text: str) -> None:
        if shown is not None:
            shown(point, text)
        listener(point)

    return tell
