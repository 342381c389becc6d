"""Tuples that are interchangeable as one row, and the columns that buckets and new tuples may make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ....models.problem_view import ProblemView
from ...exact.incidence import Members
from ..column import Column, counterfeits, lines_of
from ..covering import Cells, Geometry, Ints
from ..duals import Duals
from ..table import Rows
from .signatures import Rules

__all__ = ["Types", "possible"]


@dataclass(frozen=True, kw_only=True)
class Types:
    """Rows with what history demands of them.

    Attributes
    ----------
    rows : Rows
        Tuples with equal quasi-identifiers, value, bucket and traces share a row.
    rules : Rules
    home : int array, shape (rows,)
        Bucket, or -1.
    traces : tuple of tuple of int
        Earlier groups that matter.
    frequent : tuple of int
        Values by falling number of tuples of the table: the first ones are counterfeited in all-new groups.
    counting : bool
        Whether a column costs its counterfeits and nothing else; boxes cost nothing then.
    price : int or None
        What a counterfeit costs beside boxes, where the policy weighs both; none is limited then.
    """

    rows: Rows
    rules: Rules
    home: Ints
    traces: tuple[tuple[int, ...], ...]
    frequent: tuple[int, ...]
    counting: bool = False
    price: int | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def of(cls, problem: ProblemView, rules: Rules, price: Fraction | None = None) -> Types:
        """Read a problem; a counterfeit may have a price in units of the measure of boxes."""
        pasts = list(zip(rules.home.tolist(), rules.traces, strict=True))
        number = {past: i for i, past in enumerate(sorted(set(pasts)))}
        rows = Rows.of(problem, kinds=[number[past] for past in pasts])
        first = [behind[0] for behind in rows.tuples]
        priced = rows if price is None else rows.suppressing(0, price)  # costs as fine as the price
        return cls(
            rows=replace(priced, single=0),
            rules=rules,
            home=rules.home[first],
            traces=tuple(rules.traces[t] for t in first),
            frequent=_frequent(problem, rules),
            price=None if price is None else priced.single,
        )

    @classmethod
    def flat(cls, problem: ProblemView, rules: Rules) -> Types:
        """Read a problem without quasi-identifiers; columns cost their counterfeits."""
        names = {value: number for number, value in enumerate(rules.values)}
        equal: dict[tuple[int, tuple[int, ...], int], list[int]] = {}
        for t, member in enumerate(problem.table.members):
            past = int(rules.home[t]), rules.traces[t]
            equal.setdefault((*past, names[member.value]), []).append(t)
        kinds = sorted(equal)
        none, tall = np.zeros(0, dtype=np.int64), np.zeros((len(kinds), 0), dtype=np.int64)
        ends = np.array([0, len(kinds)], dtype=np.int64)
        rows = Rows(
            geometry=Geometry(tall, none, none, none, np.zeros(1, dtype=np.int64)),
            cells=Cells(ends, tall[:1], tall[:1]),
            value=np.array([kind[2] for kind in kinds], dtype=np.int64),
            count=np.array([len(equal[kind]) for kind in kinds], dtype=np.int64),
            tuples=tuple(tuple(equal[kind]) for kind in kinds),
            scale=1,
            units=(),
            exact=True,
        )
        home = np.array([kind[0] for kind in kinds], dtype=np.int64)
        return cls(
            rows=rows,
            rules=rules,
            home=home,
            traces=tuple(kind[1] for kind in kinds),
            frequent=_frequent(problem, rules),
            counting=True,
        )

    @property
    def most(self) -> int:
        """A cost that no needed release exceeds."""
        widest = max([self.rules.least, *map(len, self.rules.signatures)])
        fakes = int(self.rows.count.sum()) * widest * int(self.rules.times.max(initial=1))
        return fakes if self.counting else self.rows.most + (self.price or 0) * fakes

    def column(self, rows: Sequence[int], times: int) -> Column:
        """A group of some rows with the counterfeits it needs.

        `times` is how often it publishes each value of its bucket's signature; 0 for an all-new group.
        """
        members = tuple(sorted(rows))
        value = self.rows.value
        has = Counter(int(value[r]) for r in members)
        if times == 0:
            lacking = [v for v in self.frequent if v not in has][: max(0, self.rules.least - len(members))]
            return Column(members, tuple((v, 1) for v in sorted(lacking)))
        signature = self.rules.signatures[max(int(self.home[r]) for r in members)]
        return Column(members, tuple((v, times - has[v]) for v in sorted(signature) if has[v] < times))

    def times(self, column: Column) -> int:
        """How often a column publishes each value of its bucket's signature; 0 for an all-new group."""
        bucket = max(int(self.home[r]) for r in column.rows)
        if bucket < 0:
            return 0
        return (len(column.rows) + column.made) // len(self.rules.signatures[bucket])

    def alone(self, row: int) -> Column:
        """A tuple alone among counterfeits, as often as earlier groups ask for."""
        b = int(self.home[row])
        if b < 0:
            return self.column((row,), 0)
        tried = [self.column((row,), times) for times in range(1, int(self.rules.times[b]) + 2)]
        return next((column for column in tried if self.keeps(column)), tried[-1])

    def keeps(self, column: Column) -> bool:
        """Whether a bucket's group meets earlier groups as it may."""
        times = self.times(column)
        if times == 0:
            return True
        met: dict[int, int] = {}
        for r in column.rows:
            for g in self.traces[r]:
                met[g] = met.get(g, 0) + 1
        members, safe, kind = len(column.rows), self.rules.safe, self.rules.kind
        if times > len(safe):
            return True  # so large groups are free, or their bucket is relaxed
        return all(safe[times - 1, kind[g], members, shared] for g, shared in met.items())

    def costs(self, lines: Members) -> Ints:
        """Scaled information loss of each column, counterfeits at their price; or these alone."""
        if self.counting:
            return counterfeits(lines)
        return self.rows.costs(lines) + (self.price or 0) * counterfeits(lines)

    def limited(self, lines: Members) -> Ints:
        """Counterfeits that count against a limit; none where they cost something."""
        free = self.counting or self.price is not None
        return np.zeros(len(lines), dtype=np.int64) if free else counterfeits(lines)

    def profit(self, duals: Duals, column: Column) -> int:
        """Scaled duals of a column's rows and of the counterfeits that are limited, without those of cuts."""
        limit = duals.limit if self.price is None else 0
        return int(duals.rows[list(column.rows)].sum()) + limit * column.made

    def made_of(self, columns: Sequence[Column]) -> tuple[int, int]:
        """Counterfeits and scaled loss of a release."""
        return sum(column.made for column in columns), int(self.costs(lines_of(columns)).sum())

    def part(self, columns: Sequence[Column]) -> tuple[Types, list[int]]:
        """Only the tuples of some columns, as types of their own; and which rows they are."""
        count = np.bincount([r for column in columns for r in column.rows], minlength=len(self.rows))
        kept = np.flatnonzero(count).tolist()
        rows, old = self.rows, self.rows.geometry
        codes = old.codes[kept]
        geometry = Geometry(codes, old.weight, old.tree, old.side, old.table)
        ends = np.array([0, len(kept)], dtype=np.int64)
        cells = Cells(ends, codes.min(axis=0, keepdims=True), codes.max(axis=0, keepdims=True))
        small = replace(
            rows,
            geometry=geometry,
            cells=cells,
            value=rows.value[kept],
            count=count[kept].astype(np.int64),
            tuples=tuple(rows.tuples[r][: int(count[r])] for r in kept),
        )
        return (
            Types(
                rows=small,
                rules=self.rules,
                home=self.home[kept],
                traces=tuple(self.traces[r] for r in kept),
                frequent=self.frequent,
                price=self.price,
            ),
            kept,
        )


def _frequent(problem: ProblemView, rules: Rules) -> tuple[int, ...]:
    known, values = problem.table.histogram, rules.values
    return tuple(sorted(range(len(values)), key=lambda v: (-known.get(values[v], 0), values[v])))


def possible(safe: NDArray[np.bool_], present: Ints) -> NDArray[np.bool_]:
    """From which counts of members and shared respondents a verdict of `safe` can still be reached."""
    found = safe.copy()
    wide = safe.shape[2]
    more = np.arange(1, wide) <= present[:, None]  # whether o + 1 may be reached
    for members in range(wide - 2, -1, -1):
        found[:, :, members] |= found[:, :, members + 1]
        found[:, :, members, :-1] |= found[:, :, members + 1, 1:] & more[None]
    return found
