"""What an audit says of each of several sensitive attributes.

Rows are published with all attributes, so the worlds are those of combinations: the audit asks about them.
A value of one attribute is possible if a combination with it is, and the probabilities of all these add up.
(Releases seen through one attribute alone allow more worlds, and would call people safe who are not.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeVar

import numpy as np

from ....models.adversary.cells import Integers
from ....models.adversary.knowledge import Knowledge
from ....models.combination import part_of, parted
from ...worlds.possible import AnyPopulation, Possible, Verdict
from ...worlds.posterior import ValueProbabilities

__all__ = ["AttributeAudit", "attribute_audits", "parts_left", "seen_through", "told_before"]

N = TypeVar("N", int, Fraction)
P = TypeVar("P", bound=AnyPopulation)

Pairs: TypeAlias = np.ndarray[tuple[int], np.dtype[np.bool_]]


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
    possible: Possible[P],
    counted: ValueProbabilities | None,
    knowledge: Knowledge,
    sensitive: str,
) -> tuple[tuple[AttributeAudit, ...], int]:
    """One audit per attribute, and how many respondents are disclosed by some; nothing for a single one."""
    names = parted(sensitive)
    if len(names) == 1:
        return (), 0
    people = possible.population
    told = [told_before(people, knowledge, at) for at in range(len(names))]
    asked = [_asked(people, who) for who in told]
    found: list[AttributeAudit] = []
    known: list[Pairs] = []
    for at, name in enumerate(names):
        verdicts = possible.verdicts[: len(people.system.cell)]
        left = parts_left(people, at, verdicts != Verdict.EXCLUDED)
        sure = parts_left(people, at, verdicts == Verdict.POSSIBLE)
        disclosed = left == 1
        found.append(
            AttributeAudit(
                attribute=name,
                disclosed=int(asked[at][disclosed].sum()),
                undecided=int(asked[at][(sure == 1) & (left > 1)].sum()),
                worst=None if counted is None else _worst(counted, asked[at], at),
            )
        )
        known.append(disclosed)
    spared = frozenset(
        who
        for who in frozenset().union(*told)
        if all(who in told[at] for at in range(len(names)) if known[at][people.cell_of[who]])
    )
    return tuple(found), int(_asked(people, spared)[np.any(known, axis=0)].sum())


def _asked(people: AnyPopulation, spared: Iterable[str]) -> Integers:
    """Respondents per cell who are asked about, without those who are spared."""
    asked = people.asked.copy()
    for who in spared:
        asked[people.cell_of[who]] -= 1
    return asked


def told_before(people: AnyPopulation, knowledge: Knowledge, at: int) -> frozenset[str]:
    """Respondents whose value of an attribute knowledge alone tells, though not that of all attributes."""
    return frozenset(
        who
        for who in knowledge.about
        if who in people.cell_of
        and who not in people.given
        and len({part_of(v, [at]) for v in knowledge.priors.get(who, ()) if knowledge.allows(who, v)}) == 1
    )


def parts_left(people: AnyPopulation, at: int, which: Pairs) -> Integers:
    """How many values of an attribute each cell has among some pairs of cell and combination."""
    system = people.system
    parts, number = np.unique([part_of(value, [at]) for value in people.values], return_inverse=True)
    there = np.zeros((len(system.sizes), len(parts)), dtype=np.int64)
    there[system.cell[which], number[system.value[which]]] = 1
    return there.sum(axis=1)


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
