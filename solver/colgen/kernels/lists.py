"""What the compiled searches of the buckets and of the new tuples share."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing
from ..covering import Geometry, Ints
from .question import CutIndex

__all__ = ["Asked", "Lists", "side"]


class Lists(NamedTuple):
    """Who may be together with whom, in plain arrays.

    Attributes
    ----------
    home : shape (rows,)
        Bucket, or -1.
    signature, signature_start
        Values of bucket b are ``signature[signature_start[b]:signature_start[b + 1]]``.
    returning, returning_start
        Rows of each bucket.
    fresh, fresh_start
        New rows of each value.
    trace, trace_start
        Earlier groups of each row.
    kind
        Which table of verdicts each earlier group has.
    safe, possible : bool arrays, shape (times, kinds, members + 1, shared + 1)
        Whether a finished group may have so many members and share so many; and whether a group that
        has and shares them now can become one that may.
    """

    home: Ints
    signature: Ints
    signature_start: Ints
    returning: Ints
    returning_start: Ints
    fresh: Ints
    fresh_start: Ints
    trace: Ints
    trace_start: Ints
    kind: Ints
    safe: NDArray[np.bool_]
    possible: NDArray[np.bool_]


class Asked(NamedTuple):
    """One question to a search: integer duals in 1 / scale of a cost.

    Attributes
    ----------
    copies, value
        Of rows: how many tuples they stand for, and their sensitive value.
    fake : int
        Dual of the limit on counterfeits, at most 0.
    """

    geometry: Geometry
    copies: Ints
    value: Ints
    cuts: CutIndex
    dual: Ints
    fake: int
    scale: int


@borrowing
def side(g: Geometry, a: int, lo: int, hi: int) -> int:
    """Cost of one attribute's cell over codes lo to hi."""
    if g.tree[a] < 0:
        return g.weight[a] * (hi - lo)
    return g.table[g.tree[a] + lo * g.side[a] + hi]
