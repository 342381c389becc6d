"""HiGHS: linear programs kept warm, and integer programs; set up here and nowhere else.

One thread, no output, so that equal calls give equal answers. What HiGHS says is in floating point:
whoever needs it exact checks it in whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import version
from itertools import count
from threading import Event
from typing import Any, cast

import highspy  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from ..schedule import SOLVERS, WORK
from ..work import spend
from .interrupts import interruptible
from .silence import silent

__all__ = [
    "INFINITY",
    "MADE_BY",
    "IntegerSolution",
    "LPStatus",
    "LinearProgram",
    "Simplex",
    "best_integers",
]

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Indices = Sequence[int] | NDArray[np.int64] | NDArray[np.int32]

MADE_BY = f"HiGHS {version('highspy')}"

INFINITY = highspy.kHighsInf
"""No end."""


class LPStatus(Enum):
    """How a run ended; STOPPED by a limit, or without an answer."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    BEYOND = "beyond"
    """No solution is below `stop_at`."""
    STOPPED = "stopped"


class Simplex(Enum):
    """Which simplex method; the dual one says why nothing fits, the primal one keeps a solution."""

    DUAL = 1
    PRIMAL = 4


_ENDS = {
    highspy.HighsModelStatus.kOptimal: LPStatus.OPTIMAL,
    highspy.HighsModelStatus.kInfeasible: LPStatus.INFEASIBLE,
    highspy.HighsModelStatus.kObjectiveBound: LPStatus.BEYOND,
}


class LinearProgram:
    """Minimize; rows, columns, ends and costs may change between runs, each of which starts from the last.

    Parameters
    ----------
    presolve : bool
        Whether HiGHS simplifies a program it meets for the first time; without, rays are found.
    simplex : Simplex, optional
        The method; None lets HiGHS choose.
    pace : float
        Seconds that an iteration takes, per root of rows and columns, where steps are counted.
    """

    def __init__(
        self, *, presolve: bool = True, simplex: Simplex | None = None, pace: float = WORK.simplex.value
    ) -> None:
        self._pace = pace
        self._solver = _solver(presolve="choose" if presolve else "off")
        if simplex is not None:
            self._solver.setOptionValue("solver", "simplex")
            self.by(simplex)

    def load(
        self, cost: Floats, lower: Floats, upper: Floats, matrix: csc_array, low: Floats, high: Floats
    ) -> None:
        """Replace all: costs and ends of columns, entries by column, ends of rows."""
        self._solver.passModel(_program(cost, lower, upper, matrix, low, high))

    def add_rows(self, low: Floats, high: Floats, start: Numbers, column: Numbers, entry: Floats) -> None:
        """Add rows; `start` has where each row's entries begin, and the end of the last."""
        self._solver.addRows(
            len(low), low, high, len(column), _short(start[:-1]), _short(column), entry.astype(float)
        )

    def add_row(
        self,
        low: float,
        high: float,
        column: Indices = (),
        entry: Sequence[float] | Floats = (),
    ) -> None:
        """Add one row."""
        self._solver.addRow(low, high, len(column), _short(column), np.asarray(entry, dtype=float))

    def add_columns(
        self,
        cost: Floats,
        lower: Floats,
        upper: Floats,
        start: Numbers | None = None,
        row: Indices = (),
        entry: Sequence[float] | Floats = (),
    ) -> None:
        """Add columns; `start` has where each column's entries begin, and the end of the last."""
        begin = np.zeros(len(cost)) if start is None else start[:-1]
        self._solver.addCols(
            len(cost),
            cost,
            lower,
            upper,
            len(row),
            _short(begin),
            _short(row),
            np.asarray(entry, dtype=float),
        )

    def set_ends(self, column: Numbers, lower: Floats | Numbers, upper: Floats | Numbers) -> None:
        """Change the ends of some columns."""
        self._solver.changeColsBounds(len(column), _short(column), lower.astype(float), upper.astype(float))

    def set_row(self, row: int, low: float, high: float) -> None:
        """Change the ends of a row."""
        self._solver.changeRowBounds(row, low, high)

    def set_costs(self, column: Numbers, cost: Floats) -> None:
        """Change the costs of some columns."""
        self._solver.changeColsCost(len(column), _short(column), cost)

    def by(self, simplex: Simplex) -> None:
        """Choose the method."""
        self._solver.setOptionValue("simplex_strategy", simplex.value)

    def stop_at(self, value: float) -> None:
        """End a run, BEYOND, as soon as no solution is below."""
        self._solver.setOptionValue("objective_bound", value)

    def run(self, seconds: float | None = None) -> LPStatus:
        """Solve from the last basis.

        Parameters
        ----------
        seconds
            Most time for it; a moment is always allowed.
        """
        solver = self._solver
        if seconds is not None:
            # HiGHS counts the time of all runs of one solver together.
            solver.setOptionValue("time_limit", solver.getRunTime() + max(SOLVERS.least_highs.value, seconds))
        _run(solver)
        if solver.getModelStatus() == highspy.HighsModelStatus.kNotset:
            # Changed ends left no basis to go on from.
            solver.clearSolver()
            _run(solver)
        self._spend()
        return _ENDS.get(solver.getModelStatus(), LPStatus.STOPPED)

    def roughly(self, tolerance: float, seconds: float | None = None) -> LPStatus:
        """Solve by a first-order method, from nothing: many columns at once are too much for a last basis.

        Solution and duals are about optimal, relative to sizes; with so many new columns that is enough.
        """
        solver = self._solver
        _, method = solver.getOptionValue("solver")
        _, exact = solver.getOptionValue("kkt_tolerance")
        solver.clearSolver()
        solver.setOptionValue("solver", "pdlp")
        solver.setOptionValue("kkt_tolerance", tolerance)
        found = self.run(seconds)
        solver.setOptionValue("solver", method)
        solver.setOptionValue("kkt_tolerance", exact)
        return found

    def probe(self, iterations: int) -> LPStatus:
        """A few iterations from the last basis; by the dual simplex, `value` is no more than the optimum."""
        self._solver.setOptionValue("simplex_iteration_limit", iterations)
        _run(self._solver)
        self._spend()
        self._solver.setOptionValue("simplex_iteration_limit", 2147483647)
        return _ENDS.get(self._solver.getModelStatus(), LPStatus.STOPPED)

    def _spend(self) -> None:
        info, size = self._solver.getInfo(), self._solver.getNumRow() + self._solver.getNumCol()
        spend(self._pace * info.simplex_iteration_count * size**0.5)
        spend(WORK.pdlp.value * max(0, info.pdlp_iteration_count) * self._solver.getNumNz())

    @property
    def value(self) -> float:
        """Costs where the last run ended."""
        return self._solver.getInfo().objective_function_value

    @property
    def amount(self) -> Floats:
        """How much of each column is taken."""
        return np.array(self._solver.getSolution().col_value)

    @property
    def duals(self) -> Floats:
        """What one more of each row would cost."""
        return np.array(self._solver.getSolution().row_dual)

    @property
    def ray(self) -> Floats | None:
        """Multipliers of rows that show that nothing fits; None if there are none."""
        _, there, found = self._solver.getDualRay()
        return np.array(found) if there else None

    @property
    def basic(self) -> Numbers:
        """The basic variable of each row of the basis' inverse: a column, or a row as a negative number."""
        return np.array(self._solver.getBasicVariables()[1], dtype=np.int64)

    def inverse_row(self, number: int) -> Floats:
        """A row of the basis' inverse."""
        return np.array(self._solver.getBasisInverseRow(number)[1])


@dataclass(frozen=True, kw_only=True)
class IntegerSolution:
    """What branch and bound found.

    Attributes
    ----------
    x : int array or None
        The best solution in whole numbers, to be checked.
    bound : float
        What every solution costs at least, to HiGHS' precision; infinite if unknown.
    """

    x: Numbers | None
    bound: float


def best_integers(
    cost: Floats,
    lower: Floats,
    upper: Floats,
    matrix: csc_array,
    low: Floats,
    high: Floats,
    *,
    start: Floats | None = None,
    absolute_gap: float | None = None,
    nodes: int | None = None,
    seed: int = 0,
    seconds: float | None = None,
    steps: float | None = None,
) -> IntegerSolution:
    """Minimize over whole numbers by HiGHS' branch and bound.

    Parameters
    ----------
    cost, lower, upper, matrix, low, high
        Costs and ends of columns, entries by column, ends of rows.
    start
        A solution to improve on.
    absolute_gap
        End when the best solution costs no more than this above the bound.
    nodes, seed, seconds
        Limits and seed; the same limits give the same answer unless time runs out.
    steps
        Seconds of steps (`work`) after which it stops: the same ones give the same answer.

    Raises
    ------
    KeyboardInterrupt
        If a signal ended it.
    """
    # It hears no clock while it presolves, for up to a second a thousand columns, and strikes few of them.
    solver = _solver(random_seed=seed, mip_rel_gap=0.0, presolve="off")
    if nodes is not None:
        solver.setOptionValue("mip_max_nodes", nodes)
    if absolute_gap is not None:
        solver.setOptionValue("mip_abs_gap", absolute_gap)
    program = _program(cost, lower, upper, matrix, low, high)
    program.integrality_ = [highspy.HighsVarType.kInteger] * len(cost)
    solver.passModel(program)
    if start is not None:
        given = cast("Any", highspy.HighsSolution())
        given.col_value = start
        solver.setSolution(given)
    if seconds is not None:
        solver.setOptionValue("time_limit", max(0.0, seconds - SOLVERS.late_highs.seconds(seconds, 0.0)))
    look = WORK.look.value * max(1, matrix.nnz)
    looks = _branched(solver, None if steps is None else steps / look)
    if steps is not None:
        spend(WORK.program.value * len(cost) + look * looks)
    return _found(solver, len(cost))


def _found(solver: Any, columns: int) -> IntegerSolution:
    info = solver.getInfo()
    found = np.array(solver.getSolution().col_value)
    feasible = info.primal_solution_status == int(highspy.SolutionStatus.kSolutionStatusFeasible)
    there = feasible and len(found) == columns
    return IntegerSolution(
        x=np.rint(found).astype(np.int64) if there else None,
        bound=float(info.mip_dual_bound),
    )


def _branched(solver: Any, most: float | None) -> int:
    """Branch and bound until it asked so often whether to stop, which goes by its own steps; how often.

    Ctrl-C is heard then, too: a search may take minutes.
    """
    looks, pressed = count(1), Event()

    def asked(event: Any) -> None:  # in a thread of HiGHS
        event.data_in.user_interrupt = (most is not None and next(looks) > most) or pressed.is_set()

    solver.cbMipInterrupt += asked
    _, interrupted = interruptible(lambda: _run(solver), pressed.set)
    if interrupted:
        raise KeyboardInterrupt
    return next(looks) - 1


def _solver(**options: Any) -> Any:
    solver = highspy.Highs()
    for name, value in {"output_flag": False, "threads": 1, **options}.items():
        solver.setOptionValue(name, value)
    return solver


def _run(solver: Any) -> None:
    """The only call that computes; `output_flag` does not keep HiGHS from printing everything."""
    with silent():
        solver.run()


def _program(cost: Floats, lower: Floats, upper: Floats, matrix: csc_array, low: Floats, high: Floats) -> Any:
    program = cast("Any", highspy.HighsLp())
    program.num_col_, program.num_row_ = len(cost), len(low)
    program.col_cost_, program.col_lower_, program.col_upper_ = cost, lower, upper
    program.row_lower_, program.row_upper_ = low, high
    entries = program.a_matrix_
    entries.format_ = highspy.MatrixFormat.kColwise
    entries.num_col_, entries.num_row_ = len(cost), len(low)
    entries.start_, entries.index_ = _short(matrix.indptr), _short(matrix.indices)
    entries.value_ = matrix.data.astype(float)
    return program


def _short(numbers: Sequence[int] | NDArray[Any]) -> NDArray[np.int32]:
    return np.asarray(numbers, dtype=np.int32)
