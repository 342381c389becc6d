"""``optanon history``: a stored history is begun, listed, appended to, and moved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from rich.table import Table

from ...instances.named_files import store_files
from ...instances.problem_file import load_answer, load_problem
from ...instances.store.transfer import export_history, import_history
from ...models.errors import CertificateError, StoreError
from ...models.files import write_together
from ...models.fingerprint import Fingerprint
from ...models.problem import Problem
from ...models.release import Release
from ..appending import SeriesVerdict, refuse_other_result
from ..certificate import Certificate
from ..certify import is_about
from ..display import soft_console, warn_unchecked
from ..overwriting import may_write
from ..result_file import certificate_of, read_result
from ..solved import refuse_held, stored
from .audit_first import REFUSED, audit_first, audit_time_of, limit_of
from .commands.history import (
    AppendCommand,
    BeginCommand,
    ExportCommand,
    ImportCommand,
    ShowCommand,
    WriteCommand,
)
from .reading import teller
from .stored import begin_history, holds_history, open_stored, record_answer
from .tables import print_table

__all__ = ["append", "begin", "export", "restore", "show", "write"]


def begin(asked: BeginCommand) -> None:
    """Begin an empty history where there is none."""
    if holds_history(asked.where):
        raise StoreError(
            f"{asked.where}: a history exists already: use it (`optanon history show`), or name another file"
        )
    begin_history(soft_console(), asked.where, asked.key_file)


def show(asked: ShowCommand) -> None:
    """List the releases of a history."""
    history = open_stored(asked.where, asked.expect)
    console = soft_console()
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
        "rows",
        "groups",
        "invented",
        "left out",
        "policy",
        "proven",
        "audit when appended",
    )
    before, unproven = Fingerprint(), list[str]()
    for number, (release, entry) in enumerate(zip(history, history.entries, strict=True), start=1):
        proven = "-"
        if entry.certificate is not None and is_about(entry.certificate, release, before.hexdigest()):
            proven = str(entry.certificate.get("status", "yes"))
        elif entry.certificate is not None:
            unproven.append(str(number))
        before.add([release.plain])
        table.add_row(
            str(number),
            entry.appended.replace("T", " ").removesuffix("+00:00"),
            release.form,
            str(sum(group.size for group in release.groups)),
            str(len(release.groups)),
            str(release.counterfeits or ""),
            str(len(release.suppressed) or ""),
            "-" if entry.policy is None else _requirements(entry.policy),
            proven,
            "-" if entry.audit is None else SeriesVerdict.from_dict(entry.audit).short,
        )
    print_table(console, table)
    if unproven:
        console.print(
            f"nothing is proven of release {', '.join(unproven)}: the certificate beside it is about another "
            "release, or another place in a series"
        )
    console.print("times are UTC")


def append(asked: AppendCommand) -> None:
    """Audit the series with the release, and append it."""
    limit, audit_time = limit_of(asked.audit_limit), audit_time_of(asked.audit_time)
    console = soft_console()
    problem = load_problem(
        asked.problem,
        history=asked.where,
        key_file=asked.key_file,
        expect=asked.expect,
        tell=teller(console),
    )
    release = load_answer(asked.release_file, problem)
    if not asked.again:
        refuse_held(release, problem.history, "give --again")
    if (kept := stored(problem.history)) is not None:
        kept.refuse_read_only()  # before the audit, which may take its time
    certificate = _certificate(asked.result_file, problem, release)
    broken = {violation.requirement for violation in problem.check(release)}
    warn_unchecked(console, problem)
    verdict, why = audit_first(console, problem, release, limit=limit, seconds=audit_time)
    if why is not None:
        console.print(f"not appended: {why} (--audit-limit)", markup=False)
        raise typer.Exit(REFUSED)
    console.print(record_answer(problem, release, certificate, verdict), markup=False)
    if broken:
        console.print(f"take note: it breaks {', '.join(sorted(broken))}; `optanon check` shows how")
    if broken or verdict.disclosed:
        raise typer.Exit(1)


def write(asked: WriteCommand) -> None:
    """Write the files of a stored release again."""
    history = open_stored(asked.where, asked.expect)
    if not 1 <= asked.number <= len(history):
        raise StoreError(f"{history.name}: there is no release {asked.number}, only 1 to {len(history)}")
    release = history[asked.number - 1]
    files = release.files(asked.output / f"release-{asked.number}.release.csv", raw_cells=asked.raw_cells)
    if asked.steward:
        private = asked.output / f"release-{asked.number}.steward.csv"
        files += release.files(private, copy="steward", raw_cells=asked.raw_cells)
    may_write([file.path for file in files], force=asked.force, inputs=store_files(asked.where))
    write_together(files)
    for file in files:
        soft_console().print(f"wrote {file.path}", markup=False)


def export(asked: ExportCommand) -> None:
    """Write a whole history to one file."""
    may_write([asked.file], force=asked.force, inputs=store_files(asked.where))
    history = open_stored(asked.where, asked.expect)
    export_history(history, asked.file)
    soft_console().print(
        f"wrote {asked.file}: {_count(len(history), 'release')}; it says who was in which group: "
        "keep it private",
        markup=False,
    )


def restore(asked: ImportCommand) -> None:
    """Make a new stored history out of an exported file."""
    history = import_history(asked.where, asked.file, key_file=asked.key_file, expect=asked.expect)
    soft_console().print(f"made {history.name}: {_count(len(history), 'release')}", markup=False)


def _certificate(file: Path | None, problem: Problem, release: Release) -> Certificate | None:
    """The certificate of a result file, if it is about the release that is appended."""
    if file is None:
        return None
    found = certificate_of(read_result(file))
    try:
        refuse_other_result(found, problem, release)
    except CertificateError as error:
        raise CertificateError(f"{file}: {error}") from error
    return found


def _requirements(policy: Any) -> str:
    return ", ".join(name for requirement in policy["requirements"] for name in requirement)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
