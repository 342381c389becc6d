"""Which open counts of a component can be positive: witnesses first, then proofs.

1. The linear program "as many of the undecided as possible", rounded where it is fractional, as long as
   it shows many. One world shows many counts positive; a maximum below 1 excludes all that are left.
2. The same for those that it cannot make positive, round by round, until none is: its multipliers exclude
   all of these at once, thousands by a few programs. These are 0 from then on. Then 1. again for the others.
3. The world nearest to the true one with a count at least 1, for each one that is left. From count to
   count one bound changes, which takes the dual simplex a few steps, and most optima are whole. Of the others
   only the changes that hang together with the count are rounded.
4. A maximum of each one that is left; below 1 excludes it, with multipliers.
5. CP-SAT for the rest: a world with *at least one* of them positive, and as many as possible.
6. What CP-SAT refutes is excluded; branching over linear programs proves it, up to a limit. What
   then has no proof rests on CP-SAT alone, and is marked so.

If the time is over, what is left is neither possible nor excluded but unknown.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...models.adversary.proof import Case, ProofStep
from ...models.adversary.propagation import Bounds, Component
from ...models.adversary.rows import Integers
from ...models.errors import OptanonError
from ..settings import Clock
from .branching import by_cases
from .component_lp import NEAR, ComponentLP, ComponentOptimum, Floats
from .counts import CountModel, Verdict
from .rounding import Rounding

__all__ = ["ComponentSearch", "Ground", "Proof", "Verdicts"]

Verdicts: TypeAlias = NDArray[np.int8]

Proof: TypeAlias = ProofStep | tuple[int, Case]
"""A step, or a proof by cases that a column is 0."""

MANY = 60
"""Worlds for all counts at once are looked for while one shows so many: each takes as long as near ones."""


class Ground(IntEnum):
    """What an exclusion rests on."""

    NONE = 0
    PROPAGATION = 1
    LINEAR = 2
    CASES = 3
    SOLVER = 4


class ComponentSearch:
    """The search of one component.

    Parameters
    ----------
    component : Component
    bounds : Bounds
        After propagation.
    verdicts, grounds : int8 arrays, per column of the system
        Filled in.
    truth : int64 array
        Counts of a world of the component.
    """

    def __init__(
        self,
        component: Component,
        bounds: Bounds,
        verdicts: Verdicts,
        grounds: Verdicts,
        truth: Integers,
    ) -> None:
        self._component, self._bounds = component, bounds
        self._verdicts, self._grounds = verdicts, grounds
        self._lp = ComponentLP(component, bounds)
        self._rounding = Rounding(self._lp)
        self._truth = truth
        self._todo: list[int] = []
        self._proofs: list[Proof] = []

    def run(self, todo: list[int], clock: Clock) -> list[Proof]:
        """Decide the counts with these numbers within the component; what was proven, in its order."""
        self._todo = todo
        self._decide(clock)
        return self._proofs

    def _decide(self, clock: Clock) -> None:
        if not (self._together(clock) and self._apart(clock)):
            return
        # What is excluded is 0 from here on: optima are whole more often, and later proofs build on it.
        excluded = self._verdicts[self._component.pairs] == Verdict.EXCLUDED
        self._lp.limit(self._lp.lower, np.where(excluded, 0, self._lp.upper))
        if not self._together(clock):
            return
        self._near_truth(clock)
        left = self._one_by_one(clock)
        if left and self._to_the_end(left, clock):
            self._exclude(clock)

    def _together(self, clock: Clock) -> bool:
        """Linear programs for all at once; whether anything is left."""
        while self._todo and not clock.over:
            before = len(self._todo)
            found = self._lp.maximize(self._todo, clock)
            if found is None:
                return True
            if found.value < 1 - NEAR:
                return not self._excluded(self._todo, found)
            if not self._seen(found, None, clock) or before - len(self._todo) < max(MANY, before // 20):
                return True
        return bool(self._todo)

    def _apart(self, clock: Clock) -> bool:
        """Exclude at once what no linear program makes positive; whether anything is left."""
        rest = self._todo
        self._lp.by_dual(False)  # few counts fewer at a time: the last optimum stays feasible, and near
        while rest and not clock.over:
            found = self._lp.maximize(rest, clock)
            if found is None:
                break
            if found.value < 1 - NEAR or found.counts is None:
                self._excluded(rest, found)
                break
            rest = [j for j in rest if found.counts[j] < NEAR]
        self._lp.by_dual(True)
        self._still_open()
        return bool(self._todo)

    def _near_truth(self, clock: Clock) -> None:
        """Worlds that differ from the true one as little as they must."""
        if not self._todo or not self._lp.stay_near(self._truth, self._todo, clock):
            return
        for j in list(self._todo):
            if not self._open(j) or clock.over:
                continue
            found = self._lp.with_one(j, clock)
            if found is None:
                continue
            world = np.rint(found).astype(np.int64)
            if np.abs(found - world).max() >= NEAR:
                rounded = self._rounding.world(self._change(found, j), self._todo, j, clock)
                if rounded is None:
                    continue
                world = rounded
            self._show(world)

    def _change(self, found: Floats, j: int) -> Floats:
        """The true world but for the changes that share rows with one of a count, directly or by others."""
        part = self._component
        moved = np.abs(found - self._truth) > NEAR
        use = moved[part.entry_pair]
        rows, columns = part.entry_row[use], part.entry_pair[use]
        nodes = len(part.rows) + len(moved)
        graph = coo_array((np.ones(len(rows)), (rows, columns + len(part.rows))), shape=(nodes, nodes))
        label = connected_components(graph, directed=False)[1][len(part.rows) :]
        return np.where(label == label[j], found, self._truth)

    def _one_by_one(self, clock: Clock) -> list[int]:
        """A linear program for each; those it does not decide."""
        left: list[int] = []
        self._lp.by_dual(False)
        for j in list(self._todo):
            if self._verdicts[self._component.pairs[j]] != Verdict.UNKNOWN or clock.over:
                continue
            found = self._lp.maximize([j], clock)
            if found is not None and found.value < 1 - NEAR and self._excluded([j], found):
                continue
            if found is None or not self._seen(found, j, clock) or self._open(j):
                left.append(j)
        self._still_open()
        return [j for j in left if self._open(j)]

    def _to_the_end(self, left: list[int], clock: Clock) -> bool:
        """CP-SAT until nothing is left; whether the rest was refuted."""
        model = CountModel(self._component, self._bounds)
        self._todo = left
        while self._todo and not clock.over:
            answer, world = model.ask(self._todo, clock)
            if answer is not Verdict.POSSIBLE:
                return answer is Verdict.EXCLUDED
            self._show(np.array(world, dtype=np.int64))
        return False

    def _exclude(self, clock: Clock) -> None:
        """Exclude what CP-SAT refuted, with a proof by cases if one is found."""
        for j in self._todo:
            column = int(self._component.pairs[j])
            case = by_cases(self._lp, j, clock)
            if case is not None:
                self._proofs.append((column, case))
            self._verdicts[column] = Verdict.EXCLUDED
            self._grounds[column] = Ground.SOLVER if case is None else Ground.CASES
        self._todo = []

    def _open(self, j: int) -> bool:
        return self._verdicts[self._component.pairs[j]] == Verdict.UNKNOWN

    def _excluded(self, pairs: list[int], found: ComponentOptimum) -> bool:
        step = self._lp.excludes(pairs, found)
        if step is None:
            return False
        self._proofs.append(step)
        columns = self._component.pairs[pairs]
        self._verdicts[columns] = Verdict.EXCLUDED
        self._grounds[columns] = Ground.LINEAR
        return True

    def _seen(self, found: ComponentOptimum, must: int | None, clock: Clock) -> bool:
        """Whether an optimum, or a world near it, shows anything new."""
        world = found.whole
        if world is None and found.counts is not None:
            world = self._rounding.world(found.counts, self._todo, must, clock)
        return world is not None and self._show(world)

    def _show(self, world: Integers) -> bool:
        """Take a world as a witness; whether it showed anything new."""
        lower, upper = self._lp.lower, self._lp.upper
        if not self._component.holds(world) or (world < lower).any() or (world > upper).any():
            raise OptanonError("the solver returned a world that breaks a row: please report this history")
        columns = self._component.pairs[world > 0]
        new = columns[self._verdicts[columns] == Verdict.UNKNOWN]
        self._verdicts[new] = Verdict.POSSIBLE
        self._still_open()
        return len(new) > 0

    def _still_open(self) -> None:
        """Keep what is not decided."""
        todo = np.array(self._todo, dtype=np.int64)
        self._todo = todo[self._verdicts[self._component.pairs[todo]] == Verdict.UNKNOWN].tolist()
