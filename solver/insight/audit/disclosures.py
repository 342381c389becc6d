"""Who is disclosed, by how strong an argument, and which groups give them away."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np

from ....models.adversary.boxes import BoxPopulation
from ....models.adversary.cells import Integers, Population
from ....models.adversary.knowledge import Knowledge
from ....models.combination import part_of, parted
from ....models.history import History
from ...settings import Clock
from ...worlds.possible import AnyPopulation, Possible, Verdict
from .attribute_audit import Pairs, parts_left, told_before
from .audit_report import HOW, Disclosure, How
from .explain_value import ValueExplanation, explain_value

__all__ = ["explanations_of", "find_disclosures", "values_left"]


def values_left(possible: Possible[AnyPopulation]) -> dict[How, Integers]:
    """Values not excluded per cell, after each step."""
    system = possible.population.system
    return {
        how: np.bincount(system.cell[which], minlength=len(system.sizes))
        for how, which in _left(possible).items()
    }


def _left(possible: Possible[AnyPopulation]) -> dict[How, Pairs]:
    """Pairs not excluded after each step."""
    asked = len(possible.population.system.cell)
    return {
        "set intersection": np.ones(asked, dtype=np.bool_),
        "propagation": possible.propagated.upper[:asked] > 0,
        "exact": possible.verdicts[:asked] != Verdict.EXCLUDED,
    }


def find_disclosures(
    possible: Possible[AnyPopulation], knowledge: Knowledge, sensitive: str
) -> tuple[Disclosure, ...]:
    """Everybody with one value left, apart from those whose value was given.

    Of several attributes: who has one combination left is disclosed once, anybody else once for each
    attribute with one value left that knowledge alone does not tell.
    """
    people, names = possible.population, parted(sensitive)
    found = _with_one_left(possible, values_left(possible), people.given)
    whole = people.given | {disclosure.respondent for disclosure in found}
    for at, name in enumerate(names if len(names) > 1 else ()):
        left: dict[How, Integers] = {
            how: parts_left(people, at, which) for how, which in _left(possible).items()
        }
        apart = _with_one_left(possible, left, whole | told_before(people, knowledge, at))
        found += [replace(one, value=part_of(one.value, [at]), attribute=name) for one in apart]
    return tuple(found)


def _with_one_left(
    possible: Possible[AnyPopulation], left: dict[How, Integers], spared: AbstractSet[str]
) -> list[Disclosure]:
    """Who has one value left in the end, with a possible value that it is (part of), except those spared."""
    people = possible.population
    single = {
        int(cell): people.values[int(value)]
        for cell, value, verdict in zip(
            people.system.cell,
            people.system.value,
            possible.verdicts[: len(people.system.cell)],
            strict=True,
        )
        if verdict == Verdict.POSSIBLE and left["exact"][cell] == 1
    }
    return [
        Disclosure(respondent=who, value=single[cell], how=next(how for how in HOW if left[how][cell] == 1))
        for who, cell in people.cell_of.items()
        if cell in single and who not in spared
    ]


def explanations_of(
    history: History,
    possible: Possible[AnyPopulation],
    disclosures: tuple[Disclosure, ...],
    examples: int,
    clock: Clock,
) -> tuple[ValueExplanation, ...]:
    """Of one respondent per cell (and attribute), the hardest to see first."""
    people = possible.population
    found: list[ValueExplanation] = []
    seen: set[tuple[int, str | None]] = set()
    for disclosure in sorted(disclosures, key=lambda d: -HOW.index(d.how)):
        kind = people.cell_of[disclosure.respondent], disclosure.attribute
        if len(found) >= examples or clock.over:
            break
        if kind in seen:
            continue
        seen.add(kind)
        explanation = _explanation(history, possible, disclosure, clock)
        if explanation is not None:
            found.append(explanation)
    return tuple(found)


def _explanation(
    history: History, possible: Possible[AnyPopulation], disclosure: Disclosure, clock: Clock
) -> ValueExplanation | None:
    people, who = possible.population, disclosure.respondent
    named = frozenset[int]().union(*(possible.support(j) for j in possible.pairs_of(who)))
    names, attribute = parted(history[-1].sensitive), disclosure.attribute
    parts = {v: v if attribute is None else part_of(v, [names.index(attribute)]) for v in people.values}
    found = ValueExplanation(
        respondent=who,
        excluded=frozenset(value for value, part in parts.items() if part != disclosure.value),
        groups=(),
        irreducible=False,
        own=disclosure.value,
        attribute=attribute,
    )
    if isinstance(people, BoxPopulation):
        # The groups its proofs name; where she was is part of the conclusion, so none is left out again.
        own = [where for where in history.records[who].groups if where in set(people.groups)]
        return replace(found, groups=tuple(sorted({*own, *(people.groups[g] for g in named)})))
    if not found.excluded:
        # There is no other published value to explain away: any one of the respondent's groups tells.
        first = next(where for where in history.records[who].groups if where in set(people.groups))
        return replace(found, groups=(first,), irreducible=True)
    hint = _hint(possible, people, who, named)
    shown = explain_value(people, who, found.excluded, clock=clock, hint=hint)
    return None if shown is None else replace(found, groups=shown.groups, irreducible=shown.irreducible)


def _hint(
    possible: Possible[AnyPopulation], people: Population, who: str, named: frozenset[int]
) -> frozenset[int]:
    """Groups that exclude all other values: those without the value, and what the proofs name."""
    system = people.system
    own = [g for g in system.patterns[people.cell_of[who]].tolist() if g >= 0]
    left = {int(system.value[j]) for j in possible.pairs_of(who)}
    found: set[int] = set()
    for v in range(len(people.values)):
        if v not in left and not any(not system.counts[g, v] for g in found):
            found.update([g for g in own if not system.counts[g, v]][:1])
    return frozenset(found | named | set(own[:1]))
