"""Loss against privacy, point by point: strictest first, so that each release starts the next search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ....models.errors import OptanonError
from ....models.problem import Problem, require_meant
from ....models.release import Release
from ...backends.interrupts import put_off
from ...search import solve_problem
from ...status import Status, Termination
from .grid import FrontierGrid, Setting
from .points import FrontierPoint, share_bounds
from .result import Frontier
from .state import read_state, write_state

__all__ = ["Listener", "frontier"]

Listener: TypeAlias = Callable[[int, int, FrontierPoint | None], None]
"""Told how many points are done, of how many, and the last of them."""


def frontier(
    problem: Problem,
    vary: Mapping[str, Iterable[Any]],
    *,
    time_limit: float | None = 60.0,
    engine: str = "auto",
    seed: int = 0,
    workers: int | None = None,
    state: str | Path | None = None,
    listener: Listener | None = None,
) -> Frontier:
    """Solve a problem for every combination of some parameters of its policy.

    Points are searched from the strictest to the loosest; a release of a stricter point starts the search
    at a looser one. At the end bounds travel the other way: no point loses less than a looser one.
    Both only along parameters whose direction is declared (see `Requirement.parameters`) and in every
    case after the release has passed the checks of the point it is taken to.

    Parameters
    ----------
    problem : Problem
    vary : Mapping of str to iterable
        Parameters and their values: ``{"m": range(2, 7), "hc_safety.n": [1, 2]}``. A name alone will do if
        it is unique in the policy; ``max_suppressed`` and ``max_counterfeits`` are the policy's own.
    time_limit : float, optional
        Seconds of wall time per point; None for no limit.
    engine, seed, workers
        As in `solve`.
    state : path, optional
        Written whole after every point; if it exists, what it holds is not searched again. Points
        that were not settled are, if there is more time for them now. For the steward only: it
        says which rows were grouped together.
    listener : callable, optional
        Called before the first point and after each.

    Returns
    -------
    Frontier
        After Ctrl-C it holds the points searched so far; `Frontier.complete` is then False.

    Raises
    ------
    PolicyError
        If a parameter is unknown or not unique, or a value out of range.
    InputError
        If the state file is of another problem or damaged.
    """
    require_meant(problem)
    grid = FrontierGrid(problem, vary)
    file = None if state is None else Path(state)
    found = {} if file is None else read_state(file, grid)
    todo = [
        settings
        for settings in grid.strictest_first()
        if settings not in found or _worth_another_try(found[settings], time_limit)
    ]
    searched = _OnItsWay(grid, found, time_limit, engine, seed, workers, file).search(todo, listener)
    points = share_bounds(grid, [found[at] for at in grid.points if at in found], _judge(grid))
    return Frontier(grid=grid, points=points, complete=searched and len(points) == len(grid.points))


class _OnItsWay(NamedTuple):
    """A frontier on its way: points found so far, and how those to come are searched."""

    grid: FrontierGrid
    found: dict[tuple[Setting, ...], FrontierPoint]
    time_limit: float | None
    engine: str
    seed: int
    workers: int | None
    file: Path | None

    def search(self, todo: Sequence[tuple[Setting, ...]], listener: Listener | None) -> bool:
        """Search points in order; False if a signal ended it."""
        total = len(self.grid.points)
        try:
            if listener is not None:
                listener(total - len(todo), total, None)
            for left, settings in zip(range(len(todo) - 1, -1, -1), todo, strict=True):
                point, interrupted = self._point(settings)
                with put_off() as struck:  # a point that was found is stored, too
                    self.found[settings] = _better(self.found.get(settings), point)
                    if self.file is not None:
                        write_state(self.file, self.grid, self.found.values())
                if listener is not None:
                    listener(total - left, total, point)
                if interrupted or struck.is_set():
                    return left == 0 and point.settled
        except KeyboardInterrupt:
            return False
        return True

    def _point(self, settings: tuple[Setting, ...]) -> tuple[FrontierPoint, bool]:
        """What is found there, and whether a signal was heard meanwhile."""
        problem = self.grid.at(settings)
        losses = tuple(level.name for level in problem.policy.levels)
        for other, point in self.found.items():
            nobody = point.status is Status.INFEASIBLE
            if nobody and self.grid.stricter(settings, other) and other != settings:
                point = FrontierPoint(
                    settings=settings,
                    status=Status.INFEASIBLE,
                    termination=Termination.COMPLETED,
                    losses=losses,
                    values=(),
                    bounds=(None,) * len(losses),
                    engine="none needed",
                    seconds=0.0,
                    time_limit=self.time_limit,
                    borrowed=("infeasible",),
                )
                return point, False
        judge = _judge(self.grid)
        starts = [
            (values, number, point.release)
            for number, point in enumerate(self.found.values())
            if point.release is not None and (values := judge(settings, point.release)) is not None
        ]
        start = min(starts, key=lambda one: one[:2], default=(None, None, None))[2]
        result = solve_problem(
            problem,
            engine=self.engine,
            time_limit=self.time_limit,
            seed=self.seed,
            workers=self.workers,
            display=False,
            initial=start,
            reasons=False,
        )
        interrupted = result.interrupted or result.termination is Termination.INTERRUPTED
        return FrontierPoint.of(settings, losses, result, self.time_limit), interrupted


def _better(before: FrontierPoint | None, point: FrontierPoint) -> FrontierPoint:
    """A search stopped early may have found less than an earlier one."""
    if before is None or point.settled or not before.values:
        return point
    return point if point.values and point.values <= before.values else before


def _worth_another_try(point: FrontierPoint, time_limit: float | None) -> bool:
    if point.settled:
        return False
    if point.termination is Termination.INTERRUPTED:
        return True
    if point.termination is not Termination.TIME_LIMIT or point.time_limit is None:
        return False
    return time_limit is None or time_limit > point.time_limit


def _judge(grid: FrontierGrid) -> Callable[[tuple[Setting, ...], Release], tuple[Fraction, ...] | None]:
    def judge(settings: tuple[Setting, ...], release: Release) -> tuple[Fraction, ...] | None:
        problem = grid.at(settings)
        try:
            broken = next(problem.check(release), None)
        except OptanonError:
            return None
        return problem.objective(release) if broken is None else None

    return judge
