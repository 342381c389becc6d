"""The named attacks, one by one: how many respondents each of them puts at risk after each release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ....models.errors import ReleaseError
from ....models.exact_numbers import exact_number
from ....models.history import History
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
        Respondents of the violations found; None if the attack is not defined for the series.
    reason : str or None
        Why it is not.
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
        Sets of fewer people, and records that fit fewer, are at risk.
    c : rational
        So are sets in which a value has a larger share.
    n : int
        Historical correlations that fewer than n known persons exploit.

    Returns
    -------
    tuple of Requirement
        To be given to `audit` as `attacks`.
    """
    share = exact_number(c)
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
                who = {who for seen in requirement.check(release, past) for who in seen.respondents}
            except ReleaseError as error:
                row.append(Attack(requirement=str(requirement), at_risk=None, reason=str(error)))
                continue
            row.append(Attack(requirement=str(requirement), at_risk=len(who), respondents=frozenset(who)))
        found.append(tuple(row))
        past.append(release)
    return found
