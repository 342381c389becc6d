"""The table in integers, as the verifier reads it: tuples that are alike share a row, boxes have prices.

A loss of boxes is a sum over tuples of the shares of the domains that their boxes cover, each times its
attribute's units (information loss: 1 each). A share is a whole number over the domain's span, so the least
common multiple of all spans makes every loss a whole number of *costs*. Where that would be too large for
64 bits, the largest power of two that is not takes its place and costs are rounded down: bounds stay bounds.

Nothing here is shared with the engines: both sides follow the definitions of models/.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...models.domain import Domain
from ...models.table import Microdata

__all__ = ["Boxes", "CheckedKinds", "CheckedRows", "Ints", "cost_of_one", "row_of"]

Ints: TypeAlias = NDArray[np.int64]

MOST_COST = 1 << 50
"""No release costs more."""


class CheckedKinds(Protocol):
    """Kinds of tuples, as far as duals go; see `CheckedRows`."""

    @property
    def count(self) -> Ints: ...
    @property
    def tuples(self) -> tuple[tuple[int, ...], ...]: ...
    @property
    def most(self) -> int: ...


class Boxes(NamedTuple):
    """Corners and prices, in arrays for compiled code.

    Attributes
    ----------
    code : shape (rows, attributes)
    price : shape (attributes,)
        Cost of a step of one code, where every interval is a cell.
    start, side : shape (attributes,)
        Where cells are nodes of a taxonomy: the smallest node over codes a <= b costs
        ``table[start + a * side + b]``; elsewhere start is -1.
    table : one-dimensional
    """

    code: Ints
    price: Ints
    start: Ints
    side: Ints
    table: Ints


@dataclass(frozen=True, kw_only=True)
class CheckedRows:
    """Rows in the order in which the table names their first tuples.

    Attributes
    ----------
    boxes : Boxes
    value : int array
        Number of the sensitive value among the table's in sorted order; 0 if values do not matter.
    count : int array
        Tuples of each row.
    tuples : tuple of tuple of int
        Those tuples, by their row of the microdata (from 0).
    one : int
        What one unit costs.
    units : tuple of int
        Units that each attribute's whole domain takes.
    exact : bool
        Whether costs are exact, not rounded down.
    spare, single : int
        How many tuples may be suppressed, and what each of them costs.
    """

    boxes: Boxes
    value: Ints
    count: Ints
    tuples: tuple[tuple[int, ...], ...]
    one: int
    units: tuple[int, ...]
    exact: bool
    spare: int = 0
    single: int = 0

    def __len__(self) -> int:
        return len(self.value)

    @property
    def most(self) -> int:
        """A cost that no release exceeds: every tuple covers every domain, or is suppressed."""
        return int(self.count.sum()) * max(self.one * sum(self.units), self.single)

    def suppressing(self, most: int, price: Fraction, *, finer: bool) -> CheckedRows:
        """With so many tuples that may be suppressed, at a price each in units, rounded down if not `finer`.

        Costs too large for 64 bits do not become finer, and a price too large for them is rounded down to
        more than all boxes together cost, if that fits.
        """
        times, boxes, tuples = (price * self.one).denominator, self.boxes, int(self.count.sum())
        widest = tuples * max(Fraction(sum(self.units)), price)
        if not finer or not self.exact or self.one * times * widest > MOST_COST:
            single, room = int(price * self.one), 16 * MOST_COST // tuples
            single = single if single <= room else min(room, tuples * self.one * sum(self.units) + 1)
            return replace(self, spare=most, single=single, exact=self.exact and single == price * self.one)
        return replace(
            self,
            boxes=boxes._replace(price=boxes.price * times, table=boxes.table * times),
            one=self.one * times,
            spare=most,
            single=int(price * self.one * times),
        )

    def costs(self, groups: NDArray[np.int32]) -> Ints:
        """Cost of groups, one per line, rows padded with -1."""
        there = groups >= 0
        code = self.boxes.code[np.where(there, groups, groups[:, :1])]
        lo, hi = code.min(axis=1), code.max(axis=1)
        each = np.zeros(len(groups), dtype=np.int64)
        for a, start in enumerate(self.boxes.start.tolist()):
            if start < 0:
                each += self.boxes.price[a] * (hi[:, a] - lo[:, a])
            else:
                each += self.boxes.table[start + lo[:, a] * self.boxes.side[a] + hi[:, a]]
        return each * there.sum(axis=1)

    @classmethod
    def of(
        cls,
        table: Microdata,
        units: Sequence[int],
        *,
        blind: bool = False,
        kinds: Sequence[int] | None = None,
        unpriced: Sequence[int] = (),
    ) -> CheckedRows:
        """Read a table.

        Parameters
        ----------
        table : Microdata
        units : sequence of int
            What a whole domain costs per attribute.
        blind : bool
            Whether sensitive values do not matter.
        kinds : sequence of int, optional
            A number per tuple: only tuples with equal numbers can be alike.
        unpriced : sequence of int
            Attributes whose codes are taken to be equal: boxes cost no more than they do.
        """
        number = {value: n for n, value in enumerate(sorted(table.histogram))}
        alike: dict[tuple[object, ...], list[int]] = {}
        codes = table.codes.copy()
        codes[:, list(unpriced)] = 0
        for t, (code, member) in enumerate(zip(codes.tolist(), table.members, strict=True)):
            value = 0 if blind else number[member.value]
            kind = 0 if kinds is None else kinds[t]
            alike.setdefault((tuple(code), kind, value), []).append(t)
        one, exact = cost_of_one(table, units)
        first = [tuples[0] for tuples in alike.values()]
        return cls(
            boxes=_boxes(table.domains, codes[first], one, units),
            value=np.array([key[-1] for key in alike], dtype=np.int64),
            count=np.array([len(tuples) for tuples in alike.values()], dtype=np.int64),
            tuples=tuple(tuple(tuples) for tuples in alike.values()),
            one=one,
            units=tuple(units),
            exact=exact,
        )


def row_of(kinds: CheckedKinds) -> Ints:
    """The row of each tuple."""
    found = np.empty(int(kinds.count.sum()), dtype=np.int64)
    for r, alike in enumerate(kinds.tuples):
        found[list(alike)] = r
    return found


def cost_of_one(table: Microdata, units: Sequence[int]) -> tuple[int, bool]:
    """What one unit costs, and whether costs are exact then."""
    spans, widest = [domain.span for domain in table.domains], len(table) * sum(units)
    one = lcm(*spans)
    if one * widest <= MOST_COST:
        return one, True
    return 1 << ((MOST_COST // widest).bit_length() - 1), False


def _boxes(domains: Sequence[Domain], codes: Ints, one: int, units: Sequence[int]) -> Boxes:
    code = codes.astype(np.int64)
    start = np.full(len(domains), -1, dtype=np.int64)
    side = np.zeros(len(domains), dtype=np.int64)
    tables = [np.zeros(0, dtype=np.int64)]
    for a, domain in enumerate(domains):
        nodes = domain.nodes
        if nodes is None:
            continue
        # Only the codes that occur have a place in the table.
        known, code[:, a] = np.unique(code[:, a], return_inverse=True)
        start[a], side[a] = sum(map(len, tables)), len(known)
        priced = np.full((len(known), len(known)), -1, dtype=np.int64)
        # Widest nodes first: the smallest that holds two codes is written last.
        lo, hi = np.array(sorted(nodes, key=lambda node: node[0] - node[1]), dtype=np.int64).T
        begin, end = np.searchsorted(known, lo), np.searchsorted(known, hi, side="right")
        for at in np.flatnonzero(end - begin > 1):
            inside = slice(begin[at], end[at])
            priced[inside, inside] = int(hi[at] - lo[at] + 1) * (units[a] * one // domain.span)
        np.fill_diagonal(priced, 0)
        tables.append(priced.ravel())
    return Boxes(
        code=code,
        price=np.array([u * one // d.span for u, d in zip(units, domains, strict=True)], dtype=np.int64),
        start=start,
        side=side,
        table=np.concatenate([*tables, np.zeros(1, dtype=np.int64)]),
    )
