"""Combinations of quasi-identifiers: what a correlation of several attributes is about.

A *combination* of some attributes is one value of each. A published row shows it if it hides none of
these cells; which rows hide a cell follows from published columns alone (`QIGroup.starred`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from .box import Exact
from .group import QIGroup

__all__ = ["antecedents", "combination", "positions", "shown"]


def antecedents(attributes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All non-empty subsets of some positions of quasi-identifiers, small ones first."""
    for size in range(1, len(attributes) + 1):
        yield from combinations(attributes, size)


def positions(attribute: int | Sequence[int]) -> Sequence[int]:
    """Of one quasi-identifier, or of several."""
    return (attribute,) if isinstance(attribute, int) else attribute


def combination(point: Sequence[Exact], attributes: Sequence[int]) -> str:
    """The values of some quasi-identifiers as one text; different values give different texts."""
    if len(attributes) == 1:
        return str(point[attributes[0]])
    return " & ".join(str(point[a]).replace("&", "&&") for a in attributes)


def shown(group: QIGroup, attributes: Sequence[int]) -> Counter[str]:
    """How many rows of an anatomized group show each combination of some attributes."""
    starred = group.starred if group.hidden else frozenset[tuple[str, int]]()
    return Counter(
        combination(member.point, attributes)
        for member in group.members
        if not any((member.respondent, a) in starred for a in attributes)
    )
