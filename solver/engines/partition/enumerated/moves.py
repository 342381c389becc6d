"""Small changes of a clean release that lose less and leave it clean: cuts, moves, swaps of near groups."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ....colgen.covering import Ints
from ....settings import Clock
from .limits import ENUMERATED_LIMITS as LIMITS
from .pairs import PairLoss
from .state import RepairedGroups

__all__ = ["improve"]


def improve(state: RepairedGroups, clock: Clock, note: Callable[[], None]) -> None:
    """Change pairs of groups while that helps; ends when no pair can be changed, or with time.

    Parameters
    ----------
    state : RepairedGroups
        Clean; stays so.
    clock : Clock
    note : callable
        Called after every change.
    """
    tried: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    loss, changed = PairLoss.of(state.problem, state.rows), True
    while changed and not clock.over:
        changed = False
        order = sorted(range(len(state.groups)), key=lambda i: -state.costs[i])
        for group in [state.groups[index] for index in order]:
            if clock.over:
                return
            if group not in state.groups:
                continue
            for pair in _near(state, group):
                if pair in tried:
                    continue
                tried.add(pair)
                if _change(state, pair, loss, clock):
                    changed = True
                    note()
                    break


def _near(state: RepairedGroups, group: tuple[int, ...]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The group by itself, and with each of the groups that it would join at the least cost."""
    index = state.groups.index(group)
    low, high = state.boxes()
    sizes = np.array([len(other) for other in state.groups])
    joint = state.rows.box_cost(np.minimum(low, low[index]), np.maximum(high, high[index]))
    extra = joint * (sizes + sizes[index]) - np.array(state.costs)
    extra[index] = np.iinfo(np.int64).max
    near = np.argsort(extra, kind="stable")[: min(LIMITS.near, len(sizes) - 1)]
    return [(group, ()), *((group, state.groups[int(other)]) for other in near)]


def _change(
    state: RepairedGroups, pair: tuple[tuple[int, ...], tuple[int, ...]], loss: PairLoss, clock: Clock
) -> bool:
    """Try the ways to divide the tuples of a pair in two that lose less, the best first."""
    tuples = np.array(sorted(pair[0] + pair[1]))
    masks = _divisions(state.codes[tuples], np.isin(tuples, pair[0]), whole=not pair[1])
    if not len(masks):
        return False
    costs = _costs(state, tuples, masks) + _costs(state, tuples, ~masks)
    numbers = [state.groups.index(group) for group in pair if group]
    before = loss.value(sum(state.costs[number] for number in numbers), *map(len, pair))
    sizes = masks.sum(axis=1)
    for candidate in loss.order(costs, sizes, len(tuples))[: LIMITS.tested]:
        size = int(sizes[candidate])
        if loss.value(int(costs[candidate]), size, len(tuples) - size) >= before:
            return False
        first = tuple(tuples[masks[candidate]].tolist())
        second = tuple(tuples[~masks[candidate]].tolist())
        if clock.over:
            return False
        if not (state.admits(first) and state.admits(second)):
            continue
        groups = state.exchange(numbers, [first, second])
        if state.clean(groups):
            state.set(groups)
            return True
    return False


def _divisions(codes: Ints, now: NDArray[np.bool_], *, whole: bool) -> NDArray[np.bool_]:
    """Which tuples go to the first side: cuts along each attribute; moves and swaps from the present one."""
    count, attributes = codes.shape
    found: list[NDArray[np.bool_]] = []
    cuts = np.arange(1, count)
    most = max(LIMITS.least_cuts, LIMITS.cut // count)
    if len(cuts) > most:
        cuts = np.linspace(1, count - 1, most).astype(np.int64)
    for a in range(attributes):
        place = np.empty(count, dtype=np.int64)
        place[np.argsort(codes[:, a], kind="stable")] = np.arange(count)
        found += [place < size for size in cuts.tolist()]
    if not whole and count <= LIMITS.largest:
        ones, others = np.flatnonzero(now), np.flatnonzero(~now)
        for t in range(count):
            moved = now.copy()
            moved[t] = not moved[t]
            found.append(moved)
        for t in ones:
            for u in others:
                moved = now.copy()
                moved[t], moved[u] = False, True
                found.append(moved)
    masks = np.array(found).reshape(-1, count)
    sides = masks.sum(axis=1)
    return masks[(sides > 0) & (sides < count)]


def _costs(state: RepairedGroups, tuples: Ints, masks: NDArray[np.bool_]) -> Ints:
    codes = state.codes[tuples]
    low = np.where(masks[:, :, None], codes, np.iinfo(np.int64).max).min(axis=1)
    high = np.where(masks[:, :, None], codes, -1).max(axis=1)
    return masks.sum(axis=1) * state.rows.box_cost(low, high)
