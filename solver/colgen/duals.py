"""Integer duals, and the exact bound they prove."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .covering import Covering, Ints
from .cuts import Cuts

__all__ = ["ROOM", "DualBound", "Duals", "ceil_div", "whole"]

ROOM = 1 << 61
"""Largest sum that may occur in a search; leaves one bit of int64 to spare."""
FINE = 1 << 14
"""Finest unit of duals, as a fraction of a cost."""


@dataclass(frozen=True, kw_only=True)
class Duals:
    """Duals as integers in 1 / `scale` of a cost: any sign for rows, at most 0 for the others.

    Attributes
    ----------
    rows, cuts : int arrays
    limit : int
        Of the limit F on counterfeits; where columns cost their counterfeits, minus that cost, and F is 0.
        Where tuples may be suppressed, of the limit on these (see `suppressing`).
    scale : int

    Notes
    -----
    The reduced cost of a column is its scaled cost minus the duals of its rows, counterfeits and cuts (as
    often as its coefficients say). If no needed column's is below 0, every release costs at least `value` /
    `scale`: over its columns, duals and penalties add up to at most the scaled cost, rows add up to their
    counts, counterfeits to at most F and a cut's coefficients to at most its limit, while their duals are at
    most 0.
    """

    rows: Ints
    cuts: Ints
    scale: int
    limit: int = 0

    def value(self, rows: Covering, cuts: Cuts, fakes: int = 0) -> int:
        """Scaled bound on releases with at most so many counterfeits, if the duals are feasible."""
        limits = cuts.limit[: len(self.cuts)]
        return int(self.rows @ rows.count) + self.limit * fakes + int(self.cuts @ limits)

    def bound(self, rows: Covering, cuts: Cuts, fakes: int = 0) -> int:
        """No release costs less, if the duals are feasible; costs are integers."""
        return ceil_div(self.value(rows, cuts, fakes), self.scale)

    def made_feasible(self, worst: Ints, limits: Ints | None = None) -> Duals:
        """Duals at which no column has a negative reduced cost, if none was below ``-worst`` of its anchor.

        Every column contains its anchor, so lowering the anchor's dual by `worst` raises its reduced cost by
        at least as much, and no column's reduced cost falls. With `limits`, duals of the first cuts pay for a
        part of what is missing, and `worst` is what is left.
        """
        cuts = self.cuts
        if limits is not None:
            cuts = np.pad(cuts, (0, max(0, len(limits) - len(cuts))))
            cuts[: len(limits)] -= limits
        return replace(self, rows=self.rows - np.maximum(worst, 0), cuts=cuts)

    def suppressing(self, rows: Covering) -> Duals:
        """Duals that are feasible for groups, made so for suppressed tuples, at the least loss.

        A suppressed tuple costs `Rows.single`, and its dual may be above that by as much as the limit's dual
        is below 0. So the limit pays for what is above, or duals are lowered, which is never wrong. The total
        is concave in the limit's dual, and best where no more tuples are above than the limit allows.
        """
        above = np.repeat(self.rows - rows.single * self.scale, rows.count)
        highest = np.sort(above)[::-1]
        most = max(0, int(highest[rows.spare])) if rows.spare < len(highest) else 0
        return replace(self, rows=np.minimum(self.rows, rows.single * self.scale + most), limit=-most)


def ceil_div(a: int, b: int) -> int:
    """Exact ceiling of a quotient of integers."""
    return -(-a // b)


def whole(
    rows: NDArray[np.float64], cuts: NDArray[np.float64], limit: float, *, costly: int, places: int
) -> Duals:
    """Round duals (in costs) down to the finest unit that keeps all sums inside int64.

    Parameters
    ----------
    costly
        Most that a tuple may cost.
    places
        How many tuples, counterfeits among them, a release may have.
    """
    largest = float(np.abs(rows).max(initial=0.0)) + costly
    total = places * (largest + abs(limit)) * 2 + float(np.abs(cuts).sum()) + 1
    scale = 1
    while scale < FINE and total * scale * 2 < ROOM:
        scale *= 2
    clip = ROOM / (4 * places)
    return Duals(
        rows=np.floor(np.clip(rows * scale, -clip, clip)).astype(np.int64),
        cuts=np.floor(np.minimum(cuts, 0) * scale).astype(np.int64),
        limit=int(np.floor(max(min(limit, 0.0) * scale, -clip))),
        scale=scale,
    )


class Covered(Protocol):
    """Rows to be covered, and the cuts so far."""

    @property
    def rows(self) -> Covering: ...

    cuts: Cuts


class DualBound:
    """The feasible duals that prove most so far.

    Attributes
    ----------
    duals : Duals or None
        Feasible for every needed column.
    value : Fraction
        What they prove, in costs; -1 at first.
    bound : int
        No release (with at most `fakes` counterfeits) costs less.
    rounds : int
        How often duals were offered.
    """

    def __init__(self, priced: Covered, fakes: int = 0) -> None:
        self.priced, self.fakes = priced, priced.rows.spare or fakes
        self.duals: Duals | None = None
        self.value = Fraction(-1)
        self.bound = 0
        self.rounds = 0

    def offer(self, duals: Duals) -> Fraction:
        """Keep feasible duals if they prove more; what they prove."""
        self.rounds += 1
        rows, cuts = self.priced.rows, self.priced.cuts
        if rows.spare:
            duals = duals.suppressing(rows)
        value = Fraction(duals.value(rows, cuts, self.fakes), duals.scale)
        if value > self.value:
            self.value, self.duals = value, duals
            self.bound = max(0, duals.bound(rows, cuts, self.fakes))
        return value
