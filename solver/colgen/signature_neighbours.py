"""What a tuple costs beside its nearest tuples of other values, compiled: a first guess of duals."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import compiled
from ..settings import Clock
from .covering import Geometry, Ints
from .kernels.boxes import pair_cost
from .primal.limits import MIXING as LIMITS
from .structure.types import Types

__all__ = ["neighbours"]

Floats = NDArray[np.float64]


def neighbours(types: Types, clock: Clock | None = None) -> Floats:
    """Cost of the way from each row to its m-th nearest value, its own counted: a guess at duals.

    No member of a group of m different real tuples has a smaller box, if all rows are within reach. If time
    ends, the mean stands for the rows that are left.
    """
    rows, g = types.rows, types.rows.geometry
    wide = [len(signature) for signature in types.rules.signatures]
    signature = np.array([v for s in types.rules.signatures for v in s], dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(wide)]).astype(np.int64)
    reach = min(LIMITS.most, max(LIMITS.least, LIMITS.work // max(1, 2 * len(rows) * g.codes.shape[1])))
    found = np.zeros(len(rows))
    for at in range(0, len(rows), LIMITS.chunk):
        if clock is not None and clock.over:
            found[at:] = found[:at].mean() if at else 0.0
            break
        last = min(len(rows), at + LIMITS.chunk)
        number = len(types.rules.values)
        _measure(
            g, rows.value, types.home, signature, start, number, types.rules.least, reach, at, last, found
        )
    return found


@compiled
def _measure(
    g: Geometry,
    value: Ints,
    home: Ints,
    signature: Ints,
    start: Ints,
    values: int,
    least: int,
    reach: int,
    first: int,
    last: int,
    found: Floats,
) -> None:
    """Fill in `found` for rows `first` to `last`."""
    way, asked = np.empty(values, dtype=np.int64), np.empty(values, dtype=np.bool_)
    near = np.empty(least, dtype=np.int64)
    codes, weight, tree, side, table = g.codes, g.weight, g.tree, g.side, g.table
    for r in range(first, last):
        b = home[r]
        way[:] = -1
        asked[:] = b < 0
        if b >= 0:
            for e in range(start[b], start[b + 1]):
                asked[signature[e]] = True
        asked[value[r]] = False
        for u in range(max(0, r - reach), min(len(value), r + reach + 1)):
            v = value[u]
            if not asked[v] or not (home[u] < 0 or home[u] == b):
                continue
            cost = pair_cost(codes, weight, tree, side, table, r, u)
            if way[v] < 0 or cost < way[v]:
                way[v] = cost
        size = 0
        for v in range(values):
            if way[v] < 0:
                continue
            place = min(size, least - 1)
            if size == least - 1 and (place == 0 or near[place - 1] <= way[v]):
                continue
            size = min(least - 1, size + 1)
            place = size - 1
            while place > 0 and near[place - 1] > way[v]:
                near[place] = near[place - 1]
                place -= 1
            near[place] = way[v]
        found[r] = near[size - 1] if size else 0.0
