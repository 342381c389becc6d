"""Groups as columns of a set-partitioning model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .....models.problem_view import ProblemView
from .....models.release import QIGroup, Release

__all__ = ["NamedColumn", "column_of", "group_of", "released"]


class NamedColumn(NamedTuple):
    """A group that may be published.

    Attributes
    ----------
    rows : tuple of int
        Rows of the microdata (from 0), rising; at least one.
    fakes : tuple of (value, count)
        Its counterfeits, sorted, counts at least 1.
    """

    rows: tuple[int, ...]
    fakes: tuple[tuple[str, int], ...] = ()

    @property
    def made(self) -> int:
        """How many counterfeits it has."""
        return sum(count for _, count in self.fakes)


def column_of(group: QIGroup, row: Mapping[str, int]) -> NamedColumn:
    """The column of a published group; `row` numbers the respondents of the microdata."""
    return NamedColumn(
        tuple(sorted(row[who] for who in group.respondents)), tuple(sorted(group.counterfeits))
    )


def group_of(problem: ProblemView, column: NamedColumn) -> QIGroup:
    """The group a column stands for, with its tightest box."""
    people = problem.table.members
    return QIGroup(
        members=tuple(people[t] for t in column.rows),
        counterfeits=column.fakes,
        box=problem.box(column.rows) if problem.policy.form == "generalized" else None,
    )


def released(problem: ProblemView, columns: Sequence[NamedColumn]) -> Release:
    """The release of some columns; rows in none are suppressed."""
    return problem.assemble([column.rows for column in columns], [dict(column.fakes) for column in columns])
