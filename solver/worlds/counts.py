"""CP-SAT's model of the counts of one component."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from ortools.sat.python import cp_model

from ...models.adversary.propagation import Bounds, Component
from ..backends.cpsat import solved
from ..settings import Clock
from ..status import Status

__all__ = ["CountModel", "Verdict"]


class Verdict(IntEnum):
    """What is known about a count."""

    EXCLUDED = 0
    POSSIBLE = 1
    UNKNOWN = 2


class CountModel:
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

    def most_positive(self, pairs: Iterable[int], clock: Clock) -> tuple[Verdict, list[int]]:
        """A world with many of some counts positive."""
        self.model.maximize(cp_model.LinearExpr.sum([self.positive(pair) for pair in pairs]))
        return self.solve(clock)

    def solve(self, clock: Clock) -> tuple[Verdict, list[int]]:
        """Whether there is any world, and one."""
        run = solved(self.model, seconds=clock.left, relative_gap=0.3, relaxations=2)
        if run.status is Status.INFEASIBLE:
            return Verdict.EXCLUDED, []
        if run.found:
            return Verdict.POSSIBLE, [run.value(count) for count in self.count]
        return Verdict.UNKNOWN, []
