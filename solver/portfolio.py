"""Published heuristics before every search: an engine starts from the best of their releases.

What the best of them reached is kept whatever the engine does, so no answer is lexicographically worse
than the release of a registered heuristic that keeps the policy and takes at most a third of the time limit
(a twentieth of it on tables of more than `PORTFOLIO.tuples`; `schedule.HEURISTICS` says how much all of
them get). A heuristic looks at few requirements: its release counts if it passes every check of
the policy.

Full-domain recoding is the other way round: Incognito goes through the lattice that the engine goes through
with bounds, a hundred times as long. Heuristics are for what the engine leaves open after its share; what
takes at most a sixth of the time limit is then kept.

Where squared error is all that is minimized, full-domain recodings are left out, unless they are asked for:
one level for a whole column makes classes far wider than those of MDAV, and a lattice over a dozen numeric
columns takes minutes.

An engine that calls something optimal, or denies that there is a release, while a heuristic has a better
one contradicts itself; that is an error and never an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from ..models.errors import CertificateError, OptanonError
from ..models.losses.squared import squared_error_of
from ..models.problem import Problem
from ..models.release import Release
from .baselines.registry import Baseline, baselines
from .ending import ending
from .engine import Engine
from .incumbent import BestRelease, overtaken
from .limits import PORTFOLIO
from .schedule import HEURISTICS
from .settings import Answer, Clock, Settings, Watch
from .status import Status, Termination

__all__ = ["Known", "best_known", "informed"]


@dataclass(frozen=True, kw_only=True)
class Known:
    """A release that keeps the policy, found without a search.

    Attributes
    ----------
    release : Release
    values : tuple of Fraction
        Of each level of the objective.
    source : str
        Name of the heuristic, or ``initial`` for the caller's own.
    """

    release: Release
    values: tuple[Fraction, ...]
    source: str


def informed(engine: Engine, problem: Problem, settings: Settings, watch: Watch) -> Answer:
    """Let an engine search from the best known release on; the answer is no worse than that one.

    Raises
    ------
    CertificateError
        If the engine proves something that a known release disproves.

    Notes
    -----
    Ctrl-C among the heuristics, or before the engine listens to it, ends everything with the best release
    so far.
    """
    if settings.extend is not None:
        return engine.solve(problem, settings, watch)  # nobody else knows the caller's own constraints
    if problem.policy.recoding == "full_domain" and not settings.first:
        return _engine_first(engine, problem, settings, watch)
    known: Known | None = None
    try:
        for known in better_and_better(problem, settings, watch):
            watch.note(0, known.values[0], None, known.source)
        if known is not None and settings.first:
            return _known(problem, known).answer(enough=True)
        start = None if known is None else known.release
        answer = engine.solve(problem, replace(settings, known=start), watch)
    except KeyboardInterrupt:
        if known is None:
            raise
        return _known(problem, known).answer(interrupted=True)
    return no_worse(problem, answer, known)


def _engine_first(engine: Engine, problem: Problem, settings: Settings, watch: Watch) -> Answer:
    """The engine's answer; what it leaves open is no worse than the best known release."""
    own = settings
    if settings.time_limit is not None:
        share = HEURISTICS.lattice.seconds(settings.time_limit, watch.clock.seconds)
        own = replace(settings, time_limit=watch.clock.seconds + share)
    answer = engine.solve(problem, own, watch)
    if answer.status in (Status.OPTIMAL, Status.INFEASIBLE) or answer.termination is Termination.INTERRUPTED:
        return answer
    left = Clock(settings.time_limit, watch.clock.began).left
    try:
        return no_worse(problem, answer, best_known(problem, replace(settings, time_limit=left)))
    except KeyboardInterrupt:
        return answer


def best_known(problem: Problem, settings: Settings, watch: Watch | None = None) -> Known | None:
    """The best release of all heuristics the time allows, and the caller's; None if none keeps the policy."""
    *_, best = (None, *better_and_better(problem, settings, Watch() if watch is None else watch))
    return best


def better_and_better(problem: Problem, settings: Settings, watch: Watch) -> Iterator[Known]:
    """Yield known releases, each better than the ones before, the quickest heuristics first."""
    best: Known | None = None
    for source, release in _releases(problem, settings, watch):
        values = problem.objective(release)
        if (best is None or values < best.values) and _keeps(problem, release):
            best = Known(release=release, values=values, source=source)
            yield best


def no_worse(problem: Problem, answer: Answer, known: Known | None) -> Answer:
    """The answer, or its bounds with the known release if that is better."""
    if known is None:
        return answer
    if answer.status is Status.INFEASIBLE:
        raise CertificateError(f"the engine denies that there is a release, but {known.source} found one")
    if answer.release is not None and problem.objective(answer.release) <= known.values:
        return answer
    if answer.status is Status.OPTIMAL:
        raise CertificateError(
            f"the engine calls a release optimal that is worse than that of {known.source}"
        )
    return overtaken(answer, known.release)


def _known(problem: Problem, known: Known) -> BestRelease:
    """What is known without a search."""
    incumbent = BestRelease(problem, Watch())
    incumbent.offer(known.release, checked=True)
    return incumbent


def _releases(problem: Problem, settings: Settings, watch: Watch) -> Iterator[tuple[str, Release]]:
    if settings.initial is not None and settings.initial.form == problem.policy.form:
        yield "initial", settings.initial
    clock = Clock(settings.time_limit, watch.clock.began)
    longest = HEURISTICS.hopeless if len(problem.table) <= PORTFOLIO.tuples else HEURISTICS.large
    together, each, most = (clock.allowed(s) for s in (HEURISTICS.all, HEURISTICS.each, longest))
    if clock.limit is not None and together is not None:
        clock.keep(max(clock.limit - together, ending(problem)))
    for baseline in _worth_trying(problem, most or 0.0):
        if clock.over:
            return
        own = clock if each is None else clock.part(each)
        try:
            yield baseline.name, baseline.run(problem, settings.seed, own)
        except OptanonError:
            continue  # it is not made for such problems, or out of time


def _worth_trying(problem: Problem, most: float) -> list[Baseline]:
    """Those that may take so many seconds, the quickest first."""
    tuples, whole = len(problem.table), problem.policy.recoding == "full_domain"
    squared = squared_error_of(problem) is not None
    return sorted(
        (
            baseline
            for baseline in baselines().values()
            if baseline.seconds(tuples) <= most
            and (baseline.full_domain or not whole)
            and (whole or not (squared and baseline.full_domain))
            and (len(problem.history) or not baseline.looks_back)
        ),
        key=lambda baseline: baseline.seconds(tuples),
    )


def _keeps(problem: Problem, release: Release) -> bool:
    try:
        return next(problem.check(release), None) is None
    except OptanonError:
        return False  # a requirement is not defined for such a release
