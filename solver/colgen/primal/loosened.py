"""New people change groups, compiled: what signatures will cost later is weighed against boxes.

Here groups of people without a past have no signature of their own: two of their members change places
whatever their values are, as long as each group holds a value once. So signatures come and go. The cost is
that of the boxes plus the sum over signatures of a price for how many groups have each; a signature is known
by the sum of its values' random numbers.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ....models.copying import copy_rows
from ..covering import Geometry, Ints
from .best_seats import best_seats, changed, kept
from .seats import box_of

__all__ = ["loosened"]

Floats = NDArray[np.float64]


@borrowing
def _place(keys: Ints, key: int) -> int:
    """Where a signature is kept, or would be."""
    mask = len(keys) - 1
    at = (key ^ (key >> 29)) & mask
    while keys[at] != 0 and keys[at] != key:
        at = (at + 1) & mask
    return at


@borrowing
def _counted(keys: Ints, often: Ints, key: int, more: int, prices: Floats) -> float:
    """Count a group in or out; by how much the price of its signature changes (`prices` of its size)."""
    at = _place(keys, key)
    keys[at] = key
    often[at] += more
    return prices[often[at]] - prices[often[at] - more]


@compiled
def loosened(
    g: Geometry,
    value: Ints,
    who: Ints,
    fixed: Ints,
    names: Ints,
    prices: Floats,
    moves: int,
    hot: float,
    cold: float,
    seed: int,
) -> float:
    """Change places; `who` ends as the best state, and how much less that costs is returned.

    Parameters
    ----------
    value : int array, shape (tuples,)
    who : int array, shape (groups, values of the largest)
        Tuples of each group, -1 for none.
    fixed : int array, shape (other groups, 2)
        Of groups that stay: the sum of their values' random numbers, and how often they hold each.
    names : int array, shape (values,)
        Random numbers.
    prices : float array, shape (values of the largest + 1, groups of all + 2)
        By size of a signature and number of groups, in units of the boxes.
    """
    np.random.seed(seed)
    groups, wide = who.shape
    room = 1
    while room < 64 * (groups + len(fixed)) + 64:
        room *= 2
    keys, often = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
    cost, key = np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=np.int64)
    size, spot, people = np.zeros(groups, dtype=np.int64), np.zeros(groups * wide, dtype=np.int64), 0
    for q in range(groups):
        cost[q] = box_of(g, who, q, -1)
        for i in range(wide):
            if who[q, i] >= 0:
                key[q] += names[value[who[q, i]]]
                size[q] += 1
                spot[people] = q * wide + i
                people += 1
    now, best, entered = 0.0, 0.0, room
    mate = np.full(groups, -1, dtype=np.int64)
    state = best_seats(who, mate)
    heat, cooling = hot, (cold / hot) ** (1.0 / max(1, moves // 256))
    for move in range(moves):
        if move % 256 == 255:
            heat *= cooling
        if 2 * entered > room:
            # Signatures that nobody has any more are forgotten.
            keys[:] = 0
            often[:] = 0
            for f in range(len(fixed)):
                at = _place(keys, fixed[f, 0])
                keys[at] = fixed[f, 0]
                often[at] += fixed[f, 1]
            for q in range(groups):
                at = _place(keys, key[q])
                keys[at] = key[q]
                often[at] += 1
            entered = groups + len(fixed)
        one, other = spot[np.random.randint(people)], spot[np.random.randint(people)]
        q, r = one // wide, other // wide
        if q == r:
            continue
        i, j = one % wide, other % wide
        p, s = who[q, i], who[r, j]
        v, u = value[p], value[s]
        clash = False
        if v != u:
            for x in range(wide):
                clash = clash or (who[q, x] >= 0 and x != i and value[who[q, x]] == u)
                clash = clash or (who[r, x] >= 0 and x != j and value[who[r, x]] == v)
        if clash:
            continue
        who[q, i], who[r, j] = s, p
        cost_q, cost_r = box_of(g, who, q, -1), box_of(g, who, r, -1)
        change = float(cost_q + cost_r - cost[q] - cost[r])
        key_q, key_r = key[q] - names[v] + names[u], key[r] - names[u] + names[v]
        if v != u:
            change += _counted(keys, often, key[q], -1, prices[size[q]])
            change += _counted(keys, often, key[r], -1, prices[size[r]])
            change += _counted(keys, often, key_q, 1, prices[size[q]])
            change += _counted(keys, often, key_r, 1, prices[size[r]])
            entered += 2
        if change <= 0.0 or np.random.random() < np.exp(-change / heat):
            cost[q], cost[r], key[q], key[r] = cost_q, cost_r, key_q, key_r
            now += change
            changed(state, q, r)
            if now < best - 1e-6:
                best = now
                kept(state, who, mate)
            continue
        who[q, i], who[r, j] = p, s
        if v != u:
            _counted(keys, often, key_q, -1, prices[size[q]])
            _counted(keys, often, key_r, -1, prices[size[r]])
            _counted(keys, often, key[q], 1, prices[size[q]])
            _counted(keys, often, key[r], 1, prices[size[r]])
    copy_rows(state.who, who)
    return best
