"""The command line's stored histories: ``optanon history init | show | append | write | export | import``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from ..instances.named_files import store_files
from ..instances.problem_file import load_answer, load_problem
from ..instances.store.opening import History
from ..models.errors import OptanonError, StoreError
from ..models.files import write_together
from ..models.history import Statement
from ..models.problem import Problem
from ..models.release import Release
from .appending import AUDIT_SECONDS, SeriesVerdict
from .cli_append import REFUSED, AuditLimit, AuditTime, audit_first, limit_of
from .cli_options import Expect, Force, RawCells
from .display import warn_unchecked
from .overwriting import may_write
from .result_file import certificate_of, read_result

if TYPE_CHECKING:
    from ..instances.store.stored import StoredHistory

__all__ = ["app", "as_of", "begin_history", "holds_history", "record_answer", "stored"]

app = typer.Typer(
    name="history",
    help="The releases published so far, with the private record of who was in which group, in a database.",
    no_args_is_help=True,
)

Where = Annotated[
    str, typer.Argument(metavar="STORE", help="A file such as releases.db, or an SQLAlchemy URL.")
]
KeyFile = Annotated[Path | None, typer.Option(help="File with the key, if ids are kept as keyed hashes.")]


def stored(history: History) -> StoredHistory | None:
    """The history as a stored one, if it is."""
    if type(history) is History:
        return None  # and the database library need not be loaded to know
    from ..instances.store.stored import StoredHistory

    return history if isinstance(history, StoredHistory) else None


def record_answer(
    problem: Problem, release: Release, certificate: Statement | None, verdict: SeriesVerdict
) -> str:
    """Append a release to its problem's stored history; return what was done, in words."""
    history = stored(problem.history)
    if history is None:
        raise OptanonError("--append needs a stored history: name one with --history, or in the problem file")
    history.append(release, policy=problem.policy, certificate=certificate, audit=verdict.to_dict())
    return f"appended to {history.name} as release {len(history)}; its digest is now {history.digest}"


def as_of(problem: Problem, release: Release) -> tuple[Problem, str | None]:
    """The problem as it was when `release` was made, if its stored history already holds it; in words too."""
    history = stored(problem.history)
    if history is None:
        return problem, None
    wanted = _content(release)
    for number in range(len(history) - 1, -1, -1):
        if _content(history[number]) == wanted:
            earlier = replace(problem, history=history.before(number))
            return earlier, f"this is release {number + 1} of {history.name}: judged by those before it"
    return problem, None


@app.command("init")
def begin(where: Where, key_file: KeyFile = None) -> None:
    """Begin an empty history. With --key-file respondent ids are kept as keyed hashes.

    A key file that does not exist yet is made, with a random key. Keep it apart from the store, and
    safe: without it nobody can go on with the series.
    """
    if holds_history(where):
        raise StoreError(f"{where}: there is a history already: show it, or name another file")
    begin_history(_console(), where, key_file)


def begin_history(console: Console, where: str, key_file: Path | None) -> None:
    """Begin an empty history, with a new key if the key file does not exist; say what was made."""
    from ..instances.store.identities import new_key_file

    if key_file is not None and not key_file.exists():
        new_key_file(key_file)
        console.print(f"wrote a new random key to {key_file}: keep it safe, and apart from the history")
    history = stored(History.open(where, key_file=key_file))
    assert history is not None
    kept = "as given" if key_file is None else "as keyed hashes"
    console.print(f"began {history.name}; respondent ids are kept {kept}", markup=False)


@app.command()
def show(where: Where, expect: Expect = None) -> None:
    """List the releases of a history; no respondent is named.

    The digest it prints covers all of the history. Write it down elsewhere and give it as --expect: nothing
    inside a history can tell that its newest releases were taken away.
    """
    history = _open(where, expect)
    console = _console()
    kept = "as given" if history.identities.check is None else "as keyed hashes"
    console.print(
        f"{history.name}: {_count(len(history), 'release')}, {_count(len(history.records), 'respondent')}, "
        f"ids {kept}"
    )
    console.print(f"digest {history.digest or 'none yet'}")
    if not len(history):
        return
    table = Table(
        "release",
        "appended",
        "form",
        "tuples",
        "groups",
        "counterfeits",
        "suppressed",
        "policy",
        "proven",
        "audit when appended",
    )
    for number, (release, entry) in enumerate(zip(history, history.entries, strict=True), start=1):
        table.add_row(
            str(number),
            entry.appended.replace("T", " ").removesuffix("+00:00"),
            release.form,
            str(sum(group.size for group in release.groups)),
            str(len(release.groups)),
            str(release.counterfeits or ""),
            str(len(release.suppressed) or ""),
            "-" if entry.policy is None else _requirements(entry.policy),
            "-" if entry.certificate is None else str(entry.certificate.get("status", "yes")),
            "-" if entry.audit is None else SeriesVerdict.from_dict(entry.audit).short,
        )
    console.print(table)
    console.print("times are UTC")


@app.command()
def append(
    where: Where,
    release_file: Annotated[
        Path, typer.Argument(metavar="RELEASE.csv", help="Steward's copy, or a public one that fits one way.")
    ],
    problem: Annotated[Path, typer.Option("--problem", "-p", help="The problem it answers.")],
    result_file: Annotated[
        Path | None, typer.Option("--result", help="RESULT.json of `optanon solve`: its certificate is kept.")
    ] = None,
    key_file: KeyFile = None,
    expect: Expect = None,
    audit_limit: AuditLimit = "none",
    audit_time: AuditTime = AUDIT_SECONDS,
) -> None:
    """Append a release that was made elsewhere or earlier.

    It is appended even if it breaks the problem's policy or discloses somebody, because what was published
    must be known; the exit code is then 1. With --audit-limit 5 if it is refused.
    """
    console = _console()
    asked = load_problem(
        problem, history=where, key_file=key_file, expect=expect, tell=lambda r: console.print(str(r))
    )
    release = load_answer(release_file, asked)
    certificate = None if result_file is None else certificate_of(read_result(result_file))
    broken = {violation.requirement for violation in asked.check(release)}
    warn_unchecked(console, asked)
    verdict, why = audit_first(console, asked, release, limit=limit_of(audit_limit), seconds=audit_time)
    if why is not None:
        console.print(f"not appended: {why} (--audit-limit)", markup=False)
        raise typer.Exit(REFUSED)
    console.print(record_answer(asked, release, certificate, verdict), markup=False)
    if broken:
        console.print(f"take note: it breaks {', '.join(sorted(broken))}; `optanon check` shows how")
    if broken or verdict.disclosed:
        raise typer.Exit(1)


@app.command()
def write(
    where: Where,
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="Which release, from 1.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")] = Path(),
    steward: Annotated[bool, typer.Option("--steward", help="Also write the steward's own copy.")] = False,
    raw_cells: RawCells = False,
    expect: Expect = None,
    force: Force = False,
) -> None:
    """Write the files of a stored release again."""
    history = _open(where, expect)
    if not 1 <= number <= len(history):
        raise StoreError(f"{history.name}: there is no release {number}, only 1 to {len(history)}")
    release = history[number - 1]
    files = release.files(output / f"release-{number}.release.csv", raw_cells=raw_cells)
    if steward:
        private = output / f"release-{number}.steward.csv"
        files += release.files(private, copy="steward", raw_cells=raw_cells)
    may_write([file.path for file in files], force=force, inputs=store_files(where))
    write_together(files)
    for file in files:
        _console().print(f"wrote {file.path}", markup=False)


@app.command()
def export(
    where: Where,
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="The file to write.")],
    expect: Expect = None,
    force: Force = False,
) -> None:
    """Write a whole history to one file: a backup, or the way to another database."""
    from ..instances.store.transfer import export_history

    may_write([file], force=force, inputs=store_files(where))
    history = _open(where, expect)
    export_history(history, file)
    _console().print(
        f"wrote {file}: {_count(len(history), 'release')}; it says who was in which group: keep it private",
        markup=False,
    )


@app.command("import")
def restore(
    where: Where,
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="What `history export` wrote.")],
    key_file: KeyFile = None,
    expect: Expect = None,
) -> None:
    """Make a new stored history out of an exported file; all of it, or nothing."""
    from ..instances.store.transfer import import_history

    history = import_history(where, file, key_file=key_file, expect=expect)
    _console().print(f"made {history.name}: {_count(len(history), 'release')}", markup=False)


def _open(where: str, expect: str | None = None) -> StoredHistory:
    found = stored(History.open(where, create=False, expect=expect))
    assert found is not None
    return found


def holds_history(where: str) -> bool:
    """Whether there is a history that can be opened; what else may be wrong is found by beginning one."""
    try:
        _ = _open(where)
    except StoreError:
        return False
    return True


def _content(release: Release) -> tuple[object, ...]:
    groups = {
        (group.respondents, tuple(sorted(group.histogram.items())), tuple(str(c) for c in group.box or ()))
        for group in release.groups
    }
    return groups, {member.respondent for member in release.suppressed}


def _requirements(policy: Any) -> str:
    return ", ".join(name for requirement in policy["requirements"] for name in requirement)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else 140, highlight=False, soft_wrap=True)
