"""Cells of a history: who cannot be told apart, and the linear system (`system`) of what was published."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from ..combination import SEPARATOR, parted
from ..errors import InputError, ReleaseError
from ..history import History
from .knowledge import Knowledge
from .rows import Integers
from .system import System

__all__ = [
    "Integers",
    "PeopleOf",
    "Population",
    "check_knowledge",
    "not_given",
    "population",
    "respondents_of",
    "true_values",
]


S = TypeVar("S")


@dataclass(frozen=True, kw_only=True, eq=False)
class PeopleOf(Generic[S]):
    """The system of a history, and the steward's record of whom and what it is about.

    Attributes
    ----------
    system : System or BoxSystem
    values : tuple of str
        Names of the values, sorted.
    groups : tuple of (release index, group index)
        Which published groups the numbers mean.
    cell_of : Mapping of str to int
        Cell (or class) of each published respondent.
    truth : int64 array
        The true counts: one solution of the system.
    given : frozenset of str
        Published respondents whose value knowledge alone tells, see `Knowledge.gives`.
    asked : int64 array, per cell
        Respondents who are not given: those the releases can disclose.
    """

    system: S
    values: tuple[str, ...]
    groups: tuple[tuple[int, int], ...]
    cell_of: Mapping[str, int] = field(repr=False)
    truth: Integers
    given: frozenset[str] = field(repr=False)
    asked: Integers


class Population(PeopleOf[System]):
    """For the adversary who knows who is in which group."""


def population(history: History, knowledge: Knowledge, releases: int | None = None) -> Population:
    """Cells and rows of several releases together.

    Parameters
    ----------
    history : History
    knowledge : Knowledge
        What it says of respondents not published yet plays no part.
    releases : int, optional
        Only so many releases, oldest first; all by default.

    Raises
    ------
    InputError
        If there is no group, or knowledge is about people in no group or is not true.
    ReleaseError
        If a respondent's value differs between two releases.

    Notes
    -----
    O(tuples + cells * values * releases).
    """
    shown = history.releases[:releases]
    groups = [(r, index) for r, release in enumerate(shown) for index in range(len(release.groups))]
    if not groups:
        raise InputError("the history has no published group: append a release first")
    number = {where: g for g, where in enumerate(groups)}
    values, counts, fakes = _published(history, groups)
    code = {value: v for v, value in enumerate(values)}
    own = true_values(history)
    check_knowledge(knowledge, own, history[0].sensitive)
    found, cell_of = _alike(history, knowledge, number, values, len(shown))
    true_counts = np.zeros((len(found), len(values)), dtype=np.int64)
    for who, cell in cell_of.items():
        true_counts[cell, code[own[who]]] += 1
    given = frozenset(who for who in knowledge.about if who in cell_of and knowledge.gives(who))
    system = System(
        patterns=np.array([pattern for pattern, _ in found], dtype=np.int64),
        sizes=true_counts.sum(axis=1),
        allowed=np.array([left for _, left in found], dtype=bool),
        counts=counts,
        fakes=fakes,
    )
    return Population(
        system=system,
        values=values,
        groups=tuple(groups),
        cell_of=cell_of,
        truth=true_counts[system.cell, system.value],
        given=given,
        asked=not_given(cell_of, given, system.sizes),
    )


def _alike(
    history: History,
    knowledge: Knowledge,
    number: Mapping[tuple[int, int], int],
    values: tuple[str, ...],
    releases: int,
) -> tuple[dict[tuple[tuple[int, ...], tuple[bool, ...]], int], dict[str, int]]:
    """Cells by the groups of their people and the values they may have, and everybody's cell."""
    about, everything = knowledge.about, tuple([True] * len(values))
    found: dict[tuple[tuple[int, ...], tuple[bool, ...]], int] = {}
    cell_of: dict[str, int] = {}
    for who, record in history.records.items():
        if record.first >= releases:
            continue
        pattern = _pattern(record.groups, number, releases)
        left = tuple(knowledge.allows(who, value) for value in values) if who in about else everything
        cell_of[who] = found.setdefault((pattern, left), len(found))
    return found, cell_of


def _pattern(
    groups: Iterable[tuple[int, int]], number: Mapping[tuple[int, int], int], releases: int
) -> tuple[int, ...]:
    """Number of a respondent's group in each of the first releases, -1 where there is none."""
    found = [-1] * releases
    for r, index in groups:
        if r < releases:
            found[r] = number[r, index]
    return tuple(found)


def _published(
    history: History, groups: Sequence[tuple[int, int]]
) -> tuple[tuple[str, ...], Integers, Integers]:
    """Values, sorted; how often each group publishes each; and how many counterfeits it has."""
    values = tuple(sorted({value for where in groups for value in history.group(*where).histogram}))
    code = {value: v for v, value in enumerate(values)}
    counts = np.zeros((len(groups), len(values)), dtype=np.int64)
    fakes = np.zeros(len(groups), dtype=np.int64)
    for g, where in enumerate(groups):
        group = history.group(*where)
        fakes[g] = group.fakes
        for value, count in group.histogram.items():
            counts[g, code[value]] = count
    return values, counts, fakes


def not_given(cell_of: Mapping[str, int], given: Collection[str], sizes: Integers) -> Integers:
    """Respondents of each cell without those who are given."""
    cells = np.array([cell_of[who] for who in given], dtype=np.int64)
    return sizes - np.bincount(cells, minlength=len(sizes)).astype(np.int64)


def true_values(history: History) -> dict[str, str]:
    """Value of everybody; raises ReleaseError if one changed."""
    own: dict[str, str] = {}
    for r, release in enumerate(history, start=1):
        for group in release.groups:
            for member in group.members:
                if own.setdefault(member.respondent, member.value) != member.value:
                    raise ReleaseError(
                        f"column {release.sensitive!r}: a respondent of release {r} had another value "
                        "before: correct the releases, or audit with persistence 'transient'"
                    )
    return own


def check_knowledge(knowledge: Knowledge, own: Mapping[str, str], sensitive: str) -> None:
    """Raise InputError if knowledge is about strangers, is not true, or names no values of the column."""
    told = {
        "compromised": [(value,) for value in knowledge.compromised.values()],
        "excluded": knowledge.excluded.values(),
        "priors": knowledge.priors.values(),
    }
    parts = len(parted(sensitive))
    for key, sets in told.items():
        if parts > 1 and any(len(parted(value)) != parts for values in sets for value in values):
            raise InputError(
                f"{key}: several columns are sensitive, so a value is a combination of theirs, in the order "
                f"{sensitive!r} and with {SEPARATOR!r} between: name all combinations that are meant"
            )
    strangers = sum(who not in own for who in knowledge.about)
    if strangers:
        raise InputError(
            f"knowledge is about {strangers} respondents who are in no published group: leave them out, or "
            "compare the ids under compromised, excluded and priors with the respondent column"
        )
    untrue = {
        "compromised": sum(own[who] != value for who, value in knowledge.compromised.items()),
        "excluded": sum(own[who] in values for who, values in knowledge.excluded.items()),
        "priors": sum(own[who] not in values for who, values in knowledge.priors.items()),
    }
    order = f" (a value is a combination in the order {sensitive!r})" if parts > 1 else ""
    for key, wrong in untrue.items():
        if wrong:
            raise InputError(
                f"{key}: knowledge excludes the true value of {wrong} respondents: correct it{order}"
            )


def respondents_of(people: Population, history: History) -> tuple[tuple[str, ...], ...]:
    """Respondents of each pair: of this cell, and truly with this value."""
    system = people.system
    code = {value: v for v, value in enumerate(people.values)}
    number = {key: j for j, key in enumerate(zip(system.cell.tolist(), system.value.tolist(), strict=True))}
    found: list[list[str]] = [[] for _ in system.cell]
    for who, cell in people.cell_of.items():
        found[number[cell, code[history.records[who].member.value]]].append(who)
    return tuple(map(tuple, found))
