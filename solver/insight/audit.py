"""What an adversary who holds all releases can conclude, exactly; also for releases made elsewhere.

Requirements judge groups, pairs of releases, single attacks. The audit asks the question itself:
whose value is certain, how likely is the likeliest one, and which groups give it away? It does so
for the adversary after each release, who holds that one and all before it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, Literal, TypeAlias

import numpy as np

from ...models.adversary.cells import Integers, Population, population
from ...models.adversary.knowledge import Knowledge
from ...models.errors import InputError
from ...models.history import History
from ..settings import Clock
from .explain_value import Explanation, explain_value
from .possible import Possible, Verdict, possible_values
from .posterior import posterior as count_worlds

__all__ = ["AuditReport", "Disclosure", "How", "PersistentAudit", "ReleaseAudit", "TransientAudit", "audit"]

How: TypeAlias = Literal["set intersection", "propagation", "exact"]
_HOW: tuple[How, ...] = ("set intersection", "propagation", "exact")


@dataclass(frozen=True, kw_only=True)
class PersistentAudit:
    """Conclusions about values that never change.

    Attributes
    ----------
    set_intersection, propagation, exact : int
        Respondents with one possible value: by intersecting the values of their groups, by bounds
        besides, and in all possible worlds. Each includes the one before. Respondents
        whose value the adversary was given do not count.
    undecided : int
        Respondents with one value found possible and others unknown: `exact` is too small by at
        most so many.
    unknown : int
        Pairs (kind of respondent, value) not decided in time.
    worst : Fraction or None
        Largest probability of any value of any respondent not given, over those it is known for.
        None if it is not known for anybody or was not asked for.
    without_posterior : int
        Respondents whose probabilities are not known because there are too many worlds.
    searched, open_pairs : int
        Components the solver was asked about, and pairs in the largest.
    """

    set_intersection: int
    propagation: int
    exact: int
    undecided: int
    unknown: int
    worst: Fraction | None
    without_posterior: int
    searched: int
    open_pairs: int


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


@dataclass(frozen=True, kw_only=True)
class ReleaseAudit:
    """The adversary after one release.

    Attributes
    ----------
    release : int
        Number of the release, from 1; all up to it are known.
    respondents, given : int
        Respondents published so far, and those of them whose value the adversary was given.
    persistent, transient
        Conclusions; None if that adversary was not asked for.
    seconds : float
        Wall time.
    """

    release: int
    respondents: int
    given: int
    persistent: PersistentAudit | None
    transient: TransientAudit | None
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Disclosure:
    """A respondent with one possible value, and what was needed to see it."""

    respondent: str = field(repr=False)
    value: str = field(repr=False)
    how: How


@dataclass(frozen=True, kw_only=True)
class AuditReport:
    """What `audit` found.

    Attributes
    ----------
    releases : tuple of ReleaseAudit
        One per release.
    disclosures : tuple of Disclosure
        After the last release; for the steward's eyes.
    explanations : tuple of Explanation
        Of some disclosures, those hardest to see first.
    """

    releases: tuple[ReleaseAudit, ...]
    disclosures: tuple[Disclosure, ...] = field(repr=False)
    explanations: tuple[Explanation, ...] = field(repr=False)
    history: History = field(repr=False)
    knowledge: Knowledge = field(repr=False)

    @property
    def complete(self) -> bool:
        """Whether every question about possible values was decided."""
        return all(entry.persistent is None or not entry.persistent.unknown for entry in self.releases)

    @cached_property
    def disclosed(self) -> frozenset[str]:
        """Respondents whose value is certain after the last release (steward's own eyes only)."""
        return frozenset(found.respondent for found in self.disclosures)

    def texts(self, *, show_ids: bool = False) -> tuple[str, ...]:
        """The explanations in words."""
        return tuple(e.text(self.history, self.knowledge, show_ids=show_ids) for e in self.explanations)

    def to_dict(self, *, show_ids: bool = False) -> dict[str, Any]:
        """Plain values JSON can hold; fractions as text. No respondent is named unless asked."""
        found: dict[str, Any] = {
            "persistence": self.knowledge.persistence,
            "complete": self.complete,
            "releases": [_plain(asdict(entry)) for entry in self.releases],
            "explanations": list(self.texts(show_ids=show_ids)),
        }
        if show_ids:
            found["disclosures"] = [asdict(disclosure) for disclosure in self.disclosures]
        return found


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _plain(value)
        if isinstance(value, dict)
        else str(value)
        if isinstance(value, Fraction)
        else value
        for key, value in entry.items()
    }


def audit(
    history: History,
    knowledge: Knowledge | None = None,
    *,
    time_limit: float | None = None,
    posterior: bool = True,
    explain: bool = True,
    examples: int = 10,
) -> AuditReport:
    """Audit a series of releases.

    Parameters
    ----------
    history : History
        At least one release with a group.
    knowledge : Knowledge, optional
        What the adversary knows besides; default: nothing, and values never change.
    time_limit : float, optional
        Seconds of wall time for searching; the last release is audited first and gets up to half of
        it. Questions not decided are reported as unknown. Without a limit all are decided.
    posterior : bool
        Whether to compute probabilities.
    explain : bool
        Whether to explain disclosures.
    examples : int
        At most so many explanations.

    Raises
    ------
    InputError
        If the history or the knowledge is not usable, see `population`.
    ReleaseError
        If values that never change differ between two releases.
    """
    known = Knowledge() if knowledge is None else knowledge
    if time_limit is not None and not time_limit > 0:
        raise InputError(f"time_limit must be more than 0 seconds, got {time_limit}")
    if not len(history):
        raise InputError("the history is empty: append a release first")
    clock = Clock(time_limit)
    first = Clock(None if time_limit is None else time_limit / 2)
    numbers = range(len(history), 0, -1)
    disclosures: tuple[Disclosure, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    decided: dict[int, tuple[Possible, float]] = {}
    if known.persistence != "transient":
        for number in numbers:
            watch = Clock()
            last = number == len(history)
            people = population(history, known, number)
            decided[number] = possible_values(people, first if last else clock), watch.seconds
        disclosures = _disclosures(decided[len(history)][0])
        if explain:
            explanations = _explanations(decided[len(history)][0], disclosures, examples, clock)
    # Probabilities last: they are the dearest, and worlds can only be counted for small components.
    audits = [
        _entry(history, known, number, decided.get(number), clock if posterior else None)
        for number in numbers
    ]
    return AuditReport(
        releases=tuple(reversed(audits)),
        disclosures=disclosures,
        explanations=explanations,
        history=history,
        knowledge=known,
    )


def _entry(
    history: History,
    knowledge: Knowledge,
    number: int,
    decided: tuple[Possible, float] | None,
    clock: Clock | None,
) -> ReleaseAudit:
    """The adversary who holds the first so many releases."""
    watch = Clock()
    given, persistent, seconds = 0, None, 0.0
    if decided is not None:
        possible, seconds = decided
        given = int(possible.population.system.sizes[possible.population.given].sum())
        persistent = _persistent(possible, clock)
    transient = None if knowledge.persistence == "persistent" else _transient(history, number)
    return ReleaseAudit(
        release=number,
        respondents=sum(record.first < number for record in history.records.values()),
        given=given,
        persistent=persistent,
        transient=transient,
        seconds=round(seconds + watch.seconds, 3),
    )


def _left(possible: Possible) -> dict[How, Integers]:
    """Values not excluded per cell, after each step."""
    system = possible.population.system
    alive = possible.propagated.upper > 0
    exact = possible.verdicts != Verdict.EXCLUDED
    return {
        "set intersection": system.per_cell,
        "propagation": np.bincount(system.cell[alive], minlength=len(system.sizes)),
        "exact": np.bincount(system.cell[exact], minlength=len(system.sizes)),
    }


def _persistent(possible: Possible, clock: Clock | None) -> PersistentAudit:
    people = possible.population
    system = people.system
    sizes = np.where(people.given, 0, system.sizes)
    disclosed = {how: int(sizes[left == 1].sum()) for how, left in _left(possible).items()}
    unknown = possible.verdicts == Verdict.UNKNOWN
    sure = np.bincount(system.cell[possible.verdicts == Verdict.POSSIBLE], minlength=len(sizes))
    doubtful = np.bincount(system.cell[unknown], minlength=len(sizes)) > 0
    worst, without = None, 0
    if clock is not None:
        chances = count_worlds(possible, clock=clock).probabilities
        cells = system.cell.tolist()
        missing = {cell for cell, chance in zip(cells, chances, strict=True) if chance is None}
        without = int(sizes[sorted(missing)].sum()) if missing else 0
        worst = max(
            (
                chance
                for cell, chance in zip(cells, chances, strict=True)
                if chance is not None and sizes[cell] and cell not in missing
            ),
            default=None,
        )
    return PersistentAudit(
        set_intersection=disclosed["set intersection"],
        propagation=disclosed["propagation"],
        exact=disclosed["exact"],
        undecided=int(sizes[(sure == 1) & doubtful].sum()),
        unknown=int(unknown.sum()),
        worst=worst,
        without_posterior=without,
        searched=possible.searched,
        open_pairs=possible.open_pairs,
    )


def _transient(history: History, number: int) -> TransientAudit:
    known: dict[tuple[tuple[int, int], ...], Fraction] = {}
    certain, worst = 0, Fraction(0)
    for record in history.records.values():
        places = tuple(where for where in record.groups if where[0] < number)
        if not places:
            continue
        if places not in known:
            groups = [history.group(*where) for where in places]
            values = {value for group in groups for value in group.histogram}
            never = min(prod(g.size - g.histogram.get(value, 0) for g in groups) for value in values)
            known[places] = 1 - Fraction(never, prod(group.size for group in groups))
        certain += known[places] == 1
        worst = max(worst, known[places])
    return TransientAudit(certain=certain, worst=worst)


def _disclosures(possible: Possible) -> tuple[Disclosure, ...]:
    people = possible.population
    left = _left(possible)
    single = {
        int(cell): people.values[int(value)]
        for cell, value, verdict in zip(
            people.system.cell, people.system.value, possible.verdicts, strict=True
        )
        if verdict == Verdict.POSSIBLE and left["exact"][cell] == 1 and not people.given[cell]
    }
    return tuple(
        Disclosure(respondent=who, value=single[cell], how=next(how for how in _HOW if left[how][cell] == 1))
        for who, cell in people.cell_of.items()
        if cell in single
    )


def _explanations(
    possible: Possible, disclosures: tuple[Disclosure, ...], examples: int, clock: Clock
) -> tuple[Explanation, ...]:
    """Of one respondent per cell, the hardest to see first."""
    people = possible.population
    found: list[Explanation] = []
    seen: set[int] = set()
    for disclosure in sorted(disclosures, key=lambda d: -_HOW.index(d.how)):
        cell = people.cell_of[disclosure.respondent]
        if len(found) >= examples or clock.over:
            break
        if cell in seen or len(people.values) == 1:
            continue
        seen.add(cell)
        hint = _hint(possible, disclosure.respondent)
        explanation = explain_value(
            people, disclosure.respondent, own=disclosure.value, clock=clock, hint=hint
        )
        if explanation is not None:
            found.append(explanation)
    return tuple(found)


def _hint(possible: Possible, who: str) -> frozenset[int]:
    """Groups that exclude all other values: those without the value, and what the proofs name."""
    system = possible.population.system
    cell = possible.population.cell_of[who]
    pairs = list(possible.pairs_of(who))
    found: set[int] = set()
    own = [g for g in system.patterns[cell].tolist() if g >= 0]
    open_values = {int(system.value[j]) for j in pairs}
    for v in range(system.counts.shape[1]):
        if v not in open_values and not any(not system.counts[g, v] for g in found):
            found.update([g for g in own if not system.counts[g, v]][:1])
    for j in pairs:
        found |= possible.support(j)
    return frozenset(found | set(own[:1]))
