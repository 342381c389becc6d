"""Tuples left out where that is cheapest, as long as some may be suppressed.

In a release of rows a group of one row is a tuple that is suppressed; no smaller group than two is
admissible where tuples may be. A group that loses a tuple has the tightest box around the others.
Tuples whose groups gain most go first, one of each group at a time: boxes are measured anew after
every pass. Then dear groups are given up as a whole, if their tuples cost less elsewhere or suppressed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..column import Group
from ..covering import Ints
from ..limits import SUPPRESSING as LIMITS
from ..structure.histograms import Judge
from ..table import Rows

__all__ = ["left_out", "suppressed"]


def suppressed(groups: Sequence[Group]) -> int:
    """How many tuples groups of one row leave out."""
    return sum(len(group) == 1 for group in groups)


def left_out(rows: Rows, judge: Judge, groups: Sequence[Group]) -> list[Group]:
    """The groups, less tuples that cost less if they are suppressed; never more than `Rows.spare`.

    Complexity: O(n log n) for each attribute and pass.
    """
    alone = [group for group in groups if len(group) == 1]
    others = [list(group) for group in groups if len(group) > 1]
    room = rows.spare - len(alone)
    for _ in range(LIMITS.passes):
        if room <= 0 or not others:
            break
        gone = _best_of_each(rows, judge, others, room)
        for at, seat in gone:
            alone.append((others[at].pop(seat),))
        room -= len(gone)
        if not gone:
            break
    found = [*map(tuple, others), *alone]
    return _given_up(rows, judge, found) if room > 0 and len(others) > 1 else found


def _given_up(rows: Rows, judge: Judge, groups: Sequence[Group]) -> list[Group]:
    """Without groups that cost more than their tuples do in other groups, or suppressed."""
    kept = list(groups)
    costs = np.array(rows.group_costs(kept))
    # At least one tuple is suppressed: moving all of them is for moves.
    dear = [j for j in np.argsort(-costs, kind="stable")[: LIMITS.dear].tolist() if costs[j] > rows.single]
    for place in dear:
        spread = _spread(rows, judge, kept, place, rows.spare - suppressed(kept))
        if spread is not None and _cost(rows, spread) < _cost(rows, kept):
            # Places of the dear groups that are left stay what they are.
            kept = spread
    return [group for group in kept if group]


def _cost(rows: Rows, groups: Sequence[Group]) -> int:
    """What groups cost, some of which may be empty."""
    return sum(rows.group_costs([group for group in groups if group]))


def _spread(rows: Rows, judge: Judge, groups: list[Group], place: int, room: int) -> list[Group] | None:
    """A group's tuples each suppressed or in another group, whichever costs less; None if that cannot be.

    Its place is empty then.
    """
    found, values = list(groups), judge.told_apart
    found[place] = ()
    homes = [j for j, group in enumerate(found) if len(group) > 1]
    if len(groups[place]) < 2 or not homes:
        return None
    codes = rows.geometry.codes
    lo = np.array([codes[list(found[j])].min(axis=0) for j in homes])
    hi = np.array([codes[list(found[j])].max(axis=0) for j in homes])
    size = np.array([len(found[j]) for j in homes])
    for u in groups[place]:
        cost = size * rows.box_cost(lo, hi)
        more = (size + 1) * rows.box_cost(np.minimum(lo, codes[u]), np.maximum(hi, codes[u])) - cost
        for at in np.argsort(more, kind="stable")[: LIMITS.nearest].tolist():
            if room > 0 and more[at] >= rows.single:
                continue
            joined = (*found[homes[at]], u)
            if judge.admits(tuple(np.bincount(rows.value[list(joined)], minlength=values).tolist())):
                found[homes[at]], size[at] = tuple(sorted(joined)), size[at] + 1
                lo[at], hi[at] = np.minimum(lo[at], codes[u]), np.maximum(hi[at], codes[u])
                break
        else:
            if room <= 0:
                return None
            found.append((u,))
            room -= 1
    return found


def _best_of_each(rows: Rows, judge: Judge, groups: Sequence[list[int]], room: int) -> list[tuple[int, int]]:
    """Places of groups, and of members in them, by whose going most is gained; at most `room`."""
    size = np.array([len(group) for group in groups])
    home, start = np.repeat(np.arange(len(groups)), size), np.cumsum(size) - size
    flat = np.fromiter((row for group in groups for row in group), dtype=np.int64, count=int(size.sum()))
    codes = rows.geometry.codes[flat]
    lo, hi = _without(codes, home, start, size, lowest=True), _without(codes, home, start, size, lowest=False)
    whole = size * rows.box_cost(np.minimum.reduceat(codes, start), np.maximum.reduceat(codes, start))
    gain = whole[home] - (size[home] - 1) * rows.box_cost(lo, hi) - rows.single
    wanted = np.flatnonzero((gain > 0) & (size[home] > judge.least))
    values = judge.told_apart
    if len(wanted) and not judge.blind:
        counts = np.zeros((len(groups), values), dtype=np.int64)
        np.add.at(counts, (home, rows.value[flat]), 1)
        after = counts[home[wanted]]
        after[np.arange(len(wanted)), rows.value[flat[wanted]]] -= 1
        wanted = wanted[judge.verdicts(after)]
    elif len(wanted):
        wanted = wanted[judge.verdicts((size[home[wanted]] - 1)[:, None])]
    order = wanted[np.argsort(-gain[wanted], kind="stable")]
    _, first = np.unique(home[order], return_index=True)
    chosen = order[np.sort(first)[:room]]
    return [(int(home[t]), int(t - start[home[t]])) for t in chosen.tolist()]


def _without(codes: Ints, home: Ints, start: Ints, size: Ints, *, lowest: bool) -> Ints:
    """The lowest (or highest) code of each member's group without that member, by attribute."""
    found = np.empty_like(codes)
    for a in range(codes.shape[1]):
        column = codes[:, a] if lowest else -codes[:, a]
        order = np.lexsort((column, home))
        ordered = column[order]
        second = ordered[np.minimum(start + 1, start + size - 1)]
        found[:, a] = ordered[start][home]
        found[order[start], a] = second
        if not lowest:
            found[:, a] *= -1
    return found
