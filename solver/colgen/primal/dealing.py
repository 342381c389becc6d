"""Returning tuples of each bucket dealt to groups that earlier groups allow, compiled.

Large buckets are cut into blocks of near tuples, which are dealt one by one. A block is dealt in random
orders, each tuple to the group whose box it widens least among those that may still become admissible, or to
a further group if there is none (it costs as many counterfeits as the signature has values). The order
with the fewest groups counts.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing, compiled
from ....models.copying import copy_row
from ...settings import Clock
from ..covering import Geometry, Ints
from ..kernels.boxes import box_with
from ..structure.types import Types, possible
from .limits import DEALING as LIMITS
from .shuffling import shuffled, state_of

__all__ = ["Dealt", "Past", "dealt", "past_of"]

Bools = NDArray[np.bool_]


class Past(NamedTuple):
    """Who was where, and what earlier groups allow a group in which each value occurs once.

    Attributes
    ----------
    trace, trace_start
        Earlier groups of each row.
    kind : int array, shape (earlier groups,)
    safe, possible : bool arrays, shape (kinds, members + 1, shared + 1)
        As in `kernel.Lists`, whether a bucket is relaxed or not.
    """

    trace: Ints
    trace_start: Ints
    kind: Ints
    safe: Bools
    possible: Bools


def past_of(types: Types) -> Past:
    """Put together what the dealing reads."""
    sizes = [len(found) for found in types.traces]
    once = types.rules.safe[:1]
    return Past(
        np.array([g for found in types.traces for g in found], dtype=np.int64),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        types.rules.kind,
        once[0],
        possible(once, types.rules.present)[0],
    )


@dataclass(frozen=True, kw_only=True)
class Dealt:
    """Groups of returning tuples.

    Attributes
    ----------
    row, group : int arrays
        Per tuple, tuples of a bucket one after the other.
    start : int array, shape (buckets + 1,)
        Where the groups of each bucket start; some may be empty.
    lonely : int array
        Rows (with repeats) for which no group was found, not even one among counterfeits.
    """

    row: Ints
    group: Ints
    start: Ints
    lonely: Ints


def dealt(types: Types, past: Past, each: Ints, random: Random, clock: Clock | None = None) -> Dealt:
    """Deal all returning tuples; when the clock is over, each block in one order only.

    Parameters
    ----------
    each
        How many groups each bucket should have, at least as many as its most frequent value.

    Notes
    -----
    O(tuples x `LIMITS.block`) box costs per order.
    """
    row, slot, start, bucket, number, width = _blocks(types, each)
    blocks = len(bucket)
    part, made = np.zeros(len(row), dtype=np.int64), np.zeros(blocks, dtype=np.int64)
    state = state_of(random)
    cap = int(width.max(initial=1)) * max(1, int(np.diff(past.trace_start).max(initial=1)))
    for at in range(0, blocks, LIMITS.chunk):
        late = clock is not None and clock.over
        last = min(blocks, at + LIMITS.chunk)
        tries = 1 if late else LIMITS.tries
        _deal(
            types.rows.geometry,
            past,
            row,
            slot,
            start,
            number,
            width,
            at,
            last,
            tries,
            cap,
            state,
            part,
            made,
        )
    first = np.concatenate([[0], np.cumsum(made)]).astype(np.int64)
    block = np.repeat(np.arange(blocks), np.diff(start))
    kept = part >= 0
    ends = np.zeros(len(each) + 1, dtype=np.int64)
    np.add.at(ends[1:], bucket, made)
    return Dealt(
        row=row[kept],
        group=(part + first[block])[kept],
        start=np.cumsum(ends),
        lonely=row[~kept],
    )


def _blocks(types: Types, each: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Tuples by block: row, place of its value in the signature; of blocks: start, bucket, groups, values."""
    rows, home, values = types.rows, types.home, len(types.rules.values)
    old = np.flatnonzero(home >= 0)
    units = np.repeat(old, rows.count[old])
    units = units[np.lexsort((units, rows.value[units], home[units]))]
    wide = np.array([len(s) for s in types.rules.signatures], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(wide)]).astype(np.int64)
    key = home[units] * values + rows.value[units]
    keys = np.repeat(np.arange(len(wide)), wide) * values + np.array(
        [v for signature in types.rules.signatures for v in signature], dtype=np.int64
    )
    slot = np.searchsorted(keys, key) - first[home[units]]
    # The k-th of r tuples of a value, by place, goes where group number floor(k each / r) is: these
    # numbers differ, so that no block has more of a value than groups.
    _, begins, length = np.unique(key, return_index=True, return_counts=True)
    place = np.arange(len(units)) - np.repeat(begins, length)
    cuts = np.maximum(1, -(-each // LIMITS.block))
    own, parts = each[home[units]], cuts[home[units]]
    base = np.concatenate([[0], np.cumsum(cuts)]).astype(np.int64)
    block = base[home[units]] + place * own // np.repeat(length, length) * parts // own
    order = np.argsort(block, kind="stable")
    bucket = np.repeat(np.arange(len(wide)), cuts)
    share = np.arange(base[-1]) - base[bucket]
    number = -(-each[bucket] * (share + 1) // cuts[bucket]) + (-each[bucket] * share // cuts[bucket])
    start = np.concatenate([[0], np.cumsum(np.bincount(block, minlength=int(base[-1])))])
    return units[order], slot[order], start.astype(np.int64), bucket, number.astype(np.int64), wide[bucket]


@compiled
def _deal(
    g: Geometry,
    past: Past,
    row: Ints,
    slot: Ints,
    start: Ints,
    number: Ints,
    width: Ints,
    first: int,
    last: int,
    tries: int,
    cap: int,
    state: Ints,
    part: Ints,
    made: Ints,
) -> None:
    """Deal blocks `first` to `last`: `part` says the group of each tuple (or -1), `made` how many groups."""
    most, wide, attributes = 1, 1, g.codes.shape[1]
    for b in range(first, last):
        most = max(most, start[b + 1] - start[b] + number[b])
        wide = max(wide, width[b])
    order, trial = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    lo = np.empty((most, attributes), dtype=np.int64)
    hi = np.empty((most, attributes), dtype=np.int64)
    size = np.empty(most, dtype=np.int64)
    has = np.empty((most, wide), dtype=np.bool_)
    met = np.empty((most, cap), dtype=np.int64)
    times = np.empty((most, cap), dtype=np.int64)
    meets = np.empty(most, dtype=np.int64)
    for b in range(first, last):
        begin, units = start[b], start[b + 1] - start[b]
        least = -1
        for _ in range(tries):
            if units == 0 or 0 <= least <= number[b]:
                break
            for i in range(units):
                order[i] = i
            shuffled(order, units, state)
            for q in range(number[b] + units):
                size[q], meets[q] = 0, 0
                for j in range(width[b]):
                    has[q, j] = False
            groups, fakes = number[b], 0
            for i in range(units):
                u, v = row[begin + order[i]], slot[begin + order[i]]
                q = _cheapest(g, past, u, v, groups, lo, hi, size, has, met, times, meets)
                if q < 0 and _cheapest(g, past, u, v, groups + 1, lo, hi, size, has, met, times, meets) >= 0:
                    q = groups
                    groups += 1
                trial[order[i]] = q
                if q < 0:
                    fakes += 2 * width[b]
                    continue
                _put(g, past, u, v, q, lo, hi, size, has, met, times, meets)
            fakes += 2 * width[b] * _left_out(past, groups, trial[:units], size, width[b], met, times, meets)
            if least < 0 or groups + fakes < least:
                least, made[b] = groups + fakes, groups
                copy_row(trial[:units], part[begin:])
        if units == 0:
            made[b] = number[b]


@borrowing
def _left_out(
    past: Past, groups: int, trial: Ints, size: Ints, width: int, met: Ints, times: Ints, meets: Ints
) -> int:
    """Take groups apart that nothing completes; how many tuples they had."""
    number = 0
    for q in range(groups):
        if not _completable(past, q, size[q], width, met, times, meets):
            for i in range(len(trial)):
                if trial[i] == q:
                    trial[i] = -1
                    number += 1
    return number


@borrowing
def _put(
    g: Geometry,
    past: Past,
    u: int,
    v: int,
    q: int,
    lo: Ints,
    hi: Ints,
    size: Ints,
    has: NDArray[np.bool_],
    met: Ints,
    times: Ints,
    meets: Ints,
) -> None:
    """Put a tuple with a value into a group: its box, what it has, and whom it met."""
    for a in range(g.codes.shape[1]):
        x = g.codes[u, a]
        lo[q, a] = x if size[q] == 0 else min(lo[q, a], x)
        hi[q, a] = x if size[q] == 0 else max(hi[q, a], x)
    size[q] += 1
    has[q, v] = True
    for e in range(past.trace_start[u], past.trace_start[u + 1]):
        at = 0
        while at < meets[q] and met[q, at] != past.trace[e]:
            at += 1
        if at == meets[q]:
            met[q, at], times[q, at] = past.trace[e], 0
            meets[q] += 1
        times[q, at] += 1


@borrowing
def _cheapest(
    g: Geometry,
    past: Past,
    u: int,
    slot: int,
    groups: int,
    lo: Ints,
    hi: Ints,
    size: Ints,
    has: Bools,
    met: Ints,
    times: Ints,
    meets: Ints,
) -> int:
    """The group whose box with row u costs least, the first of them; -1 if no group may take it."""
    best, least = -1, 0
    for q in range(groups):
        if has[q, slot]:
            continue
        cost = 0
        if size[q]:
            cost = box_with(g.codes, g.weight, g.tree, g.side, g.table, u, lo, hi, q)
        if best >= 0 and cost >= least:
            continue
        hopeful, members = True, size[q] + 1
        for at in range(meets[q]):
            shared = times[q, at]
            for e in range(past.trace_start[u], past.trace_start[u + 1]):
                shared += past.trace[e] == met[q, at]
            if not past.possible[past.kind[met[q, at]], members, shared]:
                hopeful = False
                break
        for e in range(past.trace_start[u], past.trace_start[u + 1]):
            if not hopeful:
                break
            new = True
            for at in range(meets[q]):
                new = new and met[q, at] != past.trace[e]
            hopeful = not new or past.possible[past.kind[past.trace[e]], members, 1]
        if hopeful:
            best, least = q, cost
            if cost == 0:
                break
    return best


@borrowing
def _completable(past: Past, q: int, size: int, width: int, met: Ints, times: Ints, meets: Ints) -> bool:
    """Whether group q keeps what earlier groups allow with some number of members."""
    for members in range(size, width + 1):
        fine = True
        for at in range(meets[q]):
            fine = fine and past.safe[past.kind[met[q, at]], members, times[q, at]]
        if fine:
            return True
    return False
