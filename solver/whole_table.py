"""Tables of the command line with every word whole, however narrow the window is."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

__all__ = ["print_table"]

FRAME = 3
"""Characters a column takes beside its text: a line and a blank on either side."""


def print_table(console: Console, table: Table) -> None:
    """Print a table; where not even its longest words fit beside each other, row by row.

    Then each row is a few lines, one per column, with the column's name before the cell.

    Parameters
    ----------
    console : Console
    table : Table
        Of text; it has a line between any two columns.
    """
    room = console.width - FRAME * len(table.columns) - 1
    least = [_longest(column, words=not column.no_wrap) for column in table.columns]
    wanted = [_longest(column, words=False) for column in table.columns]
    if sum(wanted) <= room:
        console.print(table)
    elif sum(least) <= room:
        for column, width in zip(table.columns, _shared(least, wanted, room), strict=True):
            column.width = width
        console.print(table)
    else:
        _print_rows(console, table)


def _longest(column: Column, *, words: bool) -> int:
    """Width of the longest word, or of the longest line."""
    texts = [_plain(cell) for cell in (column.header, *column.cells)]
    parts = [part for text in texts for part in (text.split() if words else text.splitlines())]
    return max(map(cell_len, parts), default=1)


def _plain(cell: object) -> str:
    return Text.from_markup(cell).plain if isinstance(cell, str) else str(cell)


def _shared(least: list[int], wanted: list[int], room: int) -> list[int]:
    """Widths from `least` to `wanted` that fill the room: the narrowest wishes are granted first."""
    widths, left = list(least), room - sum(least)
    open_ = sorted(range(len(least)), key=lambda at: wanted[at] - least[at])
    for done, at in enumerate(open_):
        given = min(wanted[at] - least[at], left // (len(open_) - done))
        widths[at] += given
        left -= given
    return widths


def _print_rows(console: Console, table: Table) -> None:
    if table.title:
        console.print(table.title, style="italic")
    for row in zip(*(column.cells for column in table.columns), strict=True):
        lines = Table.grid(Column(style="bold"), Column(overflow="fold"), padding=(0, 2))
        for column, cell in zip(table.columns, row, strict=True):
            if _plain(cell):
                lines.add_row(column.header, cell)
        console.print(lines, "")
