"""Published views: what two projections of a table reveal about a secret association.

Measures of Wang and Lakshmanan ("Probabilistic privacy analysis of published views", WPES
2006): the association cover, the connectivity graph of a join, the possible worlds behind
it in closed form, and the probability of a breach with and without the knowledge that an
identifier has a single property value.
"""

from __future__ import annotations

from .association import association_cover
from .breach import AttackModel, Breach, Posterior, breach, exceeds, posterior
from .coded import CodedTable
from .connectivity import ComponentCounts, JoinComponent, connectivity_graph
from .covers import covers_avoiding
from .enclosure import cover_share
from .pair import SecretColumns, ViewPair, project
from .pattern import Pattern, is_broken, standing_patterns, violated_pattern
from .protection import ProtectedAssociation
from .publication import PublishedWeight
from .query import SecretQuery, associations, parse_secret_query

__all__ = [
    "AttackModel",
    "Breach",
    "CodedTable",
    "ComponentCounts",
    "JoinComponent",
    "Pattern",
    "Posterior",
    "ProtectedAssociation",
    "PublishedWeight",
    "SecretColumns",
    "SecretQuery",
    "ViewPair",
    "association_cover",
    "associations",
    "breach",
    "connectivity_graph",
    "cover_share",
    "covers_avoiding",
    "exceeds",
    "is_broken",
    "parse_secret_query",
    "posterior",
    "project",
    "standing_patterns",
    "violated_pattern",
]
