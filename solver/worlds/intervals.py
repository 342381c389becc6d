r"""Guaranteed intervals for probabilities where worlds are too many to be counted.

Take any pairs, the *window*, and let s be what their counts leave of the rows that go on outside. Given s,
nothing outside matters for what is inside, so with W(s) the weight of all ways to s and C(s) the sum of a
count over them

    E x = sum_s P(s) C(s) / W(s),   and   min_s C(s) / W(s) <= E x <= max_s C(s) / W(s)

over all s that may be. (Rows around the window are kept with their other pairs at their bounds, and what
else is outside is forgotten: more states are thought possible than are, which only widens the interval. A
state dropped because it contradicts the rows lies on the way to no world.) So the first layers of the graph
of states are enough, as many as the limits allow, and no sampling is needed.

Sums are of positive terms in floating point. With n additions and roundings on the way to a number its
relative error is at most n u / (1 - n u) for u = 2**-53; twice that is added to both ends, and ends are then
rounded outward to multiples of 1 / `GRID`. A window whose sums lie too far apart for that is not used.

Besides, counts lie within their bounds, and those of a cell add up to its size.
"""

from __future__ import annotations

from fractions import Fraction
from math import frexp
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ...models.adversary.propagation import Bounds, Component
from ...models.adversary.rows import Integers
from ...models.adversary.system import System
from ..settings import Clock
from .elimination import window
from .state_graph import Floats, Layer, StateGraph, StateLimits

__all__ = ["GRID", "Interval", "expected_ranges"]

GRID = 10**6
"""Ends of intervals are multiples of one over this (times one over the size of the cell)."""

WINDOW = StateLimits(states=2_000, steps=60_000)
"""How far a window grows."""

NEAR = 60
"""Most pairs of a window."""

UNIT = 2.0**-53

LARGEST = 2**400
"""No window has larger weights."""

ENOUGH = GRID // 10
"""A cell whose intervals are narrower gets no window of its own."""

SMALLEST = 2.0**-900
"""Sums below this share of the largest might have lost digits."""

Interval: TypeAlias = tuple[Fraction, Fraction]


def expected_ranges(
    system: System, component: Component, bounds: Bounds, clock: Clock, limits: StateLimits = WINDOW
) -> list[Interval]:
    """Between which numbers the expected count of each pair lies; always right, at worst its bounds.

    One window around each cell, as long as there is time.
    """
    least = bounds.lower[component.pairs] * GRID
    most = bounds.upper[component.pairs] * GRID
    cell = system.cell[component.pairs]
    by_row = _Neighbours(component)
    for own in np.unique(cell).tolist():
        inside = np.flatnonzero(cell == own)
        if clock.over:
            break
        if (most[inside] - least[inside] < ENOUGH * system.sizes[own]).all():
            continue  # a window of a neighbour has said enough
        for place, low, high in _seen_from(system, by_row, bounds, inside, limits, clock):
            least[place], most[place] = max(least[place], low), min(most[place], high)
    _add_up(by_row, least, most)
    return [
        (Fraction(low, GRID), Fraction(high, GRID))
        for low, high in zip(least.tolist(), most.tolist(), strict=True)
    ]


class _Neighbours:
    """A component by rows and by pairs, to cut windows out of it."""

    def __init__(self, component: Component) -> None:
        self.component = component
        ones = np.ones(len(component.entry_row), dtype=np.int64)
        shape = (len(component.rows), len(component.pairs))
        self.rows = csr_array((ones, (component.entry_row, component.entry_pair)), shape=shape)
        self.pairs = csr_array(self.rows.T)

    def around(self, inside: Integers) -> tuple[Component, Integers, Integers]:
        """Up to `NEAR` pairs around some, in a component of all rows they are in and all pairs of these.

        Also the numbers of its pairs in the whole, and of those that are near in it.
        """
        near = inside
        while True:
            rows = np.unique(self.pairs[near].indices)
            shell = np.unique(self.rows[rows].indices).astype(np.int64)
            if len(shell) == len(near) or len(near) >= NEAR:
                break
            outside = np.setdiff1d(shell, near)
            # Those that share the most rows first, so that rows are finished.
            shared = self.pairs[outside][:, rows].sum(axis=1)
            near = np.concatenate([near, outside[np.argsort(-shared, kind="stable")][: NEAR - len(near)]])
        whole = self.component
        part = self.rows[rows][:, shell].tocoo()
        order = np.lexsort((part.col, part.row))
        entries = part.row[order].astype(np.int64), part.col[order].astype(np.int64)
        found = Component(
            pairs=whole.pairs[shell],
            rows=whole.rows[rows],
            entry_row=entries[0],
            entry_pair=entries[1],
            entry_sign=np.ones(len(entries[0]), dtype=np.int64),
            low=whole.low[rows],
            high=whole.high[rows],
        )
        return found, shell, np.searchsorted(shell, near).astype(np.int64)


def _seen_from(
    system: System,
    by_row: _Neighbours,
    bounds: Bounds,
    inside: Integers,
    limits: StateLimits,
    clock: Clock,
) -> list[tuple[int, int, int]]:
    """Pairs of the component with multiples of one over `GRID` that their expected counts lie between."""
    part, shell, near = by_row.around(inside)
    # Only pairs of which all rows are here may be taken up.
    order = window(part, bounds, near, int(near[0]))
    layers = StateGraph(system, part, bounds).layers(limits, clock, order, partly=True)
    return [(int(shell[place]), low, high) for place, low, high in _ranges(layers or [])]


def _ranges(layers: list[Layer]) -> list[tuple[int, int, int]]:
    """Least and largest mean of each pair taken up, over the states that are left."""
    ways, error = np.ones(1), 0.0
    counted = np.zeros((1, 0))
    for layer in layers:
        number, states = layer.targets.shape[1], np.arange(len(layer.targets))
        own, after, terms = np.zeros(layer.after), np.zeros(layer.after), np.zeros(layer.after)
        worlds = np.zeros((layer.after, counted.shape[1]))
        if layer.weights.max() > LARGEST:
            return []
        weights = layer.weights.astype(float)
        for x in range(number):
            goes = layer.targets[:, x] >= 0
            onto, weight = layer.targets[goes, x], weights[layer.kind[goes], x]
            step = csr_array((weight, (onto, states[goes])), shape=(layer.after, len(states)))
            reached = step @ ways
            after += reached
            own += (x + layer.least) * reached
            worlds += step @ counted
            terms += np.bincount(onto, minlength=layer.after)
        error += (2 * float(terms.max(initial=0)) + number + 4) * UNIT
        ways, counted = after, np.concatenate([worlds, own[:, None]], axis=1)
        shift = -frexp(float(ways.max(initial=0.0)))[1]
        ways, counted = np.ldexp(ways, shift), np.ldexp(counted, shift)
        if _too_far_apart(ways) or _too_far_apart(counted):
            return []
    if not layers or not (ways > 0).any():
        return []
    means = counted[ways > 0] / ways[ways > 0][:, None]
    slack = 4 * error
    lows = np.floor(means.min(axis=0) * (1 - slack) * GRID).astype(np.int64)
    highs = np.ceil(means.max(axis=0) * (1 + slack) * GRID).astype(np.int64)
    return [
        (layer.pair, low, high)
        for layer, low, high in zip(layers, lows.tolist(), highs.tolist(), strict=True)
    ]


def _too_far_apart(sums: Floats) -> bool:
    positive: NDArray[np.float64] = sums[sums > 0]
    return len(positive) > 0 and float(positive.min()) < SMALLEST


def _add_up(by_row: _Neighbours, least: Integers, most: Integers) -> None:
    """Tighten by the rows whose sides are equal, once: the others of a row leave so much."""
    component, starts = by_row.component, by_row.rows.indptr
    for row in np.flatnonzero(component.low == component.high).tolist():
        at = by_row.rows.indices[starts[row] : starts[row + 1]]
        total = int(component.high[row]) * GRID
        low, high = int(least[at].sum()), int(most[at].sum())
        least[at], most[at] = (
            np.maximum(least[at], total - (high - most[at])),
            np.minimum(most[at], total - (low - least[at])),
        )
