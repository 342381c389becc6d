"""The end of a search: how long it takes to put a found release together, check, measure and certify it.

That time is kept free. Ctrl-C meanwhile loses nothing: the search was over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..models.memo import memoized
from ..models.moment import moment
from ..models.problem import Problem
from ..models.problem_view import smallest_group
from ..models.release import Release
from .backends.interrupts import put_off
from .certify import release_digest
from .schedule import RESERVES
from .settings import Answer, Clock, Settings, Watch
from .status import Status, Termination

__all__ = ["concluded", "ending", "released", "sample", "scaled", "search_clock", "stopped"]

SAMPLE, PART = 48, 40
"""Groups that are made and judged for the estimate: so many, and of larger tables one in so many. A moment of
another process would count thousands of times if few stood for all."""


def concluded(answer: Callable[[], Answer]) -> Answer:
    """The answer of a search, made whatever happens: Ctrl-C meanwhile is told by it."""
    with put_off() as struck:
        made = answer()
    return stopped(made) if struck.is_set() else made


def stopped(answer: Answer) -> Answer:
    """An answer when Ctrl-C was heard: whoever asked for it has to end, too."""
    decided = answer.status in (Status.OPTIMAL, Status.INFEASIBLE)
    ended = answer.termination if decided else Termination.INTERRUPTED
    return replace(answer, termination=ended, interrupted=True)


@memoized
def ending(problem: Problem) -> float:
    """Estimate the seconds, measured on groups of near tuples of this table.

    Requirements on whole releases are not in it: engines that take them know from their own checks.

    Complexity: O(n log n), and `SAMPLE` groups or one in `PART`.
    """
    groups = sample(problem)
    _made(problem, groups)  # what is loaded, compiled or written down once is not counted for every group
    began = moment()
    _made(problem, groups)
    return scaled(problem, groups, moment() - began)


def search_clock(problem: Problem, settings: Settings, watch: Watch) -> Clock:
    """The time of a search: its limit from when it began, less what its end takes."""
    clock = settings.clock(watch.clock.began)
    if settings.time_limit is not None:
        clock.keep(ending(problem))
    return clock


def scaled(problem: Problem, groups: list[list[int]], seconds: float) -> float:
    """What takes so long with some groups, with the whole table."""
    return RESERVES.ending.value * seconds * len(problem.table) / max(1, sum(map(len, groups)))


def sample(problem: Problem) -> list[list[int]]:
    """Rows of some groups of near tuples, as small as the policy lets groups be."""
    table = problem.table
    size = max(2, smallest_group(problem))
    order = np.lexsort(table.codes.T)
    number = max(1, min(len(table) // size, max(SAMPLE, len(table) // (PART * size))))
    starts = np.linspace(0, max(0, len(table) - size), number).astype(int)
    groups: list[list[int]] = []
    taken: set[int] = set()
    for start in starts.tolist():
        rows = [t for t in order[start : start + size].tolist() if t not in taken]
        taken.update(rows)
        groups += [rows] if rows else []
    return groups


def _made(problem: Problem, groups: list[list[int]]) -> None:
    """Do with some groups what will be done with all."""
    some = released(problem, groups)
    for requirement in problem.policy.group_requirements:
        for _ in requirement.check(some, problem.history):
            pass
    problem.objective(some)
    release_digest(some)


def released(problem: Problem, groups: list[list[int]]) -> Release:
    """Some groups as if they were a release."""
    table = problem.table
    return Release(
        groups=tuple(problem.in_hulls(groups, [{}] * len(groups))),
        attributes=table.attributes,
        sensitive=table.sensitive.name,
        form=problem.policy.form,
    )
