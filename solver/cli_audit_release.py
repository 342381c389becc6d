"""``optanon audit-release``: a release of another tool, checked, scored and measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from ..instances.problem_file import load_problem
from ..instances.views_file import is_views_file
from ..models.errors import InputError, OptanonError
from ..models.files import write_whole
from .cli_options import Expect, Force
from .display import plain_console, show_number
from .insight.comparison.distance import Distance
from .insight.foreign_audit import ForeignAudit, audit_release
from .overwriting import may_write

__all__ = ["audit_release_command"]


def audit_release_command(
    release_file: Annotated[Path, typer.Argument(metavar="RELEASE.csv", help="One row per record.")],
    problem_file: Annotated[
        Path, typer.Argument(metavar="PROBLEM.yaml", help="The table it was made from, and the policy.")
    ],
    ends: Annotated[
        str, typer.Option(help="Ends of intervals: written, closed, half-open for 20-30, upper-open for all.")
    ] = "written",
    stars: Annotated[
        str, typer.Option(help="Records without quasi-identifiers: suppressed, or a group.")
    ] = "suppressed",
    match: Annotated[
        str, typer.Option(help="Who is behind a row: respondents, order, fit, or auto.")
    ] = "auto",
    column: Annotated[
        list[str] | None, typer.Option(help="NAME=FILE'S NAME of a column that is called otherwise.")
    ] = None,
    count: Annotated[str, typer.Option(help="Column of how many records a row is, if there.")] = "count",
    delimiter: Annotated[str, typer.Option(help="Between cells.")] = ",",
    solve: Annotated[bool, typer.Option(help="Search for the best release.")] = True,
    bound: Annotated[str | None, typer.Option(help="A proven lower bound, instead of a search.")] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds for each search.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Of searches and queries.")] = 0,
    workers: Annotated[int | None, typer.Option(help="Threads.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the report here.")] = None,
    show_ids: Annotated[
        bool, typer.Option("--show-ids", help="Name respondents (steward's own eyes only).")
    ] = False,
    expect: Expect = None,
    force: Force = False,
) -> None:
    """Check and score a release made by ARX, sdcMicro, anonypy, ANJANA, ..., and give its gap to the optimum.

    Exit code 0 if the policy is kept, 1 if it is not, 4 if that depends on who is in which group.
    """
    may_write([json_file], force=force, problems=[problem_file], inputs=[release_file])
    if is_views_file(problem_file):
        raise OptanonError(f"{problem_file}: published views are checked with: optanon check")
    choices: dict[str, Any] = {"ends": ends, "stars": stars, "match": match}
    found = audit_release(
        release_file,
        load_problem(problem_file, expect=expect),
        **choices,
        columns=dict(_pair(given) for given in column or ()),
        count=count,
        delimiter=delimiter,
        solve=solve,
        bound=bound,
        time_limit=time_limit,
        seed=seed,
        workers=workers,
    )
    if json_file is not None:
        text = json.dumps(found.to_dict(), indent=2) + "\n"
        write_whole(json_file, lambda draft: draft.write_text(text, encoding="utf-8"), private=True)
    _show(plain_console(), found, show_ids=show_ids)
    raise typer.Exit({True: 0, False: 1, None: 4}[found.passes])


def _pair(given: str) -> tuple[str, str]:
    name, sign, column = given.partition("=")
    if not sign:
        raise InputError(f"--column {given}: write NAME=FILE'S NAME")
    return name.strip(), column.strip()


def _show(console: Console, found: ForeignAudit, *, show_ids: bool) -> None:
    source, figures = found.source, found.figures
    sure = "memberships are certain"
    if source.uncertain:
        sure = f"{source.uncertain} tuples may as well be in another group, or suppressed"
        sure += "; one assignment that fits is judged"
    console.print(
        f"{source.records} records, {figures.groups} groups, {figures.suppressed} tuples suppressed; "
        f"intervals read with ends {source.ends}; matched by {source.matched}: {sure}",
        markup=False,
    )
    for note in source.notes:
        console.print(note, markup=False)
    table = Table("", "value", "exactly")
    for name, value in zip(found.levels, figures.objective, strict=True):
        table.add_row(name, show_number(value), str(value))
    if "information_loss" not in found.levels:
        loss = figures.information_loss
        table.add_row("information_loss", show_number(loss), str(loss))
    table.add_row("discernibility", show_number(figures.discernibility), str(figures.discernibility))
    sizes = f"{figures.smallest} / {float(figures.average):.2f} / {figures.largest}"
    table.add_row("group sizes", sizes, f"average {figures.average}")
    if figures.query_error is not None:
        table.add_row("query error", f"{figures.query_error:.1%}", "")
    console.print(table)
    if found.violations:
        broken = Table("requirement", "number", "first violation")
        for name, number in figures.violations.items():
            first = next(violation for violation in found.violations if violation.requirement == name)
            broken.add_row(name, str(number), first.describe(show_ids=show_ids))
        console.print(broken)
    else:
        console.print("every check passed")
    if found.undecided:
        console.print(f"depends on who is in which group: {', '.join(found.undecided)}", markup=False)
    console.print(f"best release: {found.searched}", markup=False)
    if found.reference.infeasible:
        console.print("proven: no release keeps the policy")
    else:
        console.print(_gap(found.distance, found.levels, "the policy"), markup=False)
    if found.violations:
        if found.distance is not None:
            console.print("the release breaks the policy, so that is no distance from its optimum")
        if found.own is not None:
            console.print(_gap(found.own, found.levels, ", ".join(found.kept)), markup=False)


def _gap(place: Distance | None, levels: tuple[str, ...], kept: str) -> str:
    if place is None:
        return f"nothing is proven of the best release that keeps {kept}"
    against = "the proven optimum" if place.proven else "a proven bound, perhaps not the optimum,"
    multiple = "not a multiple" if place.multiple is None else f"{float(place.multiple):.4g} times"
    return (
        f"{levels[place.level]} is {show_number(place.value)}, {multiple} {against} "
        f"{show_number(place.reference)} of releases that keep {kept}"
    )
