"""Commands about a stored history: ``optanon history init | show | append | write | export | import``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ...seconds import AUDIT_SECONDS
from ..options import (
    Answered,
    AuditLimit,
    AuditTime,
    Expect,
    Force,
    KeyFile,
    OutputFolder,
    RawCells,
    Steward,
)

__all__ = [
    "AppendCommand",
    "BeginCommand",
    "ExportCommand",
    "ImportCommand",
    "ShowCommand",
    "WriteCommand",
]

Where = Annotated[
    str, typer.Argument(metavar="STORE", help="A file such as releases.db, or an SQLAlchemy URL.")
]


@dataclass(frozen=True, kw_only=True)
class BeginCommand:
    """Begin an empty history. With --key-file respondent ids are kept as keyed hashes.

    A key file that does not exist yet is created with a random key. Keep it safe, and away from the store:
    without it nobody can continue the series.
    """

    where: Where
    key_file: KeyFile = None


@dataclass(frozen=True, kw_only=True)
class ShowCommand:
    """List the releases of a history; no respondent is named.

    The digest it prints covers the whole history. Write it down elsewhere and give it as --expect: nothing
    inside a history can tell that its newest releases were removed.
    """

    where: Where
    expect: Expect = None


@dataclass(frozen=True, kw_only=True)
class AppendCommand:
    """Append a release that was made elsewhere or earlier.

    It is appended even if it breaks the problem's policy or discloses somebody, because what was published
    must be known; the exit code is then 1. With --audit-limit, the exit code is 5 if it is refused. A release
    that the history holds already is refused unless it was published --again.
    """

    where: Where
    release_file: Annotated[
        Path, typer.Argument(metavar="RELEASE.csv", help="Steward's copy, or a public one that fits one way.")
    ]
    problem: Answered
    result_file: Annotated[
        Path | None,
        typer.Option(
            "--result",
            help="RESULT.json of `optanon solve` about this release: its certificate is kept.",
        ),
    ] = None
    key_file: KeyFile = None
    expect: Expect = None
    audit_limit: AuditLimit = "none"
    audit_time: AuditTime = AUDIT_SECONDS
    again: Annotated[
        bool,
        typer.Option("--again", help="It was published once more: append it although the history holds it."),
    ] = False


@dataclass(frozen=True, kw_only=True)
class WriteCommand:
    """Write the files of a stored release again."""

    where: Where
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="Which release, from 1.")]
    output: OutputFolder = Path()
    steward: Steward = False
    raw_cells: RawCells = False
    expect: Expect = None
    force: Force = False


@dataclass(frozen=True, kw_only=True)
class ExportCommand:
    """Write a whole history to one file: a backup, or a way to move to another database."""

    where: Where
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="The file to write.")]
    expect: Expect = None
    force: Force = False


@dataclass(frozen=True, kw_only=True)
class ImportCommand:
    """Make a new stored history out of an exported file; all of it, or nothing."""

    where: Where
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="What `history export` wrote.")]
    key_file: KeyFile = None
    expect: Expect = None
