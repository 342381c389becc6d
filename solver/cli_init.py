"""The command line's first step: a problem file for a table, with guessed roles."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.console import Console
from rich.table import Table

from ..instances.guess import guess_roles
from ..instances.problem_draft import LARGE, draft_problem
from ..instances.problem_file import load_problem
from ..instances.readers import parquet_frame
from ..instances.text_files import Reading, read_text_table
from ..models.errors import InputError, OptanonError
from ..models.files import write_whole
from .cli_options import Force
from .overwriting import may_write

__all__ = ["init"]


def init(
    table: Annotated[Path, typer.Argument(metavar="TABLE.csv", help="CSV or Parquet, one row per person.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Problem file; default: beside the table, .yaml.")
    ] = None,
    respondent: Annotated[str | None, typer.Option(help="Column that says who a row is about.")] = None,
    sensitive: Annotated[str | None, typer.Option(help="Column that must be protected.")] = None,
    qi: Annotated[
        list[str] | None,
        typer.Option("--qi", help="Column others may know; repeat it. The rest is left out."),
    ] = None,
    k: Annotated[int | None, typer.Option("-k", min=2, help="Smallest size of a group.")] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Ask about each role.")] = False,
    force: Force = False,
) -> None:
    """Write a problem file for a table: roles are guessed, every line is explained, and it can be solved."""
    console = Console(width=None if sys.stdout.isatty() else 140, highlight=False)
    target = table.with_suffix(".yaml") if output is None else output
    may_write([target], force=force, inputs=[table])
    frame, reading = _read(table)
    console.print(str(reading), markup=False)
    try:
        if ask:
            respondent, sensitive, qi = _ask(frame, respondent, sensitive, qi)
        guesses = guess_roles(frame, respondent=respondent, sensitive=sensitive, quasi_identifiers=qi)
    except InputError as error:
        raise type(error)(f"{table}: {error}") from error
    if k is not None and k > len(frame):
        raise OptanonError(f"-k: groups of {k} rows cannot be made of {len(frame)}: give a smaller k")
    beside = Path(os.path.relpath(table.absolute(), target.absolute().parent)).as_posix()
    text = draft_problem(frame, reading, beside, guesses, k=k)
    write_whole(target, lambda draft: _checked(draft, target, text))
    shown = Table("column", "taken for", "generalized as", "why")
    for guess in guesses:
        shown.add_row(*(cell.replace("[", r"\[") for cell in (guess.name, guess.role, guess.kind, guess.why)))
    console.print(shown)
    console.print(f"wrote {target}: read it, correct the roles if needed, then", markup=False)
    limit = "" if len(frame) > LARGE else " --time-limit 60"
    console.print(f"  optanon solve {target}{limit}", markup=False)


def _read(table: Path) -> tuple[pd.DataFrame, Reading]:
    if table.suffix != ".parquet":
        return read_text_table(table)
    frame = parquet_frame(table)
    return frame, Reading(source=table.name, rows=len(frame))


def _checked(draft: Path, target: Path, text: str) -> None:
    """Write the file and read it back as `solve` will, so that what is left behind works."""
    draft.write_text(text, encoding="utf-8")
    try:
        _ = load_problem(draft)
    except OptanonError as error:
        raise OptanonError(
            f"{target} was not written, because it could not be solved: "
            + str(error).replace(str(draft), str(target))
        ) from error


def _ask(
    frame: pd.DataFrame, respondent: str | None, sensitive: str | None, qi: Sequence[str] | None
) -> tuple[str, str, list[str]]:
    """Ask for each role; what was guessed is offered."""
    guesses = guess_roles(frame, respondent=respondent, sensitive=sensitive, quasi_identifiers=qi)

    def offered(role: str) -> list[str]:
        return [guess.name for guess in guesses if guess.role == role]

    who = typer.prompt("Which column says who a row is about", default=offered("respondent")[0])
    private = typer.prompt("Which column must be protected", default=offered("sensitive")[0])
    known = typer.prompt(
        "Which columns may others know (with commas between)",
        default=",".join(name for name in offered("quasi-identifier") if name not in (who, private)),
    )
    return str(who), str(private), [name.strip() for name in str(known).split(",") if name.strip()]
