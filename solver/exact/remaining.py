"""What is left of a program somewhere in its search tree, with the linear program over it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .limits import SEPARATION
from .program import FREE, Box, Floats, Program
from .rank1 import Combinations, Rank1Cut
from .relaxation import BoxRelaxation
from .separation import Effort, Partition, violated
from .tree_check import CutSystem, NodeDuals

__all__ = ["Remaining", "closure"]


class Remaining:
    """The columns that a box leaves, and some cuts.

    Attributes
    ----------
    columns : int array
        Their places in the whole program.
    names : list of int
        Numbers of the cuts in the whole tree; the first `first` were there at the beginning.

    Parameters
    ----------
    whole, box
        The program, and ends of all its columns.
    cuts
        All of the tree; `names` says which are taken, and includes those that others are made of.
    target
        As in `BoxRelaxation`.
    above : Remaining, optional
        What a box around this one leaves, with these cuts: they need not be made again.
    """

    def __init__(
        self,
        whole: Program,
        box: Box,
        cuts: Sequence[Rank1Cut],
        names: Sequence[int],
        target: int,
        above: Remaining | None = None,
    ) -> None:
        self.columns = np.flatnonzero(box.upper > 0)
        self.names, self.first = list(names), len(names)
        self._places, self._own = len(whole.cost), len(whole.low)
        if above is None:
            self.program = whole.part(None, self.columns, box.lower, box.upper)
            self.system = CutSystem(self.program)
            at = {self._own + name: self._own + k for k, name in enumerate(self.names)}
            self.system.add([cuts[name].renamed(lambda row: at.get(row, row)) for name in self.names])
        else:
            columns, inner = np.searchsorted(above.columns, self.columns), above.inside(box)
            self.program = above.program.part(None, columns, inner.lower, inner.upper)
            at = {name: self._own + k for k, name in enumerate(above.names)}
            rows = [*range(self._own), *(at[name] for name in self.names)]
            stack = above.system.stack.part(np.array(rows, dtype=np.int64), columns)
            self.system = CutSystem(self.program, stack)
        self._partition = Partition.of(self.program)
        self.relaxation = BoxRelaxation(self.program, self.system.stack, self.inside(box), target)

    def inside(self, box: Box) -> Box:
        """Ends of the columns that are left."""
        return Box(box.lower[self.columns], box.upper[self.columns])

    def outside(self, box: Box) -> Box:
        """Ends of all columns of the whole program; others are not taken."""
        lower, upper = np.zeros((2, self._places), dtype=np.int64)
        lower[self.columns], upper[self.columns] = box.lower, box.upper
        return Box(lower, upper)

    def spread(self, amount: Floats) -> Floats:
        """Amounts of all columns of the whole program."""
        x = np.zeros(self._places)
        x[self.columns] = amount
        return x

    def shrunk(self, box: Box, share: float) -> bool:
        """Whether more than a share of the columns is gone."""
        return bool((box.upper[self.columns] > 0).sum() < (1 - share) * len(self.columns))

    def duals(self, duals: Floats, scale: int, *, down: bool = True) -> NodeDuals:
        """Duals in whole numbers, those of limits with the right sign."""
        stack = self.system.stack
        whole = np.floor(duals * scale + 1e-7) if down else np.rint(duals * scale)
        whole = np.where(stack.low <= -FREE, np.minimum(whole, 0), whole)
        whole = np.where(stack.high >= FREE, np.maximum(whole, 0), whole)
        whole = np.clip(whole, -FREE * scale, FREE * scale).astype(np.int64)
        kept = np.flatnonzero(whole[self._own :])
        cuts = zip(kept.tolist(), whole[self._own + kept].tolist(), strict=True)
        return NodeDuals(scale, whole[: self._own], tuple(cuts))

    def cut(self, amount: Floats, effort: Effort, first: int) -> list[Rank1Cut]:
        """Add cuts that a solution violates; the same as cuts of the whole tree, numbered from `first`."""
        inverse = self.relaxation.inverse(amount, effort.rows, SEPARATION.least_part)
        found, matrix, high = violated(self.system.stack, inverse, self._partition, amount, effort.cuts)
        if not len(high):
            return []
        made = [self._named(found, line) for line in range(len(high))]
        self.system.stack.add(matrix, high)
        self.relaxation.extend()
        self.names += range(first, first + len(made))
        return made

    def _named(self, found: Combinations, line: int) -> Rank1Cut:
        here = slice(int(found.times.indptr[line]), int(found.times.indptr[line + 1]))
        rows, times = found.times.indices[here].tolist(), found.times.data[here].tolist()
        cut = Rank1Cut(tuple(zip(rows, times, strict=True)), int(found.over[line]), int(found.grid[line]))
        own = self._own
        return cut.renamed(lambda row: row if row < own else own + self.names[row - own])


def closure(cuts: Sequence[Rank1Cut], names: Sequence[int], rows: int) -> list[int]:
    """Some cuts and all that they are made of, in order; `rows` is the number of the program's rows."""
    wanted = set(names)
    for name in range(max(wanted, default=-1), -1, -1):
        if name in wanted:
            wanted |= {row - rows for row, _ in cuts[name].rows if row >= rows}
    return sorted(wanted)
