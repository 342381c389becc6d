"""Why a policy cannot be kept, in one line: a smallest set of its parts that conflict."""

from __future__ import annotations

from collections.abc import Sequence

from ..models.problem import Problem
from .engines.assignment.engine import AssignmentEngine
from .parts import PolicyPart, feasibility, parts_of, variant
from .schedule import WHOLE
from .settings import Clock, Settings, Watch
from .status import Status

__all__ = ["conflict"]


def conflict(problem: Problem, settings: Settings, clock: Clock | None = None) -> str:
    """Name parts of the policy that cannot be kept together, none of them superfluous.

    Each part is dropped in turn and left out for good if the rest is still proven infeasible: a
    deletion filter, one feasibility solve per part. Irreducible, not necessarily the fewest parts, and
    only one of perhaps several such sets: see `explain` for all of them and for remedies. Ends when the
    clock is over.
    """
    parts = list(parts_of(problem))
    undecided: list[str] = []
    waiting, most = len(parts), WHOLE.conflict.value
    for part in list(parts):
        rest = [other for other in parts if other is not part]
        left = None if clock is None else clock.left
        seconds = most if left is None else min(most, left / waiting)
        waiting -= 1
        found = None if seconds < WHOLE.hopeless.value else _feasible(problem, rest, settings, seconds)
        if found is False:
            parts = rest
        elif found is None:
            undecided.append(part.label)
    names = " + ".join(part.label for part in parts)
    note = f" (not decided in time whether {', '.join(undecided)} matters)" if undecided else ""
    if len(parts) == 1:
        return f"no release keeps {names}{note}"
    if len(undecided) == len(parts):
        return f"these cannot be kept together: {names}{note}"
    others = "other" if undecided else "one"
    return f"these cannot be kept together: {names}{note}; without any {others} of them a release exists"


def _feasible(
    problem: Problem, parts: Sequence[PolicyPart], settings: Settings, seconds: float
) -> bool | None:
    if all(part.requirement is None for part in parts):
        return True
    trial = feasibility(variant(problem, parts))
    limited = Settings(time_limit=seconds, seed=settings.seed, workers=settings.workers, first=True)
    answer = AssignmentEngine().solve(trial, limited, Watch())
    if answer.status is Status.INFEASIBLE:
        return False
    return None if answer.release is None else True
