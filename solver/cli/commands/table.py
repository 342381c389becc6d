"""Commands before a problem is there: shipped instances, a first problem file, hierarchies, the page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..options import Force

__all__ = ["HierarchyCommand", "InitCommand", "InstancesCommand", "UiCommand"]


@dataclass(frozen=True, kw_only=True)
class InstancesCommand:
    """List the shipped instances, or show one."""

    name: Annotated[str | None, typer.Argument(help="Show one instance's files and description.")] = None


@dataclass(frozen=True, kw_only=True)
class InitCommand:
    """Write a problem file for a table: roles are guessed, every line is explained, and it can be solved.

    A table of a series gets a policy for series, and continues with the roles and the policy of the releases
    before it. A table that is published once gets a policy that ignores other releases.
    """

    table: Annotated[Path, typer.Argument(metavar="TABLE.csv", help="CSV or Parquet, one row per person.")]
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Problem file; default: beside the table, .yaml.")
    ] = None
    respondent: Annotated[str | None, typer.Option(help="Column that says who a row is about.")] = None
    sensitive: Annotated[
        list[str] | None, typer.Option(help="Column that must be protected; repeat it for several.")
    ] = None
    qi: Annotated[
        list[str] | None,
        typer.Option("--qi", help="Column others may know; repeat it. The rest is left out."),
    ] = None
    k: Annotated[int | None, typer.Option("-k", min=2, help="Smallest size of a group.")] = None
    series: Annotated[
        bool | None,
        typer.Option(
            "--series/--once",
            help="Released again and again, or only once? Asked on a terminal, else a series.",
        ),
    ] = None
    history: Annotated[
        str | None,
        typer.Option(help="Stored history of the series; begun if there is none. Default: releases.db."),
    ] = None
    key_file: Annotated[
        Path | None, typer.Option(help="Key of the history: respondent ids are kept as keyed hashes.")
    ] = None
    people: Annotated[
        Literal["keep", "merge"] | None,
        typer.Option(
            "--spelling",
            help="Ids that differ only in blanks, case, composed letters or zeros in front: different people "
            "(keep), or one person who returns (merge); asked on a terminal, otherwise refused.",
        ),
    ] = None
    ask: Annotated[bool, typer.Option("--ask", help="Ask about each role.")] = False
    force: Force = False


@dataclass(frozen=True, kw_only=True)
class HierarchyCommand:
    """Write how a column becomes coarser, one row per value, finest first (ARX's format).

    Give exactly one of --intervals, --rounding, --prefix, --dates, --ordered. Name the file in a problem
    file as {kind: taxonomy, hierarchy: FILE}.
    """

    table: Annotated[Path, typer.Argument(metavar="TABLE.csv", help="Where the values are.")]
    column: Annotated[str, typer.Argument(help="The column.")]
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; default: COLUMN.csv.")
    ] = None
    intervals: Annotated[str | None, typer.Option(help="Widths of intervals, fine to coarse: 5,10,20.")] = (
        None
    )
    rounding: Annotated[str | None, typer.Option(help="Round to the nearest multiple, odd steps: 10,30.")] = (
        None
    )
    prefix: Annotated[str | None, typer.Option(help="How many leading characters are kept: 4,2,1.")] = None
    dates: Annotated[str | None, typer.Option(help="Levels among month,quarter,year,decade: month,year.")] = (
        None
    )
    pattern: Annotated[str | None, typer.Option(help="With --dates: how they are written: %d.%m.%Y.")] = None
    ordered: Annotated[str | None, typer.Option(help="The categories in their order: low,middle,high.")] = (
        None
    )
    sizes: Annotated[
        str | None, typer.Option(help="With --ordered: how many categories are merged: 2,4; default: 2.")
    ] = None
    missing_mark: Annotated[
        list[str] | None, typer.Option(help="A cell that is missing; may be given several times.")
    ] = None
    real_value: Annotated[
        list[str] | None, typer.Option(help="A cell that is a value although it looks missing; likewise.")
    ] = None
    force: Force = False


@dataclass(frozen=True, kw_only=True)
class UiCommand:
    """Open a page on this machine: choose a CSV, set a policy, solve, read the report, keep the history.

    The page answers to this machine only and to whoever holds the address that is printed; no data
    leaves the machine, and uploaded files are removed at the end. Stop it with Ctrl-C.
    """

    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 0
    show: Annotated[bool, typer.Option("--show/--no-show", help="Open a browser.")] = True
