"""Releases from the linear program by diving: take what it is surest of, solve the rest again, repeat.

Tuples that are left over when groups are taken greedily may be far apart, and groups near by would have to
change all the way between them. Solved again, the linear program spreads what is left over evenly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, eye_array, hstack

from ...backends.highs import INFINITY, LinearProgram, LPStatus
from ...exact.incidence import Members
from ...schedule import WORK
from ...settings import Clock
from ..choice import entries
from ..column import Group, columns_of
from ..covering import Ints
from ..cuts import Cuts
from ..first_order import FirstOrder
from ..histogram_pricing import HistogramPricing
from ..pool import Pool
from ..structure.histograms import Judge
from ..table import Rows
from .limits import DIVING as LIMITS
from .rounding import completed

__all__ = ["Dives", "dived"]

Floats = NDArray[np.float64]


def dived(
    pricing: HistogramPricing, columns: Pool, program: FirstOrder, judge: Judge, noise: Floats | None = None
) -> list[Group] | None:
    """A release from amounts of columns; None if the tuples left over fit nowhere.

    Parameters
    ----------
    columns, program
        The linear program as it was solved; neither is changed.
    noise
        Added to the amounts of columns when the surest are sought, for other releases.

    Notes
    -----
    Complexity: a few dozen short runs of the first-order method.
    """
    rows, left = pricing.rows, pricing.rows.count.copy()
    members, amount = columns.lines, program.amount.copy()
    extra = np.zeros(len(amount)) if noise is None else noise
    dual = program.dual[: len(rows)].copy()
    groups: list[Group] = []
    while len(members) and not (pricing.clock is not None and pricing.clock.over):
        surest = members[_surest(members, amount, extra, left)]
        groups += [tuple(u for u in line if u >= 0) for line in surest.tolist()]
        fits = _fit(members, left)
        members, amount, extra = members[fits], amount[fits], extra[fits]
        if not len(members):
            break
        chosen = np.flatnonzero(left)
        local = pricing.part(chosen, left[chosen])
        place = np.full(len(rows) + 1, -1, dtype=np.int32)
        place[chosen] = np.arange(len(chosen))
        inside = Pool(local, columns.wide)
        inside.add(place[members])
        rest = FirstOrder(
            local.rows,
            local.cuts,
            inside,
            program.unit,
            dual[chosen],
            amount=amount,
            weight=program.weight,
            pace=program.pace,
        )
        often = (
            LIMITS.iterations if pricing.clock is None else rest.affordable(LIMITS.iterations, pricing.clock)
        )
        if rest.short:
            return None
        rest.run(dual[chosen] - LIMITS.side, dual[chosen] + LIMITS.side, often)
        amount, dual[chosen] = rest.amount, rest.dual
    units = np.repeat(np.arange(len(rows)), left)
    return completed(rows, judge, groups, units, buckets=pricing.buckets, clock=pricing.clock)


class Dives:
    """Dives by the simplex method, each from the same amounts, under cuts.

    A tuple that is left over widens the group it will be put to: it is priced at a multiple of its dual, and
    of what tuples cost on average at least.

    Parameters
    ----------
    rows : Rows
        None of them may be suppressed.
    columns : Pool
    amount : float array
        Of each, in that optimum.
    cuts : Cuts
    prices : float array
        Duals of the rows, in costs.
    buckets : bool
        Whether every group needs one tuple of each value.
    """

    def __init__(
        self,
        rows: Rows,
        columns: Pool,
        amount: Floats,
        cuts: Cuts,
        prices: Floats,
        *,
        buckets: bool = False,
    ) -> None:
        self._rows, self._columns, self._amount, self._buckets = rows, columns, amount, buckets
        count, sparse = rows.count, columns.sparse(cuts)
        matrix, _ = entries(columns, sparse.place, sparse.start, len(cuts))
        unit = max(1.0, float(prices @ count) / float(count.sum()))
        self._number, left = len(columns), LIMITS.left * np.maximum(prices / unit, 1.0)
        self._program = LinearProgram(pace=WORK.dived.value)
        self._program.load(
            np.concatenate([columns.cost / unit, left]),
            np.zeros(self._number + len(count)),
            np.full(self._number + len(count), INFINITY),
            csc_array(hstack([matrix, eye_array(matrix.shape[0], len(count))], format="csc")),
            np.concatenate([count.astype(float), np.full(len(cuts), -INFINITY)]),
            np.concatenate([count, cuts.limit]).astype(float),
        )

    def run(self, judge: Judge, noise: Floats, clock: Clock, end: Clock | None = None) -> list[Group] | None:
        """Groups; None if the tuples left over fit nowhere.

        Parameters
        ----------
        noise
            Added to the amounts of columns when the surest are sought.
        clock
            When it is over, the rest is rounded.
        end
            When it is over, there is no answer.
        """
        every, left, late = np.arange(self._number), self._rows.count.copy(), False
        taken, amount = np.zeros(self._number), self._amount
        while left.any():
            able = np.flatnonzero((amount > LIMITS.least) & _fit(self._columns.lines, left))
            known = self._columns.lines[able], amount[able], noise[able]
            chosen = able[_surest(*known, left, whole=late)]
            np.add.at(taken, chosen, 1.0)
            if late or not len(chosen):
                break
            still = _fit(self._columns.lines, left)
            self._program.set_ends(every, taken, np.where(still, INFINITY, taken))
            late = clock.over or self._program.run(clock.rest) is not LPStatus.OPTIMAL
            amount = (amount if late else self._program.amount[: self._number]) - taken
        lines = np.repeat(self._columns.lines, taken.astype(np.int64), axis=0)
        groups = [column.rows for column in columns_of(lines)]
        units = np.repeat(np.arange(len(left)), left)
        return completed(self._rows, judge, groups, units, buckets=self._buckets, clock=end)


def _surest(members: Members, amount: Floats, extra: Floats, left: Ints, *, whole: bool = False) -> list[int]:
    """Groups that still fit, by falling amount, while they are sure or few, or all; `left` is lowered."""
    found: list[int] = []
    wanted = max(1.0, LIMITS.share * float(amount.sum()))
    score = amount + extra
    for j in np.argsort(-score, kind="stable").tolist():
        if not whole and score[j] < LIMITS.sure and len(found) >= wanted:
            break
        group = tuple(u for u in members[j].tolist() if u >= 0)
        for _ in range(max(1, int(amount[j] + 1 - LIMITS.sure))):
            # What does not fit now never will; amounts before the optimum may be in the millions.
            if any(left[u] < group.count(u) for u in group):
                break
            for u in group:
                left[u] -= 1
            found.append(j)
    return found


def _fit(members: Members, left: Ints) -> NDArray[np.bool_]:
    """Which groups can still be taken once."""
    there = members >= 0
    again = np.zeros(members.shape, dtype=np.int64)
    for k in range(1, members.shape[1]):
        again[:, k] = np.where(members[:, k] == members[:, k - 1], again[:, k - 1] + 1, 0)
    return np.asarray((~there | (left[members] > again)).all(axis=1))
