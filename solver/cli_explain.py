"""The command line's explanation: why a policy cannot be kept, what is nearest, what each part costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..instances.problem_file import load_problem
from ..models.files import write_whole
from .cli_options import Expect, Force
from .display import plain_console, warn_unchecked
from .insight.explain.answer import explain
from .insight.explain.explanation import Explanation
from .overwriting import may_write
from .result import Status

__all__ = ["explain_command"]


def explain_command(
    problem_file: Annotated[Path, typer.Argument(metavar="PROBLEM.yaml", help="Table, history and policy.")],
    time_limit: Annotated[
        float, typer.Option(help="Seconds for everything; what is not decided by then is said.")
    ] = 120.0,
    trial_seconds: Annotated[float, typer.Option(help="Most seconds for one search.")] = 10.0,
    seed: Annotated[int, typer.Option(help="Same seed and workers: same result.")] = 0,
    workers: Annotated[int | None, typer.Option(help="Threads.")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write the explanation to this file.")
    ] = None,
    show_ids: Annotated[
        bool, typer.Option("--show-ids", help="Name respondents (steward's own eyes only).")
    ] = False,
    expect: Expect = None,
    force: Force = False,
) -> None:
    """Say why no release keeps a policy and which policies come nearest; or what each part of it costs.

    Exit code 0 if the policy can be kept, 3 if it provably cannot, 4 if that was not decided in time.
    """
    may_write([json_file], force=force, problems=[problem_file])
    problem, console = load_problem(problem_file, expect=expect), plain_console()
    warn_unchecked(console, problem)
    found = explain(
        problem,
        time_limit=time_limit,
        trial_seconds=trial_seconds,
        seed=seed,
        workers=workers,
    )
    _print(console, found, show_ids)
    if json_file is not None:
        text = json.dumps(found.to_dict(show_ids=show_ids), indent=2) + "\n"
        write_whole(json_file, lambda draft: draft.write_text(text, encoding="utf-8"), private=True)
    raise typer.Exit({Status.INFEASIBLE: 3, Status.UNKNOWN: 4}.get(found.status, 0))


def _print(console: Console, found: Explanation, show_ids: bool) -> None:
    for line in found.sentences(show_ids=show_ids):
        console.print(line, markup=False, soft_wrap=True)
