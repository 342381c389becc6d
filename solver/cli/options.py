"""Arguments and options that several commands share, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Answered",
    "AuditLimit",
    "AuditTime",
    "Cluster",
    "DecidedWithin",
    "EngineName",
    "Expect",
    "Force",
    "JsonFile",
    "KeyFile",
    "KnowledgeFile",
    "OutputFolder",
    "ProblemFile",
    "Quiet",
    "RawCells",
    "ReleaseFile",
    "Seed",
    "Series",
    "ShowIds",
    "Steward",
    "Workers",
]

ProblemFile = Annotated[Path, typer.Argument(metavar="PROBLEM.yaml", help="Table, history and policy.")]
Answered = Annotated[Path, typer.Option("--problem", "-p", help="The problem it answers.")]
"""The problem of a release or result that is the command's argument."""
ReleaseFile = Annotated[
    Path | None,
    typer.Option(
        "--release",
        "-r",
        help="The release, public or steward's copy; default: the one beside the result file.",
    ),
]
Series = Annotated[
    list[Path],
    typer.Argument(
        metavar="[PROBLEM.yaml] [RELEASE.csv]...",
        help="Releases, oldest first: steward's copies, or with a problem file also public copies; "
        "without releases the problem's history.",
    ),
]
KnowledgeFile = Annotated[
    Path | None,
    typer.Option(
        "--knowledge",
        "--known",
        help="YAML of what the adversary knows: compromised, excluded, priors, persistence, membership, "
        "counterfeits.",
    ),
]
KeyFile = Annotated[
    Path | None, typer.Option(help="File with the history's key, if ids are kept as keyed hashes.")
]
Expect = Annotated[
    str | None,
    typer.Option(
        metavar="DIGEST",
        help="Digest of the stored history's newest release, as `optanon history show` prints it: a history "
        "that was cut off or replaced is refused.",
    ),
]

EngineName = Annotated[
    str, typer.Option("--engine", help="auto, or subsets, assignment, partition, full_domain.")
]
DecidedWithin = Annotated[
    float | None,
    typer.Option("--time-limit", help="Seconds; the answer says what is still undecided by then."),
]
Seed = Annotated[int, typer.Option(help="The same seed and workers give the same result.")]
Workers = Annotated[int | None, typer.Option(help="Threads.")]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Scheduler of a Dask cluster (tcp://host:8786): tables so large that they are cut into blocks.",
    ),
]
AuditLimit = Annotated[
    str,
    typer.Option(
        metavar="N",
        help="Refuse the append if the series would disclose more than N people, counting those not "
        "decided in time; `none` for no limit.",
    ),
]
AuditTime = Annotated[float, typer.Option(help="Seconds for the audit of the series before an append.")]

OutputFolder = Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")]
JsonFile = Annotated[
    Path | None, typer.Option("--json", help="Also write what was found to this file, as JSON.")
]
Steward = Annotated[
    bool, typer.Option("--steward", help="Also write the steward's copy, which says who is in which group.")
]
RawCells = Annotated[
    bool,
    typer.Option(
        "--raw-cells",
        help="Write cells that a spreadsheet would run as formulas as they are, not with a ' in front.",
    ),
]
ShowIds = Annotated[bool, typer.Option("--show-ids", help="Name respondents (for the steward only).")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No live display.")]
Force = Annotated[
    bool, typer.Option("--force", help="Replace results that exist; never a file that is read.")
]
