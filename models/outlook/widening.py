"""How much wider groups of later releases will probably be, so that whoever comes back keeps values open.

Whoever comes back has to be grouped with somebody who has another of the values that all groups of that
person publish, or can be inferred. Say a tuple of the table has one of them with the frequency F that they
have there together. Of the tuples by nearness, at distances ``D_1 <= D_2 <= ...`` (the widths of the
smallest box around both), the first k - 1 are company anyway; the first j have none of them in
``(1 - F)^j`` of all cases, and then the group reaches on to the next. So it will be wider by
``sum over j from k - 1 on of (1 - F)^j (D_(j+1) - D_j)``, and k members pay that.

F is rounded down to a 64th, and of a table only so many nearest tuples are looked at. This makes a table of
costs per tuple, fixed before the search, so that what a release costs is an exact function of it. That the
next table is like this one, and that everybody comes back once, is a model.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..categories import Categories
from ..domain import Codes, Domain
from ..exact_numbers import in_units
from ..history import History
from ..release import Release
from ..table import Microdata
from ..whole_weights import unit_weights

__all__ = ["STEPS", "Widening"]

STEPS = 64
"""Parts of a whole that frequencies are rounded down to."""
FINEST = 1_000
"""Parts of a unit of width that costs are rounded to, or finer."""
NEAREST = 100
"""Tuples that are looked at around each."""
AT_ONCE = 256


@dataclass(frozen=True, kw_only=True)
class Widening:
    """What groups will probably lose more, tuple by tuple, by the values that a release leaves open.

    Attributes
    ----------
    table : Microdata
    open : tuple of (collection of str, or None)
        Values that all earlier groups of each tuple's respondent publish; None where there are none.
    costs : int64 array, shape (tuples, STEPS + 1)
        In parts of the information loss, by the frequency of the other values that stay open.
    scale : int
        Such parts of 1.
    """

    table: Microdata
    open: tuple[Collection[str] | None, ...]
    costs: Codes
    scale: int

    @classmethod
    def of(cls, table: Microdata, history: History, least: int) -> Widening:
        """Work the table of costs out; O(tuples^2 x attributes).

        Parameters
        ----------
        table : Microdata
        history : History
        least : int
            Tuples of the smallest group.
        """
        units, parts = in_units(table.weights)
        weights, scale, _ = unit_weights(table, len(table), units)
        away = _distances(table, weights, min(NEAREST, len(table) - 1))
        records, finer = history.records, -(-FINEST // scale)
        return cls(
            table=table,
            open=tuple(
                None if (known := records.get(m.respondent)) is None else known.inferable
                for m in table.members
            ),
            costs=_costs(finer * away, least),
            scale=finer * scale * parts,
        )

    def step(self, often: int) -> int:
        """Which column of `costs` so many tuples with other values stand for."""
        return STEPS * often // len(self.table)

    def others(self, row: int, values: Collection[str]) -> set[str]:
        """Which of some values stay open for a tuple besides its own, if its group publishes them."""
        left = self.open[row]
        found = set(values) if left is None else {value for value in values if value in left}
        return found - {self.table.members[row].value}

    def release(self, release: Release) -> Fraction:
        """What all published tuples of a release cost."""
        often, row, total = self.table.histogram, self.table.row, 0
        for group in release.groups:
            for respondent in group.respondents:
                others = self.others(row[respondent], group.signature)
                step = self.step(sum(often.get(value, 0) for value in others))
                total += int(self.costs[row[respondent], step])
        return Fraction(total, self.scale)


def _costs(away: Codes, least: int) -> Codes:
    """What each tuple's group costs more by each frequency, given the distances of its nearest tuples.

    Powers are multiplied out one by one, in one order: every machine makes the same numbers.
    """
    further = np.diff(away, axis=1, prepend=0).astype(np.float64)  # column j: from the j-th nearest on
    found = np.zeros((len(away), STEPS + 1))
    for step in range(STEPS + 1):
        none, rest = (STEPS - step) / STEPS, np.zeros(len(away))
        for j in range(away.shape[1] - 1, -1, -1):
            rest *= none
            if j >= least - 1:
                rest += further[:, j]
        found[:, step] = rest
    return least * np.rint(found).astype(np.int64)


def _distances(table: Microdata, weights: list[int], most: int) -> Codes:
    """Weighted widths of the boxes around each tuple and so many nearest others, ascending."""
    count, found = len(table), np.empty((len(table), most), dtype=np.int64)
    sides = [np.unique(column, return_inverse=True) for column in table.codes.T]
    for at in range(0, count if most else 0, AT_ONCE):
        rows = np.arange(at, min(count, at + AT_ONCE))
        total = np.zeros((len(rows), count), dtype=np.int64)
        for domain, weight, (used, place) in zip(table.domains, weights, sides, strict=True):
            own, which = np.unique(place[rows], return_inverse=True)
            total += weight * _units(domain, used[own], used)[which][:, place]
        total[np.arange(len(rows)), rows] = np.iinfo(np.int64).max
        found[rows] = np.sort(np.partition(total, most - 1, axis=1)[:, :most], axis=1)
    return found


def _units(domain: Domain, some: Codes, others: Codes) -> Codes:
    """Units of the cells around each of some codes and each of others."""
    lo, hi = np.minimum(some[:, None], others[None, :]), np.maximum(some[:, None], others[None, :])
    if not isinstance(domain, Categories):
        return hi - lo
    return domain.units_between(lo.ravel(), hi.ravel()).reshape(lo.shape)
