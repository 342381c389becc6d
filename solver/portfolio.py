"""Published heuristics before every search: an engine starts from the best of their releases.

What the best of them reached is kept whatever the engine does, so no answer is lexicographically worse
than the release of a registered heuristic that keeps the policy and takes at most a third of the time limit
(a twentieth of it on tables of more than `PORTFOLIO.tuples`; `schedule.HEURISTICS` says how much all of
them get). A heuristic looks at few requirements: its release counts if it passes every check of
the policy. An engine that is `Asking` has them begun itself, at points of its course that no time limit
moves: under a longer one more of them are begun, after all that a shorter one did.

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

from ..models.errors import CertificateError, OptanonError, TooLargeError
from ..models.losses.squared import squared_error_of
from ..models.problem import Problem
from ..models.release import Release
from .all_together import broken_whole, last_resort
from .baselines.pace import Extent
from .baselines.registry import Baseline, baselines
from .ending import concluded, search_clock
from .engine import Asking, Engine, last
from .incumbent import BestRelease, overtaken, passes, refused
from .limits import PORTFOLIO
from .schedule import HEURISTICS, WORK
from .settings import Answer, Clock, Settings, Watch
from .status import Status
from .work import spend

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
    broken = broken_whole(problem) if len(problem.table) <= PORTFOLIO.tuples else None
    if broken is not None:
        rule = problem.policy.requirements[broken.requirement]
        why = (
            f"no release without suppression and counterfeits keeps {rule}: merging groups that keep it keeps"
            " it, and all tuples in one group do not"
        )
        return replace(refused(problem, broken), told=why)
    tried = _Tried(problem, settings, watch)

    def told(clock: Clock) -> Iterator[Release]:
        for known in tried.within(clock):
            # What a search has reached meanwhile may be better.
            if all(p.level or p.value is None or known.values[0] < p.value for p in watch.points):
                watch.note(0, known.values[0], None, known.source)
            yield known.release

    try:
        asks = isinstance(engine, Asking) and not settings.first
        start = None if asks else last(told(search_clock(problem, settings, watch)))
        if tried.best is not None and settings.first:
            return _known(problem, tried.best).answer(enough=True)
        own = replace(settings, known=start, further=told if asks else None)
        answer = engine.solve(problem, own, watch)
    except TooLargeError:  # nothing is proven then
        if tried.best is None:
            raise
        return _known(problem, tried.best).answer()
    except KeyboardInterrupt:
        if tried.best is None:
            raise
        return _known(problem, tried.best).answer(interrupted=True)
    if tried.best is None and answer.release is None and answer.status is not Status.INFEASIBLE:
        release = last_resort(problem)
        return answer if release is None else overtaken(answer, release)
    return concluded(lambda: no_worse(problem, answer, tried.best))


def _engine_first(engine: Engine, problem: Problem, settings: Settings, watch: Watch) -> Answer:
    """The engine's answer; what it leaves open is no worse than the best known release."""
    own = settings
    if settings.time_limit is not None:
        share = HEURISTICS.lattice.seconds(settings.time_limit, watch.clock.seconds)
        own = replace(settings, time_limit=watch.clock.seconds + share)
    answer = engine.solve(problem, own, watch)
    if answer.status in (Status.OPTIMAL, Status.INFEASIBLE) or answer.interrupted:
        return answer
    left = Clock(settings.time_limit, watch.clock.began).left
    try:
        return no_worse(problem, answer, best_known(problem, replace(settings, time_limit=left)))
    except KeyboardInterrupt:
        return answer


def best_known(problem: Problem, settings: Settings, watch: Watch | None = None) -> Known | None:
    """The best release of all heuristics the time allows, and the caller's; None if none keeps the policy."""
    watch = watch or Watch()
    return last(_Tried(problem, settings, watch).within(search_clock(problem, settings, watch)))


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


class _Tried:
    """Heuristics, each begun at most once, and the caller's release.

    Attributes
    ----------
    best : Known or None
        So far.
    """

    def __init__(self, problem: Problem, settings: Settings, watch: Watch) -> None:
        self.problem, self.settings, self.watch = problem, settings, watch
        self.best: Known | None = None
        self._extent = Extent.of(problem)
        self._begun = set[str]()

    def within(self, clock: Clock) -> Iterator[Known]:
        """Releases, each better than all before, of what the clock's limit has time for; quick ones first."""
        for source, release in self._releases(clock):
            values = self.problem.objective(release)
            if (self.best is None or values < self.best.values) and passes(self.problem, release):
                self.best = Known(release=release, values=values, source=source)
                yield self.best

    def _releases(self, clock: Clock) -> Iterator[tuple[str, Release]]:
        initial, shares = self.settings.initial, (HEURISTICS.all, HEURISTICS.each, HEURISTICS.hopeless)
        if not self._begun and initial is not None and initial.form == self.problem.policy.form:
            yield "initial", initial
        if len(self.problem.table) > PORTFOLIO.tuples:
            shares = HEURISTICS.all_large, HEURISTICS.each_large, HEURISTICS.large
        together, each, most = map(clock.allowed, shares)
        clock = clock if together is None else clock.part(together)
        for baseline in self._worth_trying(most or 0.0):
            if clock.over or self._beaten:
                return
            self._begun.add(baseline.name)
            own = clock if each is None else clock.part(each)
            spend(WORK.heuristic.value * baseline.pace.seconds(self._extent))
            try:
                yield baseline.name, baseline.run(self.problem, self.settings.seed, own)
            except OptanonError:
                continue  # it is not made for such problems, or out of time

    @property
    def _beaten(self) -> bool:
        """Whether a search has left them so far behind that those not begun would only take its time."""
        if len(self.problem.policy.levels) > 1 or len(self.problem.table) <= PORTFOLIO.tuples:
            return False
        reached = [point.value for point in self.watch.points if point.value is not None]
        best = None if self.best is None else self.best.values[0]
        return best is not None and bool(reached) and PORTFOLIO.beaten * min(reached) <= best

    def _worth_trying(self, most: float) -> list[Baseline]:
        """Those that may take so many seconds and were not begun, the quickest first."""
        problem = self.problem
        whole, squared = problem.policy.recoding == "full_domain", squared_error_of(problem) is not None
        return sorted(
            (
                baseline
                for baseline in baselines().values()
                if baseline.name not in self._begun
                and baseline.pace.seconds(self._extent) <= most
                and (baseline.full_domain or not whole)
                and (whole or not (squared and baseline.full_domain))
                and (len(problem.history) or not baseline.looks_back)
            ),
            key=lambda baseline: baseline.pace.seconds(self._extent),
        )
