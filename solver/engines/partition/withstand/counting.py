"""Worlds of a component counted while moves are judged, compiled: who has too likely a value, exactly.

Cells are taken up one by one, as in `models/adversary/counting`; a state is what the cells done left of each
row that goes on. Sums are kept in floating point and modulo a prime. They are sums of what is not
negative, so floating point errs by no more than a small part, and decides where two sums are further apart;
where they are not, their difference is smaller than half of the prime, and follows from the remainders.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .....models.compiled import borrowing, compiled
from ....baselines.widths import Ints
from .blocks import blocks_of, inside, order_of
from .component import PRIME, LinkedCells

__all__ = ["Room", "counted", "room_for"]


class Room(NamedTuple):
    """Where a count puts its states and steps; one for all counts.

    Attributes
    ----------
    state : int16 array, shape (states, slots)
        What is left of rows that are open, layer by layer.
    origin, target, choice : int32 arrays
        Of each step.
    weight, rest : float64 and int64 arrays
        Ways of each step, and the same modulo the prime.
    splits : int16 array, shape (choices, values)
        Counts that a choice gives the pairs of its cell.
    before, before_rest, after, after_rest : float64 and int64 arrays
        Ways to each state and on from it, and the same modulo the prime.
    table, stamp : int64 arrays
        States by hash, and of which layer they are.
    layer : int64 array of one
        Number of the last layer.
    """

    state: np.ndarray
    origin: np.ndarray
    target: np.ndarray
    choice: np.ndarray
    weight: np.ndarray
    rest: Ints
    splits: np.ndarray
    before: np.ndarray
    before_rest: Ints
    after: np.ndarray
    after_rest: Ints
    table: Ints
    stamp: Ints
    layer: Ints


def room_for(steps: int, slots: int, values: int) -> Room:
    """Room for so many steps from state to state."""
    places = 1 << (2 * steps).bit_length()
    return Room(
        state=np.empty((steps + 2, slots), dtype=np.int16),
        origin=np.empty(steps, dtype=np.int32),
        target=np.empty(steps, dtype=np.int32),
        choice=np.empty(steps, dtype=np.int32),
        weight=np.empty(steps, dtype=np.float64),
        rest=np.empty(steps, dtype=np.int64),
        splits=np.empty((steps, values), dtype=np.int16),
        before=np.empty(steps + 2, dtype=np.float64),
        before_rest=np.empty(steps + 2, dtype=np.int64),
        after=np.empty(steps + 2, dtype=np.float64),
        after_rest=np.empty(steps + 2, dtype=np.int64),
        table=np.empty(places, dtype=np.int64),
        stamp=np.zeros(places, dtype=np.int64),
        layer=np.zeros(1, dtype=np.int64),
    )


@compiled
def counted(found: LinkedCells, needed: int, part: int, whole: int, room: Room, every: bool) -> np.ndarray:
    """Cells with too few possible values, with one too likely, or in a block with too many worlds.

    Those of people who are given by knowledge alone are not meant, unless worlds are too many.
    Blocks, open counts that share rows, are counted until one has such cells, or `every` one.
    """
    cells = len(found.size)
    ends = np.searchsorted(found.cell, np.arange(cells + 1))
    label, blocks = blocks_of(found)
    bad = np.zeros(cells, dtype=np.bool_)
    ways, rests = np.zeros(len(found.cell)), np.zeros(len(found.cell), dtype=np.int64)
    for block in range(blocks):
        total, rest = _sums(found, ends, label, block, room, ways, rests)
        left = np.zeros(cells, dtype=np.int64)
        for j in range(len(found.cell)):
            c = found.cell[j]
            left[c] += found.lower[j] > 0 if label[j] < 0 else ways[j] > 0
            if label[j] == block:
                likely = _more(ways[j], rests[j], whole, total, rest, part * found.size[c])
                bad[c] |= total <= 0 or (likely and not found.spared[c])
        for j in range(len(found.cell)):
            if label[j] == block and left[found.cell[j]] < needed and not found.spared[found.cell[j]]:
                bad[found.cell[j]] = True
        if not every and bad.any():
            break
    return bad


@borrowing
def _more(ways: float, rest: int, times: int, total: float, other: int, parts: int) -> bool:
    """Whether ``ways * times > total * parts``, exactly; true as well where that cannot be told."""
    one, two = ways * times, total * parts
    error = two * 1e-10  # 10,000 steps forward and backward err by 2**-53 each
    if abs(one - two) > error:
        return one > two
    if not error < PRIME // 4:
        return True
    apart = (rest * (times % PRIME) - other * (parts % PRIME)) % PRIME
    return 0 < apart <= PRIME // 2


@compiled
def _splits(found: LinkedCells, pairs: Ints, people: int, room: Room, begin: int) -> int:
    """Ways to share people out among pairs, from choice `begin` on; where they end, -1 if that is too far."""
    last = len(pairs) - 1
    least, most = np.zeros(last + 2, dtype=np.int64), np.zeros(last + 2, dtype=np.int64)
    for d in range(last, -1, -1):
        least[d] = least[d + 1] + found.lower[pairs[d]]
        most[d] = most[d + 1] + found.upper[pairs[d]]
    x, rest = np.empty(last + 1, dtype=np.int64), np.empty(last + 1, dtype=np.int64)
    rest[0], d, end = people, 0, begin
    x[0] = max(found.lower[pairs[0]], people - most[1]) - 1
    while d >= 0:
        x[d] += 1
        if x[d] > min(found.upper[pairs[d]], rest[d] - least[d + 1]):
            d -= 1
        elif d < last:
            rest[d + 1] = rest[d] - x[d]
            d += 1
            x[d] = max(found.lower[pairs[d]], rest[d] - most[d + 1]) - 1
        else:
            if end == len(room.splits):
                return -1
            room.splits[end, : last + 1] = x
            end += 1
    return end


@borrowing
def _arrangements(people: int, counts: np.ndarray) -> int:
    """Ways to say who has which value."""
    ways, rest = np.int64(1), people
    for count in counts:
        part = np.int64(1)
        for i in range(count):
            part = part * (rest - i) // (i + 1)
        ways *= part
        rest -= count
    return ways


@compiled
def _sums(
    found: LinkedCells, ends: Ints, label: Ints, block: int, room: Room, ways: np.ndarray, rests: Ints
) -> tuple[float, int]:
    """Worlds of a block, and each pair's count summed over them, filled in; all modulo the prime, too.

    Without worlds: there are too many steps, or slots, or people in one cell.
    """
    order = order_of(found, ends, label, block)
    left, waiting, total = _left(found, label, block)
    slot = np.full(len(left), -1, dtype=np.int64)
    free = np.ones(room.state.shape[1], dtype=np.bool_)
    layers = np.zeros(len(order) + 2, dtype=np.int64)
    steps = np.zeros(len(order) + 1, dtype=np.int64)
    layers[1], choices = 1, 0
    room.state[0], room.before[0], room.before_rest[0] = 0, 1.0, 1
    for n in range(len(order)):
        c = order[n]
        pairs = inside(ends, label, block, c)
        people = found.size[c]
        for j in range(ends[c], ends[c + 1]):
            people -= found.lower[j] if label[j] < 0 else 0
        begin, choices = choices, _splits(found, pairs, people, room, choices)
        if choices < 0 or people > 20:  # 20! has 62 bits
            return 0.0, 0
        if not _open(found, pairs, left, waiting, total, slot, free, room.state[layers[n] : layers[n + 1]]):
            return 0.0, 0
        stage = np.array([begin, choices, layers[n], layers[n + 1], steps[n]])
        steps[n + 1], layers[n + 2] = _advance(
            found, pairs, people, left, waiting, slot, _width(free), stage, room
        )
        if steps[n + 1] < 0:
            return 0.0, 0
        for j in pairs:
            for z in range(found.first[j] + 1, found.first[j + 1]):
                if waiting[found.row[z]] == 0:
                    free[slot[found.row[z]]] = True
    last = layers[len(order)]
    room.after[:last], room.after_rest[:last] = 0.0, 0
    room.after[last], room.after_rest[last] = 1.0, 1
    for n in range(len(order) - 1, -1, -1):
        pairs = inside(ends, label, block, order[n])
        _back(pairs, steps[n], steps[n + 1], room, ways, rests)
    return room.before[last], room.before_rest[last]


@compiled
def _left(found: LinkedCells, label: Ints, block: int) -> tuple[Ints, Ints, Ints]:
    """Of each row: what cells to come can take at most, how many they are, and what there is for them."""
    left, waiting = np.zeros(len(found.low), dtype=np.int64), np.zeros(len(found.low), dtype=np.int64)
    total = found.high.copy()
    for j in range(len(label)):
        for z in range(found.first[j] + 1, found.first[j + 1]):
            r = found.row[z]
            if label[j] == block:
                left[r] += found.upper[j]
                waiting[r] += 1
            elif label[j] < 0:
                total[r] -= found.lower[j]
    return left, waiting, total


@compiled
def _open(
    found: LinkedCells,
    pairs: Ints,
    left: Ints,
    waiting: Ints,
    total: Ints,
    slot: Ints,
    free: np.ndarray,
    states: np.ndarray,
) -> bool:
    """Take up pairs, and write down what rows that they open have; False without a slot for them."""
    for j in pairs:
        for z in range(found.first[j] + 1, found.first[j + 1]):
            r = found.row[z]
            left[r] -= found.upper[j]
            waiting[r] -= 1
            if slot[r] < 0:
                slot[r] = np.argmax(free)
                if not free[slot[r]] or total[r] >= 1 << 15:
                    return False
                free[slot[r]] = False
                states[:, slot[r]] = total[r]
    return True


@borrowing
def _width(free: np.ndarray) -> int:
    """Slots up to the last one in use."""
    width = len(free)
    while width > 0 and free[width - 1]:
        width -= 1
    return width


@compiled
def _advance(
    found: LinkedCells,
    pairs: Ints,
    people: int,
    left: Ints,
    waiting: Ints,
    slot: Ints,
    width: int,
    stage: Ints,
    room: Room,
) -> tuple[int, int]:
    """Steps by some choices from some states, where both begin and end; and where steps begin.

    Returns where steps and states end; -1 if there is no room.
    """
    begin, end, first, last, made = stage
    room.layer[0] += 1
    top = last
    for n in range(begin, end):
        counts = room.splits[n, : len(pairs)]
        arranged = _arrangements(people, counts)
        for i in range(first, last):
            if top == len(room.state) or made == len(room.origin):
                return -1, -1
            state = room.state[top]
            state[:width] = room.state[i, :width]
            weight, rest, fits = float(arranged), arranged % PRIME, True
            for d in range(len(pairs)):
                for z in range(found.first[pairs[d]] + 1, found.first[pairs[d] + 1]):
                    r = found.row[z]
                    span = found.high[r] - found.low[r]
                    now = state[slot[r]] - counts[d]
                    fits = fits and 0 <= now <= left[r] + span
                    state[slot[r]] = now
                    if fits and waiting[r] == 0:  # what is left are counterfeits, in any order
                        state[slot[r]] = 0
                        for y in range(now + 1, span + 1):
                            weight *= y
                            rest = rest * y % PRIME
            if not fits:
                continue
            at = _place(room, top, width)
            if room.stamp[at] != room.layer[0]:
                room.stamp[at], room.table[at] = room.layer[0], top
                room.before[top], room.before_rest[top] = 0.0, 0
                top += 1
            target = room.table[at]
            room.before[target] += room.before[i] * weight
            room.before_rest[target] = (room.before_rest[target] + room.before_rest[i] * rest) % PRIME
            room.origin[made], room.target[made], room.choice[made] = i, target, n
            room.weight[made], room.rest[made] = weight, rest
            made += 1
    return made, top


@compiled
def _place(room: Room, top: int, width: int) -> int:
    """Where a state of this layer is in the table, or would be."""
    state, places, code = room.state[top], len(room.table) - 1, np.int64(7)
    for s in range(width):
        code = (code * 127 + state[s]) % PRIME
    at = code & places
    while room.stamp[at] == room.layer[0] and (room.state[room.table[at], :width] != state[:width]).any():
        at = (at + 1) & places
    return at


@borrowing
def _back(pairs: Ints, begin: int, end: int, room: Room, ways: np.ndarray, rests: Ints) -> None:
    """Steps of one cell backward: sum up ways on from where they start, and counts of the cell's pairs."""
    for step in range(begin, end):
        i, n = room.origin[step], room.choice[step]
        onward = room.weight[step] * room.after[room.target[step]]
        rest = room.rest[step] * room.after_rest[room.target[step]] % PRIME
        if not onward > 0.0:
            continue
        room.after[i] += onward
        room.after_rest[i] = (room.after_rest[i] + rest) % PRIME
        onward *= room.before[i]
        rest = rest * room.before_rest[i] % PRIME
        for d in range(len(pairs)):
            count = room.splits[n, d]
            ways[pairs[d]] += count * onward
            rests[pairs[d]] = (rests[pairs[d]] + count * rest) % PRIME
