"""Closing the gap: all groups that a better release may hold are listed, and the list is searched.

The search is a tree whose proof is in whole numbers (`exact.tree`). HiGHS' integer program only finds
releases, where the tree has not ended in its share of the time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...colgen.choice import best_of
from ...colgen.column import Group, in_order
from ...colgen.duals import Duals
from ...colgen.histogram_pricing import HistogramPricing
from ...colgen.table import Ints, Rows
from ...exact.program import Program, covering
from ...exact.tree import Tree
from ...schedule import GAP, Share
from ...settings import Clock
from .limits import HISTOGRAM_LIMITS as LIMITS
from .progress import Progress

__all__ = ["Finish", "Finished", "numbered"]


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A tree over all groups of releases that cost less than `listed_for`: none costs less than its bound."""

    duals: Duals
    listed_for: int
    tree: Tree


class Finish:
    """The last step of a search.

    Attributes
    ----------
    found : Finished or None
        What proved the bound.
    stated : int
        Bound on the word of the integer program's solver; nothing rests on it.
    """

    def __init__(self, pricing: HistogramPricing, progress: Progress, clock: Clock, seed: int) -> None:
        self.pricing, self.progress, self.clock, self.seed = pricing, progress, clock, seed
        self.found: Finished | None = None
        self.stated = 0

    def run(self, duals: Duals) -> None:
        """Search lists until bound and release meet, the lists get too long, or time is over.

        The target starts low enough for a short list. A tree that finds nothing proves the target as
        a bound; lists and trees then grow until the target is the best release's cost.
        """
        progress, rows = self.progress, self.pricing.rows
        most = min(LIMITS.most_listed, LIMITS.most_places // len(rows))
        room, nodes = min(most, max(LIMITS.least_listed, 4 * len(rows))), LIMITS.nodes
        while not progress.closed and not self.clock.over:
            listed = self._listed(duals, room)
            if listed is None:
                if room == most:
                    return
                room = min(most, 4 * room)
                continue
            members, target = listed
            if self._proved(duals, members, target):
                if target < progress.cost:
                    # Nothing is below the target, but what is near it makes the next list shorter.
                    self._improve(duals, members, target, LIMITS.guess_nodes, GAP.guess)
                room = min(most, 4 * room)
                continue
            before, whole = progress.cost, target == progress.cost
            self._improve(duals, members, target, nodes)
            nodes *= 2
            if progress.cost == before:
                if whole and room == most and nodes > 100 * LIMITS.nodes:
                    return
                room = min(most, 4 * room)

    def _proved(self, duals: Duals, members: NDArray[np.int32], target: int) -> bool:
        """Whether a tree over the listed groups comes to its end."""
        progress = self.progress
        program, groups = numbered(self.pricing.rows, members)
        tree = Tree(program, min(target, progress.cost), self.clock.share(GAP.tree))
        done = tree.run()
        if tree.best is not None:
            taken = np.repeat(np.arange(len(groups)), tree.best)
            progress.offer([_group(line) for line in groups[taken].tolist()])
        bound = min(target, tree.bound or 0)
        if done or bound > progress.bound:
            self.found = Finished(duals=duals, listed_for=target, tree=tree)
            progress.lift(bound, f"{tree.nodes} nodes over {len(members)} groups")
        return done

    def _improve(
        self, duals: Duals, members: NDArray[np.int32], target: int, nodes: int, share: Share = GAP.program
    ) -> None:
        """Look for a better release of the listed groups."""
        progress = self.progress
        found, stated = best_of(
            self.pricing,
            members,
            progress.groups,
            duals=duals,
            cuts=self.pricing.cuts,
            nodes=nodes,
            seed=self.seed,
            seconds=self.clock.allowed(share),
        )
        better = None if found is None else [column.rows for column in found]
        progress.offer(better, f"integer program over {len(members)} groups")
        # Every release below the target consists of listed groups.
        self.stated = max(self.stated, min(stated, target, progress.cost))

    def _listed(self, duals: Duals, room: int) -> tuple[NDArray[np.int32], int] | None:
        """All groups for the highest target (at most the best cost) for which they are at most `room`."""
        progress = self.progress
        value, target = duals.value(self.pricing.rows, self.pricing.cuts), progress.cost
        while True:
            slack = (target - 1) * duals.scale - value
            found = self.pricing.all_below(duals, slack, room=room)
            if found is not None and found.complete:
                return found.lines, target
            if self.clock.over or target <= progress.bound + 1:
                return None
            target = progress.bound + max(1, (target - progress.bound) * 3 // 5)


def numbered(rows: Rows, members: NDArray[np.int32]) -> tuple[Program, NDArray[np.int32]]:
    """The program over listed groups as proofs name its rows and columns, and the groups in its order.

    Rows are numbered by the first tuple of each in the table, columns are in the order of their rows.
    """
    place = by_first(rows)
    moved = np.where(members >= 0, place[members], -1)
    moved = in_order(moved.astype(np.int32))
    order = np.lexsort(moved.T[::-1]) if moved.shape[1] else np.arange(len(moved))
    count = np.empty(len(rows), dtype=np.int64)
    count[place] = rows.count
    return covering(moved[order], rows.costs(members[order]), count), members[order]


def by_first(rows: Rows) -> Ints:
    """The number of each row if they are in the order of their first tuples."""
    place = np.empty(len(rows), dtype=np.int64)
    place[np.argsort([behind[0] for behind in rows.tuples])] = np.arange(len(rows))
    return place


def _group(line: list[int]) -> Group:
    return tuple(row for row in line if row >= 0)
