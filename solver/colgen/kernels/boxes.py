"""What boxes cost, compiled; plain arrays, because taking them out of a tuple counts references."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from ....models.compiled import borrowing
from ..covering import Ints

__all__ = ["LOW", "box_cost", "box_with", "pair_cost", "side_cost", "to_cell"]

LOW = -(1 << 62)
"""Below every sum of costs and duals."""


@borrowing
def side_cost(weight: Ints, tree: Ints, side: Ints, table: Ints, a: int, lo: int, hi: int) -> int:
    """Cost of one attribute's cell over codes lo to hi."""
    if tree[a] < 0:
        return weight[a] * (hi - lo)
    return table[tree[a] + lo * side[a] + hi]


@borrowing
def box_cost(weight: Ints, tree: Ints, side: Ints, table: Ints, lo: Ints, hi: Ints, r: int) -> int:
    """Cost of the box from lo[r] to hi[r]."""
    total = 0
    for a in range(len(weight)):
        total += side_cost(weight, tree, side, table, a, lo[r, a], hi[r, a])
    return total


@borrowing
def box_with(
    codes: Ints,
    weight: Ints,
    tree: Ints,
    side: Ints,
    table: Ints,
    u: int,
    lo: Ints,
    hi: Ints,
    r: int,
) -> int:
    """Cost of the box from lo[r] to hi[r] with row u in it."""
    total = 0
    for a in range(codes.shape[1]):
        x = codes[u, a]
        total += side_cost(weight, tree, side, table, a, min(lo[r, a], x), max(hi[r, a], x))
    return total


@borrowing
def pair_cost(codes: Ints, weight: Ints, tree: Ints, side: Ints, table: Ints, i: int, u: int) -> int:
    """Cost of the box over two rows."""
    total = 0
    for a in range(codes.shape[1]):
        x, y = codes[i, a], codes[u, a]
        total += side_cost(weight, tree, side, table, a, min(x, y), max(x, y))
    return total


@borrowing
def to_cell(
    codes: Ints,
    weight: Ints,
    tree: Ints,
    side: Ints,
    table: Ints,
    i: int,
    lo: Ints,
    hi: Ints,
    c: int,
) -> int:
    """No box over row i and a row of cell c costs less."""
    total = 0
    for a in range(codes.shape[1]):
        x = codes[i, a]
        if x < lo[c, a]:
            total += side_cost(weight, tree, side, table, a, x, lo[c, a])
        elif x > hi[c, a]:
            total += side_cost(weight, tree, side, table, a, hi[c, a], x)
    return total
