"""Cuts that count members over 3, 4 or 5: sets of rows grown from each row, then improved by exchanges.

Of a set R and a divisor q, groups with q or more members in R count; all groups of a release together at most
``floor(|R| / q)`` times. A set is grown by the row that adds most to what a fractional solution counts, with
some chance, and its rows are exchanged one by one while that helps. Odd sets (q = 2) have a search of their
own (`exact.odd_sets`).
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ...exact.incidence import Members, Sparse, by_member
from ...exact.triples import few_for_each
from ...settings import Clock
from ..covering import Ints
from ..cuts import Cuts
from .limits import POINTS as LIMITS

__all__ = ["cut_further", "divided_sets"]

RESTARTS, EXCHANGES, LURE = LIMITS.restarts, LIMITS.exchanges, LIMITS.lure


def cut_further(cuts: Cuts, lines: Members, amount: NDArray[np.float64], rows: Ints, clock: Clock) -> int:
    """Add cuts of all divisors that groups of a fractional solution break; how many.

    `rows` has how many tuples share each row: groups with rows that several share are passed over.
    """
    split = (amount > LIMITS.whole) & (amount < 1 - LIMITS.whole)
    split &= rows[np.maximum(lines, 0)].max(axis=1, initial=1) == 1
    before, largest = len(cuts), lines.shape[1]
    for divisor, size in LIMITS.families:
        if divisor <= largest and not clock.over:
            found = divided_sets(
                lines[split], amount[split], len(rows), cuts.sets, divisor=divisor, size=size, seed=len(cuts)
            )
            cuts.add(found, divisor)
    return len(cuts) - before


def divided_sets(
    lines: Members,
    amount: NDArray[np.float64],
    rows: int,
    known: Collection[tuple[int, ...]],
    *,
    divisor: int,
    size: int,
    seed: int,
) -> list[tuple[int, ...]]:
    """Sets of rows, all of count 1, whose cut a fractional solution breaks, worst first, few for each row."""
    groups = by_member(lines, rows)
    found, excess = _grown(lines, amount, groups, rows, divisor, size, seed, LIMITS.least_broken)
    sets = (tuple(sorted(found[j].tolist())) for j in np.argsort(-excess, kind="stable"))
    return few_for_each(sets, known, rows, most=LIMITS.cuts_at_once, per_row=LIMITS.cuts_per_row)


@borrowing
def _gain(v: int, groups: Sparse, amount: NDArray[np.float64], times: Ints, divisor: int) -> float:
    found = 0.0
    for e in range(groups.start[v], groups.start[v + 1]):
        j = groups.place[e]
        found += amount[j] * ((times[j] + 1) // divisor - times[j] // divisor + LURE * times[j])
    return found


@borrowing
def _put(v: int, groups: Sparse, times: Ints, step: int) -> None:
    for e in range(groups.start[v], groups.start[v + 1]):
        times[groups.place[e]] += step


@borrowing
def _best(
    chosen: Ints, size: int, inside: NDArray[np.bool_], lines: Members, groups: Sparse,
    amount: NDArray[np.float64], times: Ints, divisor: int, chance: float, other: int,
) -> int:  # fmt: skip
    """The row beside the chosen ones that gains most; `other` if none gains more than it."""
    best, most = other, -1.0 if other < 0 else _gain(other, groups, amount, times, divisor) + 1e-12
    for a in range(size):
        for e in range(groups.start[chosen[a]], groups.start[chosen[a] + 1]):
            j = groups.place[e]
            for b in range(lines.shape[1]):
                w = lines[j, b]
                if w < 0:
                    break
                if not inside[w]:
                    gain = _gain(w, groups, amount, times, divisor)
                    gain *= 1 - chance + 2 * chance * np.random.random()
                    if gain > most:
                        best, most = w, gain
    return best


@borrowing
def _counted(
    chosen: Ints, lines: Members, groups: Sparse, amount: NDArray[np.float64], times: Ints, divisor: int
) -> float:
    """What the solution counts: each group at the first of its members that is chosen."""
    total = 0.0
    for a in range(len(chosen)):
        for e in range(groups.start[chosen[a]], groups.start[chosen[a] + 1]):
            j, first = groups.place[e], True
            for b in range(a):
                for k in range(lines.shape[1]):
                    if lines[j, k] == chosen[b]:
                        first = False
            if first:
                total += amount[j] * (times[j] // divisor)
    return total


@compiled
def _grown(
    lines: Members, amount: NDArray[np.float64], groups: Sparse, rows: int, divisor: int, size: int,
    seed: int, least: float,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:  # fmt: skip
    np.random.seed(seed)
    found = np.empty((rows * RESTARTS, size), dtype=np.int32)
    excess = np.empty(rows * RESTARTS)
    times, inside = np.zeros(len(lines), dtype=np.int64), np.zeros(rows, dtype=np.bool_)
    chosen, number = np.empty(size, dtype=np.int64), 0
    for row in range(rows):
        if groups.start[row] == groups.start[row + 1]:
            continue
        for _ in range(RESTARTS):
            chosen[0], filled = row, 1
            inside[row] = True
            _put(row, groups, times, 1)
            while filled < size:
                v = _best(chosen, filled, inside, lines, groups, amount, times, divisor, 0.5, -1)
                if v < 0:
                    break
                chosen[filled] = v
                inside[v] = True
                _put(v, groups, times, 1)
                filled += 1
            if filled == size:
                for _ in range(EXCHANGES):
                    a = np.random.randint(size)
                    out = chosen[a]
                    _put(out, groups, times, -1)
                    inside[out] = False
                    chosen[a] = chosen[size - 1]
                    v = _best(chosen, size - 1, inside, lines, groups, amount, times, divisor, 0.0, out)
                    chosen[size - 1] = v
                    inside[v] = True
                    _put(v, groups, times, 1)
                over = _counted(chosen, lines, groups, amount, times, divisor) - size // divisor
                if over > least:
                    for a in range(size):
                        found[number, a] = chosen[a]
                    excess[number] = over
                    number += 1
            for a in range(filled):
                inside[chosen[a]] = False
                _put(chosen[a], groups, times, -1)
    return found[:number], excess[:number]
