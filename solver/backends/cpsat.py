"""CP-SAT: integer models solved, with its parameters set here and nowhere else.

One worker and a seed give equal answers to equal calls, unless the time limit ends them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from math import isfinite, ulp

from ortools.sat.python import cp_model

from ...models.errors import TooLargeError
from ..schedule import SOLVERS
from ..status import Status
from .interrupts import interruptible

__all__ = ["MADE_BY", "CpSatRun", "solved"]

MADE_BY = f"CP-SAT {version('ortools')}"

WHOLE = 2.0**62
"""Bounds beyond say nothing."""

_STATUS = {
    cp_model.OPTIMAL: Status.OPTIMAL,
    cp_model.FEASIBLE: Status.FEASIBLE,
    cp_model.INFEASIBLE: Status.INFEASIBLE,
    cp_model.UNKNOWN: Status.UNKNOWN,
}


@dataclass(frozen=True, kw_only=True)
class CpSatRun:
    """How a call ended.

    Attributes
    ----------
    status : Status
        FEASIBLE and UNKNOWN: a limit or a signal ended it.
    bound : int or None
        No solution costs less (or brings more, if the model maximizes); None if nothing is known.
    interrupted : bool
        Whether a signal ended it.
    solver : CpSolver
        To be read by `value` and `objective`.
    """

    status: Status
    bound: int | None
    interrupted: bool
    solver: cp_model.CpSolver

    @property
    def found(self) -> bool:
        """Whether there is a solution to read."""
        return self.status in (Status.OPTIMAL, Status.FEASIBLE)

    @property
    def objective(self) -> int:
        """What the solution costs or brings; beyond 2**53 nearly: ask for the expression's value."""
        return round(self.solver.objective_value)

    def value(self, expression: cp_model.LinearExprT) -> int:
        """A variable or an expression in the solution."""
        return int(self.solver.value(expression))


def solved(
    model: cp_model.CpModel,
    *,
    seconds: float | None,
    seed: int = 0,
    workers: int = 1,
    work: float | None = None,
    first: bool = False,
    relative_gap: float = 0.0,
    relaxations: int | None = None,
    large: bool = False,
    share: float = 1.0,
    listener: cp_model.CpSolverSolutionCallback | None = None,
    on_bound: Callable[[float], None] | None = None,
    keep_interrupted: bool = False,
) -> CpSatRun:
    """Solve a model.

    Parameters
    ----------
    model : CpModel
    seconds : float or None
        When the call has to end; CP-SAT is told a little less, as it looks at its clock between steps.
    seed, workers
    work : float, optional
        Most deterministic time: a limit that does not depend on the machine.
    first : bool
        Whether any solution ends the search.
    relative_gap : float
        How far from optimal a solution may be.
    relaxations : int, optional
        CP-SAT's level of linear relaxation, if not its own.
    large : bool
        Whether symmetry, probing and merging of clauses would take too long.
    share : float
        Part of the time that CP-SAT is told at most.
    listener, on_bound
        Hear of solutions and of bounds, from another thread.
    keep_interrupted : bool
        Whether a signal that ends the search is told by the answer, instead of raised again.

    Raises
    ------
    TooLargeError
        If CP-SAT refuses the model.
    KeyboardInterrupt
        If a signal ended the search, unless `keep_interrupted`.
    """
    solver = _solver(seed, workers, relaxations, large=large)
    _end(solver, None if seconds is None else _prompt(seconds, share), work, relative_gap, first=first)
    if on_bound is not None:
        solver.best_bound_callback = on_bound
    status, interrupted = interruptible(lambda: solver.solve(model, listener), solver.stop_search)
    if status == cp_model.MODEL_INVALID:
        raise TooLargeError(f"CP-SAT refuses the model: {_why(model)[:200]}")
    if interrupted and not keep_interrupted:
        raise KeyboardInterrupt
    known = _known(solver.best_objective_bound, maximized=model.proto.objective.scaling_factor < 0)
    return CpSatRun(status=_STATUS[status], bound=known, interrupted=interrupted, solver=solver)


def _why(model: cp_model.CpModel) -> str:
    return next(iter(model.validate().splitlines()), "its numbers are too large")  # it may not say


def _known(bound: float, *, maximized: bool) -> int | None:
    """A bound in whole numbers; None if it says nothing. Where floats leave some out, a little weaker."""
    if not isfinite(bound) or abs(bound) >= WHOLE:
        return None
    loose = 4 * int(ulp(bound))  # it has been added to, in floats, before
    return round(bound) + (loose if maximized else -loose)


def _end(
    solver: cp_model.CpSolver,
    seconds: float | None,
    work: float | None,
    relative_gap: float,
    *,
    first: bool,
) -> None:
    """When a search is over; signals are heard by whoever calls it."""
    parameters = solver.parameters
    parameters.catch_sigint_signal = False
    parameters.stop_after_first_solution = first
    if seconds is not None:
        parameters.max_time_in_seconds = seconds
    if work is not None:
        parameters.max_deterministic_time = work
    if relative_gap:
        parameters.relative_gap_limit = relative_gap


def _solver(seed: int, workers: int, relaxations: int | None, *, large: bool) -> cp_model.CpSolver:
    """A solver, and what it does with a model besides searching."""
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.random_seed = seed
    parameters.num_workers = workers
    if relaxations is not None:
        parameters.linearization_level = relaxations
    if large:
        parameters.symmetry_level = 0
        parameters.cp_model_probing_level = 0
        parameters.merge_at_most_one_work_limit = 1e6
    return solver


def _prompt(left: float, share: float) -> float:
    """Seconds to tell CP-SAT so that it ends when `left` seconds have passed, or `share` of them."""
    return max(SOLVERS.least.value, min(share * left, left - SOLVERS.late.seconds(left, 0.0)))
