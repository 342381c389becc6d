"""The command line's first step: a problem file for a table, with guessed roles."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pandas as pd
import typer
from rich.console import Console
from rich.table import Table

from ...instances.declared_cells import DeclaredCells, published_gaps
from ...instances.guess import Guess, guess_roles
from ...instances.kept_kinds import kept_kinds
from ...instances.named_files import store_files
from ...instances.problem_draft import AS_BEFORE, draft_problem
from ...instances.problem_file import load_problem
from ...instances.readers import parquet_frame
from ...instances.text_files import Reading, read_text_table
from ...instances.usual_policy import LARGE
from ...models.combination import fold, parted
from ...models.errors import InputError, OptanonError, SpellingError, TableError
from ...models.files import write_whole
from ...models.hierarchy import Hierarchy
from ...models.history import History
from ...models.missing import Gaps
from ...models.problem import Problem
from ..display import soft_console
from ..overwriting import file_beside, may_write
from .commands.table import InitCommand
from .past import STORE, EarlierReleases
from .tables import print_table

__all__ = ["init", "on_terminal"]


def init(asked: InitCommand) -> None:
    """Guess the roles of a table's columns, write a problem file and read it back."""
    console = soft_console()
    target = file_beside(asked.table, ".yaml") if asked.output is None else asked.output
    store = os.path.relpath(target.absolute().parent / STORE) if asked.history is None else asked.history
    may_write([target], force=asked.force, inputs=[asked.table, asked.key_file, *store_files(store)])
    unread = _read(asked.table)  # what is wrong with the table is said before anything is asked
    again = _is_series(console, asked.series, asked.history, asked.key_file)
    past = EarlierReleases.of(target.absolute().parent, store, asked.key_file) if again else None
    levels = {} if past is None else past.levels(target)
    may_write(levels, force=asked.force, inputs=[asked.table, asked.key_file, *store_files(store)])
    draft = _drafted(asked, target, past, levels, unread)
    console.print(str(draft.reading), markup=False)
    if asked.k is not None and asked.k > len(draft.frame):
        rows = len(draft.frame)
        raise OptanonError(f"-k: groups of {asked.k} rows cannot be made of {rows}: give a smaller k")
    draft, problem = _written(console, draft, asked.people)
    _print(console, draft)
    if past is not None:
        past.go_on(console, problem)
    for path, (name, _) in levels.items():
        console.print(f"wrote {path}: the levels of {name!r}, as in the release before", markup=False)
    if levels and not problem.policy.hierarchies:
        console.print(
            f"NOT KEPT: these levels do not fit the table: correct them, and name them in {target}, which "
            "says how",
            markup=False,
        )
    console.print(f"wrote {target}: read it, correct the roles if needed, then", markup=False)
    limit = "" if past is None and len(draft.frame) > LARGE else " --time-limit 60"
    console.print(f"  optanon solve {target}{' --append' if past else ''}{limit}", markup=False)


@dataclass(frozen=True, kw_only=True)
class _Draft:
    """What a problem file says, and where it will be."""

    asked: InitCommand
    target: Path
    past: EarlierReleases | None
    levels: Mapping[Path, tuple[str, Hierarchy]]
    frame: pd.DataFrame
    reading: Reading
    guesses: tuple[Guess, ...]
    declared: DeclaredCells

    def write(self, console: Console) -> Problem:
        """Write the file, with those of levels it names, read it back as `solve` will, and begin the store.

        All of it or nothing.
        """
        new = [path for path in self.levels if not path.exists()]
        try:
            for path, (_, levels) in self.levels.items():
                write_whole(path, levels.to_csv)
            try:
                return self._write(console)
            except _UnusableError as error:
                if not self.levels:
                    raise
                return self._write(console, unfit=error.why)
        except BaseException:
            for path in new:
                path.unlink(missing_ok=True)
            raise

    def _write(self, console: Console, unfit: str | None = None) -> Problem:
        beside = Path(os.path.relpath(self.asked.table.absolute(), self.target.absolute().parent)).as_posix()
        named = {name: path.name for path, (name, _) in self.levels.items()}
        text = draft_problem(
            self.declared.applied(self.frame),
            self.reading,
            beside,
            self.guesses,
            k=self.asked.k,
            series=None if self.past is None else replace(self.past.drafted, levels=named, unfit=unfit),
            declared=self.declared,
        )
        problems: list[Problem] = []

        def fill(draft: Path) -> None:
            problems.append(_checked(draft, self.target, text, self.past))
            if self.past is not None:
                self.past.begin(console)

        write_whole(self.target, fill)
        return problems[0]


def _drafted(
    asked: InitCommand,
    target: Path,
    past: EarlierReleases | None,
    levels: Mapping[Path, tuple[str, Hierarchy]],
    unread: tuple[pd.DataFrame, Reading],
) -> _Draft:
    """Roles and what cells mean: as given or said, as in the releases before, or guessed."""
    before = History() if past is None else past.history
    gaps = published_gaps(before)
    frame, reading = _read(asked.table, gaps) if gaps.real else unread
    respondent, sensitive, qi = asked.respondent, asked.sensitive, asked.qi
    try:
        if asked.ask:
            respondent, sensitive, qi = _ask(frame, respondent, sensitive, qi)
        declared = DeclaredCells.of(frame, map(str, frame.columns), before)
        guesses = _guessed(declared.applied(frame), respondent, sensitive, qi, past)
        as_written = [guess.name for guess in guesses if guess.role in ("respondent", "sensitive")]
        if not set(as_written).isdisjoint(reading.decimal_commas):
            frame, reading = _read(asked.table, gaps, as_written)
        declared = declared.about(frame, guesses, before)
        _refuse_too_few(frame, declared)
    except InputError as error:
        raise type(error)(f"{asked.table}: {error}") from error
    return _Draft(
        asked=asked,
        target=target,
        past=past,
        levels=levels,
        frame=frame,
        reading=reading,
        guesses=guesses,
        declared=declared,
    )


def _refuse_too_few(frame: pd.DataFrame, declared: DeclaredCells) -> None:
    """Rows that are left out may be nearly all."""
    if declared.dropped and (kept := len(declared.applied(frame))) < 2:
        names = ", ".join(map(repr, declared.dropped))
        raise TableError(
            f"column {names}: {len(frame) - kept} of {len(frame)} rows lack a number, and nobody can hide "
            "among fewer than two: fill them in, as the releases before have numbers there"
        )


def _written(
    console: Console, draft: _Draft, people: Literal["keep", "merge"] | None
) -> tuple[_Draft, Problem]:
    """Write the problem file; whether similar ids are one person is asked if nobody said so."""
    said = replace(draft, declared=replace(draft.declared, people=people))
    try:
        return said, said.write(console)
    except _UnusableError as error:
        if people is not None or not isinstance(error.__cause__, SpellingError):
            raise
        if not on_terminal():
            raise OptanonError(f"{error} (optanon init --spelling keep, or merge)") from error
        console.print(str(error.__cause__), markup=False)
        different = typer.confirm("Are these different people (otherwise they are one, who returns)?")
        return _written(console, draft, "keep" if different else "merge")


def _print(console: Console, draft: _Draft) -> None:
    shown = Table("column", "taken for", "generalized as", "why")
    for guess in draft.guesses:
        shown.add_row(guess.name, guess.role, guess.kind, guess.why)
    print_table(console, shown)
    if numbers := [guess.name for guess in draft.guesses if guess.name.lstrip("-").isdecimal()]:
        console.print(
            f"columns are called by numbers ({', '.join(numbers)}): if the first line is somebody's row, put "
            "a line of names above it, as names of columns are published",
            markup=False,
        )
    for line in draft.declared.lines():
        if line.startswith(("drop_missing", "missing_marks", "real_values", "spelling")):
            console.print(f"declared, please check: {line}", markup=False)
    for name, count in draft.declared.dropped.items():
        console.print(f"left out: {count} of {draft.reading.rows} rows, without a value of {name!r}")


class _UnusableError(OptanonError):
    """A problem file could not be solved; `why` in words."""

    def __init__(self, target: Path, why: str) -> None:
        super().__init__(f"{target} was not written, because it could not be solved: {why}")
        self.why = why


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
        console.print("taken to be one release of a series; give --once if it is published only once")
    return series is not False


def _guessed(
    frame: pd.DataFrame,
    respondent: str | None,
    sensitive: Sequence[str] | None,
    qi: Sequence[str] | None,
    past: EarlierReleases | None,
) -> tuple[Guess, ...]:
    """Roles as given, else as in the releases before, else guessed."""
    if past is None or (last := past.last) is None:
        return guess_roles(frame, respondent=respondent, sensitive=sensitive, quasi_identifiers=qi)
    known = list(last.attributes)
    _refuse_renamed(
        frame, [*(known if qi is None else ()), *(parted(last.sensitive) if sensitive is None else ())], past
    )
    guesses = guess_roles(
        frame,
        respondent=respondent,
        sensitive=parted(last.sensitive) if sensitive is None else sensitive,
        quasi_identifiers=known if qi is None else qi,
    )
    told = [
        replace(guess, why=AS_BEFORE) if guess.role == "sensitive" and sensitive is None else guess
        for guess in guesses
    ]
    told = kept_kinds(told, frame, last)
    # One series keeps its columns in their order.
    return tuple(sorted(told, key=lambda g: known.index(g.name) if g.name in known else -1))


def _refuse_renamed(frame: pd.DataFrame, names: Sequence[str], past: EarlierReleases) -> None:
    """The columns of a series must be there under their names."""
    there = [str(name) for name in frame.columns]
    for name in names:
        if name not in there:
            alike = [other for other in there if fold(other) == fold(name)]
            found = f" (is it {alike[0]!r}?)" if alike else ""
            raise TableError(
                f"there is no column {name!r}, which the releases in {past.name} have{found}: call it so "
                "again, or name the history of another series (--history): the table has "
                f"{', '.join(map(repr, there))}"
            )


def _checked(draft: Path, target: Path, text: str, past: EarlierReleases | None) -> Problem:
    """Write the file and read it back as `solve` will, so that what is left behind works."""
    draft.write_text(text, encoding="utf-8")
    try:
        return load_problem(draft, history=None if past is None else past.history)
    except OptanonError as error:
        raise _UnusableError(target, str(error).replace(str(draft), str(target))) from error


def _ask(
    frame: pd.DataFrame,
    respondent: str | None,
    sensitive: Sequence[str] | None,
    qi: Sequence[str] | None,
) -> tuple[str, list[str], list[str]]:
    """Ask for each role; what was guessed is offered."""
    guesses = guess_roles(frame, respondent=respondent, sensitive=sensitive, quasi_identifiers=qi)

    def offered(role: str) -> list[str]:
        return [guess.name for guess in guesses if guess.role == role]

    who = typer.prompt("Which column says who a row is about", default=offered("respondent")[0])
    said = typer.prompt(
        "Which columns must be protected (with commas between)", default=",".join(offered("sensitive"))
    )
    private = _listed(said)
    known = typer.prompt(
        "Which columns may others know (with commas between)",
        default=",".join(name for name in offered("quasi-identifier") if name not in (who, *private)),
    )
    return str(who), private, _listed(known)


def _listed(said: object) -> list[str]:
    return [name.strip() for name in str(said).split(",") if name.strip()]
