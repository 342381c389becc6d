"""A whole release with as few cells hidden as make its correlations safe; groups stay as they are.

Each value of the quasi-identifier is decided by itself (`suppress`). With several quasi-identifiers (Def. 7)
values share cells: `sanitize_rows` decides them together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...models.antecedents import shown
from ...models.errors import PolicyError, ReleaseError
from ...models.exposure import Linkage, LossMetric, Shares, ValueExposure
from ...models.parameters import require_kind, require_time_limit, whole
from ...models.release import QIGroup, Release
from ...models.requirements.safe_correlation import SafeCorrelation
from ..schedule import SANITIZING
from ..settings import Clock
from ..status import Status
from .sanitize_rows import Cell, CombinedCells
from .suppress import Suppression, suppress

__all__ = ["Sanitized", "ValueSuppression", "sanitize"]


@dataclass(frozen=True, kw_only=True)
class ValueSuppression:
    """What became of one quasi-identifier value.

    Attributes
    ----------
    exposure : ValueExposure
    suppression : Suppression
    tuples : int
        ``|T|``.
    """

    exposure: ValueExposure
    suppression: Suppression
    tuples: int

    @property
    def linkage(self) -> Linkage:
        """Estimates and probabilities that are published."""
        return self.exposure.linkage(self.suppression.kept)

    @property
    def hidden(self) -> tuple[int, ...]:
        """Hidden cells per group of the exposure, those of the fixpoint included."""
        cells = zip(self.exposure.hidden, self.exposure.counts, self.suppression.kept, strict=True)
        return tuple(early + count - kept for early, count, kept in cells)

    @property
    def loss(self) -> LossMetric:
        """Share of hidden cells."""
        return LossMetric(hidden=sum(self.hidden), occurrences=self.exposure.occurrences, tuples=self.tuples)


@dataclass(frozen=True, kw_only=True)
class Sanitized:
    """A release with the fewest cells hidden, and what became of each value.

    Attributes
    ----------
    release : Release
        Satisfies the requirement (for the shares given).
    values : tuple of ValueSuppression
        One per published value of the quasi-identifier, sorted by value; of several, one per combination
        of any of them, small subsets first.
    least_hidden : int
        Proven: no safe choice in this grouping hides fewer cells.
    """

    release: Release
    values: tuple[ValueSuppression, ...]
    least_hidden: int

    @property
    def is_optimal(self) -> bool:
        """Whether no fewer cells can be hidden in this grouping."""
        return all(value.suppression.status is Status.OPTIMAL for value in self.values)


def sanitize(
    release: Release,
    requirement: SafeCorrelation,
    *,
    shares: Shares | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    workers: int = 1,
    clock: Clock | None = None,
) -> Sanitized:
    """Hide the fewest cells of an anatomized release that make it safe; groups stay as they are.

    Parameters
    ----------
    release : Release
        Anatomized, with no hidden cell of the requirement's quasi-identifiers.
    requirement : SafeCorrelation
        Thresholds, l and epsilon; one quasi-identifier or several (Def. 7).
    shares : callable, optional
        Of a group and a quasi-identifier value (the source's p_jk): probability of each sensitive value
        for a tuple with it, in the adversary's eyes; the requirement's own by default.
    time_limit : float, optional
        Seconds per value; of several quasi-identifiers for all together.
    seed, workers : int
        Of CP-SAT.
    clock : Clock, optional
        Asked before every value; what is left of it is a limit, too.

    Returns
    -------
    Sanitized
        The release, and what was hidden of each value.

    Raises
    ------
    OutOfTimeError
        If the clock is over before the last value.
    ReleaseError
        If the release is generalized or already hides such cells.
    PolicyError
        If it has no such quasi-identifier, or a parameter is of another kind or out of its range.
    """
    _require_sound(release, requirement, time_limit)
    seed, workers = whole("sanitize", "seed", seed, 0), whole("sanitize", "workers", workers, 1)
    positions, clock = _sanitizable(release, requirement), clock or Clock()
    asked = _Sanitizing(release=release, requirement=requirement, seed=seed, workers=workers)
    if len(positions) > 1:
        own = clock.left if time_limit is None else clock.part(time_limit).limit
        return asked.together(shares, positions, Clock(own, stop=clock.stop))
    by_subset = requirement.by_subset(release, shares)
    found = [asked.alone(each, clock, time_limit) for each in by_subset[positions] if each.groups]
    return Sanitized(
        release=replace(release, groups=tuple(_starred(release.groups, min(positions), found))),
        values=tuple(found),
        least_hidden=sum(value.exposure.occurrences - value.suppression.bound for value in found),
    )


def _require_sound(release: object, requirement: object, time_limit: float | None) -> None:
    remedy = "give result.release of an anatomized problem"
    require_kind("release", release, Release, remedy=remedy, error=ReleaseError)
    remedy = "write SafeCorrelation(attribute=..., ...)"
    require_kind("requirement", requirement, SafeCorrelation, remedy=remedy, error=PolicyError)
    require_time_limit(time_limit)


@dataclass(frozen=True, kw_only=True)
class _Sanitizing:
    """What is to be made safe, and seed and workers of CP-SAT."""

    release: Release
    requirement: SafeCorrelation
    seed: int
    workers: int

    def alone(self, exposure: ValueExposure, clock: Clock, seconds: float | None) -> ValueSuppression:
        """Cells of one value of one quasi-identifier, which no other value has a say in."""
        clock.ask()
        suppression = suppress(
            exposure,
            self.requirement.l,
            self.requirement.epsilon,
            time_limit=_least(seconds, clock.left),
            seed=self.seed,
            workers=self.workers,
        )
        return self._value(exposure, suppression)

    def _value(self, exposure: ValueExposure, suppression: Suppression) -> ValueSuppression:
        return ValueSuppression(exposure=exposure, suppression=suppression, tuples=len(self.release.members))

    def together(self, shares: Shares | None, positions: tuple[int, ...], clock: Clock) -> Sanitized:
        """Cells of several quasi-identifiers, decided by one program."""
        clock.ask()
        began, release, requirement = clock.seconds, self.release, self.requirement
        by_subset = requirement.by_subset(release, shares)
        # What is published is counted once more at the end.
        clock.keep(clock.seconds - began)
        rows = CombinedCells(release=release, positions=positions, by_subset=by_subset)
        starts = self._starts(rows, clock.share(SANITIZING.start))
        stars = rows.solve(
            requirement.l,
            requirement.epsilon,
            start=min(starts, key=len, default=None),
            clock=clock,
            seed=self.seed,
            workers=self.workers,
        )
        found: list[ValueSuppression] = []
        for subset, exposures in by_subset.items():
            there = [shown(group, subset) for group in stars.groups]
            for exposure in exposures:
                kept = tuple(there[j][exposure.value] for j in exposure.groups)
                suppression = Suppression(
                    status=stars.status, objective=sum(kept), bound=sum(exposure.counts), kept=kept
                )
                found.append(self._value(exposure, suppression))
        return Sanitized(
            release=replace(release, groups=stars.groups), values=tuple(found), least_hidden=stars.least
        )

    def _starts(self, rows: CombinedCells, clock: Clock) -> list[set[Cell]]:
        """Safe cells to hide, as many as there is time for: all but those of one quasi-identifier."""
        found: list[set[Cell]] = []
        for a in rows.positions:
            alone: dict[str, tuple[Sequence[int], Sequence[int]]] = {}
            for exposure in rows.by_subset[(a,)]:
                if clock.over:
                    return found
                value = self.alone(exposure, Clock(), clock.left)
                alone[exposure.value] = exposure.groups, value.hidden
            found.append(rows.only(a, alone))
        return found


def _least(*seconds: float | None) -> float | None:
    return min((limit for limit in seconds if limit is not None), default=None)


def _sanitizable(release: Release, requirement: SafeCorrelation) -> tuple[int, ...]:
    """The quasi-identifiers whose cells are hidden; refuses releases that cannot hide them."""
    positions = requirement.positions(release.attributes)
    if release.form != "anatomized":
        raise ReleaseError("only an anatomized release has single cells to hide: group it in that form")
    for a in positions:
        if any(attribute == a for group in release.groups for attribute, _, _ in group.hidden):
            raise ReleaseError(
                f"cells of {release.attributes[a]!r} are hidden already: give the grouping without them"
            )
    return positions


def _starred(groups: Sequence[QIGroup], a: int, found: Sequence[ValueSuppression]) -> Iterator[QIGroup]:
    gone: dict[int, list[tuple[int, str, int]]] = {}
    for value in found:
        for j, count in zip(value.exposure.groups, value.hidden, strict=True):
            if count:
                gone.setdefault(j, []).append((a, value.exposure.value, count))
    for index, group in enumerate(groups):
        yield replace(group, hidden=(*group.hidden, *gone[index])) if index in gone else group
