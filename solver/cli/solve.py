"""``optanon solve``: read and search; show the release, append it if wanted, and write it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from math import isinf
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...instances.named_files import store_files
from ...instances.problem_file import load_problem
from ...instances.views_file import is_views_file
from ...models.errors import InputError, OptanonError, StoreError
from ...models.problem import Problem
from ...models.release import Release
from ..advice import NO_RELEASE, of_limit
from ..appending import refuse_blind
from ..collecting import set_apart
from ..display import plain_console, show_warning
from ..output import refuse_results, write_files, writing
from ..overwriting import may_write
from ..result import Result
from ..search import solve_problem
from ..settings import Clock
from ..solved import again_in_words, stored
from ..status import Status, Termination
from ..summary import Summary
from .audit_first import REFUSED, audit_first, audit_time_of, limit_of
from .command import options_given
from .commands.release import SolveCommand
from .reading import teller
from .stored import NO_STORE, record_answer
from .tables import print_table
from .views import solve_views

__all__ = ["solve"]

OF_VIEWS = ("problem_file", "output", "time_limit", "seed", "quiet", "raw_cells", "force")
"""What may be asked about published views."""
OF_APPENDS = ("audit_limit", "audit_time", "ignores_history", "again")
"""What says how a release is appended."""
SHOWN = 40
"""Groups that are printed."""
AUDITED, LEAST, MOST_AUDITED = 5.0, 0.2, 20_000
"""Seconds for the audit of a release that is not appended, at most, and at least; and rows, at most."""


def solve(asked: SolveCommand) -> None:
    """Search for a release; print and write it, or say why there is none."""
    clock = Clock(
        None if isinf(asked.time_limit) else asked.time_limit
    )  # reading the table and writing the files count
    limit, audit_time = limit_of(asked.audit_limit), audit_time_of(asked.audit_time)
    if not asked.output.is_dir():
        raise OptanonError(f"--output: {asked.output} is not a folder: create it or name another")
    if is_views_file(asked.problem_file):
        _views(asked)
        return
    if not asked.append and (idle := options_given(asked, OF_APPENDS)):
        raise OptanonError(f"{', '.join(idle)}: of an append: give --append, too, or leave it out")
    refused = _may_write(asked)
    console = plain_console()
    problem = _read(asked, console)
    if (again := again_in_words(problem)) is not None:
        if asked.append and not asked.again:
            raise StoreError(
                f"{again}. Nothing was searched: give --again if it is to be published once more, or leave "
                "--append out"
            )
        console.print(again, markup=False)
    result = _search(asked, problem, clock)
    for warning in result.warnings:
        show_warning(console, warning)
    if result.release is None:
        _end_without(asked, console, problem, result)
        return
    _print_summary(asked, console, result)
    if asked.groups:
        _print_groups(console, result.release)
    if not asked.append:
        if not asked.quiet:
            _audit(console, problem, result.release, clock)
        _write(asked, console, problem, result)
        if (kept := stored(problem.history)) is not None:
            told = "append the release (--append) before it is published, or later ones do not know it"
            console.print(f"not appended to {kept.name}: {told}", markup=False)
        return
    verdict, why = audit_first(console, problem, result.release, limit=limit, seconds=audit_time)
    if why is not None:
        _keep_refused(asked, console, result.release, problem, refused, why)
        raise typer.Exit(REFUSED)
    record = partial(record_answer, problem, result.release, result.certificate, verdict)
    _append(asked, console, problem, result, record)


def _views(asked: SolveCommand) -> None:
    if wrong := options_given(asked, {field.name for field in fields(asked)}.difference(OF_VIEWS)):
        raise OptanonError(f"{', '.join(wrong)}: not for published views, which have no series: leave it out")
    solve_views(
        plain_console(),
        asked.problem_file,
        asked.output,
        None if isinf(asked.time_limit) else asked.time_limit,
        asked.seed or 0,
        quiet=asked.quiet,
        raw_cells=asked.raw_cells,
        force=asked.force,
    )


def _may_write(asked: SolveCommand) -> Path:
    """See that the files can be written; return the one for a release whose append is refused."""
    read = [asked.key_file, *(store_files(asked.history) if asked.history is not None else ())]
    name = asked.problem_file.stem
    refuse_results(
        asked.output,
        name,
        steward=asked.steward,
        force=asked.force,
        problems=[asked.problem_file],
        inputs=read,
    )
    refused = asked.output / f"{name}.refused.steward.csv"
    may_write(
        [refused] if asked.append else [], force=asked.force, problems=[asked.problem_file], inputs=read
    )
    return refused


def _read(asked: SolveCommand, console: Console) -> Problem:
    """The problem; refused if the answer is to be appended and cannot be, or blindly."""
    with set_apart():
        problem = load_problem(
            asked.problem_file,
            history=asked.history,
            key_file=asked.key_file,
            expect=asked.expect,
            tell=None if asked.quiet else teller(console),
        )
    if asked.append:
        if (kept := stored(problem.history)) is None:
            raise OptanonError(NO_STORE)
        kept.refuse_read_only()
    if asked.append and not asked.ignores_history:
        refuse_blind(problem.policy, "give --policy-ignores-history")
    return problem


def _search(asked: SolveCommand, problem: Problem, clock: Clock) -> Result:
    """Solve in what the files leave of the time."""
    search = Clock(clock.limit, clock.began)
    if search.limit is not None and search.limit > 0:
        search.keep(writing(problem, steward=asked.steward))
    return solve_problem(
        problem,
        engine=asked.engine,
        time_limit=clock.limit,
        seed=asked.seed,
        workers=asked.workers,
        display=False if asked.quiet else None,
        randomize=asked.randomize,
        cluster=asked.cluster,
        began=clock.began,
        kept=(clock.limit or 0.0) - (search.limit or 0.0),
    )


def _end_without(asked: SolveCommand, console: Console, problem: Problem, result: Result) -> None:
    if result.status is Status.UNKNOWN and result.termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt  # whatever engine kept what there was: there is nothing to keep
    ended = f" ({result.termination.value}, {result.seconds:.2f} s)"
    console.print(Text.assemble((result.status.value, "bold"), ended))
    if result.reason:
        console.print(result.reason, markup=False)
    if result.status is Status.INFEASIBLE:
        console.print(NO_RELEASE, markup=False)
    for path in write_files(result, problem, asked.output, asked.problem_file.stem):
        console.print(f"wrote {path}: give --force to replace it when you solve again", markup=False)
    raise typer.Exit(3 if result.status is Status.INFEASIBLE else 4)


def _write(
    asked: SolveCommand,
    console: Console,
    problem: Problem,
    result: Result,
    before: Callable[[], object] | None = None,
) -> None:
    """Write the files; nothing is published that the history does not know, or recorded that cannot be."""
    with set_apart():
        written = write_files(
            result,
            problem,
            asked.output,
            asked.problem_file.stem,
            steward=asked.steward,
            raw_cells=asked.raw_cells,
            before=before,
        )
    for path in written if not asked.quiet else ():
        console.print(f"wrote {path}", markup=False)


def _append(
    asked: SolveCommand, console: Console, problem: Problem, result: Result, record: Callable[[], str]
) -> None:
    """Record the release once its files can be written, then give them their names."""
    # The files are about the history as it was.
    answered = replace(problem, history=problem.history.before(len(problem.history)))
    told: list[str] = []

    def before() -> None:
        told.append(record())
        console.print(told[0], markup=False)

    try:
        _write(asked, console, answered, result, before=before)
    except InputError as error:
        if not told:
            raise
        how = "`optanon history write` makes its files again"
        raise InputError(f"{error}; but the release is appended: {how}") from error


def _keep_refused(
    asked: SolveCommand, console: Console, release: Release, problem: Problem, path: Path, why: str
) -> None:
    """What was searched for is not lost: the steward may look at it, loosen the limit, or append it."""
    whose = problem.table.respondent
    release.to_csv(path, copy="steward", respondent=whose, raw_cells=asked.raw_cells)
    told = f": {why} (--audit-limit). Nothing was stored or made for publication"
    console.print(Text.assemble(("NOT APPENDED", "bold"), told))
    console.print(
        f"kept for you alone: {path}; `optanon history append` takes it if it is to be appended all the same",
        markup=False,
    )


def _print_groups(console: Console, release: Release) -> None:
    table = Table("group", *release.attributes, release.sensitive, "tuples", "counterfeits")
    for number, group in enumerate(release.groups[:SHOWN], start=1):
        cells = (
            [str(cell) for cell in group.box]
            if group.box is not None
            else ["exact"] * len(release.attributes)
        )
        values = ", ".join(v if n == 1 else f"{v} x{n}" for v, n in sorted(group.histogram.items()))
        table.add_row(str(number), *cells, values, str(group.size), str(group.fakes or ""))
    print_table(console, table)
    if len(release.groups) > SHOWN:
        console.print(f"... and {len(release.groups) - SHOWN} more groups")


def _print_summary(asked: SolveCommand, console: Console, result: Result) -> None:
    """What a steward needs to know; one line of it if --quiet."""
    summary = result.summary
    assert summary is not None, "a release has a summary"
    if asked.quiet:
        console.print(summary.short, markup=False, soft_wrap=True)
    else:
        rounds = f", {result.rounds} rounds of cuts" if result.rounds else ""
        ended = f"{result.termination.value}, {result.engine}, {result.seconds:.2f} s{rounds}"
        console.print(Text.assemble((result.status.value, "bold"), f" ({ended})"))
        if result.compiled >= 1:
            took = f"compiling took {result.compiled:.0f} s beside that"
            console.print(f"{took}; what was compiled is kept for later runs", markup=False)
        _print_lines(console, summary)
        if not result.closed and (told := of_limit(result.termination.value, asked.time_limit)):
            console.print(f"{told} (--time-limit)", markup=False)
    if (drawn := result.randomized) is not None:
        guarantee = (
            "no guarantee: who has which value may decide what can be released"
            if drawn.odds is None
            else f"knowing this changes the odds of values by a factor of at most {drawn.odds:.4g}"
        )
        console.print(
            f"drawn among {drawn.candidates} releases with beta = {drawn.beta}; {guarantee}. "
            "Publish the release and beta only: bounds and this output stay with the steward",
            markup=False,
            soft_wrap=True,
        )


def _print_lines(console: Console, summary: Summary) -> None:
    """Two columns; in files and pipes every line stays whole."""
    if not console.is_terminal:
        console.print("\n".join(str(summary).splitlines()[1:]), markup=False, soft_wrap=True)
        return
    lines = Table.grid(padding=(0, 2))
    for heading, text in summary.lines:
        lines.add_row(Text(heading, style="bold"), Text(text))
    console.print(lines)


def _audit(console: Console, problem: Problem, release: Release, clock: Clock) -> None:
    """What whoever holds all releases can conclude, if that is known in the time that is left."""
    left = clock.left
    seconds = AUDITED if left is None else min(AUDITED, left - writing(problem, steward=True))
    if seconds < LEAST or len(problem.table) > MOST_AUDITED:
        console.print("not audited, as that would take too long here: `optanon audit` does it", markup=False)
        return
    audit_first(console, problem, release, limit=None, seconds=seconds)
