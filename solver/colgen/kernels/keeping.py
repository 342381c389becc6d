"""The best groups of an anchor, as searches find them, and the cuts that count their members. Compiled."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing
from ..covering import Ints
from .question import CutIndex

__all__ = ["counted_in", "counted_out", "kept_best"]


@borrowing
def counted_in(cuts: CutIndex, touched: Ints, row: int) -> int:
    """Let cuts count one more member, of a row; what it brings: duals of those with another q-th member."""
    total = 0
    for e in range(cuts.start[row], cuts.start[row + 1]):
        c = cuts.cut[e]
        touched[c] += 1
        if touched[c] % cuts.divisor[c] == 0:
            total += cuts.dual[c]
    return total


@borrowing
def counted_out(cuts: CutIndex, touched: Ints, row: int) -> None:
    """Let cuts count it no more."""
    for e in range(cuts.start[row], cuts.start[row + 1]):
        touched[cuts.cut[e]] -= 1


@borrowing
def kept_best(
    groups: NDArray[np.int32],
    profits: Ints,
    member: Ints | NDArray[np.int32],
    size: int,
    profit: int,
    base: int,
    total: int,
    per_anchor: int,
    low: int,
) -> tuple[int, int]:
    """Write a group down, in place of the anchor's worst one if there are enough.

    The new total (-1 if there is no room), and the profit that groups have to exceed from now on: `low`, or
    that of the worst one.
    """
    slot = total
    if 0 < per_anchor <= total - base:
        slot = base
        for k in range(base, total):
            if profits[k] < profits[slot]:
                slot = k
    if slot >= len(profits):
        return -1, low
    for k in range(groups.shape[1]):
        groups[slot, k] = member[k] if k < size else -1
    profits[slot] = profit
    total = max(total, slot + 1)
    if 0 < per_anchor <= total - base:
        low = profits[base]
        for k in range(base, total):
            low = min(low, profits[k])
    return total, low
