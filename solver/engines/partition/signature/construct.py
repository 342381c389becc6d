"""First releases: the counts of the integer program filled with tuples, and releases made elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import numpy as np

from .....models.problem_view import ProblemView
from .....models.release import QIGroup, Release
from ....colgen.column import Column
from ....colgen.covering import Ints, home_of, tuples_of
from ....colgen.primal.dealing import Past, dealt
from ....colgen.primal.free import Free
from ....colgen.primal.joining import joined
from ....colgen.primal.mixing import grouped
from ....colgen.structure.types import Types
from ....settings import Clock
from .minimum_counterfeits import Fewest

__all__ = ["assembled", "each_once", "filled", "read", "rows_of"]


def filled(
    types: Types, past: Past, counts: Fewest, random: Random, clock: Clock | None = None
) -> list[Column]:
    """A release with the counts of the integer program, tuples placed near one another.

    Where no order of the returning tuples is found that earlier groups allow, their bucket gets more groups,
    which takes more counterfeits; it may still break a requirement, so check the release.

    Complexity: see `dealing.dealt` and `mixing`; when the clock is over, O(tuples).
    """
    free, home = Free(types), types.home
    found = dealt(types, past, counts.each, random, clock)
    groups: list[list[int]] = [[] for _ in range(int(found.start[-1]))]
    for r, q in zip(found.row.tolist(), found.group.tolist(), strict=True):
        groups[q].append(r)
    bucket = np.repeat(np.arange(len(found.start) - 1), np.diff(found.start))
    wanted = _more(types, free, counts, np.diff(found.start))
    joined(types, free, groups, bucket, wanted, random)
    columns = [types.alone(row) for row in found.lonely.tolist()]
    spare: list[int] = []
    for group in groups:
        back = [r for r in group if home[r] >= 0]
        if group and not back:
            columns += _cut(types, [group])
        elif group:
            some = _kept(types, back, [r for r in group if home[r] < 0])
            spare += [r for r in group if home[r] < 0 and r not in some]
            columns += [types.column(some, 1)] if some else [types.alone(row) for row in back]
    if spare:
        free.back(np.array(spare, dtype=np.int64))
    number = np.bincount(types.rows.value, weights=free.left, minlength=free.values).astype(np.int64)
    if types.rules.least * int(number.max(initial=0)) > int(number.sum()):
        return columns + _dealt(types, free.left)
    return columns + [types.column(group, 0) for group in grouped(types, free, random, clock)]


def _more(types: Types, free: Free, counts: Fewest, groups: Ints) -> Ints:
    """New tuples of each value that join each bucket: as in the counts, and instead of more counterfeits.

    These are taken as long as the others need no counterfeits for it: one value may have 1/m of them.
    """
    wanted, least = counts.joined.copy(), types.rules.least
    rest = np.bincount(types.rows.value, weights=free.left, minlength=free.values).astype(np.int64)
    rest -= wanted.sum(axis=0)
    for b in np.flatnonzero(groups > counts.each).tolist():
        for v in types.rules.signatures[b]:
            for _ in range(int(groups[b] - counts.each[b])):
                others = max(int(np.delete(rest, v).max(initial=0)), int(rest[v]) - 1)
                if rest[v] == 0 or least * others > int(rest.sum()) - 1:
                    break
                rest[v] -= 1
                wanted[b, v] += 1
    return wanted


def _kept(types: Types, back: list[int], new: list[int]) -> list[int]:
    """Returning tuples with as many new ones as earlier groups allow; none if they allow no number."""
    while True:
        if types.keeps(types.column((*back, *new), 1)):
            return [*back, *new]
        if not new:
            return []
        new = new[:-1]


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
            columns.append(types.column(rest[:least], 0))
            rest = rest[least:]
        columns.append(types.column(rest, 0))
    return columns


def read(types: Types, problem: ProblemView, release: Release) -> list[Column]:
    """A release's groups as columns; those that need not exist are cut (see `rules`).

    Groups of a bucket keep their number of times, even if it is one that is not searched.
    """
    columns: list[Column] = []
    for group, rows in rows_of(types, problem, release):
        if any(types.home[r] >= 0 for r in rows):
            columns.append(types.column(rows, max(group.histogram.values())))
        else:
            columns += _cut(types, each_once(types, rows))
    return columns


def rows_of(types: Types, problem: ProblemView, release: Release) -> Iterator[tuple[QIGroup, list[int]]]:
    """The groups of a release, each with the rows of its people, rising."""
    home, row = home_of(types.rows).tolist(), problem.table.row
    for group in release.groups:
        yield group, sorted(home[row[who]] for who in group.respondents)


def each_once(types: Types, rows: Sequence[int]) -> list[list[int]]:
    """Rows in as few parts as have each value once."""
    parts, seen = list[list[int]](), Counter[int]()
    for r in rows:
        v = int(types.rows.value[r])
        if seen[v] == len(parts):
            parts.append([])
        parts[seen[v]].append(r)
        seen[v] += 1
    return parts


def assembled(types: Types, problem: ProblemView, columns: Sequence[Column]) -> Release:
    """The release: rows become tuples, counterfeits values."""
    groups, values = tuples_of(types.rows, (column.rows for column in columns)), types.rules.values
    return problem.assemble(groups, [{values[v]: count for v, count in c.fakes} for c in columns])
