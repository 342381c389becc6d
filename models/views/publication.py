r"""How much two projections publish: the value an optimal choice of views maximizes.

The order is lexicographic. First the total weight of the columns in at least one view,
because a withheld column is the greatest loss; then that of the columns in both, because
the more the views share, the more of the joint distribution survives. (The plain sum of both
would rather publish one view twice than two views that hide a link.) With positive integer weights
:math:`w` and :math:`W = \sum w` both levels are one integer,
:math:`(W + 1)\, w(V_1 \cup V_2) + w(V_1 \cap V_2)`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

from ..errors import PolicyError

__all__ = ["PublishedWeight"]

_LARGEST = (1 << 26) - 1


@dataclass(frozen=True, kw_only=True)
class PublishedWeight:
    """The weight of every column, and with it the value of two views.

    Parameters
    ----------
    weights
        Positive integer per column, at most ``2**26 - 1`` in total, so that values stay
        exact in double precision.

    Raises
    ------
    PolicyError
        If a weight is out of its range.
    """

    weights: Mapping[str, int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", MappingProxyType(dict(self.weights)))
        for column, weight in self.weights.items():
            if type(weight) is not int or weight < 1:
                raise PolicyError(
                    f"PublishedWeight: the weight of column {column!r} must be a positive integer"
                )
        if sum(self.weights.values()) > _LARGEST:
            raise PolicyError(f"PublishedWeight: the weights add up to more than {_LARGEST}; scale them down")

    @classmethod
    def of(cls, table: pd.DataFrame, weights: Mapping[str, int] | None = None) -> PublishedWeight:
        """Take the given weights, or weigh every column by its number of cells.

        Parameters
        ----------
        table
            The base table.
        weights
            One entry per column; None weighs all columns alike.

        Returns
        -------
        PublishedWeight
            The weights of the table's columns.

        Raises
        ------
        PolicyError
            If a column has no weight or a weight no column.
        """
        columns = [str(column) for column in table.columns]
        used = dict.fromkeys(columns, len(table)) if weights is None else dict(weights)
        odd = sorted(set(used) ^ set(columns))
        if odd:
            raise PolicyError(
                f"PublishedWeight: {odd[0]!r} is a column or a weight but not both; give every"
                " column one weight"
            )
        return cls(weights=used)

    @property
    def scale(self) -> int:
        """Value of one unit of published weight in units of joined weight: ``W + 1``."""
        return sum(self.weights.values()) + 1

    def published(self, first: Collection[str], second: Collection[str]) -> int:
        """Weigh the columns in at least one view.

        Parameters
        ----------
        first, second
            Columns of the two views.

        Returns
        -------
        int
            Their total weight.
        """
        return sum(self.weights[a] for a in {*first, *second})

    def joined(self, first: Collection[str], second: Collection[str]) -> int:
        """Weigh the columns in both views.

        Parameters
        ----------
        first, second
            Columns of the two views.

        Returns
        -------
        int
            Their total weight.
        """
        return sum(self.weights[a] for a in set(first) & set(second))

    def value(self, first: Collection[str], second: Collection[str]) -> int:
        """Evaluate two views: ``scale * published + joined``.

        Parameters
        ----------
        first, second
            Columns of the two views.

        Returns
        -------
        int
            The value; larger is better.
        """
        return self.scale * self.published(first, second) + self.joined(first, second)
