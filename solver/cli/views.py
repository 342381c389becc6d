"""The command line's answers about published views."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...instances.views_file import load_views, load_views_problem
from ...models.csv_cells import write_csv
from ...models.errors import OptanonError
from ...models.files import OutputFile, write_together
from ...models.views import associations, breach, project
from ...models.views.breach import Breach
from ..engines.views import ChoiceStatus, choose_views
from ..overwriting import may_write
from .tables import print_table

__all__ = ["check_views", "solve_views"]


def check_views(console: Console, files: list[Path], problem_file: Path, show_ids: bool) -> None:
    """Print the breach probability of every listed association; exit 1 if one is above its threshold."""
    if len(files) != 2:
        raise OptanonError(f"{problem_file} is about two published views: name both files, not {len(files)}")
    problem = load_views_problem(problem_file)
    views = load_views(files[0], files[1], problem)
    verdicts = [
        (breach(views, query, secret.model), secret.threshold)
        for secret in problem.secrets
        for query in associations(secret.query, problem.table)
    ]
    print_table(console, _table(verdicts, show_ids))
    broken = sum(found.probability > threshold for found, threshold in verdicts)
    if broken:
        console.print(f"{broken} of {len(verdicts)} associations are above their threshold")
        raise typer.Exit(1)
    console.print(f"every one of {len(verdicts)} associations keeps its threshold")


def solve_views(
    console: Console,
    problem_file: Path,
    output: Path,
    time_limit: float | None,
    seed: int,
    *,
    quiet: bool = False,
    raw_cells: bool = False,
    force: bool = False,
) -> None:
    """Choose the two views that publish most, print and write them; one line of it if `quiet`."""
    targets = [output / f"{problem_file.stem}.view-{number}.csv" for number in (1, 2)]
    may_write(targets, force=force, problems=[problem_file])
    problem = load_views_problem(problem_file)
    choice = choose_views(
        problem.table,
        problem.secrets,
        weights=problem.weights,
        required=problem.required,
        time_limit=time_limit,
        seed=seed,
    )
    ended = f" ({choice.termination}, {choice.rounds} rounds)"
    console.print(Text.assemble((choice.status.name, "bold"), ended))
    if choice.first is None or choice.second is None:
        raise typer.Exit(3 if choice.status is ChoiceStatus.INFEASIBLE else 4)
    console.quiet = quiet
    console.print(f"objective {choice.objective}, proven bound {choice.bound}")
    for number, columns in enumerate((choice.first, choice.second), start=1):
        console.print(f"view {number}: {', '.join(columns)}", markup=False)
    thresholds = [
        secret.threshold for secret in problem.secrets for _ in associations(secret.query, problem.table)
    ]
    print_table(console, _table(list(zip(choice.breaches, thresholds, strict=True)), show_ids=False))
    views = [project(problem.table, columns) for columns in (choice.first, choice.second)]
    write_together(
        [
            OutputFile(path=target, write=partial(write_csv, view, raw_cells=raw_cells))
            for target, view in zip(targets, views, strict=True)
        ]
    )
    for target in targets:
        console.print(f"wrote {target}", markup=False)


def _table(verdicts: list[tuple[Breach, Fraction]], show_ids: bool) -> Table:
    table = Table("association", "adversary", "values possible", "probability", "threshold", "verdict")
    for number, (found, threshold) in enumerate(verdicts, start=1):
        name = found.query.sql() if show_ids else f"association {number}"
        exact = "" if found.is_exact else "at most "
        verdict = "breach" if found.probability > threshold else "kept"
        table.add_row(
            name,
            found.model.value,
            str(found.cover_size),
            f"{exact}{found.probability}",
            str(threshold),
            verdict,
        )
    return table
