"""Which releases a bound must be about: those as good as the certificate's on the levels before.

A level is a sum of losses, none below 0, with weights above 0. So a release that is as good on it has at
most ``value / weight`` counterfeits or suppressed tuples if the level names them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal

from ...models.problem import Problem
from ...models.release import Release
from ..settings import Clock
from .lattice import Best, least

__all__ = ["Given"]


@dataclass(frozen=True, kw_only=True)
class Given:
    """A problem, and the values its release reaches.

    Attributes
    ----------
    problem : Problem
    values : tuple of Fraction
        Recomputed, not read from the certificate.
    release : Release or None
        The release itself, where a bound may be told relative to it.
    clock : Clock
        What cannot be derived in time stays undecided.
    workers : int
        Threads; they change nothing of what is derived.
    """

    problem: Problem
    values: tuple[Fraction, ...]
    release: Release | None = None
    clock: Clock = field(default_factory=Clock)
    workers: int = 1

    def over(self) -> bool:
        """Whether time has passed."""
        return self.clock.over

    def most(self, what: Literal["counterfeits", "suppressed"], level: int) -> int | None:
        """Most counterfeits or suppressed tuples of releases that matter for a level; None for any number."""
        policy = self.problem.policy
        if what == "suppressed":
            limit: int | None = policy.suppression_limit(len(self.problem.table))
        else:
            limit = policy.counterfeit_limit
        for before, value in zip(policy.levels[:level], self.values, strict=False):
            for name, weight in before.weights:
                if name == what:
                    most = int(value / weight)
                    limit = most if limit is None else min(limit, most)
        return limit

    @cached_property
    def recoding(self) -> Best | None:
        """The lattice of full-domain recoding, evaluated as far as it may be better."""
        return least(self.problem, self.values, self.clock)
