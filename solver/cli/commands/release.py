"""Commands about one release: find it, check it, verify what is said of it, report it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ...seconds import AUDIT_SECONDS, SOLVE_SECONDS, VERIFY_SECONDS
from ..options import (
    Answered,
    AuditLimit,
    AuditTime,
    Cluster,
    EngineName,
    Expect,
    Force,
    KeyFile,
    OutputFolder,
    ProblemFile,
    RawCells,
    ReleaseFile,
    ShowIds,
    Steward,
    Workers,
)

__all__ = ["CheckCommand", "ReportCommand", "SolveCommand", "VerifyCommand"]


@dataclass(frozen=True, kw_only=True)
class SolveCommand:
    """Compute the release with the least loss that keeps the policy, check it, and write it.

    Prints what a steward needs to know (rows published, left out and invented; what each column keeps; the
    loss, and what is proven about it; what an audit finds), and writes NAME.release.csv (for publication) and
    NAME.result.json (status, bounds, certificate), the latter even if there is provably no release. Existing
    files are replaced only with --force, files that the problem names never.
    With --append the series is audited first: what somebody who holds all releases can conclude is printed,
    and stored with the release.
    Exit code 0 with a release, 2 if the input is wrong or a file cannot be written, 3 if no release exists
    (proven, or on the word of the solver named), 4 if none was found in time, 5 if the audit refuses the
    append: nothing is then stored, and no file for publication is written; 130 if Ctrl-C came before there
    was a release.
    """

    problem_file: ProblemFile
    output: OutputFolder = Path()
    steward: Steward = False
    engine: EngineName = "auto"
    time_limit: Annotated[
        float,
        typer.Option(
            help="Seconds for everything, files included; the best release found by then is kept. inf: no "
            "limit. What first searches compile, once per installation, and an append's audit come on top."
        ),
    ] = SOLVE_SECONDS
    seed: Annotated[
        int | None,
        typer.Option(help="The same seed and workers give the same result; 0 unless the release is drawn."),
    ] = None
    workers: Workers = None
    cluster: Cluster = None
    randomize: Annotated[
        str | None,
        typer.Option(
            metavar="BETA",
            help="Draw a release with weight exp(-BETA loss), so that its minimality gives nothing away.",
        ),
    ] = None
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="One line about the release; no live display, no audit.")
    ] = False
    groups: Annotated[bool, typer.Option("--groups", help="Print the groups, too.")] = False
    history: Annotated[
        str | None,
        typer.Option("--history", help="Stored history (file or URL) instead of the one the problem names."),
    ] = None
    key_file: KeyFile = None
    append: Annotated[
        bool,
        typer.Option(
            "--append",
            help="Append the release to the stored history, then write the files; also if Ctrl-C ends the "
            "search: then the best release so far, if the audit lets it pass.",
        ),
    ] = False
    audit_limit: AuditLimit = "0"
    audit_time: AuditTime = AUDIT_SECONDS
    ignores_history: Annotated[
        bool,
        typer.Option(
            "--policy-ignores-history",
            help="Append although no requirement of the policy looks at the other releases.",
        ),
    ] = False
    again: Annotated[
        bool,
        typer.Option("--again", help="Append although the history holds a release of this table already."),
    ] = False
    expect: Expect = None
    raw_cells: RawCells = False
    force: Force = False


@dataclass(frozen=True, kw_only=True)
class CheckCommand:
    """Check a release against a policy by the definitions, without a solver.

    Exit code 0 if every requirement holds, 1 with a table of violations otherwise.
    """

    release_files: Annotated[
        list[Path],
        typer.Argument(metavar="RELEASE.csv", help="Public or steward's copy; or two published views."),
    ]
    problem: Answered
    show_ids: ShowIds = False
    expect: Expect = None


@dataclass(frozen=True, kw_only=True)
class VerifyCommand:
    """Derive again, without a solver, everything that a result says: release, values, bounds, infeasibility.

    Exit code 0 if all of it is confirmed, 5 if part of it rests on the word of the solver named, 2 if
    something is wrong.
    """

    result_file: Annotated[Path, typer.Argument(metavar="RESULT.json", help="Result or certificate.")]
    problem: Answered
    release_file: ReleaseFile = None
    expect: Expect = None
    time_limit: Annotated[
        float, typer.Option(help="Seconds; what takes longer to derive counts as resting on a solver's word.")
    ] = VERIFY_SECONDS


@dataclass(frozen=True, kw_only=True)
class ReportCommand:
    """Write one self-contained page about a release: policy, proof, loss, distributions, risks.

    The result is verified first, as by `optanon verify`, and everything shown is computed again from the
    problem and the release: nothing in the result file is taken on trust. The page needs no network and no
    script. It is for the steward, not for publication.
    """

    result_file: Annotated[Path, typer.Argument(metavar="RESULT.json", help="What `optanon solve` wrote.")]
    problem: Answered
    release_file: ReleaseFile = None
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page; default: beside the result, .html.")
    ] = None
    comparison: Annotated[
        Path | None, typer.Option("--comparison", help="What `optanon compare --json` wrote.")
    ] = None
    force: Force = False
