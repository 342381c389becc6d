"""What the compiled search is asked, and its working memory, in plain arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..covering import Cells, Geometry, Ints, Steps

__all__ = ["CutIndex", "Question", "Stack", "question", "stack"]


class CutIndex(NamedTuple):
    """Cuts by row: row r is in cuts ``cut[start[r]:start[r + 1]]``; duals at most 0, divisors above 1."""

    start: Ints
    cut: Ints
    dual: Ints
    divisor: Ints


class Question(NamedTuple):
    """What does not change during a search; see `Rows` and `Histograms` for the first five.

    Attributes
    ----------
    dual, scale
        Integer duals of the rows, in 1 / scale of a cost.
    falling, rank : shape (rows,)
        Rows by falling dual, and each row's place among them.
    cell_best, tail_best : shape (cells,)
        Largest dual in a cell, and in it or any later one.
    copies : shape (rows,)
        How many tuples of a row one group may take.
    """

    geometry: Geometry
    cells: Cells
    value: Ints
    counts: Ints
    steps: Steps
    cuts: CutIndex
    dual: Ints
    scale: int
    falling: Ints
    rank: Ints
    cell_best: Ints
    tail_best: Ints
    copies: Ints


class Stack(NamedTuple):
    """Working memory: one entry per depth, the group so far and the candidates ``listed[at:length]``.

    Attributes
    ----------
    sure
        Duals of the members plus penalties of cuts.
    seen, taken
        Counts of values in the group, and in a sum being made.
    touched
        How many members of each cut's set are in the group.
    top
        Best sums of 0, 1, 2, ... further duals.
    near, way
        Rows near the anchor and how far they are.
    active, away
        Cells near the anchor and how far they are.
    """

    listed: NDArray[np.int32]
    length: Ints
    at: Ints
    lo: Ints
    hi: Ints
    sure: Ints
    box: Ints
    state: Ints
    member: Ints
    seen: Ints
    taken: Ints
    touched: Ints
    top: Ints
    near: Ints
    way: Ints
    active: Ints
    away: Ints


def question(
    geometry: Geometry,
    cells: Cells,
    value: Ints,
    count: Ints,
    steps: Steps,
    cuts: CutIndex,
    dual: Ints,
    scale: int,
) -> Question:
    """Put a question together."""
    falling = np.argsort(-dual, kind="stable")
    rank = np.empty(len(dual), dtype=np.int64)
    rank[falling] = np.arange(len(dual))
    cell_best = np.maximum.reduceat(dual, cells.start[:-1])
    return Question(
        geometry,
        cells,
        value,
        count,
        steps,
        cuts,
        dual,
        scale,
        falling,
        rank,
        cell_best,
        np.maximum.accumulate(cell_best[::-1])[::-1].copy(),
        count if steps.beyond else np.minimum(count, max(1, steps.largest)),
    )


def stack(q: Question) -> Stack:
    """Working memory for one thread."""
    rows, attributes = q.geometry.codes.shape
    deep = max(1, q.steps.largest)
    values = int(q.value.max()) + 1

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return Stack(
        np.zeros((deep + 1, int(q.copies.sum())), dtype=np.int32),
        zeros(deep + 1),
        zeros(deep + 1),
        zeros(deep + 1, attributes),
        zeros(deep + 1, attributes),
        zeros(deep + 1),
        zeros(deep + 1),
        zeros(deep + 1),
        zeros(deep + 1),
        zeros(values),
        zeros(values),
        zeros(len(q.cuts.dual) + 1),
        zeros(deep + 2),
        zeros(rows),
        zeros(rows),
        zeros(len(q.cells.start)),
        zeros(len(q.cells.start)),
    )
