r"""The difference attack by one fixed set of old groups, as constraints on the new release.

``old_inside_new``: old groups with union U. What the new groups that meet U have beside it
is the least difference D(U); any other new groups X can be added to it.

``new_inside_old``: old groups with union O. What is left of O by all new groups inside it
is the least difference; any of these but one can be left in it, too: again a set X.

So both say: if U is published (if some group is inside O), then for every admissible X
the difference D + X has nobody or is (k, c). With ``excess_v = (tuples with v) - c (tuples)``
that is, for D with a person,

    |D| >= k,   excess_v(D) + sum_X max(0, excess_v(g)) <= 0 for all v,

and for D without one the same for every X of at least one group g,

    |D| + |g| >= k,   excess_v(D) + excess_v(g) + sum_(X - g) max(0, excess_v) <= 0.

If all new groups are (k, c) themselves and D is not one of counterfeits alone, X adds
nothing: the lines with X are written only if a breach was found that needs them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..cut_pieces import divided, fake_limit, hidden_if, rows_of
from ..release import QIGroup

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    from ..encoding import Encoding, Linear

__all__ = ["new_inside_old", "old_inside_new"]


def old_inside_new(groups: Sequence[QIGroup], beside: bool, k: int, c: Fraction, model: Encoding) -> None:
    """Keep every difference of new groups around these old ones (k, c).

    Parameters
    ----------
    groups
        Old groups without counterfeits, all of one release.
    beside
        Whether to speak of further new groups X.
    """
    union = {who for group in groups for who in group.respondents}
    rows = rows_of(model, union)
    if len(rows) < len(union):
        return
    inside = set(rows)
    left = _Left(model, k, c)
    apart: dict[int, cp_model.IntVar] = {}
    for g in model.slots:
        both = divided(model, g, inside)
        if g in inside:
            meets: cp_model.IntVar | None = model.used(g)
        else:
            meets = both[0] if both is not None else None
            apart[g] = model.used(g) if meets is None else _only_first(model, model.used(g), meets)
        if both is not None:
            left.inhabited(both[1] if g in inside else both[0], g, inside)
        if meets is not None:
            left.add_slot(meets, g, [t for t in model.candidates(g) if t not in inside], fakes=True)
    held = [~hidden for hidden in hidden_if(model, rows)]
    left.keep(held)
    if beside:
        left.keep_with(apart, held, kept_out=None)


def new_inside_old(groups: Sequence[QIGroup], beside: bool, k: int, c: Fraction, model: Encoding) -> None:
    """Keep every difference of these old groups around new ones (k, c); parameters as above."""
    union = {who for group in groups for who in group.respondents}
    rows = rows_of(model, union)
    inside = set(rows)
    left = _Left(model, k, c)
    for group in groups:
        for value, count in group.counterfeits:
            left.add(value, count, 0)
        for member in group.members:
            if member.respondent not in model.table.row:
                left.add(member.value, 1, 1)
    for t in rows:
        left.add(model.table.members[t].value, model.suppressed(t), model.suppressed(t))
    within: dict[int, cp_model.IntVar] = {}
    for g in model.slots:
        here = [t for t in model.candidates(g) if t in inside]
        there = [t for t in model.candidates(g) if t not in inside]
        if not here:
            continue
        outside = model.at_least(("outside", tuple(there), g), model.held(g, there) + model.all_fakes(g), 1)
        both = divided(model, g, inside)
        if both is not None:
            left.inhabited(both[1] if g in inside else both[0], g, inside)
        left.add_slot(outside, g, here, fakes=False)
        if g in inside:
            within[g] = _only_first(model, model.used(g), outside)
    exists = model.cp.new_bool_var("inside")
    for literal in within.values():
        model.cp.add_implication(literal, exists)
    left.keep([exists])
    if beside:
        for g, literal in within.items():
            left.keep_with(within, [literal], kept_out=g)


def _only_first(model: Encoding, first: cp_model.IntVar, second: cp_model.IntVar) -> cp_model.IntVar:
    """A literal that holds if the first does and the second does not."""
    literal = model.cp.new_bool_var(f"only[{first.name}]")
    model.cp.add_bool_or(~first, second, literal)
    return literal


class _Left:
    """The least difference as expressions: tuples per value, and people."""

    def __init__(self, model: Encoding, k: int, c: Fraction) -> None:
        self.model, self.k, self.c = model, k, c
        self.values: dict[str, list[Linear]] = {v: [] for v in model.values}
        self.names: list[Linear] = []
        self.someone = model.cp.new_bool_var("someone")
        self._spare: dict[tuple[int, str], cp_model.IntVar] = {}
        self._there: dict[int, list[Linear]] = {}

    def inhabited(self, literal: cp_model.IntVar, g: int, union: Collection[int]) -> None:
        """Note that the literal of a slot puts somebody in the difference.

        It is the literal of a group with tuples of the union and others. As everybody is in one group,
        those of a tuple of the union add up to at most one: a tighter row than one per slot.
        """
        model = self.model
        if not model.tabulated:
            return
        for t in model.candidates(g):
            if t in union:
                self._there.setdefault(t, []).append(model.counted_if(literal, model.held(g, [t]), 1))

    def add(self, value: str, tuples: Linear, people: Linear) -> None:
        """Tuples with a value that are in the difference."""
        self.values.setdefault(value, []).append(tuples)
        self.names.append(people)

    def add_slot(self, literal: cp_model.IntVar, g: int, rows: Sequence[int], *, fakes: bool) -> None:
        """Some rows (and the counterfeits) of a slot, which count if the literal holds."""
        model = self.model
        people = model.table.members
        for v in model.values:
            mine = [t for t in rows if people[t].value == v]
            if mine:
                part = model.counted_if(literal, model.held(g, mine), len(mine))
                self.add(v, part, part)
            if fakes and model.may_fake:
                self.add(v, model.counted_if(literal, model.fakes(g, v), fake_limit(model)), 0)

    def keep(self, active: Sequence[cp_model.LiteralT]) -> None:
        """The difference has nobody or is (k, c), if the literals hold."""
        model = self.model
        self.total = sum(sum(parts) for parts in self.values.values())
        model.cp.add(sum(self.names) == 0).only_enforce_if(~self.someone)
        for here in self._there.values():
            model.cp.add(sum(here) <= self.someone)
        model.cp.add(self.total >= self.k).only_enforce_if(self.someone, *active)
        for v in self._judged:
            # Without counterfeits nobody means no tuple: no excess either.
            plain = not active and not model.may_fake and model.tabulated
            model.cp.add(self._excess(v) <= 0).only_enforce_if(*([] if plain else [self.someone, *active]))

    @property
    def _judged(self) -> Sequence[str]:
        return list(self.values) if self.c < 1 else []

    def _excess(self, v: str) -> Linear:
        return self.c.denominator * sum(self.values[v]) - self.c.numerator * self.total

    def _group_excess(self, g: int, v: str) -> Linear:
        count = self.model.count(g, v) if v in self.model.values else 0
        return self.c.denominator * count - self.c.numerator * self.model.size(g)

    def keep_with(
        self, free: Mapping[int, cp_model.IntVar], active: Sequence[cp_model.LiteralT], kept_out: int | None
    ) -> None:
        """The same with any further groups X: slots whose literal holds, but not `kept_out`."""
        model = self.model
        most = self.c.denominator * (len(model.table) + fake_limit(model))
        for g, literal in free.items():
            for v in self._judged:
                if (g, v) not in self._spare:
                    self._spare[g, v] = model.cp.new_int_var(0, most, f"spare[{g},{v}]")
                    model.cp.add(self._spare[g, v] >= self._group_excess(g, v)).only_enforce_if(literal)
        others = [g for g in free if g != kept_out]
        for v in self._judged:
            spare = sum(self._spare[g, v] for g in others)
            model.cp.add(self._excess(v) + spare <= 0).only_enforce_if(self.someone, *active)
        for g in others:
            alone = [~self.someone, free[g], *active]
            model.cp.add(self.total + model.size(g) >= self.k).only_enforce_if(*alone)
            for v in self._judged:
                spare = sum(self._spare[other, v] for other in others if other != g)
                model.cp.add(self._excess(v) + self._group_excess(g, v) + spare <= 0).only_enforce_if(*alone)
