"""What a search found, as the result that leaves: checked, its bounds proven, no release with its reason."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..models.errors import CertificateError
from ..models.problem import Problem
from .certify import certify
from .claims import Obstacle
from .conflict import conflict
from .ending import search_clock
from .engines.assignment.engine import AssignmentEngine
from .incumbent import refused
from .result import Result
from .settings import Answer, Clock, Settings, Watch
from .settling import settled
from .status import Status
from .summary import summarize

__all__ = ["answered", "obstructed"]


def answered(
    problem: Problem, answer: Answer, engine: str, watch: Watch, settings: Settings, reasons: bool
) -> Result:
    """The result of a search; with `reasons`, which parts of the policy conflict if there is no release.

    Raises
    ------
    CertificateError
        If a requirement's own check refuses the engine's release: it does not leave.
    """
    seconds = watch.clock.seconds
    if answer.release is not None:
        broken = next(problem.check(answer.release), None)
        if broken is not None:
            raise CertificateError(f"the engine's release fails {broken.requirement}: {broken.message}")
    left = search_clock(problem, settings, watch)
    threads = min(settings.workers, os.cpu_count() or 1)  # there may be a cluster's workers, too
    found = settled(problem, answer, engine.split(" (")[0], left, threads)
    answer, levels = found.answer, found.levels
    for index, level in enumerate(levels):
        # The course of every level ends where the result stands.
        watch.note(index, level.value, level.bound, "checked")
    reason = None if answer.release is not None else answer.told or None
    if answer.status is Status.INFEASIBLE:
        reason = _reason(problem, settings, watch, found.words, search=reasons)
    return Result(
        status=answer.status,
        termination=answer.termination,
        release=answer.release,
        levels=levels,
        bounds=answer.bounds,
        engine=engine,
        seconds=seconds,
        compiled=watch.compiled,
        rounds=answer.rounds,
        reason=reason,
        trajectory=tuple(watch.points),
        certificate=certify(
            problem, answer, levels, engine=engine, seed=settings.seed, workers=settings.workers
        ),
        randomized=answer.randomized,
        series_checked=problem.series_checked,
        strangers=problem.strangers,
        summary=None
        if answer.release is None
        else summarize(
            problem,
            answer.release,
            levels,
            answer.status.value,
            answer.alone,
            answer.hindsight,
            answer.price,
        ),
        price=answer.price,
    )


def _reason(problem: Problem, settings: Settings, watch: Watch, words: str, *, search: bool) -> str:
    """Why there is no release, on whose word; with `search`, which parts of the policy conflict."""
    limit = problem.policy.suppression_limit(len(problem.table))
    reason = "no release keeps the policy"
    if problem.policy.recoding == "full_domain":
        reason = f"no combination of hierarchy levels keeps the policy with at most {limit} suppressed tuples"
    elif search and settings.extend is None and AssignmentEngine().refuses(problem) is None:
        reason = conflict(problem, settings, Clock(settings.time_limit, watch.clock.began))
    if words:
        reason += f"; that is the word of {words}"
    if limit == len(problem.table) - 1 > 0:
        reason += " (everybody but one may be suppressed: at least one must be published)"
    return reason


def obstructed(problem: Problem, plain: Mapping[int, str], settings: Settings) -> Result:
    """No search is needed: there is no release, for plain reasons."""
    answer, engine = refused(problem, Obstacle(requirement=next(iter(plain)))), "none needed"
    return Result(
        status=answer.status,
        termination=answer.termination,
        release=None,
        engine=engine,
        reason="; ".join(plain.values()),
        certificate=certify(problem, answer, (), engine=engine, seed=settings.seed, workers=settings.workers),
        series_checked=problem.series_checked,
        strangers=problem.strangers,
    )
