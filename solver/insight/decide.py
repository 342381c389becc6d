"""Which open counts of a component can be positive: witnesses first, then proofs.

1. While optima are integral: the linear program "as many of the undecided as possible". One
   solution shows many counts positive; a maximum below 1 excludes all that are left.
2. CP-SAT: a world with *at least one* of them positive, and as many as possible.
3. The linear program for each one that is left: a maximum below 1 excludes it, with multipliers.
4. Branching over linear programs for those that only whole numbers exclude, up to a limit.
5. What CP-SAT excluded and nothing above could prove rests on CP-SAT alone, and is marked so.

If the time is over, what is left is neither possible nor excluded but unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ...models.adversary.derivation import Derivation
from ...models.adversary.propagation import Bounds, Component
from ...models.adversary.rows import Integers
from ...models.errors import OptanonError
from ..settings import Clock
from .branching import by_cases
from .component_lp import NEAR, ComponentLP, Optimum

__all__ = ["Counts", "Ground", "Search", "Verdict"]

Verdicts: TypeAlias = NDArray[np.int8]


class Verdict(IntEnum):
    """What is known about a count."""

    EXCLUDED = 0
    POSSIBLE = 1
    UNKNOWN = 2


class Ground(IntEnum):
    """What an exclusion rests on."""

    NONE = 0
    PROPAGATION = 1
    LINEAR = 2
    CASES = 3
    SOLVER = 4


class Counts:
    """CP-SAT model of a component's counts."""

    def __init__(self, component: Component, bounds: Bounds) -> None:
        self.model = cp_model.CpModel()
        lower, upper = bounds.lower[component.pairs].tolist(), bounds.upper[component.pairs].tolist()
        self.count = [self.model.new_int_var(l, u, "") for l, u in zip(lower, upper, strict=True)]  # noqa: E741
        self._binary = [most == 1 for most in upper]
        self._positive: dict[int, cp_model.IntVar] = {}
        members: list[tuple[list[cp_model.IntVar], list[int]]] = [([], []) for _ in component.rows]
        entries = component.entry_row.tolist(), component.entry_pair.tolist(), component.entry_sign.tolist()
        for row, pair, sign in zip(*entries, strict=True):
            members[row][0].append(self.count[pair])
            members[row][1].append(sign)
        for row, (pairs, signs) in enumerate(members):
            total = cp_model.LinearExpr.weighted_sum(pairs, signs)
            self.model.add_linear_constraint(total, int(component.low[row]), int(component.high[row]))

    def positive(self, pair: int) -> cp_model.IntVar:
        """Boolean that can only hold if the count is."""
        if self._binary[pair]:
            return self.count[pair]
        if pair not in self._positive:
            self._positive[pair] = self.model.new_bool_var("")
            self.model.add(self.count[pair] >= 1).only_enforce_if(self._positive[pair])
        return self._positive[pair]

    def ask(self, pairs: Iterable[int], clock: Clock) -> tuple[Verdict, list[int]]:
        """Whether one of some counts can be positive; if so a world with many of them positive.

        Further questions must be about fewer pairs.
        """
        wanted = [self.positive(pair) for pair in pairs]
        self.model.add_bool_or(wanted)
        self.model.clear_objective()
        if len(wanted) > 1:
            self.model.maximize(cp_model.LinearExpr.sum(wanted))
        return self.solve(clock)

    def solve(self, clock: Clock) -> tuple[Verdict, list[int]]:
        """Whether there is any world, and one."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 0
        solver.parameters.relative_gap_limit = 0.3
        solver.parameters.linearization_level = 2
        if clock.left is not None:
            solver.parameters.max_time_in_seconds = max(clock.left, 0.001)
        status = solver.solve(self.model)
        if status == cp_model.INFEASIBLE:
            return Verdict.EXCLUDED, []
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return Verdict.POSSIBLE, [int(solver.value(count)) for count in self.count]
        return Verdict.UNKNOWN, []


class Search:
    """The search of one component.

    Parameters
    ----------
    component : Component
    bounds : Bounds
        After propagation.
    verdicts, grounds : int8 arrays, per column of the system
        Filled in.
    derivation : Derivation
        Gets the proofs.
    """

    def __init__(
        self,
        component: Component,
        bounds: Bounds,
        verdicts: Verdicts,
        grounds: Verdicts,
        derivation: Derivation,
    ) -> None:
        self._component, self._bounds = component, bounds
        self._verdicts, self._grounds, self._derivation = verdicts, grounds, derivation
        self._lp = ComponentLP(component, bounds)
        self._todo: list[int] = []

    def run(self, todo: list[int], clock: Clock) -> None:
        """Decide the counts with these numbers within the component."""
        self._todo = todo
        if not self._together(clock):
            return
        refuted = self._witnesses(clock)
        left = self._one_by_one(clock)
        if left and not refuted and not clock.over:
            refuted = self._to_the_end(left, clock)
        if refuted:
            self._exclude(clock)

    def _together(self, clock: Clock) -> bool:
        """Linear programs for all at once; whether anything is left."""
        while self._todo and not clock.over:
            found = self._lp.maximize(self._todo, clock)
            if found is None:
                return True
            if found.value < 1 - NEAR:
                return not self._excluded(self._todo, found)
            if not self._seen(found):
                return True
        return bool(self._todo)

    def _witnesses(self, clock: Clock) -> bool:
        """Worlds by CP-SAT as long as each shows several counts; whether the rest was refuted."""
        if len(self._todo) < 3:
            return False
        model = Counts(self._component, self._bounds)
        while self._todo and not clock.over:
            before = len(self._todo)
            answer, world = model.ask(self._todo, clock)
            if answer is not Verdict.POSSIBLE:
                return answer is Verdict.EXCLUDED
            self._show(np.array(world, dtype=np.int64))
            if before - len(self._todo) < max(3, before // 20):
                return False
        return False

    def _one_by_one(self, clock: Clock) -> list[int]:
        """A linear program for each; those it does not decide."""
        left: list[int] = []
        for j in list(self._todo):
            if self._verdicts[self._component.pairs[j]] != Verdict.UNKNOWN or clock.over:
                continue
            found = self._lp.maximize([j], clock)
            if found is not None and found.value < 1 - NEAR and self._excluded([j], found):
                continue
            if found is None or not self._seen(found):
                left.append(j)
        self._todo = [j for j in self._todo if self._open(j)]
        return [j for j in left if self._open(j)]

    def _to_the_end(self, left: list[int], clock: Clock) -> bool:
        """CP-SAT until nothing is left; whether the rest was refuted."""
        model = Counts(self._component, self._bounds)
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
                self._derivation.note_cases(column, case)
            self._verdicts[column] = Verdict.EXCLUDED
            self._grounds[column] = Ground.SOLVER if case is None else Ground.CASES
        self._todo = []

    def _open(self, j: int) -> bool:
        return self._verdicts[self._component.pairs[j]] == Verdict.UNKNOWN

    def _excluded(self, pairs: list[int], found: Optimum) -> bool:
        step = self._lp.excludes(pairs, found)
        if step is None:
            return False
        self._derivation.note(step)
        columns = self._component.pairs[pairs]
        self._verdicts[columns] = Verdict.EXCLUDED
        self._grounds[columns] = Ground.LINEAR
        return True

    def _seen(self, found: Optimum) -> bool:
        world = found.whole
        return world is not None and self._show(world)

    def _show(self, world: Integers) -> bool:
        """Take a world as a witness; whether it showed anything new."""
        lower, upper = self._lp.lower, self._lp.upper
        if not self._component.holds(world) or (world < lower).any() or (world > upper).any():
            raise OptanonError(
                "the solver returned a world that breaks a row: please report this history"
            )
        columns = self._component.pairs[world > 0]
        new = columns[self._verdicts[columns] == Verdict.UNKNOWN]
        self._verdicts[new] = Verdict.POSSIBLE
        self._todo = [j for j in self._todo if self._open(j)]
        return len(new) > 0
