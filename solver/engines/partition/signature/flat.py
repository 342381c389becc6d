"""The fewest counterfeits where counts do not tell: column generation without quasi-identifiers.

Needed if requirements on meetings with earlier groups forbid what the counts ask for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .....models.problem import Problem
from ....colgen.choice import best_of
from ....colgen.column import Column, costs_of
from ....colgen.duals import Duals
from ....colgen.generation import Generation
from ....colgen.master import RestrictedMaster
from ....colgen.signature_pricing import SignaturePricing
from ....colgen.structure.types import Types
from ....settings import Clock
from ..limits import SIGNATURE_LIMITS as LIMITS
from .construct import alone
from .finish import Finish, ListedTree

__all__ = ["Flat", "Lowering", "lifted", "singles"]


@dataclass(frozen=True, kw_only=True)
class Flat:
    """What was found.

    Attributes
    ----------
    columns : tuple of Column
        A release of the types without quasi-identifiers.
    types, pricing : Types, SignaturePricing
        Those, and the cuts.
    bound : int
        No release has fewer counterfeits.
    duals, tree
        The proof.
    """

    columns: tuple[Column, ...]
    types: Types
    pricing: SignaturePricing
    bound: int
    duals: Duals | None
    tree: ListedTree | None


def singles(types: Types) -> list[Column]:
    """Everybody alone among counterfeits, as often as earlier groups ask for."""
    counts = types.rows.count.tolist()
    return [column for row, count in enumerate(counts) for column in [alone(types, row)] * count]


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
        self.pricing = SignaturePricing(self.flat, workers, clock)
        self.now = _flattened(self.flat, types, start)
        self.cost = sum(costs_of(self.flat, self.now))
        alone = singles(self.flat)
        self._keep(alone)
        self.master = RestrictedMaster(self.flat, self.pricing.cuts, 1.0)
        self.master.add([*self.now, *alone])
        self.generation = Generation(
            self.pricing, self.master, clock, per_anchor=LIMITS.per_anchor, most_nodes=LIMITS.most_nodes
        )
        self.generation.begin(np.full(len(self.flat), 0.1), 0.0)
        self.finish = Finish(self.pricing, self.generation, seed, clock)

    def run(self, seconds: float | None) -> None:
        """Go on for so many seconds per column generation and integer program; None for no limit."""
        generation, bound = self.generation, self.bound
        solved = generation.run(seconds=seconds)
        bound = max(bound, generation.bound)
        for _ in range(LIMITS.flat_cut_rounds):
            if not solved or bound >= self.cost or not generation.cut():
                break
            solved = generation.run(0.3, seconds=seconds)
            bound = max(bound, generation.bound)
        if bound < self.cost:
            limits = [limit for limit in (seconds, self.clock.left) if limit is not None]
            usable = [column for column in self.master.columns if self.flat.keeps(column)]
            better, _ = best_of(
                self.flat,
                usable,
                self.now,
                nodes=2_000,
                seed=self.seed,
                seconds=min(limits, default=None),
            )
            self._keep(better)
        end = None if seconds is None else self.clock.seconds + seconds
        for _ in range(LIMITS.flat_steps):
            if bound >= self.cost or self.clock.over or (end is not None and self.clock.seconds > end):
                break
            step = self.finish.step(self.now, self.cost, bound)
            if step is None:
                self.exhausted = not self.clock.over
                break
            self._keep(step.columns)
            bound = max(bound, step.bound)
        self.bound = bound
        self.exhausted |= bound >= self.cost

    def found(self) -> Flat:
        """How things stand."""
        return Flat(
            columns=tuple(self.now),
            types=self.flat,
            pricing=self.pricing,
            bound=self.bound,
            duals=self.generation.duals,
            tree=self.finish.tree,
        )

    def _keep(self, columns: Sequence[Column] | None) -> None:
        if columns is not None and (cost := sum(costs_of(self.flat, columns))) < self.cost:
            self.now, self.cost = list(columns), cost


def lifted(flat: Types, types: Types, columns: Sequence[Column]) -> list[Column]:
    """Columns without quasi-identifiers filled with tuples."""
    row_of = {t: r for r, behind in enumerate(types.rows.tuples) for t in behind}
    left = [list(behind) for behind in flat.rows.tuples]
    return [
        Column(tuple(sorted(row_of[left[r].pop(0)] for r in column.rows)), column.fakes) for column in columns
    ]


def _flattened(flat: Types, types: Types, columns: Sequence[Column]) -> list[Column]:
    row_of = {t: r for r, behind in enumerate(flat.rows.tuples) for t in behind}
    left = [list(behind) for behind in types.rows.tuples]
    return [
        Column(tuple(sorted(row_of[left[r].pop(0)] for r in column.rows)), column.fakes) for column in columns
    ]
