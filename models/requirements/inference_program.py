"""Prices for the cuts of `resists_inference_cuts`, from fractional worlds of linked groups.

A linear program with a variable per respondent and value. Whatever it says, cuts made of its
rounded duals are valid; it is asked only for good ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import coo_array, csc_array, vstack

from ..adversary.inference import Conclusion, linked_groups
from ..backend import backend
from ..group import QIGroup
from ..history import History
from .inference_prices import Place, ValuePrices, open_values

__all__ = ["WorldDuals", "WorldProgram"]


@dataclass(frozen=True)
class WorldDuals:
    """Prices of rows (place, value), the target of the first kind, and z of the second."""

    rows: Mapping[tuple[Place, str], float]
    target: str | None
    outside: frozenset[str]
    z: Mapping[tuple[str, str], float]


class WorldProgram:
    """Fractional worlds of the groups linked to somebody."""

    def __init__(self, found: Conclusion, series: History, spared: frozenset[str]) -> None:
        self.series, self.spared = series, spared
        self.held = frozenset(found.compromised)
        self.last = len(series) - 1
        self.places = linked_groups(series, found.place)
        self.groups: dict[Place, QIGroup] = {place: series.group(*place) for place in self.places}
        people = sorted({who for group in self.groups.values() for who in group.respondents})
        self.values = tuple(sorted({v for r in series for g in r.groups for v in g.signature}))
        self.own = {who: series.records[who].member.value for who in people}
        self.column: dict[tuple[str, str], int] = {}
        for who in people:
            left = [self.own[who]] if who in self.held else open_values(series, who, self.values, self.last)
            for v in left:
                self.column[who, v] = len(self.column)
        self.people = {who: at for at, who in enumerate(people)}
        self._rows()

    def _rows(self) -> None:
        self.exact: list[tuple[Place, str]] = []
        self.ranged: list[tuple[Place, str]] = []
        for place, group in self.groups.items():
            (self.ranged if group.fakes else self.exact).extend((place, v) for v in self.values)

    def _matrix(self, rows: list[tuple[Place, str]], width: int) -> coo_array:
        at: list[int] = []
        columns: list[int] = []
        for number, (place, v) in enumerate(rows):
            inside = [self.column[q, v] for q in self.groups[place].respondents if (q, v) in self.column]
            columns += inside
            at += [number] * len(inside)
        return coo_array((np.ones(len(at)), (at, columns)), shape=(len(rows), width))

    def another_value(self, who: str, held: frozenset[str]) -> WorldDuals:
        """Prices for: the respondent has a value outside of `held`, as far as can be."""
        cost = np.zeros(len(self.column))
        for (q, v), j in self.column.items():
            if q == who and v not in held:
                cost[j] = -1
        return WorldDuals(self._solve(cost, []), who, held, {})

    def capped(self, cap: Fraction) -> WorldDuals:
        """Prices for: no value of anybody judged is likelier than `cap`, as near as can be."""
        cost = np.zeros(len(self.column) + 1)
        cost[-1] = 1
        judged = [key for key in self.column if key[0] not in self.held and key[0] not in self.spared]
        z: dict[tuple[str, str], float] = {}
        rows = self._solve(cost, judged, float(cap), z)
        return WorldDuals(rows, None, frozenset(), z)

    def _solve(
        self,
        cost: np.ndarray[tuple[int], np.dtype[np.float64]],
        judged: list[tuple[str, str]],
        cap: float = 1.0,
        z: dict[tuple[str, str], float] | None = None,
    ) -> dict[tuple[Place, str], float]:
        width = len(cost)
        ones = np.ones(len(self.column))
        owners = [self.people[q] for q, _ in self.column]
        one = coo_array((ones, (owners, list(self.column.values()))), shape=(len(self.people), width))
        count = [self.groups[place].histogram.get(v, 0) for place, v in self.exact]
        most = [self.groups[place].histogram.get(v, 0) for place, v in self.ranged]
        least = [
            max(0, n - self.groups[place].fakes) for n, (place, _) in zip(most, self.ranged, strict=True)
        ]
        ranged = self._matrix(self.ranged, width)
        at = np.arange(len(judged))
        ends = np.full(len(judged), width - 1)
        caps = coo_array(
            (
                np.concatenate([np.ones(len(judged)), -np.ones(len(judged))]),
                (np.concatenate([at, at]), np.concatenate([[self.column[key] for key in judged], ends])),
            ),
            shape=(len(judged), width),
        )
        duals = backend().duals(
            np.asarray(cost, dtype=float),
            csc_array(vstack([one, self._matrix(self.exact, width), ranged, caps])),
            np.concatenate([np.ones(len(self.people)), count, least, np.full(len(judged), -np.inf)]),
            np.concatenate([np.ones(len(self.people)), count, most, np.full(len(judged), cap)]),
        )
        if duals is None:
            return {}
        ends = np.cumsum([len(self.people), len(self.exact), len(self.ranged)])
        _, exact, inner, above = (part.tolist() for part in np.split(duals, ends))
        if z is not None:
            z.update({key: -m for key, m in zip(judged, above, strict=True) if m < 0})
        return {row: -m for row, m in zip([*self.exact, *self.ranged], [*exact, *inner], strict=True)}

    def rounded(self, duals: WorldDuals, scale: int, cap: Fraction) -> ValuePrices:
        """Integer prices near the duals; see `ValuePrices`."""
        times = scale * (cap.denominator if duals.target is None else 1)
        whole: dict[Place, dict[str, int]] = defaultdict(dict)
        for (place, v), price in duals.rows.items():
            whole[place][v] = round(price * scale) * (times // scale)
        old = {
            place: vector for place, vector in whole.items() if place[0] < self.last and any(vector.values())
        }
        new = {
            tuple(sorted(vector.items())): vector
            for place, vector in whole.items()
            if place[0] == self.last and any(vector.values())
        }
        biggest = sum(max(map(abs, vector.values()), default=0) for vector in whole.values()) + times
        objective: dict[str, dict[str, int]] = defaultdict(dict)
        elsewhere: dict[str, int] = {}
        base: dict[str, int] = defaultdict(int)
        if duals.target is not None:
            objective[duals.target] = dict.fromkeys(duals.outside, 0)
            elsewhere[duals.target] = times
        for (who, v), price in duals.z.items():
            z = round(price * scale)
            objective[who][v] = -z * cap.denominator
            base[who] += z * cap.numerator
        return ValuePrices(
            old=old,
            new=tuple(new.values()),
            other=2 * biggest,
            objective=objective,
            elsewhere=elsewhere,
            base=base,
            held=self.held,
            least=times if duals.target is not None else 0,
        )
