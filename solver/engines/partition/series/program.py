"""Small integer programs whose optimum anyone can confirm with integers alone.

Minimize ``cost @ x`` with ``low <= matrix @ x <= high`` and integers ``lower <= x <= upper``. For any
duals y of the rows, ``sum of y * (low or high, by sign) + sum of min(d * lower, d * upper)`` with
``d = cost - y @ matrix`` is a lower bound: it is the least of the Lagrangian over the box. The search
below branches on single variables; its leaves keep integer duals, and that is the whole proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import highspy  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .....models.errors import CertificateError
from .... import claims
from ....settings import Clock
from ..master import quiet_solver
from ..pricing import ceil_div
from ..rows import Ints

__all__ = ["FREE", "Leaf", "Program", "Tree", "confirm", "solution"]

FREE = 1 << 40
"""No limit of a row."""
SCALE = 1 << 12
"""Duals are kept in 1 / SCALE of a cost."""
WHOLE = 1e-6


@dataclass(frozen=True, kw_only=True)
class Program:
    """Minimize an integer cost; see the module. Rows without a limit on one side have -FREE or FREE there."""

    cost: Ints
    lower: Ints
    upper: Ints
    matrix: csr_array
    low: Ints
    high: Ints

    @cached_property
    def sizes(self) -> csr_array:
        """Absolute values of the matrix, in floats."""
        return abs(self.matrix).astype(float)

    @cached_property
    def cost_sizes(self) -> NDArray[np.float64]:
        """Absolute values of the costs, in floats."""
        return np.abs(self.cost).astype(float)

    @staticmethod
    def _reach(lower: Ints, upper: Ints) -> NDArray[np.float64]:
        """Largest absolute value of each variable, at least 1 so that reduced costs alone fit, too."""
        return np.maximum(1.0, np.maximum(np.abs(lower), np.abs(upper)).astype(float))

    def holds(self, x: Ints) -> bool:
        """Whether x keeps all rows and ends."""
        made = self.matrix @ x
        ends = (x >= self.lower).all() and (x <= self.upper).all()
        return bool(ends and (made >= self.low).all() and (made <= self.high).all())

    def proves(self, duals: Ints, lower: Ints, upper: Ints) -> int:
        """The bound that duals (in 1 / SCALE of a cost) prove for variables between other ends.

        Raises
        ------
        OverflowError
            If some sum might leave 64 bits.
        """
        usable = np.where(duals > 0, self.low > -FREE, self.high < FREE)
        duals = np.where(usable, duals, 0)
        ends = np.where(duals > 0, self.low, self.high)
        # Tested before anything is multiplied, in floats that may be off by far less than the room left.
        sizes = np.abs(duals).astype(float)
        column = self.cost_sizes * SCALE + sizes @ self.sizes
        if float(sizes @ np.abs(ends).astype(float)) + float(column @ self._reach(lower, upper)) > 2**61:
            raise OverflowError("the duals are too large to be checked in 64 bits")
        reduced = self.cost * SCALE - duals @ self.matrix
        value = int(duals @ ends) + int(np.where(reduced > 0, reduced * lower, reduced * upper).sum())
        return ceil_div(value, SCALE)


@dataclass(frozen=True)
class Leaf:
    """A node of the tree: duals that close it, or the variable it branches on.

    Its first child has ``x[variable] <= at``, its second ``x[variable] >= at + 1``; `parent` is -1 for the
    root, `side` 0 or 1.
    """

    parent: int
    side: int
    duals: tuple[int, ...]
    variable: int = -1
    at: int = 0


class Tree:
    """Branch and bound, depth first.

    Attributes
    ----------
    target : int
        Only cheaper solutions are sought.
    best : int array or None
        The cheapest solution found, of cost `target`.
    nodes : list of Leaf
        The proof, every node after its parent.
    bound : int
        What the root alone proves.

    Parameters
    ----------
    program, target, clock
    first : slice
        Variables to branch on before all others.
    """

    def __init__(
        self, program: Program, target: int, clock: Clock | None = None, first: slice = slice(0, 0)
    ) -> None:
        self.program, self.target, self.clock, self.first = program, target, clock, first
        self.best: Ints | None = None
        self.nodes: list[Leaf] = []
        self.bound = 0
        self.unit = max(1.0, float(np.abs(program.cost).max(initial=1)))
        self._solver = self._posted()

    def _posted(self) -> Any:
        """The linear program, with slacks at a high price so that it always has a solution."""
        p, solver = self.program, quiet_solver()
        rows, columns = p.matrix.shape
        for low, high in zip(p.low.tolist(), p.high.tolist(), strict=True):
            solver.addRow(
                -highspy.kHighsInf if low <= -FREE else float(low),
                highspy.kHighsInf if high >= FREE else float(high),
                0,
                np.zeros(0, dtype=np.int32),
                np.zeros(0),
            )
        by_column = p.matrix.tocsc()
        solver.addCols(
            columns,
            p.cost / self.unit,
            p.lower.astype(float),
            p.upper.astype(float),
            by_column.nnz,
            by_column.indptr[:-1].astype(np.int32),
            by_column.indices.astype(np.int32),
            by_column.data.astype(float),
        )
        price = 4.0 * max(1.0, float(self.target)) / self.unit + 4.0
        for sign in (1.0, -1.0):
            for row in range(rows):
                solver.addCol(
                    price, 0.0, highspy.kHighsInf, 1, np.array([row], dtype=np.int32), np.array([sign])
                )
        return solver

    def run(self, most_nodes: int) -> bool:
        """Search; True if nothing cheaper than `target` is left."""
        p = self.program
        pending: list[tuple[Ints, Ints, int, int]] = [(p.lower, p.upper, -1, 0)]
        while pending:
            if len(self.nodes) >= most_nodes or (self.clock is not None and self.clock.over):
                return False
            lower, upper, parent, side = pending.pop()
            solved = self._relaxed(lower, upper)
            if solved is None:
                return False
            duals, amount, slack = solved
            try:
                bound = p.proves(duals, lower, upper)
            except OverflowError:
                return False
            if parent < 0:
                self.bound = bound
            if bound < self.target and slack < WHOLE:
                near = np.rint(amount)
                if float(np.abs(amount - near).max(initial=0.0)) < WHOLE:
                    self._offer(near.astype(np.int64))
            if bound >= self.target:
                self.nodes.append(Leaf(parent, side, tuple(duals.tolist())))
                continue
            part = np.abs(amount - np.rint(amount))
            sooner = part[self.first]
            if len(sooner) and sooner.max() >= WHOLE:
                variable = self.first.start + int(np.argmax(sooner))
            else:
                variable = int(np.argmax(part))
            if part[variable] < WHOLE:
                return False
            at = int(np.floor(amount[variable]))
            here = len(self.nodes)
            self.nodes.append(Leaf(parent, side, (), variable, at))
            below, above = upper.copy(), lower.copy()
            below[variable], above[variable] = at, at + 1
            children = [(lower, below, here, 0), (above, upper, here, 1)]
            pending += children if part[variable] > 0 and amount[variable] % 1 > 0.5 else children[::-1]
        return True

    def _relaxed(self, lower: Ints, upper: Ints) -> tuple[Ints, NDArray[np.float64], float] | None:
        columns = len(lower)
        self._solver.changeColsBounds(
            columns, np.arange(columns, dtype=np.int32), lower.astype(float), upper.astype(float)
        )
        if self.clock is not None and self.clock.left is not None:
            self._solver.setOptionValue("time_limit", self._solver.getRunTime() + max(0.05, self.clock.left))
        self._solver.run()
        if self._solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = self._solver.getSolution()
        duals = np.rint(np.array(solution.row_dual) * self.unit * SCALE).astype(np.int64)
        amount = np.array(solution.col_value)
        return duals, amount[:columns], float(amount[columns:].sum())

    def _offer(self, x: Ints) -> None:
        p = self.program
        made = p.matrix @ x
        if (made >= p.low).all() and (made <= p.high).all():
            cost = int(p.cost @ x)
            if cost < self.target:
                self.target, self.best = cost, x


def solution(program: Program, seconds: float | None = None, seed: int = 0) -> Ints:
    """A solution of HiGHS' branch and bound, in whole numbers; whether it is one must be checked."""
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
    return np.rint(np.array(solver.getSolution().col_value)).astype(np.int64)


def confirm(program: Program, target: int, nodes: Sequence[claims.Leaf]) -> None:
    """Check that a stated tree leaves no solution below `target`.

    Raises
    ------
    CertificateError
        If a leaf proves less, or a branch lacks a side.
    """
    ends: dict[int, tuple[Ints, Ints]] = {}
    sides: set[tuple[int, int]] = set()
    for number, node in enumerate(nodes):
        if number == 0:
            lower, upper = program.lower, program.upper
        elif node.parent in ends:
            lower, upper = (end.copy() for end in ends[node.parent])
            variable, at = nodes[node.parent].variable, nodes[node.parent].at
            if node.side == 0:
                upper[variable] = min(int(upper[variable]), at)
            else:
                lower[variable] = max(int(lower[variable]), at + 1)
            sides.add((node.parent, node.side))
        else:
            raise CertificateError(f"node {number + 1} of the tree has no parent that branches")
        if node.variable >= 0:
            if node.variable >= len(program.cost):
                raise CertificateError(f"node {number + 1} branches on what does not exist")
            ends[number] = lower, upper
            continue
        if len(node.duals) != len(program.low):
            raise CertificateError(f"node {number + 1} of the tree has another number of duals")
        if (lower > upper).any():
            continue
        try:
            reached = program.proves(np.array(node.duals, dtype=np.int64), lower, upper)
        except OverflowError as error:
            raise CertificateError(f"node {number + 1} of the tree: {error}") from error
        if reached < target:
            raise CertificateError(f"node {number + 1} of the tree does not reach the bound")
    if not nodes or any((number, side) not in sides for number in ends for side in (0, 1)):
        raise CertificateError("a branch of the tree lacks a side")
