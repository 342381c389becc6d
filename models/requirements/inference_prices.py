"""Integer prices of published values, and the bound they put on what can be in any release.

See `resists_inference_cuts` for what they mean and why every good release reaches the bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from ..history import History

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    from ..encoding import Encoding, Linear

__all__ = ["Place", "ValuePrices", "open_values"]

Place: TypeAlias = tuple[int, int]
"""Release index and group index."""

Vector: TypeAlias = Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class ValuePrices:
    """Integer prices, and what every good release must reach with them.

    Attributes
    ----------
    old : Mapping of place to Vector
        Prices of the values of old groups.
    new : tuple of Vector
        Price vectors to choose from for a new group; 0 is one of them. A value not named has the
        price `other`.
    objective : Mapping of str to Vector
        c, for respondents who have one; values not named: `elsewhere`.
    elsewhere : Mapping of str to int
        c of all other values.
    base : Mapping of str to int
        What is added for a respondent whatever the group.
    held : frozenset of str
        Compromised respondents.
    least : int
        What the bound must reach.
    """

    old: Mapping[Place, Vector]
    new: tuple[Vector, ...]
    other: int
    objective: Mapping[str, Vector] = field(repr=False)
    elsewhere: Mapping[str, int] = field(repr=False)
    base: Mapping[str, int] = field(repr=False)
    held: frozenset[str] = field(repr=False)
    least: int

    def price(self, kind: int, value: str) -> int:
        """Price of a value in a new group with the price vector number `kind`; 0 for kind -1."""
        return 0 if kind < 0 else self.new[kind].get(value, self.other)

    def share(self, who: str, own: str, values: Iterable[str], series: History, kind: int) -> int:
        """r(q, y): what a respondent adds to the bound in a new group with these prices."""
        if who in self.held:
            return 0
        record = series.records.get(who)
        where = [place for place in record.groups if place in self.old] if record is not None else []
        c, rest = self.objective.get(who, {}), self.elsewhere.get(who, 0)

        def paid(v: str) -> int:
            return sum(self.old[place].get(v, 0) for place in where) + self.price(kind, v)

        return max(c.get(v, rest) - paid(v) for v in values) + paid(own) + self.base.get(who, 0)

    def _constant(self, series: History, present: Mapping[str, int], values: tuple[str, ...]) -> int:
        """What old counterfeits and those who are not in the table add."""
        total = 0
        for place, vector in self.old.items():
            group = series.group(*place)
            low = min(vector.get(v, 0) for v in group.histogram)
            total += sum(count * (vector.get(v, 0) - low) for v, count in group.counterfeits)
        last = len(series) - 1
        gone = {who for place in self.old for who in series.group(*place).respondents} | self.objective.keys()
        for who in gone - present.keys():
            own = series.records[who].member.value
            total += self.share(who, own, open_values(series, who, values, last), series, -1)
        return total

    def reached(self, series: History, values: tuple[str, ...]) -> int:
        """The bound for the last release of the series itself."""
        last = len(series) - 1
        release = series[last]
        row = {m.respondent: at for at, m in enumerate(release.members)}
        total = self._constant(series, row, values)
        for group in release.groups:
            total += min(
                sum(self._member(m.respondent, m.value, values, series, kind) for m in group.members)
                + self._fakes(dict(group.counterfeits), kind, values)
                for kind in range(-1, len(self.new))
            )
        return total + sum(self._left_out(m.respondent, m.value, values, series) for m in release.suppressed)

    def _member(self, who: str, own: str, values: tuple[str, ...], series: History, kind: int) -> int:
        return self.share(who, own, open_values(series, who, values, len(series) - 1), series, kind)

    def _left_out(self, who: str, own: str, values: tuple[str, ...], series: History) -> int:
        """What a suppressed respondent adds; one who was never published is not spoken of at all."""
        record = series.records.get(who)
        if record is None or record.first >= len(series) - 1:
            return self.elsewhere.get(who, 0)
        return self._member(who, own, values, series, -1)

    def _fakes(self, fakes: Mapping[str, int], kind: int, values: tuple[str, ...]) -> int:
        low = min(self.price(kind, v) for v in values)
        return sum(count * (self.price(kind, v) - low) for v, count in fakes.items())

    def apply(self, series: History, model: Encoding) -> None:
        """Write the cut: the sum over groups of their least bound reaches `least`."""
        values = model.values
        people = model.table.members
        shares = {
            kind: [self._member(m.respondent, m.value, values, series, kind) for m in people]
            for kind in range(-1, len(self.new))
        }
        total: list[Linear] = [self._constant(series, model.table.row, values)]
        for t, m in enumerate(people):
            total.append(self._left_out(m.respondent, m.value, values, series) * model.suppressed(t))
        total += [self._slot(model, g, shares) for g in model.slots]
        model.cp.add(sum(total) >= self.least)

    def _slot(self, model: Encoding, g: int, shares: Mapping[int, list[int]]) -> cp_model.IntVar:
        candidates = model.candidates(g)
        low = min(sum(min(0, row[t]) for t in candidates) for row in shares.values())
        bound = model.cp.new_int_var(low, max(0, self._most(model, g, shares)), f"bound[{g}]")
        for kind, row in shares.items():
            floor = min(self.price(kind, v) for v in model.values)
            fakes = sum((self.price(kind, v) - floor) * model.fakes(g, v) for v in model.values)
            model.cp.add(bound <= sum(row[t] * model.x(t, g) for t in candidates) + fakes)
        return bound

    def _most(self, model: Encoding, g: int, shares: Mapping[int, list[int]]) -> int:
        """No group needs to count for more; where nothing is negative, `least` is enough."""
        if all(share >= 0 for row in shares.values() for share in row):
            return self.least
        return sum(max(0, shares[-1][t]) for t in model.candidates(g))


def open_values(series: History, who: str, values: tuple[str, ...], last: int) -> list[str]:
    """Values that all groups of a respondent before release `last` publish; all for newcomers."""
    record = series.records.get(who)
    places = [place for place in record.groups if place[0] < last] if record is not None else []
    if not places:
        return list(values)
    common = frozenset.intersection(*(series.group(*place).signature for place in places))
    return [v for v in values if v in common]
