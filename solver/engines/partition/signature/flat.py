"""The fewest counterfeits where counts do not tell: column generation without quasi-identifiers.

Needed if requirements on meetings with earlier groups forbid what the counts ask for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .....models.problem import Problem
from ....colgen.choice import best_of
from ....colgen.column import Column, costs_of
from ....colgen.covering import home_of, tuples_of
from ....colgen.finish import Finish
from ....colgen.generation import Generation
from ....colgen.master import RestrictedMaster
from ....colgen.signature_pricing import SignaturePricing
from ....colgen.structure.types import Types
from ....limits import SIGNATURE_LIMITS as LIMITS
from ....settings import Clock

__all__ = ["Lowering", "lifted", "singles"]


def singles(types: Types) -> list[Column]:
    """Everybody alone among counterfeits, as often as earlier groups ask for."""
    counts = types.rows.count.tolist()
    return [column for row, count in enumerate(counts) for column in [types.alone(row)] * count]


class Lowering:
    """Search for releases with fewer counterfeits; what is known stays when a run ends, and the next goes on.

    Parameters
    ----------
    start
        A release to begin with, of the types with quasi-identifiers.
    known
        A proven bound.

    Attributes
    ----------
    best : tuple of Column
        A release of the types without quasi-identifiers.
    cost : int
        Its counterfeits.
    bound : int
        No release has fewer counterfeits.
    exhausted : bool
        Whether another run would find nothing more.
    """

    def __init__(
        self,
        problem: Problem,
        types: Types,
        start: Sequence[Column],
        known: int,
        *,
        seed: int,
        clock: Clock,
        workers: int,
    ) -> None:
        self.seed, self.clock, self.bound = seed, clock, known
        self.exhausted = False
        self.flat = Types.flat(problem, types.rules)
        self.pricing = SignaturePricing(self.flat, workers, clock.last)
        self.best = tuple(lifted(types, self.flat, start))
        self.cost = sum(costs_of(self.flat, self.best))
        alone = singles(self.flat)
        self.offer(alone)
        self.master = RestrictedMaster(self.flat, self.pricing.cuts, 1.0)
        self.master.add([*self.best, *alone])
        self.generation = Generation(
            self.pricing, self.master, clock, per_anchor=LIMITS.per_anchor, most_nodes=LIMITS.most_nodes
        )
        self.generation.begin(np.full(len(self.flat), 0.1), 0.0)
        self.finish = Finish(self.pricing, self, clock, seed, LIMITS.gap)

    def run(self, seconds: float | None) -> None:
        """Go on for so many seconds per column generation and integer program; None for no limit."""
        generation = self.generation
        solved = generation.run(seconds=seconds)
        self.lift(generation.bound)
        for _ in range(LIMITS.flat_cut_rounds):
            if not solved or self.bound >= self.cost or not generation.cut():
                break
            solved = generation.run(0.3, seconds=seconds)
            self.lift(generation.bound)
        if self.bound < self.cost:
            usable = [column for column in self.master.columns if self.flat.keeps(column)]
            better, _ = best_of(
                self.flat,
                usable,
                self.best,
                nodes=LIMITS.flat_nodes,
                seed=self.seed,
                clock=self.clock if seconds is None else self.clock.part(seconds),
            )
            self.offer(better)
        if generation.duals is not None:
            until = None if seconds is None else self.clock.seconds + seconds
            self.finish.run(generation.duals, 0, until)
        self.exhausted = self.finish.exhausted or self.bound >= self.cost

    def offer(self, solution: Sequence[Column] | None, _text: str = "", /) -> bool:
        """Keep a release if it has fewer counterfeits."""
        if solution is None or (cost := sum(costs_of(self.flat, solution))) >= self.cost:
            return False
        self.best, self.cost = tuple(solution), cost
        return True

    def lift(self, bound: int, _text: str = "", /) -> None:
        """Keep a bound if it is higher."""
        self.bound = max(self.bound, bound)


def lifted(types: Types, others: Types, columns: Sequence[Column]) -> list[Column]:
    """Columns of the same tuples, in rows of other types: with quasi-identifiers instead of without, say."""
    home = home_of(others.rows).tolist()
    people = tuples_of(types.rows, (column.rows for column in columns))
    return [
        Column(tuple(sorted(home[t] for t in tuples)), column.fakes)
        for column, tuples in zip(columns, people, strict=True)
    ]
