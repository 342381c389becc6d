"""Closing the gap: all groups that a better release may hold are listed and searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from ....settings import Clock
from ..cuts import Cuts
from ..rows import Ints
from .generation import Generation
from .master import chosen_of
from .pricing import Duals, Pricing
from .program import FREE, Program, Tree
from .types import Column, Types

__all__ = ["Finish", "ListedTree", "Step", "listed_program"]

LEAST_LISTED, MOST_LISTED = 1_000, 60_000
"""How many groups are listed."""
TREE_WORK = 300_000
"""Nodes times groups of an exact tree; beyond, the bound rests on the integer program's solver."""


@dataclass(frozen=True)
class ListedTree:
    """A finished tree over the groups that a release cheaper than `listed_for` may hold.

    No release costs less than ``tree.target``.
    """

    listed_for: int
    tree: Tree


@dataclass(frozen=True, kw_only=True)
class Step:
    """What one round found: a release, and a bound that may rest on HiGHS (`trusted`)."""

    columns: tuple[Column, ...] | None
    bound: int
    trusted: bool


def listed_program(types: Types, cuts: Cuts, fakes: int, columns: Sequence[Column]) -> Program:
    """Choose among columns: each row as often as it counts, counterfeits and cuts within limits."""
    rows, count = len(types), types.rows.count
    entries = [(r, j, 1) for j, column in enumerate(columns) for r in column.rows]
    entries += [(rows, j, f) for j, column in enumerate(columns) if (f := types.limited(column))]
    entries += [
        (rows + 1 + cut, j, times)
        for j, column in enumerate(columns)
        for cut, times in cuts.coefficients(column.rows).items()
    ]
    table = np.array(entries, dtype=np.int64).reshape(-1, 3)
    high: Ints = np.concatenate([count, [fakes], cuts.limit]).astype(np.int64)
    low = np.concatenate([count, np.full(1 + len(cuts), -FREE)]).astype(np.int64)
    matrix = csr_array((table[:, 2], (table[:, 0], table[:, 1])), shape=(rows + 1 + len(cuts), len(columns)))
    matrix.sum_duplicates()
    return Program(
        cost=np.array(types.costs(columns), dtype=np.int64),
        lower=np.zeros(len(columns), dtype=np.int64),
        upper=np.array(
            [min(int(count[r]) // column.rows.count(r) for r in column.rows) for column in columns],
            dtype=np.int64,
        ),
        matrix=matrix,
        low=low,
        high=high,
    )


class Finish:
    """Rounds of listing and searching; `tree` is the latest finished tree."""

    def __init__(self, pricing: Pricing, generation: Generation, seed: int, clock: Clock) -> None:
        self.pricing, self.generation, self.seed, self.clock = pricing, generation, seed, clock
        self.tree: ListedTree | None = None
        self._room = max(LEAST_LISTED, 4 * len(pricing.types))
        self._nodes = 1_000
        self._complete = False

    def step(self, best: Sequence[Column], cost: int, bound: int) -> Step | None:
        """List the groups for the highest target within reach and search them; None at the end."""
        duals, types, fakes = self.generation.duals, self.pricing.types, self.generation.master.fakes
        if duals is None or self._complete or types.rules.relaxed.any():
            return None
        listed = self._listed(duals, fakes, cost, bound)
        if listed is None:
            if self._room >= MOST_LISTED:
                self._complete = True
                return None
            self._room *= 4
            return Step(columns=None, bound=bound, trusted=False)
        groups, target = listed
        found, stated = chosen_of(
            types,
            fakes,
            groups,
            best,
            nodes=self._nodes,
            seed=self.seed,
            seconds=self.clock.left,
            cuts=self.pricing.cuts,
        )
        reached = cost if found is None else min(cost, types.made_of(found)[1])
        target = min(target, reached)
        program = listed_program(types, self.pricing.cuts, fakes, groups)
        tree = Tree(program, target, self.clock)
        done = tree.run(max(1, TREE_WORK // max(1, len(groups))))
        better = found
        if tree.best is not None:
            better = tuple(groups[j] for j in np.flatnonzero(tree.best) for _ in range(int(tree.best[j])))
        self._nodes *= 4
        whole = listed[1] == cost
        if self._room >= MOST_LISTED and not done and whole and self._nodes > 100_000:
            self._complete = True
        self._room = min(MOST_LISTED, 4 * self._room)
        if done:
            self.tree = ListedTree(listed[1], tree)
            return Step(columns=better, bound=tree.target, trusted=False)
        proven = min(stated, listed[1], reached)
        return Step(columns=better, bound=max(proven, bound), trusted=proven > bound)

    def _listed(
        self, duals: Duals, fakes: int, cost: int, bound: int
    ) -> tuple[tuple[Column, ...], int] | None:
        """All groups for the highest target (at most the best cost) for which they are few enough."""
        value, target = duals.value(self.pricing.types, self.pricing.cuts, fakes), cost
        while True:
            slack = (target - 1) * duals.scale - value
            found = self.pricing.search(duals, floor=-slack - 1, room=self._room)
            if found.whole:
                return tuple(sorted(found.columns)), target
            if self.clock.over or target <= bound + 1:
                return None
            target = bound + max(1, (target - bound) * 3 // 5)
