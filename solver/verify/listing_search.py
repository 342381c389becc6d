"""The search for groups above a floor, by which verifiers list them: depth first, compiled.

Each group is found from the member with the largest dual, its *anchor* (the first such row; where
some member must be of a kind, the first of that kind). Candidates come in the order of falling duals; those
that cannot pay are struck out until there are none, and then depth first, once at each depth. What a group
gains with q further members is at most the sum of the q largest duals left, no value more often than needed
histograms have it, less size times the box so far: boxes only grow, and penalties only add up.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...models.compiled import borrowing, compiled
from .listing_state import Meetings, NearCells, PartialGroup, Penalties
from .rows import Boxes, Ints

__all__ = ["DONE", "FULL", "LIMIT", "LONG", "LOW", "PAYS", "search"]

LOW = -(1 << 62)
LIMIT = 1 << 61
"""No sum of absolute duals, each tuple's once, is larger: all that is added up stays inside 64 bits."""
PAUSE = 20_000
"""Partial groups between two looks at the clock: where many tuples are alike each takes long."""
DONE, FULL, PAYS, LONG = 0, 1, 2, 3
"""How a search ends."""


@borrowing
def _price(
    code: Ints, price: Ints, start: Ints, side: Ints, table: Ints, lo: Ints, hi: Ints, r: int, w: int
) -> int:
    """Cost of the box at depth r with row w in it."""
    total = 0
    for a in range(code.shape[1]):
        x = code[w, a]
        low, high = min(lo[r, a], x), max(hi[r, a], x)
        if start[a] < 0:
            total += price[a] * (high - low)
        else:
            total += table[start[a] + low * side[a] + high]
    return total


@borrowing
def _gap(
    code: Ints, price: Ints, start: Ints, side: Ints, table: Ints, lo: Ints, hi: Ints, c: int, u: int
) -> int:
    """No box over row u and a row of cell c costs less."""
    total = 0
    for a in range(code.shape[1]):
        x = code[u, a]
        if lo[c, a] <= x <= hi[c, a]:
            continue
        low, high = min(x, hi[c, a]), max(x, lo[c, a])
        if start[a] < 0:
            total += price[a] * (high - low)
        else:
            total += table[start[a] + low * side[a] + high]
    return total


@borrowing
def _best(
    top: Ints, sums: int, most: int, needs: int, gain: int, size: int, box: int, extra: Ints, floor: int
) -> int:
    """The most that a group can have with `needs` further members or more, or the first above `floor`.

    `top` has the sums of the best ones. Its steps fall and those of `extra` do not grow: the first fall is
    the end.
    """
    best = LOW
    for q in range(needs, min(sums, most - size) + 1):
        reach = gain + top[q] + extra[min(size + q, len(extra) - 1)] - (size + q) * box
        if reach > floor:
            return reach
        if reach <= best:
            return best
        best = reach
    return best


@borrowing
def _tops(
    cand: NDArray[np.int32], r: int, first: int, last: int, value: Ints, dual: Ints, seen: Ints, taken: Ints,
    often: int, most: int, top: Ints,
) -> int:  # fmt: skip
    """Sums of the best 1, 2, ... candidates, no value more than `often` times; how many."""
    sums, end = 0, first
    while end < last and sums < most:
        w = cand[r, end]
        v = value[w]
        if seen[v] + taken[v] < often:
            taken[v] += 1
            sums += 1
            top[sums] = top[sums - 1] + dual[w]
        end += 1
    for e in range(first, end):
        taken[value[cand[r, e]]] = 0
    return sums


@borrowing
def _kept(
    code: Ints, price: Ints, start: Ints, side: Ints, table: Ints, value: Ints, dual: Ints, scale: int,
    extra: Ints, step: NDArray[np.int32], missing: Ints, alike: bool, most: int, often: int, lo: Ints,
    hi: Ints, seen: Ints, taken: Ints, top: Ints, cand: NDArray[np.int32], source: int, first: int, last: int,
    r: int, gain: int, now: int, floor: int,
) -> int:  # fmt: skip
    """Write down at depth r which candidates can still pay, of those at depth `source`; how many."""
    sums = _tops(cand, source, first, last, value, dual, seen, taken, often, most - r - 1, top)
    kept, before, pays = 0, -1, False
    for e in range(first, last):
        w = cand[source, e]
        if w != before:
            before, pays = w, False
            after = step[now, seen[value[w]] if alike else value[w]]
            if after >= 0:
                box = scale * _price(code, price, start, side, table, lo, hi, r, w)
                reach = _best(top, sums, most, missing[after], gain + dual[w], r + 1, box, extra, floor)
                pays = reach > floor
        if pays:
            cand[r, kept] = w
            kept += 1
    return kept


@borrowing
def _allowed(
    member: NDArray[np.int32], size: int, start: Ints, met: Ints, allowed: NDArray[np.bool_], shared: Ints
) -> bool:
    """Whether a group meets all earlier ones as it may."""
    for j in range(1, size + 1):
        for e in range(start[member[j]], start[member[j] + 1]):
            if not allowed[met[e], size, shared[met[e]]]:
                return False
    return True


@borrowing
def _enter(
    w: int, times: int, value: Ints, seen: Ints, penalties: Penalties, touched: Ints, meetings: Meetings,
    shared: Ints,
) -> int:  # fmt: skip
    """Count row w into the group (`times` 1) or out of it (-1); what cuts give for it."""
    cut_start, cut_of, cut_times, cut_over, cut_dual = penalties
    met_start, met, _ = meetings
    gain = 0
    seen[value[w]] += times
    for e in range(cut_start[w], cut_start[w + 1]):
        c, before = cut_of[e], touched[cut_of[e]]
        touched[c] = before + times * cut_times[e]
        gain += cut_dual[c] * (touched[c] // cut_over[c] - before // cut_over[c])
    for e in range(met_start[w], met_start[w + 1]):
        shared[met[e]] += times
    return gain


@compiled
def _near(
    boxes: Boxes, count: Ints, dual: Ints, scale: int, order: Ints, anchors: NDArray[np.bool_],
    bonus: int, cells: NearCells, needs: int, most: int, often: int, floor: int, place: int,
    lo: Ints, hi: Ints, near: Ints, cand: NDArray[np.int32],
) -> int:  # fmt: skip
    """Write down at depth 1 who may be in a group with the anchor, as often as there are copies; how many.

    Candidates are rows after the anchor, and those of the other kind; `needs` members are missing at least.
    Groups that are too large to be listed may have more copies of a row than a listed one has members.
    """
    code, price, start, side, table = boxes
    cell_start, cell_place, cell_lo, cell_hi, cell_best = cells
    u = order[place]
    # No further member has a larger dual than the first candidate.
    best = LOW
    for k in range(len(order)):
        w = order[k]
        if (k >= place or not anchors[w]) and (w != u or min(count[w], often, most) > 1):
            best = dual[w]
            break
    found = 0
    for c in range(len(cell_best)):
        far = scale * _gap(code, price, start, side, table, cell_lo, cell_hi, c, u)
        others = most - 2 if best > far else max(0, needs - 1)
        # One dual many times may leave 64 bits, unlike all duals once.
        known = best <= LIMIT // max(1, others)
        if known and dual[u] + cell_best[c] + others * best + bonus - (others + 2) * far <= floor:
            continue
        for e in range(cell_start[c], cell_start[c + 1]):
            k = cell_place[e]
            w = order[k]
            if k < place and anchors[w]:
                continue
            far = scale * _price(code, price, start, side, table, lo, hi, 1, w)
            others = most - 2 if best > far else max(0, needs - 1)
            known = best <= LIMIT // max(1, others)
            if not known or dual[u] + dual[w] + others * best + bonus - (others + 2) * far > floor:
                near[found] = k
                found += 1
    kept = 0
    for k in np.sort(near[:found]):
        w = order[k]
        for _ in range(min(count[w], often, most) - (1 if w == u else 0)):
            cand[1, kept] = w
            kept += 1
    return kept


@compiled
def search(
    boxes: Boxes,
    value: Ints,
    count: Ints,
    dual: Ints,
    scale: int,
    order: Ints,
    anchors: NDArray[np.bool_],
    extra: Ints,
    penalties: Penalties,
    meetings: Meetings,
    cells: NearCells,
    step: NDArray[np.int32],
    missing: Ints,
    whole: NDArray[np.bool_],
    alike: bool,
    largest: int,
    most: int,
    often: int,
    floor: int,
    begin: int,
    visits: int,
    partial: PartialGroup,
    groups: NDArray[np.int32],
    unsure: Ints,
) -> tuple[int, int, int, int]:
    """Search from the anchors from place `begin` of the order on, until it is time for a pause.

    `most` is the size of the largest groups, more than `largest` if such are not listed. Returns the place
    to go on from (with the same partial group), how many groups are written down, what is left of `visits`,
    and how it ended.
    """
    code, price, start, side, table = boxes
    met_start, met, allowed = meetings
    depth, cand, number, at, lo, hi, sure, box, state, member, seen, touched, shared = partial
    attributes, bonus = code.shape[1], extra[len(extra) - 1]
    taken, top = np.zeros(len(seen), dtype=np.int64), np.zeros(cand.shape[1] + 2, dtype=np.int64)
    near = np.zeros(len(order), dtype=np.int64)
    total = 0
    pause = visits - PAUSE
    for place in range(begin, len(order)):
        u = order[place]
        r, fresh, kept = depth[0], True, depth[1]
        if r == 0:
            if not anchors[u]:
                continue
            first = step[0, 0 if alike else value[u]]
            if first < 0:
                continue
            r, visits = 1, visits - 1
            member[1], state[1], sure[1], box[1] = u, first, dual[u], 0
            for a in range(attributes):
                lo[1, a], hi[1, a] = code[u, a], code[u, a]
            _enter(u, 1, value, seen, penalties, touched, meetings, shared)
            kept = _near(
                boxes, count, dual, scale, order, anchors, bonus, cells, missing[first], most, often, floor,
                place, lo, hi, near, cand,
            )  # fmt: skip
            before = kept + 1
            while kept < before and largest > 1:
                before = kept
                kept = _kept(
                    code, price, start, side, table, value, dual, scale, extra, step, missing, alike,
                    most, often, lo, hi, seen, taken, top, cand, 1, 0, before, 1, sure[1], first, floor,
                )  # fmt: skip
            number[1], at[1] = kept if largest > 1 else 0, 0
        while r > 0:
            if visits < pause:
                depth[0], depth[1] = r, kept
                return place, total, visits, DONE
            if fresh:
                fresh = False
                profit = sure[r] + extra[r] - r * box[r]
                if (
                    whole[state[r]]
                    and profit > floor
                    and _allowed(member, r, met_start, met, allowed, shared)
                ):
                    if total == len(groups):
                        depth[0], depth[1] = r, kept
                        return place, total, visits, FULL
                    for j in range(groups.shape[1]):
                        groups[total, j] = member[j + 1] if j < r else -1
                    total += 1
                    if profit > 0:
                        return place, total, visits, PAYS
                if r == largest and most > largest:
                    # Larger groups with these as their first members: only bounded.
                    number[r] = kept
                    sums = _tops(cand, r, 0, kept, value, dual, seen, taken, most, most - r, top)
                    reach = _best(top, sums, most, 1, sure[r], r, box[r], extra, -LOW)
                    if reach > floor:
                        unsure[u] = max(unsure[u], reach)
            # Is there anything left at this depth that can pay?
            pays, e = False, at[r]
            if r < largest and e < number[r]:
                gain, size = sure[r], r
                while not pays and e < number[r] and size < most:
                    gain += dual[cand[r, e]]
                    size += 1
                    e += 1
                    if size - r >= missing[state[r]]:
                        left = gain + extra[min(size, largest)] - size * box[r]
                        pays = left > floor
            if pays:
                here = at[r]
                w = cand[r, here]
                while at[r] < number[r] and cand[r, at[r]] == w:
                    at[r] += 1
                v = value[w]
                after = step[state[r], seen[v] if alike else v]
                visits -= 1
                if visits < 0:
                    return place, total, visits, LONG
                gain = sure[r] + dual[w]
                box[r + 1] = scale * _price(code, price, start, side, table, lo, hi, r, w)
                for a in range(attributes):
                    lo[r + 1, a], hi[r + 1, a] = min(lo[r, a], code[w, a]), max(hi[r, a], code[w, a])
                gain += _enter(w, 1, value, seen, penalties, touched, meetings, shared)
                last, r = number[r], r + 1
                member[r], state[r], sure[r], kept = w, after, gain, 0
                number[r], at[r] = 0, 0
                if r < largest:
                    number[r] = _kept(
                        code, price, start, side, table, value, dual, scale, extra, step, missing, alike,
                        most, often, lo, hi, seen, taken, top, cand, r - 1, here + 1, last, r, gain, after,
                        floor,
                    )  # fmt: skip
                elif most > largest:
                    for e in range(here + 1, last):
                        cand[r, kept] = cand[r - 1, e]
                        kept += 1
                fresh = True
            else:
                _enter(member[r], -1, value, seen, penalties, touched, meetings, shared)
                r -= 1
        depth[0] = 0
    return len(order), total, visits, DONE
