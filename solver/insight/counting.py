r"""Counting the worlds of one component exactly: states forward and backward, modulo primes.

Pairs (cell, value) are taken up one after another; what must be remembered of those done is what
they left of each row that goes on. The graph of these states is built once. Sums over all worlds are
huge, so they are computed modulo as many primes below 2**31 as are needed and put together by the
Chinese remainder theorem; how many that is follows from a floating-point sum with a wide margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb, factorial, frexp, isqrt, log2, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.adversary.cells import System
from ...models.adversary.propagation import Bounds, Component
from ...models.adversary.rows import Integers, compact
from ..settings import Clock
from .elimination import good_order
from .world_steps import Targets, advance, alive, backward, forward, forward_float

__all__ = ["Limits", "expected_counts"]

MARGIN = 64
"""Bits by which the primes exceed what floating point says they must; its error is far below one."""

SMALL = 2.0**-900
"""Smaller shares of a sum are taken to be this large."""


class Limits(NamedTuple):
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


@dataclass(frozen=True, kw_only=True, eq=False)
class _Layer:
    """One pair: where each state leads, by which kind of step, with which weight."""

    pair: int
    least: int
    targets: Targets
    kind: Integers
    weights: NDArray[np.object_]
    after: int


def expected_counts(
    system: System, component: Component, bounds: Bounds, limits: Limits, clock: Clock
) -> list[Fraction] | None:
    """Expected count of each pair over all worlds; None if the limits are passed."""
    layers = _Graph(system, component, bounds, limits).layers(clock)
    if layers is None:
        return None
    _prune(layers)
    primes = _primes(_digits(layers) + MARGIN)
    remainders: list[list[int]] = []
    for prime in primes:
        if clock.over:
            return None
        remainders.append(_sums(layers, len(component.pairs), prime))
    product = prod(primes)
    units = [product // p * pow(product // p, -1, p) for p in primes]
    total, *counted = (
        sum(unit * rest for unit, rest in zip(units, column, strict=True)) % product
        for column in zip(*remainders, strict=True)
    )
    return [Fraction(count, total) for count in counted]


class _Graph:
    """Builds the layers."""

    def __init__(self, system: System, component: Component, bounds: Bounds, limits: Limits) -> None:
        self._limits = limits
        self._lower: list[int] = bounds.lower[component.pairs].tolist()
        self._upper: list[int] = bounds.upper[component.pairs].tolist()
        spans = (system.high - system.low)[component.rows]
        self._compact = compact(
            component.entry_row,
            component.entry_pair,
            component.entry_sign,
            len(component.rows),
            len(component.pairs),
        )
        self._low, self._high, self._spans = component.low, component.high, spans
        self._order = good_order(component, bounds, spans)
        self._cell: list[bool] = (system.row_group[component.rows] < 0).tolist()
        self._span: list[int] = spans.tolist()
        self._total: list[int] = component.high.tolist()
        self._rows_of: list[list[int]] = [[] for _ in component.pairs]
        self._left = [0] * len(component.rows)
        self._least = [0] * len(component.rows)
        self._most = [0] * len(component.rows)
        for row, pair in zip(component.entry_row.tolist(), component.entry_pair.tolist(), strict=True):
            self._rows_of[pair].append(row)
            self._left[row] += 1
            self._least[row] += self._lower[pair]
            self._most[row] += self._upper[pair]

    def layers(self, clock: Clock) -> list[_Layer] | None:
        """All layers; None if the limits are passed."""
        if max(self._total) > 30_000:
            return None
        part = self._compact
        lower, upper = _whole(self._lower), _whole(self._upper)
        states = np.zeros((1, 0), dtype=np.int16)
        opened: list[int] = []
        made: list[_Layer] = []
        taken = 0
        for pair in self._order.pairs:
            touched = self._rows_of[pair]
            for row in touched:
                self._left[row] -= 1
                self._least[row] -= self._lower[pair]
                self._most[row] -= self._upper[pair]
            known = [row for row in touched if row in opened]
            rows = known + [row for row in touched if row not in opened]
            kept = [at for at, row in enumerate(opened) if row not in touched]
            used = [opened.index(row) for row in known]
            onward = [i for i, row in enumerate(rows) if self._left[row]]
            opened = [opened[at] for at in kept] + [rows[i] for i in onward]
            lower[pair] = upper[pair] = 0
            fits, following, targets = advance(
                part.start,
                part.column,
                part.first,
                part.row,
                self._low,
                self._high,
                self._spans,
                lower,
                upper,
                _whole(opened),
                states,
                _whole(kept),
                _whole(used),
                _whole([self._total[row] for row in rows[len(known) :]]),
                self._lower[pair],
                self._upper[pair],
                _whole([self._least[row] for row in rows]),
                _whole([self._most[row] + self._span[row] for row in rows]),
                _whole(onward),
                self._limits.states,
            )
            taken += targets.size
            if not fits or taken > self._limits.steps or clock.over:
                return None
            kind, before = _kinds(states[:, used])
            fresh = [self._total[row] for row in rows[len(known) :]]
            made.append(
                _Layer(
                    pair=pair,
                    least=self._lower[pair],
                    targets=targets,
                    kind=kind,
                    weights=self._weights(pair, rows, [[*line, *fresh] for line in before]),
                    after=len(following),
                )
            )
            states = following
        return made

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


def _prune(layers: list[_Layer]) -> None:
    """Forget states that reach no end."""
    after = np.ones(1, dtype=np.bool_)
    for layer in reversed(layers):
        after = alive(layer.targets, after)


def _digits(layers: list[_Layer]) -> int:
    """Bits of the largest sum, rounded up."""
    exponent = 0
    sums = np.ones(1)
    for layer in layers:
        weights = layer.weights.astype(float)
        sums = forward_float(layer.targets, layer.kind, weights, sums, layer.after)
        shift = frexp(float(sums.max()))[1]
        sums, exponent = np.ldexp(sums, -shift), exponent + shift
        if sums[sums > 0].min() < SMALL:  # too far apart for floating point: no state counts more than all
            sums = np.where(sums > 0, np.maximum(sums, SMALL), 0.0)
    largest = max(layer.least + layer.weights.shape[1] for layer in layers)
    return exponent + largest.bit_length() + 1


def _sums(layers: list[_Layer], pairs: int, prime: int) -> list[int]:
    """Number of worlds, and sum of each pair's count over them, modulo a prime."""
    weights = [(layer.weights % prime).astype(np.int64) for layer in layers]
    befores = [np.ones(1, dtype=np.int64)]
    for layer, weight in zip(layers, weights, strict=True):
        befores.append(forward(layer.targets, layer.kind, weight, befores[-1], layer.after, prime))
    found = [0] * (pairs + 1)
    found[0] = int(befores.pop()[0])
    onward = np.ones(1, dtype=np.int64)
    for layer, weight in zip(reversed(layers), reversed(weights), strict=True):
        counted, onward = backward(
            layer.targets, layer.kind, weight, befores.pop(), onward, layer.least, prime
        )
        found[1 + layer.pair] = counted
    return found


def _primes(bits: int) -> list[int]:
    """Primes just below 2**31 whose product has more than so many bits."""
    return [_prime(number) for number in range(bits // 30 + 1)]


@cache
def _prime(number: int) -> int:
    """The largest primes below 2**31 in falling order."""
    candidate = 2**31 - 1 if number == 0 else _prime(number - 1) - 2
    while not all(candidate % divisor for divisor in range(3, isqrt(candidate) + 1, 2)):
        candidate -= 2
    return candidate
