"""One level's integer program: solved by CP-SAT, proven with integer duals where that is short."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from ortools.sat.python import cp_model

from ....backends import cpsat
from ....colgen.covering import Ints
from ....exact.guess import guessed
from ....exact.program import FREE, Program
from ....exact.tree import Tree
from ....schedule import COUNTS
from ....settings import Clock, Settings
from ....status import Status
from .limits import COUNTS_LIMITS as LIMITS

__all__ = ["Solved", "solved"]


@dataclass(frozen=True, kw_only=True)
class Solved:
    """How a program ended.

    Attributes
    ----------
    x : int array or None
        The best solution found.
    reached : int or None
        Its cost.
    bound : int or None
        No solution costs less; None if nothing is known.
    empty : bool
        Whether there is no solution.
    interrupted : bool
    """

    x: Ints | None = None
    reached: int | None = None
    bound: int | None = None
    empty: bool = False
    interrupted: bool = False

    @property
    def closed(self) -> bool:
        """Whether the solution is the best there is."""
        return self.reached is not None and self.reached == self.bound


def solved(program: Program, settings: Settings, clock: Clock, first: slice) -> Solved:
    """Minimize: HiGHS first, as linear relaxations are strong, and CP-SAT where integer duals do not tell.

    Where ends are far apart HiGHS draws them together one by one, for minutes, without a look at its clock.

    Parameters
    ----------
    program, settings, clock
    first : slice
        Variables to branch on first.
    """
    if int(program.upper.max(initial=0)) * program.matrix.nnz > LIMITS.drawn:
        return _exact(program, settings, clock, None)
    share = clock.allowed(COUNTS.first) or 0.0
    hint = guessed(program, share, settings.seed)
    if hint is None:
        return _exact(program, settings, clock, None)
    best = int(program.cost @ hint)
    tree = Tree(program, best, clock.part(share), first)
    if tree.run(LIMITS.tree_nodes) and tree.target == best:
        return Solved(x=hint, reached=best, bound=best)
    return _exact(program, settings, clock, hint if tree.best is None else tree.best)


def _exact(program: Program, settings: Settings, clock: Clock, hint: Ints | None) -> Solved:
    model = cp_model.CpModel()
    ends = zip(program.lower.tolist(), program.upper.tolist(), strict=True)
    x = [model.new_int_var(low, high, f"x[{i}]") for i, (low, high) in enumerate(ends)]
    matrix = program.matrix
    for row, (low, high) in enumerate(zip(program.low.tolist(), program.high.tolist(), strict=True)):
        here = slice(int(matrix.indptr[row]), int(matrix.indptr[row + 1]))
        there = [x[j] for j in matrix.indices[here].tolist()]
        total = cp_model.LinearExpr.weighted_sum(there, matrix.data[here].tolist())
        model.add_linear_constraint(
            total, cp_model.INT_MIN if low <= -FREE else low, cp_model.INT_MAX if high >= FREE else high
        )
    model.minimize(cp_model.LinearExpr.weighted_sum(x, program.cost.tolist()))
    if hint is not None:
        for variable, amount in zip(x, hint.tolist(), strict=True):
            model.add_hint(variable, amount)
    run = cpsat.solved(
        model, seconds=clock.left, seed=settings.seed, workers=settings.workers, keep_interrupted=True
    )
    if run.status is Status.INFEASIBLE:
        return Solved(empty=True)
    bound = run.bound if run.bound is not None and abs(run.bound) < 2**53 else None
    if not run.found:
        # Stopped before it began, CP-SAT reports 0.
        bound = 0 if (program.cost >= 0).all() and (program.lower >= 0).all() else None
        return Solved(bound=bound, interrupted=run.interrupted)
    found = np.array([run.value(variable) for variable in x], dtype=np.int64)
    reached = int(program.cost @ found)
    return Solved(x=found, reached=reached, bound=bound, interrupted=run.interrupted)
