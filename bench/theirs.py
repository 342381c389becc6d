"""What published heuristics make, as cases put it beside ours."""

from __future__ import annotations

import sys
from fractions import Fraction

from ..models.errors import EngineError, OptanonError
from ..models.problem import Problem
from ..models.release import Release
from ..solver.baselines.registry import Baseline, baselines
from ..solver.settings import Clock
from .registry import Row

__all__ = ["best", "losses_of", "made"]


def made(name: str, problem: Problem, seed: int, row: Row) -> Release | None:
    """The release of a heuristic; if it refuses, the `row` says so."""
    try:
        return baselines()[name].run(problem, seed)
    except EngineError as error:
        row["status"] = "refused"
        sys.stderr.write(f"{error}\n")
        return None


def losses_of(
    baseline: Baseline, problem: Problem, seed: int, limit: float | None = None
) -> tuple[Fraction, ...] | None:
    """Of its release, if there is one that keeps the policy: it may be made for other problems."""
    try:
        release = baseline.run(problem, seed, Clock(limit))
    except OptanonError as error:
        sys.stderr.write(f"{baseline.name}: {error}\n")
        return None
    return problem.objective(release) if next(problem.check(release), None) is None else None


def best(
    problem: Problem, seed: int, limit: float | None = None, *, promised: str | None = None
) -> tuple[tuple[Fraction, ...], str] | None:
    """The least losses of a heuristic whose release keeps the policy, and its name.

    With `promised` only those are tried that promise this requirement; each has `limit` seconds.
    """
    found = [
        (losses, baseline.name)
        for baseline in baselines().values()
        if promised is None or promised in baseline.promises
        if (losses := losses_of(baseline, problem, seed, limit)) is not None
    ]
    return min(found, default=None)
