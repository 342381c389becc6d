"""What each part of a policy costs, and where the loss is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ....models.losses import loss
from ....models.policy import AHEAD, Level, Policy
from ....models.problem import Problem
from ....models.release import QIGroup, Release
from ...parts import PolicyPart, variant
from ...status import Status
from .trials import TrialOutcome, Trials

__all__ = ["GroupShare", "LevelCost", "PartCost", "expensive_groups", "part_costs"]


@dataclass(frozen=True, kw_only=True)
class LevelCost:
    """What one part costs in one loss: the least loss with it minus the least loss without it.

    Attributes
    ----------
    loss : str
    present, without : Fraction
        Loss of the best release found with and without the part.
    low, high : Fraction or None
        The true difference lies between them; equal if both losses are proven least. None if a more
        important loss is not proven least, with or without: then nothing follows for this one.
    """

    loss: str
    present: Fraction
    without: Fraction
    low: Fraction | None
    high: Fraction | None

    @property
    def exact(self) -> bool:
        """Whether the difference is proven exactly."""
        return self.low is not None and self.low == self.high


@dataclass(frozen=True, kw_only=True)
class PartCost:
    """What dropping one part of the policy would save.

    Attributes
    ----------
    part : PolicyPart
    status : Status
        Of the search without it.
    levels : tuple of LevelCost
        Most important loss first; empty if no release was found without it in time.
    used : int or None
        For a limit: how much of it the release with it uses.
    """

    part: PolicyPart
    status: Status
    levels: tuple[LevelCost, ...]
    used: int | None = None

    @property
    def binds(self) -> bool | None:
        """Whether a release loses less without the part; None if that is not decided."""
        for level in self.levels:
            if not level.exact:
                return None
            if level.low:
                return True
        return False if self.levels else None


@dataclass(frozen=True, kw_only=True)
class GroupShare:
    """One group's part in a loss that is a sum over groups.

    Attributes
    ----------
    number : int
        From 1, in the release's order.
    size, members : int
        Published tuples, and how many of them are real.
    cells : tuple of str
        Its published box; empty in an anatomized release.
    loss, share : Fraction
        Its loss, and that as a part of the whole.
    """

    number: int
    size: int
    members: int
    cells: tuple[str, ...]
    loss: Fraction
    share: Fraction


def part_costs(
    problem: Problem, parts: Sequence[PolicyPart], present: TrialOutcome, trials: Trials
) -> tuple[PartCost, ...]:
    """Minimize without each part in turn; `present` is the outcome with all of them."""
    if present.release is None:
        return ()
    found: list[PartCost] = []
    for part in parts:
        free = variant(problem, [other for other in parts if other is not part])
        outcome = trials.minimize(free)
        levels = _level_costs(problem.policy, present, free.policy, outcome) if outcome.values else ()
        used = {
            "suppression": len(present.release.suppressed),
            "counterfeits": present.release.counterfeits,
        }.get(part.key)
        found.append(PartCost(part=part, status=outcome.status, levels=levels, used=used))
    return tuple(found)


def _level_costs(
    policy: Policy, present: TrialOutcome, free: Policy, without: TrialOutcome
) -> tuple[LevelCost, ...]:
    """Level by level, as far as both policies have it.

    Without the part there may be one more level, for what it no longer limits, or none of what is expected of
    releases to come. What is expected is priced by the requirements: with others it is another loss, and the
    releases that are best in it are others.
    """
    repriced = free.requirements != policy.requirements
    nested = policy.recoding == "multidimensional"  # full domain suppresses exactly what breaks a part
    worth = dict(zip(policy.levels, present.values, strict=True))
    found: list[LevelCost] = []
    for number, level in enumerate(policy.levels):
        if level not in free.levels:
            continue
        at = free.levels.index(level)
        before = zip(free.levels[:at], without.values, strict=False)
        as_good = all(worth.get(one) == value for one, value in before) and not (
            repriced and any(AHEAD in one.losses for one in free.levels[: at + 1])
        )
        found.append(_level_cost(level, (number, at), present, without, as_good and nested))
    return tuple(found)


def _level_cost(
    level: Level, at: tuple[int, int], present: TrialOutcome, without: TrialOutcome, as_good: bool
) -> LevelCost:
    """Of a level, at its places with and without the part.

    `as_good`: releases with the part are some of those without it, and levels before are worth the same.
    """
    number, other = at
    comparable = (not number or present.proven(number - 1)) and (not other or without.proven(other - 1))
    least, floor = present.bounds[number], without.bounds[other]
    low = high = None
    if comparable:
        low = None if least is None else least - without.values[other]
        high = None if floor is None else present.values[number] - floor
        if low is not None and as_good:
            low = max(low, Fraction(0))
    return LevelCost(
        loss=level.name,
        present=present.values[number],
        without=without.values[other],
        low=low,
        high=high,
    )


def expensive_groups(problem: Problem, release: Release, most: int = 5) -> tuple[str, tuple[GroupShare, ...]]:
    """The groups with the largest part in the last loss that is a sum and is not 0, and that loss's name."""
    for level in reversed(problem.policy.levels):
        if all(loss(name).combine == "sum" for name in level.losses):
            shares = [level.of_group(group, problem) for group in release.groups]
            total = level.of_release(release, problem)
            if total:
                ranked = sorted(range(len(shares)), key=lambda i: (-shares[i], i))[:most]
                return level.name, tuple(
                    _share(i, release.groups[i], shares[i], total) for i in ranked if shares[i]
                )
    return "", ()


def _share(index: int, group: QIGroup, part: Fraction, total: Fraction) -> GroupShare:
    return GroupShare(
        number=index + 1,
        size=group.size,
        members=len(group.members),
        cells=tuple(str(cell) for cell in group.box or ()),
        loss=part,
        share=part / total,
    )
