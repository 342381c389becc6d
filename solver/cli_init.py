"""The command line's first step: a problem file for a table, with guessed roles."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
import typer
from rich.console import Console
from rich.table import Table

from ..instances.declared_cells import DeclaredCells, published_gaps
from ..instances.guess import Guess, guess_roles
from ..instances.named_files import store_files
from ..instances.problem_draft import AS_BEFORE, LARGE, draft_problem
from ..instances.problem_file import load_problem
from ..instances.readers import parquet_frame
from ..instances.text_files import Reading, read_text_table
from ..models.errors import InputError, OptanonError, SpellingError
from ..models.files import write_whole
from ..models.history import History
from ..models.missing import Gaps
from ..models.problem import Problem
from .cli_options import Force
from .cli_past import STORE, Past
from .overwriting import may_write

__all__ = ["init", "on_terminal"]


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
    series: Annotated[
        bool | None,
        typer.Option(
            "--series/--once",
            help="Whether the table is released again and again, or this once; asked for on a terminal, "
            "otherwise a series.",
        ),
    ] = None,
    history: Annotated[
        str | None,
        typer.Option(help="Stored history of the series; begun if there is none. Default: releases.db."),
    ] = None,
    key_file: Annotated[
        Path | None, typer.Option(help="Key of the history: respondent ids are kept as keyed hashes.")
    ] = None,
    people: Annotated[
        Literal["keep", "merge"] | None,
        typer.Option(
            "--spelling",
            help="What ids are that differ in blanks, case or composed letters only: different people "
            "(keep), or a person who returns (merge); asked for on a terminal, otherwise refused.",
        ),
    ] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Ask about each role.")] = False,
    force: Force = False,
) -> None:
    """Write a problem file for a table: roles are guessed, every line is explained, and it can be solved.

    A table of a series gets a policy for series, and goes on with the roles and the policy of the releases
    before it. A table that is published once gets a policy that looks at no other release.
    """
    console = Console(width=None if sys.stdout.isatty() else 140, highlight=False, soft_wrap=True)
    target = table.with_suffix(".yaml") if output is None else output
    store = os.path.relpath(target.absolute().parent / STORE) if history is None else history
    may_write([target], force=force, inputs=[table, key_file, *store_files(store)])
    frame, reading = _read(table)
    again = _is_series(console, series, history, key_file)
    past = Past.of(target.absolute().parent, store, key_file) if again else None
    before = History() if past is None else past.history
    gaps = published_gaps(before)
    if gaps.real:
        frame, reading = _read(table, gaps)
    try:
        if ask:
            respondent, sensitive, qi = _ask(frame, respondent, sensitive, qi)
        declared = DeclaredCells.of(frame, map(str, frame.columns), before)
        guesses = _guessed(declared.applied(frame), respondent, sensitive, qi, past)
        as_written = [guess.name for guess in guesses if guess.role in ("respondent", "sensitive")]
        if not set(as_written).isdisjoint(reading.decimal_commas):
            frame, reading = _read(table, gaps, as_written)
        declared = declared.about(frame, guesses, before)
    except InputError as error:
        raise type(error)(f"{table}: {error}") from error
    console.print(str(reading), markup=False)
    if k is not None and k > len(frame):
        raise OptanonError(f"-k: groups of {k} rows cannot be made of {len(frame)}: give a smaller k")
    beside = Path(os.path.relpath(table.absolute(), target.absolute().parent)).as_posix()

    def drafted(declared: DeclaredCells) -> Problem:
        going_on = None if past is None else past.drafted
        text = draft_problem(
            declared.applied(frame), reading, beside, guesses, k=k, series=going_on, declared=declared
        )
        problems: list[Problem] = []
        write_whole(target, lambda draft: problems.append(_checked(draft, target, text, past)))
        return problems[0]

    try:
        declared = replace(declared, people=people)
        problem = drafted(declared)
    except _UnusableError as error:
        if people is not None or not isinstance(error.__cause__, SpellingError):
            raise
        if not on_terminal():
            raise OptanonError(f"{error} (optanon init --spelling keep, or merge)") from error
        console.print(str(error.__cause__), markup=False)
        asked = typer.confirm("Are these different people (otherwise they are one, who returns)?")
        declared = replace(declared, people="keep" if asked else "merge")
        problem = drafted(declared)
    shown = Table("column", "taken for", "generalized as", "why")
    for guess in guesses:
        shown.add_row(*(cell.replace("[", r"\[") for cell in (guess.name, guess.role, guess.kind, guess.why)))
    console.print(shown)
    for line in declared.lines():
        if line.startswith(("missing_marks", "real_values", "spelling")):
            console.print(f"declared, please check: {line}", markup=False)
    if past is not None:
        past.go_on(console, problem)
    console.print(f"wrote {target}: read it, correct the roles if needed, then", markup=False)
    limit = "" if past is None and len(frame) > LARGE else " --time-limit 60"
    console.print(f"  optanon solve {target}{' --append' if past else ''}{limit}", markup=False)


class _UnusableError(OptanonError):
    """A problem file could not be solved."""


def _read(
    table: Path, gaps: Gaps | None = None, as_written: Sequence[str] = ()
) -> tuple[pd.DataFrame, Reading]:
    if table.suffix != ".parquet":
        return read_text_table(table, gaps=gaps, as_written=as_written)
    frame = (gaps or Gaps()).read(parquet_frame(table))
    return frame, Reading(source=table.name, rows=len(frame))


def on_terminal() -> bool:
    """Whether somebody sits there who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _is_series(console: Console, series: bool | None, history: str | None, key_file: Path | None) -> bool:
    """Whether the table is released again: said, asked, or taken for granted and told."""
    named = history is not None or key_file is not None
    if series is False and named:
        raise OptanonError("--history and --key-file are about a series: leave them out, or leave out --once")
    if series is None and not named:
        if on_terminal():
            return typer.confirm("Will this table be released again, with people who stay?", default=True)
        console.print("taken for one release of a series; --once if it is published a single time")
    return series is not False


def _guessed(
    frame: pd.DataFrame,
    respondent: str | None,
    sensitive: str | None,
    qi: Sequence[str] | None,
    past: Past | None,
) -> tuple[Guess, ...]:
    """Roles as given, else as in the releases before, else guessed."""
    last = None if past is None else past.last
    if last is None:
        return guess_roles(frame, respondent=respondent, sensitive=sensitive, quasi_identifiers=qi)
    known = list(last.attributes)
    guesses = guess_roles(
        frame,
        respondent=respondent,
        sensitive=last.sensitive if sensitive is None else sensitive,
        quasi_identifiers=known if qi is None else qi,
    )
    told = [
        replace(guess, why=AS_BEFORE) if guess.role == "sensitive" and sensitive is None else guess
        for guess in guesses
    ]
    # One series keeps its columns in their order.
    return tuple(sorted(told, key=lambda g: known.index(g.name) if g.name in known else -1))


def _checked(draft: Path, target: Path, text: str, past: Past | None) -> Problem:
    """Write the file and read it back as `solve` will, so that what is left behind works."""
    draft.write_text(text, encoding="utf-8")
    try:
        return load_problem(draft, history=None if past is None else past.history)
    except OptanonError as error:
        raise _UnusableError(
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
