"""What is done with a block: groups are made, or taken over, and improved by so many moves.

A task sees codes, prices of boxes and numbers of sensitive values; no respondent, and no other block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ....colgen.column import Group
from ....colgen.covering import Ints
from ....colgen.neighbours import near_places
from ....colgen.primal.annealing import Annealing, Cooling
from ....colgen.primal.left_over import joined
from ....colgen.primal.start import chopped, halved
from ....colgen.primal.ties import tied
from ....colgen.structure.histograms import Judge
from ....colgen.table import Rows
from ....limits import HISTOGRAM_LIMITS as START
from ....settings import Clock
from .cutting import Grouping

__all__ = ["Blocks", "Sent", "TableBlock", "block_of", "improve"]


@dataclass(frozen=True, kw_only=True)
class Sent:
    """What all blocks share: prices of boxes (rows without any row), and verdicts."""

    rows: Rows
    judge: Judge

    @classmethod
    def of(cls, rows: Rows, judge: Judge) -> Sent:
        """Of a table."""
        return cls(rows=rows.bare(), judge=judge.alone())


@dataclass(frozen=True, kw_only=True)
class TableBlock:
    """Some rows of a table, in its order, each as often as it is there; and what is to be done.

    Attributes
    ----------
    codes, value, count
        Of the rows.
    groups : Grouping or None
        To start from, of the block's own rows (from 0), and tuples that are in none yet, each by itself;
        None if there are no groups.
    cooling : Cooling
        Of its first round; without moves groups are only made.
    seed : int
    """

    codes: NDArray[np.int32]
    value: NDArray[np.int32]
    count: NDArray[np.int32]
    groups: Grouping | None
    cooling: Cooling
    seed: int

    @classmethod
    def of(
        cls, rows: Rows, chosen: Ints, count: Ints, groups: Grouping | None, cooling: Cooling, seed: int
    ) -> TableBlock:
        """Of some rows of a table (rising), each so often."""
        return cls(
            codes=rows.geometry.codes[chosen].astype(np.int32),
            value=rows.value[chosen].astype(np.int32),
            count=count.astype(np.int32),
            groups=groups,
            cooling=cooling,
            seed=seed,
        )

    def rows(self, sent: Sent) -> Rows:
        """The block as a table of its own."""
        bare, codes = sent.rows, self.codes.astype(np.int64)
        whole = replace(bare, geometry=bare.geometry._replace(codes=codes), value=self.value.astype(np.int64))
        return whole.part(np.arange(len(codes)), self.count.astype(np.int64))


@dataclass(frozen=True, kw_only=True)
class Blocks(Sequence[TableBlock]):
    """Blocks that are made when their turn comes, while workers have others: the largest first.

    Attributes
    ----------
    order : sequence of int
        The number of the first block, of the second, ...
    made : callable
        Makes a block by its number.
    """

    order: Sequence[int]
    made: Callable[[int], TableBlock]

    @overload
    def __getitem__(self, index: int) -> TableBlock: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TableBlock]: ...
    def __getitem__(self, index: int | slice) -> TableBlock | Sequence[TableBlock]:
        if isinstance(index, slice):
            return replace(self, order=self.order[index])
        return self.made(self.order[index])

    def __len__(self) -> int:
        return len(self.order)

    @classmethod
    def of(cls, sizes: Sequence[int], made: Callable[[int], TableBlock]) -> Blocks:
        """Of so many tuples each."""
        return cls(order=sorted(range(len(sizes)), key=lambda block: -sizes[block]), made=made)


def block_of(rows: Rows, groups: Grouping, cooling: Cooling, seed: int) -> tuple[Ints, TableBlock]:
    """The block of some groups, and its rows."""
    piece, inside, count = np.unique(groups.member, return_inverse=True, return_counts=True)
    own = Grouping(inside.ravel().astype(np.int32), groups.start)
    chosen = piece.astype(np.int64)
    return chosen, TableBlock.of(rows, chosen, count, own, cooling, seed)


def improve(sent: Sent, block: TableBlock, clock: Clock) -> Grouping:
    """Make groups if there are none, and improve them by the moves that are asked for.

    The clock only cuts short: groups are there in any case.
    """
    rows, judge = block.rows(sent), sent.judge
    if block.groups is None:
        groups = _made(rows, judge, clock)
    else:
        groups = _settled(rows, judge, block.groups.tuples(), clock)
    if block.cooling.first and not clock.over:
        near = near_places(rows, clock)
        if near is not None:
            annealing = Annealing(rows, judge, near, groups, block.seed)
            groups = annealing.exactly(block.cooling, clock)
    return Grouping.of(groups)


def _settled(rows: Rows, judge: Judge, groups: list[Group], clock: Clock) -> list[Group]:
    """The groups, with those tuples that are too few for one put where they cost least."""
    grown = [list(group) for group in groups if len(group) >= judge.least]
    left = [row for group in groups if len(group) < judge.least for row in group]
    if not left:
        return groups
    value = judge.seen(rows.value)
    if not grown or joined(rows, judge, grown, left, value):
        return _made(rows, judge, clock)
    return [tuple(sorted(group)) for group in grown]


def _made(rows: Rows, judge: Judge, clock: Clock) -> list[Group]:
    """Groups of halves, or of tuples that are alike, whichever cost less."""
    found = halved(rows, judge)
    if found is not None and rows.alike and not judge.blind:
        ties = tied(rows, judge, dear=START.dear, clock=clock)
        if ties is not None and sum(rows.group_costs(ties)) < sum(rows.group_costs(found)):
            return ties
    if found is None:
        found = chopped([np.repeat(np.arange(len(rows)), rows.count)], judge, rows.value)
    return found
