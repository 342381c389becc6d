r"""Counting the worlds of one component exactly: states forward and backward, modulo primes.

The graph of states is built once. Sums over all worlds are huge, so they are computed modulo as many
primes below 2**31 as are needed and put together by the Chinese remainder theorem; how many that is
follows from a floating-point sum with a wide margin.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import frexp, isqrt, log2, prod

import numpy as np

from ...models.adversary.propagation import Bounds, Component
from ...models.adversary.system import System
from ..settings import Clock
from .state_graph import Layer, StateGraph, StateLimits
from .world_steps import alive, backward, forward, forward_float

__all__ = ["StateLimits", "expected_counts", "primes"]

MARGIN = 64
"""Bits by which the primes exceed what floating point says they must; its error is far below one."""

HOPE = 10.0
"""An order is tried if it is estimated to need up to 2**HOPE times as many states as one layer may have."""

SMALL = 2.0**-900
"""Smaller shares of a sum are taken to be this large."""


def expected_counts(
    system: System, component: Component, bounds: Bounds, limits: StateLimits, clock: Clock
) -> list[Fraction] | None:
    """Expected count of each pair over all worlds; None if the limits are passed."""
    layers = _layers(StateGraph(system, component, bounds), limits, clock)
    if layers is None:
        return None
    _prune(layers)
    moduli = primes(_digits(layers) + MARGIN)
    remainders: list[list[int]] = []
    for prime in moduli:
        if clock.over:
            return None
        remainders.append(_sums(layers, len(component.pairs), prime))
    product = prod(moduli)
    units = [product // p * pow(product // p, -1, p) for p in moduli]
    total, *counted = (
        sum(unit * rest for unit, rest in zip(units, column, strict=True)) % product
        for column in zip(*remainders, strict=True)
    )
    return [Fraction(count, total) for count in counted]


def _layers(graph: StateGraph, limits: StateLimits, clock: Clock) -> list[Layer] | None:
    """Orders that are not estimated to be hopeless: with small limits first, then the best with all."""
    few = StateLimits(states=max(1, limits.states // 5), steps=max(1, limits.steps // 5))
    most = log2(limits.states) + HOPE
    hopeful = [order for bits, order in zip(graph.bits, graph.orders, strict=True) if bits <= most]
    tries = [*((few, order) for order in hopeful[1:] and hopeful), *((limits, o) for o in hopeful[:2])]
    for allowed, order in tries:
        layers = graph.layers(allowed, clock, order)
        if layers is not None or clock.over:
            return layers
    return None


def _prune(layers: list[Layer]) -> None:
    """Forget states that reach no end."""
    after = np.ones(1, dtype=np.bool_)
    for layer in reversed(layers):
        after = alive(layer.targets, after)


def _digits(layers: list[Layer]) -> int:
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


def _sums(layers: list[Layer], pairs: int, prime: int) -> list[int]:
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
        found[1 + layer.pair] = int(counted)  # a number of numpy's where nothing is compiled
    return found


def primes(bits: int) -> list[int]:
    """Primes just below 2**31 whose product has more than so many bits."""
    return [_prime(number) for number in range(bits // 30 + 1)]


@cache
def _prime(number: int) -> int:
    """The largest primes below 2**31 in falling order."""
    candidate = 2**31 - 1 if number == 0 else _prime(number - 1) - 2
    while not all(candidate % divisor for divisor in range(3, isqrt(candidate) + 1, 2)):
        candidate -= 2
    return candidate
