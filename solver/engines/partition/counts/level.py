"""One level minimized over one set of shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ....colgen.covering import Ints
from ....exact.program import Program
from .prices import Prices
from .program import Frame, Row
from .solving import Solved

__all__ = ["Call", "LevelOutcome", "limit", "minimized"]

Call: TypeAlias = Callable[[Program], Solved]
"""Solves a program in the time there is."""


@dataclass(frozen=True, kw_only=True)
class LevelOutcome:
    """How it ended; costs are as in `Prices.value`.

    Attributes
    ----------
    x : int array or None
        The best solution found.
    reached : int or None
        Its cost.
    bound : int or None
        No solution costs less.
    empty : bool
        Whether there is no solution at all.
    """

    x: Ints | None = None
    reached: int | None = None
    bound: int | None = None
    empty: bool = False

    @property
    def solved(self) -> bool:
        """Whether the solution is the best there is."""
        return self.reached is not None and self.reached == self.bound


def minimized(frame: Frame, prices: Prices, before: Sequence[Row], call: Call) -> LevelOutcome:
    """Minimize a level within limits on those before."""
    if prices.kind == "max":
        return _smallest(frame, before, call)
    cost = frame.cost(prices)
    found = call(frame.program(cost, before))
    reached = None if found.x is None else int(cost @ found.x)
    return LevelOutcome(x=found.x, reached=reached, bound=found.bound, empty=found.empty)


def limit(frame: Frame, prices: Prices, reached: int) -> Row:
    """The row that keeps a level at its cost."""
    if prices.kind == "max":
        return Row(cost=frame.above(reached), most=0)
    return Row(cost=frame.cost(prices), most=reached)


def _smallest(frame: Frame, before: Sequence[Row], call: Call) -> LevelOutcome:
    """The least size for which some release has no larger group, by bisection."""
    sizes = frame.group_sizes
    found = call(frame.program(frame.above(sizes[-1]), before))
    if found.x is None:
        return LevelOutcome(empty=found.empty)
    best, low, high = found.x, 0, sizes.index(frame.largest(found.x))
    while low < high:
        middle = (low + high) // 2
        cost = frame.above(sizes[middle])
        found = call(frame.program(cost, before))
        if found.x is not None and not int(cost @ found.x):
            best, high = found.x, sizes.index(frame.largest(found.x))
        elif found.empty or (found.bound is not None and found.bound > 0):
            low = middle + 1
        else:
            break
    return LevelOutcome(x=best, reached=sizes[high], bound=sizes[low])
