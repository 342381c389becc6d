"""The command line's frontier: a table of loss against privacy, with files and a progress bar."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from ..instances.problem_file import load_problem
from ..models.errors import PolicyError
from ..models.files import write_whole
from .cli_options import Expect, Force
from .display import plain_console, show_number, warn_unchecked
from .insight.frontier.grid import parse_vary
from .insight.frontier.plot import require_plotting
from .insight.frontier.points import FrontierPoint
from .insight.frontier.result import Frontier
from .insight.frontier.sweep import Listener, frontier
from .overwriting import may_write

__all__ = ["frontier_command"]


def frontier_command(
    problem_file: Annotated[Path, typer.Argument(metavar="PROBLEM.yaml", help="Table, history and policy.")],
    vary: Annotated[
        list[str],
        typer.Option(help="NAME=FIRST..LAST or NAME=VALUE,VALUE; NAME or requirement.NAME. May be repeated."),
    ],
    time_limit: Annotated[float, typer.Option(help="Seconds per point.")] = 60.0,
    engine: Annotated[str, typer.Option(help="Engine, or auto.")] = "auto",
    seed: Annotated[int, typer.Option(help="Same seed and workers: same result.")] = 0,
    workers: Annotated[int | None, typer.Option(help="Threads.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the points to this CSV file.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the points to this file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the points (.svg, .pdf or .png).")] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="State: written after every point, read if it exists. Steward's own eyes only."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
    expect: Expect = None,
    force: Force = False,
) -> None:
    """Solve a problem for every combination of some parameters: loss against privacy, each with its gap.

    Ctrl-C keeps what there is. Exit code 0 if every point is decided, 4 if some are not, 130 if stopped.
    """
    asked = [parse_vary(text) for text in vary]
    if len({name for name, _ in asked}) < len(asked):
        raise PolicyError("--vary: a parameter is named twice: give all its values at once, as in m=2,4..6")
    if plot is not None:
        require_plotting(plot)
    may_write([csv, json_file, plot], force=force, problems=[problem_file])
    # A state is there to be gone on with; another kind of file is not taken for one.
    may_write([resume], force=True, problems=[problem_file], inputs=[csv, json_file, plot])
    problem = load_problem(problem_file, expect=expect)
    console = plain_console()
    warn_unchecked(console, problem)
    with _progress(quiet) as listener:
        found = frontier(
            problem,
            dict(asked),
            time_limit=time_limit,
            engine=engine,
            seed=seed,
            workers=workers,
            state=resume,
            listener=listener,
        )
    _print(console, found)
    if csv is not None:
        found.to_csv(csv)
        console.print(f"wrote {csv}", markup=False)
    if json_file is not None:
        text = json.dumps(found.to_dict(), indent=2) + "\n"
        write_whole(json_file, lambda draft: draft.write_text(text, encoding="utf-8"))
        console.print(f"wrote {json_file}", markup=False)
    if plot is not None and found.points:
        found.plot(plot)
        console.print(f"wrote {plot}", markup=False)
    if not found.complete:
        again = f": go on with --resume {resume}" if resume is not None else ""
        console.print(
            f"stopped after {len(found.points)} of {len(found.grid.points)} points{again}", markup=False
        )
        raise typer.Exit(130)
    raise typer.Exit(0 if found.decided else 4)


@contextmanager
def _progress(quiet: bool) -> Generator[Listener | None]:
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("points"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def listener(done: int, total: int, point: FrontierPoint | None) -> None:
            bar.update(
                task, completed=done, total=total, description="" if point is None else point.status.value
            )

        yield listener


def _print(console: Console, found: Frontier) -> None:
    losses = found.points[0].losses if found.points else ()
    heads = [column for loss in losses for column in (loss, "proven bound", "gap")]
    table = Table(*found.grid.names, "status", *heads, "groups", "seconds")
    for point in found.points:
        cells: list[str] = [str(value) for value in point.settings]
        # A star: the verdict or the bound came from a neighbouring point.
        cells.append(point.status.value + ("*" if point.borrowed else ""))
        for level in range(len(losses)):
            gap = point.levels[level].gap if point.values else None
            cells += [
                show_number(point.values[level]) if point.values else "-",
                show_number(point.bounds[level]),
                "-" if gap is None else f"{float(gap):.2%}",
            ]
        groups = "-" if point.groups is None else str(point.groups)
        table.add_row(*cells, groups, f"{point.seconds:.1f}")
    console.print(table)
    if any(point.borrowed for point in found.points):
        console.print("* a release, bound or proof came from a neighbouring point")
