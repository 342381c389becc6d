"""The result file: what `solve` found, its certificate, and the facts a report is made from."""

from __future__ import annotations

from typing import Any

from ....models.problem import Problem
from ...result import Result
from ...settings import Clock
from .facts import facts

__all__ = ["record"]

AUDIT_SECONDS = 5.0
"""Time for auditing the series with the new release."""


def record(result: Result, problem: Problem, clock: Clock | None = None) -> dict[str, Any]:
    """Plain values JSON can hold.

    They name no respondent and say nobody's value; but the facts describe the original columns, so
    the file is the steward's, not for publication. What cannot be done until the clock is over is left out
    and named among the facts.
    """

    def text(number: object) -> str | None:
        return None if number is None else str(number)

    found: dict[str, Any] = {
        "status": result.status.value,
        "termination": result.termination.value,
        "engine": result.engine,
        "seconds": round(result.seconds, 3),
        "rounds": result.rounds,
        "warnings": list(result.warnings),
        "objective": [
            {
                "loss": level.name,
                "value": text(level.value),
                "bound": text(level.bound),
                "gap": text(level.gap),
            }
            for level in result.levels
        ],
        "trajectory": [
            {"seconds": round(p.seconds, 3), "level": p.level, "value": text(p.value), "bound": text(p.bound)}
            for p in result.trajectory
        ],
        "randomized": None if result.randomized is None else result.randomized.to_dict(),
        "certificate": None if result.certificate is None else result.certificate.content,
    }
    if result.release is not None:
        found["facts"] = facts(problem, result, audit_seconds=AUDIT_SECONDS, clock=clock)
    return found
