"""Why a policy cannot be kept: a smallest set of its parts that conflict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..models.policy import Policy
from ..models.problem import Problem
from ..models.requirement import Requirement
from .engines.assignment.engine import AssignmentEngine
from .result import Status
from .settings import Settings, Watch

__all__ = ["conflict"]

SECONDS = 10.0
"""Time for each trial; a trial that does not end counts as undecided and keeps its part."""


@dataclass(frozen=True)
class _Part:
    """A requirement, or a limit of the policy (requirement None)."""

    label: str
    requirement: Requirement | None


def conflict(problem: Problem, settings: Settings) -> str:
    """Name parts of the policy that cannot be kept together, none of them superfluous.

    Each requirement and each limit (no suppression, no counterfeits) is dropped in turn
    and left out for good if the rest is still proven infeasible: a deletion filter, one
    feasibility solve per part. Irreducible, not necessarily the fewest parts.
    """
    parts = [_Part(str(r), r) for r in problem.policy.requirements]
    tuples = len(problem.table)
    suppression = problem.policy.suppression_limit(tuples)
    if suppression < tuples:
        parts.append(_Part(f"at most {suppression} suppressed tuples", None))
    fakes = problem.policy.counterfeit_limit
    if fakes is not None:
        parts.append(_Part(f"at most {fakes} counterfeits", None))
    undecided: list[str] = []
    for part in list(parts):
        rest = [other for other in parts if other is not part]
        found = _feasible(problem, rest, settings)
        if found is False:
            parts = rest
        elif found is None:
            undecided.append(part.label)
    names = " + ".join(part.label for part in parts)
    note = f" (not decided within {SECONDS:g} s whether {', '.join(undecided)} matters)" if undecided else ""
    if len(parts) == 1:
        return f"no release keeps {names}{note}"
    return f"these cannot be kept together: {names}; without any one of them a release exists{note}"


def _feasible(problem: Problem, parts: Sequence[_Part], settings: Settings) -> bool | None:
    labels = {part.label for part in parts}
    requirements = [part.requirement for part in parts if part.requirement is not None]
    if not requirements:
        return True
    limits_suppression = any(label.endswith("suppressed tuples") for label in labels)
    limits_fakes = any(label.endswith("counterfeits") for label in labels)
    tuples = len(problem.table)
    policy = Policy(
        requirements,
        ["suppressed", "counterfeits"],
        max_suppressed=problem.policy.suppression_limit(tuples) if limits_suppression else tuples,
        max_counterfeits=problem.policy.counterfeit_limit if limits_fakes else None,
        form=problem.policy.form,
    )
    trial = Problem(table=problem.table, policy=policy, history=problem.history)
    limited = Settings(time_limit=SECONDS, seed=settings.seed, workers=settings.workers)
    answer = AssignmentEngine().solve(trial, limited, Watch())
    if answer.status is Status.INFEASIBLE:
        return False
    return None if answer.release is None else True
