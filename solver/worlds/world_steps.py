"""Compiled steps of counting worlds: states and where they lead, then sums modulo a prime."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...models.adversary.rows import Integers
from ...models.adversary.tighten import tighten
from ...models.compiled import compiled

__all__ = [
    "States",
    "Targets",
    "advance",
    "alive",
    "backward",
    "backward_float",
    "forward",
    "forward_float",
]

States = NDArray[np.int16]
Targets = NDArray[np.int32]


@compiled
def advance(
    start: Integers,
    column: Integers,
    sign: Integers,
    across: Integers,
    row: Integers,
    low: Integers,
    high: Integers,
    spans: Integers,
    lower: Integers,
    upper: Integers,
    where: Integers,
    states: States,
    kept: Integers,
    used: Integers,
    fresh: Integers,
    least: int,
    most: int,
    floor: Integers,
    ceiling: Integers,
    onward: Integers,
    limit: int,
) -> tuple[bool, States, Targets]:
    """Take up one pair in every state.

    Parameters
    ----------
    start, column, sign, across, row : the component, by rows and by pairs.
    low, high, spans : sides of its rows, and how far they are apart at most.
    lower, upper : bounds of pairs still to be taken up; 0 for the others.
    where : the row at each position of the next states.
    states : int16 array, shape (states, open rows)
        What is left of each open row.
    kept, used : positions of rows that the pair is not in, and is in.
    fresh : totals of the rows it opens.
    least, most : bounds of its count.
    floor, ceiling : what must be left of its rows (used ones first), and may be left.
    onward : which of its rows (by number among them) go on.
    limit : no more states than that.

    Returns
    -------
    whether the limit was kept, the next states, and per state and count the next state or -1.
    """
    number = len(states)
    width = most - least + 1
    touched = len(used) + len(fresh)
    size = len(kept) + len(onward)
    found = np.empty((max(16, number), size), dtype=np.int16)
    count = 0
    table = np.full(64, -1, dtype=np.int32)
    mask = 63
    targets = np.full((number, width), -1, dtype=np.int32)
    gone = np.zeros(max(16, number), dtype=np.bool_)
    row_low, row_high = low.copy(), high.copy()
    queue = np.empty(len(low), dtype=np.int64)
    waiting, nothing = np.zeros(len(low), dtype=np.bool_), np.empty((0, 5), dtype=np.int64)
    now = np.empty(touched, dtype=np.int64)
    key = np.empty(size, dtype=np.int16)
    for s in range(number):
        for i in range(len(used)):
            now[i] = states[s, used[i]]
        for i in range(len(fresh)):
            now[len(used) + i] = fresh[i]
        for i in range(len(kept)):
            key[i] = states[s, kept[i]]
        for x in range(least, most + 1):
            fits = True
            for i in range(touched):
                if now[i] - x < floor[i] or now[i] - x > ceiling[i]:
                    fits = False
                    break
            if not fits:
                continue
            for i in range(len(onward)):
                key[len(kept) + i] = now[onward[i]] - x
            code = 1469598103934665603
            for i in range(size):
                code = (code ^ int(key[i])) * 1099511628211
                code = code ^ (code >> 29)
            slot = code & mask
            while table[slot] >= 0:
                other = table[slot]
                same = True
                for i in range(size):
                    if found[other, i] != key[i]:
                        same = False
                        break
                if same:
                    break
                slot = (slot + 1) & mask
            if table[slot] >= 0:
                if not gone[table[slot]]:
                    targets[s, x - least] = table[slot]
                continue
            if count == limit:
                return False, found[:0], targets[:0]
            if count == len(found):
                found = np.concatenate((found, np.empty_like(found)))
                gone = np.concatenate((gone, np.zeros_like(gone)))
            for i in range(size):
                found[count, i] = key[i]
            table[slot] = count
            for i in range(size):
                r = where[i]
                queue[i] = r
                waiting[r] = True
                row_high[r] = key[i]
                row_low[r] = max(0, key[i] - spans[r])
            fits, _, _ = tighten(
                start,
                column,
                sign,
                across,
                row,
                row_low,
                row_high,
                lower.copy(),
                upper.copy(),
                queue,
                size,
                waiting,
                nothing,
            )
            gone[count] = not fits
            if not gone[count]:
                targets[s, x - least] = count
            count += 1
            if 2 * count > mask:
                mask = 4 * mask + 3
                table = np.full(mask + 1, -1, dtype=np.int32)
                for t in range(count):
                    code = 1469598103934665603
                    for i in range(size):
                        code = (code ^ int(found[t, i])) * 1099511628211
                        code = code ^ (code >> 29)
                    slot = code & mask
                    while table[slot] >= 0:
                        slot = (slot + 1) & mask
                    table[slot] = t
    # Dead states leave no number behind.
    number_of = np.cumsum(~gone[:count]) - 1
    for s in range(number):
        for x in range(width):
            if targets[s, x] >= 0:
                targets[s, x] = number_of[targets[s, x]]
    return True, found[:count][~gone[:count]], targets


@compiled
def alive(targets: Targets, after: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """States from which an end is reached; targets that reach none become -1."""
    found = np.zeros(len(targets), dtype=np.bool_)
    for s in range(len(targets)):
        for x in range(targets.shape[1]):
            if targets[s, x] >= 0:
                if after[targets[s, x]]:
                    found[s] = True
                else:
                    targets[s, x] = -1
    return found


@compiled
def forward_float(
    targets: Targets, kind: Integers, weights: NDArray[np.float64], before: NDArray[np.float64], number: int
) -> NDArray[np.float64]:
    """Sums over the states before, in floating point."""
    after = np.zeros(number)
    for s in range(len(targets)):
        for x in range(targets.shape[1]):
            if targets[s, x] >= 0:
                after[targets[s, x]] += before[s] * weights[kind[s], x]
    return after


@compiled
def backward_float(
    targets: Targets,
    kind: Integers,
    weights: NDArray[np.float64],
    before: NDArray[np.float64],
    onward: NDArray[np.float64],
    least: int,
) -> tuple[float, NDArray[np.float64]]:
    """As `backward`, in floating point."""
    earlier = np.zeros(len(targets))
    total = 0.0
    for s in range(len(targets)):
        counted = 0.0
        for x in range(targets.shape[1]):
            t = targets[s, x]
            if t >= 0:
                step = weights[kind[s], x] * onward[t]
                earlier[s] += step
                counted += (x + least) * step
        total += before[s] * counted
    return total, earlier


@compiled
def forward(
    targets: Targets, kind: Integers, weights: Integers, before: Integers, number: int, prime: int
) -> Integers:
    """Sums over the states before, modulo a prime below 2**31."""
    after = np.zeros(number, dtype=np.int64)
    for s in range(len(targets)):
        worlds = before[s]
        if worlds:
            for x in range(targets.shape[1]):
                t = targets[s, x]
                if t >= 0:
                    after[t] = (after[t] + worlds * weights[kind[s], x]) % prime
    return after


@compiled
def backward(
    targets: Targets,
    kind: Integers,
    weights: Integers,
    before: Integers,
    onward: Integers,
    least: int,
    prime: int,
) -> tuple[int, Integers]:
    """Sum of the pair's count over all worlds, and the worlds onward from each state before."""
    earlier = np.zeros(len(targets), dtype=np.int64)
    total = 0
    for s in range(len(targets)):
        ways = 0
        counted = 0
        for x in range(targets.shape[1]):
            t = targets[s, x]
            if t >= 0:
                step = weights[kind[s], x] * onward[t] % prime
                ways += step
                counted += (x + least) * step
        earlier[s] = ways % prime
        total = (total + before[s] * (counted % prime)) % prime
    return total, earlier
