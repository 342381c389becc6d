"""The named attacks, one by one: how many respondents each of them puts at risk after each release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ....models.errors import EngineError, ReleaseError
from ....models.history import History
from ....models.parameters import as_fraction
from ....models.requirement import Requirement
from ....models.requirements import Difference, HcSafety, Intersection, RecordTracing

__all__ = ["Attack", "run_attacks", "usual_attacks"]


@dataclass(frozen=True, kw_only=True)
class Attack:
    """What one attack does when a release is added to those before it.

    Attributes
    ----------
    requirement : str
        The requirement that guards against it, with its thresholds.
    at_risk : int or None
        Respondents of the violations found; None if the attack is not defined for the series, or would take
        too long to tell.
    reason : str or None
        Why it is not known.
    respondents : frozenset of str
        Who is at risk; for the steward's eyes.
    """

    requirement: str
    at_risk: int | None
    reason: str | None = None
    respondents: frozenset[str] = field(default=frozenset(), repr=False)


def usual_attacks(k: int = 2, c: Fraction | float | str = "1/2", n: int = 2) -> tuple[Requirement, ...]:
    """Difference, intersection, tracing and historical correlations with common thresholds.

    Parameters
    ----------
    k : int
        Sets of fewer tuples, and records that fit fewer people, are at risk; 1 or more.
    c : rational
        So are sets in which a value has a larger share; above 0, at most 1.
    n : int
        Historical correlations that fewer than n known persons exploit; 1 or more.

    Returns
    -------
    tuple of Requirement
        To be given to `audit` as `attacks`.

    Raises
    ------
    PolicyError
        If one of them is out of its range.
    """
    share = as_fraction("usual_attacks", "c", c)
    return (
        Difference(k=k, c=share),
        Intersection(c=share),
        RecordTracing(k=k),
        HcSafety(n=n, reading="definition"),
    )


def run_attacks(history: History, attacks: Sequence[Requirement]) -> list[tuple[Attack, ...]]:
    """Each attack on each release, given those before it."""
    past = History()
    found: list[tuple[Attack, ...]] = []
    for release in history:
        row: list[Attack] = []
        for requirement in attacks:
            try:
                violations = list(requirement.check(release, past))
                # A policy may leave out nobody who is traced; to an adversary tracing is not defined then.
                reason = next((seen.message for seen in violations if "suppressed" in seen.witness), None)
            except (EngineError, ReleaseError) as error:
                violations, reason = [], str(error)
            if reason is not None:
                row.append(Attack(requirement=str(requirement), at_risk=None, reason=reason))
                continue
            who = frozenset(who for seen in violations for who in seen.respondents)
            row.append(Attack(requirement=str(requirement), at_risk=len(who), respondents=who))
        found.append(tuple(row))
        past.append(release)
    return found
