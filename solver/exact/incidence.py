"""Which columns have which rows, in plain arrays that compiled code can use."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .program import Ints

__all__ = ["Members", "Sparse", "by_member"]

Members = NDArray[np.int32]
"""One column per line: its rows in rising order (with repeats), then -1."""


class Sparse(NamedTuple):
    """Column j has a 1 at ``place[start[j]:start[j + 1]]``; a place that is named twice has a 2."""

    start: Ints
    place: NDArray[np.int32]


def by_member(members: Members, rows: int) -> Sparse:
    """By row: the lines of `members` that have it, in rising order."""
    there = members >= 0
    lines, flat = np.nonzero(there)[0].astype(np.int32), members[there]
    order = np.argsort(flat, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(flat, minlength=rows))])
    return Sparse(start.astype(np.int64), lines[order])
