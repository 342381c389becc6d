"""What requirements whose meaning is a search ask of solvers: see `models.backend`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model
from scipy.sparse import csc_array

from ...models.errors import EngineError
from ..status import Status
from . import cpsat
from .highs import INFINITY, LinearProgram, LPStatus

__all__ = ["SolverBackend", "solver_backend"]

Floats = NDArray[np.float64]


class SolverBackend:
    """CP-SAT to the end, and HiGHS."""

    def optimum(self, model: cp_model.CpModel) -> Callable[[cp_model.LinearExprT], int] | None:
        """Values in a best solution; None if there is no solution."""
        run = cpsat.solved(model, seconds=None, seed=1)
        if run.status is Status.INFEASIBLE:
            return None
        if run.status is not Status.OPTIMAL:
            raise EngineError(f"the search for linear combinations ended with {run.status.value}")
        return run.value

    def duals(self, cost: Floats, matrix: csc_array, low: Floats, high: Floats) -> Floats | None:
        """Duals of rows at least cost over columns of at least 0; None if there is no optimum."""
        program, columns = LinearProgram(), len(cost)
        program.load(cost, np.zeros(columns), np.full(columns, INFINITY), matrix, low, high)
        return program.duals if program.run() is LPStatus.OPTIMAL else None


def solver_backend() -> SolverBackend:
    """The backend that the package provides."""
    return SolverBackend()
