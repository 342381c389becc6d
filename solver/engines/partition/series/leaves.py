"""Trees over explicit programs, as certificates hold them."""

from __future__ import annotations

from collections.abc import Sequence

from .... import claims
from .program import Leaf

__all__ = ["MOST_NUMBERS", "written"]

MOST_NUMBERS = 3_000_000
"""A tree with more duals than this is not written down."""


def written(nodes: Sequence[Leaf]) -> tuple[claims.Leaf, ...]:
    """Write nodes down."""
    return tuple(
        claims.Leaf(parent=n.parent, side=n.side, duals=n.duals, variable=n.variable, at=n.at) for n in nodes
    )
