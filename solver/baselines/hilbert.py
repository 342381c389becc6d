"""Groups along a space-filling curve (Ghinita, Karras, Kalnis, Mamoulis).

Tuples are sorted by the places of their codes on a Hilbert curve through the quasi-identifiers, so that
neighbours in the order are neighbours in space; consecutive tuples are grouped so that the sum of |group|
times the sides of its box is least: one-dimensional k-anonymity is optimal by dynamic programming over groups
of k to 2k - 1 tuples. Published in Fast Data Anonymization with Low Information Loss, VLDB 2007.

Curve. Skilling's algorithm (Programming the Hilbert curve, 2004) on 10 bits per attribute: codes as shares of
their domains. Under (k, c)-anonymity groups of up to 3k tuples are looked at, without those that have a value
too often; if no chain of such groups covers the table, values are not looked at. `merged_until_admitted`
keeps what is left of the requirements on groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import compiled
from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.k_c_anonymity import KCAnonymity
from ..settings import Clock
from .parameters import parameters
from .repairing import merged_until_admitted
from .top_down import Rows, SharesWithin, refuse_whole
from .widths import LARGEST, shares_of_domains, widths_between

__all__ = ["curve_order", "hilbert"]

BITS = 10


def hilbert(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Group neighbours on a Hilbert curve, optimally along it.

    The policy's `KCAnonymity` gives k and c; other requirements on groups are kept by merging.

    Raises
    ------
    EngineError
        If the table as one group is not (k, c).

    Notes
    -----
    O(n log n + n k (d + values)) for n tuples and d quasi-identifiers.
    """
    asked = parameters(problem, KCAnonymity, "hilbert")
    watch = clock or Clock()
    watch.ask()
    everybody = np.arange(len(problem.table), dtype=np.int64)
    shares = SharesWithin(problem, asked.k, asked.c)
    refuse_whole(shares, everybody, "hilbert")
    order = curve_order(problem)
    groups = list[Rows]()
    if asked.c < 1:
        groups = _chain(problem, order, shares, 3 * asked.k)
        watch.ask()
    if not groups:  # sizes alone are always possible
        groups = _chain(problem, order, SharesWithin(problem, asked.k, Fraction(1)), 2 * asked.k - 1)
        watch.ask()
    return problem.assemble(merged_until_admitted(problem, groups, watch))


def curve_order(problem: Problem) -> Rows:
    """Rows by their places on the curve; equal ones in their own order."""
    spans = np.array([domain.span for domain in problem.table.domains], dtype=np.float64)
    side = (1 << BITS) - 1
    axes = np.minimum(side, problem.table.codes / spans * side).astype(np.int64)
    if axes.shape[1] == 1:
        return np.argsort(axes[:, 0], kind="stable").astype(np.int64)
    bits = _transposed(axes)
    # The index reads bit by bit through all attributes, highest first.
    keys = [bits[:, a] >> bit & 1 for bit in range(BITS - 1, -1, -1) for a in range(axes.shape[1])]
    return np.lexsort(keys[::-1]).astype(np.int64)


def _transposed(axes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Skilling's AxesToTranspose for all rows at once."""
    x = axes.copy()
    count = x.shape[1]
    q = 1 << (BITS - 1)
    while q > 1:
        p = q - 1
        for a in range(count):
            high = (x[:, a] & q) > 0
            swap = np.where(high, 0, (x[:, 0] ^ x[:, a]) & p)
            x[:, 0] = np.where(high, x[:, 0] ^ p, x[:, 0] ^ swap)
            x[:, a] ^= swap
        q >>= 1
    for a in range(1, count):
        x[:, a] ^= x[:, a - 1]
    flip = np.zeros(len(x), dtype=np.int64)
    q = 1 << (BITS - 1)
    while q > 1:
        flip = np.where((x[:, count - 1] & q) > 0, flip ^ (q - 1), flip)
        q >>= 1
    return x ^ flip[:, None]


def _chain(problem: Problem, order: Rows, shares: SharesWithin, longest: int) -> list[Rows]:
    """The cheapest groups of consecutive rows that are (k, c); none if there is no such chain."""
    ends, end, groups = _cheapest(problem, order, shares, longest), len(order), list[Rows]()
    while end > 0:
        if ends[end] < 0:
            return []
        groups.append(order[ends[end] : end])
        end = int(ends[end])
    return groups


def _cheapest(problem: Problem, order: Rows, shares: SharesWithin, longest: int) -> Rows:
    """Where the last group of the cheapest chain over the first rows begins, for every number of rows."""
    size, far = len(order), LARGEST
    costs = np.full((size + 1, longest + 1), far, dtype=np.int64)
    for length, ends, cost in _segments(problem, order, shares, longest):
        costs[ends, length] = cost
    return _chained(costs, shares.k, far)


@compiled
def _chained(costs: Rows, least: int, far: int) -> Rows:
    """Where the last group begins, given the costs of groups by their ends and lengths."""
    best = np.full(len(costs), far, dtype=np.int64)
    begin = np.full(len(costs), -1, dtype=np.int64)
    best[0] = 0
    for end in range(least, len(costs)):
        for length in range(least, min(costs.shape[1] - 1, end) + 1):
            before, last = best[end - length], costs[end, length]
            if last < far - before and before + last < best[end]:
                best[end], begin[end] = before + last, end - length
    return begin


def _segments(
    problem: Problem, order: Rows, shares: SharesWithin, longest: int
) -> Iterator[tuple[int, Rows, Rows]]:
    """Length, ends and costs of all groups of consecutive rows that are (k, c)."""
    codes, size = problem.table.codes[order], len(order)
    sides = shares_of_domains(problem)
    single = np.zeros((size, int(shares.values.max()) + 1), dtype=np.int64)
    single[np.arange(size), shares.values[order]] = 1
    lo, hi, counts = codes, codes, single
    for length in range(1, min(longest, size) + 1):
        if length > 1:  # of rows i to i + length - 1
            lo, hi = np.minimum(lo[:-1], codes[length - 1 :]), np.maximum(hi[:-1], codes[length - 1 :])
            counts = counts[:-1] + single[length - 1 :]
        if length < shares.k:
            continue
        total = np.zeros(len(lo), dtype=np.int64)
        for a in range(codes.shape[1]):
            total += widths_between(sides, a, lo[:, a], hi[:, a])
        good = np.flatnonzero(shares.c.denominator * counts.max(axis=1) <= shares.c.numerator * length)
        yield length, good + length, length * total[good]
