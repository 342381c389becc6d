"""Sensitive values that requirements name, compared with those that there are: a mistyped one is nobody's."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import fields

from ..adversary.knowledge import Knowledge
from ..combination import fold
from ..errors import PolicyError
from ..requirement import Requirement
from ..sensitive import Sensitive
from ..spelling import shown

__all__ = ["protecting_some", "refuse_absent_values"]


def refuse_absent_values(
    requirements: Sequence[Requirement], sensitive: Sensitive, published: Collection[str]
) -> None:
    """See that values which requirements name are some that there are.

    One of several may be missing from this table: the next may have it. If none is there, nothing is asked.

    Parameters
    ----------
    requirements : sequence of Requirement
        Of the policy.
    sensitive : Sensitive
        The table's; values of its order are known, too.
    published : collection of str
        Values that the release may publish: of the table, of releases before, declared.

    Raises
    ------
    PolicyError
        If a name differs from a value in spelling only, or no protected value occurs.
    """
    known = {*published, *(sensitive.order or ())}
    folded: dict[str, list[str]] = {}
    for value in sorted(known):
        folded.setdefault(fold(value), []).append(value)
    for requirement in requirements:
        protected = _protected(requirement)
        for value in sorted((protected | _told(requirement)) - known):
            if alike := folded.get(fold(value)):
                raise PolicyError(
                    f"{requirement.name}: it names a value that differs in blanks, case or composed letters "
                    f"only from one of column {sensitive.name!r} ({shown([value, alike[0]])}), so it would "
                    "be about nobody: write it as the column does"
                )
        if protected and protected.isdisjoint(known):
            raise PolicyError(
                f"{requirement.name}: protected_values names {shown(sorted(protected))}, and column "
                f"{sensitive.name!r} has none of them, here or in earlier releases, so nothing would be "
                "asked: correct them, or if they are to come, declare them in the sensitive column's domain "
                "(values that counterfeits may have, too) or order"
            )


def protecting_some(requirements: Sequence[Requirement], known: Collection[str]) -> dict[str, list[str]]:
    """Values that requirements protect, by their names, for those that leave some of the known ones out."""
    found = {r.name: _protected(r) for r in requirements}
    return {name: sorted(some) for name, some in found.items() if some and not some.issuperset(known)}


def _protected(requirement: Requirement) -> frozenset[str]:
    """Values that a requirement is about by name; empty if it is about all values, or names none."""
    listed = getattr(requirement, "protected_values", None)  # of `LinkBudget`, or of one of your own
    return frozenset(listed or ())


def _told(requirement: Requirement) -> frozenset[str]:
    """Values in what an adversary is taken to know; they may be such as no table has."""
    found = set[str]()
    for field in fields(requirement):
        known = getattr(requirement, field.name)
        if isinstance(known, Knowledge):
            sets = (*known.excluded.values(), *known.priors.values())
            found.update(known.compromised.values(), *sets)
    return frozenset(found)
