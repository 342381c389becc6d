"""What a search found, as the result that leaves; if that is no release, with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from ..models.problem import Problem
from .certify import certify
from .claims import Obstacle
from .conflict import conflict
from .engines.assignment.engine import AssignmentEngine
from .incumbent import refused
from .level_value import LevelValue
from .lost_now import lost_now
from .result import Result
from .settings import Answer, Clock, Settings, Watch
from .status import Status
from .summary import summarize

__all__ = ["answered", "obstructed"]


def answered(
    problem: Problem,
    answer: Answer,
    levels: tuple[LevelValue, ...],
    words: str,
    *,
    engine: str,
    seconds: float,
    watch: Watch,
    settings: Settings,
    reasons: bool,
) -> Result:
    """The result of a search by `engine` that took so many `seconds`, as `settled` left its answer.

    `words` say on whose word there is no release, if it was not proven; with `reasons` it is said which
    parts of the policy conflict then.
    """
    for index, level in enumerate(levels):
        # The course of every level ends where the result stands.
        watch.note(index, level.value, level.bound, "checked")
    price = answer.price
    if price is not None and answer.release is not None:
        price = price.of(lost_now(problem, answer.release))
    reason = None if answer.release is not None else answer.told or None
    if answer.status is Status.INFEASIBLE and reason is None:
        reason = _reason(problem, settings, watch, words, search=reasons)
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
            price,
        ),
        interrupted=answer.interrupted,
        price=price,
    )


def _reason(problem: Problem, settings: Settings, watch: Watch, words: str, *, search: bool) -> str:
    """Why there is no release, on whose word; with `search`, which parts of the policy conflict."""
    limit = problem.policy.suppression_limit(len(problem.table))
    reason = "no release keeps the policy"
    if problem.policy.recoding == "full_domain":
        reason = f"no combination of hierarchy levels keeps the policy with at most {limit} suppressed tuples"
    elif search and settings.extend is None and AssignmentEngine().refuses(problem) is None:
        with suppress(KeyboardInterrupt):  # that there is none is known
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
