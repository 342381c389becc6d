r"""What the equations of a component fix, and which of its counts have nothing to do with each other.

With a slack for each row whose sides differ, the worlds of a component are whole numbers x within
bounds with ``A x = b``. Two worlds differ by an element of the kernel of A. Columns that are 0 in a
basis of the kernel are the same in all worlds: whoever knows one world knows them. Two columns are
*connected* if some vector of the basis is nonzero in both; for the basis that Gauss-Jordan elimination
gives, the connected parts are the finest ones of which the kernel is the direct sum, so the worlds
are the product of those of the parts (the components of the matroid of the columns; Oxley, Matroid
Theory). Bound propagation sees none of this, and components often fall apart into much smaller ones.

The elimination is done modulo a prime and its vectors are checked in whole numbers: the rank modulo
a prime is at most the rank, so as many independent whole vectors of the kernel as it leaves columns
free are a basis. If a vector fails the check nothing is concluded.

Why not a library: python-flint 0.9 (`nmod_mat.rref`, modulo the same prime; 27 MB) takes 9 ms of CPU for a
component of 231 rows and 392 columns and 18 ms for 293 and 529, besides 71 and 122 ms to hand the numbers
over and back; `_reduce` takes 1 and 2 ms. `linear` has an elimination of its own, sparse and in rationals,
because it must say which groups a vector comes from: 0.10 and 0.52 s there, where `fmpz_mat.rref` beside an
identity takes 0.11 and 0.23 s; its systems are smaller, and CP-SAT's search follows.
"""

# The stubs of numpy cannot say that indexing an array by numbers gives a number.
# pyright: reportReturnType=false, reportArgumentType=false, reportAssignmentType=false

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..compiled import compiled
from ..errors import OptanonError
from .propagation import Component
from .rows import Bounds, Integers, compact
from .tighten import tightened

__all__ = ["independent_parts"]

PRIME = 2**31 - 1

LARGEST = 1000
"""Of the numbers looked for in a whole vector of the kernel."""

DENOMINATORS = (1, 2, 3, 4, 5, 6, 12, 60)

WORK = 3 * 10**9
"""Components that would take more steps than this are left whole."""


def independent_parts(
    component: Component, bounds: Bounds, world: Integers
) -> tuple[Bounds, list[Component]]:
    """Bounds with what the equations fix, and components that are independent of each other.

    Parameters
    ----------
    component : Component
    bounds : Bounds
        Of the whole system; not changed.
    world : int64 array
        Any one world of the system.

    Returns
    -------
    bounds, parts
        Bounds of the whole system, tightened for the columns of the component; open parts, smallest
        first. A count not in a part is fixed.

    Notes
    -----
    O(rows * columns * rank), compiled, for the component and again for its parts.
    """
    lower, upper = bounds.lower.copy(), bounds.upper.copy()
    done: list[Component] = []
    todo = [component]
    while todo:
        whole = todo.pop()
        label = _labels(whole)
        if label is None:
            done.append(whole)
            continue
        width = len(whole.pairs)
        fixed = whole.pairs[label[:width] < 0]
        lower[fixed] = upper[fixed] = world[fixed]
        for number in np.unique(label[:width][label[:width] >= 0]).tolist():
            part = _restricted(whole, label == number, world)
            _tighten(part, lower, upper)
            free = lower[part.pairs] < upper[part.pairs]
            if free.all():
                done.append(part)
            elif free.any():
                slacks = np.ones(int((part.low < part.high).sum()), dtype=np.bool_)
                todo.append(_restricted(part, np.concatenate([free, slacks]), world))
    return Bounds(lower, upper), sorted(done, key=lambda part: len(part.pairs))


def _restricted(whole: Component, chosen: NDArray[np.bool_], world: Integers) -> Component:
    """The component of some columns, the others being as in the world or having nothing to do with them.

    `chosen` is about the pairs, then about the slacks of rows whose sides differ.
    """
    width = len(whole.pairs)
    slack = np.zeros(len(whole.rows), dtype=np.bool_)
    slack[whole.low < whole.high] = chosen[width:]
    kept = chosen[whole.entry_pair]
    counts = whole.entry_sign * world[whole.pairs][whole.entry_pair]
    own, others = np.zeros_like(whole.low), np.zeros_like(whole.low)
    np.add.at(own, whole.entry_row[kept], counts[kept])
    np.add.at(others, whole.entry_row[~kept], counts[~kept])
    rows = np.unique(whole.entry_row[kept])
    pairs = np.flatnonzero(chosen[:width])
    return Component(
        pairs=whole.pairs[pairs],
        rows=whole.rows[rows],
        entry_row=np.searchsorted(rows, whole.entry_row[kept]),
        entry_pair=np.searchsorted(pairs, whole.entry_pair[kept]),
        entry_sign=whole.entry_sign[kept],
        low=np.where(slack, whole.low - others, own)[rows],
        high=np.where(slack, whole.high - others, own)[rows],
    )


def _tighten(part: Component, lower: Integers, upper: Integers) -> None:
    entries = part.entry_row, part.entry_pair, part.entry_sign
    rows = compact(*entries, len(part.rows), len(part.pairs))
    least, most = lower[part.pairs], upper[part.pairs]
    fits, _ = tightened(rows, part.low, part.high, least, most)
    if not fits:
        raise OptanonError("the audit contradicts itself: please report this history")
    lower[part.pairs], upper[part.pairs] = least, most


def _labels(component: Component) -> Integers | None:
    """Part of each pair and then each slack, -1 if it is fixed; None if that could not be shown."""
    height, width = len(component.rows), len(component.pairs)
    slacks = np.flatnonzero(component.low < component.high)
    columns = width + len(slacks)
    if height * height * columns > WORK:
        return None
    matrix = np.zeros((height, columns), dtype=np.int64)
    matrix[component.entry_row, component.entry_pair] = component.entry_sign
    matrix[slacks, width + np.arange(len(slacks))] = 1
    reduced = matrix % PRIME
    pivots = _reduce(reduced, PRIME)
    free = np.setdiff1d(np.arange(columns), pivots)
    reduced = reduced[: len(pivots), free]
    if not _spans(matrix, pivots, free, reduced):
        return None
    row, column = np.nonzero(reduced)
    graph = coo_array((np.ones(len(row)), (pivots[row], free[column])), shape=(columns, columns))
    label = connected_components(graph, directed=False)[1].astype(np.int64)
    fixed = np.ones(columns, dtype=np.bool_)
    fixed[pivots[row]] = fixed[free] = False
    label[fixed] = -1
    return label


def _spans(matrix: Integers, pivots: Integers, free: Integers, reduced: Integers) -> bool:
    """Whether the reduced matrix gives whole vectors of the kernel, one per free column."""
    vectors = np.zeros((matrix.shape[1], len(free)), dtype=np.int64)
    left = np.ones(len(free), dtype=np.bool_)
    for scale in DENOMINATORS:
        whole = (-scale * reduced) % PRIME
        whole = np.where(whole > PRIME // 2, whole - PRIME, whole)
        fits = left & (np.abs(whole).max(axis=0, initial=0) <= LARGEST)
        vectors[np.ix_(pivots, np.flatnonzero(fits))] = whole[:, fits]
        vectors[free[fits], fits] = scale
        left &= ~fits
        if not left.any():
            break
    return not left.any() and not (matrix @ vectors).any()


@compiled
def _reduce(matrix: Integers, prime: int) -> Integers:
    """Gauss-Jordan elimination in place, modulo a prime below 2**31; the column of each pivot."""
    height, width = matrix.shape
    pivots = np.empty(min(height, width), dtype=np.int64)
    rank = 0
    for column in range(width):
        if rank == height:
            break
        at = rank
        while at < height and matrix[at, column] == 0:
            at += 1
        if at == height:
            continue
        if at != rank:
            for j in range(width):
                matrix[at, j], matrix[rank, j] = matrix[rank, j], matrix[at, j]
        inverse, power, rest = 1, matrix[rank, column], prime - 2
        while rest > 0:
            if rest & 1:
                inverse = inverse * power % prime
            power = power * power % prime
            rest >>= 1
        for j in range(column, width):
            matrix[rank, j] = matrix[rank, j] * inverse % prime
        for i in range(height):
            times = matrix[i, column]
            if i != rank and times != 0:
                for j in range(column, width):
                    if matrix[rank, j] != 0:
                        matrix[i, j] = (matrix[i, j] - times * matrix[rank, j]) % prime
        pivots[rank] = column
        rank += 1
    return pivots[:rank].copy()
