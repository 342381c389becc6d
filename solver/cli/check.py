"""``optanon check``: a release against its policy, requirement by requirement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from ...instances.problem_file import load_answer, load_problem
from ...instances.views_file import is_views_file
from ...models.errors import OptanonError
from ...models.release import Release
from ...models.requirements import SafeCorrelation
from ...models.verdicts import Violation
from ..display import plain_console, warn_unchecked
from ..engines.sanitize import sanitize
from ..solved import as_of
from .commands.release import CheckCommand
from .reading import teller
from .tables import print_table
from .views import check_views

__all__ = ["check"]


def check(asked: CheckCommand) -> None:
    """Check a release, or two published views, and print what is broken."""
    console = plain_console()
    if is_views_file(asked.problem):
        if asked.expect is not None:
            raise OptanonError("--expect: published views have no stored history: leave it out")
        check_views(console, asked.release_files, asked.problem, asked.show_ids)
        return
    if len(asked.release_files) != 1:
        raise OptanonError(f"check takes one release, {len(asked.release_files)} files are named")
    problem = load_problem(asked.problem, expect=asked.expect, tell=teller(console))
    release = load_answer(asked.release_files[0], problem)
    problem, words = as_of(problem, release)
    if words is not None:
        console.print(words, markup=False)
    warn_unchecked(console, problem)
    found = list(problem.check(release))
    if not found:
        kept = ", ".join(str(r) for r in problem.policy.requirements)
        console.print(f"every check passed: {kept}", markup=False)
        return
    print_table(console, _violations(found, asked.show_ids))
    for requirement in problem.policy.requirements:
        if isinstance(requirement, SafeCorrelation) and release.form == "anatomized":
            _print_remedy(console, release, requirement)
    raise typer.Exit(1)


def _violations(found: list[Violation], show_ids: bool) -> Table:
    table = Table("requirement", "violation", "witness")
    for violation in found:
        # Without ids only numbers: a witness may name people, or tell what somebody's value is.
        witness = {key: value for key, value in violation.witness.items() if show_ids or _number(value)}
        if show_ids:
            witness |= violation.private
        shown = ", ".join(f"{key} = {_plain(value)}" for key, value in witness.items())
        table.add_row(violation.requirement, violation.describe(show_ids=show_ids), shown)
    return table


def _number(value: Any) -> bool:
    return isinstance(value, int | Fraction)


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(_plain(part) for part in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {part}" for key, part in value.items())
    return str(value)


def _print_remedy(console: Console, release: Release, requirement: SafeCorrelation) -> None:
    """Say with how few hidden cells the same groups would be safe."""
    bare = replace(release, groups=tuple(replace(group, hidden=()) for group in release.groups))
    found = sanitize(bare, requirement)
    hidden = found.release.hidden_cells
    about = ", ".join(requirement.names)
    console.print(
        f"{requirement.name}: with these groups {hidden} hidden cells of {about} are enough "
        f"({'no fewer will do' if found.is_optimal else 'perhaps fewer'}); "
        f"the release hides {release.hidden_cells}"
    )
