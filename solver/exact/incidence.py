"""Which columns have which rows, in plain arrays that compiled code can use."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .program import Ints

__all__ = ["Members", "Sparse", "by_member", "transposed"]

Members = NDArray[np.int32]
"""One column per line: its rows in rising order (with repeats), then -1."""


class Sparse(NamedTuple):
    """Column j has a 1 at ``place[start[j]:start[j + 1]]``; a place that is named twice has a 2."""

    start: Ints
    place: NDArray[np.int32]


def transposed(sparse: Sparse, places: int) -> Sparse:
    """By place: the columns that have it, in rising order, each as often."""
    shape = len(sparse.start) - 1, places
    found = csr_array((np.ones(len(sparse.place), dtype=np.int8), sparse.place, sparse.start), shape).tocsc()
    return Sparse(found.indptr.astype(np.int64), found.indices)


def by_member(members: Members, rows: int) -> Sparse:
    """By row: the lines of `members` that have it, in rising order."""
    there = members >= 0
    start = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    return transposed(Sparse(start, members[there]), rows)
