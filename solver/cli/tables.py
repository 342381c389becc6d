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

    Names of columns are broken at underscores first. If that is not enough, each row is a few lines, one per
    column, with the column's name before the cell; of a table higher than wide, one paragraph.

    Parameters
    ----------
    console : Console
    table : Table
        Of text; it has a line between any two columns.
    """
    room = console.width - FRAME * len(table.columns) - 1
    heads = [str(column.header) for column in table.columns]
    if sum(_longest(column, words=not column.no_wrap) for column in table.columns) > room:
        for column, head in zip(table.columns, heads, strict=True):
            column.header = head.replace("_", "_\n")
    least = [_longest(column, words=not column.no_wrap) for column in table.columns]
    wanted = [_longest(column, words=False) for column in table.columns]
    if sum(wanted) <= room:
        console.print(table)
    elif sum(least) <= room:
        for column, width in zip(table.columns, _shared(least, wanted, room), strict=True):
            column.width = width
        console.print(table)
    else:
        _print_rows(console, table, heads)


def _longest(column: Column, *, words: bool) -> int:
    """Width of the longest word, or of the longest line."""
    texts = [str(cell) for cell in (column.header, *column.cells)]
    parts = [part for text in texts for part in (text.split() if words else text.splitlines())]
    return max(map(cell_len, parts), default=1)


def _shared(least: list[int], wanted: list[int], room: int) -> list[int]:
    """Widths from `least` to `wanted` that fill the room: the narrowest wishes are granted first."""
    widths, left = list(least), room - sum(least)
    open_ = sorted(range(len(least)), key=lambda at: wanted[at] - least[at])
    for done, at in enumerate(open_):
        given = min(wanted[at] - least[at], left // (len(open_) - done))
        widths[at] += given
        left -= given
    return widths


def _print_rows(console: Console, table: Table, heads: list[str]) -> None:
    if table.title:
        console.print(table.title, style="italic")
    if table.row_count > len(heads):
        for first, *others in zip(*(column.cells for column in table.columns), strict=True):
            cells = zip(heads[1:], map(str, others), strict=True)
            told = (f"{head} {cell}" for head, cell in cells if cell)
            console.print(Text.assemble((str(first), "bold"), ": ", "; ".join(told)))
        return
    for row in zip(*(column.cells for column in table.columns), strict=True):
        lines = Table.grid(Column(style="bold"), Column(overflow="fold"), padding=(0, 2))
        for head, cell in zip(heads, row, strict=True):
            if str(cell):
                lines.add_row(head, cell)
        console.print(lines, "")
