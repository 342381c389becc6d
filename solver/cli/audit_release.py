"""``optanon audit-release``: a release of another tool, checked, scored and measured."""

from __future__ import annotations

from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from ...instances.problem_file import load_problem
from ...models.errors import InputError
from ...models.exact_numbers import show_number
from ...models.files import write_json
from ..display import plain_console
from ..insight.audit.foreign_audit import ForeignAudit, audit_release
from ..insight.comparison.distance import Distance
from ..overwriting import may_write
from ..solved import again_in_words
from .commands.adversary import AuditReleaseCommand
from .tables import print_table

__all__ = ["audit_foreign"]


def audit_foreign(asked: AuditReleaseCommand) -> None:
    """Audit a release of another tool and print what was found."""
    may_write(
        [asked.json_file], force=asked.force, problems=[asked.problem_file], inputs=[asked.release_file]
    )
    problem, console = load_problem(asked.problem_file, expect=asked.expect), plain_console()
    if (again := again_in_words(problem)) is not None:
        console.print(again, markup=False)
    choices: dict[str, Any] = {"ends": asked.ends, "stars": asked.stars, "match": asked.match}
    found = audit_release(
        asked.release_file,
        problem,
        **choices,
        columns=dict(_pair(given) for given in asked.column or ()),
        count=asked.count or None,
        delimiter=asked.delimiter,
        solve=asked.solve,
        bound=asked.bound,
        time_limit=asked.time_limit,
        seed=asked.seed,
        workers=asked.workers,
    )
    try:
        write_json(asked.json_file, found.to_dict(), private=True)
    finally:  # what was searched for is shown whether or not it can be kept
        _show(console, found, show_ids=asked.show_ids)
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
    print_table(console, table)
    if found.violations:
        broken = Table("requirement", "number", "first violation")
        for name, number in figures.violations.items():
            first = next(violation for violation in found.violations if violation.requirement == name)
            broken.add_row(name, str(number), first.describe(show_ids=show_ids))
        print_table(console, broken)
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
            console.print("the release breaks the policy, so that is not a distance from its optimum")
        if found.own is not None:
            console.print(_gap(found.own, found.levels, ", ".join(found.kept)), markup=False)


def _gap(place: Distance | None, levels: tuple[str, ...], kept: str) -> str:
    if place is None:
        return f"nothing is proven about the best release that keeps {kept}"
    value = f"{levels[place.level]} is {show_number(place.value)}"
    if place.multiple is None:
        proven = "the proven optimum is 0" if place.proven else "no bound above 0 is proven"
        return f"{value}; of releases that keep {kept}, {proven}"
    against = "the proven optimum" if place.proven else "a proven bound, perhaps not the optimum,"
    return (
        f"{value}, {float(place.multiple):.4g} times {against} "
        f"{show_number(place.reference)} of releases that keep {kept}"
    )
