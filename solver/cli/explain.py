"""The command line's explanation: why a policy cannot be kept, what is nearest, what each part costs."""

from __future__ import annotations

from textwrap import fill

import typer
from rich.console import Console

from ...instances.problem_file import load_problem
from ...models.files import write_json
from ..display import plain_console, warn_unchecked
from ..insight.explain.answer import explain
from ..insight.explain.explanation import Explanation
from ..overwriting import may_write
from ..status import Status
from .commands.alternatives import ExplainCommand
from .reading import as_asked, teller_of_dropped

__all__ = ["explain_policy"]


def explain_policy(asked: ExplainCommand) -> None:
    """Explain a policy and print it, sentence by sentence."""
    may_write([asked.json_file], force=asked.force, problems=[asked.problem_file])
    console = plain_console()
    problem = load_problem(asked.problem_file, expect=asked.expect, tell=teller_of_dropped(console))
    problem = as_asked(console, problem)
    warn_unchecked(console, problem)
    found = explain(
        problem,
        time_limit=asked.time_limit,
        trial_seconds=asked.trial_seconds,
        seed=asked.seed,
        workers=asked.workers,
    )
    _print(console, found, asked.show_ids)
    write_json(asked.json_file, found.to_dict(show_ids=asked.show_ids), private=True)
    raise typer.Exit({Status.INFEASIBLE: 3, Status.UNKNOWN: 4}.get(found.status, 0))


def _print(console: Console, found: Explanation, show_ids: bool) -> None:
    for line in found.sentences(show_ids=show_ids):
        console.print(_wrapped(line, console), markup=False, soft_wrap=True)


def _wrapped(line: str, console: Console) -> str:
    """Between words where somebody reads it, under where it began; whole in files and pipes."""
    if not console.is_terminal:
        return line
    under = " " * (len(line) - len(line.lstrip(" -")))
    return fill(line, console.width, subsequent_indent=under, break_long_words=False, break_on_hyphens=False)
