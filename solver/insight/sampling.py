r"""Estimated probabilities where worlds are too many to be counted, with an interval. No proof.

Sequential importance sampling: counts are drawn one after another, each from a Poisson
distribution cut to what bound propagation leaves, around a mean fitted to the rows (iterative
proportional fitting). A world drawn with probability q has weight
``1 / (q prod_j x_j! prod_r f_r!)`` with f the counterfeits that row r has left; a draw that
contradicts itself counts as weight 0. The estimate of a mean count is the weighted mean,

    m = sum_i w_i x_i / sum_i w_i,    se**2 = sum_i w_i**2 (x_i - m)**2 / (sum_i w_i)**2,

and the interval is m +- 1.96 se: about 95 % if the draws are many (delta method), no guarantee. If
few draws carry most of the weight such an interval means nothing, so there is no estimate below an
effective size ``(sum w)**2 / sum w**2`` of 200.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma

import numpy as np
from numpy.typing import NDArray

from ...models.adversary.cells import System
from ...models.adversary.propagation import Bounds, Component
from ...models.adversary.rows import Compact, Integers, compact
from ...models.compiled import compiled
from ..settings import Clock
from .elimination import good_order
from .world_steps import dead

__all__ = ["EFFECTIVE", "Estimate", "estimated_counts"]

EFFECTIVE = 200.0
"""Least effective number of draws for an estimate."""

DRAWS = (2_000, 8_000, 32_000)
"""Draws in all, as long as the effective number is too small."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """An estimated probability.

    Attributes
    ----------
    value : float
    low, high : float
        Interval of about 95 %, see the module; within [0, 1].
    effective : float
        Effective number of draws.
    """

    value: float
    low: float
    high: float
    effective: float


def estimated_counts(
    system: System, component: Component, bounds: Bounds, clock: Clock, seed: int = 0
) -> list[Estimate] | None:
    """Estimated probability of each pair that one respondent of the cell has the value.

    None if the draws are too unequal, or the time is over. Same seed, same estimate.
    """
    part = compact(
        component.entry_row,
        component.entry_pair,
        component.entry_sign,
        len(component.rows),
        len(component.pairs),
    )
    lower, upper = bounds.lower[component.pairs], bounds.upper[component.pairs]
    spans = (system.high - system.low)[component.rows]
    order = np.array(good_order(component, bounds, spans).pairs, dtype=np.int64)
    means = np.log(_fitted(part, component, spans, lower, upper))
    factorials = np.array([lgamma(n + 1) for n in range(int(component.high.max()) + 1)])
    logs: list[Floats] = []
    worlds: list[Integers] = []
    done = 0
    for number in DRAWS:
        fresh = _draws(
            part.start,
            part.column,
            part.first,
            part.row,
            component.low,
            component.high,
            lower,
            upper,
            order,
            means,
            factorials,
            number - done,
            seed + done,
        )
        logs.append(fresh[0])
        worlds.append(fresh[1])
        done = number
        log = np.concatenate(logs)
        if np.isfinite(log).any():
            weights = np.exp(log - log.max())
            effective = float(weights.sum() ** 2 / (weights**2).sum())
            if effective >= EFFECTIVE:
                sizes = system.sizes[system.cell[component.pairs]]
                return _estimates(weights, np.concatenate(worlds), sizes, effective)
        if clock.over:
            return None
    return None


def _estimates(weights: Floats, worlds: Integers, sizes: Integers, effective: float) -> list[Estimate]:
    total = weights.sum()
    mean = weights @ worlds / total
    error = np.sqrt((weights**2) @ (worlds - mean) ** 2) / total
    low, high = np.maximum(mean - 1.96 * error, 0) / sizes, np.minimum((mean + 1.96 * error) / sizes, 1)
    return [
        Estimate(value=value, low=least, high=most, effective=effective)
        for value, least, most in zip((mean / sizes).tolist(), low.tolist(), high.tolist(), strict=True)
    ]


def _fitted(part: Compact, component: Component, spans: Integers, lower: Integers, upper: Integers) -> Floats:
    """Counts that keep the rows on average; a row's counterfeits are one more count of it."""
    fit = (lower + upper) / 2
    spare = spans / 2
    matrix = part.matrix.astype(float)
    for _ in range(60):
        sums = matrix @ fit + spare
        scale = np.where(sums > 0, component.high / np.maximum(sums, 1e-9), 1.0)
        spare = np.minimum(spare * scale, spans)
        # Every count is in several rows: the geometric mean of what they ask for.
        steps = matrix.T @ np.log(np.maximum(scale, 1e-9)) / np.diff(part.first)
        fit = np.clip(fit * np.exp(steps), 1e-3, upper)
    return fit


@compiled
def _draws(
    start: Integers,
    column: Integers,
    across: Integers,
    row: Integers,
    low: Integers,
    high: Integers,
    lower: Integers,
    upper: Integers,
    order: Integers,
    means: Floats,
    factorials: Floats,
    number: int,
    seed: int,
) -> tuple[Floats, Integers]:
    """Logarithms of weights, and counts."""
    np.random.seed(seed)
    height, width = len(low), len(lower)
    logs = np.full(number, -np.inf)
    worlds = np.zeros((number, width), dtype=np.int64)
    queue = np.empty(height, dtype=np.int64)
    waiting = np.zeros(height, dtype=np.bool_)
    for draw in range(number):
        least, most = lower.copy(), upper.copy()
        log = 0.0
        ended = False
        for j in order:
            if least[j] < most[j]:
                total = 0.0
                for x in range(least[j], most[j] + 1):
                    total += np.exp(x * means[j] - factorials[x])
                point = np.random.random() * total
                chosen = most[j]
                for x in range(least[j], most[j]):
                    point -= np.exp(x * means[j] - factorials[x])
                    if point < 0:
                        chosen = x
                        break
                log -= chosen * means[j] - factorials[chosen] - np.log(total)
                least[j] = chosen
                most[j] = chosen
                length = 0
                for z in range(across[j], across[j + 1]):
                    queue[length] = row[z]
                    waiting[row[z]] = True
                    length += 1
                if dead(start, column, across, row, low, high, least, most, queue, length, waiting):
                    ended = True
                    break
        if ended:
            continue
        for j in range(width):
            log -= factorials[least[j]]
            worlds[draw, j] = least[j]
        for r in range(height):
            rest = high[r]
            for p in range(start[r], start[r + 1]):
                rest -= least[column[p]]
            log -= factorials[rest]
        logs[draw] = log
    return logs, worlds
