"""A base table in integer codes, to measure many pairs of projections quickly."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import TableError
from .connectivity import ComponentCounts
from .pair import cells
from .query import SecretQuery

__all__ = ["CodedTable", "Relevant"]

Codes = NDArray[np.int64]
_REMEMBERED = 1 << 24
"""Largest number of tuple numbers kept in memory, 8 bytes each."""


class Relevant:
    """The rows that share a join value with an identifier, numbered by component.

    Parameters
    ----------
    rows
        Row numbers, from 0.
    component
        Component of each of them, ``0 .. number - 1``.
    number
        How many components there are.
    """

    def __init__(self, rows: Codes, component: Codes, number: int) -> None:
        self.rows = rows
        self.component = component
        self.number = number

    def same_as(self, other: Relevant) -> bool:
        """Tell whether a coarser or finer join leaves these components unchanged.

        Parameters
        ----------
        other
            Components under a join set that contains this one's or is contained in it.

        Returns
        -------
        bool
            True if both are the same sets of rows: one refines the other, so equal numbers
            of rows and of components suffice.
        """
        return len(self.rows) == len(other.rows) and self.number == other.number


class CodedTable:
    """Columns as integer codes, with the distinct tuples of each projection remembered.

    Parameters
    ----------
    table
        The base table.
    attributes
        Its columns in question.

    Raises
    ------
    TableError
        If the table is empty, or a column is missing, repeated or has a missing cell.

    Notes
    -----
    A projection costs ``O(rows log rows)`` per attribute the first time.
    """

    def __init__(self, table: pd.DataFrame, attributes: Sequence[str]) -> None:
        if table.empty:
            raise TableError("the table has no rows; there is nothing to publish")
        self.rows = len(table)
        self.attributes = tuple(attributes)
        self._values: dict[str, list[Hashable]] = {}
        self._code: dict[str, dict[Hashable, int]] = {}
        self._column: dict[str, Codes] = {}
        for attribute in self.attributes:
            values = cells(table, attribute)
            code = {value: k for k, value in enumerate(dict.fromkeys(values))}
            self._values[attribute] = list(code)
            self._code[attribute] = code
            self._column[attribute] = np.array([code[value] for value in values], dtype=np.int64)
        self._labels: dict[frozenset[str], Codes] = {frozenset(): np.zeros(self.rows, dtype=np.int64)}

    def labels(self, attributes: Collection[str]) -> Codes:
        """Number the distinct tuples of a projection.

        Parameters
        ----------
        attributes
            Columns of the projection.

        Returns
        -------
        numpy.ndarray
            For each row, the number of its tuple, from 0.
        """
        wanted = frozenset(attributes)
        if not wanted:
            return np.zeros(self.rows, dtype=np.int64)
        known = self._labels.get(wanted)
        if known is None:
            last = max(wanted, key=self.attributes.index)
            prefix = self.labels(wanted - {last})
            paired = prefix * len(self._values[last]) + self._column[last]
            known = np.unique(paired, return_inverse=True)[1].astype(np.int64)
            if (len(self._labels) + 1) * self.rows > _REMEMBERED:
                self._labels.clear()
            self._labels[wanted] = known
        return known

    def has(self, query: SecretQuery) -> bool:
        """Tell whether the base table contains an association.

        Parameters
        ----------
        query
            The association, with both values.

        Returns
        -------
        bool
            True if some row has both values.
        """
        return bool((self.identifier_rows(query) & self.property_rows(query)).any())

    def identifier_rows(self, query: SecretQuery) -> NDArray[np.bool_]:
        """Mark the rows of an identifier.

        Parameters
        ----------
        query
            A secret with an ``id_value``.

        Returns
        -------
        numpy.ndarray
            One truth value per row.
        """
        return self._rows_with(query.id_attribute, query.id_value)

    def property_rows(self, query: SecretQuery) -> NDArray[np.bool_]:
        """Mark the rows of a property value.

        Parameters
        ----------
        query
            A secret with a ``property_value``.

        Returns
        -------
        numpy.ndarray
            One truth value per row.
        """
        return self._rows_with(query.property_attribute, query.property_value)

    def relevant(self, query: SecretQuery, join: Collection[str]) -> Relevant:
        """Find the rows joined with an identifier.

        Parameters
        ----------
        query
            A secret with an ``id_value``.
        join
            Columns the two views share.

        Returns
        -------
        Relevant
            Rows and components; none if the identifier does not occur.
        """
        labels = self.labels(join)
        own = np.unique(labels[self.identifier_rows(query)])
        rows = np.flatnonzero(np.isin(labels, own)).astype(np.int64)
        return Relevant(rows, np.searchsorted(own, labels[rows]).astype(np.int64), len(own))

    def sizes(
        self,
        relevant: Relevant,
        attributes: Collection[str],
        among: NDArray[np.bool_] | None = None,
    ) -> Codes:
        """Count the distinct tuples of a projection in each component.

        Parameters
        ----------
        relevant
            The components.
        attributes
            Columns of the projection.
        among
            Rows of the table to count; None counts all.

        Returns
        -------
        numpy.ndarray
            One count per component.
        """
        keep = slice(None) if among is None else among[relevant.rows]
        return np.bincount(self._distinct(relevant, attributes, keep)[0], minlength=relevant.number).astype(
            np.int64
        )

    def counts(
        self, query: SecretQuery, id_view: Collection[str], property_view: Collection[str]
    ) -> list[ComponentCounts]:
        """Measure the components of a secret without publishing anything.

        Parameters
        ----------
        query
            A secret with an ``id_value``.
        id_view, property_view
            Columns of the view with the identifier only and of that with the property only.

        Returns
        -------
        list of Counts
            As the connectivity graph of the two projections would give.
        """
        relevant = self.relevant(query, set(id_view) & set(property_view))
        m = self.sizes(relevant, id_view)
        s = self.sizes(relevant, id_view, self.identifier_rows(query))
        component, row = self._distinct(relevant, property_view, slice(None))
        values = self._values[query.property_attribute]
        code = self._column[query.property_attribute][row]
        pairs, number = np.unique(component * len(values) + code, return_counts=True)
        multiplicity: list[dict[Hashable, int]] = [{} for _ in range(relevant.number)]
        for pair, count in zip(pairs.tolist(), number.tolist(), strict=True):
            multiplicity[pair // len(values)][values[pair % len(values)]] = count
        return [
            ComponentCounts(m=int(m[k]), s=int(s[k]), multiplicity=multiplicity[k])
            for k in range(relevant.number)
        ]

    def _distinct(
        self, relevant: Relevant, attributes: Collection[str], keep: slice | NDArray[np.bool_]
    ) -> tuple[Codes, Codes]:
        """Return component and one row of every distinct (component, tuple)."""
        rows, component = relevant.rows[keep], relevant.component[keep]
        paired = component * self.rows + self.labels(attributes)[rows]
        first = np.unique(paired, return_index=True)[1]
        return component[first], rows[first]

    def _rows_with(self, attribute: str, value: Hashable) -> NDArray[np.bool_]:
        code = self._code[attribute].get(value, -1)
        return self._column[attribute] == code
