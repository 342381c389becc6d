"""Searches without a course of their own are begun again with more time, each from the best release so far.

The first is planned for 2.5 s, the next for 10 s and so on (`schedule.STAGES`). A limit ends one of them
wherever it is, and changes none before: a longer one never ends with a worse release. Each has a seed of its
own, so that what ends before its time may find something else in the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ..models.errors import TooLargeError
from ..models.problem import Problem
from .claims import Claim, Trusted
from .ending import concluded
from .engine import Engine, last
from .engines.rearranging import rearranged
from .incumbent import BestRelease, overtaken, passes, refuse_denied
from .schedule import STAGES, WHOLE
from .settings import Answer, Clock, Settings, Watch
from .status import Status, Termination

__all__ = ["Restarting", "goes_on", "proves_most", "restarted"]

LATE = Termination.TIME_LIMIT

Search = Callable[[Settings, BestRelease], Answer]
"""What one search finds by its settings; it may also offer a release."""


class Restarting:
    """An engine that is restarted.

    Heuristics are begun when a restart has time for them, after all that shorter ones did.

    Parameters
    ----------
    engine : Engine
    """

    asks_for_heuristics = True

    def __init__(self, engine: Engine) -> None:
        self._engine, self.name = engine, engine.name

    def refuses(self, problem: Problem) -> str | None:
        """As the engine does."""
        return self._engine.refuses(problem)

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """The best release of all restarts, and what they prove."""

        def search(own: Settings, best: BestRelease) -> Answer:
            if settings.further is not None:
                best.offer(last(settings.further(own.clock(watch.clock.began))), checked=True)
            own = replace(own, known=best.best, further=None)
            return self._engine.solve(problem, own, watch)

        return restarted(search, problem, settings, watch)


def restarted(search: Search, problem: Problem, settings: Settings, watch: Watch) -> Answer:
    """Search again and again until time is over or a search has the last word.

    One that is planned for the whole limit is also the last if it ends early and finds nothing better.

    Parameters
    ----------
    search : callable
        Begins with ``settings.initial``, the best release so far.
    problem, settings, watch

    Raises
    ------
    KeyboardInterrupt
        Before there is a release, and before the search listens to it.
    """
    began, initial = watch.clock.began, settings.initial
    best, answers = BestRelease(problem, watch), list[Answer]()
    best.offer(initial if initial is not None and passes(problem, initial) else None, checked=True)
    best.offer(settings.known, checked=True)
    try:
        for number, own in enumerate(_planned(problem, settings, began)):
            before = best.values, tuple(best.bounds)
            try:
                begun = replace(own, initial=best.best or initial, seed=settings.seed + number)
                answers.append(rearranged(problem, search(begun, best), begun, watch))
            except TooLargeError:  # to be searched for longer
                if not answers:
                    raise
                break
            best.offer(answers[-1].release, checked=True)
            best.raise_bounds(answers[-1].bounds)
            if best.closed or not goes_on(answers[-1]):
                break
            late, gained = answers[-1].termination is LATE, before != (best.values, tuple(best.bounds))
            if _whole(own, began) and (late or not gained):
                break
    except KeyboardInterrupt:
        if answers:  # maybe while its release was measured
            best.offer(answers[-1].release, checked=True)
        if best.best is None:
            raise
        return best.answer(proves_most(answers), interrupted=True)
    return concluded(lambda: _together(problem, best, answers))


def proves_most(answers: Sequence[Answer]) -> tuple[Claim, ...]:
    """The claims of those that prove most of a level; among equals of one on nobody's word, and the last."""
    found = dict[int, Answer]()
    for bounds in zip(*(answer.bounds for answer in answers), strict=True):
        ranks = [
            (-1 if bound is None else bound, not _words(answer), number in found, number)
            for number, (bound, answer) in enumerate(zip(bounds, answers, strict=True))
        ]
        number = max(ranks)[-1]
        found[number] = answers[number]
    return tuple(claim for answer in found.values() for claim in answer.claims)


def _words(answer: Answer) -> bool:
    """Whether something of an answer is somebody's word."""
    return any(isinstance(claim, Trusted) for claim in answer.claims)


def goes_on(answer: Answer) -> bool:
    """Whether more time may change anything."""
    return answer.termination in (LATE, Termination.ITERATION_LIMIT) and not answer.interrupted


def _together(problem: Problem, best: BestRelease, answers: Sequence[Answer]) -> Answer:
    """The last answer with the best release, and with the claims of those that prove most."""
    answer, claims = answers[-1], proves_most(answers)
    if best.best is None:
        return replace(answer, claims=claims)
    refuse_denied(best, answer)
    as_good = answer.release is not None and problem.objective(answer.release) == best.values
    if best.closed and best.exact and answer.status is not Status.OPTIMAL:
        return best.answer(claims, rounds=answer.rounds, effort=answer.effort)
    return replace(answer if as_good else overtaken(answer, best.best), bounds=best.stated(), claims=claims)


def _planned(problem: Problem, settings: Settings, began: float) -> Iterator[Settings]:
    """What restarts are planned by, until time is over; once without a limit, or in a restart of another."""
    limit, tuples = settings.time_limit, len(problem.table)
    if limit is None or settings.end is not None:
        yield settings
        return
    whole = Clock(limit, began)
    for asked in STAGES.planned(tuples, whole.seconds):
        planned = asked - WHOLE.kept(asked, tuples)
        yield replace(settings, time_limit=planned, asked=asked, end=began + limit)
        if whole.over:
            return


def _whole(own: Settings, began: float) -> bool:
    """Whether a restart is planned for all the time there is."""
    return own.time_limit is None or own.end is None or began + own.time_limit >= own.end
