"""The command line's frontier: a table of loss against privacy, with files and a progress bar."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from ...instances.problem_file import load_problem
from ...models.errors import PolicyError
from ...models.files import check_picture, write_json
from ..display import plain_console, warn_unchecked
from ..insight.frontier.grid import parse_vary
from ..insight.frontier.points import FrontierPoint
from ..insight.frontier.result import Frontier
from ..insight.frontier.sweep import Listener, frontier
from ..insight.frontier.table import cells, columns
from ..overwriting import may_write
from .commands.alternatives import FrontierCommand
from .reading import as_asked, teller_of_dropped
from .tables import print_table

__all__ = ["draw_frontier"]


def draw_frontier(asked: FrontierCommand) -> None:
    """Solve every point, print the table and write the files."""
    varied = [parse_vary(text) for text in asked.vary]
    if len({name for name, _ in varied}) < len(varied):
        raise PolicyError("--vary: a parameter is named twice: give all its values together, as in m=2,4..6")
    if asked.plot_file is not None:
        check_picture(asked.plot_file)
    outputs = [asked.csv_file, asked.json_file, asked.plot_file]
    may_write(outputs, force=asked.force, problems=[asked.problem_file])
    # A state is there to be gone on with; another kind of file is not taken for one.
    may_write([asked.resume], force=True, problems=[asked.problem_file], inputs=outputs)
    console = plain_console()
    problem = load_problem(asked.problem_file, expect=asked.expect, tell=teller_of_dropped(console))
    problem = as_asked(console, problem)
    warn_unchecked(console, problem)
    with _progress(asked.quiet) as listener:
        found = frontier(
            problem,
            dict(varied),
            time_limit=asked.time_limit,
            engine=asked.engine,
            seed=asked.seed,
            workers=asked.workers,
            state=asked.resume,
            listener=listener,
        )
    _print(console, found)
    _write(asked, console, found)
    if not found.complete:
        again = f": go on with --resume {asked.resume}" if asked.resume is not None else ""
        console.print(
            f"stopped after {len(found.points)} of {len(found.grid.points)} points{again}", markup=False
        )
        raise typer.Exit(130)
    raise typer.Exit(0 if found.decided else 4)


def _write(asked: FrontierCommand, console: Console, found: Frontier) -> None:
    if asked.csv_file is not None:
        found.to_csv(asked.csv_file)
        console.print(f"wrote {asked.csv_file}", markup=False)
    if asked.json_file is not None:
        write_json(asked.json_file, found.to_dict(), private=False)
        console.print(f"wrote {asked.json_file}", markup=False)
    if asked.plot_file is not None and found.points:
        found.plot(asked.plot_file)
        console.print(f"wrote {asked.plot_file}", markup=False)


@contextmanager
def _progress(quiet: bool) -> Generator[Listener | None]:
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    parts = (
        TextColumn("points"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*parts, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def listener(done: int, total: int, point: FrontierPoint | None) -> None:
            bar.update(
                task, completed=done, total=total, description="" if point is None else point.status.value
            )

        yield listener


def _print(console: Console, found: Frontier) -> None:
    table = Table(*columns(found))
    for point in found.points:
        table.add_row(*cells(found, point))
    print_table(console, table)
    if any(point.borrowed for point in found.points):
        console.print("* a release, bound or proof came from a neighbouring point")
