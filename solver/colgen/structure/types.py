"""Tuples that are interchangeable as one row, and columns: groups of rows with their counterfeits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ....models.problem import Problem
from ..table import Cells, Geometry, Ints, Rows
from .signatures import Rules

__all__ = ["Column", "Types"]


class Column(NamedTuple):
    """A needed group.

    Attributes
    ----------
    rows : tuple of int
        Rows of its members, rising, with repeats.
    times : int
        How often it publishes each value of its bucket's signature; 0 for an all-new group.
    """

    rows: tuple[int, ...]
    times: int


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
    counting : bool
        Whether a column costs its counterfeits and nothing else; boxes cost nothing then.
    """

    rows: Rows
    rules: Rules
    home: Ints
    traces: tuple[tuple[int, ...], ...]
    counting: bool = False

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def of(cls, problem: Problem, rules: Rules) -> Types:
        """Read a problem."""
        pasts = list(zip(rules.home.tolist(), rules.traces, strict=True))
        number = {past: i for i, past in enumerate(sorted(set(pasts)))}
        rows = Rows.of(problem, kinds=[number[past] for past in pasts])
        first = [behind[0] for behind in rows.tuples]
        return cls(
            rows=rows,
            rules=rules,
            home=rules.home[first],
            traces=tuple(rules.traces[t] for t in first),
        )

    @classmethod
    def flat(cls, problem: Problem, rules: Rules) -> Types:
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
        return cls(rows=rows, rules=rules, home=home, traces=tuple(kind[1] for kind in kinds), counting=True)

    @property
    def most(self) -> int:
        """A cost that no needed release exceeds."""
        if not self.counting:
            return self.rows.most
        widest = max([self.rules.least, *map(len, self.rules.signatures)])
        return int(self.rows.count.sum()) * widest * int(self.rules.times.max(initial=1))

    def limited(self, column: Column) -> int:
        """Counterfeits that count against a limit; none where they are the cost."""
        return 0 if self.counting else self.fakes(column)

    def fakes(self, column: Column) -> int:
        """Counterfeits of a group."""
        members = len(column.rows)
        if column.times == 0:
            return max(0, self.rules.least - members)
        return column.times * len(self.signature(column)) - members

    def signature(self, column: Column) -> tuple[int, ...]:
        """Values that a bucket's group publishes."""
        return self.rules.signatures[max(int(self.home[r]) for r in column.rows)]

    def anchor(self, column: Column) -> int:
        """Lowest returning row, or lowest row of an all-new group."""
        if column.times == 0:
            return column.rows[0]
        return next(r for r in column.rows if self.home[r] >= 0)

    def keeps(self, column: Column) -> bool:
        """Whether a bucket's group meets earlier groups as it may."""
        if column.times == 0:
            return True
        met: dict[int, int] = {}
        for r in column.rows:
            for g in self.traces[r]:
                met[g] = met.get(g, 0) + 1
        members, safe = len(column.rows), self.rules.safe
        if column.times > len(safe):
            return True  # so large groups are free, or their bucket is relaxed
        return all(safe[column.times - 1, g, members, shared] for g, shared in met.items())

    def costs(self, columns: Sequence[Column]) -> list[int]:
        """Scaled information loss (or counterfeits) of each column."""
        if self.counting:
            return [self.fakes(column) for column in columns]
        return self.rows.group_costs([column.rows for column in columns])

    def made_of(self, columns: Sequence[Column]) -> tuple[int, int]:
        """Counterfeits and scaled loss of a release."""
        return sum(self.fakes(column) for column in columns), sum(self.costs(columns))

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
            ),
            kept,
        )
