"""``optanon compare``: baselines and engines side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import typer
from rich.console import Console
from rich.table import Table

from ...instances.problem_file import load_problem
from ...models.errors import InputError
from ...models.files import check_picture
from ...models.problem import Problem
from ..display import plain_console, warn_unchecked
from ..insight.comparison.comparing import compare
from ..insight.comparison.found import Comparison, comparisons_to_csv, comparisons_to_json
from ..insight.comparison.rows import ComparisonRow
from ..insight.comparison.table import cells, columns, notes, proven_in_words
from ..overwriting import may_write
from .commands.alternatives import CompareCommand
from .reading import as_asked, teller_of_dropped
from .tables import print_table

__all__ = ["compare_all", "print_comparison"]

EXPLAINED = 2
"""So many heuristics that refuse are each told of with their reason."""


def compare_all(asked: CompareCommand) -> None:
    """Compare for each problem, write the files, and print the tables."""
    outputs = (asked.csv_file, asked.json_file, asked.plot_file)
    may_write(outputs, force=asked.force, problems=asked.problem_files)
    if asked.plot_file is not None:
        check_picture(asked.plot_file)
    console = plain_console()
    problems = _read(asked, console)
    for name, problem in problems.items():
        problems[name] = as_asked(console, problem, name if len(problems) > 1 else "")
    for name, problem in problems.items():
        warn_unchecked(console, problem, name if len(problems) > 1 else "")
    found = {name: _compare(asked, problem) for name, problem in problems.items()}
    try:
        _write(asked, found)
    finally:  # what was searched for is shown whether or not it can be kept
        _print(console, found)
    for path in outputs:
        if path is not None:
            console.print(f"wrote {path}", markup=False)
    known = [comparison.reference for comparison in found.values()]
    if any(not one.infeasible and not one.optimum and one.bound is None for one in known):
        raise typer.Exit(4)


def _print(console: Console, found: Mapping[str, Comparison]) -> None:
    for name, comparison in found.items():
        others = [other for other in found.values() if other is not comparison]
        if others:
            console.print(f"\n{name}: {comparison.tuples} tuples", markup=False)
        print_comparison(console, comparison, others)
    if len(found) > 1:
        _print_sum(console, list(found.values()))


def _read(asked: CompareCommand, console: Console) -> dict[str, Problem]:
    for problem_file in asked.problem_files:
        if asked.problem_files.count(problem_file) > 1:
            raise InputError(f"{problem_file}: named twice: name each problem once")
    return {
        str(problem_file): load_problem(problem_file, expect=asked.expect, tell=teller_of_dropped(console))
        for problem_file in asked.problem_files
    }


def _compare(asked: CompareCommand, problem: Problem) -> Comparison:
    return compare(
        problem,
        _names(asked.baseline),
        _names(asked.engine),
        time_limit=asked.time_limit,
        seed=asked.seed,
        workers=asked.workers,
        selectivity=asked.selectivity,
        queries=asked.queries,
        promised=asked.promised,
        recodings=asked.recodings,
    )


def _write(asked: CompareCommand, found: Mapping[str, Comparison]) -> None:
    if asked.csv_file is not None:
        comparisons_to_csv(found, asked.csv_file)
    if asked.json_file is not None:
        comparisons_to_json(found, asked.json_file)
    if asked.plot_file is not None:
        from ..insight.comparison.chart import save_picture

        save_picture(found, asked.plot_file)


def _print_sum(console: Console, found: Sequence[Comparison]) -> None:
    """Say how many baselines some problem suits."""
    asked = {row.name for one in found for row in one.rows if row.kind == "baseline"}
    made = {row.name for one in found for row in one.rows if row.kind == "baseline" and row.figures}
    measured = {
        row.name
        for one in found
        for row in one.rows
        if row.kind == "baseline"
        and any(place is not None and place.proven for place in (row.distance, row.own))
    }
    console.print(
        f"\n{len(made)} of {len(asked)} heuristics have a release, "
        f"{len(measured)} of them beside a proven optimum"
    )


def _names(given: str) -> str | list[str]:
    words = [word.strip() for word in given.split(",") if word.strip()]
    if words == ["none"]:
        return []
    return words[0] if words in (["all"], ["auto"]) else words


def print_comparison(console: Console, found: Comparison, others: Sequence[Comparison] = ()) -> None:
    """Print a comparison as a table with notes on how to read it.

    Heuristics that refuse are not listed if they have a release in one of the others.
    """
    elsewhere = {row.name for other in others for row in other.rows if row.figures is not None}
    console.print(f"policy: {', '.join(found.requirements)}", markup=False)
    console.print(proven_in_words(found.levels, found.reference), markup=False)
    shown = [row for row in found.rows if row.figures is not None]
    if shown:
        print_table(console, _table(found, shown))
    if found.best_heuristic is not None:
        console.print(f"best heuristic that keeps the policy: {found.best_heuristic.name}", markup=False)
    if any(not row.keeps_policy for row in shown):
        print_table(console, _broken(shown))
    refused = [row for row in found.rows if row.figures is None and row.name not in elsewhere]
    if len(refused) > EXPLAINED:
        names = ", ".join(row.name for row in refused)
        console.print(f"no release by {names} (`--baseline NAME` says why)", markup=False)
    else:
        for row in refused:
            console.print(f"no release by {row.name}: {row.refused}", markup=False)
    for note in notes(found.levels, shown) if shown else ():
        console.print(note, markup=False)


def _table(found: Comparison, rows: Sequence[ComparisonRow]) -> Table:
    name, *headings = columns(found.levels, rows)
    table = Table()
    table.add_column(name, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*cells(found.levels, rows, row))
    return table


def _broken(rows: Sequence[ComparisonRow]) -> Table:
    """Number of violations per row and requirement."""
    counts = {row.name: row.figures.violations for row in rows if row.figures and row.figures.violations}
    names = list(dict.fromkeys(name for found in counts.values() for name in found))
    table = Table("violations of")
    for name in names:
        table.add_column(name, justify="right")
    for row, found in counts.items():
        table.add_row(row, *(str(found.get(name, "")) for name in names))
    return table
