r"""The weaker adversary who knows quasi-identifiers only: anybody may be in any group that fits.

She knows who is in which release, and everybody's exact quasi-identifiers. In a generalized
release somebody may be in any group whose box holds them; in an anatomized one in any group that
lists them (hidden cells fit anything). Such a group, or such a line of a group, is a *place*.

Respondents with the same places in every release and the same things known about them form a
*class*. With ``w[q, v]`` respondents of class q that have value v, and ``u[q, t, p, v]`` of these at
place p in release t, the possible worlds are exactly the integer solutions of

    sum_v w[q, v] = size of q
    sum_p u[q, t, p, v] = w[q, v]                       for each release with the class
    N[g, v] - f[g] <= sum over the places of g of u <= N[g, v]
    sum_{q, v} u[q, t, p, v] = tuples at p

Proof. Where everybody is follows in each release by itself once values are given: the ``w[q, v]``
respondents can be split among the places in any way that has these counts, and other releases do not
mind how. The rest is as in `cells`. If a class has one place in a release, u is w and is left out.
With unknown numbers of counterfeits the third line has 0 on the left and the last one is left out: a group
may then have no real member, which releases never have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..history import History
from .cells import PeopleOf, check_knowledge, not_given, true_values
from .knowledge import Knowledge
from .places import Places, places
from .rows import Compact, Integers, compact

__all__ = ["BoxPopulation", "BoxSystem", "box_population"]


@dataclass(frozen=True, kw_only=True, eq=False)
class BoxSystem:
    """The rows above; columns w come first, by class and value.

    Attributes
    ----------
    sizes : int64 array
        Respondents per class.
    cell, value : int64 arrays
        Class and value of each column w.
    compact, low, high, most
        As in `Rows`.
    row_group : int64 array
        Group (jointly numbered) that each row is about, or -1.
    """

    sizes: Integers
    cell: Integers
    value: Integers
    compact: Compact
    low: Integers
    high: Integers
    most: Integers
    row_group: Integers


class BoxPopulation(PeopleOf[BoxSystem]):
    """For the weaker adversary."""


def box_population(history: History, knowledge: Knowledge, releases: int | None = None) -> BoxPopulation:
    """Classes and rows of several releases together.

    Parameters and errors as `cells.population`.

    Notes
    -----
    O(points * groups) comparisons per release, and a column per class, release, place and value.
    """
    shown = history.releases[:releases]
    groups = [(r, index) for r, release in enumerate(shown) for index in range(len(release.groups))]
    if not groups:
        raise InputError("the history has no published group: append a release first")
    histograms = [history.group(*where).histogram for where in groups]
    values = tuple(sorted({value for histogram in histograms for value in histogram}))
    own = true_values(history)
    check_knowledge(knowledge, own, history[0].sensitive)
    everywhere = places(history, releases)
    everything = tuple([True] * len(values))
    about = knowledge.about
    classes: dict[tuple[tuple[tuple[int, tuple[int, ...]], ...], tuple[bool, ...]], int] = {}
    cell_of: dict[str, int] = {}
    for who, options in everywhere.options.items():
        left = tuple(knowledge.allows(who, value) for value in values) if who in about else everything
        cell_of[who] = classes.setdefault((options, left), len(classes))
    counts = np.array([[h.get(value, 0) for value in values] for h in histograms], dtype=np.int64)
    people = Counter(everywhere.group[at] for home in everywhere.home.values() for at in home)
    fakes = counts.sum(axis=1) - np.array([people[g] for g in range(len(groups))], dtype=np.int64)
    table = _Collected(everywhere, counts, fakes if knowledge.counterfeits == "known" else None)
    sizes = Counter(cell_of.values())
    for (options, left), q in classes.items():
        table.add(q, sizes[q], options, left)
    code = {value: v for v, value in enumerate(values)}
    whereabouts = (
        (q, code[own[who]], everywhere.options[who], everywhere.home[who]) for who, q in cell_of.items()
    )
    given = frozenset(who for who in about if who in cell_of and knowledge.gives(who))
    system, truth = table.finished(whereabouts)
    return BoxPopulation(
        system=system,
        values=values,
        groups=tuple(groups),
        cell_of=cell_of,
        truth=truth,
        given=given,
        asked=not_given(cell_of, given, system.sizes),
    )


class _Collected:
    """Collects columns and rows; `fakes` is None if their numbers are not known."""

    def __init__(self, everywhere: Places, counts: Integers, fakes: Integers | None) -> None:
        self._places, self._counts, self._fakes = everywhere, counts, fakes
        self._sizes: list[int] = []
        self._target: dict[tuple[int, int], int] = {}
        self._most: list[int] = []
        # Columns u are numbered after all columns w.
        self._split: dict[tuple[int, int, int, int], int] = {}
        self._at_value: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self._at_place: defaultdict[int, list[int]] = defaultdict(list)
        self._split_most: list[int] = []

    def add(
        self, q: int, size: int, options: tuple[tuple[int, tuple[int, ...]], ...], left: tuple[bool, ...]
    ) -> None:
        """Columns of a class."""
        self._sizes.append(size)
        for v in np.flatnonzero(left).tolist():
            fitting = [
                (t, [at for at in there if self._counts[self._places.group[at], v]]) for t, there in options
            ]
            if not all(there for _, there in fitting):
                continue
            self._target[q, v] = len(self._target)
            self._most.append(size)
            for (t, there), (_, all_there) in zip(fitting, options, strict=True):
                for at in there:
                    if len(all_there) == 1:
                        column = self._target[q, v]
                    else:
                        column = self._split[q, t, at, v] = -1 - len(self._split)
                        self._split_most.append(min(size, int(self._counts[self._places.group[at], v])))
                    self._at_value[self._places.group[at], v].append(column)
                    self._at_place[at].append(column)

    def finished(
        self,
        whereabouts: Iterable[tuple[int, int, tuple[tuple[int, tuple[int, ...]], ...], tuple[int, ...]]],
    ) -> tuple[BoxSystem, Integers]:
        """The system, and the world in which everybody is where she is."""
        width = len(self._target) + len(self._split)
        rows: list[tuple[list[tuple[int, int]], int, int, int]] = []
        by_class: defaultdict[int, list[int]] = defaultdict(list)
        for (q, _), j in self._target.items():
            by_class[q].append(j)
        for q, size in enumerate(self._sizes):
            rows.append(([(j, 1) for j in by_class[q]], size, size, -1))
        links: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
        for (q, t, _, v), j in self._split.items():
            links[q, t, v].append(j)
        for (q, _, v), columns in links.items():
            rows.append(([*((j, 1) for j in columns), (self._target[q, v], -1)], 0, 0, -1))
        for (g, v), columns in sorted(self._at_value.items()):
            count = int(self._counts[g, v])
            least = 0 if self._fakes is None else max(0, count - int(self._fakes[g]))
            rows.append(([(j, 1) for j in columns], least, count, g))
        for at, columns in sorted(self._at_place.items()):
            if self._fakes is not None or self._places.listed[at]:
                room = self._places.room[at]
                rows.append(([(j, 1) for j in columns], room, room, self._places.group[at]))
        truth = np.zeros(width, dtype=np.int64)
        for q, v, options, home in whereabouts:
            truth[self._target[q, v]] += 1
            for (t, _), at in zip(options, home, strict=True):
                if (q, t, at, v) in self._split:
                    truth[self._number(self._split[q, t, at, v])] += 1
        return self._system(rows, width), truth

    def _number(self, column: int) -> int:
        return column if column >= 0 else len(self._target) - 1 - column

    def _system(self, rows: list[tuple[list[tuple[int, int]], int, int, int]], width: int) -> BoxSystem:
        entries = [(r, self._number(j), sign) for r, (line, *_) in enumerate(rows) for j, sign in line]
        index = np.array(entries, dtype=np.int64).reshape(-1, 3)
        target = np.array(list(self._target), dtype=np.int64).reshape(-1, 2)
        return BoxSystem(
            sizes=np.array(self._sizes, dtype=np.int64),
            cell=target[:, 0],
            value=target[:, 1],
            compact=compact(index[:, 0], index[:, 1], index[:, 2], len(rows), width),
            low=np.array([low for _, low, _, _ in rows], dtype=np.int64),
            high=np.array([high for _, _, high, _ in rows], dtype=np.int64),
            most=np.array([*self._most, *self._split_most], dtype=np.int64),
            row_group=np.array([g for *_, g in rows], dtype=np.int64),
        )
