"""Limits that a search in stages is planned for: those of `Stages`, less what a search keeps for its end."""

from __future__ import annotations

from collections.abc import Iterator

from ....models.problem import Problem
from ...ending import ending
from ...schedule import STAGES, WHOLE
from ...settings import Clock, Settings

__all__ = ["planned"]


def planned(problem: Problem, settings: Settings, passed: float) -> Iterator[float]:
    """Yield limits of stages in seconds, without end; the search's own limit changes none of them."""
    tuples, whole = len(problem.table), settings.asked is not None and settings.time_limit != settings.asked
    for asked in STAGES.planned(tuples, passed):
        clock = Clock(asked - WHOLE.kept(asked, tuples) if whole else asked)
        clock.keep(ending(problem))
        yield clock.limit or asked
