"""Searches whose time is counted in looks at the clock: what they do depends on their limit alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import pytest
from clocks import faked

from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.solver import portfolio
from optanon.solver.backends.highs import LinearProgram, best_integers
from optanon.solver.baselines.pace import Pace
from optanon.solver.baselines.registry import Baseline, baselines
from optanon.solver.colgen import choice
from optanon.solver.engine import Engine
from optanon.solver.engines.partition.points import parts
from optanon.solver.exact import guess
from optanon.solver.search import partition_engine
from optanon.solver.settings import Clock, Settings, Watch
from optanon.solver.status import Point

__all__ = ["Course", "grown", "paced", "searched"]

RUN = LinearProgram.run


class Course(NamedTuple):
    """What a search found: losses and bounds of all levels, and when."""

    losses: tuple[Fraction, ...]
    bounds: tuple[Fraction | None, ...]
    points: list[Point]


def searched(
    problem: Problem,
    limit: float,
    monkeypatch: pytest.MonkeyPatch,
    tick: float = 0.08,
    engine: Engine | None = None,
) -> Course:
    """What an engine (the partition engine) finds in a time of which each look takes so many seconds."""
    faked(monkeypatch, tick)
    # Programs take none of this time: they are never late, however slow the machine is.
    monkeypatch.setattr(LinearProgram, "run", lambda program, _=None: RUN(program))
    for module in (choice, guess, parts):
        monkeypatch.setattr(module, "best_integers", _in_full)
    watch = Watch()
    answer = (engine or partition_engine()).solve(problem, Settings(time_limit=limit, seed=1), watch)
    assert answer.release is not None
    return Course(problem.objective(answer.release), answer.bounds, watch.points)


def _in_full(*given: object, **settings: object) -> object:
    """An integer program that ends by its nodes alone."""
    return best_integers(*given, **settings | {"seconds": None})  # pyright: ignore[reportArgumentType]


def grown(
    limits: Sequence[float], found: Sequence[Course], *, along: bool = True, trees: bool = False
) -> None:
    """Assert that longer limits (in order) end no worse; `along` one course, but for what is cut off.

    Where `trees` are searched, one that is cut off proves a bound then, early enough for it to be checked:
    the course is that of losses.
    """
    for limit, (one, other) in zip(limits, pairwise(found), strict=False):
        assert other.losses <= one.losses
        if other.losses[:-1] == one.losses[:-1]:  # the last level is bounded for these
            assert all((b or 0) >= (a or 0) for a, b in zip(one.bounds, other.bounds, strict=True))
        known, more = (_improved(each.points) if trees else each.points for each in (one, other))
        # What is kept for the end is up to an eighth here, where each look at the clock takes its time.
        course = [point for point in known if point.seconds < limit - max(1, limit / 8)]
        assert not along or more[: len(course)] == course


def _improved(points: Sequence[Point]) -> list[Point]:
    """Where releases became better, with the bounds of then."""
    return [point for i, point in enumerate(points) if not i or point.value != points[i - 1].value]


def paced(monkeypatch: pytest.MonkeyPatch, paces: Mapping[str, float]) -> list[str]:
    """Let there be heuristics that are said to take so many seconds; those that are begun."""
    known, begun = baselines()["k_member"], list[str]()

    def told(name: str, seconds: float) -> Baseline:
        def run(problem: Problem, seed: int = 0, _: Clock | None = None) -> Release:
            begun.append(name)
            return known.run(problem, seed)

        return replace(known, name=name, run=run, pace=Pace(start=seconds))

    some = {name: told(name, seconds) for name, seconds in paces.items()}
    monkeypatch.setattr(portfolio, "baselines", lambda: some)
    return begun
