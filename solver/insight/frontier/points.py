"""One point of a frontier, and what points say of one another.

Point S is stricter than point L: every release of S is one of L, and both minimize the same losses.
So a release of S is one of L (a warm start, an upper bound), the first loss of S is at least that of
L (a lower bound), and if L has no release, S has none. For a later loss a bound of L holds for S only if
all losses before are proven least at both points and are the same: it is about releases that
are as good on those. Nothing holds from the first loss on that looks at more than the table, such as expected
counterfeits: prices follow from the requirements, so it is another loss at each point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ....models.release import Release
from ...level_value import LevelValue
from ...result import Result
from ...status import Status, Termination
from .grid import FrontierGrid, Setting

__all__ = ["FrontierPoint", "share_bounds"]


@dataclass(frozen=True, kw_only=True)
class FrontierPoint:
    """What is known about one combination of parameters.

    Attributes
    ----------
    settings : tuple
        A value per axis.
    status, termination
        As in `Result`; the status also counts what neighbours prove.
    losses : tuple of str
        Names of the levels of the objective.
    values : tuple of Fraction
        Loss of the best release, level by level; empty without one.
    bounds : tuple of Fraction or None
        Proven bound per level, given that all levels before are optimal.
    engine : str
        Which engine searched, and why.
    seconds : float
        Wall time of the search.
    time_limit : float or None
        What the search was given.
    borrowed : tuple of str
        What came from a neighbouring point: "release", "bound", "infeasible".
    groups, largest_group, suppressed, counterfeits : int or None
        Of the release.
    release : Release or None
        None also for a point read from a state file that does not hold it.
    """

    settings: tuple[Setting, ...]
    status: Status
    termination: Termination
    losses: tuple[str, ...]
    values: tuple[Fraction, ...]
    bounds: tuple[Fraction | None, ...]
    engine: str
    seconds: float
    time_limit: float | None
    borrowed: tuple[str, ...] = ()
    groups: int | None = None
    largest_group: int | None = None
    suppressed: int | None = None
    counterfeits: int | None = None
    release: Release | None = field(default=None, repr=False)

    @property
    def levels(self) -> tuple[LevelValue, ...]:
        """Losses with their bounds and gaps; empty without a release."""
        return tuple(
            LevelValue(name=name, value=value, bound=bound)
            for name, value, bound in zip(self.losses, self.values, self.bounds, strict=False)
        )

    @property
    def gap(self) -> Fraction | None:
        """Gap of the first loss that is not proven least; 0 if all are, None if it is not known."""
        for level in self.levels:
            if level.gap != 0:
                return level.gap
        return Fraction(0) if self.values else None

    @property
    def settled(self) -> bool:
        """Whether a search with more time could not say more."""
        return self.status in (Status.OPTIMAL, Status.INFEASIBLE)

    @classmethod
    def of(
        cls, settings: tuple[Setting, ...], losses: tuple[str, ...], found: Result, time_limit: float | None
    ) -> FrontierPoint:
        """A point as a search left it."""
        return cls(
            settings=settings,
            status=found.status,
            termination=found.termination,
            losses=losses,
            values=found.objective,
            bounds=found.bounds or (None,) * len(losses),
            engine=found.engine,
            seconds=found.seconds,
            time_limit=time_limit,
        ).publishing(found.release)

    def publishing(self, release: Release | None) -> FrontierPoint:
        """The point with a release, and what is counted of it; losses and status stay."""
        if release is None:
            return self
        return replace(
            self,
            release=release,
            groups=len(release.groups),
            largest_group=max((group.size for group in release.groups), default=0),
            suppressed=len(release.suppressed),
            counterfeits=release.counterfeits,
        )


def share_bounds(
    grid: FrontierGrid,
    points: Sequence[FrontierPoint],
    keeps: Callable[[tuple[Setting, ...], Release], tuple[Fraction, ...] | None],
) -> tuple[FrontierPoint, ...]:
    """Let every point learn from the others.

    Parameters
    ----------
    grid : Grid
    points : sequence of FrontierPoint
    keeps : callable
        The objective of a release at some settings, or None if it breaks that policy.

    Notes
    -----
    Releases travel from stricter points to looser ones and, if they happen to pass, the other way;
    bounds travel from looser points to stricter ones. O(points^2) comparisons, each checking at most
    one release.
    """
    found = {point.settings: point for point in points}
    strict = [settings for settings in grid.strictest_first() if settings in found]
    alike = {settings: grid.comparable(settings) for settings in strict}
    for _ in range(2):  # what the second pass brings home, the first may not have had yet
        for settings in strict:
            for other in strict:
                if other != settings:
                    found[settings] = _with_release(found[settings], found[other], keeps)
        for settings in reversed(strict):
            for other in strict:
                if other != settings and grid.stricter(settings, other):
                    found[settings] = _with_bounds(found[settings], found[other], alike[settings])
    return tuple(found[point.settings] for point in points)


def _with_release(
    point: FrontierPoint,
    other: FrontierPoint,
    keeps: Callable[[tuple[Setting, ...], Release], tuple[Fraction, ...] | None],
) -> FrontierPoint:
    """Take over a neighbour's release if it is better and passes every check here."""
    if other.release is None or point.settled or (point.values and other.values >= point.values):
        return point
    values = keeps(point.settings, other.release)
    if values is None or (point.values and values >= point.values):
        return point
    taken = replace(point, values=values, status=Status.FEASIBLE, borrowed=_and(point.borrowed, "release"))
    return _judged(taken.publishing(other.release))


def _with_bounds(point: FrontierPoint, looser: FrontierPoint, alike: int) -> FrontierPoint:
    """Take over a looser neighbour's bounds, of the first `alike` levels at most."""
    if looser.status is Status.INFEASIBLE and point.status is Status.UNKNOWN:
        return replace(point, status=Status.INFEASIBLE, borrowed=_and(point.borrowed, "infeasible"))
    if point.settled:
        return point
    bounds = list(point.bounds)
    for level, bound in enumerate(looser.bounds[:alike]):
        mine = bounds[level]
        if bound is not None and (mine is None or bound > mine):
            bounds[level] = bound
        same = (
            bool(point.values and looser.values)
            and point.values[level] == bounds[level]
            and looser.values[level] == looser.bounds[level] == point.values[level]
        )
        if not same:
            break
    if bounds == list(point.bounds):
        return point
    return _judged(replace(point, bounds=tuple(bounds), borrowed=_and(point.borrowed, "bound")))


def _judged(point: FrontierPoint) -> FrontierPoint:
    """OPTIMAL if every loss has met its bound."""
    proven = bool(point.values) and point.values == point.bounds
    return replace(point, status=Status.OPTIMAL) if proven else point


def _and(known: tuple[str, ...], more: str) -> tuple[str, ...]:
    return known if more in known else (*known, more)
