"""Closing the gap: all groups that a better release may hold are listed and searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....colgen.choice import best_of
from ....colgen.column import Column, columns_of, lines_of
from ....colgen.duals import Duals
from ....colgen.generation import Generation
from ....colgen.signature_pricing import SignaturePricing
from ....colgen.structure.types import Types
from ....exact.program import Program, covering
from ....exact.tree import Tree
from ....schedule import GAP
from ....settings import Clock
from ..finish import by_first
from ..limits import SIGNATURE_LIMITS as LIMITS

__all__ = ["Finish", "ListedTree", "Step", "numbered"]


@dataclass(frozen=True)
class ListedTree:
    """A tree over the groups that releases cheaper than `listed_for` may hold: none is below its bound."""

    duals: Duals
    listed_for: int
    tree: Tree


@dataclass(frozen=True, kw_only=True)
class Step:
    """What one round found: a release, a proven bound, and the bound on the word of HiGHS (`stated`)."""

    columns: tuple[Column, ...] | None
    bound: int
    stated: int = 0


class Finish:
    """Rounds of listing and searching; `tree` is the latest finished tree."""

    def __init__(self, pricing: SignaturePricing, generation: Generation, seed: int, clock: Clock) -> None:
        self.pricing, self.generation, self.seed, self.clock = pricing, generation, seed, clock
        self.tree: ListedTree | None = None
        self._room = max(LIMITS.least_listed, 4 * len(pricing.types))
        self._nodes = LIMITS.nodes
        self._complete = False

    def step(self, best: Sequence[Column], cost: int, bound: int) -> Step | None:
        """List the groups for the highest target within reach and search them; None at the end."""
        duals, types, fakes = self.generation.duals, self.pricing.types, self.generation.best.fakes
        if duals is None or self._complete or types.rules.relaxed.any():
            return None
        listed = self._listed(duals, fakes, cost, bound)
        if listed is None:
            if self._room >= LIMITS.most_listed:
                self._complete = True
                return None
            self._room *= 4
            return Step(columns=None, bound=bound)
        columns, target = listed
        program, columns = numbered(types, fakes, columns)
        tree = Tree(program, min(target, cost), self.clock.share(GAP.tree))
        done, whole = tree.run(), target == cost
        better = None
        if tree.best is not None:
            better = tuple(columns[j] for j in np.flatnonzero(tree.best) for _ in range(int(tree.best[j])))
        proven = min(target, tree.bound or 0)
        if done or proven > bound:
            self.tree, bound = ListedTree(duals, target, tree), proven
        if done:
            self._room = min(LIMITS.most_listed, 4 * self._room)
            return Step(columns=better, bound=bound)
        found, stated = best_of(
            types,
            columns,
            best if better is None else better,
            fakes=fakes,
            nodes=self._nodes,
            seed=self.seed,
            seconds=self.clock.allowed(GAP.program),
            cuts=self.pricing.cuts,
        )
        self._nodes *= 4
        if self._room >= LIMITS.most_listed and whole and self._nodes > 100 * LIMITS.nodes:
            self._complete = True
        self._room = min(LIMITS.most_listed, 4 * self._room)
        reached = cost if found is None else min(cost, types.made_of(found)[1])
        return Step(columns=found or better, bound=bound, stated=min(stated, target, reached))

    def _listed(
        self, duals: Duals, fakes: int, cost: int, bound: int
    ) -> tuple[tuple[Column, ...], int] | None:
        """All groups for the highest target (at most the best cost) for which they are few enough."""
        value, target = duals.value(self.pricing.rows, self.pricing.cuts, fakes), cost
        while True:
            slack = (target - 1) * duals.scale - value
            found = self.pricing.all_below(duals, slack, room=self._room, nodes=LIMITS.most_nodes)
            if found is not None and found.complete:
                return columns_of(found.lines), target
            if self.clock.over or target <= bound + 1:
                return None
            target = bound + max(1, (target - bound) * 3 // 5)


def numbered(types: Types, fakes: int, columns: Sequence[Column]) -> tuple[Program, tuple[Column, ...]]:
    """The program over listed groups as proofs name its rows and columns, and the groups in its order.

    Rows are numbered by the first tuple of each in the table, the limit on counterfeits is the last; columns
    are in the order of their rows, then of their times.
    """
    place = by_first(types.rows)
    moved = sorted(
        (tuple(sorted(place[list(c.rows)].tolist())), types.times(c), k) for k, c in enumerate(columns)
    )
    order = [k for _, _, k in moved]
    ordered = tuple(columns[k] for k in order)
    groups, lines = lines_of(rows for rows, _, _ in moved), lines_of(ordered)
    count = np.empty(len(types), dtype=np.int64)
    count[place] = types.rows.count
    return covering(groups, types.costs(lines), count, (types.limited(lines), fakes)), ordered
