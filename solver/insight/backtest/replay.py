"""Every publisher publishes every series of tables, release after release, as it would have been."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from ....instances.futures import Futures, named_series
from ....models.errors import InputError, PolicyError
from ....models.history import History
from ....models.parameters import require_each, require_kind, require_time_limit
from ....models.policy import Policy
from ....models.problem import Problem, require_problem
from ....models.publisher import Publisher, usual_publishers
from ....models.table import Microdata
from ...baselines.registry import baselines
from ...engines.partition.ahead.hindsight import unavoidable
from ...settings import Clock, Hindsight
from .result import Backtest
from .steps import BacktestStep, Trying, stepped

__all__ = ["BacktestListener", "backtest"]

BacktestListener: TypeAlias = Callable[[int, int, BacktestStep | None], None]
"""Told how many releases are done, of at most how many, and the last of them."""


def backtest(
    problem: Problem,
    publishers: Mapping[str, Publisher] | None = None,
    *,
    futures: Futures | None = None,
    time_limit: float | None = 60.0,
    seed: int = 0,
    workers: int | None = None,
    queries: int = 1000,
    selectivity: float = 0.1,
    audit_seconds: float = 10.0,
    listener: BacktestListener | None = None,
) -> Backtest:
    """Publish a series in advance under several policies, outlooks and heuristics; nothing is stored.

    Parameters
    ----------
    problem : Problem
    publishers : Mapping of str to Publisher, optional
        By name. By default, for a policy with weak m-invariance: the search with and without an outlook,
        Cor-Split and m-invariance; with `resists_inference` also with a value in reserve, and looking ahead;
        for any other the search. Each has a history of its own releases.
    futures : Futures, optional
        Tables to come are drawn from the problem's, and published after its history. By default the tables
        of the history and the problem's are published once more, from the beginning.
    time_limit, workers
        As in `solve`, for each search.
    seed : int
        Of searches, heuristics and queries; futures are drawn with others.
    queries, selectivity
        How many counting queries each release answers, 0 for none; and what share of the tuples each counts.
    audit_seconds : float
        For the audit of the series up to each release; 0 for none.
    listener : callable, optional
        Called before the first release and after each.

    Returns
    -------
    Backtest
        After Ctrl-C it holds the releases made so far; `Backtest.complete` is then False.

    Raises
    ------
    InputError, PolicyError
        If there is nothing to replay, a heuristic is unknown, a number is out of its range, or a future is
        drawn with the seed of a search or an outlook.
    """
    trying = Trying(
        time_limit=time_limit,
        seed=seed,
        workers=workers,
        queries=queries,
        selectivity=selectivity,
        audit_seconds=audit_seconds,
    )
    asked = _publishers(problem, publishers)
    _refuse_unsound(problem, asked, futures, trying)
    return _played(problem, asked, futures, trying, listener)


def _played(
    problem: Problem,
    publishers: Mapping[str, Publisher],
    futures: Futures | None,
    trying: Trying,
    listener: BacktestListener | None,
) -> Backtest:
    tables = named_series(problem.table, problem.history, futures)
    before = () if futures is None else problem.history.releases
    steps: list[BacktestStep] = []
    total, complete = len(publishers) * sum(map(len, tables.values())), True
    try:
        if listener is not None:
            listener(0, total, None)
        for (future, series), (name, publisher) in product(tables.items(), publishers.items()):
            for step in _published(future, series, name, publisher, History(before), trying):
                steps.append(step)
                if listener is not None:
                    listener(len(steps), total, step)
    except KeyboardInterrupt:
        complete = False
    return Backtest(publishers=tuple(publishers), steps=tuple(steps), complete=complete)


def _published(
    future: str,
    series: tuple[Microdata, ...],
    name: str,
    publisher: Publisher,
    history: History,
    trying: Trying,
) -> Iterator[BacktestStep]:
    """Table after table, until one has no release: what follows would be another series."""
    for number, table in enumerate(series, start=1):
        asked = BacktestStep(
            future=future, publisher=name, release=len(history) + 1, tuples=len(table), status="asked"
        )
        step = stepped(table, publisher, history, trying, asked, len(series) - number)
        if number == 1 and step.figures is not None:
            step = replace(step, hindsight=_hindsight(publisher.policy, series, history, trying))
        yield step
        if step.figures is None:
            return


def _hindsight(
    policy: Policy, series: tuple[Microdata, ...], history: History, trying: Trying
) -> Hindsight | None:
    """What the tables make unavoidable, and what the first release does, which the history ends with."""
    clock, before = Clock(trying.time_limit), History(history.releases[:-1])
    anybody = unavoidable(policy, series, before, clock)
    from_here = unavoidable(policy, series[1:], history, clock)
    if anybody is None or from_here is None:
        return None
    return Hindsight(futures=1, anybody=Fraction(anybody), from_here=Fraction(from_here))


def _publishers(problem: Problem, given: Mapping[str, Publisher] | None) -> dict[str, Publisher]:
    require_problem(problem)
    if given is None:
        return dict(usual_publishers(problem.policy))
    remedy = "name each: {'mine': Publisher(policy=...)}"
    require_kind("publishers", given, Mapping, remedy=remedy)
    return dict(zip(given, require_each("publishers", given.values(), Publisher, remedy=remedy), strict=True))


def _refuse_unsound(
    problem: Problem, publishers: Mapping[str, Publisher], futures: Futures | None, trying: Trying
) -> None:
    if not publishers:
        raise InputError("backtest: name at least one publisher")
    require_time_limit(trying.time_limit)
    if not trying.audit_seconds >= 0:  # nan, too
        raise InputError(f"audit_seconds must be at least 0, got {trying.audit_seconds}")
    known = baselines()
    for publisher in publishers.values():
        if publisher.heuristic is not None and publisher.heuristic not in known:
            raise PolicyError(f"unknown heuristic {publisher.heuristic!r}: use one of {', '.join(known)}")
    if futures is None:
        return
    require_kind("futures", futures, Futures, remedy="say how they are drawn: Futures(releases=4)")
    if futures.first is not None and len(problem.history):
        raise InputError(
            "futures: a first table of some of the people only begins a series: leave `first` out"
        )
    planned = {trying.seed} | {
        p.policy.outlook.seed for p in publishers.values() if p.policy.outlook is not None
    }
    both = sorted(planned & set(futures.seeds))
    if both:
        raise PolicyError(
            f"futures: seed {both[0]} is that of a search or an outlook, which would know what it is tried "
            "on: name another"
        )
