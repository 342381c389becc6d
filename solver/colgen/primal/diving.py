"""Releases from the linear program by diving: take what it is surest of, solve the rest again, repeat.

Tuples that are left over when groups are taken greedily may be far apart, and groups near by would have to
change all the way between them. Solved again, the linear program spreads what is left over evenly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..column import Group, Members
from ..first_order import FirstOrder
from ..histogram_pricing import HistogramPricing
from ..pool import Pool
from ..structure.histograms import Judge
from ..table import Ints
from .limits import DIVING as LIMITS
from .rounding import completed

__all__ = ["dived"]

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
        groups += _surest(members, amount, extra, left)
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
        rest.run(dual[chosen] - LIMITS.side, dual[chosen] + LIMITS.side, often)
        amount, dual[chosen] = rest.amount, rest.dual
    units = np.repeat(np.arange(len(rows)), left)
    return completed(rows, judge, groups, units, buckets=pricing.buckets, clock=pricing.clock)


def _surest(members: Members, amount: Floats, extra: Floats, left: Ints) -> list[Group]:
    """Groups that still fit, by falling amount, as long as they are sure or few; `left` is lowered."""
    found: list[Group] = []
    wanted = max(1.0, LIMITS.share * float(amount.sum()))
    score = amount + extra
    for j in np.argsort(-score, kind="stable").tolist():
        if score[j] < LIMITS.sure and len(found) >= wanted:
            break
        group = tuple(u for u in members[j].tolist() if u >= 0)
        for _ in range(max(1, int(amount[j] + 1 - LIMITS.sure))):
            if all(left[u] >= group.count(u) for u in group):
                for u in group:
                    left[u] -= 1
                found.append(group)
    return found


def _fit(members: Members, left: Ints) -> NDArray[np.bool_]:
    """Which groups can still be taken once."""
    there = members >= 0
    again = np.zeros(members.shape, dtype=np.int64)
    for k in range(1, members.shape[1]):
        again[:, k] = np.where(members[:, k] == members[:, k - 1], again[:, k - 1] + 1, 0)
    return np.asarray((~there | (left[members] > again)).all(axis=1))
