"""Closing the gap: all groups that a better release may hold are listed, and the list is searched."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...settings import Clock
from .pricing import Duals, Pricing
from .progress import Progress
from .restricted import best_of
from .tree import Tree

__all__ = ["Finish"]

LEAST_LISTED, MOST_LISTED, MOST_PLACES = 1_000, 200_000, 100_000_000
"""How many groups are listed, and how many of them times rows: the integer program needs memory for them."""
TREE_WORK = 400_000
"""Nodes times groups of an exact tree; beyond, the bound rests on the integer program's solver."""
LARGE = 400
"""Rows from which a tree gets fewer nodes: each of them takes longer."""
NODES = 2_000
"""Nodes of the first integer program."""


class Finish:
    """The last step of a search.

    Attributes
    ----------
    tree : Tree or None
        The search tree that proved the bound.
    trusted : bool
        Whether the bound rests on the integer program's solver.
    """

    def __init__(self, pricing: Pricing, progress: Progress, clock: Clock, seed: int) -> None:
        self.pricing, self.progress, self.clock, self.seed = pricing, progress, clock, seed
        self.tree: Tree | None = None
        self.trusted = False

    def run(self, duals: Duals) -> None:
        """Search lists until bound and release meet, the lists get too long, or time is over.

        The target starts low enough for a short list. A tree that finds nothing proves the target as
        a bound; lists and trees then grow until the target is the best release's cost.
        """
        progress, rows = self.progress, self.pricing.rows
        most = min(MOST_LISTED, MOST_PLACES // len(rows))
        room, nodes = min(most, max(LEAST_LISTED, 4 * len(rows))), NODES
        while not progress.closed and not self.clock.over:
            listed = self._listed(duals, room)
            if listed is None:
                if room == most:
                    return
                room = min(most, 4 * room)
                continue
            members, target = listed
            whole = target == progress.cost
            found, trusted = best_of(
                rows,
                self.pricing.cuts,
                duals,
                members,
                progress.groups,
                nodes=nodes,
                seed=self.seed,
                seconds=self.clock.left,
            )
            progress.offer(found, f"integer program over {len(members)} groups")
            unit = max(1.0, progress.cost / int(rows.count.sum()))
            groups = [tuple(u for u in line if u >= 0) for line in members.tolist()]
            tree = Tree(self.pricing, groups, min(target, progress.cost), unit, self.clock)
            done = tree.run(TREE_WORK // max(1, len(groups)) * LARGE // max(LARGE, len(rows)))
            progress.offer(tree.best)
            if done:
                self.tree, self.trusted = tree, False
                progress.lift(tree.target, f"{len(tree.nodes)} nodes")
            elif not self.clock.over:
                # Every release below the target consists of listed groups.
                trusted = min(trusted, target, progress.cost)
                if trusted > progress.bound:
                    self.trusted = True
                    progress.lift(trusted, "integer program")
                elif whole and room == most:
                    return
            nodes, room = 2 * nodes, min(most, 4 * room)

    def _listed(self, duals: Duals, room: int) -> tuple[NDArray[np.int32], int] | None:
        """All groups for the highest target (at most the best cost) for which they are at most `room`."""
        progress = self.progress
        value, target = duals.value(self.pricing.rows, self.pricing.cuts), progress.cost
        while True:
            slack = (target - 1) * duals.scale - value
            found = self.pricing.search(duals, floor=-slack - 1, room=room)
            if found.whole:
                return found.members, target
            if self.clock.over or target <= progress.bound + 1:
                return None
            target = progress.bound + max(1, (target - progress.bound) * 3 // 5)
