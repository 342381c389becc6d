"""``optanon backtest``: a series published in advance, as a table, a picture and files."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.table import Table

from ...instances.series_file import load_series, problem_of
from ...models.files import check_picture
from ..display import plain_console, warn_unchecked
from ..insight.backtest.replay import BacktestListener, backtest
from ..insight.backtest.result import COLUMNS, Backtest
from ..insight.backtest.steps import BacktestStep
from ..overwriting import may_write
from .commands.alternatives import BacktestCommand
from .reading import as_asked, teller_of_dropped
from .tables import print_table

__all__ = ["run_backtest"]

WIDE = 8
"""Columns whose words may be broken, from this one on: what is before them is numbers."""


def run_backtest(asked: BacktestCommand) -> None:
    """Publish the series each way, print the table and write the files."""
    outputs = [asked.csv_file, asked.json_file, asked.plot_file]
    inputs = [asked.series_file]
    may_write(outputs, force=asked.force, problems=[problem_of(asked.series_file)], inputs=inputs)
    if asked.plot_file is not None:
        check_picture(asked.plot_file)
    console = plain_console()
    series = load_series(asked.series_file, expect=asked.expect, tell=teller_of_dropped(console))
    warn_unchecked(console, series.problem)
    # Futures begin with the table, whether or not it is published already.
    problem = series.problem if series.futures is None else as_asked(console, series.problem)
    with _course(asked.quiet) as listener:
        found = backtest(
            problem,
            series.publishers,
            futures=series.futures,
            time_limit=asked.time_limit,
            seed=asked.seed,
            workers=asked.workers,
            queries=asked.queries,
            selectivity=asked.selectivity,
            audit_seconds=asked.audit_time,
            listener=listener,
        )
    table = Table()
    for number, heading in enumerate(COLUMNS):
        table.add_column(heading, no_wrap=number in range(3, WIDE), justify="left")
    for line in found.lines():
        table.add_row(*line)
    print_table(console, table)
    for note in found.notes:
        console.print(note, markup=False)
    _write(asked, console, found)
    if not found.complete:
        raise typer.Exit(130)
    raise typer.Exit(0 if found.published else 4)


def _write(asked: BacktestCommand, console: Console, found: Backtest) -> None:
    if asked.csv_file is not None:
        found.to_csv(asked.csv_file)
    if asked.json_file is not None:
        found.to_json(asked.json_file)
    drawn = asked.plot_file is not None and any(one.made for one in found.series)
    if asked.plot_file is not None and drawn:
        found.plot(asked.plot_file)
    for path in (asked.csv_file, asked.json_file, asked.plot_file if drawn else None):
        if path is not None:
            console.print(f"wrote {path}", markup=False)


@contextmanager
def _course(quiet: bool) -> Generator[BacktestListener | None]:
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with Console(stderr=True).status("backtest") as status:

        def listener(done: int, total: int, step: BacktestStep | None) -> None:
            said = "" if step is None else f": {step.future}, {step.publisher}, release {step.release}"
            status.update(f"{done} of {total} releases{said}")

        yield listener
