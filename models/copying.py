"""Arrays copied into others of the same length, in compiled code.

Numba compiles an assignment of an array to a slice with all there is to say about shapes that differ: the
first one in a process takes some seconds, which copies by loops do not.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from .compiled import borrowing

__all__ = ["copy_row", "copy_rows"]


@borrowing
def copy_row(values: NDArray[Any], into: NDArray[Any]) -> None:
    """Copy a row into the beginning of another. O(length)."""
    for i in range(len(values)):
        into[i] = values[i]


@borrowing
def copy_rows(values: NDArray[Any], into: NDArray[Any]) -> None:
    """Copy a table into the beginning of another, row by row. O(size)."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            into[i, j] = values[i, j]
