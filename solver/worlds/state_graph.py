r"""The graph of states of one component: what the pairs taken up so far left of each row that goes on.

Pairs (cell, value) are taken up one after another. Two ways to do so that leave the same are one
state, and a state that contradicts the rows (by bound propagation) is dropped at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from math import comb, factorial
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...models.adversary.propagation import Bounds, Component
from ...models.adversary.rows import Integers
from ...models.adversary.system import System
from ..settings import Clock
from .dead_ends import DeadEnds
from .elimination import Order, orders
from .state_estimate import ranked
from .world_steps import States, Targets, advance

__all__ = ["Floats", "Layer", "StateGraph", "StateLimits", "Thin"]

Floats: TypeAlias = NDArray[np.float64]


class StateLimits(NamedTuple):
    """How large the graph of states may be.

    Attributes
    ----------
    states : int
        Between two pairs.
    steps : int
        In all, from state to state (about 8 bytes each).
    """

    states: int
    steps: int


class _Step(NamedTuple):
    """A pair taken up: its rows, those open before first.

    Attributes
    ----------
    rows : list of int
    kept, used : list of int
        Places among the rows open before: of those that the pair is not in, and of those it is in.
    fresh : list of int
        What the rows that were not open hold.
    onward : list of int
        Places among `rows` of those that other pairs are in.
    opened : list of int
        Rows that are open after it.
    """

    rows: list[int]
    kept: list[int]
    used: list[int]
    fresh: list[int]
    onward: list[int]
    opened: list[int]


@dataclass(frozen=True, kw_only=True, eq=False)
class Layer:
    """One pair: where each state leads, by which kind of step, with which weight.

    Attributes
    ----------
    pair, least : int
        The pair, and its least count.
    targets : int32 array, shape (states, counts)
        The next state, or -1.
    kind : int64 array, per state
        Row of `weights`.
    weights : array of int, shape (kinds, counts)
    lift : float array, per next state
        What it counts for, if states were drawn; 1 otherwise.
    """

    pair: int
    least: int
    targets: Targets
    kind: Integers
    weights: NDArray[np.object_]
    lift: Floats

    @property
    def after(self) -> int:
        """Number of next states."""
        return len(self.lift)


Thin: TypeAlias = Callable[[Layer], tuple[Integers, Layer]]
"""Draws next states: their numbers, and the layer with only these."""


class StateGraph:
    """The states of one component, pair after pair.

    Parameters
    ----------
    system, component, bounds
        As for `open_components`.
    """

    def __init__(self, system: System, component: Component, bounds: Bounds) -> None:
        self._lower: list[int] = bounds.lower[component.pairs].tolist()
        self._upper: list[int] = bounds.upper[component.pairs].tolist()
        spans = component.high - component.low
        self._compact = component.compact
        self._component = component
        self._low, self._high, self._spans = component.low, component.high, spans
        self._tried = partial(orders, component, bounds, spans, system.value[component.pairs])
        self._bounds = bounds
        self._cell: list[bool] = (system.row_group[component.rows] < 0).tolist()
        self._span: list[int] = spans.tolist()
        self._total: list[int] = component.high.tolist()
        self._rows_of: list[list[int]] = [[] for _ in component.pairs]
        self._entries = component.entry_row.tolist(), component.entry_pair.tolist()
        self._left: list[int] = []
        self._least: list[int] = []
        self._most: list[int] = []
        for row, pair in zip(*self._entries, strict=True):
            self._rows_of[pair].append(row)

    @cached_property
    def _ranked(self) -> tuple[list[Order], list[float]]:
        return ranked(self._component, self._bounds, self._tried())

    @property
    def orders(self) -> list[Order]:
        """Worth trying, the most promising first."""
        return self._ranked[0]

    @property
    def bits(self) -> list[float]:
        """Binary logarithm of the states each is estimated to need."""
        return self._ranked[1]

    def layers(
        self,
        limits: StateLimits,
        clock: Clock,
        order: Order,
        thin: Thin | None = None,
        *,
        partly: bool = False,
    ) -> list[Layer] | None:
        """All layers; None if the limits are passed, or `partly` the layers before that.

        After each layer `thin` may draw some of its states.
        """
        if max(self._total) > 30_000:
            return None
        self._begin()
        dead_ends = DeadEnds(self._component, self._compact, self._spans)
        lower, upper = _whole(self._lower), _whole(self._upper)
        states = np.zeros((1, 0), dtype=np.int16)
        opened: list[int] = []
        made: list[Layer] = []
        taken = 0
        for pair in order:
            step = self._step(pair, opened)
            opened = step.opened
            lower[pair] = upper[pair] = 0
            fits, following, targets = self._advanced(step, pair, lower, upper, states, limits.states)
            if fits and thin is None:
                alive = dead_ends.alive(following, opened, lower, upper, np.array(self._left) > 0)
                if not alive.all():
                    number = np.append(np.where(alive, np.cumsum(alive) - 1, -1), -1).astype(np.int32)
                    following, targets = following[alive], number[targets]
            taken += targets.size
            if not fits or taken > limits.steps or clock.over:
                return made if partly else None
            kind, before = _kinds(states[:, step.used])
            layer = Layer(
                pair=pair,
                least=self._lower[pair],
                targets=targets,
                kind=kind,
                weights=self._weights(pair, step.rows, [[*line, *step.fresh] for line in before]),
                lift=np.ones(len(following)),
            )
            if thin is not None:
                kept_states, layer = thin(layer)
                following = following[kept_states]
            made.append(layer)
            states = following
        return made

    def _step(self, pair: int, opened: list[int]) -> _Step:
        """Take a pair out of what its rows may still have, and see which rows are open then."""
        touched = self._rows_of[pair]
        for row in touched:
            self._left[row] -= 1
            self._least[row] -= self._lower[pair]
            self._most[row] -= self._upper[pair]
        known = [row for row in touched if row in opened]
        new = [row for row in touched if row not in opened]
        rows, kept = known + new, [at for at, row in enumerate(opened) if row not in touched]
        onward = [i for i, row in enumerate(rows) if self._left[row]]
        return _Step(
            rows=rows,
            kept=kept,
            used=[opened.index(row) for row in known],
            fresh=[self._total[row] for row in new],
            onward=onward,
            opened=[opened[at] for at in kept] + [rows[i] for i in onward],
        )

    def _advanced(
        self, step: _Step, pair: int, lower: Integers, upper: Integers, states: States, most: int
    ) -> tuple[bool, States, Targets]:
        """Whether at most `most` states follow, these, and which of them each count of the pair leads to."""
        part, rows = self._compact, step.rows
        return advance(
            part.start,
            part.column,
            part.sign,
            part.first,
            part.row,
            self._low,
            self._high,
            self._spans,
            lower,
            upper,
            _whole(step.opened),
            states,
            _whole(step.kept),
            _whole(step.used),
            _whole(step.fresh),
            self._lower[pair],
            self._upper[pair],
            _whole([self._least[row] for row in rows]),
            _whole([self._most[row] + self._span[row] for row in rows]),
            _whole(step.onward),
            most,
        )

    def _begin(self) -> None:
        self._left = [0] * len(self._total)
        self._least = [0] * len(self._total)
        self._most = [0] * len(self._total)
        for row, pair in zip(*self._entries, strict=True):
            self._left[row] += 1
            self._least[row] += self._lower[pair]
            self._most[row] += self._upper[pair]

    def _weights(self, pair: int, rows: list[int], before: list[list[int]]) -> NDArray[np.object_]:
        """Ways to give the value to so many of the cell; orders of the counterfeits of rows that end.

        A cell that has m respondents left gives x of them the value in "m over x" ways; these factors
        multiply to the cell's multinomial coefficient. What is left of a group's row in the end
        are counterfeits.
        """
        counts = range(self._lower[pair], self._upper[pair] + 1)
        found = np.zeros((len(before), len(counts)), dtype=object)
        for i, line in enumerate(before):
            for k, count in enumerate(counts):
                weight = 1
                for now, row in zip(line, rows, strict=True):
                    after = now - count
                    if not 0 <= after <= self._most[row] + self._span[row]:
                        weight = 0
                        break
                    if self._cell[row]:
                        weight *= comb(now, count)
                    elif not self._left[row]:
                        weight *= factorial(self._span[row]) // factorial(after)
                found[i, k] = weight
        return found


def _whole(numbers: list[int]) -> Integers:
    return np.array(numbers, dtype=np.int64)


def _kinds(used: NDArray[np.int16]) -> tuple[Integers, list[list[int]]]:
    """Which states agree in the rows of the pair."""
    if not used.shape[1]:
        return np.zeros(len(used), dtype=np.int64), [[]]
    code = np.zeros(len(used), dtype=np.int64)
    for column in used.T:
        code = np.unique(code * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]
    first = np.unique(code, return_index=True)[1]
    return code.astype(np.int64), used[first].tolist()
