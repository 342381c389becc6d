"""A solution of an integer program on the word of HiGHS: something to begin with."""

from __future__ import annotations

from typing import Any, cast

import highspy  # pyright: ignore[reportMissingTypeStubs]
import numpy as np

from ..backends.highs import quiet_solver
from .program import FREE, Ints, Program

__all__ = ["guessed"]


def guessed(program: Program, seconds: float | None = None, seed: int = 0) -> Ints | None:
    """A solution that HiGHS' branch and bound finds, in whole numbers; None if it finds none.

    It keeps all rows and ends; that it is the cheapest must be proved.
    """
    solver = quiet_solver()
    solver.setOptionValue("random_seed", seed)
    solver.setOptionValue("mip_rel_gap", 0.0)
    if seconds is not None:
        solver.setOptionValue("time_limit", seconds)
    rows, columns = program.matrix.shape
    lp = cast("Any", highspy.HighsLp())
    lp.num_col_, lp.num_row_ = columns, rows
    lp.col_cost_ = program.cost.astype(float)
    lp.col_lower_, lp.col_upper_ = program.lower.astype(float), program.upper.astype(float)
    lp.row_lower_ = np.where(program.low <= -FREE, -highspy.kHighsInf, program.low.astype(float))
    lp.row_upper_ = np.where(program.high >= FREE, highspy.kHighsInf, program.high.astype(float))
    by_column = program.matrix.tocsc()
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = columns, rows
    lp.a_matrix_.start_ = by_column.indptr.astype(np.int32)
    lp.a_matrix_.index_ = by_column.indices.astype(np.int32)
    lp.a_matrix_.value_ = by_column.data.astype(float)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * columns
    solver.passModel(lp)
    solver.run()
    found = np.array(solver.getSolution().col_value)
    if len(found) != columns:
        return None
    x = np.rint(found).astype(np.int64)
    return x if program.holds(x) else None
