"""Commands about what others can conclude: from a series, with compromised people, from a foreign release."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..options import (
    DecidedWithin,
    Expect,
    Force,
    JsonFile,
    KnowledgeFile,
    Seed,
    Series,
    ShowIds,
    Workers,
)

__all__ = ["AuditCommand", "AuditReleaseCommand", "VerifyAuditCommand", "WhatIfCommand"]


@dataclass(frozen=True, kw_only=True)
class AuditCommand:
    """Work out exactly what someone who holds all releases can conclude about each respondent.

    Ctrl-C ends the search; what was found until then is reported, the rest is unknown. Exit code 0 if
    nobody's value is disclosed and everything was decided, 1 if somebody's is, 4 if something
    stayed undecided.
    """

    files: Series
    knowledge_file: KnowledgeFile = None
    time_limit: DecidedWithin = None
    json_file: JsonFile = None
    certificates: Annotated[
        Path | None, typer.Option(help="Also write the proofs of all exclusions to this file.")
    ] = None
    show_ids: ShowIds = False
    expect: Expect = None
    force: Force = False


@dataclass(frozen=True, kw_only=True)
class VerifyAuditCommand:
    """Re-check the proofs of an audit against its releases, in whole numbers and without a solver.

    Exit code 0 if all are confirmed, 5 if some rest on a solver's word, 2 if something is wrong.
    """

    certificate_file: Annotated[
        Path, typer.Argument(metavar="CERTIFICATES.json", help="Written by audit --certificates.")
    ]
    files: Series
    knowledge_file: KnowledgeFile = None
    expect: Expect = None


@dataclass(frozen=True, kw_only=True)
class WhatIfCommand:
    """Find whose value, once known, gives away whose, and how few known values disclose somebody.

    It is about values that never change in groups that are known: transient values, and knowledge that
    somebody's group is not known, are refused.

    Exit code 0 if everything asked was decided, 4 otherwise.
    """

    files: Series
    knowledge_file: KnowledgeFile = None
    pairs: Annotated[bool, typer.Option("--pairs", help="Rank pairs of respondents, too.")] = False
    smallest: Annotated[
        bool,
        typer.Option(
            "--smallest", help="Also find the fewest compromised respondents that disclose somebody."
        ),
    ] = False
    probability: Annotated[
        str | None, typer.Option(help="Simulate: the chance that a row's value is known, for example 0.04.")
    ] = None
    trials: Annotated[int, typer.Option(help="Trials of the simulation.")] = 1000
    seed: Annotated[int, typer.Option(help="Seed of the simulation.")] = 0
    time_limit: DecidedWithin = None
    json_file: JsonFile = None
    show_ids: ShowIds = False
    expect: Expect = None
    force: Force = False


@dataclass(frozen=True, kw_only=True)
class AuditReleaseCommand:
    """Check and score a release made by ARX, sdcMicro, anonypy, ANJANA, ..., and give its gap to the optimum.

    Exit code 0 if the policy is kept, 1 if it is not, 4 if that depends on who is in which group.
    """

    release_file: Annotated[Path, typer.Argument(metavar="RELEASE.csv", help="One row per record.")]
    problem_file: Annotated[
        Path, typer.Argument(metavar="PROBLEM.yaml", help="The table it was made from, and the policy.")
    ]
    ends: Annotated[
        str,
        typer.Option(
            help="Which ends belong to an interval: written (as it is written), closed, half-open (20-30 "
            "lacks 30), or upper-open (every interval lacks its upper end)."
        ),
    ] = "written"
    stars: Annotated[str, typer.Option(help="Records without quasi-identifiers: suppressed, or a group.")] = (
        "suppressed"
    )
    match: Annotated[str, typer.Option(help="Who is behind a row: respondents, order, fit, or auto.")] = (
        "auto"
    )
    column: Annotated[
        list[str] | None, typer.Option(help="NAME=NAME-IN-FILE for a column that has another name there.")
    ] = None
    count: Annotated[
        str,
        typer.Option(
            help="Column with the number of records that a row stands for, if there is one; '' for none."
        ),
    ] = "count"
    delimiter: Annotated[str, typer.Option(help="Character between cells.")] = ","
    solve: Annotated[bool, typer.Option(help="Search for the best release.")] = True
    bound: Annotated[str | None, typer.Option(help="A proven lower bound, instead of a search.")] = None
    time_limit: Annotated[float, typer.Option(help="Seconds for each search.")] = 60.0
    seed: Seed = 0
    workers: Workers = None
    json_file: JsonFile = None
    show_ids: ShowIds = False
    expect: Expect = None
    force: Force = False
