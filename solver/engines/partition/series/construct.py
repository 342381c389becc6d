"""First releases: the counts of the integer program filled with tuples, and releases made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from .....models.problem import Problem
from .....models.release import Release
from ....settings import Clock
from ..rows import Ints
from .counts import Fewest
from .types import Column, Types

__all__ = ["assembled", "filled", "neighbours", "places", "read"]

TRIES = 20
"""Random orders tried for one bucket."""


class _Part:
    """A group in the making: rows, values, box ends."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self.rows: list[int] = []
        self.values: set[int] = set()
        self.lo = self.hi = np.zeros(0, dtype=np.int64)

    def cost_with(self, rows: Ints) -> Ints:
        """What a tuple costs in the box around the part and each of some rows."""
        codes = self.types.rows.geometry.codes[rows]
        if not self.rows:
            return self.types.rows.box_cost(codes, codes)
        return self.types.rows.box_cost(np.minimum(self.lo, codes), np.maximum(self.hi, codes))

    def add(self, row: int) -> None:
        code = self.types.rows.geometry.codes[row]
        self.lo, self.hi = (
            (np.minimum(self.lo, code), np.maximum(self.hi, code)) if self.rows else (code, code)
        )
        self.rows.append(row)
        self.values.add(int(self.types.rows.value[row]))


def _cheapest(types: Types, parts: Sequence[_Part], row: int) -> _Part:
    """The part whose box with a row costs least, the first of them."""
    if len(parts) == 1:
        return parts[0]
    code = types.rows.geometry.codes[row]
    lo = np.array([part.lo if part.rows else code for part in parts])
    hi = np.array([part.hi if part.rows else code for part in parts])
    return parts[int(np.argmin(types.rows.box_cost(np.minimum(lo, code), np.maximum(hi, code))))]


def filled(types: Types, counts: Fewest, random: Random, clock: Clock | None = None) -> list[Column]:
    """A release with the counts of the integer program, tuples placed near one another.

    Where no order of the returning tuples is found that earlier groups allow, they are published in
    one group, as they are when the clock is over; it may still break a requirement, so check the release.

    Complexity: O(buckets x tuples) box costs.
    """
    left = types.rows.count.copy()
    columns: list[Column] = []
    for b, signature in enumerate(types.rules.signatures):
        columns += _bucket(types, b, signature, counts, left, random, clock)
    return columns + _near(types, left, random)


def _bucket(
    types: Types,
    b: int,
    signature: tuple[int, ...],
    counts: Fewest,
    left: Ints,
    random: Random,
    clock: Clock | None,
) -> list[Column]:
    rows, each = types.rows, int(counts.each[b])
    here = np.flatnonzero(types.home == b)
    returning = np.repeat(here, rows.count[here]).tolist()
    left[here] = 0
    parts: list[_Part] = []
    good = False
    for _ in range(TRIES):
        random.shuffle(returning)
        parts = [_Part(types) for _ in range(each)]
        for row in returning:
            free = [part for part in parts if int(rows.value[row]) not in part.values]
            chance = [part for part in free if _hopeful(types, part, row)] or free
            _cheapest(types, chance, row).add(row)
        good = all(_hopeful(types, part, None) for part in parts)
        if good or (clock is not None and clock.over):
            break
    for v in signature:
        open_parts = [part for part in parts if v not in part.values]
        random.shuffle(open_parts)
        for part in open_parts[: int(counts.joined[b, v])]:
            near = np.flatnonzero((types.home < 0) & (rows.value == v) & (left > 0))
            best = int(near[np.argmin(part.cost_with(near))])
            part.add(best)
            left[best] -= 1
    back = [part.rows for part in parts if any(types.home[r] >= 0 for r in part.rows)]
    made = [Column(tuple(sorted(rows)), 1) for rows in back]
    if good and all(types.keeps(column) for column in made):
        return made + _cut(types, [part.rows for part in parts if part.rows and part.rows not in back])
    whole = tuple(sorted(row for part in parts for row in part.rows))
    return [Column(whole, each)]


def _hopeful(types: Types, part: _Part, row: int | None) -> bool:
    """Whether a group of returning tuples can be completed so that earlier groups allow it."""
    rows = part.rows if row is None else [*part.rows, row]
    if not rows or not len(types.rules.present):
        return True
    met: dict[int, int] = {}
    for r in rows:
        for g in types.traces[r]:
            met[g] = met.get(g, 0) + 1
    safe, size = types.rules.safe, len(types.rules.signatures[int(types.home[rows[0]])])
    if row is None:
        return any(all(safe[0, g, k, o] for g, o in met.items()) for k in range(len(rows), size + 1))
    present = types.rules.present
    return all(
        any(safe[0, g, k, o2] for k in range(len(rows), size + 1) for o2 in range(o, min(k, present[g]) + 1))
        for g, o in met.items()
    )


def _near(types: Types, left: Ints, random: Random) -> list[Column]:
    """All new tuples that are left, each with the nearest ones of other values.

    A group of m may leave at most 1/m of the others with one value: values that would have more
    must be in it (there are at most m of them). Where that is broken from the outset, tuples are dealt.
    """
    rows, least = types.rows, types.rules.least
    counts = np.bincount(rows.value, weights=left, minlength=len(types.rules.values)).astype(np.int64)
    if least * int(counts.max(initial=0)) > int(counts.sum()):
        return _dealt(types, left)
    columns: list[Column] = []
    points, left = places(types), left.copy()
    order = np.flatnonzero(left).tolist()
    random.shuffle(order)
    while (total := int(counts.sum())) > 0:
        if total < 2 * least:
            columns.append(Column(tuple(np.flatnonzero(left).tolist()), 0))
            break
        forced = set(np.flatnonzero(least * counts > total - least).tolist())
        while not left[order[-1]]:
            order.pop()
        anchor = order[-1]
        if forced and int(rows.value[anchor]) not in forced:
            anchor = next(r for r in reversed(order) if left[r] and int(rows.value[r]) in forced)
        there = np.flatnonzero(left)
        way = np.abs(points[there] - points[anchor]).sum(axis=1)
        way[there == anchor] = -1.0
        nearest: dict[int, int] = {}
        for r in there[np.argsort(way, kind="stable")].tolist():
            nearest.setdefault(int(rows.value[r]), r)
        others = [v for v in nearest if v not in forced]
        group = [nearest[v] for v in [*sorted(forced), *others][:least]]
        for r in group:
            left[r] -= 1
            counts[rows.value[r]] -= 1
        columns.append(Column(tuple(sorted(group)), 0))
    return columns


def places(types: Types) -> NDArray[np.float64]:
    """Rows as points: one step of a code is as long as it costs; a taxonomy's leaves lie a share apart."""
    geometry = types.rows.geometry
    share = types.rows.scale // np.maximum(1, geometry.side)
    step = np.where(geometry.tree < 0, geometry.weight, share).astype(float)
    return geometry.codes * step / types.rows.scale


def neighbours(types: Types, clock: Clock | None = None) -> NDArray[np.float64]:
    """Cost of the way from each row to its m-th nearest value, its own counted: a guess at duals.

    No member of a group of m different real tuples has a smaller box. If time ends, the mean stands
    for the rows that are left.
    """
    rows, codes = types.rows, types.rows.geometry.codes
    new, found = types.home < 0, np.zeros(len(types))
    for r in range(len(types)):
        if clock is not None and clock.over:
            found[r:] = found[:r].mean() if r else 0.0
            break
        b, v = int(types.home[r]), int(rows.value[r])
        there = np.flatnonzero((new | (types.home == b)) & (rows.value != v))
        if b >= 0:
            there = there[np.isin(rows.value[there], types.rules.signatures[b])]
        way = rows.box_cost(np.minimum(codes[there], codes[r]), np.maximum(codes[there], codes[r]))
        order = np.argsort(way, kind="stable")
        _, at = np.unique(rows.value[there[order]], return_index=True)
        ways = way[order][np.sort(at)][: types.rules.least - 1]
        found[r] = float(ways[-1]) if len(ways) else 0.0
    return found


def _dealt(types: Types, left: Ints) -> list[Column]:
    """All new tuples that are left, dealt in turn to as few groups as their most frequent value asks for."""
    rows = types.rows
    units = np.repeat(np.arange(len(rows)), left)
    if not len(units):
        return []
    values = rows.value[units]
    number = int(np.bincount(values).max())
    order = units[np.argsort(values, kind="stable")]
    return _cut(types, [order[g::number].tolist() for g in range(number)])


def _cut(types: Types, groups: Sequence[Sequence[int]]) -> list[Column]:
    """All-new groups of different values, cut into sizes that are needed."""
    least, columns = types.rules.least, list[Column]()
    for group in groups:
        rest = sorted(group)
        while len(rest) >= 2 * least:
            columns.append(Column(tuple(rest[:least]), 0))
            rest = rest[least:]
        columns.append(Column(tuple(rest), 0))
    return columns


def read(types: Types, problem: Problem, release: Release) -> list[Column]:
    """A release's groups as columns; those that need not exist are cut (see `rules`).

    Groups of a bucket keep their number of times, even if it is one that is not searched.
    """
    row_of = {t: r for r, behind in enumerate(types.rows.tuples) for t in behind}
    columns: list[Column] = []
    for group in release.groups:
        rows = sorted(row_of[problem.table.row[who]] for who in group.respondents)
        if any(types.home[r] >= 0 for r in rows):
            columns.append(Column(tuple(rows), max(group.histogram.values())))
            continue
        parts: list[list[int]] = []
        seen: dict[int, int] = {}
        for r in rows:
            v = int(types.rows.value[r])
            at = seen.get(v, 0)
            seen[v] = at + 1
            if at == len(parts):
                parts.append([])
            parts[at].append(r)
        columns += _cut(types, parts)
    return columns


def assembled(types: Types, problem: Problem, columns: Sequence[Column]) -> Release:
    """The release: rows become tuples, counterfeits values."""
    left = [list(behind) for behind in types.rows.tuples]
    groups: list[list[int]] = []
    fakes: list[dict[str, int]] = []
    frequent = sorted(
        range(len(types.rules.values)),
        key=lambda v: (-problem.table.histogram.get(types.rules.values[v], 0), types.rules.values[v]),
    )
    for column in columns:
        groups.append([left[r].pop(0) for r in column.rows])
        values = [int(types.rows.value[r]) for r in column.rows]
        if column.times:
            lacking = {v: column.times - values.count(v) for v in types.signature(column)}
        else:
            unused = [v for v in frequent if v not in values]
            lacking = dict.fromkeys(unused[: types.fakes(column)], 1)
        fakes.append({types.rules.values[v]: count for v, count in lacking.items() if count})
    return problem.assemble(groups, fakes)
