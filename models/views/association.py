"""The association cover: every property value the views allow for an identifier."""

from __future__ import annotations

from collections.abc import Hashable

from ..errors import PolicyError
from .connectivity import connectivity_graph
from .pair import SecretColumns, ViewPair
from .query import SecretQuery

__all__ = ["association_cover"]


def association_cover(views: ViewPair, query: SecretQuery) -> tuple[Hashable, ...]:
    """List the distinct property values joined with an identifier.

    The cover holds one association per property value found with ``ID = i`` in the natural
    join: any two of its members differ in their property. It need not contain the
    association asked about, whose ``property_value`` is ignored (Wang and Lakshmanan,
    Def. 3.1, whose third condition must compare each member with the *other members*).

    Parameters
    ----------
    views
        The published views.
    query
        A secret with an ``id_value``.

    Returns
    -------
    tuple
        Property values in the order of the views' rows; empty if the views do not contain
        the identifier or withhold one of the two columns.

    Raises
    ------
    PolicyError
        If the query has no ``id_value``.
    TableError
        If the identifier column holds only values of another kind than the query.
    """
    if query.id_value is None:
        raise PolicyError("association_cover: the query needs an id_value; expand it first")
    place = views.exposure(query)
    if place is SecretColumns.WITHHELD:
        return ()
    if place is SecretColumns.SPLIT:
        graph = connectivity_graph(views, query)
        return tuple(dict.fromkeys(value for part in graph for value in part.properties))
    side = views.view_with(query.id_attribute, query.property_attribute)
    columns = views.columns[side]
    i, p = columns.index(query.id_attribute), columns.index(query.property_attribute)
    return tuple(
        dict.fromkeys(
            row[p]
            for join_value in views.join_values(side, query.id_attribute, query.id_value)
            for row in views.tuples(side, join_value)
            if row[i] == query.id_value
        )
    )
