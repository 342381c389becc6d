"""HiGHS' branch and bound over listed columns: good releases, and a bound as good as floating point."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, vstack

from ..backends.highs import INFINITY, best_integers
from ..exact.incidence import Members
from ..schedule import SOLVERS
from ..settings import Clock
from .column import Column, Table, lines_of
from .covering import Ints
from .cuts import Cuts
from .duals import Duals
from .pool import Pool

__all__ = ["best_of", "entries"]

TOLERANCE = 1e-6
"""Relative precision of the solver's bound."""


def best_of(
    table: Table,
    columns: Members | Sequence[Column],
    start: Sequence[Column | Sequence[int]] | None,
    *,
    duals: Duals | None = None,
    cuts: Cuts | None = None,
    fakes: int | None = None,
    nodes: int,
    seed: int,
    clock: Clock,
) -> tuple[tuple[Column, ...] | None, int]:
    """The cheapest release of some columns that was found (or None), and the solver's bound on all of them.

    Parameters
    ----------
    columns
        To choose from; those of `start` are added.
    start
        A release to improve on, as columns or as rows of groups.
    duals
        The solver is given reduced costs. They rank releases as costs do and are far easier on it.
    cuts
        To post beside; those with a dual, if there are duals, for the others only slow the solver down.
    fakes
        Most counterfeits; no limit by default. Where tuples may be suppressed, the limit is on these.
    nodes, seed, clock
        Limits and seed of the solver; the same limits give the same answer unless time runs out.

    Notes
    -----
    The bound is taken `TOLERANCE` lower than stated, the solver's own precision. It is not a proof.
    """
    if not clock.fits(max(SOLVERS.late_highs.least, SOLVERS.unheard.value * len(columns) ** 2)):
        return None, 0
    rows, fakes = table.rows, table.rows.spare or fakes
    first = lines_of(start or ())
    lines = columns if isinstance(columns, np.ndarray) else lines_of(columns)
    pool = Pool(table, max(lines.shape[1], first.shape[1]))
    pool.add(lines)
    pool.add(first)
    program = _Priced.of(pool, duals, Cuts(rows) if cuts is None else cuts, fakes)
    unit = program.unit
    found = best_integers(
        program.reduced / unit,
        np.zeros(len(pool)),
        program.upper,
        program.matrix,
        program.low,
        program.high,
        start=pool.times(first).astype(float) if len(first) else None,
        absolute_gap=0.99 * program.scale / unit,
        nodes=nodes,
        seed=seed,
        seconds=clock.rest,
        steps=clock.left if clock.counted else None,
    )
    bound = _bound(found.bound * unit, unit, program.paid, program.scale)
    return None if found.x is None else _chosen(pool, found.x, fakes), bound


class _Priced(NamedTuple):
    """What the solver is told."""

    reduced: Ints
    """Reduced costs of columns."""
    scale: int
    """How many of their units one unit of cost is."""
    unit: float
    """They are divided by it, so that the solver sees numbers near 1."""
    paid: int
    """What the duals of equations add up to."""
    upper: NDArray[np.float64]
    matrix: csc_array
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def of(cls, pool: Pool, duals: Duals | None, known: Cuts, fakes: int | None) -> _Priced:
        rows = pool.table.rows
        posted = known if duals is None else known.some(rows, np.flatnonzero(duals.cuts).tolist())
        scale, price = (
            (1, np.zeros(len(rows), dtype=np.int64)) if duals is None else (duals.scale, duals.rows)
        )
        sparse = pool.sparse(posted)
        matrix, upper = entries(pool, sparse.place, sparse.start, len(posted))
        # Only the duals of equations: another row may have slack, its dual would change the releases' order.
        reduced = pool.cost * scale - pool.total(sparse, np.pad(price, (0, len(posted))))
        unit = float(scale) * max(1.0, float(pool.cost.mean()) if len(pool) else 1.0)
        low = np.concatenate([rows.count.astype(float), np.full(len(posted), -INFINITY)])
        high = np.concatenate([rows.count, posted.limit]).astype(float)
        if fakes is not None:
            matrix = _with_row(matrix, pool.table.limited(pool.lines))
            low, high = np.append(low, -INFINITY), np.append(high, float(fakes))
        return cls(reduced, scale, unit, int(price @ rows.count), upper, matrix, low, high)


def _chosen(pool: Pool, times: Ints, fakes: int | None) -> tuple[Column, ...] | None:
    """The columns, so many times each, if they are a release."""
    count = pool.table.rows.count
    chosen = pool.columns(np.repeat(np.arange(len(pool)), times))
    covered = np.bincount([row for column in chosen for row in column.rows], minlength=len(count))
    kept = fakes is None or int(pool.table.limited(pool.lines) @ times) <= fakes
    return chosen if kept and bool((covered == count).all()) else None


def _bound(stated: float, unit: float, paid: int, scale: int) -> int:
    """What the solver's bound on reduced costs says of costs; 0 if it has none."""
    if not isfinite(stated):
        return 0
    return ceil((stated - TOLERANCE * max(unit, abs(stated)) + paid) / scale)


def entries(
    pool: Pool, place: NDArray[np.int32], start: Ints, cuts: int
) -> tuple[csc_array, NDArray[np.float64]]:
    """Entries of rows and cuts by column, and how often each column can be taken."""
    rows = pool.table.rows
    matrix = csc_array((np.ones(len(place)), place, start), shape=(len(rows) + cuts, len(pool)), copy=True)
    matrix.sum_duplicates()
    often = np.full(len(pool), float(rows.count.max()))
    column = np.repeat(np.arange(len(pool)), np.diff(matrix.indptr))
    inside = matrix.indices < len(rows)
    np.minimum.at(often, column[inside], rows.count[matrix.indices[inside]] // matrix.data[inside])
    return matrix, often


def _with_row(matrix: csc_array, row: Ints) -> csc_array:
    return csc_array(vstack([matrix, csc_array(row[None, :].astype(float))], format="csc"))
