"""The best columns so far: the fewest counterfeits, then the least cost, and what is proven of both."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .....models.problem_view import CheckedProblem
from .....models.release import Release
from ....colgen.column import Column
from ....colgen.structure.types import Types
from ....incumbent import Incumbent
from ....settings import Watch
from ..objective import Objective
from .construct import assembled

__all__ = ["BestColumns"]


class BestColumns(Incumbent[tuple[Column, ...], int]):
    """What a search for columns has reached; counterfeits are a level only if the policy counts them.

    Attributes
    ----------
    counted : int or None
        The policy's level of counterfeits.
    fakes : int
        Counterfeits of the best release; 0 if there is none.
    """

    def __init__(self, problem: CheckedProblem, types: Types, watch: Watch, objective: Objective) -> None:
        self.counted, self.measure = objective.counterfeits, objective.measured
        super().__init__(problem, watch, [v for v in (self.counted, self.measure) if v is not None])
        self.types, self._factor = types, objective.factor
        self.fakes = 0
        self._made: tuple[tuple[Column, ...], Release] | None = None
        self.bounds = [0] * len(self.levels)

    @property
    def cost(self) -> int:
        """What the best release costs; above every release's cost if there is none."""
        return self.types.most + 1 if self.values is None else self.values[-1]

    @property
    def bound(self) -> int:
        """No release with so few counterfeits costs less."""
        return self.bounds[-1] or 0

    @property
    def met(self) -> bool:
        """Whether no release with so few counterfeits costs less."""
        return self.bound >= self.cost

    @property
    def exact(self) -> bool:
        return self.types.rows.exact

    def offer(
        self, solution: Sequence[Column] | None, text: str = "release", *, checked: bool = False
    ) -> bool:
        kept = super().offer(None if solution is None else tuple(solution), text, checked=checked)
        if kept and self.best is not None:
            self.fakes, _ = self.types.made_of(self.best)
        return kept

    def measured(self, solution: tuple[Column, ...]) -> tuple[int, ...]:
        fakes, cost = self.types.made_of(solution)
        return (cost,) if self.counted is None else (fakes, cost)

    def keeps(self, solution: tuple[Column, ...]) -> bool:
        """Whether it suppresses nobody and passes every check."""
        if sum(len(column.rows) for column in solution) < len(self.problem.table):
            return False
        made = assembled(self.types, self.problem, solution)
        if next(self.problem.check(made), None) is not None:
            return False
        self._made = solution, made
        return True

    def value(self, index: int, cost: int) -> Fraction:
        level = self.levels[index]
        if level == self.counted:
            return cost * self.problem.policy.levels[level].weights[0][1]
        return self._factor * self.types.rows.loss(cost)

    def release(self) -> Release | None:
        if self.best is None:
            return None
        known, made = self._made or (None, None)
        return made if known is self.best else assembled(self.types, self.problem, self.best)

    def lift(self, bound: int, text: str) -> None:
        """Keep a bound on the cost if it is higher."""
        self.raise_bound(-1, bound, text)

    def needs(self, fakes: int) -> None:
        """No release has fewer counterfeits."""
        if self.counted is not None:
            self.raise_bound(0, fakes, "fewest counterfeits")

    def reopen(self) -> None:
        """Forget the bound on the cost: its proof is about releases with more counterfeits."""
        self.bounds[-1] = 0
