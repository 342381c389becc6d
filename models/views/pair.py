"""Two published projections of one table, and where they publish a secret's columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import pandas as pd

from ..errors import PolicyError, ReleaseError, TableError
from .query import SecretQuery, require_comparable

__all__ = ["SecretColumns", "Tuple", "ViewPair", "cells", "project"]

Tuple = tuple[Hashable, ...]
"""One tuple of a view, in the view's column order."""


class SecretColumns(StrEnum):
    """Where the two columns of a secret are published."""

    WITHHELD = "withheld"
    """One of them in no view: the views say nothing about the association."""
    SPLIT = "split"
    """In different views: an outsider has to join, and can only guess."""
    TOGETHER = "together"
    """In one view: it can be read off."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ViewPair:
    """Two views, indexed by the columns they share.

    Parameters
    ----------
    first, second
        The published views; repeated rows count once.

    Raises
    ------
    ReleaseError
        If a view is empty, or if the views cannot come from one table because a join value
        occurs in only one of them.
    TableError
        If a column appears twice or has a missing cell.

    Notes
    -----
    Linear in the rows; the natural join itself is never built.
    """

    first: pd.DataFrame
    second: pd.DataFrame
    _tuples: tuple[dict[Tuple, tuple[Tuple, ...]], dict[Tuple, tuple[Tuple, ...]]] = field(
        init=False, repr=False
    )
    _places: dict[tuple[int, str], dict[Hashable, dict[Tuple, None]]] = field(
        init=False, repr=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        join = self.join_attributes
        groups = (_by_join_value(self.first, join), _by_join_value(self.second, join))
        dangling = len(groups[0].keys() ^ groups[1].keys())
        if dangling:
            raise ReleaseError(
                f"{dangling} join values occur in only one of the two views, so no base table"
                " has both projections; publish both views from the same table"
            )
        object.__setattr__(self, "_tuples", groups)

    @classmethod
    def of(cls, table: pd.DataFrame, first: Sequence[str], second: Sequence[str]) -> ViewPair:
        """Project a base table twice.

        Parameters
        ----------
        table
            The base table.
        first, second
            Columns of the two views.

        Returns
        -------
        ViewPair
            The published views.

        Raises
        ------
        TableError
            If a column is missing or repeated, or has a missing cell.
        """
        return cls(first=project(table, first), second=project(table, second))

    @property
    def columns(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Column names of both views."""
        return _names(self.first), _names(self.second)

    @property
    def join_attributes(self) -> tuple[str, ...]:
        """Columns of both views, in the order of the first; none means a cross product."""
        first, second = self.columns
        return tuple(column for column in first if column in second)

    def exposure(self, query: SecretQuery) -> SecretColumns:
        """Tell where a secret's two columns are published.

        Parameters
        ----------
        query
            The secret.

        Returns
        -------
        Exposure
            Together as soon as one view has both columns.
        """
        wanted = {query.id_attribute, query.property_attribute}
        first, second = self.columns
        if wanted <= set(first) or wanted <= set(second):
            return SecretColumns.TOGETHER
        return SecretColumns.SPLIT if wanted <= {*first, *second} else SecretColumns.WITHHELD

    def view_with(self, *attributes: str) -> int:
        """Return the position (0 or 1) of the first view that has all the given columns.

        Parameters
        ----------
        *attributes
            Column names.

        Returns
        -------
        int
            0 for the first view, 1 for the second.

        Raises
        ------
        PolicyError
            If no view has them all.
        """
        for side, columns in enumerate(self.columns):
            if set(attributes) <= set(columns):
                return side
        raise PolicyError(f"no view publishes the columns {', '.join(map(repr, attributes))} together")

    def join_values(self, side: int, attribute: str, value: Hashable) -> Iterator[Tuple]:
        """Yield the join values at which a column of one view takes a value.

        Parameters
        ----------
        side
            0 for the first view, 1 for the second.
        attribute, value
            Column of that view, and the value searched for.

        Yields
        ------
        tuple
            Join values, in the order of the view's rows.

        Raises
        ------
        TableError
            If the column holds only values of another kind.
        """
        index = self._places.get((side, attribute))
        if index is None:
            position = self.columns[side].index(attribute)
            index = {}
            for join_value, rows in self._tuples[side].items():
                for row in rows:
                    index.setdefault(row[position], {})[join_value] = None
            self._places[side, attribute] = index
        if value in index:
            yield from index[value]
        else:
            require_comparable(attribute, value, list(index))

    def tuples(self, side: int, join_value: Tuple) -> tuple[Tuple, ...]:
        """Return one view's distinct tuples with a join value.

        Parameters
        ----------
        side
            0 for the first view, 1 for the second.
        join_value
            A value of :attr:`join_attributes` that occurs.

        Returns
        -------
        tuple of tuple
            The view's tuples, without repetition.
        """
        return self._tuples[side][join_value]


def project(table: pd.DataFrame, attributes: Sequence[str]) -> pd.DataFrame:
    """Publish a projection: the chosen columns, every tuple once.

    Parameters
    ----------
    table
        The base table.
    attributes
        At least one column, none twice.

    Returns
    -------
    pandas.DataFrame
        The view, rows in the order of their first appearance.

    Raises
    ------
    TableError
        If no column is named, or one is missing or repeated, or has a missing cell.
    """
    if not attributes or len(set(attributes)) != len(attributes):
        raise TableError("project: name at least one column, and each column once")
    for column in attributes:
        cells(table, column)
    return table[list(attributes)].drop_duplicates(ignore_index=True)


def cells(table: pd.DataFrame, column: str) -> list[Hashable]:
    """Return one column's cells as plain values, refusing what cannot be joined on.

    Parameters
    ----------
    table
        A table or view.
    column
        A column name.

    Returns
    -------
    list
        The cells, in row order.

    Raises
    ------
    TableError
        If the column is absent, appears twice or has a missing cell.
    """
    if list(table.columns).count(column) != 1:
        raise TableError(f"column {column!r} must be in the table exactly once; rename the columns")
    series = table[column]
    missing = series.isna().to_numpy().nonzero()[0]
    if len(missing):
        raise TableError(
            f"column {column!r}, row {int(missing[0]) + 1}: missing value; fill it in or drop"
            " the row, because nothing can be joined on it"
        )
    return list(series.tolist())


def _names(view: pd.DataFrame) -> tuple[str, ...]:
    return tuple(str(column) for column in view.columns)


def _by_join_value(view: pd.DataFrame, join: Sequence[str]) -> Mapping[Tuple, tuple[Tuple, ...]]:
    columns = _names(view)
    if not columns or view.empty:
        raise ReleaseError("a published view is empty; publish at least one column and one row")
    positions = [columns.index(column) for column in join]
    groups: dict[Tuple, dict[Tuple, None]] = {}
    for row in zip(*(cells(view, column) for column in columns), strict=True):
        groups.setdefault(tuple(row[k] for k in positions), {})[row] = None
    return {join_value: tuple(rows) for join_value, rows in groups.items()}
