"""Series of tables to try a policy on: those that a history holds, or futures drawn from one table.

A future begins with the table, or with some of its people drawn at random. From one release to the next some
leave, as many come, and some of those who left return. Those who come are people of the table who were not
there yet; once all were, they are new people whose values are those of somebody in the table, drawn with
replacement.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..models.errors import InputError, TableError
from ..models.history import History
from ..models.requirement import as_fraction, hold_whole, whole
from ..models.table import Member, Microdata
from .generators import Turnover, attendance

__all__ = ["Futures", "named_series", "published_last"]


@dataclass(frozen=True, kw_only=True)
class Futures:
    """How futures are drawn; shares are of the first table.

    Parameters
    ----------
    releases : int
        How many there are of each, the first one included; at least 2.
    leave : rational
        The share that leaves before each release after the first.
    come : rational, optional
        The share that comes; as many as leave by default.
    back : rational
        The share that returns, of those who left (as many as there are).
    first : int, optional
        How many people the first table has; all by default. The others wait, and are the first to come.
    seeds : sequence of int
        One future for each.

    Raises
    ------
    PolicyError, InputError
        If a parameter is out of its range.
    """

    releases: int = 6
    leave: Fraction = Fraction(1, 10)
    come: Fraction | None = None
    back: Fraction = Fraction(0)
    first: int | None = None
    seeds: Sequence[int] = (1, 2)

    def __post_init__(self) -> None:
        hold_whole(self, "futures", "releases", 2)
        if self.first is not None:
            hold_whole(self, "futures", "first", 1)
        for name in ("leave", "come", "back"):
            given = getattr(self, name)
            if given is None:
                continue
            share = as_fraction("futures", name, given)
            if not 0 <= share <= 1:
                raise InputError(f"futures: {name} must be a share from 0 to 1, got {given}")
            object.__setattr__(self, name, share)
        seeds = tuple(whole("futures", "seeds", seed, 0) for seed in self.seeds)
        if not seeds or len(set(seeds)) < len(seeds):
            raise InputError("futures: seeds are different whole numbers, at least one")
        object.__setattr__(self, "seeds", seeds)

    def tables(
        self, table: Microdata, seed: int, known: Container[str] = frozenset()
    ) -> tuple[Microdata, ...]:
        """The tables of one future; the same seed draws the same, and newcomers have names of their own."""
        random = np.random.default_rng(seed)
        first = len(table) if self.first is None else self.first
        if first > len(table):
            raise InputError(f"futures: first is {first}, but the table has {len(table)} people")
        moved = Turnover(
            insertions=round((self.leave if self.come is None else self.come) * first),
            deletions=round(self.leave * first),
            returns=round(self.back * first),
        )
        people = _crowd(table, first + (self.releases - 1) * moved.insertions, random, known)
        here = list(range(len(table)))
        waiting = here if self.first is None else random.permutation(here).tolist()
        waiting += range(len(table), len(people))
        return tuple(_part(people, rows) for rows in attendance(waiting, first, self.releases, moved, random))


def _crowd(table: Microdata, needed: int, random: np.random.Generator, known: Container[str]) -> Microdata:
    """The table with so many people: new ones are like somebody in it."""
    missing = max(0, needed - len(table))
    rows = np.append(np.arange(len(table)), random.integers(0, len(table), missing))
    people, number = list(table.members), 0
    for row in rows[len(table) :].tolist():
        number += 1
        while f"newcomer {number}" in table.row or f"newcomer {number}" in known:
            number += 1
        people.append(replace(table.members[row], respondent=f"newcomer {number}"))
    return replace(table, members=tuple(people), codes=table.codes[rows])


def _part(table: Microdata, rows: Sequence[int]) -> Microdata:
    return replace(table, members=tuple(table.members[row] for row in rows), codes=table.codes[list(rows)])


def _stored(table: Microdata, history: History) -> tuple[Microdata, ...]:
    """The tables of a history's releases, and the one that follows unless its release is the last of them.

    All have the domains of the last, wide enough for each of them: numbers, categories under one root and
    hierarchies that a rule built are widened, what somebody listed is not.

    Raises
    ------
    InputError
        If there are not two tables, or an earlier one has values that a hierarchy or order does not list.
    """
    points = [member.point for release in history for member in release.members]
    wide = tuple(domain.widened({point[a] for point in points}) for a, domain in enumerate(table.domains))
    if wide != table.domains:
        table = _within(replace(table, domains=wide), table.members)
    for number, release in enumerate(history, start=1):
        _refuse_foreign(table, release.members, number)
    found = [_table_of(table, release.members) for release in history]
    if not published_last(table, history):
        found.append(table)
    if len(found) < 2:
        raise InputError(
            "there is no stored series to replay: the problem's history holds no earlier table: draw futures"
        )
    return tuple(found)


def _refuse_foreign(table: Microdata, members: Sequence[Member], number: int) -> None:
    """See that all values of a release are within the domains."""
    for a, domain in enumerate(table.domains):
        for value in sorted({member.point[a] for member in members}, key=str):
            try:
                _ = domain.encode([value])
            except TableError:
                raise InputError(
                    f"column {domain.name!r}: release {number} of the history has the value {value}, which "
                    "is not in the problem's hierarchy, order or range: add it there"
                ) from None


def published_last(table: Microdata, history: History) -> bool:
    """Whether the last release of a history is of this very table."""
    return bool(len(history)) and set(history.releases[-1].members) == set(table.members)


def _table_of(table: Microdata, members: Sequence[Member]) -> Microdata:
    """The table that a release was made of, in the order of respondents; the release's order says groups."""
    return _within(table, sorted(members, key=lambda member: member.respondent))


def _within(table: Microdata, members: Sequence[Member]) -> Microdata:
    people = tuple(members)
    codes = [domain.encode([m.point[a] for m in people]) for a, domain in enumerate(table.domains)]
    return replace(table, members=people, codes=np.stack(codes, axis=1))


def named_series(
    table: Microdata, history: History, futures: Futures | None
) -> Mapping[str, tuple[Microdata, ...]]:
    """By name: the stored series if no futures are asked for, or a future for each seed."""
    if futures is None:
        return {"stored": _stored(table, history)}
    return {f"seed {seed}": futures.tables(table, seed, history.records) for seed in futures.seeds}
