"""What an audit says of each of several sensitive attributes.

Rows are published with all attributes, so the worlds are those of combinations: the audit asks about them.
A value of one attribute is possible if a combination with it is, and the probabilities of all these add up.
(Releases seen through one attribute alone allow more worlds, and would call people safe who are not.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np

from ....models.adversary.cells import Integers
from ....models.adversary.knowledge import Knowledge
from ....models.combination import part_of, parted
from ...worlds.possible import AnyPopulation, Possible, Verdict
from ...worlds.posterior import ValueProbabilities

__all__ = ["AttributeAudit", "attribute_audits", "seen_through"]

N = TypeVar("N", int, Fraction)


@dataclass(frozen=True, kw_only=True)
class AttributeAudit:
    """Conclusions about one attribute.

    Attributes
    ----------
    attribute : str
    disclosed : int
        Respondents with one possible value of it, unless knowledge alone tells that.
    undecided : int
        Respondents with one value found possible and others unknown.
    worst : Fraction or None
        Largest probability of any of its values, over respondents it is known for and not given.
    """

    attribute: str
    disclosed: int
    undecided: int
    worst: Fraction | None


def seen_through(combinations: Mapping[str, N], at: int) -> dict[str, N]:
    """Counts or probabilities of combinations, added up by the attribute with this number."""
    found: dict[str, N] = {}
    for value, number in combinations.items():
        part = part_of(value, [at])
        found[part] = found[part] + number if part in found else number
    return found


def attribute_audits(
    possible: Possible[AnyPopulation],
    counted: ValueProbabilities | None,
    knowledge: Knowledge,
    sensitive: str,
) -> tuple[tuple[AttributeAudit, ...], int]:
    """One audit per attribute, and how many respondents are disclosed by some; nothing for a single one."""
    names = parted(sensitive)
    if len(names) == 1:
        return (), 0
    asked = [_asked(possible, knowledge, at) for at in range(len(names))]
    found: list[AttributeAudit] = []
    known: list[Integers] = []
    for at, name in enumerate(names):
        left, sure = _values_left(possible, at)
        disclosed = left == 1
        found.append(
            AttributeAudit(
                attribute=name,
                disclosed=int(asked[at][disclosed].sum()),
                undecided=int(asked[at][(sure == 1) & (left > 1)].sum()),
                worst=None if counted is None else _worst(counted, asked[at], at),
            )
        )
        known.append(np.where(disclosed, asked[at], 0))
    return tuple(found), int(np.max(known, axis=0).sum())


def _asked(possible: Possible[AnyPopulation], knowledge: Knowledge, at: int) -> Integers:
    """Respondents per cell whose value of an attribute knowledge alone does not tell."""
    people = possible.population
    asked = people.asked.copy()
    for who in knowledge.about:
        left = {part_of(v, [at]) for v in knowledge.priors.get(who, ()) if knowledge.allows(who, v)}
        if who in people.cell_of and who not in people.given and len(left) == 1:
            asked[people.cell_of[who]] -= 1
    return asked


def _values_left(possible: Possible[AnyPopulation], at: int) -> tuple[Integers, Integers]:
    """Values of an attribute per cell that are not excluded, and those found possible."""
    system, names = possible.population.system, possible.population.values
    parts, number = np.unique([part_of(value, [at]) for value in names], return_inverse=True)
    verdicts = possible.verdicts[: len(system.cell)]

    def counted(which: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Integers:
        there = np.zeros((len(system.sizes), len(parts)), dtype=np.int64)
        there[system.cell[which], number[system.value[which]]] = 1
        return there.sum(axis=1)

    return counted(verdicts != Verdict.EXCLUDED), counted(verdicts == Verdict.POSSIBLE)


def _worst(counted: ValueProbabilities, asked: Integers, at: int) -> Fraction | None:
    people = counted.possible.population
    chances: dict[int, dict[str, Fraction] | None] = {}
    for cell, value, chance in zip(
        people.system.cell.tolist(), people.system.value.tolist(), counted.probabilities, strict=True
    ):
        own = chances.setdefault(cell, {})
        if chance is None:
            chances[cell] = None
        elif own is not None:
            own[people.values[value]] = chance
    return max(
        (max(seen_through(own, at).values()) for cell, own in chances.items() if own and asked[cell]),
        default=None,
    )
