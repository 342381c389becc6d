"""New tuples that are in no group yet, and how the next ones around a place are found.

Rows are in kd order, neighbours near one another. So only a window of the rows of a value around
a place is looked at: all of them in small tables, fewer the larger the table, so that the work grows
with the number of tuples alone.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....models.compiled import borrowing
from ..covering import Ints
from ..structure.types import Types
from .limits import MIXING as LIMITS

__all__ = ["Free", "apart", "to_left", "to_right"]

Floats = NDArray[np.float64]


class Free:
    """New tuples that are in no group yet.

    Attributes
    ----------
    left : int array, shape (rows,)
        How many of each row.
    rows, start : int arrays
        The new rows, by value and place; where each value starts.
    """

    def __init__(self, types: Types) -> None:
        new = types.home < 0
        self.values = len(types.rules.values)
        self.left = np.where(new, types.rows.count, 0)
        found = np.flatnonzero(new)
        self.rows = found[np.argsort(types.rows.value[found], kind="stable")]
        counts = np.bincount(types.rows.value[found], minlength=self.values)
        self.start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        # The next place to each side with tuples left; paths are shortened whenever they are walked.
        self.after = np.arange(len(found) + 1, dtype=np.int64)
        self.before = np.arange(len(found) + 1, dtype=np.int64)

    def back(self, rows: Ints) -> None:
        """Take tuples back."""
        np.add.at(self.left, rows, 1)
        self.after[:] = self.before[:] = np.arange(len(self.after))

    def reach(self, types: Types, searches: int, width: int) -> int:
        """Rows to each side that so many searches among `width` lists may look at."""
        attributes = types.rows.geometry.codes.shape[1]
        return min(LIMITS.most, max(LIMITS.least, LIMITS.work // max(1, 2 * searches * width * attributes)))


def apart(types: Types) -> Floats:
    """Rows as points: one step of a code is as long as it costs; a taxonomy's leaves lie a share apart."""
    geometry = types.rows.geometry
    share = types.rows.scale // np.maximum(1, geometry.side)
    step = np.where(geometry.tree < 0, geometry.weight, share).astype(float)
    return geometry.codes * step / types.rows.scale


@borrowing
def to_right(after: Ints, left: Ints, rows: Ints, i: int, end: int) -> int:
    """The first place from i on with a tuple left, or `end`."""
    found = i
    while found < end and left[rows[found]] == 0:
        found = max(after[found], found + 1)
    while i < found:
        i, after[i] = max(after[i], i + 1), found
    return found


@borrowing
def to_left(before: Ints, left: Ints, rows: Ints, i: int, begin: int) -> int:
    """The last place up to i with a tuple left, or one before `begin`."""
    found = i
    while found >= begin and left[rows[found]] == 0:
        found = min(before[found], found - 1)
    while i > found:
        i, before[i] = min(before[i], i - 1), found
    return found


@borrowing
def near_rows(
    after: Ints,
    before: Ints,
    left: Ints,
    rows: Ints,
    begin: int,
    middle: int,
    end: int,
    reach: int,
    found: Ints,
) -> int:
    """Rows with a tuple left near a place, so many to its right, then as many to its left; how many."""
    number, i = 0, to_right(after, left, rows, middle, end)
    for _ in range(reach):
        if i >= end:
            break
        found[number] = rows[i]
        number += 1
        i = to_right(after, left, rows, i + 1, end)
    i = to_left(before, left, rows, middle - 1, begin)
    for _ in range(reach):
        if i < begin:
            break
        found[number] = rows[i]
        number += 1
        i = to_left(before, left, rows, i - 1, begin)
    return number
