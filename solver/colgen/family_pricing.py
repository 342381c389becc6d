"""Groups of a family: signatures that are given, each published no more often than given.

A column is a group of one of the signatures that publishes each of its values equally often; whoever is
missing is a counterfeit, which costs nothing. Rows of the linear program are tuples, as everywhere, and one
more per signature: its columns have no more seats together than it has values times groups. Those rows are
the first of the cuts. Their duals are prices of a seat, whoever sits on it: so the search for a signature is
the one for a bucket, with everybody's dual raised by that price, and the price itself for a counterfeit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..exact.incidence import Members
from ..settings import Clock
from .column import Column, lines_of
from .covering import Covering, Ints
from .cuts import Cuts
from .duals import Duals, whole
from .kernels.lists import Asked, Lists
from .kernels.signature import search_signatures
from .limits import PRICING
from .pricing import Priced, Pricing, Search, Way, joined
from .signature_pricing import lists_of
from .structure.types import Types
from .table import Rows

__all__ = ["FamilyPricing", "FamilySeats"]


class FamilySeats(Cuts):
    """The seats of each signature, and cuts after them."""

    def __init__(self, rows: Covering, value: Ints, family: Sequence[tuple[tuple[int, ...], int]]) -> None:
        super().__init__(rows)
        self._value = value
        self._number = {signature: s for s, (signature, _) in enumerate(family)}
        self.add([()] * len(family))
        self._limit = [len(signature) * groups for signature, groups in family]

    def coefficients(self, column: Column | Sequence[int]) -> dict[int, int]:
        """As of cuts, and the seats of its signature."""
        found = super().coefficients(column)
        if isinstance(column, Column):
            values = {int(self._value[r]) for r in column.rows} | {v for v, _ in column.fakes}
            found[self._number[tuple(sorted(values))]] = len(column.rows) + column.made
        return found


class FamilyPricing(Pricing[Rows]):
    """See the module; of a table under what the past asks."""

    def __init__(
        self,
        types: Types,
        family: Sequence[tuple[tuple[int, ...], int]],
        workers: int = 1,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(types.rows, workers, clock)
        self.types, self.family = types, tuple(family)
        self.cuts: Cuts = FamilySeats(types.rows, types.rows.value, self.family)
        self.lists_all = False
        self._lists = lists_of(types)
        self._bucket = {signature: b for b, signature in enumerate(types.rules.signatures)}
        self._new = [self._of_new(signature) for signature, _ in self.family]

    def costs(self, lines: Members) -> Ints:
        return self.types.costs(lines)

    def limited(self, lines: Members) -> Ints:
        return np.zeros(len(lines), dtype=np.int64)

    def duals(self, rows: NDArray[np.float64], cuts: NDArray[np.float64], limit: float = 0.0) -> Duals:
        table = self.types.rows
        places = sum(len(signature) * groups for signature, groups in self.family)
        dearest = float(cuts[: len(self.family)].min(initial=0.0))
        found = whole(rows, cuts, dearest, costly=table.dearest, places=max(places, int(table.count.sum())))
        return replace(found, limit=0)

    def column(self, members: Sequence[int], signature: tuple[int, ...], times: int) -> Column:
        """A group of some rows, and the counterfeits it needs."""
        value = self.types.rows.value
        left = dict.fromkeys(signature, times)
        for r in members:
            left[int(value[r])] -= 1
        return Column(tuple(sorted(members)), tuple((v, n) for v, n in sorted(left.items()) if n))

    def price(self, duals: Duals, *, per_anchor: int, nodes: int = PRICING.nodes) -> Priced:
        """As `ColumnSource` says; what a signature lacks is paid by its people and by its seats.

        Let the seats of each group pay d together: that costs the number of groups times d, and anchors pay
        only what they lack beyond d. Together this is least where as many anchors lack more than d as there
        are groups: then it is what so many anchors lack that lack most.
        """
        worst, seats = np.zeros(len(self.rows), dtype=np.int64), np.zeros(len(self.family), dtype=np.int64)
        lines, short = list[Members](), 0
        for s, (signature, groups) in enumerate(self.family):
            found = self._searched(self._ways_of(duals, s), 0, per_anchor, None, nodes)
            if not found.bounded:
                return found
            lacking = np.sort(np.repeat(found.worst, self.rows.count))[::-1]
            each = int(lacking[groups - 1]) if groups <= len(lacking) else 0
            seats[s] = -(-each // len(signature))
            worst = np.maximum(worst, found.worst - seats[s] * len(signature))
            lines.append(found.lines)
            short += found.short
        return Priced(lines=joined(lines), worst=worst, short=short, bounded=True, limits=seats)

    def _ways(self, duals: Duals) -> Iterator[Way]:
        for s in range(len(self.family)):
            yield from self._ways_of(duals, s)

    def _ways_of(self, duals: Duals, s: int) -> Iterator[Way]:
        """The searches for groups of one signature: with somebody of its bucket, and of new people alone."""
        rules, rows, signature = self.types.rules, self.types.rows, self.family[s][0]
        price = int(duals.cuts[s]) if s < len(duals.cuts) else 0
        index = self.cuts.index(duals.cuts)
        asked = Asked(rows.geometry, rows.count, rows.value, index, duals.rows + price, price, duals.scale)
        b = self._bucket.get(signature, -1)
        inside = np.flatnonzero(self.types.home == b) if b >= 0 else np.zeros(0, dtype=np.int64)
        for times in range(1, int(rules.times[b]) + 1 if len(inside) else 1):
            yield self._way(asked, self._lists, signature, times, inside)
        new = self._new[s]
        if len(new.returning):
            yield self._way(asked, new, signature, 1, new.returning)

    def _way(self, asked: Asked, lists: Lists, signature: tuple[int, ...], times: int, anchors: Ints) -> Way:
        def begin() -> Search:
            return partial(search_signatures, asked, lists, times)

        def lines(members: Members) -> Members:
            return lines_of(
                self.column([u for u in line if u >= 0], signature, times) for line in members.tolist()
            )

        return Way(anchors=anchors, wide=len(signature) * times, begin=begin, lines=lines)

    def _of_new(self, signature: tuple[int, ...]) -> Lists:
        """New rows that may be together in groups of a signature, as if they were its bucket."""
        types, none = self.types, np.zeros(0, dtype=np.int64)
        may = np.flatnonzero((types.home < 0) & np.isin(types.rows.value, signature)).astype(np.int64)
        ends = np.array([0, len(may)], dtype=np.int64)
        return self._lists._replace(
            home=np.zeros(len(types), dtype=np.int64),
            signature=np.array(signature, dtype=np.int64),
            signature_start=np.array([0, len(signature)], dtype=np.int64),
            returning=may,
            returning_start=ends,
            fresh=none,
            fresh_start=np.zeros(len(types.rules.values) + 1, dtype=np.int64),
        )
