"""In which order counts are taken up, so that little must be remembered between two of them."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...models.adversary.propagation import Bounds, Component
from ...models.adversary.rows import Compact, Integers
from ...models.compiled import borrowing, compiled

__all__ = ["Order", "orders", "window"]

STARTS = 40
"""Greedy orders compared for a component that looks hard."""

EASY = 12.0
"""Binary logarithm of the states up to which the first order is taken."""

Order: TypeAlias = tuple[int, ...]
"""Pairs one after another."""


def orders(component: Component, bounds: Bounds, spans: Integers, value: Integers) -> list[Order]:
    """Orders worth trying, the most promising first.

    Greedy: the next pair is the one after which the fewest states are expected, if what is left of rows
    were independent; the best of some greedy orders, each from another first pair. By value: all
    pairs of one value after another, the most frequent first or last, so that only what is left of
    cells goes on; and the greedy order that looks worst, because looks deceive.

    O(starts * pairs * pairs that share a row), compiled.

    Parameters
    ----------
    component, bounds
        As for `open_components`.
    spans : int64 array
        How far the sides of each row are apart.
    value : int64 array
        Value of each pair.
    """
    part, lower, upper = _compact(component, bounds)

    def greedy(first: int) -> tuple[float, Order]:
        pairs, peak = _greedy_of(part, lower, upper, component.high, spans, first)
        return peak, tuple(pairs.tolist())

    peak, order = greedy(-1)
    if peak <= EASY:
        return [order]
    firsts = [order[-1], *np.linspace(0, len(order) - 1, STARTS).astype(int).tolist()]
    found = sorted([(peak, order), *(greedy(first) for first in dict.fromkeys(firsts))])
    best = found[0][1]
    places = np.empty(len(best), dtype=np.int64)
    places[list(best)] = np.arange(len(best))
    frequency = np.bincount(value, weights=upper)[value]
    upward, downward = np.lexsort((places, value, frequency)), np.lexsort((places, value, -frequency))
    tried = [best, tuple(upward.tolist()), tuple(downward.tolist()), found[-1][1]]
    return list(dict.fromkeys(tried))


def window(component: Component, bounds: Bounds, inside: Integers, first: int) -> Order:
    """The pairs inside a window in the greedy order from the first."""
    part, lower, upper = _compact(component, bounds)
    spans = component.high - component.low
    order, _ = _greedy_of(part, lower, upper, component.high, spans, first)
    return tuple(order[np.isin(order, inside)].tolist())


def _compact(component: Component, bounds: Bounds) -> tuple[Compact, Integers, Integers]:
    return component.compact, bounds.lower[component.pairs], bounds.upper[component.pairs]


def _greedy_of(
    part: Compact, lower: Integers, upper: Integers, total: Integers, span: Integers, first: int
) -> tuple[Integers, float]:
    return _greedy(part.start, part.column, part.first, part.row, lower, upper, total, span, first)


@compiled
def _bits(total: int, span: int, least: int, most: int, low: int, high: int) -> float:
    """Binary logarithm of what can be left of a row, given what is done (least, most) and to come."""
    return np.log2(max(1, min(total - least, high + span) - max(total - most, low, 0) + 1))


@borrowing
def _next(
    start: Integers,
    across: Integers,
    row: Integers,
    lower: Integers,
    upper: Integers,
    total: Integers,
    span: Integers,
    left: Integers,
    done: Integers,
    rest: Integers,
    now: NDArray[np.float64],
    taken: NDArray[np.bool_],
    near: NDArray[np.bool_],
) -> int:
    """The pair after which the fewest states are expected, of those near what is taken if there are any."""
    best, best_change, best_shared = -1, 0.0, 0
    for pass_ in range(2):
        for j in range(len(taken)):
            if taken[j] or (pass_ == 0 and not near[j]):
                continue
            change, shared = 0.0, 0
            for z in range(across[j], across[j + 1]):
                r = row[z]
                change -= now[r]
                shared += near[j] and left[r] < start[r + 1] - start[r]
                if left[r] > 1:
                    change += _bits(
                        total[r],
                        span[r],
                        done[r, 0] + lower[j],
                        done[r, 1] + upper[j],
                        rest[r, 0] - lower[j],
                        rest[r, 1] - upper[j],
                    )
            if best < 0 or change < best_change or (change == best_change and shared > best_shared):
                best, best_change, best_shared = j, change, shared
        if best >= 0:
            break
    return best


@compiled
def _greedy(
    start: Integers,
    column: Integers,
    across: Integers,
    row: Integers,
    lower: Integers,
    upper: Integers,
    total: Integers,
    span: Integers,
    first: int,
) -> tuple[Integers, float]:
    """The next pair is the one after which the fewest states are expected."""
    height, width = len(start) - 1, len(lower)
    left = np.diff(start)
    done = np.zeros((height, 2), dtype=np.int64)
    rest = np.zeros((height, 2), dtype=np.int64)
    for r in range(height):
        for p in range(start[r], start[r + 1]):
            rest[r, 0] += lower[column[p]]
            rest[r, 1] += upper[column[p]]
    taken = np.zeros(width, dtype=np.bool_)
    near = np.zeros(width, dtype=np.bool_)
    order = np.empty(width, dtype=np.int64)
    now = np.zeros(height)
    sum_now, states = 0.0, 0.0
    for step in range(width):
        best = _next(start, across, row, lower, upper, total, span, left, done, rest, now, taken, near)
        if step == 0 and first >= 0:
            best = first
        order[step] = best
        taken[best] = True
        for z in range(across[best], across[best + 1]):
            r = row[z]
            left[r] -= 1
            done[r, 0] += lower[best]
            done[r, 1] += upper[best]
            rest[r, 0] -= lower[best]
            rest[r, 1] -= upper[best]
            sum_now -= now[r]
            now[r] = 0.0
            if left[r] > 0:
                now[r] = _bits(total[r], span[r], done[r, 0], done[r, 1], rest[r, 0], rest[r, 1])
                for p in range(start[r], start[r + 1]):
                    near[column[p]] = True
            sum_now += now[r]
        states += 2.0 ** min(sum_now, 60.0)
    return order, np.log2(states)
