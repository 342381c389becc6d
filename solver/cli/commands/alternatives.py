"""Commands about what else could be done: why a policy fails, what others do, what other parameters cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..options import EngineName, Expect, Force, JsonFile, ProblemFile, Quiet, Seed, ShowIds, Workers

__all__ = ["BacktestCommand", "CompareCommand", "ExplainCommand", "FrontierCommand"]


@dataclass(frozen=True, kw_only=True)
class ExplainCommand:
    """Find out why no release keeps a policy and which policies come nearest; or what each part of it costs.

    Exit code 0 if the policy can be kept, 3 if it provably cannot, 4 if that was not decided in time.
    """

    problem_file: ProblemFile
    time_limit: Annotated[
        float, typer.Option(help="Seconds for everything; the answer says what was not decided by then.")
    ] = 120.0
    trial_seconds: Annotated[float, typer.Option(help="Seconds for each search, at most.")] = 10.0
    seed: Seed = 0
    workers: Workers = None
    json_file: JsonFile = None
    show_ids: ShowIds = False
    expect: Expect = None
    force: Force = False


@dataclass(frozen=True, kw_only=True)
class CompareCommand:
    """Compare published heuristics and engines: loss, queries, violations, distance from the proven optimum.

    Several problems are compared one after the other, each with its own optimum: no policy suits all
    heuristics, since some publish boxes, one hides cells, and some need earlier releases.

    Exit code 0; 4 if nothing is proven about the best release of some problem.
    """

    problem_files: Annotated[
        list[Path], typer.Argument(metavar="PROBLEM.yaml ...", help="Table, history, policy; or several.")
    ]
    baseline: Annotated[str, typer.Option(help="all, none, or names separated by commas.")] = "all"
    engine: Annotated[str, typer.Option(help="auto, all, none, or names separated by commas.")] = "auto"
    time_limit: Annotated[float, typer.Option(help="Seconds for each search of an engine.")] = 60.0
    seed: Seed = 0
    workers: Workers = None
    selectivity: Annotated[float, typer.Option(help="Share of tuples a query should count.")] = 0.1
    queries: Annotated[int, typer.Option(help="How many counting queries; 0 for none.")] = 1000
    promised: Annotated[
        bool, typer.Option(help="Also search for the best release with what each baseline promises.")
    ] = True
    recodings: Annotated[bool, typer.Option(help="Also search for the best full-domain release.")] = False
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Also write the rows here.")] = None
    json_file: JsonFile = None
    plot_file: Annotated[Path | None, typer.Option("--plot", help="Also draw: .png, .svg or .pdf.")] = None
    expect: Expect = None
    force: Force = False


@dataclass(frozen=True, kw_only=True)
class FrontierCommand:
    """Solve a problem for every combination of some parameters: loss against privacy, each with its gap.

    Ctrl-C keeps what there is. Exit code 0 if every point is decided, 4 if some are not, 130 if stopped.
    """

    problem_file: ProblemFile
    vary: Annotated[
        list[str],
        typer.Option(help="NAME=FIRST..LAST or NAME=VALUE,VALUE; NAME or requirement.NAME. May be repeated."),
    ]
    time_limit: Annotated[float, typer.Option(help="Seconds per point.")] = 60.0
    engine: EngineName = "auto"
    seed: Seed = 0
    workers: Workers = None
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write the points to this CSV file.")] = None
    json_file: JsonFile = None
    plot_file: Annotated[
        Path | None, typer.Option("--plot", help="Draw the points (.svg, .pdf or .png).")
    ] = None
    resume: Annotated[
        Path | None,
        typer.Option(help="State: written after every point, read if it exists. For the steward only."),
    ] = None
    quiet: Quiet = False
    expect: Expect = None
    force: Force = False


@dataclass(frozen=True, kw_only=True)
class BacktestCommand:
    """Publish a series as a rehearsal, with and without an outlook and by heuristics, and compare.

    A series file names a problem, the publishers, and how future tables are drawn. A problem file will do,
    too: the tables of its history are published again, or futures are drawn if it has none. Nothing is
    stored, and nothing is published.

    Exit code 0, 4 if a publisher has no release for some table, 130 if stopped.
    """

    series_file: Annotated[
        Path, typer.Argument(metavar="SERIES.yaml", help="Problem, futures, publishers; or a problem file.")
    ]
    time_limit: Annotated[float, typer.Option(help="Seconds for each search.")] = 60.0
    seed: Seed = 0
    workers: Workers = None
    selectivity: Annotated[float, typer.Option(help="Share of tuples a query should count.")] = 0.1
    queries: Annotated[int, typer.Option(help="How many counting queries; 0 for none.")] = 1000
    audit_time: Annotated[float, typer.Option(help="Seconds for the audit after each release; 0: none.")] = (
        10.0
    )
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write every release to this CSV file.")] = (
        None
    )
    json_file: JsonFile = None
    plot_file: Annotated[Path | None, typer.Option("--plot", help="Also draw: .png, .svg or .pdf.")] = None
    quiet: Quiet = False
    expect: Expect = None
    force: Force = False
