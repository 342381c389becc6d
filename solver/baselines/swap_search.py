"""Local search over any start: tuples move between near groups, or change places, while boxes get narrower.

For every tuple the groups of its neighbours in several orders of the table (along a Hilbert curve, and by
each quasi-identifier first) are tried: it joins one of them, or changes places with one of its members,
whichever lowers the sum of |group| times the sides of its box most. Passes go on until none helps.

Under (k, c)-anonymity alone both kinds of moves are made where both groups stay (k, c). If the policy asks
groups for more, only tuples of one value change places: histograms, and so all verdicts on them, stay
as the start had them. The baseline starts from the best of the quick heuristics, each repaired first. A
yardstick of our own, not a published one: what heuristics leave to be had by the simplest improvement.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...models.compiled import borrowing, compiled
from ...models.errors import EngineError, OutOfTimeError
from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.k_c_anonymity import KCAnonymity
from ..settings import Clock
from .hilbert import curve_order, hilbert
from .k_member import k_member
from .mondrian import mondrian_relaxed
from .parameters import Perimeter, parameters
from .repairing import merged_until_admitted
from .top_down import needs_boxes
from .widths import Ints, Widths, beside, hull_without, shares_of_domains

__all__ = ["exchanged", "swap_search"]

NEAR = 2
"""Neighbours on either side that are asked for their groups, per order."""
PASSES = 30
WIDE = 200
"""Groups of more tuples (and of more than 3 k) stay as they are: their exchanges take too long."""
AT_ONCE = 256
"""Rows between two looks at the clock."""
MANY = 200
"""Smaller tables keep the start: exact engines solve them, and compiled code takes a while the first time."""
STARTS = (mondrian_relaxed, hilbert, k_member)


def swap_search(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Improve the best of Mondrian's, the curve's and k-member's releases by moves of tuples.

    Parameters
    ----------
    problem : Problem
        Its policy's `KCAnonymity` gives k and c; other requirements on groups are kept by merging.
    seed : int
        For k-member.
    clock : Clock, optional
        When it is over, the best groups so far are published.

    Raises
    ------
    EngineError
        If the table as one group is not (k, c), or the policy publishes no boxes.
    """
    needs_boxes(problem, "swap_search")
    watch = clock or Clock()
    best: list[list[int]] | None = None
    least, why = 0, ""
    for start in STARTS:
        try:
            release = start(problem, seed, watch)
            rows = [
                np.array([problem.table.row[member.respondent] for member in group.members])
                for group in release.groups
            ]
            groups = merged_until_admitted(problem, rows, watch)
        except OutOfTimeError:
            if best is None:
                raise
            break
        except EngineError as error:
            why = str(error)
            continue
        cost = _cost(problem, groups)
        if best is None or cost < least:
            best, least = groups, cost
    if best is None:
        raise EngineError(f"swap_search: none of its starts takes the table: {why}")
    return problem.assemble(exchanged(problem, best, watch) if len(problem.table) >= MANY else best)


def exchanged(
    problem: Problem, groups: Sequence[Sequence[int]], clock: Clock | None = None
) -> list[list[int]]:
    """Groups of the same rows, no dearer: moved and exchanged until nothing helps or the clock is over.

    Parameters
    ----------
    problem : Problem
        Its policy's `KCAnonymity` gives k and c.
    groups : sequence of sequence of int
        All rows, each once.
    clock : Clock, optional
    """
    asked = parameters(problem, KCAnonymity, "swap_search")
    watch = clock or Clock()
    rules = problem.policy.group_requirements
    table, sizes = problem.table, [len(rows) for rows in groups]
    _, values = np.unique([member.value for member in table.members], return_inverse=True)
    held = max(3 * asked.k, *sizes) + 1
    member = np.full((len(groups), held), -1, dtype=np.int64)
    of = np.empty(len(table), dtype=np.int64)
    counts = np.zeros((len(groups), int(values.max()) + 1), dtype=np.int64)
    for g, rows in enumerate(groups):
        member[g, : len(rows)] = rows
        of[list(rows)] = g
        counts[g] = np.bincount(values[list(rows)], minlength=counts.shape[1])
    state = _Exchanges(
        codes=np.ascontiguousarray(table.codes),
        value=values.astype(np.int64),
        near=_neighbours(problem),
        of=of,
        member=member,
        size=np.array(sizes, dtype=np.int64),
        counts=counts,
        asked=np.array([asked.k, asked.c.numerator, asked.c.denominator, len(rules) > 1], dtype=np.int64),
    )
    sides = shares_of_domains(problem)
    for _ in range(PASSES):
        made = 0
        for first in range(0, len(table), AT_ONCE):
            if watch.over:
                break
            made += _tried(sides, state, first, min(len(table), first + AT_ONCE))
        if not made:
            break
    return [sorted(line[:size].tolist()) for line, size in zip(member, state.size.tolist(), strict=True)]


def _cost(problem: Problem, groups: Sequence[Sequence[int]]) -> int:
    perimeter, total = Perimeter(problem.table.domains), 0
    for rows in groups:
        codes = problem.table.codes[list(rows)]
        total += len(rows) * perimeter.of(codes.min(axis=0).tolist(), codes.max(axis=0).tolist())
    return total


def _neighbours(problem: Problem) -> Ints:
    """Rows near each row in several orders, shape (rows, orders x 2 `NEAR`)."""
    codes = problem.table.codes
    count, attributes = codes.shape
    orders = [curve_order(problem)]
    orders += [np.lexsort(np.roll(codes, -a, axis=1).T[::-1]) for a in range(attributes)]
    found = np.empty((count, len(orders) * 2 * NEAR), dtype=np.int64)
    steps = [step for step in range(-NEAR, NEAR + 1) if step]
    for o, order in enumerate(orders):
        for s, step in enumerate(steps):
            found[order, o * 2 * NEAR + s] = np.roll(order, -step)
    return found


class _Exchanges(NamedTuple):
    """Groups while they are improved.

    Attributes
    ----------
    codes, value, near : int64 array
        Per row.
    of : int64 array
        Each row's group.
    member, size, counts : int64 array
        Per group: rows, number of rows, and of rows with each value.
    asked : int64 array
        k, c as two numbers, and whether only equal values change places.
    """

    codes: Ints
    value: Ints
    near: Ints
    of: Ints
    member: Ints
    size: Ints
    counts: Ints
    asked: Ints


@borrowing
def _within(state: _Exchanges, g: int, out: int, into: int) -> bool:
    """Whether a group is (k, c) after a row of it (or none: -1) left and another (or none) came."""
    size = state.size[g] - (out >= 0) + (into >= 0)
    if size < state.asked[0]:
        return False
    if state.asked[1] == state.asked[2]:
        return True
    for v in range(state.counts.shape[1]):
        count = state.counts[g, v]
        count -= out >= 0 and state.value[out] == v
        count += into >= 0 and state.value[into] == v
        if count * state.asked[2] > state.asked[1] * size:
            return False
    return True


@borrowing
def _put(state: _Exchanges, row: int, g: int) -> None:
    """Move a row to a group."""
    a = state.of[row]
    for i in range(state.size[a]):
        if state.member[a, i] == row:
            state.member[a, i] = state.member[a, state.size[a] - 1]
            break
    state.size[a] -= 1
    state.member[g, state.size[g]] = row
    state.size[g] += 1
    state.counts[a, state.value[row]] -= 1
    state.counts[g, state.value[row]] += 1
    state.of[row] = g


@compiled
def _tried(sides: Widths, state: _Exchanges, first: int, last: int) -> int:
    """The best move or exchange of some rows in turn, where it helps; how many did."""
    width, far = state.codes.shape[1], np.int64(1) << 62
    lo, hi = np.empty(width, dtype=np.int64), np.empty(width, dtype=np.int64)
    low, high = np.empty(width, dtype=np.int64), np.empty(width, dtype=np.int64)
    made, wide = 0, max(WIDE, 3 * state.asked[0])
    for u in range(first, last):
        a = state.of[u]
        size = state.size[a]
        if size > wide:
            continue
        hull_without(state.codes, state.member, state.size, a, u, -1, lo, hi)
        point = state.codes[u]
        own = size * beside(sides, lo, hi, point, far) if size > 1 else np.int64(0)
        best, home, partner = np.int64(0), -1, -1
        for n in range(state.near.shape[1]):
            b = state.of[state.near[u, n]]
            there = state.size[b]
            if b == a or there > wide:
                continue
            hull_without(state.codes, state.member, state.size, b, -1, -1, low, high)
            other = there * beside(sides, low, high, state.codes[state.member[b, 0]], far)
            roomy = not state.asked[3] and there + 1 < state.member.shape[1]
            if roomy and _within(state, a, u, -1) and _within(state, b, -1, u):
                rest = (size - 1) * beside(sides, lo, hi, lo, far)
                change = rest + (there + 1) * beside(sides, low, high, point, far) - own - other
                if change < best:
                    best, home, partner = change, b, -1
            for i in range(there):
                w = state.member[b, i]
                if state.asked[3] and state.value[w] != state.value[u]:
                    continue
                mine = size * beside(sides, lo, hi, state.codes[w], far) if size > 1 else np.int64(0)
                if mine - own - other >= best:
                    continue
                hull_without(state.codes, state.member, state.size, b, w, -1, low, high)
                change = mine - own - other
                if there > 1:
                    change += there * beside(sides, low, high, point, far)
                if change < best and (
                    state.value[w] == state.value[u] or (_within(state, a, u, w) and _within(state, b, w, u))
                ):
                    best, home, partner = change, b, w
        if home >= 0:
            _put(state, u, home)
            if partner >= 0:
                _put(state, partner, a)
            made += 1
    return made
