"""Who is disclosed, by how strong an argument, and which groups give them away."""

from __future__ import annotations

import numpy as np

from ....models.adversary.boxes import BoxPopulation
from ....models.adversary.cells import Integers, Population
from ....models.history import History
from ...settings import Clock
from ...worlds.possible import AnyPopulation, Possible, Verdict
from .audit_report import HOW, Disclosure, How
from .explain_value import ValueExplanation, explain_value

__all__ = ["explanations_of", "find_disclosures", "values_left"]


def values_left(possible: Possible[AnyPopulation]) -> dict[How, Integers]:
    """Values not excluded per cell, after each step."""
    system = possible.population.system
    asked = len(system.cell)
    alive = possible.propagated.upper[:asked] > 0
    exact = possible.verdicts[:asked] != Verdict.EXCLUDED
    return {
        "set intersection": system.per_cell,
        "propagation": np.bincount(system.cell[alive], minlength=len(system.sizes)),
        "exact": np.bincount(system.cell[exact], minlength=len(system.sizes)),
    }


def find_disclosures(possible: Possible[AnyPopulation]) -> tuple[Disclosure, ...]:
    """Everybody with one value left, apart from those whose value was given."""
    people = possible.population
    left = values_left(possible)
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
    return tuple(
        Disclosure(respondent=who, value=single[cell], how=next(how for how in HOW if left[how][cell] == 1))
        for who, cell in people.cell_of.items()
        if cell in single and who not in people.given
    )


def explanations_of(
    history: History,
    possible: Possible[AnyPopulation],
    disclosures: tuple[Disclosure, ...],
    examples: int,
    clock: Clock,
) -> tuple[ValueExplanation, ...]:
    """Of one respondent per cell, the hardest to see first."""
    people = possible.population
    found: list[ValueExplanation] = []
    seen: set[int] = set()
    for disclosure in sorted(disclosures, key=lambda d: -HOW.index(d.how)):
        cell = people.cell_of[disclosure.respondent]
        if len(found) >= examples or clock.over:
            break
        if cell in seen:
            continue
        seen.add(cell)
        explanation = _explanation(history, possible, disclosure, clock)
        if explanation is not None:
            found.append(explanation)
    return tuple(found)


def _explanation(
    history: History, possible: Possible[AnyPopulation], disclosure: Disclosure, clock: Clock
) -> ValueExplanation | None:
    people, who = possible.population, disclosure.respondent
    named = frozenset[int]().union(*(possible.support(j) for j in possible.pairs_of(who)))
    if isinstance(people, BoxPopulation):
        # The groups its proofs name; where she was is part of the conclusion, so none is left out again.
        own = [where for where in history.records[who].groups if where in set(people.groups)]
        return ValueExplanation(
            respondent=who,
            excluded=frozenset(people.values) - {disclosure.value},
            groups=tuple(sorted({*own, *(people.groups[g] for g in named)})),
            irreducible=False,
            own=disclosure.value,
        )
    if len(people.values) == 1:
        # There is no other published value to explain away: any one of the respondent's groups tells.
        first = next(where for where in history.records[who].groups if where in set(people.groups))
        return ValueExplanation(
            respondent=who, excluded=frozenset(), groups=(first,), irreducible=True, own=disclosure.value
        )
    return explain_value(
        people, who, own=disclosure.value, clock=clock, hint=_hint(possible, people, who, named)
    )


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
