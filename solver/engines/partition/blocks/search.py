"""Rounds of blocks: the table is cut, each block is solved by itself, then it is cut elsewhere, and so on.

What is done follows a course (`plan`), so without a time limit the release is the same on any number of
workers, and whichever of them are lost. When time is over, blocks that are not done stay as they were.
Releases of heuristics are offered, too, but nothing begins with them: which of them there is time for depends
on the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

import numpy as np

from ....cluster.here import Here
from ....colgen.boxes.grid import cells_listed
from ....colgen.column import Group
from ....colgen.covering import Ints
from ....colgen.primal.annealing import Cooling
from ....colgen.primal.start import chopped
from ....colgen.structure.histograms import Judge
from ....colgen.table import Rows
from ....limits import BLOCKS as LIMITS
from ....settings import Clock, Settings, Tasks
from ..progress import Progress
from .cutting import Grouping, cut_groups, cut_rows
from .plan import Laid, Size
from .task import Blocks, Sent, TableBlock, block_of, improve

__all__ = ["Rounds", "in_blocks"]


def in_blocks(rows: Rows, judge: Judge, *, listed: bool, beyond: bool) -> bool:
    """Whether a table is so large that it is cut into blocks, with a cluster or without.

    Tables that are smaller by far are cut, too, if needed histograms are `listed` and nested intervals are
    not too many for sweeps; where groups of any size may be needed (`beyond`), if nearly all of the least
    size will do.
    """
    large = len(rows) > LIMITS.rows
    if large or not (listed and rows.in_trees):
        return large
    nested = Size.of(rows).nested
    if nested > LIMITS.nested:
        return False
    if beyond:
        return len(rows) > LIMITS.beyond_rows and _near_admitted(rows, judge) >= LIMITS.beyond_admitted
    if nested and not cells_listed(rows):
        return len(rows) > LIMITS.nested_rows
    return len(rows) > LIMITS.listed_rows


def _near_admitted(rows: Rows, judge: Judge) -> float:
    """Of runs of as many tuples as a group has at least, in the order of the rows (kd), the admitted part."""
    value, size = np.repeat(rows.value, rows.count), judge.least
    runs = len(value) // size
    if not runs:
        return 0.0
    counts = np.zeros((runs, len(judge.names)), dtype=np.int64)
    np.add.at(counts, (np.repeat(np.arange(runs), size), value[: runs * size]), 1)
    return float(judge.verdicts(counts).mean())


class Rounds:
    """The blocks of a table, round by round.

    Parameters
    ----------
    rows, judge, progress, clock
    settings : Settings
        Its tasks, or threads.
    others : callable
        Offers releases of slower heuristics.
    """

    def __init__(
        self,
        rows: Rows,
        judge: Judge,
        progress: Progress,
        settings: Settings,
        clock: Clock,
        others: Callable[[], None] = lambda: None,
    ) -> None:
        self.rows, self.judge, self.progress, self.clock = rows, judge, progress, clock
        self.tasks: Tasks = settings.tasks or Here(settings.workers)
        self.sent, self.seed = Sent.of(rows, judge), settings.seed
        self.size, self.others = Size.of(rows), others
        self.laid = Laid.of(self.size, settings)

    def run(self, given: Sequence[Group] | None = None, begun: Callable[[], None] = lambda: None) -> Grouping:
        """All rounds before the linear program, as far as there is time; from `given` if that is better.

        When the first one is over, `begun` is called.
        """
        groups, costs = self._fresh(self.laid.first.moves, self.clock), self.rows.group_costs
        found = groups.tuples()
        self.progress.start(found)
        begun()
        if given is not None and sum(costs(given)) < sum(costs(found)):
            groups = Grouping.of(given)
        for number, step in enumerate(self.laid.rounds(), start=2):
            if self.clock.over or self.progress.closed:
                break
            groups = self.across(groups, number, self._warm(step.moves), self.clock)
            self.progress.offer(groups.tuples(), f"blocks, round {number}")
        return groups

    def anew(self, units: Ints, moves: Sequence[int], place: int) -> Grouping:
        """Groups of some tuples (rows, with repeats) that may be released alone; so many moves a round."""
        chosen, count = np.unique(units, return_counts=True)
        rest = copy(self)
        rest.rows, rest.seed = self.rows.part(chosen, count), self.seed + 1_000_003 * place
        groups = rest._fresh(moves[0], self.clock)
        for number, each in enumerate(moves[1:], start=2):
            groups = rest.across(groups, number, self._warm(each), self.clock)
        return groups.of_rows(chosen)

    @staticmethod
    def _warm(moves: int) -> Cooling:
        """Of rounds after the first one."""
        return Cooling(first=moves, hot=LIMITS.warm, cold=LIMITS.cold)

    def _fresh(self, moves: int, clock: Clock) -> Grouping:
        """Groups of blocks of rows."""
        cooling = Cooling(first=moves, hot=LIMITS.hot, cold=LIMITS.cold)
        pieces = cut_rows(self.rows, self.judge, LIMITS.tuples)

        def made(number: int) -> TableBlock:
            piece = pieces[number]
            return TableBlock.of(self.rows, piece, self.rows.count[piece], None, cooling, self.seed + number)

        sizes = [int(self.rows.count[piece].sum()) for piece in pieces]
        found = self._improved(Blocks.of(sizes, made), 1, clock)
        joined = list[Grouping]()
        for number, piece in enumerate(pieces):
            if number in found:
                joined.append(found[number].of_rows(piece))
            else:  # time is over: any groups will do
                units = np.repeat(piece, self.rows.count[piece])
                joined.append(Grouping.of(chopped([units], self.judge, self.rows.value)))
        return Grouping.joined(joined)

    def across(self, groups: Grouping, number: int, cooling: Cooling, clock: Clock) -> Grouping:
        """The groups after a round of blocks across the old borders; single tuples are put into groups."""
        seed = self.seed + 1_000_003 * number
        parts = cut_groups(self.rows, groups, LIMITS.tuples, seed)
        pieces, each = dict[int, Ints](), np.diff(groups.start)

        def made(place: int) -> TableBlock:
            pieces[place], block = block_of(self.rows, groups.some(parts[place]), cooling, seed + place)
            return block

        sizes = [int(each[part].sum()) for part in parts]
        found = self._improved(Blocks.of(sizes, made), number, clock)
        return Grouping.joined(
            [
                found[place].of_rows(pieces[place]) if place in found else groups.some(part)
                for place, part in enumerate(parts)
            ]
        )

    def _improved(self, blocks: Blocks, number: int, clock: Clock) -> dict[int, Grouping]:
        """By block, the groups of its own rows; those for which time was over are left out."""
        found = dict[int, Grouping]()
        for place, grouping in self.tasks.run(improve, self.sent, blocks, clock):
            found[blocks.order[place]] = grouping
            self.progress.note(f"round {number}: {len(found)} of {len(blocks)} blocks")
        return found
