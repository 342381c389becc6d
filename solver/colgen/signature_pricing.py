"""Groups with counterfeits and a past: those of buckets and all-new ones (see `structure.signatures`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..exact.incidence import Members
from ..settings import Clock
from .column import columns_of, lines_of
from .covering import Ints
from .duals import Duals, whole
from .kernels.distinct import search_distinct
from .kernels.lists import Asked, Lists
from .kernels.signature import search_signatures
from .limits import PRICING
from .pricing import Listing, Pricing, Search, Way
from .structure.types import Types, possible
from .table import Rows

__all__ = ["SignaturePricing", "lists_of"]


class SignaturePricing(Pricing[Rows]):
    """The groups that signatures and earlier groups need, of a table or a part of it."""

    def __init__(self, types: Types, workers: int = 1, clock: Clock | None = None) -> None:
        super().__init__(types.rows, workers, clock)
        self.types = types
        # What earlier groups allow a relaxed bucket is not judged group by group.
        self.lists_all = not types.rules.relaxed.any()
        self.lists = lists_of(types)
        home = types.home
        self._new = np.flatnonzero(home < 0)
        old = np.flatnonzero(home >= 0)
        often = types.rules.times if len(types.rules.times) else np.ones(1, dtype=np.int64)
        most = int(often.max(initial=1))
        found = [(times, old[often[home[old]] >= times]) for times in range(1, most + 1)]
        self._anchors = [(times, anchors) for times, anchors in found if len(anchors)]

    def costs(self, lines: Members) -> Ints:
        return self.types.costs(lines)

    def limited(self, lines: Members) -> Ints:
        return self.types.limited(lines)

    def duals(self, rows: NDArray[np.float64], cuts: NDArray[np.float64], limit: float = 0.0) -> Duals:
        rules, table = self.types.rules, self.types.rows
        widest = max([rules.least, *map(len, rules.signatures)])
        places = max(1, int(table.count.sum())) + widest * int(rules.times.max(initial=1))
        price = 1 if self.types.counting else self.types.price
        found = whole(rows, cuts, limit, costly=table.dearest + (price or 0), places=places)
        return found if price is None else replace(found, limit=-price * found.scale)

    def all_below(self, duals: Duals, slack: int, *, room: int, nodes: int = PRICING.nodes) -> Listing | None:
        found = super().all_below(duals, slack, room=room, nodes=nodes)
        if found is None:
            return None
        kept = np.array([self.types.keeps(column) for column in columns_of(found.lines)], dtype=np.bool_)
        return replace(found, lines=found.lines[kept])

    def _ways(self, duals: Duals) -> Iterator[Way]:
        types = self.types
        rules, rows = types.rules, types.rows
        asked = Asked(
            rows.geometry,
            rows.count,
            rows.value,
            self.cuts.index(duals.cuts),
            duals.rows,
            duals.limit,
            duals.scale,
        )
        widest = max(2 * rules.least - 1, *map(len, rules.signatures), 1)
        for times, anchors in self._anchors:

            def of_bucket(times: int = times) -> Search:
                return partial(search_signatures, asked, self.lists, times)

            def lines(members: Members, times: int = times) -> Members:
                return self._lines(members, times)

            yield Way(anchors=anchors, wide=widest * times, begin=of_bucket, lines=lines)
        if len(self._new):
            falling = self._new[np.argsort(-duals.rows[self._new], kind="stable")]

            def of_new() -> Search:
                return partial(search_distinct, asked, falling, len(rules.values), rules.least)

            yield Way(
                anchors=self._new, wide=widest, begin=of_new, lines=lambda members: self._lines(members, 0)
            )

    def _lines(self, members: Members, times: int) -> Members:
        """Groups with their counterfeits."""
        column = self.types.column
        return lines_of(column([u for u in line if u >= 0], times) for line in members.tolist())


def _csr(lists: list[list[int]]) -> tuple[Ints, Ints]:
    start = np.concatenate([[0], np.cumsum([len(found) for found in lists])]).astype(np.int64)
    return np.array([x for found in lists for x in found], dtype=np.int64), start


def _by(label: Ints, rows: Ints, labels: int) -> tuple[Ints, Ints]:
    """Some rows by their labels, rising among equal ones; where each label starts."""
    start = np.concatenate([[0], np.cumsum(np.bincount(label[rows], minlength=labels))])
    return rows[np.argsort(label[rows], kind="stable")], start.astype(np.int64)


def lists_of(types: Types) -> Lists:
    """Put together what the searches read."""
    rules, home = types.rules, types.home
    signature, signature_start = _csr([list(s) for s in rules.signatures])
    returning, returning_start = _by(home, np.flatnonzero(home >= 0), len(rules.signatures))
    fresh, fresh_start = _by(types.rows.value, np.flatnonzero(home < 0), len(rules.values))
    trace, trace_start = _csr([list(found) for found in types.traces])
    kind = rules.kind.copy()
    for t, b in enumerate(home.tolist()):
        if b >= 0 and rules.relaxed[b]:
            kind[list(types.traces[t])] = 0
    return Lists(
        home,
        signature,
        signature_start,
        returning,
        returning_start,
        fresh,
        fresh_start,
        trace,
        trace_start,
        kind,
        rules.safe,
        possible(rules.safe, rules.present),
    )
