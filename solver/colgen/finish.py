"""Closing the gap: all columns that a better release may hold are listed, and the list is searched.

A column source lists its columns below a reduced cost and says whether the list is complete. The search is
a tree whose proof is in whole numbers (`exact.tree`). HiGHS' integer program only finds releases, where the
tree has not ended in its share of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...models.errors import CertificateError
from ...models.moment import moment
from ..exact.incidence import Members
from ..exact.program import Program, covering
from ..exact.rank1 import Rank1Cut
from ..exact.tree import Tree
from ..exact.tree_check import EndedError, check
from ..schedule import GAP
from ..settings import Clock
from ..shares import Share
from .choice import best_of
from .column import Column, columns_of, counterfeits, in_order
from .covering import Covering, Ints
from .duals import Duals
from .limits import GapLimits
from .pricing import ColumnSource

__all__ = ["Closed", "Finish", "Reached", "numbered"]


class Reached(Protocol):
    """The best release so far and what is proven, in costs."""

    @property
    def best(self) -> Sequence[Column | tuple[int, ...]] | None:
        """Its columns."""
        ...

    @property
    def cost(self) -> int:
        """What it costs; above every release's cost if there is none."""
        ...

    @property
    def bound(self) -> int:
        """No release costs less."""
        ...

    def offer(self, solution: Sequence[Column] | None, text: str = ..., /) -> bool:
        """Keep a release if it is better."""
        ...

    def lift(self, bound: int, text: str, /) -> None:
        """Keep a bound if it is higher."""
        ...


@dataclass(frozen=True, kw_only=True)
class Closed:
    """A tree over all columns of releases that cost less than `listed_for`: none is below its bound."""

    duals: Duals
    listed_for: int
    tree: Tree


class Finish:
    """The last step of a search; called again, it goes on where it stopped.

    Parameters
    ----------
    source : ColumnSource
    reached : Reached
    clock : Clock
    seed : int
    limits : GapLimits

    Attributes
    ----------
    found : Closed or None
        What proved the bound.
    stated : int
        Bound on the word of the integer program's solver; nothing rests on it.
    exhausted : bool
        Whether there is nothing left to try.
    """

    def __init__(
        self, source: ColumnSource, reached: Reached, clock: Clock, seed: int, limits: GapLimits
    ) -> None:
        self.source, self.reached, self.clock, self.seed, self.limits = source, reached, clock, seed, limits
        self.found: Closed | None = None
        self.stated = 0
        rows = len(source.rows)
        self._most = min(limits.most_listed, limits.most_places // rows)
        self._room = min(self._most, max(limits.least_listed, 4 * rows))
        self._nodes = limits.nodes
        self.exhausted = not source.lists_all
        self._took = self._kept = 0.0
        self._known = 0, 0
        self._open: tuple[Duals, int, Tree, Members] | None = None

    def again(self) -> None:
        """Begin anew if more is known than last time: lists may have become shorter."""
        known = self.reached.bound, self.reached.cost
        if known != self._known:
            self.exhausted, self._known = not self.source.lists_all, known

    def run(self, duals: Duals, fakes: int | None = None, until: float | None = None) -> None:
        """Search lists until bound and release meet, the lists get too long, or time is over.

        The target starts low enough for a short list. A tree that finds nothing proves the target as
        a bound; lists and trees then grow until the target is the best release's cost.

        Parameters
        ----------
        duals
            Feasible for all columns.
        fakes
            Most counterfeits; None if there are none.
        until
            Second of the clock at which to stop; looked at between lists.
        """
        reached, fakes = self.reached, self.source.rows.spare or fakes
        while not (self.exhausted or reached.bound >= reached.cost or self.clock.over):
            if until is not None and self.clock.seconds > until:
                return
            listed = self._listed(duals, fakes)
            if listed is None:
                self.exhausted = self._room == self._most and not self.clock.over
                if self._room == self._most:
                    return
                self._longer()
                continue
            lines, target = listed
            if self._proved(duals, lines, target, fakes):
                if target < reached.cost:
                    # Nothing is below the target, but what is near it makes the next list shorter.
                    self._improve(duals, lines, target, fakes, self.limits.guess_nodes, GAP.guess)
                self._longer()
                continue
            before, whole = reached.cost, target == reached.cost
            self._improve(duals, lines, target, fakes, self._nodes)
            self._nodes *= 2
            if reached.cost == before:
                self.exhausted = whole and self._room == self._most and self._nodes > 100 * self.limits.nodes
                # A tree that goes on proves more than a longer list's, which would begin anew.
                if self._open is None or self._open[2].stuck:
                    self._longer()

    def _longer(self) -> None:
        self._room = min(self._most, 4 * self._room)

    def _proved(self, duals: Duals, lines: Members, target: int, fakes: int | None) -> bool:
        """Whether a tree over the listed columns comes to its end; one that did not goes on."""
        reached, now = self.reached, self._open
        if now is None or now[0] is not duals or now[1] != target or now[2].stuck:
            program, ordered = numbered(self.source, lines, fakes)
            now = self._open = duals, target, Tree(program, target, cuts=self._carried(duals)), ordered
        _, _, tree, ordered = now
        tree.clock = self.clock.share(GAP.tree)
        done = tree.run()
        if tree.best is not None:
            reached.offer(columns_of(ordered[np.repeat(np.arange(len(ordered)), tree.best)]), "search tree")
        bound = min(target, tree.bound or 0)
        if (done or bound > reached.bound) and self._checked(tree):
            self.found = Closed(duals=duals, listed_for=target, tree=tree.frozen())
            reached.lift(min(bound, reached.cost), f"{tree.nodes} nodes over {len(lines)} groups")
        return done

    def _checked(self, tree: Tree) -> bool:
        """Whether a proof holds, and there is time to check it again: that takes far less than to find it.

        One that is refused proves nothing, and nothing more is tried: it would be refused again without end.
        """
        began = moment()
        try:
            check(tree.program, tree.proof(), over=lambda: self.clock.over)
        except EndedError:
            return False
        except CertificateError:
            self.exhausted = True
            return False
        more = GAP.check.value * (self._took + moment() - began) - self._kept
        if more > 0:
            left = self.clock.rest
            if left is not None and left <= more:
                return False
            self.clock.keep(more)
            self._kept += more
        return True

    def _carried(self, duals: Duals) -> Sequence[Rank1Cut]:
        """Cuts that a tree begins with; it finds its own."""
        return ()

    def _improve(
        self,
        duals: Duals,
        lines: Members,
        target: int,
        fakes: int | None,
        nodes: int,
        share: Share = GAP.program,
    ) -> None:
        """Look for a better release of the listed columns."""
        reached = self.reached
        better, stated = best_of(
            self.source,
            lines,
            reached.best,
            duals=duals,
            cuts=self.source.cuts,
            fakes=fakes,
            nodes=nodes,
            seed=self.seed,
            clock=self.clock.share(share),
        )
        reached.offer(better, f"integer program over {len(lines)} groups")
        # Every release below the target consists of listed columns.
        self.stated = max(self.stated, min(stated, target, reached.cost))

    def _listed(self, duals: Duals, fakes: int | None) -> tuple[Members, int] | None:
        """All columns for the highest target (at most the best cost) for which they are few enough."""
        reached, source = self.reached, self.source
        value, target = duals.value(source.rows, source.cuts, fakes or 0), reached.cost
        while True:
            slack = (target - 1) * duals.scale - value
            began = moment()
            found = source.all_below(duals, slack, room=self._room, nodes=self.limits.search_nodes)
            if found is not None and found.complete:
                self._took = moment() - began
                return found.lines, target
            if self.clock.over or target <= reached.bound + 1:
                return None
            target = reached.bound + max(1, (target - reached.bound) * 3 // 5)


def numbered(source: ColumnSource, lines: Members, fakes: int | None = None) -> tuple[Program, Members]:
    """The program over listed columns as proofs name its rows and columns, and the columns in its order.

    Rows are numbered by the first tuple of each in the table, a limit on counterfeits is the last; columns
    are in the order of their rows, then of their counterfeits.
    """
    rows, place = source.rows, _by_first(source.rows)
    moved = in_order(np.where(lines >= 0, place[np.maximum(lines, 0)], -1).astype(np.int32))
    order = np.lexsort((counterfeits(lines), *moved.T[::-1]))
    ordered, count = lines[order], np.empty(len(rows), dtype=np.int64)
    count[place] = rows.count
    limit = None if fakes is None else (source.limited(ordered), fakes)
    return covering(moved[order], source.costs(ordered), count, limit), ordered


def _by_first(rows: Covering) -> Ints:
    """The number of each row if they are in the order of their first tuples."""
    place = np.empty(len(rows), dtype=np.int64)
    place[np.argsort([behind[0] for behind in rows.tuples])] = np.arange(len(rows))
    return place
