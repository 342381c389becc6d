"""What the command line does before it appends a release to a stored history: the audit, and its limit."""

from __future__ import annotations

from rich.console import Console

from ...models.errors import OptanonError
from ...models.problem import Problem
from ...models.release import Release
from ..appending import SeriesVerdict, beyond_policy, examine
from .audit import audit_course

__all__ = ["REFUSED", "audit_first", "audit_time_of", "limit_of"]

REFUSED = 5
"""Exit code of an append that the audit refused."""


def limit_of(text: str) -> int | None:
    """The number behind --audit-limit; None for no limit."""
    if text.strip().lower() == "none":
        return None
    if not text.strip().isdecimal():
        raise OptanonError(f"--audit-limit is a number of people from 0, or none; got {text!r}")
    return int(text)


def audit_time_of(seconds: float) -> float:
    """The seconds behind --audit-time; refused before a search whose release nothing could audit."""
    if not seconds > 0:  # nan, too
        raise OptanonError(f"--audit-time is more than 0 seconds, got {seconds:g}")
    return seconds


def audit_first(
    console: Console, problem: Problem, release: Release, *, limit: int | None, seconds: float
) -> tuple[SeriesVerdict, str | None]:
    """Audit the series that would be, print the verdict; why it must not be appended, if so.

    Ctrl-C ends the audit; what it left open is then undecided.
    """
    with audit_course() as (stopped, told):
        verdict, report = examine(
            problem.history,
            release,
            persistence=problem.table.sensitive.persistence,
            seconds=seconds,
            stop=stopped,
            progress=told,
        )
    console.print(str(verdict), markup=False)
    why = verdict.refusal(limit)
    if why is not None:
        for text in (*report.texts(), *beyond_policy(problem)):
            console.print(text, markup=False)
    return verdict, why
