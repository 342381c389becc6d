"""The same policy without suppression and counterfeits first, where that is searched in a better way.

Whoever may leave tuples out, or make some up, loses no more than who may not. But some losses and
requirements have plans of their own only where neither is allowed; all else is searched by lists of groups,
or tuple by tuple. So the release of the stricter policy is a start, and what is found is no worse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..models.policy import LevelSpec
from ..models.problem import Problem
from .incumbent import passes
from .schedule import WHOLE
from .settings import Answer, Clock, Settings, Watch

__all__ = ["begun", "stricter"]

NONE = frozenset({"suppressed", "counterfeits"})
"""Losses that are 0 without either."""


def stricter(problem: Problem) -> Problem | None:
    """The problem without suppression and counterfeits; None if that is the same, or has no better plan."""
    from .engines.partition.plan import Plan

    policy = problem.policy
    free = policy.suppression_limit(len(problem.table)) or policy.counterfeit_limit != 0
    levels: Sequence[LevelSpec] = [
        left for level in policy.levels if (left := {n: w for n, w in level.weights if n not in NONE})
    ]
    if not free or not levels or policy.outlook is not None or policy.recoding != "multidimensional":
        return None
    plan = Plan.of(problem)
    if isinstance(plan, Plan) and not plan.why:
        return None
    asked = policy.changed(max_suppressed=0, max_counterfeits=0, minimize=levels)
    strict = replace(problem, policy=asked)
    plan = Plan.of(strict)
    return strict if isinstance(plan, Plan) and not plan.why else None


def begun(
    problem: Problem,
    settings: Settings,
    watch: Watch,
    solved: Callable[[Problem, Settings, Watch], Answer],
) -> Settings:
    """Settings with the stricter policy's release to start from, if there is one that loses less.

    Parameters
    ----------
    solved : callable
        The answer of the engine that has the better plan.
    """
    strict = None if settings.first or settings.extend is not None else stricter(problem)
    if strict is None:
        return settings
    clock = Clock(settings.time_limit, watch.clock.began)
    limit = clock.seconds + (clock.allowed(WHOLE.stricter) or 0.0)
    own = replace(settings, time_limit=limit, asked=limit)
    found = solved(strict, own, Watch(began=clock.began)).release
    known = [each for each in (settings.initial, found) if each is not None and passes(problem, each)]
    best = min(known, key=problem.objective, default=settings.initial)
    if best is found and found is not None:
        watch.note(0, problem.objective(found)[0], None, "without suppression and counterfeits")
    return replace(settings, initial=best)
