"""One level minimized over one set of shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ....exact.program import Program
from .prices import Prices
from .program import Frame, Row
from .solving import Solved

__all__ = ["Call", "limit", "minimized"]

Call: TypeAlias = Callable[[Program], Solved]
"""Solves a program in the time there is."""


def minimized(frame: Frame, prices: Prices, before: Sequence[Row], call: Call) -> Solved:
    """Minimize a level within limits on those before; costs are as in `Prices.value`."""
    if prices.kind == "max":
        return _smallest(frame, before, call)
    return call(frame.program(frame.cost(prices), before))


def limit(frame: Frame, prices: Prices, reached: int) -> Row:
    """The row that keeps a level at its cost."""
    if prices.kind == "max":
        return Row(cost=frame.above(reached), most=0)
    return Row(cost=frame.cost(prices), most=reached)


def _smallest(frame: Frame, before: Sequence[Row], call: Call) -> Solved:
    """The least size for which some release has no larger group, by bisection."""
    sizes = frame.group_sizes
    found = call(frame.program(frame.above(sizes[-1]), before))
    if found.x is None:
        return Solved(empty=found.empty)
    best, low, high = found.x, 0, sizes.index(frame.largest(found.x))
    while low < high:
        middle = (low + high) // 2
        cost = frame.above(sizes[middle])
        found = call(frame.program(cost, before))
        if found.x is not None and not found.reached:
            best, high = found.x, sizes.index(frame.largest(found.x))
        elif found.empty or (found.bound is not None and found.bound > 0):
            low = middle + 1
        else:
            break
    return Solved(x=best, reached=sizes[high], bound=sizes[low])
