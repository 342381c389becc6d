"""The CP-SAT model of a release made of listed groups: one literal per group.

It offers every expression of the assignment model (`Encoding`), so that requirements write the
same rows and cuts into it; what they prove of cuts holds here as it does there. A slot is the group
with a given first row, and at most one column of a slot is chosen, so whatever depends on one slot
alone is a sum over its columns: ``size(g) = sum size(c) z_c``, and a literal for "expression >= bound"
is the sum of the z_c whose column makes it true. Nothing of that needs an auxiliary product or
big-M row; a cut such as "at least k tuples beside these old groups" becomes one row over columns.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from .....models.encoding import Encoding, Linear
from .....models.memo import memoized
from .....models.problem import Problem
from .....models.release import QIGroup, Release
from ....settings import Clock
from .columns import NamedColumn, column_of, released

__all__ = ["ColumnEncoding", "TimeOverError"]

Numbers = NDArray[np.int64]


class TimeOverError(Exception):
    """Time ended while a model was written."""


class _Made(dict[tuple[int, int], cp_model.IntVar]):
    """Membership literals, each made when it is first asked for."""

    def __init__(self, make: Callable[[int, int], cp_model.IntVar]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: tuple[int, int]) -> cp_model.IntVar:
        self[key] = self._make(*key)
        return self[key]


class ColumnEncoding(Encoding):
    """Releases of `problem` whose groups are all among some columns.

    Parameters
    ----------
    problem : Problem
    columns : sequence of NamedColumn
        Each once.

    clock : Clock
        Rows may be many: writing them ends with `TimeOverError` when it does.

    Attributes
    ----------
    chosen : list of literals
        One per column: it is published.

    Notes
    -----
    One row per tuple; memory is the sum of the columns' sizes.
    """

    tabulated: ClassVar[bool] = True

    def __init__(self, problem: Problem, columns: Sequence[NamedColumn], clock: Clock) -> None:
        self.columns, self._clock = columns, clock
        self.assembled = problem
        super().__init__(problem)
        self.largest_size = max((len(column.rows) + column.made for column in columns), default=1)

    # -- the release ---------------------------------------------------------------------

    def _members(self) -> None:
        self.slots = range(len(self.tuples))
        self.chosen = [self.cp.new_bool_var(f"z[{i}]") for i in range(len(self.columns))]
        self._number = {column: i for i, column in enumerate(self.columns)}
        self._here: list[list[int]] = [[] for _ in self.tuples]
        self._with: list[list[int]] = [[] for _ in self.tuples]
        for i, column in enumerate(self.columns):
            self._here[column.rows[0]].append(i)
            for t in column.rows:
                self._with[t].append(i)
        self._at = {i: place for found in self._here for place, i in enumerate(found)}
        holds = np.zeros((len(self.columns), len(self.tuples)), dtype=np.int64)
        for i, column in enumerate(self.columns):
            holds[i, list(column.rows)] = 1
        self._holds = [holds[found] for found in self._here]
        self._valued = {v: [t for t, m in enumerate(self.table.members) if m.value == v] for v in self.values}
        self._tables: dict[int, tuple[int, Numbers]] = {}
        self._sums: dict[int, tuple[int, Numbers, Linear]] = {}
        self._x = _Made(self._linked)

    def _linked(self, t: int, g: int) -> cp_model.IntVar:
        return self._tabulated(f"x[{t},{g}]", g, self._holds[g][:, t])

    def _tabulated(self, name: str, g: int, table: Numbers) -> cp_model.IntVar:
        """A literal that is the sum of those columns of a slot whose entry is 1."""
        if not table.any():
            return self.cp.new_constant(0)
        literal = self.cp.new_bool_var(name)
        self.cp.add(self._sum(g, table) == literal)
        self._tables[literal.index] = (g, table)
        return literal

    def _sum(self, g: int, table: Numbers) -> Linear:
        """The sum of a slot's columns with these weights."""
        if self._clock.over:
            raise TimeOverError
        there, here = np.flatnonzero(table), self._here[g]
        total = cp_model.LinearExpr.weighted_sum(
            [self.chosen[here[place]] for place in there.tolist()], table[there].tolist()
        )
        self._sums[id(total)] = (g, table, total)
        return total

    def _groups_of(self, t: int) -> list[cp_model.IntVar]:
        return [self.chosen[i] for i in self._with[t]]

    def _counterfeits(self, limit: int | None) -> None:
        self._fakes: dict[tuple[int, str], cp_model.IntVar] = {}
        if self.may_fake and limit is not None:
            made = [column.made for column in self.columns]
            self.cp.add(cp_model.LinearExpr.weighted_sum(self.chosen, made) <= limit)

    # -- expressions of one slot -------------------------------------------------------------

    def _faked(self, g: int, v: str | None) -> Numbers:
        """Counterfeits of the slot's columns, of one value or of all."""
        if not self.may_fake:
            return np.zeros(len(self._here[g]), dtype=np.int64)
        columns = [self.columns[i] for i in self._here[g]]
        return np.array([c.made if v is None else dict(c.fakes).get(v, 0) for c in columns], dtype=np.int64)

    def fakes(self, g: int, v: str) -> Linear:
        return self._sum(g, self._faked(g, v)) if self.may_fake else 0

    @memoized
    def all_fakes(self, g: int) -> Linear:
        return self._sum(g, self._faked(g, None)) if self.may_fake else 0

    @memoized
    def members(self, g: int) -> Linear:
        return self._sum(g, self._holds[g].sum(axis=1))

    def held(self, g: int, rows: Sequence[int]) -> Linear:
        return self._sum(g, self._holds[g][:, list(rows)].sum(axis=1))

    @memoized
    def size(self, g: int) -> Linear:
        return self._sum(g, self._holds[g].sum(axis=1) + self._faked(g, None))

    @memoized
    def count(self, g: int, v: str) -> Linear:
        return self._sum(g, self._holds[g][:, self._valued[v]].sum(axis=1) + self._faked(g, v))

    def _table(self, expression: Linear) -> tuple[int, Numbers] | None:
        """The expression's value for each column of the one slot it is about; None if there is none."""
        if isinstance(expression, int):
            return None
        known = self._sums.get(id(expression))
        if known is not None:
            return known[0], known[1]
        flat = cp_model.FlatIntExpr(expression)
        slot, total = -1, np.zeros(0, dtype=np.int64)
        for variable, weight in zip(flat.vars, flat.coeffs, strict=True):
            index = variable.index
            if index < len(self.columns):
                g = self.columns[index].rows[0]
            elif index in self._tables:
                g = self._tables[index][0]
            else:
                return None
            if slot < 0:
                slot, total = g, np.full(len(self._here[g]), flat.offset, dtype=np.int64)
            if g != slot:
                return None
            if index < len(self.columns):
                total[self._at[index]] += weight
            else:
                total += weight * self._tables[index][1]
        return None if slot < 0 else (slot, total)

    def at_least(self, key: Hashable, expression: Linear, bound: int) -> cp_model.IntVar:
        # 0 without a column, so only bounds above 0 can be read off the columns.
        if (
            (key, bound) not in self._literals
            and bound > 0
            and (found := self._table(expression)) is not None
        ):
            g, table = found
            if self._zero(expression) < bound:
                meets = (table >= bound).astype(np.int64)
                self._literals[key, bound] = self._tabulated(f"{key}>={bound}", g, meets)
        return super().at_least(key, expression, bound)

    def counted_if(self, literal: cp_model.IntVar, expression: Linear, most: int) -> Linear:
        if isinstance(expression, int):
            return super().counted_if(literal, expression, most)
        asked, counted = self._tables.get(literal.index), self._table(expression)
        if asked is None or counted is None or asked[0] != counted[0] or self._zero(expression):
            return super().counted_if(literal, expression, most)
        return self._sum(asked[0], asked[1] * counted[1])

    def _zero(self, expression: Linear) -> int:
        """Its value if no column of its slot is chosen."""
        if isinstance(expression, int) or id(expression) in self._sums:
            return expression if isinstance(expression, int) else 0
        return cp_model.FlatIntExpr(expression).offset

    def same_group(self, group: QIGroup) -> list[cp_model.LiteralT]:
        number = self._number.get(column_of(group, self.table.row))
        return [self.cp.new_constant(0) if number is None else self.chosen[number]]

    # -- to and from releases ------------------------------------------------------------------

    def hint(self, release: Release) -> None:
        self.cp.clear_hints()
        row = self.table.row
        wanted = {column_of(group, row) for group in release.groups}
        for column, literal in zip(self.columns, self.chosen, strict=True):
            self.cp.add_hint(literal, column in wanted)
        published = {t for column in wanted for t in column.rows}
        for t, literal in enumerate(self._suppressed):
            self.cp.add_hint(literal, t not in published)

    def release(self, value: Callable[[cp_model.IntVar], int]) -> Release:
        found = [c for c, literal in zip(self.columns, self.chosen, strict=True) if value(literal)]
        release = released(self.assembled, found)
        if not self._hidden:
            return release
        return replace(release, groups=tuple(self._with_hidden(group, value) for group in release.groups))
