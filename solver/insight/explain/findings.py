"""What `explain` finds, as values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ....models.problem import Problem
from ...parts import PolicyPart
from ...status import Status
from .costs import GroupShare, PartCost
from .people import Core
from .remedies import Remedy

__all__ = ["Conflict", "Findings"]


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """A minimal set of parts of the policy that cannot be kept together.

    Attributes
    ----------
    parts : tuple of PolicyPart
        No release keeps all of them, which is proven.
    minimal : bool
        Whether it is proven that any one of them can be dropped and the others kept.
    facts : tuple of str
        What in the table and the history makes it so.
    core : Core or None
        A smallest set of respondents that cannot all be published under these parts.
    """

    parts: tuple[PolicyPart, ...]
    minimal: bool
    facts: tuple[str, ...]
    core: Core | None

    @property
    def keys(self) -> frozenset[str]:
        """Keys of the parts."""
        return frozenset(part.key for part in self.parts)


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The values of an `Explanation`, which says what each means."""

    problem: Problem
    status: Status
    parts: tuple[PolicyPart, ...]
    conflicts: tuple[Conflict, ...] = ()
    repairs: tuple[tuple[PolicyPart, ...], ...] = ()
    complete: bool = False
    remedies: tuple[Remedy, ...] = ()
    hopeless: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    losses: tuple[tuple[str, Fraction, Fraction | None], ...] = ()
    costs: tuple[PartCost, ...] = ()
    groups_by: str = ""
    groups: tuple[GroupShare, ...] = ()
    cap: int | None = None
    searches: int = 0
    notes: tuple[str, ...] = ()
