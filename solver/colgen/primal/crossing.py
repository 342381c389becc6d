"""The best of two releases, part by part: what is cheaper in one place need not be in another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..column import Group
from ..table import Rows

__all__ = ["crossed"]


def crossed(rows: Rows, one: Sequence[Group], other: Sequence[Group]) -> list[Group]:
    """Groups of both, no dearer than either.

    Groups that both have are kept. The others are taken from one release or the other, part by part: no group
    of either reaches from one part into another, so each part publishes the same tuples in both.

    Complexity: O(members), besides connecting them.
    """
    first, second = (Counter(tuple(sorted(group)) for group in groups) for groups in (one, other))
    both = first & second
    mine, theirs = (list((groups - both).elements()) for groups in (first, second))
    if not mine:
        return list(one)
    apart = mine + theirs
    sizes = [len(group) for group in apart]
    start = np.append(0, np.cumsum(sizes))
    member = np.fromiter((r for group in apart for r in group), dtype=np.int32, count=int(start[-1]))
    # Groups are connected if they have a row in common: each with its rows, numbered after all groups.
    nodes = len(apart) + len(rows)
    ends = np.append(start, np.full(len(rows), start[-1]))
    links = csr_array((np.ones(len(member), dtype=np.int8), member + len(apart), ends), shape=(nodes, nodes))
    parts, part = connected_components(links, directed=False)
    cost, gain = np.array(rows.group_costs(apart), dtype=np.int64), np.zeros(parts, dtype=np.int64)
    np.add.at(gain, part[: len(mine)], cost[: len(mine)])
    np.subtract.at(gain, part[len(mine) : len(apart)], cost[len(mine) :])
    better = gain[part] > 0
    kept = [group for at, group in enumerate(apart) if better[at] == (at >= len(mine))]
    return [*both.elements(), *kept]
