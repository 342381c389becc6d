"""Separation of cuts over larger sets of rows, as local search over parities.

A fractional solution satisfies the rows' equations, so over a set with an odd total b the cut's left side is
``(b - mass of groups with an odd number of members in the set) / 2``: it is broken exactly if that odd
mass is below 1. Starting from one row (odd mass 1), pairs of rows are put in or taken
out as long as the odd mass falls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .cuts import Cuts, violated
from .rows import Ints, Rows

__all__ = ["odd_sets", "separated"]

NEAR = 60
"""Rows beside the first one that are tried."""
STEPS = 8
FEW = 10
"""So few cuts over three rows make it worth while to look for larger sets."""


def odd_sets(
    groups: Sequence[tuple[int, ...]],
    amount: NDArray[np.float64],
    rows: Rows,
    known: Cuts,
    *,
    most: int,
    per_row: int = 12,
    least: float = 0.02,
) -> list[tuple[int, ...]]:
    """Sets of rows whose cut a fractional solution breaks by at least `least`, worst first.

    `groups` and `amount` are all groups of the solution that are taken.

    Complexity: per row, a few products of matrices of at most `NEAR` columns.
    """
    inside = np.zeros((len(groups), len(rows)), dtype=np.int8)
    for line, group in enumerate(groups):
        for row in group:
            inside[line, row] ^= 1
    odd = rows.count % 2 == 1
    old, broken = set(known.sets), dict[tuple[int, ...], float]()
    together = (inside.T.astype(np.float32) @ (inside * amount[:, None].astype(np.float32))) > 0
    split = inside[np.abs(amount - np.rint(amount)) > 1e-6]
    for row in np.flatnonzero(odd & split.any(axis=0)).tolist():
        mass, chosen = _descend(row, inside, amount, odd, together)
        if (1 - mass) / 2 >= least and chosen not in old:
            broken[chosen] = mass
    used: Counter[int] = Counter()
    picked: list[tuple[int, ...]] = []
    for chosen, _ in sorted(broken.items(), key=lambda item: (item[1], item[0])):
        if len(picked) < most and all(used[row] < per_row for row in chosen):
            picked.append(chosen)
            used.update(chosen)
    return picked


def separated(
    groups: Sequence[tuple[int, ...]], amount: NDArray[np.float64], rows: Rows, known: Cuts
) -> list[tuple[int, ...]]:
    """Cuts that a solution breaks: over three rows first, over larger sets if those are few."""
    taken = np.flatnonzero(amount > 1e-6)
    named, amount = [groups[j] for j in taken.tolist()], amount[taken]
    most = max(80, len(rows) // 2)
    split = np.flatnonzero(amount < 1 - 1e-6)
    fresh = violated([named[j] for j in split.tolist()], amount[split], rows, known, most=most)
    if len(fresh) < FEW:
        fresh += odd_sets(named, amount, rows, known, most=most // 2)
    return list(dict.fromkeys(fresh))


def _descend(
    row: int,
    inside: NDArray[np.int8],
    amount: NDArray[np.float64],
    odd: NDArray[np.bool_],
    together: NDArray[np.bool_],
) -> tuple[float, tuple[int, ...]]:
    """The least odd mass found from one row, with its set."""
    near = np.flatnonzero(together[row])
    if len(near) < NEAR:
        near = np.flatnonzero(together[near].any(axis=0))[:NEAR]
    near = near[:NEAR]
    lines = np.flatnonzero(inside[:, near].any(axis=1) | (inside[:, row] > 0))
    part, weight = inside[np.ix_(lines, near)].astype(np.float64), amount[lines]
    parity, taken, mass = inside[lines, row].astype(np.float64), {row}, float(inside[:, row] @ amount)
    is_odd: Ints = odd[near].astype(np.int64)
    for _ in range(STEPS):
        # Flipping a row moves the mass of its groups from even to odd or back.
        moved = weight * (1 - 2 * parity)
        gain = moved @ part
        change = gain[:, None] + gain[None, :] - 2 * (part.T @ (part * moved[:, None]))
        change[is_odd[:, None] + is_odd[None, :] != 2] = np.inf
        np.fill_diagonal(change, np.where(is_odd == 0, gain, np.inf))
        at = int(np.argmin(change))
        one, other = divmod(at, len(near))
        if change[one, other] > -1e-6:
            break
        mass += float(change[one, other])
        for j in {one, other}:
            parity = np.abs(parity - part[:, j])
            taken ^= {int(near[j])}
    return mass, tuple(sorted(taken))
