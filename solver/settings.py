"""What every engine is told besides the problem, and how it reports while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol, TypeVar

from ..models.encoding import Encoding
from ..models.errors import OutOfTimeError
from ..models.moment import COMPILING, moment
from ..models.release import Release
from .claims import Claim, Refusal
from .price import Price
from .schedule import RESERVES
from .shares import Share
from .status import Point, Randomized, Status, Termination
from .work import seconds_since, spent

__all__ = ["Answer", "Clock", "Settings", "Tasks", "Watch"]

S = TypeVar("S")
J = TypeVar("J")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to search.

    Parameters
    ----------
    time_limit : float or None
        Seconds of wall time for the whole search; None for no limit. Compiling does not count.
    seed : int
        Same seed and workers: same result, if the search runs to its end.
    workers : int
        Threads, at least 1.
    initial : Release or None
        A release to start from; used if it passes every check.
    known : Release or None
        The best release known before the search (see `portfolio`): it has passed every check. The
        answer is no worse, whatever the engine makes of it.
    extend : callable or None
        Adds the user's own constraints to the raw CP-SAT model (assignment engine only).
    first : bool
        Stop at the first release that passes every check, however much it loses: the question is
        only whether there is one. Engines other than assignment go on to the best.
    asked : float or None
        The time limit as it was asked for: what is planned by it does not depend on anything measured.
    end : float or None
        When the search ends (of `moment`), wherever it is; nothing is planned by that.
    tasks : Tasks or None
        The workers of a cluster; None for threads of this process.
    further : callable or None
        Better and better releases of heuristics that a clock's limit has time for, and that were not begun
        yet; None if all were tried before the search.
    """

    time_limit: float | None = None
    seed: int = 0
    workers: int = 1
    initial: Release | None = None
    known: Release | None = None
    extend: Callable[[Encoding], None] | None = None
    first: bool = False
    asked: float | None = None
    end: float | None = None
    tasks: Tasks | None = None
    further: Callable[[Clock], Iterator[Release]] | None = None

    def clock(self, began: float) -> Clock:
        """The clock of a search that began then."""
        return Clock(self.time_limit, began, end=self.end)


@dataclass
class Clock:
    """Time since the search began (of `moment`), and what is left of the limit; `stop` may end it at once.

    What is done by a limit may end before it, at `end` (of `moment`): nothing is planned by that, so all of
    it is the beginning of what is done by the same limit with a later end.

    A `counted` clock goes by the steps of its thread since the `first`, so plans are the same at any pace;
    its end is of time.
    """

    limit: float | None = None
    began: float = field(default_factory=moment)
    stop: Callable[[], bool] | None = field(default=None, kw_only=True)
    end: float | None = field(default=None, kw_only=True)
    first: int | None = field(default=None, kw_only=True)

    def count(self) -> None:
        """Go by steps from now on, beginning with none."""
        self.first = spent()

    def time(self) -> None:
        """Go by time, beginning now."""
        self.first, self.began = None, moment()

    @property
    def counted(self) -> bool:
        """Whether it goes by steps."""
        return self.first is not None

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return moment() - self.began if self.first is None else seconds_since(self.first)

    @property
    def left(self) -> float | None:
        """Seconds left, at least 0; None without a limit."""
        if self.stop is not None and self.stop():
            return 0.0
        planned = self.planned
        if self.end is None:
            return planned
        rest = max(0.0, self.end - moment())
        return rest if planned is None else min(planned, rest)

    @property
    def rest(self) -> float | None:
        """Seconds after which a solver has to stop: of time, whatever is planned by steps."""
        left = self.left
        if not self.counted or not left:
            return left
        return None if self.end is None else max(0.0, self.end - moment())

    @property
    def ends(self) -> bool:
        """Whether it is over whatever the limit is."""
        return (self.stop is not None and self.stop()) or (self.end is not None and moment() >= self.end)

    @property
    def stopped(self) -> bool:
        """Whether searches in threads stop: their steps are told afterwards."""
        return self.ends if self.counted else self.over

    @property
    def planned(self) -> float | None:
        """Seconds left of the limit, whenever the end is."""
        return None if self.limit is None else max(0.0, self.limit - self.seconds)

    def keep(self, seconds: float) -> None:
        """End so much earlier, at most by half of the limit: what comes after the search takes time, too."""
        if self.end is not None:
            self.end = max(self.end - RESERVES.kept.value * (self.end - self.began), self.end - seconds)
        elif self.limit is not None:
            self.limit = max((1 - RESERVES.kept.value) * self.limit, self.limit - seconds)

    def fits(self, seconds: float) -> bool:
        """Whether something that takes so long can be done in time."""
        if self.ends:
            return False
        planned = self.planned
        return planned is None or seconds < planned

    def part(self, seconds: float) -> Clock:
        """A clock that is over after so many seconds, and no later than this one."""
        planned = self.planned
        return self._now(seconds if planned is None else min(seconds, planned))

    @property
    def anew(self) -> Clock:
        """A clock that begins now and is over when this one is: its shares are parts of what is left."""
        return self._now(self.planned)

    def beside(self, planned: float | None) -> Clock:
        """The same clock in another thread, whose steps are told afterwards; so many seconds are planned."""
        return self._now(planned) if self.counted else self

    def _now(self, limit: float | None) -> Clock:
        first = None if self.first is None else spent()
        return Clock(limit, stop=self.stop, end=self.end, first=first)

    @property
    def last(self) -> Clock:
        """A clock that is over at this one's end, whatever its limit is then: for what is lost if cut off."""
        return Clock(stop=lambda: self.over if self.end is None else self.ends)

    def allowed(self, share: Share) -> float | None:
        """Seconds of a share from now on, maybe more than what is left; None for no end."""
        return share.unlimited if self.limit is None else share.seconds(self.limit, self.seconds)

    def share(self, share: Share) -> Clock:
        """A clock that is over when a share of the time is, and no later than this one."""
        seconds = self.allowed(share)
        return self if seconds is None else self.part(seconds)

    def spent(self, share: Share) -> bool:
        """Whether nothing is left of a share but what it gets however late it is."""
        return self.limit is not None and share.seconds(self.limit, self.seconds) <= share.floor(self.limit)

    @property
    def over(self) -> bool:
        """Whether the limit has passed."""
        return self.left is not None and self.left <= 0

    def ask(self) -> None:
        """Raise `OutOfTimeError` if the limit has passed: heuristics have nothing before their end."""
        if self.over:
            raise OutOfTimeError("the time for this heuristic was over")

    @property
    def ended(self) -> bool:
        """Whether a search that stopped now stopped for the limit: solvers may stop a moment early."""
        if self.limit is None:
            return False
        until = self.began + self.limit if self.end is None else self.end
        early = RESERVES.early.value + RESERVES.early_part.value * (until - self.began)
        return moment() >= until - early


class Tasks(Protocol):
    """One function on many jobs, here or elsewhere; a job's answer depends on nothing but the job.

    So it does not matter how many workers there are, which of them does what, and whether one of them is
    lost and its job done again.
    """

    @property
    def workers(self) -> int:
        """How many jobs are done at a time."""
        ...

    def run(
        self, work: Callable[[S, J, Clock], R], shared: S, jobs: Sequence[J], clock: Clock
    ) -> Iterator[tuple[int, R]]:
        """Do jobs; yields their numbers and answers as they come. Ends with the clock, done or not.

        Parameters
        ----------
        work : callable
            What is done for a job, given what all jobs share. When its clock is over it may answer early.
        shared, jobs
        clock : Clock
        """
        ...


class Watch:
    """Collects the course of a search; a display may listen."""

    def __init__(
        self, listener: Callable[[Point, str], None] | None = None, began: float | None = None
    ) -> None:
        self.points: list[Point] = []
        self._compiled = COMPILING.seconds
        self.clock = Clock() if began is None else Clock(began=began)
        self._listener = listener

    @property
    def compiled(self) -> float:
        """Seconds of compiling meanwhile."""
        return COMPILING.seconds - self._compiled

    def note(self, level: int, value: Fraction | None, bound: Fraction | None, text: str = "") -> None:
        """Record incumbent and bound of a level; `text` says what the engine is doing."""
        point = Point(seconds=self.clock.seconds, level=level, value=value, bound=bound)
        if not self.points or (self.points[-1].level, self.points[-1].value, self.points[-1].bound) != (
            level,
            value,
            bound,
        ):
            self.points.append(point)
        if self._listener is not None:
            self._listener(point, text)


@dataclass(frozen=True, kw_only=True)
class Hindsight:
    """Counterfeits that nobody avoids, as means over drawn futures.

    Attributes
    ----------
    futures : int
        How many were drawn.
    anybody : Fraction
        What every series needs after the history, the release to be published included.
    from_here : Fraction
        What all releases after the one to be published need.
    """

    futures: int
    anybody: Fraction
    from_here: Fraction


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What an engine found.

    Attributes
    ----------
    release : Release or None
        Best release found; it has passed the problem's check.
    bounds : tuple of Fraction or None
        Per level, a proven lower bound given that earlier levels are optimal.
    status, termination
        As in `Result`.
    rounds : int
        Rounds of cuts.
    claims : tuple of Claim
        What proves the bounds; `Trusted` where a bound rests on a solver.
    effort : dict of str to int
        How much was searched, for information.
    refusal : Refusal or None
        What proves that there is no release; needed if the status is INFEASIBLE.
    randomized : Randomized or None
        How the release was drawn, if it was.
    alone : tuple of Fraction or None
        Every level of a release that was searched for without the policy's outlook.
    hindsight : Hindsight or None
        Beside an outlook: what no policy avoids.
    price : Price or None
        What `resists_inference` costs, where it was searched for by audits.
    told : str
        Without a release: what was in the way, and what would help; empty if that is not known.
    interrupted : bool
        Whether Ctrl-C was heard, however it ended: a part of the policy may have been solved by then, and
        whoever asked for it has to end, too.
    """

    release: Release | None
    bounds: tuple[Fraction | None, ...]
    status: Status
    termination: Termination
    rounds: int = 0
    claims: tuple[Claim, ...] = ()
    refusal: Refusal | None = None
    effort: Mapping[str, int] = field(default_factory=dict[str, int])
    randomized: Randomized | None = None
    alone: tuple[Fraction, ...] | None = None
    hindsight: Hindsight | None = None
    price: Price | None = None
    told: str = ""
    interrupted: bool = False
