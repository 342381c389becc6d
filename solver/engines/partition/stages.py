"""Searches in stages: all that is planned for 2.5 s, then for 10 s with what is known by then, and so on.

The limit ends this course wherever it is, and changes nothing before: a longer one never ends with a worse
release. Stages end as `Stages.limits` says, less what a search keeps for its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ....models.problem import Problem
from ...ending import ending
from ...schedule import STAGES, WHOLE, Stages
from ...settings import Clock, Settings

__all__ = ["in_stages"]


def in_stages(
    problem: Problem,
    settings: Settings,
    clock: Clock,
    stage: Callable[[], bool],
    closed: Callable[[], bool],
    course: Stages = STAGES,
    *,
    counted: bool = False,
) -> None:
    """Do all steps as they are planned, stage by stage, until the limit; once, without one.

    Parameters
    ----------
    clock : Clock
        Of the search; its limit is each stage's, its end the search's.
    stage
        All steps in the time of the clock; called again with more of it, they go on. Whether they may find
        more in more time than the limit.
    closed
        Whether nothing is left to be found or proven.
    course : Stages
        What stages are planned for.
    counted : bool
        Whether plans go by steps: the same at any pace.
    """
    limit = clock.limit
    if limit is None:
        stage()
        return
    until = clock.began + limit
    clock.end = until if clock.end is None else min(until, clock.end)
    if counted:
        clock.count()
    for end in _planned(problem, settings, course, clock):
        clock.limit = end
        more = stage()
        last = end >= limit and not (more and end < course.longest.value * limit)
        if closed() or clock.ends or last:
            return


def _planned(problem: Problem, settings: Settings, course: Stages, now: Clock) -> Iterator[float]:
    """Limits of stages in seconds, without end; the search's own limit changes none of them."""
    tuples, whole = len(problem.table), settings.asked is not None and settings.time_limit != settings.asked
    for asked in course.planned(tuples, now.seconds):
        clock = Clock(asked - WHOLE.kept(asked, tuples) if whole else asked)
        if not now.counted:  # what it takes is measured
            clock.keep(ending(problem))
        yield clock.limit or asked
