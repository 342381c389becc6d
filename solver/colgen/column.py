"""Columns: groups that may be published, one by one or as lines of one array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..exact.incidence import Members
from .covering import Covering, Ints
from .limits import MASTER

__all__ = [
    "Column",
    "Group",
    "Table",
    "columns_of",
    "costs_of",
    "counterfeits",
    "in_order",
    "lines_of",
    "slim",
]


Group: TypeAlias = tuple[int, ...]
"""Rows of a group without counterfeits, rising, with repeats."""


class Column(NamedTuple):
    """A group that may be published.

    Attributes
    ----------
    rows : tuple of int
        Rows of its members, rising, with repeats; at least one.
    fakes : tuple of (value, count)
        Its counterfeits by number of the sensitive value, rising, counts at least 1.

    Notes
    -----
    Many columns are the lines of an array (`lines_of`): the rows, then ``-2 - value`` for each counterfeit,
    then -1 up to the width.
    """

    rows: tuple[int, ...]
    fakes: tuple[tuple[int, int], ...] = ()

    @property
    def made(self) -> int:
        """How many counterfeits it has."""
        return sum(count for _, count in self.fakes)


class Priceable(Protocol):
    """Something that says what columns cost."""

    def costs(self, lines: Members) -> Ints:
        """Cost of each column."""
        ...


class Table(Priceable, Protocol):
    """What is to be covered, and what columns cost."""

    @property
    def rows(self) -> Covering:
        """The kinds of tuples."""
        ...

    def limited(self, lines: Members) -> Ints:
        """How much of the limit on counterfeits each column takes."""
        ...


def lines_of(columns: Iterable[Sequence[int] | Column], wide: int = 1) -> Members:
    """Columns (or rows of groups without counterfeits, in any order) as lines of at least `wide` places."""
    lists: list[list[int]] = []
    for column in columns:
        if isinstance(column, Column):
            lists.append([*column.rows, *(-2 - value for value, count in column.fakes for _ in range(count))])
        else:
            lists.append(sorted(column))
    lines = np.full((len(lists), max(wide, *map(len, lists), 1)), -1, dtype=np.int32)
    for line, found in enumerate(lists):
        lines[line, : len(found)] = found
    return lines


def slim(groups: Sequence[Group]) -> list[Group]:
    """Groups without those many times as large as all are on average.

    As columns they are worth nothing, and all others would be lines of their length.
    """
    most = MASTER.slim * sum(map(len, groups))
    return [group for group in groups if len(group) * len(groups) <= most]


def columns_of(lines: Members) -> tuple[Column, ...]:
    """The lines of an array as columns."""
    faked = counterfeits(lines) > 0
    return tuple(
        _column(line) if fakes else Column(tuple(u for u in line if u >= 0))
        for line, fakes in zip(lines.tolist(), faked.tolist(), strict=True)
    )


def _column(line: list[int]) -> Column:
    count: dict[int, int] = {}
    for place in line:
        if place < -1:
            count[-2 - place] = count.get(-2 - place, 0) + 1
    return Column(tuple(u for u in line if u >= 0), tuple(sorted(count.items())))


def counterfeits(lines: Members) -> Ints:
    """How many counterfeits each column has."""
    return (lines < -1).sum(axis=1, dtype=np.int64)


def costs_of(table: Priceable, columns: Sequence[Column]) -> list[int]:
    """Cost of each column."""
    return table.costs(lines_of(columns)).tolist()


def in_order(groups: NDArray[np.int32]) -> Members:
    """Sort the rows of each group, -1 last."""
    last = np.iinfo(np.int32).max
    ordered = np.sort(np.where(groups < 0, last, groups), axis=1)
    return np.where(ordered == last, -1, ordered).astype(np.int32)
