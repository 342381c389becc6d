"""The command line: ``optanon init | solve | check | verify | audit | history | ...``."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from ..instances.named_files import store_files
from ..instances.problem_file import load_answer, load_problem
from ..instances.text_files import Reading
from ..instances.views_file import is_views_file
from ..models.errors import OptanonError
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirement import Violation
from ..models.requirements import SafeCorrelation
from .appending import AUDIT_SECONDS, SeriesVerdict, refuse_blind
from .certificate import Certificate
from .cli_append import REFUSED, AuditLimit, AuditTime, audit_first, limit_of
from .cli_audit import audit_command, verify_audit_command
from .cli_audit_release import audit_release_command
from .cli_compare import compare_command
from .cli_explain import explain_command
from .cli_frontier import frontier_command
from .cli_hierarchy import hierarchy
from .cli_history import app as history_app, as_of, record_answer, stored
from .cli_init import init
from .cli_options import Expect, Force, RawCells
from .cli_report import report
from .cli_ui import ui
from .cli_verify import verify_command
from .cli_views import check_views, solve_views
from .cli_what_if import what_if
from .collecting import RARELY, set_apart
from .display import plain_console, show_number, show_warning, warn_unchecked
from .engines.sanitize import sanitize
from .output import refuse_results, write_files, writing
from .overwriting import may_write
from .result import Result, Status
from .search import solve_problem
from .settings import Clock

__all__ = ["app", "main"]

app = typer.Typer(
    name="optanon",
    help="Provably optimal, attack-checked anonymization of tables that are released again and again.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

ProblemFile = Annotated[Path, typer.Argument(metavar="PROBLEM.yaml", help="Table, history and policy.")]
ShowIds = Annotated[bool, typer.Option("--show-ids", help="Name respondents (steward's own eyes only).")]


def main() -> None:
    """Run the command line; what is the input's or the system's fault ends with one line and exit code 2.

    With the environment variable OPTANON_TRACEBACK set, those that nobody expected show where they arose.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    before = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        app()
    except OptanonError as error:
        _end(str(error))
    except _SYSTEM as error:
        if "OPTANON_TRACEBACK" in os.environ:
            raise
        _end(_in_a_line(error))
    except KeyboardInterrupt:
        Console(stderr=True).print("interrupted before a release was found; nothing was written")
        sys.exit(130)
    finally:
        # This may be called again in the same process.
        gc.set_threshold(*before)
        gc.unfreeze()


_SYSTEM = (OSError, UnicodeError, OverflowError, RecursionError, MemoryError)
"""What a file, a disk or a machine can do to a program that did nothing wrong."""


def _end(line: str) -> NoReturn:
    Console(stderr=True, soft_wrap=True, highlight=False).print(f"error: {line}", markup=False)
    sys.exit(2)


def _in_a_line(error: BaseException) -> str:
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror or error}"
    if isinstance(error, MemoryError):
        return "there is not enough memory for this: give fewer --workers, or a smaller table"
    if isinstance(error, RecursionError):
        return "something in the input is nested too deeply"
    return f"something in the input is out of range ({' '.join(str(error).split())})"


@app.command()
def solve(
    problem_file: ProblemFile,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the release and result.")
    ] = Path(),
    steward: Annotated[bool, typer.Option("--steward", help="Also write the steward's own copy.")] = False,
    engine: Annotated[str, typer.Option(help="Engine, or auto.")] = "auto",
    time_limit: Annotated[
        float | None,
        typer.Option(help="Seconds for all, files included; the best release so far is kept."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Same seed and workers: same result; 0 unless the release is drawn.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Threads.")] = None,
    randomize: Annotated[
        str | None,
        typer.Option(metavar="BETA", help="Draw a release with weight exp(-BETA loss), against minimality."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No live display.")] = False,
    history: Annotated[
        str | None,
        typer.Option("--history", help="Stored history (file or URL) instead of the one the problem names."),
    ] = None,
    key_file: Annotated[Path | None, typer.Option(help="Key of --history, if it has one.")] = None,
    append: Annotated[
        bool, typer.Option("--append", help="Append the release to the stored history, then write the files.")
    ] = False,
    audit_limit: AuditLimit = "0",
    audit_time: AuditTime = AUDIT_SECONDS,
    ignores_history: Annotated[
        bool,
        typer.Option(
            "--policy-ignores-history",
            help="Append although no requirement of the policy looks at the other releases.",
        ),
    ] = False,
    expect: Expect = None,
    raw_cells: RawCells = False,
    force: Force = False,
) -> None:
    """Compute the release with the least loss that keeps the policy, check it, and write it.

    Writes NAME.release.csv (for publication) and NAME.result.json (status, bounds, certificate), the
    latter also if there is provably no release. Files
    that exist are replaced with --force only, files that the problem names never.
    With --append the series is audited first: what whoever holds all releases can conclude is printed, and
    stored with the release.
    Exit code 0 with a release, 3 if there is none (proven, or it is said whose word that is),
    4 if none was found in time, 5 if the audit refuses the append: then nothing is stored, and no file for
    publication is written.
    """
    clock = Clock(time_limit)  # reading the table and writing the files count
    limit = limit_of(audit_limit)
    if not output.is_dir():
        raise OptanonError(f"--output: {output} is no folder: create it or name another")
    if is_views_file(problem_file):
        if randomize is not None:
            raise OptanonError("--randomize draws releases of a table: leave it out for published views")
        solve_views(
            plain_console(), problem_file, output, time_limit, seed or 0, raw_cells=raw_cells, force=force
        )
        return
    read = [key_file, *(store_files(history) if history is not None else ())]
    refuse_results(
        output, problem_file.stem, steward=steward, force=force, problems=[problem_file], inputs=read
    )
    refused = output / f"{problem_file.stem}.refused.steward.csv"
    may_write([refused] if append else [], force=force, problems=[problem_file], inputs=read)
    console = plain_console()
    with set_apart():
        problem = load_problem(
            problem_file, history=history, key_file=key_file, expect=expect, tell=_teller(console)
        )
    if append and stored(problem.history) is None:
        raise OptanonError("--append needs a stored history: name one with --history, or in the problem file")
    if append and not ignores_history:
        refuse_blind(problem.policy, "give --policy-ignores-history")
    search = Clock(time_limit, clock.began)
    if time_limit is not None and time_limit > 0:
        search.keep(writing(problem, steward=steward))
    result = solve_problem(
        problem,
        engine=engine,
        time_limit=search.limit,
        seed=seed,
        workers=workers,
        display=False if quiet else None,
        randomize=randomize,
        began=clock.began,
    )
    for warning in result.warnings:
        show_warning(console, warning)
    if result.release is None:
        console.print(f"[bold]{result.status.value}[/] ({result.termination.value}, {result.seconds:.2f} s)")
        if result.reason:
            console.print(result.reason, markup=False)
        for path in write_files(result, problem, output, problem_file.stem):
            console.print(f"wrote {path}", markup=False)
        raise typer.Exit(3 if result.status is Status.INFEASIBLE else 4)
    _print_groups(console, result.release)
    _print_result(console, result, problem)
    release, certificate = result.release, result.certificate
    answered = problem
    record = None
    if append:
        # The files are about the history as it was.
        answered = replace(problem, history=problem.history.before(len(problem.history)))
        verdict, why = audit_first(console, problem, release, limit=limit, seconds=audit_time)
        if why is not None:
            _keep_refused(console, release, problem, refused, why)
            raise typer.Exit(REFUSED)
        record = partial(_record, console, problem, release, certificate, verdict)
    # Nothing is published that the history does not know, or recorded that cannot be written.
    with set_apart():
        written = write_files(
            result,
            answered,
            output,
            problem_file.stem,
            steward=steward,
            raw_cells=raw_cells,
            before=record,
        )
    for path in written:
        console.print(f"wrote {path}", markup=False)
    if not append and (kept := stored(problem.history)) is not None:
        told = "append the release (--append) before it is published, or later ones do not know it"
        console.print(f"not appended to {kept.name}: {told}", markup=False)


def _record(
    console: Console,
    problem: Problem,
    release: Release,
    certificate: Certificate | None,
    verdict: SeriesVerdict,
) -> None:
    console.print(record_answer(problem, release, certificate, verdict), markup=False)


@app.command()
def check(
    release_files: Annotated[
        list[Path],
        typer.Argument(metavar="RELEASE.csv", help="Public or steward's copy; or two published views."),
    ],
    problem: Annotated[Path, typer.Option("--problem", "-p", help="The problem it answers.")],
    show_ids: ShowIds = False,
    expect: Expect = None,
) -> None:
    """Check a release against a policy by the definitions, without a solver.

    Exit code 0 if every requirement holds, 1 with a table of violations otherwise.
    """
    console = plain_console()
    if is_views_file(problem):
        check_views(console, release_files, problem, show_ids)
        return
    if len(release_files) != 1:
        raise OptanonError(f"check takes one release, {len(release_files)} files are named")
    asked = load_problem(problem, expect=expect, tell=_teller(console))
    release = load_answer(release_files[0], asked)
    asked = _as_of(console, asked, release)
    warn_unchecked(console, asked)
    found = list(asked.check(release))
    if not found:
        console.print(
            f"every check passed: {', '.join(str(r) for r in asked.policy.requirements)}", markup=False
        )
        return
    console.print(_violations(found, show_ids))
    for requirement in asked.policy.requirements:
        if isinstance(requirement, SafeCorrelation) and release.form == "anatomized":
            _print_remedy(console, release, requirement)
    raise typer.Exit(1)


@app.command()
def instances(
    name: Annotated[str | None, typer.Argument(help="Show one instance's files and description.")] = None,
) -> None:
    """List the shipped instances, or show one."""
    from ..instances import catalog

    console = plain_console()
    if name is None:
        table = Table("instance", "what it is")
        for known in catalog.names():
            table.add_row(known, catalog.describe(known).splitlines()[0])
        console.print(table)
        return
    console.print(catalog.describe(name), markup=False)
    for file in sorted(catalog.path(name).iterdir()):
        console.print(f"  {file}", markup=False)


_ = app.command("audit")(audit_command)
_ = app.command("verify")(verify_command)
_ = app.command("verify-audit")(verify_audit_command)
_ = app.command("what-if")(what_if)
_ = app.command("explain")(explain_command)
_ = app.command("compare")(compare_command)
_ = app.command("audit-release")(audit_release_command)
_ = app.command("frontier")(frontier_command)
_ = app.command()(report)
_ = app.command()(ui)
_ = app.command()(hierarchy)
_ = app.command()(init)
app.add_typer(history_app)


def _keep_refused(console: Console, release: Release, problem: Problem, path: Path, why: str) -> None:
    """What was searched for is not lost: the steward may look at it, loosen the limit, or append it."""
    release.to_csv(path, copy="steward", respondent=problem.table.respondent)
    console.print(f"[bold]NOT APPENDED[/]: {why} (--audit-limit). Nothing was stored or made for publication")
    console.print(
        f"kept for you alone: {path}; `optanon history append` takes it if it is to be appended all the same",
        markup=False,
    )


def _as_of(console: Console, problem: Problem, release: Release) -> Problem:
    earlier, words = as_of(problem, release)
    if words is not None:
        console.print(words, markup=False)
    return earlier


def _teller(console: Console) -> Callable[[Reading], None]:
    """Say how a table was read, so that a wrong guess is seen."""
    return lambda reading: console.print(str(reading), markup=False)


def _print_groups(console: Console, release: Release) -> None:
    limit = 40
    table = Table("group", *release.attributes, release.sensitive, "tuples", "counterfeits")
    for number, group in enumerate(release.groups[:limit], start=1):
        cells = (
            [str(cell) for cell in group.box]
            if group.box is not None
            else ["exact"] * len(release.attributes)
        )
        values = ", ".join(v if n == 1 else f"{v} x{n}" for v, n in sorted(group.histogram.items()))
        table.add_row(str(number), *cells, values, str(group.size), str(group.fakes or ""))
    console.print(table)
    if len(release.groups) > limit:
        console.print(f"... and {len(release.groups) - limit} more groups")


def _print_result(console: Console, result: Result, problem: Problem) -> None:
    rounds = f", {result.rounds} rounds of cuts" if result.rounds else ""
    console.print(
        f"[bold]{result.status.value}[/] ({result.termination.value}, {result.engine}, "
        f"{result.seconds:.2f} s{rounds})"
    )
    table = Table("loss", "value", "exactly", "proven bound", "gap")
    for level in result.levels:
        gap = "-" if level.gap is None else f"{float(level.gap):.2%}"
        table.add_row(level.name, show_number(level.value), str(level.value), show_number(level.bound), gap)
    console.print(table)
    kept = ", ".join(str(r) for r in problem.policy.requirements)
    console.print(f"every check passed: {kept}", markup=False)
    if result.randomized is not None:
        drawn = result.randomized
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
    console.print(
        f"{requirement.name}: with these groups {hidden} hidden cells of {requirement.attribute} are enough "
        f"({'no fewer will do' if found.is_optimal else 'perhaps fewer'}); "
        f"the release hides {release.hidden_cells}"
    )
