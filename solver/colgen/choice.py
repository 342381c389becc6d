"""HiGHS' branch and bound over listed groups: good releases, and a bound as good as floating point."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from ..backends.highs import INFINITY, best_integers
from ..schedule import SOLVERS
from .column import Columns, padded
from .cuts import Cuts
from .master import Group
from .pricing import Duals
from .table import Rows

__all__ = ["best_of"]

TOLERANCE = 1e-6
"""Relative."""


def best_of(
    rows: Rows,
    cuts: Cuts,
    duals: Duals,
    members: NDArray[np.int32],
    start: Sequence[Group] | None,
    *,
    nodes: int,
    seed: int,
    seconds: float | None,
) -> tuple[tuple[Group, ...] | None, int]:
    """The cheapest release of some groups that was found (or None), and the solver's bound on all of them.

    Parameters
    ----------
    duals
        The solver is given reduced costs. They rank releases as costs do and are far easier on it.
    members
        Groups to choose from, padded with -1; those of `start` are added.
    start
        A release to improve on.
    nodes, seed, seconds
        Limits and seed of the solver; the same limits give the same answer unless time runs out.

    Notes
    -----
    The bound is taken `TOLERANCE` lower than stated, the solver's own precision. It is not a proof.
    """
    if seconds is not None and seconds < SOLVERS.late_highs.least:
        return None, 0
    began = perf_counter()
    known, cuts = cuts, Cuts(rows)
    # Cuts without a dual only slow the solver down.
    cuts.add(known.sets[c] for c in np.flatnonzero(duals.cuts).tolist())
    first = list(start or ())
    columns = Columns(rows, max([members.shape[1], *map(len, first)]))
    columns.add(padded(members, columns.wide))
    columns.add(padded(first, columns.wide))
    sparse = columns.sparse(cuts)
    matrix = csc_array(
        (np.ones(len(sparse.place)), sparse.place, sparse.start),
        shape=(len(rows) + len(cuts), len(columns)),
        copy=True,
    )
    matrix.sum_duplicates()
    # Only the duals of equations: a cut may have slack, so its dual would change the order of releases.
    prices = np.concatenate([duals.rows, np.zeros(len(cuts), dtype=np.int64)])
    reduced = columns.cost * duals.scale - columns.total(sparse, prices)
    unit = float(duals.scale) * max(1.0, float(columns.cost.mean()) if len(columns) else 1.0)
    exactly, limit = rows.count.astype(float), cuts.limit.astype(float)
    found = best_integers(
        reduced / unit,
        np.zeros(len(columns)),
        np.full(len(columns), float(rows.count.max())),
        matrix,
        np.concatenate([exactly, np.full(len(cuts), -INFINITY)]),
        np.concatenate([exactly, limit]),
        start=columns.times(padded(first, columns.wide)).astype(float) if first else None,
        absolute_gap=0.99 * duals.scale / unit,
        nodes=nodes,
        seed=seed,
        seconds=None if seconds is None else seconds - (perf_counter() - began),
    )
    stated = found.bound * unit
    bound = 0
    if isfinite(stated):
        stated -= TOLERANCE * max(unit, abs(stated))
        bound = ceil((stated + int(duals.rows @ rows.count)) / duals.scale)
    if found.x is None:
        return None, bound
    chosen = columns.groups(np.repeat(np.arange(len(columns)), found.x))
    covered = np.bincount([row for group in chosen for row in group], minlength=len(rows))
    return chosen if (covered == rows.count).all() else None, bound
