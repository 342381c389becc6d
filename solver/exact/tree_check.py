"""Whether a search tree proves a bound: whole numbers only, no solver, nothing of the search.

For any duals y of rows and cuts and ends of the columns, with ``d = cost - y @ matrix``,

    sum of y * (low or high, by sign) + sum of min(d * lower, d * upper)

is at most the cost of every solution between the ends: the least of the Lagrangian over the box. So a node
of the tree with such duals is *closed* if that reaches the target, and otherwise they tighten ends: a
column whose amount adds more than is missing to the target cannot have that amount in a cheaper solution.
What is left is divided: two rows of count 1 are in one column or in different ones, or one column is taken
at most `at` times or more often. Or what is left falls apart: programs without a common row, each with a
proof of its own, whose targets add up. The tree is a proof if every node follows from its parent in that
way and every leaf is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...models.errors import CertificateError
from .limits import CHECK
from .program import FREE, LIMIT, Box, Ints, Program
from .rank1 import Rank1Cut, RowStack

__all__ = ["Branch", "CutSystem", "EndedError", "Node", "NodeDuals", "ProofPart", "TreeProof", "check"]

DEEPEST = 50
"""Programs inside programs, at most."""


@dataclass(frozen=True, slots=True)
class Branch:
    """What is distinguished after a node.

    `pair`: both rows in one column (side 0) or in two (side 1). `column`: at most `at` times (side 0), or
    more often (side 1). Neither: nothing, the only child (side 0) has new duals.
    """

    pair: tuple[int, int] | None = None
    column: int = -1
    at: int = 0

    @property
    def sides(self) -> tuple[int, ...]:
        """Sides that need a child."""
        return (0,) if self.pair is None and self.column < 0 else (0, 1)


@dataclass(frozen=True, slots=True, eq=False)
class NodeDuals:
    """Duals in 1 / `scale` of a cost: of the program's rows, and of some cuts (number, dual)."""

    scale: int
    rows: Ints
    cuts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ProofPart:
    """Some rows, rising, and a proof about them and the columns with no other rows.

    Those that the node does not leave are among them, with ends that leave nothing: columns would be numbered
    differently at another target, and that of the whole tree falls with every solution found.
    """

    rows: tuple[int, ...]
    proof: TreeProof


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """Duals, and how the node is divided; a leaf has no branch. `parent` is -1 for the root.

    A leaf with parts need not reach the target: their targets do.
    """

    parent: int
    side: int
    duals: NodeDuals
    branch: Branch | None = None
    parts: tuple[ProofPart, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeProof:
    """That no solution of a program costs less than `target`; every node comes after its parent."""

    target: int
    cuts: tuple[Rank1Cut, ...]
    nodes: tuple[Node, ...]


class CutSystem:
    """A program and cuts, with what duals prove about them; `stack` has both if they are known."""

    def __init__(self, program: Program, stack: RowStack | None = None) -> None:
        self.program = program
        self.stack = stack or RowStack(program.matrix, program.low, program.high)
        self.single = program.cover & (program.high == 1)
        self._held: dict[int, NDArray[np.bool_]] = {}

    @property
    def cuts(self) -> int:
        """How many cuts there are."""
        return len(self.stack) - len(self.program.low)

    def add(self, cuts: Sequence[Rank1Cut]) -> None:
        """Append cuts."""
        self.stack.extend(cuts)

    def value(self, duals: NodeDuals, box: Box) -> tuple[int, Ints]:
        """The scaled bound that duals prove for a box, and the scaled reduced costs.

        Raises
        ------
        ValueError
            If a dual belongs to no row or cut, or has the sign of a limit that is not there.
        OverflowError
            If a sum might leave 64 bits; told before anything is multiplied.
        """
        cost, stack = self.program.cost, self.stack
        every = np.zeros(len(stack), dtype=np.int64)
        own = len(self.program.low)
        if duals.scale < 1 or len(duals.rows) != own:
            raise ValueError("duals of another number of rows")
        every[:own] = duals.rows
        for cut, dual in duals.cuts:
            if not 0 <= cut < self.cuts:
                raise ValueError("a dual of a cut that is not there")
            every[own + cut] = dual
        ends = np.where(every > 0, stack.low, np.where(every < 0, stack.high, 0))
        if (np.abs(ends) >= FREE).any():
            raise ValueError("a dual of a limit that is not there (those of cuts are at most 0)")
        size = np.abs(every.astype(float))  # the least number has no absolute value in 64 bits
        largest = float(np.abs(cost).max(initial=0)) * duals.scale
        if largest + float(size @ np.maximum(np.abs(ends), stack.largest)) > LIMIT:
            raise OverflowError("duals too large to be checked in 64 bits")
        reduced = np.asarray(cost * duals.scale - self.stack.matrix.T @ every, dtype=np.int64)
        at = np.where(reduced > 0, box.lower, box.upper)
        if float(np.abs(reduced).astype(float) @ np.abs(at).astype(float)) > LIMIT:
            raise OverflowError("duals too large to be checked in 64 bits")
        return int(every @ ends) + int(reduced @ at), reduced

    def left(self, duals: NodeDuals, box: Box, target: int) -> Box | None:
        """What duals leave of a box for solutions that cost less than a target; None if nothing.

        Raises
        ------
        ValueError, OverflowError
            As `value`.
        """
        if box.empty:
            return None
        value, reduced = self.value(duals, box)
        missing = (target - 1) * duals.scale - value
        if missing < 0:
            return None
        if missing > LIMIT:
            return box
        lower, upper = box.lower.copy(), box.upper.copy()
        more, less = np.flatnonzero(reduced > 0), np.flatnonzero(reduced < 0)
        upper[more] = np.minimum(upper[more], box.lower[more] + missing // reduced[more])
        lower[less] = np.maximum(lower[less], box.upper[less] - missing // -reduced[less])
        tightened = Box(lower, upper)
        return None if tightened.empty else tightened

    def divided(self, branch: Branch, box: Box, side: int) -> Box:
        """Ends of a child.

        Raises
        ------
        ValueError
            If the branch names rows or a column that cannot be branched on.
        """
        lower, upper = box.lower.copy(), box.upper.copy()
        if branch.pair is not None:
            one, other = (self._holds(row) for row in branch.pair)
            upper[(one ^ other) if side == 0 else (one & other)] = 0
        elif branch.column >= 0:
            if branch.column >= len(lower) or not 0 <= branch.at < FREE:
                raise ValueError("a branch on a column that is not there")
            if side == 0:
                upper[branch.column] = min(int(upper[branch.column]), branch.at)
            else:
                lower[branch.column] = max(int(lower[branch.column]), branch.at + 1)
        return Box(lower, upper)

    def _holds(self, row: int) -> NDArray[np.bool_]:
        """Which columns have a row of count 1."""
        if not 0 <= row < len(self.single) or not self.single[row]:
            raise ValueError("a branch on a row that is not exactly once in a solution")
        if row not in self._held:
            matrix, held = self.program.matrix, np.zeros(len(self.program.cost), dtype=np.bool_)
            here = slice(matrix.indptr[row], matrix.indptr[row + 1])
            held[matrix.indices[here][matrix.data[here] != 0]] = True
            self._held[row] = held
        return self._held[row]


class EndedError(CertificateError):
    """The check ended before it was done."""


def check(program: Program, proof: TreeProof, depth: int = 0, over: Callable[[], bool] | None = None) -> None:
    """Check that no solution of a program costs less than a proof's target.

    Parameters
    ----------
    program, proof
    depth : int
        Programs around this one.
    over : callable, optional
        Asked before each node, and now and then while cuts are made, whether time has passed.

    Raises
    ------
    CertificateError
        If a node does not close, a branch lacks a side, it takes too much memory, or anything in it makes no
        sense.
    EndedError
        If time has passed.

    Notes
    -----
    Complexity: per node, the entries of rows and cuts.
    """
    if depth > DEEPEST:
        raise CertificateError(f"the search tree has more than {DEEPEST} programs inside each other")
    system, ends = _with_cuts(program, proof.cuts, over), 2 * len(program.cost)
    pending: dict[int, tuple[Branch, Box | None, set[int]]] = {}
    for number, node in enumerate(proof.nodes):
        if over is not None and over():
            raise EndedError(f"the search tree was checked up to node {number}")
        if len(pending) * ends > CHECK.ends:
            raise CertificateError(f"the search tree is too large: {len(pending)} nodes lack a side at once")
        try:
            box = _box(program, system, pending, number, node)
            left = None if box is None else system.left(node.duals, box, proof.target)
            if node.branch is not None:
                pending[number] = node.branch, left, set(node.branch.sides)
            elif left is not None:
                if not node.parts:
                    raise ValueError("it does not reach the bound")
                for inner, part in _parts(program, left, proof.target, node.parts):
                    check(inner, part.proof, depth + 1, over)
        except (ValueError, OverflowError) as error:
            raise CertificateError(f"node {number + 1} of the search tree: {error}") from error
    if not proof.nodes or pending:
        raise CertificateError("a branch of the search tree lacks a side")


def _with_cuts(program: Program, cuts: Sequence[Rank1Cut], over: Callable[[], bool] | None) -> CutSystem:
    """The program and a proof's cuts."""
    system = CutSystem(program)
    for at in range(0, len(cuts), CHECK.at_once):
        if over is not None and over():
            raise EndedError(f"{at} of the search tree's cuts were made")
        if system.stack.matrix.nnz - program.matrix.nnz > CHECK.entries:
            raise CertificateError(f"the search tree's cuts: {at} of them have too many entries")
        try:
            system.add(cuts[at : at + CHECK.at_once])
        except ValueError as error:
            raise CertificateError(f"the search tree's cuts: {error}") from error
    return system


def _box(
    program: Program,
    system: CutSystem,
    pending: dict[int, tuple[Branch, Box | None, set[int]]],
    number: int,
    node: Node,
) -> Box | None:
    """Ends of a node, after its parent's, None if nothing is left there; the parent's side is done then."""
    if number == 0:
        if (node.parent, node.side) != (-1, 0):
            raise ValueError("the root has a parent")
        return Box(program.lower, program.upper)
    if node.parent not in pending or node.side not in pending[node.parent][2]:
        raise ValueError("no earlier node is divided so")
    branch, above, sides = pending[node.parent]
    sides.remove(node.side)
    if not sides:
        del pending[node.parent]
    return None if above is None else system.divided(branch, above, node.side)


def _parts(
    program: Program, box: Box, target: int, parts: Sequence[ProofPart]
) -> list[tuple[Program, ProofPart]]:
    """What parts are about; no column that is left has rows of two parts, or of none."""
    left = box.upper > 0
    home = np.full(len(program.low), -1, dtype=np.int64)
    for number, part in enumerate(parts):
        rows = np.array(part.rows, dtype=np.int64)
        if not len(rows) or rows[0] < 0 or rows[-1] >= len(home) or (np.diff(rows) <= 0).any():
            raise ValueError("a part without rows, or with rows that are not there")
        if (home[rows] >= 0).any():
            raise ValueError("a row in two parts")
        home[rows] = number
    inside = program.homes(home)
    if (inside[left] < 0).any():
        raise ValueError("a column that is left has rows of two parts, or of none")
    if sum(part.proof.target for part in parts) < target:
        raise ValueError("the parts' bounds do not add up to the bound")
    return [
        (program.part(np.array(part.rows), np.flatnonzero(inside == at), box.lower, box.upper), part)
        for at, part in enumerate(parts)
    ]
