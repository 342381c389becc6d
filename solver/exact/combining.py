"""Rows of a sparse matrix combined and rounded: what `rank1` and `separation` do for thousands of cuts."""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ...models.compiled import borrowing, compiled
from .program import Ints

__all__ = ["Lines", "apart", "combined"]


class Lines(NamedTuple):
    """A sparse matrix line by line, for compiled code."""

    start: NDArray[np.int32]
    place: NDArray[np.int32]
    entry: Ints

    @classmethod
    def of(cls, matrix: csr_array) -> Lines:
        """The arrays of a matrix, not copied where they need not be."""
        short = matrix.indptr.astype(np.int32, copy=False), matrix.indices.astype(np.int32, copy=False)
        return cls(*short, matrix.data.astype(np.int64, copy=False))

    def matrix(self, columns: int) -> csr_array:
        """The same as a matrix."""
        return csr_array((self.entry, self.place, self.start), shape=(len(self.start) - 1, columns))


@borrowing
def _function(n: int, over: int, rest: int, grid: int) -> int:
    """The rounding of `rank1`."""
    return grid * (n // over) + grid * max(0, n % over - rest) // (over - rest)


@compiled
def combined(
    times: Lines, matrix: Lines, columns: int, over: Ints, rest: Ints, grid: Ints, sign: Ints, ends: Ints
) -> tuple[NDArray[np.int32], NDArray[np.int32], Ints, Ints]:
    """Sums of rows rounded, slacks put back: a matrix's arrays, limits; `RowStack` asks if they fit 64 bits.

    Parameters
    ----------
    times
        How often each line takes each row.
    matrix
        The rows.
    over, rest, grid
        Of each line: denominator, what its right side leaves, grid.
    sign
        Of each row's slack: 1 below a limit, -1 above one, 0 where there is none.
    ends
        Of each row: what it is limited by.

    Notes
    -----
    Complexity: the entries of the rows taken, and sorting those of each line.
    """
    lines, room = len(over), 1024
    start, limit = np.zeros(lines + 1, dtype=np.int32), np.zeros(lines, dtype=np.int64)
    place, entry = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int64)
    total, back = np.zeros(columns, dtype=np.int64), np.zeros(columns, dtype=np.int64)
    seen, noted = np.zeros(columns, dtype=np.bool_), np.empty(columns, dtype=np.int32)
    filled = 0
    for line in range(lines):
        number, right, put_back = 0, 0, 0
        for at in range(times.start[line], times.start[line + 1]):
            row, often = times.place[at], times.entry[at]
            right += often * ends[row]
            put = 0
            if sign[row] != 0:
                put = -sign[row] * _function(sign[row] * often, over[line], rest[line], grid[line])
                put_back += put * ends[row]
            for k in range(matrix.start[row], matrix.start[row + 1]):
                j = matrix.place[k]
                if not seen[j]:
                    seen[j] = True
                    noted[number] = j
                    number += 1
                total[j] += often * matrix.entry[k]
                back[j] += put * matrix.entry[k]
        limit[line] = grid[line] * (right // over[line]) + put_back
        if filled + number > room:
            room = 2 * (filled + number)
            place = np.concatenate((place[:filled], np.empty(room - filled, dtype=np.int32)))
            entry = np.concatenate((entry[:filled], np.empty(room - filled, dtype=np.int64)))
        noted[:number].sort()
        for k in range(number):
            j = noted[k]
            made = _function(total[j], over[line], rest[line], grid[line]) + back[j]
            if made != 0:
                place[filled], entry[filled] = j, made
                filled += 1
            seen[j], total[j], back[j] = False, 0, 0
        start[line + 1] = filled
    return start, place[:filled].copy(), entry[:filled].copy(), limit


@compiled
def apart(lines: Lines, columns: int, norm: NDArray[np.float64], most: int, alike: float) -> Ints:
    """The first lines, none at a smaller angle to one before than its cosine `alike` says.

    Notes
    -----
    Complexity: the entries of all lines for each line taken.
    """
    number, taken = len(norm), 0
    picked, out = np.empty(most, dtype=np.int64), np.zeros(number, dtype=np.bool_)
    one = np.zeros(columns, dtype=np.float64)
    for i in range(number):
        if taken == most:
            break
        if out[i]:
            continue
        picked[taken] = i
        taken += 1
        for k in range(lines.start[i], lines.start[i + 1]):
            one[lines.place[k]] = lines.entry[k]
        for other in range(i + 1, number):
            if out[other]:
                continue
            product = 0.0
            for k in range(lines.start[other], lines.start[other + 1]):
                product += one[lines.place[k]] * lines.entry[k]
            out[other] = product >= alike * max(norm[i] * norm[other], 1e-9)
        for k in range(lines.start[i], lines.start[i + 1]):
            one[lines.place[k]] = 0.0
    return picked[:taken]
