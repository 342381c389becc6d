"""What parts of a policy say of the whole: a bound, and duals as a guide to the groups that matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from .....models.problem import Problem
from .....models.release import Release
from ....claims import (
    Claim,
    Part,
    PartRefusal,
    Plain,
    Sized,
    Within,
)
from ....settings import Answer, Clock, Settings
from ....status import Status
from .columns import NamedColumn
from .measure import PricedPart, ReducedCosts
from .part import factor_of

__all__ = ["Guide", "Guiding", "Levels"]

Levels = tuple[Fraction | None, ...]


@dataclass(frozen=True, kw_only=True)
class Guide:
    """What the parts solved so far say of the whole problem.

    Attributes
    ----------
    problem : Problem
        The whole.
    levels : tuple of Fraction or None
        Bounds of the parts, given that a release is at them in all levels before.
    releases : tuple of Release
        Of the parts; they need not keep the whole policy.
    claims : tuple of Claim
        What proves the bounds.
    refusal : PartRefusal or None
        Why a part has no release.
    infeasible : bool
        Whether a part has no release, so the whole has none.
    interrupted : bool
    solved : PricedPart or None
        The part whose duals measure groups, if there is one: then the bounds are its own.
    verdicts : dict
        On groups, shared between measures.
    """

    problem: Problem
    levels: Levels
    releases: tuple[Release, ...] = ()
    claims: tuple[Claim, ...] = ()
    refusal: PartRefusal | None = None
    infeasible: bool = False
    interrupted: bool = False
    solved: PricedPart | None = None
    verdicts: dict[NamedColumn, bool] = field(default_factory=dict[NamedColumn, bool])

    @property
    def ended(self) -> bool:
        """Whether no further part is to be solved."""
        return self.infeasible or self.interrupted

    def after(self, part: Part, answer: Answer, held: Claim | None, levels: Levels) -> Guide:
        """With the answer to one more part, whose claims are `held`."""
        refusal = self.refusal
        if answer.refusal is not None and not isinstance(answer.refusal, PartRefusal):
            refusal = PartRefusal(part=part, refusal=answer.refusal)
        return replace(
            self,
            levels=levels,
            releases=(*self.releases, *(() if answer.release is None else (answer.release,))),
            claims=(*self.claims, *(() if held is None else (held,))),
            refusal=refusal,
            infeasible=answer.status is Status.INFEASIBLE,
            interrupted=answer.interrupted,
        )

    # -- what it says of the whole problem ---------------------------------------------------

    def bounds(self, values: tuple[Fraction, ...] | None = None) -> list[Fraction | None]:
        """Bounds per level, given the values of the best release so far."""
        if self.solved is None:
            return self._chained(values)
        measure = self._measure(self.solved, values)
        return [None] * len(self.levels) if measure is None else measure.bounds(measure.known)

    def _chained(self, values: tuple[Fraction, ...] | None) -> list[Fraction | None]:
        """A level's bound is about releases whose levels before are what the part's are."""
        before = () if values is None else values
        return [bound if before[:i] == self.levels[:i] else None for i, bound in enumerate(self.levels)]

    def claims_for(self, values: tuple[Fraction, ...] | None) -> tuple[Claim, ...]:
        """The claims that bound releases with these values in the levels before."""
        known = self.bounds(values)
        found: list[Claim] = []
        for claim in self.claims:
            if not isinstance(claim, Within):
                found.append(claim)
                continue
            first = claim.part.start if isinstance(claim.part, Sized) else 0
            if isinstance(claim.part, Plain):
                kept = claim.claims if known[-1] is not None else ()
            else:
                kept = tuple(own for own in claim.claims if known[first + own.level] is not None)
            found += [claim.model_copy(update={"claims": kept})] if kept else []
        return tuple(found)

    def measure(self, values: tuple[Fraction, ...] | None, clock: Clock) -> ReducedCosts | None:
        """How groups are measured below the best release; None if no duals say anything of it."""
        if self.solved is None or values is None:
            return None
        return self._measure(self.solved, values, clock)

    def _measure(
        self, solved: PricedPart, values: tuple[Fraction, ...] | None, clock: Clock | None = None
    ) -> ReducedCosts | None:
        """The last level at the duals of a part.

        Levels before the last must be 0 in the best release: then they are in every better one, and the
        last level is compared among releases without what they count.
        """
        policy = self.problem.policy
        before = policy.levels[:-1]
        if before and (values is None or any(values[:-1])):
            return None
        gone = {what for level in before for what in level.counted}
        limits = {"suppressed": "max_suppressed", "counterfeits": "max_counterfeits"}
        changes = {limit: 0 for name, limit in limits.items() if name in gone}
        if changes.get("max_counterfeits", policy.counterfeit_limit) != 0:
            return None
        problem = replace(self.problem, policy=policy.changed(**changes)) if changes else self.problem
        best = None if values is None else values[-1]
        return ReducedCosts(problem, factor_of(problem), solved, best, clock or Clock(), self.verdicts)


Guiding = Callable[[Problem, Settings, Clock, Callable[[Fraction], None]], Iterator[Guide]]
"""Solves parts of a problem; a guide after each, and bounds on its only level as soon as they are known."""
