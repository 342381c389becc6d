r"""The linear system of a series of releases: how many respondents of each cell have each value.

Respondents in the same group of every release (absent from the same ones) and with the same
things known about them are interchangeable: they form a *cell*. With ``x[c, v]`` respondents of cell
c that have value v, and N[g, v] published tuples of group g with value v, f[g] of the
group's tuples being counterfeits, the possible worlds are exactly the integer solutions of

    sum_v x[c, v] = size of c                                    for each cell,
    N[g, v] - f[g] <= sum_{c in g} x[c, v] <= N[g, v]            for each group and value.

Proof. What is missing to N[g, v] are counterfeits with value v. They are never negative, and over all
values they add up to f[g] because cells do; so each is at most f[g]. Conversely a world gives
such counts. (Values never change.)

A world with these counts can be arranged in ``prod_c size! / prod_v x!`` ways among respondents
and ``prod_g f! / prod_v (counterfeits with v)!`` ways among the counterfeits, which are tuples like
any other to the adversary.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..errors import InputError, ReleaseError
from ..history import History
from .knowledge import Knowledge
from .rows import Compact, Integers, compact

__all__ = ["Integers", "Population", "System", "check_knowledge", "not_given", "population", "true_values"]

Truths: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class System:
    """Cells, groups, and the rows over pairs (cell, value).

    Parameters
    ----------
    patterns : int64 array, shape (cells, releases)
        Group of each cell in each release, -1 if absent. Groups of all releases are numbered jointly.
    sizes : int64 array, shape (cells,)
        Respondents per cell, at least 1.
    allowed : bool array, shape (cells, values)
        Values that knowledge about the cell's respondents leaves open.
    counts : int64 array, shape (groups, values)
        Published tuples.
    fakes : int64 array, shape (groups,)
        Counterfeits.

    Notes
    -----
    Pairs that set intersection excludes (some group of the cell does not publish the value, or it
    is not allowed) have no variable.
    """

    patterns: Integers
    sizes: Integers
    allowed: Truths
    counts: Integers
    fakes: Integers

    @cached_property
    def _pairs(self) -> tuple[Integers, Integers]:
        # Group -1 is the last row: it publishes everything.
        published = np.vstack([self.counts > 0, np.ones((1, self.counts.shape[1]), dtype=bool)])
        cells, values = np.nonzero(published[self.patterns].all(axis=1) & self.allowed)
        return cells.astype(np.int64), values.astype(np.int64)

    @property
    def cell(self) -> Integers:
        """Cell of each pair, ascending."""
        return self._pairs[0]

    @property
    def value(self) -> Integers:
        """Value of each pair."""
        return self._pairs[1]

    @cached_property
    def per_cell(self) -> Integers:
        """Pairs per cell: the values set intersection leaves."""
        return np.bincount(self.cell, minlength=len(self.sizes)).astype(np.int64)

    @cached_property
    def _by_group(self) -> tuple[Integers, Integers]:
        """Cells sorted by their groups, and where each group begins."""
        cells, times = np.nonzero(self.patterns >= 0)
        groups = self.patterns[cells, times]
        starts = np.searchsorted(np.sort(groups), np.arange(len(self.counts) + 1))
        return cells[np.argsort(groups, kind="stable")].astype(np.int64), starts.astype(np.int64)

    def members(self, groups: Integers) -> Integers:
        """Cells in one of some groups, ascending."""
        cells, starts = self._by_group
        found = [cells[starts[g] : starts[g + 1]] for g in groups.tolist()]
        return np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)

    def pairs(self, cells: Integers) -> Integers:
        """Pairs of some cells."""
        ends: list[int] = [0, *np.cumsum(self.per_cell).tolist()]
        found = [np.arange(ends[c], ends[c + 1], dtype=np.int64) for c in cells.tolist()]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    @cached_property
    def _group_rows(self) -> tuple[Integers, Integers, Integers]:
        """Distinct keys of (group, value), and key index and pair of each entry."""
        width = self.counts.shape[1]
        groups = self.patterns[self.cell]
        pair, time = np.nonzero(groups >= 0)
        keys = groups[pair, time] * width + self.value[pair]
        distinct, index = np.unique(keys, return_inverse=True)
        return distinct, index.astype(np.int64), pair.astype(np.int64)

    @cached_property
    def row_group(self) -> Integers:
        """Group of each row; -1 for rows of cells, which come first."""
        groups = self._group_rows[0] // self.counts.shape[1]
        return np.concatenate([np.full(len(self.sizes), -1, dtype=np.int64), groups])

    @property
    def compact(self) -> Compact:
        """Rows over pairs, all coefficients 1."""
        return self._compact

    @cached_property
    def _compact(self) -> Compact:
        distinct, index, pair = self._group_rows
        cells, width = len(self.sizes), len(self.cell)
        rows = np.concatenate([self.cell, index + cells])
        columns = np.concatenate([np.arange(width, dtype=np.int64), pair])
        return compact(rows, columns, np.ones(len(rows), dtype=np.int64), cells + len(distinct), width)

    @property
    def matrix(self) -> csr_array:
        """Rows over pairs, all coefficients 1."""
        return self.compact.matrix

    @property
    def entries(self) -> tuple[Integers, Integers]:
        """Row and pair of each coefficient, by rows."""
        return self.compact.rows, self.compact.column

    @property
    def most(self) -> Integers:
        """Upper bound of each pair: the size of its cell."""
        return self._most

    @cached_property
    def _most(self) -> Integers:
        return self.sizes[self.cell]

    @property
    def high(self) -> Integers:
        """Upper side of each row."""
        return self._high

    @cached_property
    def _high(self) -> Integers:
        return np.concatenate([self.sizes, self.counts.ravel()[self._group_rows[0]]])

    @property
    def low(self) -> Integers:
        """Lower side of each row."""
        return self._low

    @cached_property
    def _low(self) -> Integers:
        keys = self._group_rows[0]
        real = self.counts.ravel()[keys] - self.fakes[keys // self.counts.shape[1]]
        return np.concatenate([self.sizes, np.maximum(real, 0)])


@dataclass(frozen=True, kw_only=True, eq=False)
class Population:
    """The system of a history, and the steward's record of whom and what it is about.

    Attributes
    ----------
    system : System
    values : tuple of str
        Names of the values, sorted.
    groups : tuple of (release index, group index)
        Which published groups the numbers mean.
    cell_of : Mapping of str to int
        Cell of each published respondent.
    truth : int64 array
        The true counts per pair: one solution of the system.
    given : frozenset of str
        Published respondents whose value knowledge alone tells, see `Knowledge.gives`.
    asked : int64 array, per cell
        Respondents who are not given: those the releases can disclose.
    """

    system: System
    values: tuple[str, ...]
    groups: tuple[tuple[int, int], ...]
    cell_of: Mapping[str, int] = field(repr=False)
    truth: Integers
    given: frozenset[str] = field(repr=False)
    asked: Integers


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
    check_knowledge(knowledge, own)
    about = knowledge.about
    everything = tuple([True] * len(values))
    found: dict[tuple[tuple[int, ...], tuple[bool, ...]], int] = {}
    cell_of: dict[str, int] = {}
    for who, record in history.records.items():
        if record.first >= len(shown):
            continue
        pattern = _pattern(record.groups, number, len(shown))
        left = tuple(knowledge.allows(who, value) for value in values) if who in about else everything
        cell_of[who] = found.setdefault((pattern, left), len(found))
    true_counts = np.zeros((len(found), len(values)), dtype=np.int64)
    for who, cell in cell_of.items():
        true_counts[cell, code[own[who]]] += 1
    given = frozenset(who for who in about if who in cell_of and knowledge.gives(who))
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


def check_knowledge(knowledge: Knowledge, own: Mapping[str, str]) -> None:
    """Raise InputError if knowledge is about strangers or is not true."""
    strangers = sum(who not in own for who in knowledge.about)
    if strangers:
        raise InputError(
            f"knowledge is about {strangers} respondents who are in no published group: leave them out"
        )
    wrong = sum(not knowledge.allows(who, own[who]) for who in knowledge.about)
    if wrong:
        raise InputError(f"knowledge excludes the true value of {wrong} respondents: correct it")
