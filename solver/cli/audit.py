"""The command line's audit: releases and knowledge out of files, and the report as tables."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from ...instances.asked_series import read_asked
from ...instances.bounded import read_json
from ...models.errors import CertificateError
from ...models.files import write_json, write_text
from ..display import plain_console
from ..insight.audit.attacks import usual_attacks
from ..insight.audit.audit import AuditReport, PersistentAudit, audit
from ..overwriting import may_write
from ..worlds.exclusions import verify_audit
from .commands.adversary import AuditCommand, VerifyAuditCommand
from .reading import teller_of_dropped
from .tables import print_table

__all__ = [
    "audit_course",
    "audit_series",
    "print_audit",
    "problems",
    "verify_proofs",
]


def audit_series(asked: AuditCommand) -> None:
    """Audit the series, print the verdicts, and write the report and the proofs."""
    may_write(
        [asked.json_file, asked.certificates],
        force=asked.force,
        problems=problems(asked.files),
        inputs=[*asked.files, asked.knowledge_file],
    )
    console = plain_console()
    history, knowledge, requirements = read_asked(
        asked.files, asked.knowledge_file, expect=asked.expect, tell=teller_of_dropped(console)
    )
    # The named attacks: with the thresholds of the problem's policy if it guards against them.
    named = {requirement.name: requirement for requirement in requirements}
    attacks = tuple(named.get(attack.name, attack) for attack in usual_attacks())
    with audit_course() as (stopped, told):
        report = audit(
            history,
            knowledge,
            time_limit=asked.time_limit,
            attacks=attacks if knowledge.persistence != "transient" else (),
            stop=stopped,
            progress=told,
        )
    try:
        if asked.certificates is not None:
            write_text(asked.certificates, json.dumps(report.certificates()) + "\n", private=True)
    finally:  # what was searched for is shown whether or not it can be kept
        code = print_audit(console, report, asked.json_file, asked.show_ids)
    raise typer.Exit(code)


def verify_proofs(asked: VerifyAuditCommand) -> None:
    """Check the proofs of an audit; say how many hold, and on whose word."""
    content = read_json(asked.certificate_file)
    if not isinstance(content, dict):
        raise CertificateError(f"{asked.certificate_file}: this file does not hold certificates")
    history, knowledge, _ = read_asked(asked.files, asked.knowledge_file, expect=asked.expect)
    found = verify_audit(content, history, knowledge)
    trusted = found["rests on CP-SAT"]
    verdict = (
        f"CONFIRMED IN PART: {found['proven']} exclusions, but {trusted} are the word of CP-SAT"
        if trusted
        else f"CONFIRMED: {found['proven']} exclusions, without a solver"
    )
    plain_console().print(verdict, markup=False)
    raise typer.Exit(5 if trusted else 0)


def problems(files: Sequence[Path]) -> list[Path]:
    """The problem file among the files of an audit, if there is one."""
    return [file for file in files[:1] if file.suffix in (".yaml", ".yml")]


@contextmanager
def audit_course() -> Generator[tuple[Callable[[], bool], Callable[[str], None]]]:
    """Whether somebody had enough (Ctrl-C), and how far the audit is, shown to who looks on."""
    ended: list[int] = []
    status = Console(stderr=True).status("audit") if sys.stderr.isatty() else None
    before = signal.signal(signal.SIGINT, lambda number, _: ended.append(number))
    try:
        if status is None:
            yield lambda: bool(ended), lambda _: None
        else:
            with status:
                yield lambda: bool(ended), status.update
    finally:
        signal.signal(signal.SIGINT, before)


def print_audit(console: Console, report: AuditReport, json_file: Path | None, show_ids: bool) -> int:
    """Print the report, write it as JSON if asked, and return the exit code."""
    known = bool(report.knowledge.about)
    table = Table(
        "release",
        "people",
        *(["given"] if known else []),
        "by intersection",
        "by propagation",
        "exactly",
        "unknown",
        "worst posterior",
        "verdict",
        title="respondents whose value is disclosed to whoever holds all releases so far",
    )
    moving = Table(
        "release",
        "respondents",
        "certain",
        "worst probability of a link",
        title="respondents who certainly had some value at some time, if values change freely",
    )
    for entry in report.releases:
        found, links = entry.persistent, entry.transient
        number = str(entry.release)
        if found is not None:
            table.add_row(
                number,
                str(entry.respondents),
                *([str(entry.given)] if known else []),
                str(found.set_intersection),
                str(found.propagation),
                f"{'at least ' if found.undecided else ''}{found.exact}",
                str(found.unknown),
                _worst(found),
                found.verdict,
            )
        if links is not None:
            moving.add_row(number, str(entry.respondents), str(links.certain), _share(links.worst))
    for lines in (table, _attributes(report), moving, _attacks(report)):
        if lines.rows:
            print_table(console, lines)
    reasons = ((entry.release, a.reason) for entry in report.releases for a in entry.attacks if a.reason)
    for number, reason in reasons:
        # How to keep the requirement is of no use here: nobody asked for it.
        console.print(f"not defined for release {number}: {reason.partition(';')[0]}", markup=False)
    for text in (*report.texts(show_ids=show_ids), *report.warnings):
        console.print(text, markup=False)
    write_json(json_file, report.to_dict(show_ids=show_ids), private=True)
    if not report.complete:
        console.print("not everything was decided in time: what is missing above is unknown, not safe")
    return 1 if report.releases[-1].disclosed else 0 if report.complete else 4


def _attributes(report: AuditReport) -> Table:
    """Each of several sensitive attributes."""
    table = Table("release", "attribute", "exactly", "worst posterior", title="of each sensitive attribute")
    for entry in report.releases:
        for one in () if entry.persistent is None else entry.persistent.attributes:
            told = f"{'at least ' if one.undecided else ''}{one.disclosed}"
            table.add_row(str(entry.release), one.attribute, told, _share(one.worst))
    return table


def _attacks(report: AuditReport) -> Table:
    """Respondents at risk by the named attacks."""
    names = [attack.requirement for attack in report.releases[0].attacks]
    table = Table("release", *names, title="respondents at risk by the named attacks, one by one")
    for entry in report.releases if names else ():
        numbers = ["not defined" if a.at_risk is None else str(a.at_risk) for a in entry.attacks]
        table.add_row(str(entry.release), *numbers)
    return table


def _worst(found: PersistentAudit) -> str:
    text = _share(found.worst)
    guess = found.worst_estimate
    if found.without_posterior:
        bound = "" if found.at_most is None else f", at most {_share(found.at_most)}"
        text += f" ({found.without_posterior} not counted{bound})"
    if guess is not None:
        text += f"; estimate {guess.value:.3f} in [{guess.low:.3f}, {guess.high:.3f}]"
    return text


def _share(number: Fraction | None) -> str:
    return "-" if number is None else f"{number} ({float(number):.3f})"
