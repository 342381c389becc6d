"""What the signatures of a release lose at least, and better releases with them: column generation.

No signature is published more often than in the release that is given. Large signatures make easy linear
programs: their groups have few values to choose from, and people are many. So the bound is mostly within some
percent of what people on seats lose, and the columns that were found make a release that is nearly as good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from .....models.problem import Problem
from .....models.release import Release
from ....backends.highs import INFINITY, best_integers
from ....claims import FamilyClaim, WrittenDuals
from ....colgen.column import Column, lines_of
from ....colgen.covering import home_of
from ....colgen.duals import Duals
from ....colgen.family_pricing import FamilyPricing
from ....colgen.generation import Generation
from ....colgen.master import RestrictedMaster
from ....colgen.structure.types import Types
from ....limits import SIGNATURE_LIMITS
from ....schedule_series import AHEAD
from ....settings import Clock
from ..signature.construct import each_once, rows_of
from .family import Signature
from .limits import AHEAD as LIMITS

__all__ = ["FamilyProgram"]

_Part: TypeAlias = tuple[Signature, int, Sequence[int]]
"""Of a group: its signature, how often it has each value, its rows."""


class FamilyProgram:
    """The program over groups of a release's signatures.

    Parameters
    ----------
    problem, types
    release : Release
        Publishes everybody.
    workers : int
    clock : Clock
    """

    def __init__(self, problem: Problem, types: Types, release: Release, workers: int, clock: Clock) -> None:
        self.problem, self.types, self.clock = problem, types, clock
        parts = list(self._parts(release))
        self.pricing = FamilyPricing(types, sorted(_often(parts).items()), workers, clock)
        self.columns = [self.pricing.column(rows, s, times) for s, times, rows in parts if rows]
        self.costs = self.pricing.costs(lines_of(self.columns))
        self.cost = int(self.costs.sum())
        master = RestrictedMaster(types, self.pricing.cuts, self.cost / len(self.columns))
        master.extend()
        master.add(self.columns)
        self.generation = Generation(
            self.pricing,
            master,
            clock,
            per_anchor=LIMITS.family_anchor,
            most_nodes=SIGNATURE_LIMITS.most_nodes,
            first_nodes=LIMITS.family_pricing,
        )

    def run(self, seed: int, offer: Callable[[Sequence[Column]], object]) -> None:
        """The linear program, cuts as long as they gain something, and releases made of what they found.

        Parameters
        ----------
        seed : int
            Of the integer program.
        offer : callable
            Told of releases that cost less.
        """
        generation = self.generation
        generation.begin(self._guess())
        solved = generation.run(LIMITS.family_smoothing, seconds=self.clock.allowed(AHEAD.linear))
        self._improve(seed, offer)
        cut = False
        for _ in range(SIGNATURE_LIMITS.cut_rounds):
            before = generation.bound
            if not solved or before >= self.cost or self.clock.spent(AHEAD.linear) or not generation.cut():
                break
            solved = cut = generation.run(LIMITS.family_smoothing, seconds=self.clock.allowed(AHEAD.linear))
            if generation.bound - before < SIGNATURE_LIMITS.least_gain * before:
                break
        if cut:
            self._improve(seed, offer)

    def _guess(self) -> NDArray[np.float64]:
        """Everybody pays an equal part of what the group costs."""
        found = np.zeros(len(self.types))
        for column, cost in zip(self.columns, self.costs.tolist(), strict=True):
            for r in column.rows:
                found[r] += cost / len(column.rows)
        return found / self.types.rows.count

    # -- better releases -------------------------------------------------------------------

    def _improve(self, seed: int, offer: Callable[[Sequence[Column]], object]) -> None:
        """Go on from a release of the known columns that costs less, by an integer program."""
        found = self._chosen(seed)
        if found is not None:
            self.columns, self.costs = found, self.pricing.costs(lines_of(found))
            self.cost = int(self.costs.sum())
            offer(found)

    def _chosen(self, seed: int) -> list[Column] | None:
        duals = self.generation.duals
        if duals is None or self.generation.bound >= self.cost or self.clock.over:
            return None
        columns, times = self._usable(duals), Counter(self.columns)
        rows, seats = self.types.rows, len(self.pricing.family)
        entries = [
            (place, j, float(number))
            for j, column in enumerate(columns)
            for place, number in (
                *Counter(column.rows).items(),
                *((len(rows) + s, n) for s, n in self.pricing.cuts.coefficients(column).items() if s < seats),
            )
        ]
        place, number, amount = (np.array(part) for part in zip(*entries, strict=True))
        costs = self.pricing.costs(lines_of(columns))
        # Reduced costs rank releases as costs do, and are far easier on a solver.
        reduced = costs * duals.scale - np.array([int(duals.rows[list(c.rows)].sum()) for c in columns])
        unit = duals.scale * max(1.0, self.cost / len(self.columns))
        count = rows.count.astype(float)
        found = best_integers(
            reduced / unit,
            np.zeros(len(columns)),
            np.full(len(columns), count.max()),
            csc_array((amount, (place, number)), shape=(len(rows) + seats, len(columns))),
            np.concatenate([count, np.full(seats, -INFINITY)]),
            np.concatenate([count, self.pricing.cuts.limit[:seats].astype(float)]),
            start=np.array([float(times[column]) for column in columns]),
            absolute_gap=0.99 * duals.scale / unit,
            nodes=LIMITS.family_nodes,
            seed=seed,
            seconds=self.clock.left,
        )
        if found.x is None or int(costs @ found.x) >= self.cost:
            return None
        return [columns[j] for j in np.repeat(np.arange(len(columns)), found.x).tolist()]

    def _usable(self, duals: Duals) -> list[Column]:
        """Columns that may be part of a better release, those that cost least beside their duals."""
        master, cuts = self.generation.master, self.pricing.cuts
        slack = self.cost * duals.scale - duals.value(self.types.rows, cuts)
        worth = list[tuple[int, Column]]()
        for column, cost in zip(master.columns, master.costs, strict=True):
            reduced = cost * duals.scale - int(duals.rows[list(column.rows)].sum())
            met = cuts.coefficients(column).items()
            reduced -= sum(times * int(duals.cuts[cut]) for cut, times in met if cut < len(duals.cuts))
            if reduced < slack and self.types.keeps(column):
                worth.append((reduced, column))
        known = set(self.columns)
        return [
            *known,
            *(c for _, c in sorted(worth)[: LIMITS.family_columns * len(self.types)] if c not in known),
        ]

    # -- what is proven --------------------------------------------------------------------

    def claim(self, release: Release, level: int, factor: Fraction) -> FamilyClaim | None:
        """What proves a bound on releases that publish no signature more often than one of the family.

        Parameters
        ----------
        release : Release
            With these signatures, each at most as often.
        level : int
        factor : Fraction
            What a unit of the measure of boxes adds to the level.
        """
        duals, rows, cuts = self.generation.duals, self.types.rows, self.pricing.cuts
        if duals is None:
            return None
        often, seats = _often(self._parts(release)), len(self.pricing.family)
        prices = dict(zip((s for s, _ in self.pricing.family), duals.cuts.tolist(), strict=False))
        value = duals.value(rows, cuts) + sum(
            prices[signature] * len(signature) * (often[signature] - times)
            for signature, times in self.pricing.family
        )
        bound = -(-value // duals.scale)
        if bound <= 0:
            return None
        return FamilyClaim(
            level=level,
            bound=factor * rows.loss(bound),
            root=WrittenDuals(
                scale=duals.scale,
                duals=tuple(duals.rows[home_of(rows)].tolist()),
                cut_duals=tuple(duals.cuts[seats:].tolist()),
            ),
            seat_duals=tuple(prices[signature] for signature in sorted(often)),
            cuts=tuple(tuple(rows.tuples[r][0] for r in some) for some in cuts.sets[seats : len(duals.cuts)]),
        )

    def _parts(self, release: Release) -> Iterator[_Part]:
        """Groups in parts: of new people each value once."""
        types = self.types
        number = {value: v for v, value in enumerate(types.rules.values)}
        for group, rows in rows_of(types, self.problem, release):
            signature = tuple(sorted(number[value] for value in group.signature))
            times = max(group.histogram.values())
            if any(types.home[r] >= 0 for r in rows):
                yield signature, times, rows
            else:
                parts = each_once(types, rows)
                yield from ((signature, 1, part) for part in (*parts, *[[]] * (times - len(parts))))


def _often(parts: Iterable[_Part]) -> Counter[Signature]:
    """How often each signature is published."""
    found = Counter[Signature]()
    for signature, times, _ in parts:
        found[signature] += times
    return found
