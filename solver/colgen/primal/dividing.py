"""Which signatures hold which values: every value's people divided among signatures with so many groups.

Words. A *slot* is a signature that may be, with a number of groups; there are some slots for each number. A
value is *divided* when its people are the sum of the groups of a few slots, all different: it then is one of
the values of each of them. A slot with fewer values than `least` is short by those that are missing.

A chain of moves: a value is divided anew, mostly into slots that others are in. What is charged for a slot
depends on how many values it has and on its groups; a charge for values that are missing rises.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ....models.compiled_random import ONE, stepped
from ....models.copying import copy_row, copy_rows
from ..covering import Ints

__all__ = ["Charging", "divided"]

Floats = NDArray[np.float64]


class Charging(NamedTuple):
    """What a division costs.

    Attributes
    ----------
    price, worth : float array, shape (values + 1, groups + 1)
        Of a slot with so many values and groups; nothing for none. Prices below `allowed` count alike.
    allowed : float
    least : int
        Values that a slot has, if it has any.
    """

    price: Floats
    worth: Floats
    allowed: float
    least: int


@borrowing
def _drawn(people: int, each: int, parts: Ints, often: Ints, state: Ints, found: Ints) -> bool:
    """Slots for one value, all different; whether they hold its people."""
    left = people
    found[:] = -1
    for a in range(len(found)):
        chance = stepped(state) % 8
        if a == len(found) - 1 or chance < 3:
            slot = left * each + stepped(state) % each
            for other in range(left * each, (left + 1) * each):
                if chance % 2 == 0 and often[other] > often[slot]:
                    slot = other
        elif chance < 7:
            v = stepped(state) % len(parts)
            slot = parts[v, stepped(state) % len(found)]
            slot = parts[v, 0] if slot < 0 else slot
        else:
            slot = (1 + stepped(state) % left) * each + stepped(state) % each
        if slot // each > left:
            return False
        for b in range(a):
            if found[b] == slot:
                return False
        found[a] = slot
        left -= slot // each
        if left == 0:
            return True
    return False


@borrowing
def _put(slots: Ints, change: int, each: int, charging: Charging, often: Ints, sums: Floats) -> None:
    """A value enters slots, or leaves them; sums are price, worth and missing values."""
    for slot in slots:
        if slot < 0:
            continue
        groups = slot // each
        for sign in range(-1, 2, 2):
            k = often[slot]
            if k:
                sums[0] += sign * charging.price[k, groups]
                sums[1] += sign * charging.worth[k, groups]
                sums[2] += sign * max(0, charging.least - k)
            if sign < 0:
                often[slot] += change


@compiled
def divided(
    people: Ints,
    charging: Charging,
    each: int,
    most: int,
    moves: int,
    heat: Floats,
    missing: Floats,
    seed: int,
) -> Ints:
    """Slots of each value in the best division found; -1 throughout if none has enough values everywhere.

    Slot s stands for a signature with ``s // each`` groups.

    Parameters
    ----------
    people
        Of each value, at least one.
    each, most
        Slots for each number of groups, and slots that a value may be in.
    heat, missing
        First and last temperature, and charge for a value that is missing.
    """
    state = np.array([seed % 2147483646 + 1])
    for _ in range(8):
        stepped(state)
    parts = np.full((len(people), most), -1, dtype=np.int64)
    best, found = parts.copy(), np.empty(most, dtype=np.int64)
    often = np.zeros((people.max() + 1) * each, dtype=np.int64)
    sums, least = np.zeros(3), np.inf
    for v in range(len(people)):
        parts[v, 0] = people[v] * each
        _put(parts[v], 1, each, charging, often, sums)
    cooling, charge, now = heat[0], missing[0], np.inf
    for move in range(moves):
        if move % 256 == 0:
            cooling = heat[0] * (heat[1] / heat[0]) ** (move / moves)
            charge = missing[0] + (missing[1] - missing[0]) * move / moves
            now = max(sums[0], charging.allowed) + sums[1] + charge * sums[2]
        v = stepped(state) % len(people)
        if not _drawn(people[v], each, parts, often, state, found):
            continue
        _put(parts[v], -1, each, charging, often, sums)
        _put(found, 1, each, charging, often, sums)
        cost = max(sums[0], charging.allowed) + sums[1] + charge * sums[2]
        if cost <= now or stepped(state) / ONE < np.exp((now - cost) / cooling):
            copy_row(found, parts[v])
            now = cost
            if sums[2] == 0 and cost < least - 1e-9:
                least = cost
                copy_rows(parts, best)
        else:
            _put(found, -1, each, charging, often, sums)
            _put(parts[v], 1, each, charging, often, sums)
    return best
