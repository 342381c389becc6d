"""The command line's hierarchies: how a column becomes coarser, written in ARX's format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.console import Console

from ..instances.readers import parquet_frame
from ..instances.text_files import read_text_table
from ..models import hierarchies
from ..models.errors import HierarchyError, InputError
from ..models.files import write_whole
from ..models.hierarchy import Hierarchy
from ..models.missing import Gaps
from .cli_options import Force
from .overwriting import may_write

__all__ = ["hierarchy"]


def hierarchy(
    table: Annotated[Path, typer.Argument(metavar="TABLE.csv", help="Where the values are.")],
    column: Annotated[str, typer.Argument(help="The column.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; default: COLUMN.csv.")
    ] = None,
    intervals: Annotated[
        str | None, typer.Option(help="Widths of intervals, fine to coarse: 5,10,20.")
    ] = None,
    rounding: Annotated[
        str | None, typer.Option(help="Round to the nearest multiple, odd steps: 10,30.")
    ] = None,
    prefix: Annotated[str | None, typer.Option(help="How many first characters are said: 4,2,1.")] = None,
    dates: Annotated[str | None, typer.Option(help="Of month,quarter,year,decade: month,year.")] = None,
    pattern: Annotated[str | None, typer.Option(help="How dates are written: %d.%m.%Y.")] = None,
    ordered: Annotated[
        str | None, typer.Option(help="The categories in their order: low,middle,high.")
    ] = None,
    sizes: Annotated[str, typer.Option(help="With --ordered: how many are put together: 2,4.")] = "2",
    force: Force = False,
) -> None:
    """Write how a column becomes coarser, one row per value, finest first (ARX's format).

    Give exactly one of --intervals, --rounding, --prefix, --dates, --ordered. Name the file in a problem
    file as {kind: taxonomy, hierarchy: FILE}.
    """
    console = Console(soft_wrap=True, highlight=False)
    ways = {"intervals": intervals, "rounding": rounding, "prefix": prefix, "dates": dates}
    ways["ordered"] = ordered
    given = {way: text for way, text in ways.items() if text is not None}
    if len(given) != 1:
        raise HierarchyError(f"give exactly one of {', '.join(f'--{way}' for way in ways)}")
    target = Path(f"{column}.csv") if output is None else output
    may_write([target], force=force, inputs=[table])
    if table.suffix == ".parquet":
        frame = Gaps().read(parquet_frame(table))
    else:
        frame, reading = read_text_table(table)
        console.print(str(reading), markup=False)
    if column not in frame.columns:
        have = ", ".join(str(name)[:60] for name in frame.columns)
        raise InputError(f"{table}: there is no column {column!r}, only {have}")
    values = cast("list[object]", frame[column].dropna().tolist())
    try:
        found = _build(*given.popitem(), values, sizes, pattern)
    except HierarchyError as error:
        raise HierarchyError(f"column {column!r}: {error}") from error
    write_whole(target, found.to_csv)
    console.print(f"wrote {target}: {len(found.paths)} values under {found.height} levels", markup=False)
    console.print("for example " + " -> ".join(found.paths[0]), markup=False)


def _build(way: str, text: str, values: list[object], sizes: str, pattern: str | None) -> Hierarchy:
    parts = [part.strip() for part in text.split(",") if part.strip()]
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
    return hierarchies.ordered(parts, _whole(sizes.split(","), "--sizes"))


def _whole(parts: list[str], option: str) -> list[int]:
    try:
        return [int(part) for part in parts]
    except ValueError as error:
        raise HierarchyError(f"{option}: write whole numbers with commas between, such as 4,2") from error
