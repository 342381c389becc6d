"""Whether a few groups leave any world: bounds and branching on a small dense table, compiled.

Explanations ask thousands of such questions about three or four groups each; for most of them the setting
up of a linear program costs more than the answer. Everything is in whole numbers, and the search is
complete unless it gives up.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...models.adversary.rows import Integers
from ...models.compiled import compiled

__all__ = ["EXCLUDED", "OPEN", "POSSIBLE", "any_world"]

EXCLUDED, POSSIBLE, OPEN = 0, 1, 2

NODES = 400
"""Most branchings of one question."""

DEPTH = 60
"""Most branchings on one way."""


@compiled
def any_world(
    place: Integers,
    sizes: Integers,
    allowed: NDArray[np.bool_],
    low: Integers,
    high: Integers,
    active: NDArray[np.bool_],
) -> int:
    """Whether counts fit some groups.

    Parameters
    ----------
    place : int64 array, shape (cells, releases)
        Group of each cell, -1 if there is none.
    sizes : int64 array, per cell
    allowed : bool array, shape (cells, values)
    low, high : int64 arrays, shape (groups, values)
        How many respondents of a group have a value, at least and at most.
    active : bool array, per group
        The groups asked about.

    Returns
    -------
    int
        `EXCLUDED` if no world fits, `POSSIBLE` if one does, `OPEN` if the search gave up.
    """
    cells, values = allowed.shape
    groups = len(active)
    here = np.zeros(cells, dtype=np.bool_)
    for c in range(cells):
        for t in range(place.shape[1]):
            if place[c, t] >= 0 and active[place[c, t]]:
                here[c] = True
    lower = np.empty((DEPTH + 1, cells, values), dtype=np.int64)
    upper = np.empty((DEPTH + 1, cells, values), dtype=np.int64)
    lower[0], upper[0] = 0, 0
    for c in range(cells):
        for v in range(values):
            if here[c] and allowed[c, v]:
                most = sizes[c]
                for t in range(place.shape[1]):
                    g = place[c, t]
                    if g >= 0 and active[g]:
                        most = min(most, high[g, v])
                upper[0, c, v] = most
    cell_waits = here.copy()
    row_waits = np.zeros((groups, values), dtype=np.bool_)
    for g in range(groups):
        if active[g]:
            row_waits[g] = True
    members = np.zeros((groups, cells), dtype=np.int64)
    number = np.zeros(groups, dtype=np.int64)
    for c in range(cells):
        for t in range(place.shape[1]):
            g = place[c, t]
            if g >= 0 and active[g]:
                members[g, number[g]] = c
                number[g] += 1
    # Per level the branch not yet tried: a count, its end that moves, and where to.
    branch = np.zeros((DEPTH + 1, 4), dtype=np.int64)
    depth, nodes = 0, 0
    while True:
        fits = _tightened(
            place,
            sizes,
            low,
            high,
            active,
            members,
            number,
            lower[depth],
            upper[depth],
            cell_waits,
            row_waits,
        )
        if fits:
            chosen, value = _loosest(here, lower[depth], upper[depth])
            if chosen < 0:
                return POSSIBLE
            nodes += 1
            if depth == DEPTH or nodes > NODES:
                return OPEN
            least, most = lower[depth, chosen, value], upper[depth, chosen, value]
            down, up = lower[depth, chosen].sum(), upper[depth, chosen].sum()
            # As much as would be there if all counts of the cell were as far from their ends.
            at = least + ((most - least) * (sizes[chosen] - down) * 2 + up - down) // (2 * (up - down))
            lower[depth + 1], upper[depth + 1] = lower[depth], upper[depth]
            branch[depth, 0], branch[depth, 1] = chosen, value
            if at > least:
                lower[depth + 1, chosen, value] = at
                branch[depth, 2], branch[depth, 3] = 1, at - 1
            else:
                upper[depth + 1, chosen, value] = least
                branch[depth, 2], branch[depth, 3] = 0, least + 1
            depth += 1
        else:
            depth -= 1
            if depth < 0:
                return EXCLUDED
            chosen, value = branch[depth, 0], branch[depth, 1]
            if branch[depth, 2] == 1:
                upper[depth, chosen, value] = branch[depth, 3]
            else:
                lower[depth, chosen, value] = branch[depth, 3]
            cell_waits[:] = False
            row_waits[:] = False
        cell_waits[chosen] = True
        for t in range(place.shape[1]):
            g = place[chosen, t]
            if g >= 0 and active[g]:
                row_waits[g, value] = True


@compiled
def _loosest(here: NDArray[np.bool_], lower: Integers, upper: Integers) -> tuple[int, int]:
    """An open count of the cell with the fewest open ones, and of it the one with the widest bounds."""
    best, fewest = -1, 0
    for c in range(len(here)):
        if here[c]:
            open_ = 0
            for v in range(lower.shape[1]):
                open_ += lower[c, v] < upper[c, v]
            if open_ and (best < 0 or open_ < fewest):
                best, fewest = c, open_
    if best < 0:
        return -1, -1
    value = int(np.argmax(upper[best] - lower[best]))
    return best, value


@compiled
def _tightened(
    place: Integers,
    sizes: Integers,
    low: Integers,
    high: Integers,
    active: NDArray[np.bool_],
    members: Integers,
    number: Integers,
    lower: Integers,
    upper: Integers,
    cell_waits: NDArray[np.bool_],
    row_waits: NDArray[np.bool_],
) -> bool:
    """Tighten bounds until nothing changes; False if rows contradict each other."""
    cells, values = lower.shape
    groups = len(active)
    while True:
        changed = False
        for c in range(cells):
            if not cell_waits[c]:
                continue
            cell_waits[c] = False
            least, most = 0, 0
            for v in range(values):
                least += lower[c, v]
                most += upper[c, v]
            if least > sizes[c] or most < sizes[c]:
                return False
            for v in range(values):
                down = max(lower[c, v], upper[c, v] + sizes[c] - most)
                up = min(upper[c, v], lower[c, v] + sizes[c] - least)
                if down == lower[c, v] and up == upper[c, v]:
                    continue
                if down > up:
                    return False
                least += down - lower[c, v]
                most += up - upper[c, v]
                lower[c, v], upper[c, v] = down, up
                changed = True
                cell_waits[c] = True
                for t in range(place.shape[1]):
                    g = place[c, t]
                    if g >= 0 and active[g]:
                        row_waits[g, v] = True
        for g in range(groups):
            for v in range(values):
                if not row_waits[g, v]:
                    continue
                row_waits[g, v] = False
                least, most = 0, 0
                for i in range(number[g]):
                    least += lower[members[g, i], v]
                    most += upper[members[g, i], v]
                if least > high[g, v] or most < low[g, v]:
                    return False
                if least >= low[g, v] and most <= high[g, v]:
                    continue
                for i in range(number[g]):
                    c = members[g, i]
                    down = max(lower[c, v], upper[c, v] + low[g, v] - most)
                    up = min(upper[c, v], lower[c, v] + high[g, v] - least)
                    if down == lower[c, v] and up == upper[c, v]:
                        continue
                    if down > up:
                        return False
                    least += down - lower[c, v]
                    most += up - upper[c, v]
                    lower[c, v], upper[c, v] = down, up
                    changed = True
                    cell_waits[c] = True
                    for t in range(place.shape[1]):
                        other = place[c, t]
                        if other >= 0 and active[other]:
                            row_waits[other, v] = True
        if not changed:
            return True
