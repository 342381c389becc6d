"""What follows for values that change freely: releases are independent.

Somebody in groups A_1, A_2, ... of which n_i tuples have a value had it at least once with probability
``1 - prod(1 - n_i / |A_i|)`` (Fu, Wang, Wong et al.). Of several attributes each is asked about.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod

from ....models.combination import parted
from ....models.history import History
from .attribute_audit import seen_through

__all__ = ["TransientAudit", "chances_of_ever", "transient_audit"]


@dataclass(frozen=True, kw_only=True)
class TransientAudit:
    """Conclusions about values that change freely.

    Attributes
    ----------
    certain : int
        Respondents who certainly had some value at some time.
    worst : Fraction
        Largest probability that a respondent ever had a value.
    """

    certain: int
    worst: Fraction


def chances_of_ever(history: History, number: int) -> dict[str, Fraction]:
    """For everybody in the first so many releases, how likely they are to have had their likeliest value."""
    attributes = range(len(parted(history[0].sensitive)))
    single = len(attributes) == 1  # its values may have the separator in them
    known: dict[tuple[tuple[int, int], ...], Fraction] = {}
    found: dict[str, Fraction] = {}
    for who, record in history.records.items():
        places = tuple(where for where in record.groups if where[0] < number)
        if not places:
            continue
        if places not in known:
            groups = [history.group(*where) for where in places]
            never = min(
                prod(group.size - seen.get(value, 0) for group, seen in zip(groups, view, strict=True))
                for view in (
                    [g.histogram if single else seen_through(g.histogram, at) for g in groups]
                    for at in attributes
                )
                for value in {value for seen in view for value in seen}
            )
            known[places] = 1 - Fraction(never, prod(group.size for group in groups))
        found[who] = known[places]
    return found


def transient_audit(history: History, number: int) -> TransientAudit:
    """The adversary who holds the first so many releases."""
    chances = chances_of_ever(history, number).values()
    return TransientAudit(
        certain=sum(chance == 1 for chance in chances), worst=max(chances, default=Fraction(0))
    )
