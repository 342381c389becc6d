"""HiGHS' branch and bound over listed groups: good releases, and a bound as good as floating point."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite
from time import perf_counter
from typing import Any, cast

import highspy  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from ..backends.highs import quiet_solver
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
    solver = quiet_solver()
    for option, value in (
        ("mip_max_nodes", nodes),
        ("random_seed", seed),
        ("mip_rel_gap", 0.0),
        ("mip_abs_gap", 0.99 * duals.scale / unit),
    ):
        solver.setOptionValue(option, value)
    lp = cast("Any", highspy.HighsLp())
    lp.num_col_, lp.num_row_ = len(columns), len(rows) + len(cuts)
    lp.col_cost_ = reduced / unit
    lp.col_lower_, lp.col_upper_ = np.zeros(len(columns)), np.full(len(columns), float(rows.count.max()))
    exactly, limit = rows.count.astype(float), cuts.limit.astype(float)
    lp.row_lower_ = np.concatenate([exactly, np.full(len(cuts), -highspy.kHighsInf)])
    lp.row_upper_ = np.concatenate([exactly, limit])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = lp.num_col_, lp.num_row_
    lp.a_matrix_.start_ = matrix.indptr.astype(np.int32)
    lp.a_matrix_.index_ = matrix.indices.astype(np.int32)
    lp.a_matrix_.value_ = matrix.data
    lp.integrality_ = [highspy.HighsVarType.kInteger] * len(columns)
    solver.passModel(lp)
    if first:
        given = cast("Any", highspy.HighsSolution())
        given.col_value = columns.times(padded(first, columns.wide)).astype(float)
        solver.setSolution(given)
    if seconds is not None:
        left = seconds - (perf_counter() - began)
        solver.setOptionValue("time_limit", max(0.0, left - SOLVERS.late_highs.seconds(left, 0.0)))
    solver.run()
    info = solver.getInfo()
    stated = float(info.mip_dual_bound) * unit
    bound = 0
    if isfinite(stated):
        stated -= TOLERANCE * max(unit, abs(stated))
        bound = ceil((stated + int(duals.rows @ rows.count)) / duals.scale)
    if info.primal_solution_status != int(highspy.SolutionStatus.kSolutionStatusFeasible):
        return None, bound
    amount = np.rint(np.array(solver.getSolution().col_value)).astype(np.int64)
    chosen = columns.groups(np.repeat(np.arange(len(columns)), amount))
    covered = np.bincount([row for group in chosen for row in group], minlength=len(rows))
    return chosen if (covered == rows.count).all() else None, bound
