"""The connectivity graph of two published views: what an outsider can still combine.

Two projections of one table are joined on the columns they share. Inside one join value
every tuple of the first view may belong with every tuple of the second, so the graph is
complete bipartite (its edges run between the views only) and its shape is two numbers and
the multiplicities of the property values. Its nodes are whole view *tuples*: two tuples
that agree on the join columns and the property but differ elsewhere are two nodes, because
each needs a partner of its own in every possible base table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..errors import PolicyError, ReleaseError
from .pair import SecretColumns, Tuple, ViewPair
from .query import SecretQuery

__all__ = ["ComponentCounts", "JoinComponent", "connectivity_graph"]


@dataclass(frozen=True, kw_only=True)
class ComponentCounts:
    """What the breach probability needs to know of one component.

    Parameters
    ----------
    m
        Tuples on the identifier side, at least 1.
    s
        How many of them carry the identifier, ``1 <= s <= m``.
    multiplicity
        Property value -> number of tuples on the property side that carry it, at least 1.

    Raises
    ------
    PolicyError
        If a number is out of its range.
    """

    m: int
    s: int
    multiplicity: Mapping[Hashable, int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "multiplicity", MappingProxyType(dict(self.multiplicity)))
        if not 1 <= self.s <= self.m:
            raise PolicyError(f"Counts: s={self.s} must lie between 1 and m={self.m}")
        if not self.multiplicity or min(self.multiplicity.values()) < 1:
            raise PolicyError("Counts: every multiplicity must be at least 1, and one must exist")

    @property
    def n(self) -> int:
        """Tuples on the property side."""
        return sum(self.multiplicity.values())


@dataclass(frozen=True, kw_only=True)
class JoinComponent:
    """One complete bipartite component: all tuples of both views with one join value.

    Parameters
    ----------
    join_value
        Values of the join columns.
    id_side, property_side
        The view tuples, each in the column order of its view, without repetition.
    id_nodes
        Positions in ``id_side`` of the tuples that carry the identifier.
    properties
        Property value of each tuple of ``property_side``.

    Raises
    ------
    ReleaseError
        If the identifier or a property value is missing.
    """

    join_value: Tuple
    id_side: tuple[Tuple, ...]
    property_side: tuple[Tuple, ...]
    id_nodes: tuple[int, ...]
    properties: Tuple

    def __post_init__(self) -> None:
        if not self.id_nodes or not set(self.id_nodes) <= set(range(len(self.id_side))):
            raise ReleaseError("Component: id_nodes must be positions in id_side, at least one")
        if not self.property_side or len(self.properties) != len(self.property_side):
            raise ReleaseError("Component: every property-side tuple needs its property value")

    @property
    def counts(self) -> ComponentCounts:
        """The numbers the breach probability depends on."""
        return ComponentCounts(
            m=len(self.id_side), s=len(self.id_nodes), multiplicity=Counter(self.properties)
        )


def connectivity_graph(views: ViewPair, query: SecretQuery) -> tuple[JoinComponent, ...]:
    """Build the components in which an identifier occurs.

    Parameters
    ----------
    views
        The published views.
    query
        A secret with an ``id_value``, its two columns in different views.

    Returns
    -------
    tuple of Component
        One per join value of the identifier; empty if the identifier is not published.
        Components without it have the same worlds whether or not the association holds,
        so they cancel out of every probability.

    Raises
    ------
    PolicyError
        If the query has no ``id_value`` or its columns are not split over the views.
    TableError
        If the identifier column holds only values of another kind than the query.

    Notes
    -----
    Linear in the size of the components. All join values of the identifier are relevant, not
    only those at which the base table has the association, which nobody outside knows
    (compare Wang and Lakshmanan, section 4, step 1).
    """
    if query.id_value is None:
        raise PolicyError("connectivity_graph: the query needs an id_value; expand it first")
    if views.exposure(query) is not SecretColumns.SPLIT:
        raise PolicyError(
            f"connectivity_graph: columns {query.id_attribute!r} and"
            f" {query.property_attribute!r} must be published in different views"
        )
    side = views.view_with(query.id_attribute)
    id_column = views.columns[side].index(query.id_attribute)
    property_column = views.columns[1 - side].index(query.property_attribute)
    graph: list[JoinComponent] = []
    for join_value in views.join_values(side, query.id_attribute, query.id_value):
        id_side = views.tuples(side, join_value)
        property_side = views.tuples(1 - side, join_value)
        graph.append(
            JoinComponent(
                join_value=join_value,
                id_side=id_side,
                property_side=property_side,
                id_nodes=tuple(k for k, row in enumerate(id_side) if row[id_column] == query.id_value),
                properties=tuple(row[property_column] for row in property_side),
            )
        )
    return tuple(graph)
