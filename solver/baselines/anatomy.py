"""Anatomy's bucketization (Xiao and Tao, Anatomy: Simple and Effective Privacy Preservation).

Tuples are put into one bucket per sensitive value. While at least l buckets hold tuples, one
random tuple from each of the l largest buckets forms a new group. At the end fewer than
l buckets hold tuples, one each if at most 1/l of the tuples share a value; each of them joins a
random group without its value. So every group has l or more tuples, all with different
values. Quasi-identifiers play no part. Both parts of the algorithm "Anatomize" of VLDB 2006 are taken:
group creation and residue assignment; al Bouna, Clifton and Malluhi (Def. 3) cite it.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

import numpy as np

__all__ = ["bucketize"]


def bucketize(values: Sequence[str], l: int, seed: int = 0) -> list[list[int]] | None:  # noqa: E741
    """Group rows by their sensitive values.

    Parameters
    ----------
    values : sequence of str
        Sensitive value of each row.
    l : int
        Different values per group, at least 1.
    seed : int
        Decides ties between buckets and which tuple is taken.

    Returns
    -------
    list of list of int, or None
        Rows (from 0) of each group, sorted; None if more than 1/l of the rows share a value, in
        which case no such grouping exists.

    Notes
    -----
    O(n log m) for n rows and m different values, plus O(n/l) per left-over row.
    """
    random = np.random.default_rng(seed)
    buckets: dict[str, list[int]] = {}
    for row in map(int, random.permutation(len(values))):
        buckets.setdefault(values[row], []).append(row)
    if any(l * len(bucket) > len(values) for bucket in buckets.values()):
        return None
    names = list(buckets)  # in the order of the shuffled rows, so ties are random
    heap = [(-len(buckets[name]), rank) for rank, name in enumerate(names)]
    heapify(heap)
    groups: list[list[int]] = []
    while len(heap) >= l:
        largest = [heappop(heap) for _ in range(l)]
        groups.append([buckets[names[rank]].pop() for _, rank in largest])
        for size, rank in largest:
            if size < -1:
                heappush(heap, (size + 1, rank))
    for name in names:
        for row in buckets[name]:
            homes = [group for group in groups if all(values[other] != name for other in group)]
            homes[int(random.integers(len(homes)))].append(row)
    return [sorted(group) for group in groups]
