"""The best solution of a search, what is proven of every level, and the answer that follows from both.

Every engine keeps one. What is offered is compared lexicographically and only then checked; whoever watches
hears of what changed, at the first level that is still open. How a search ended is decided here, once:

- a refusal says that there is no release: INFEASIBLE;
- bounds as high as the values: OPTIMAL, or FEASIBLE where costs are rounded;
- otherwise FEASIBLE or UNKNOWN: interrupted, out of time, or with nothing left to try.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Generic, TypeVar

from ..models.errors import CertificateError, OptanonError
from ..models.moment import moment
from ..models.problem_view import CheckedProblem
from ..models.release import Release
from .claims import Claim, Refusal
from .schedule import RESERVES
from .settings import Answer, Clock, Watch
from .status import Status, Termination

__all__ = ["BestRelease", "Incumbent", "overtaken", "passes", "refuse_denied", "refused", "settled_on"]

S = TypeVar("S")
N = TypeVar("N", int, Fraction)


class Incumbent(ABC, Generic[S, N]):
    """The best solution so far, in whatever form and units a search has them.

    Parameters
    ----------
    problem, watch
    levels : sequence of int
        The policy's levels that solutions differ in; in all others every solution is at 0.

    Attributes
    ----------
    best : S or None
    values : tuple of N or None
        What it costs in each of these levels.
    bounds : list of N or None
        No solution costs less, given that earlier levels are optimal; None if nothing is known.
    """

    def __init__(self, problem: CheckedProblem, watch: Watch, levels: Sequence[int]) -> None:
        self.problem, self.watch, self.levels = problem, watch, levels
        self.best: S | None = None
        self.values: tuple[N, ...] | None = None
        self.bounds: list[N | None] = [None] * len(levels)

    @abstractmethod
    def measured(self, solution: S) -> tuple[N, ...]:
        """What a solution costs, level by level."""

    @abstractmethod
    def keeps(self, solution: S) -> bool:
        """Whether a better solution passes every check that is left to make."""

    @abstractmethod
    def value(self, index: int, cost: N) -> Fraction:
        """What a cost stands for in a level's own units."""

    @abstractmethod
    def release(self) -> Release | None:
        """The best solution as a release."""

    @property
    def exact(self) -> bool:
        """Whether costs are values without rounding."""
        return True

    # -- what becomes known ------------------------------------------------------------

    def offer(self, solution: S | None, text: str = "release", *, checked: bool = False) -> bool:
        """Keep a solution if it is better and passes its checks (or is known to); whether it was kept."""
        if solution is None:
            return False
        values = self.measured(solution)
        if self.values is not None and values >= self.values:
            return False
        if not checked and not self.keeps(solution):
            return False
        self.best, self.values = solution, values
        self.note(text)
        return True

    def raise_bound(self, index: int, bound: N | None, text: str = "bound") -> None:
        """Keep a bound if it is higher."""
        self._raise(index, bound)
        self.note(text)

    def raise_bounds(self, bounds: Sequence[N | None]) -> None:
        """Keep those of the bounds that are higher."""
        for index, bound in enumerate(bounds):
            self._raise(index, bound)
        self.note("bound")

    def _raise(self, index: int, bound: N | None) -> None:
        old = self.bounds[index]
        if bound is not None and (old is None or bound > old):
            self.bounds[index] = bound

    @property
    def closed(self) -> bool:
        """Whether no better solution can exist."""
        return self.values is not None and self._open == len(self.levels)

    @property
    def _open(self) -> int:
        """The first level in which a better solution may exist; beyond the last if there is none."""
        if self.values is None:
            return 0
        for index, (value, bound) in enumerate(zip(self.values, self.bounds, strict=True)):
            if bound is None or bound < value:
                return index
        return len(self.levels)

    def note(self, text: str) -> None:
        """Tell how things stand in the first level that is open, or the last."""
        index = min(self._open, len(self.levels) - 1)
        value = None if self.values is None else self.value(index, self.values[index])
        self.watch.note(self.levels[index], value, self._bound(index), text)

    def _bound(self, index: int) -> Fraction | None:
        bound = self.bounds[index]
        if bound is None:
            return None
        if self.values is not None and index <= self._open:
            bound = min(bound, self.values[index])
        return self.value(index, bound)

    def stated(self) -> tuple[Fraction | None, ...]:
        """The bounds of all the policy's levels."""
        found: list[Fraction | None] = [Fraction(0)] * len(self.problem.policy.levels)
        for index, level in enumerate(self.levels):
            found[level] = self._bound(index)
        return tuple(found)

    # -- the answer ------------------------------------------------------------------------

    def answer(
        self,
        claims: Sequence[Claim] = (),
        *,
        enough: bool = False,
        solved: bool = False,
        interrupted: bool = False,
        late: bool = False,
        rounds: int = 0,
        effort: Mapping[str, int] | None = None,
    ) -> Answer:
        """What the search has to say.

        Parameters
        ----------
        claims
            What proves the bounds.
        enough : bool
            The search was asked for no more than this.
        solved : bool
            A solver ended every level, whatever became of its bounds in a level's own units.
        interrupted, late : bool
            Why it stopped, if it did not end by itself.
        rounds, effort
            As in `Answer`.
        """
        status, termination = self._verdict(enough, solved, interrupted, late)
        return Answer(
            release=self.release(),
            bounds=self.stated(),
            status=status,
            termination=termination,
            rounds=rounds,
            claims=tuple(claims),
            effort=effort or {},
            interrupted=interrupted,
        )

    def _verdict(
        self, enough: bool, solved: bool, interrupted: bool, late: bool
    ) -> tuple[Status, Termination]:
        status = Status.UNKNOWN if self.best is None else Status.FEASIBLE
        if self.closed and self.exact:
            return Status.OPTIMAL, Termination.COMPLETED
        if enough:
            return status, Termination.COMPLETED
        if self.closed or solved:
            return status, Termination.ROUNDING
        if interrupted:
            return status, Termination.INTERRUPTED
        return status, Termination.TIME_LIMIT if late else Termination.ITERATION_LIMIT

    def refused(
        self, refusal: Refusal | None, rounds: int = 0, effort: Mapping[str, int] | None = None
    ) -> Answer:
        """There is no release; None if the proof is lost."""
        return replace(refused(self.problem, refusal), rounds=rounds, effort=effort or {})


class BestRelease(Incumbent[Release, Fraction]):
    """The best release so far, in the values of the policy's levels.

    Parameters
    ----------
    problem, watch
    clock : Clock, optional
        The time of a check is kept free: the release that is returned will be checked once more.
    """

    def __init__(self, problem: CheckedProblem, watch: Watch, clock: Clock | None = None) -> None:
        super().__init__(problem, watch, range(len(problem.policy.levels)))
        self._clock, self._checking = clock, 0.0

    def measured(self, solution: Release) -> tuple[Fraction, ...]:
        return self.problem.objective(solution)

    def keeps(self, solution: Release) -> bool:
        began = moment()
        broken = next(self.problem.check(solution), None)
        took = RESERVES.check.value * (moment() - began)
        if self._clock is not None and took > self._checking:
            self._clock.keep(took - self._checking)
            self._checking = took
        return broken is None

    def exchange(self, release: Release) -> None:
        """Take a release that costs the same instead of the best one, if it passes its checks."""
        if self.measured(release) == self.values and self.keeps(release):
            self.best = release

    def value(self, index: int, cost: Fraction) -> Fraction:
        return cost

    def release(self) -> Release | None:
        return self.best


def refused(problem: CheckedProblem, refusal: Refusal | None) -> Answer:
    """There is no release that keeps the policy."""
    return Answer(
        release=None,
        bounds=(None,) * len(problem.policy.levels),
        status=Status.INFEASIBLE,
        termination=Termination.COMPLETED,
        refusal=refusal,
    )


def refuse_denied(best: BestRelease, answer: Answer) -> None:
    """See that an engine's last word is none against a release that is known.

    Raises
    ------
    CertificateError
        If it says that there is no release, or calls a worse one optimal.
    """
    if best.values is None:
        return
    if answer.status is Status.INFEASIBLE:
        raise CertificateError("the engine denies that there is a release, but one is known")
    if answer.status is Status.OPTIMAL:
        known = answer.release is not None and best.measured(answer.release) <= best.values
        if not known:
            raise CertificateError("the engine calls a release optimal that is worse than one it began with")


def overtaken(answer: Answer, release: Release) -> Answer:
    """An engine's answer with a better release than its own."""
    done = answer.termination is Termination.COMPLETED
    ended = Termination.ITERATION_LIMIT if done else answer.termination
    return replace(answer, release=release, status=Status.FEASIBLE, termination=ended)


def settled_on(
    answer: Answer, values: Sequence[Fraction], bounds: Sequence[Fraction], claims: Sequence[Claim]
) -> Answer:
    """An engine's answer with the bounds that were derived again: optimal if they are the values."""
    optimal = tuple(values) == tuple(bounds)
    termination = Termination.COMPLETED if optimal else answer.termination
    if not optimal and answer.status is Status.OPTIMAL:
        termination = Termination.PROOF_INCOMPLETE
    return replace(
        answer,
        bounds=tuple(bounds),
        status=Status.OPTIMAL if optimal else Status.FEASIBLE,
        termination=termination,
        claims=tuple(claims),
    )


def passes(problem: CheckedProblem, release: Release) -> bool:
    """Whether a release passes every check; not if a requirement is not defined for such ones."""
    try:
        return next(problem.check(release), None) is None
    except OptanonError:
        return False
