"""Many boxes and points as integer arrays, so that all pairs can be compared at once.

Interval ends and numbers become ranks among all numbers that occur; sets of categories become
bit masks. Both keep `Cell.meets` and `Cell.covers` exactly. A point is the box that holds
nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..box import Box, Cell, Exact, Interval, Point
from ..errors import ReleaseError

__all__ = ["BoxSpace", "Coded", "meeting"]

Coded: TypeAlias = tuple[NDArray[np.uint64] | NDArray[np.int64], ...]
"""One array per attribute: (n, 2) signed ends of intervals, or (n, words) unsigned masks."""

ROWS = 2**22
"""Pairs compared at a time."""


class BoxSpace:
    """The numbers and categories of some boxes and points, and their codes.

    Parameters
    ----------
    boxes, points : sequence
        Everything that will be coded.

    Raises
    ------
    ReleaseError
        If an attribute is numeric in one place and categorical in another.
    """

    def __init__(self, boxes: Sequence[Box], points: Sequence[Point]) -> None:
        self._codes: list[dict[Exact, int]] = []
        self._numeric: list[bool] = []
        for a in range(len(boxes[0]) if boxes else 0):
            cells = {box[a] for box in boxes}
            values = {point[a] for point in points}
            numeric = any(isinstance(cell, Interval) for cell in cells)
            known: set[Exact] = set(values)
            for cell in cells:
                known |= {cell.lo, cell.hi} if isinstance(cell, Interval) else cell.values
            if any(isinstance(value, Fraction) != numeric for value in known):
                raise ReleaseError(
                    f"attribute {a + 1} is numeric in one release and categorical in another: "
                    "one series keeps its columns"
                )
            ordered = sorted(known, key=lambda value: (value, "") if numeric else (0, value))
            self._codes.append({value: code for code, value in enumerate(ordered)})
            self._numeric.append(numeric)

    def coded(self, boxes: Sequence[Box | Point]) -> Coded:
        """Codes of boxes, and of points: boxes around one point each."""
        return tuple(self._column(a, [box[a] for box in boxes]) for a in range(len(self._codes)))

    def _column(self, a: int, column: Sequence[Cell | Exact]) -> NDArray[np.uint64] | NDArray[np.int64]:
        codes = self._codes[a]
        unique: dict[Cell | Exact, int] = {}
        places = np.fromiter((unique.setdefault(item, len(unique)) for item in column), np.int64, len(column))
        if self._numeric[a]:
            ends = [
                (codes[item.lo], codes[item.hi]) if isinstance(item, Interval) else (codes[item],) * 2  # pyright: ignore[reportArgumentType]
                for item in unique
            ]
            return np.array(ends, dtype=np.int64).reshape(-1, 2)[places]
        masks = np.zeros((len(unique), max(1, -(-len(codes) // 64))), dtype=np.uint64)
        for row, item in enumerate(unique):
            for value in (item,) if isinstance(item, str) else item.values:  # pyright: ignore[reportAttributeAccessIssue]
                word, bit = divmod(codes[value], 64)
                masks[row, word] |= np.uint64(1 << bit)
        return masks[places]


def meeting(one: Coded, other: Coded) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Index pairs (i, j) of boxes that have a point in common, sorted by i, then j.

    O(n m) elementary comparisons per attribute, in blocks of bounded memory.
    """
    found = list(_blocks(one, other))
    if not found:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return np.concatenate([i for i, _ in found]), np.concatenate([j for _, j in found])


def _blocks(one: Coded, other: Coded) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    count = len(one[0]) if one else 0
    width = len(other[0]) if other else 0
    step = max(1, ROWS // max(1, width))
    for start in range(0, count, step):
        common = np.ones((min(step, count - start), width), dtype=bool)
        for mine, others in zip(one, other, strict=True):
            part = mine[start : start + step]
            if mine.dtype == np.int64:
                common &= part[:, None, 0] <= others[None, :, 1]
                common &= others[None, :, 0] <= part[:, None, 1]
                continue
            shared = np.zeros_like(common)
            for word in range(part.shape[1]):
                shared |= (part[:, None, word] & others[None, :, word]) != 0
            common &= shared
        i, j = np.nonzero(common)
        yield (i + start).astype(np.int64), j.astype(np.int64)
