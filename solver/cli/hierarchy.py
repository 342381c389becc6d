"""The command line's hierarchies: how a column becomes coarser, written in ARX's format."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from rich.console import Console

from ...instances.readers import parquet_frame
from ...instances.text_files import read_text_table
from ...models import hierarchies
from ...models.errors import HierarchyError, InputError
from ...models.files import write_whole
from ...models.hierarchy import Hierarchy
from ...models.missing import Gaps
from ..display import soft_console
from ..overwriting import may_write
from .commands.table import HierarchyCommand

__all__ = ["hierarchy"]


WAYS = ("intervals", "rounding", "prefix", "dates", "ordered")
OF = {"pattern": "dates", "sizes": "ordered"}
"""Options that say more of one way."""


def hierarchy(asked: HierarchyCommand) -> None:
    """Build the hierarchy of a column from its values, and write it."""
    console = soft_console()
    given = {way: text for way in WAYS if (text := getattr(asked, way)) is not None}
    if len(given) != 1:
        raise HierarchyError(f"give exactly one of {', '.join(f'--{way}' for way in WAYS)}")
    way, text = next(iter(given.items()))
    for option, of in OF.items():
        if getattr(asked, option) is not None and way != of:
            raise HierarchyError(f"--{option} belongs to --{of}, and --{way} is given: leave one of them out")
    target = Path(f"{asked.column}.csv") if asked.output is None else asked.output
    may_write([target], force=asked.force, inputs=[asked.table])
    gaps = Gaps(marks=asked.missing_mark or (), real=asked.real_value or ())
    values = _values(console, asked.table, asked.column, gaps)
    try:
        found = _build(way, text, values, asked.sizes, asked.pattern)
    except HierarchyError as error:
        raise HierarchyError(f"column {asked.column!r}: {error}") from error
    write_whole(target, found.to_csv)
    console.print(f"wrote {target}: {len(found.paths)} values under {found.height} levels", markup=False)
    console.print("for example " + " -> ".join(found.paths[0]), markup=False)


def _values(console: Console, table: Path, column: str, gaps: Gaps) -> list[object]:
    if table.suffix == ".parquet":
        frame = gaps.read(parquet_frame(table))
    else:
        frame, reading = read_text_table(table, gaps=gaps)
        console.print(str(reading), markup=False)
    if column not in frame.columns:
        have = ", ".join(str(name)[:60] for name in frame.columns)
        raise InputError(f"{table}: there is no column {column!r}, only {have}")
    values = cast("list[object]", frame[column].dropna().tolist())
    doubtful = gaps.doubtful(column, values)
    if doubtful:
        shown = ", ".join(map(repr, doubtful))
        raise InputError(
            f"{table}: column {column!r}: {shown} may be missing, or a value: say --missing-mark or "
            "--real-value for each"
        )
    return values


def _build(way: str, text: str, values: list[object], sizes: str | None, pattern: str | None) -> Hierarchy:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise HierarchyError(f"--{way} is empty: say what its levels are, with commas between")
    if way == "intervals":
        return hierarchies.intervals(values, parts)
    if way == "rounding":
        return hierarchies.rounding(values, parts)
    if way == "prefix":
        return hierarchies.prefixes(values, _whole(parts, "--prefix"))
    if way == "dates":
        return hierarchies.dates(values, cast("Any", parts), pattern=pattern)
    strange = sorted({str(value) for value in values} - set(parts))
    if strange:
        raise HierarchyError(f"--ordered leaves out {strange[0]!r}: name every category of the column")
    return hierarchies.ordered(parts, _whole((sizes or "2").split(","), "--sizes"))


def _whole(parts: list[str], option: str) -> list[int]:
    try:
        return [int(part) for part in parts]
    except ValueError as error:
        raise HierarchyError(f"{option}: write whole numbers with commas between, such as 4,2") from error
