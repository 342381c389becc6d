"""Branch and bound over boxes of level vectors, best bound first.

A box ``[lo, hi]`` is dropped if hi is hopeless, or if its bound is no better than the best
release; otherwise it is cut at one attribute into the vectors below hi's level (a new upper
corner, which is visited) and those at it (same corner, raised lower one). Every vector
is the upper corner of some box of the search, at the latest when it is alone in its
box, unless it lies in a dropped one: so the search is an enumeration of the whole lattice,
whatever the requirements are.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import TypeAlias

import numpy as np

from ....models.losses import loss
from ....models.problem import Problem
from ...settings import Clock, Watch
from .grid import Classes, Grid, Vector
from .judge import ClassVerdicts, Mask
from .measures import Corner, measure_of

__all__ = ["Found", "Lattice", "Score"]

Score: TypeAlias = tuple[Fraction, ...]
"""Values (or bounds) of the objective's levels; compared lexicographically.

Bounds hold component by component, so a score that is not below the best one
lexicographically rules its box out.
"""

QUIET = 0.25
"""Seconds between notes of the bound."""


def _weighed(parts: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """The sum of values times their weights; most levels are one loss that weighs 1."""
    if len(parts) == 1 and parts[0][0] == 1:
        return parts[0][1]
    return sum((weight * value for weight, value in parts), Fraction(0))


@dataclass(frozen=True, eq=False)
class Found:
    """The best vector so far, with what it suppresses."""

    levels: Vector
    classes: Classes
    gone: Mask
    score: Score


class _Hopeless:
    """Hopeless vectors; all that are finer than one of them are hopeless too."""

    def __init__(self, attributes: int) -> None:
        self._rows = np.zeros((64, attributes), dtype=np.int16)
        self._used = 0

    def add(self, levels: Vector) -> None:
        if self._used == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._rows[self._used] = levels
        self._used += 1

    def __contains__(self, levels: Vector) -> bool:
        known = self._rows[: self._used]
        return bool((known >= np.array(levels, dtype=np.int16)).all(axis=1).any())


class Lattice:
    """One search.

    Attributes
    ----------
    best : Found or None
    visited : int
        Vectors whose classes were judged.
    open : list
        Boxes not yet dropped, as a heap; empty at the end of a finished search.
    """

    def __init__(self, problem: Problem, grid: Grid, watch: Watch) -> None:
        self.problem, self.grid, self.watch = problem, grid, watch
        self.judge = ClassVerdicts(problem, grid)
        limit, smallest = self.judge.limit, self.judge.smallest
        self._terms = [
            [(weight, measure_of(loss(name), grid, limit, smallest)) for name, weight in level.weights]
            for level in problem.policy.levels
        ]
        self._corners: dict[Vector, Corner | None] = {}
        self._hopeless = _Hopeless(len(grid.tops))
        self._noted = -QUIET
        self.best: Found | None = None
        self.visited = 0
        self.open: list[tuple[Score, int, Vector, Corner]] = []
        self._pushed = 0

    # -- scores -------------------------------------------------------------------

    def bound(self, lo: Vector, corner: Corner) -> Score:
        """Component-wise lower bound of a box."""
        return tuple(
            _weighed([(w, m.bound(lo, corner)) for w, m in terms if m is not None]) for terms in self._terms
        )

    def _score(self, levels: Vector, classes: Classes, gone: Mask) -> Score:
        if any(m is None for terms in self._terms for _, m in terms):
            return self.problem.objective(self.grid.release(levels, classes, gone))
        return tuple(
            _weighed([(w, m.value(levels, classes, gone)) for w, m in terms if m is not None])
            for terms in self._terms
        )

    def _improves(self, score: Score) -> bool:
        return self.best is None or score < self.best.score

    # -- vectors ------------------------------------------------------------------

    def visit(self, levels: Vector) -> Corner | None:
        """Judge a vector, keep its release if it is the best so far; None if hopeless."""
        if levels in self._corners:
            return self._corners[levels]
        corner = None
        if levels not in self._hopeless:
            self.visited += 1
            corner = self._judge(levels)
            if corner is None:
                self._hopeless.add(levels)
        self._corners[levels] = corner
        return corner

    def _judge(self, levels: Vector) -> Corner | None:
        outlook = self.judge.outlook(levels)
        if outlook is None:
            return None
        shares = None
        if outlook.forced:
            shares = self.grid.widths(np.flatnonzero(outlook.small[outlook.classes.home]))
        corner = Corner(levels, outlook.forced, shares)
        if self._improves(self.bound(levels, corner)):
            gone = self.judge.suppressed(levels, outlook)
            if gone is not None:
                self._offer(levels, outlook.classes, gone)
        return corner

    def _offer(self, levels: Vector, classes: Classes, gone: Mask) -> None:
        score = self._score(levels, classes, gone)
        if not self._improves(score):
            return
        if self.judge.wide:
            release = self.grid.release(levels, classes, gone)
            history = self.problem.history
            if any(next(r.check(release, history), None) is not None for r in self.judge.wide):
                return
        self.best = Found(levels, classes, gone, score)
        self._note(force=True)

    # -- search -------------------------------------------------------------------

    def run(self, clock: Clock, first: Vector | None) -> bool:
        """Search until the lattice is exhausted (True) or time is up (False).

        `first` is visited before all others.
        """
        bottom: Vector = (0,) * len(self.grid.tops)
        everything = Corner(self.grid.tops, 0, None)
        heapq.heappush(self.open, (self.bound(bottom, everything), 0, bottom, everything))
        top = self.visit(self.grid.tops)
        if top is None:
            self.open.clear()
            return True
        if first is not None:
            self.visit(first)
        self._dive(top, clock)
        while self.open:
            score, _, lo, corner = self.open[0]
            if not self._improves(score):
                self.open.clear()
                break
            if clock.over:
                return False
            for low, upper in self._split(lo, corner):
                self._push(low, upper, score)
            heapq.heappop(self.open)  # last, so that an interrupt never loses a box; children sort after it
            self._note()
        self._note(force=True)
        return True

    def _push(self, lo: Vector, corner: Corner, parent: Score) -> None:
        own = self.bound(lo, corner)
        score = tuple(max(pair) for pair in zip(own, parent, strict=True))
        if self._improves(score):
            self._pushed += 1
            heapq.heappush(self.open, (score, self._pushed, lo, corner))

    # Cutting off the coarsest level of the attribute that costs most judged fewer vectors than
    # halving or cutting off the finest level on ARX's Adult and MACH2019 tables.
    def _split(self, lo: Vector, corner: Corner) -> list[tuple[Vector, Corner]]:
        hi = corner.levels
        free = [a for a in range(len(hi)) if lo[a] < hi[a]]
        if not free:
            return []
        cost = self.grid.cost
        a = max(free, key=lambda a: (cost[a][hi[a]] - cost[a][lo[a]], hi[a] - lo[a]))
        children = [((*lo[:a], hi[a], *lo[a + 1 :]), corner)]
        below = self.visit((*hi[:a], hi[a] - 1, *hi[a + 1 :]))
        if below is not None:
            children.append((lo, below))
        return children

    def _dive(self, top: Corner, clock: Clock) -> None:
        """From the top, lower one attribute at a time where that helps most: a good release early."""
        at: Corner | None = top
        while at is not None and not clock.over:
            steps: list[tuple[Score, int, Corner]] = []
            for a, level in enumerate(at.levels):
                if level:
                    below = self.visit((*at.levels[:a], level - 1, *at.levels[a + 1 :]))
                    if below is not None:
                        steps.append((self.bound(below.levels, below), a, below))
            at = min(steps, key=lambda step: step[:2])[2] if steps else None

    # -- reporting ----------------------------------------------------------------

    @property
    def left(self) -> int:
        """Vectors in open boxes (some may have been visited)."""
        return sum(
            prod(high - low + 1 for low, high in zip(lo, corner.levels, strict=True))
            for _, _, lo, corner in self.open
        )

    def bounds(self) -> Score | None:
        """Proven lower bound of each level, given that earlier ones are optimal.

        None if there is neither an open box nor a release (then there is no release at all).
        """
        scores = [score for score, *_ in self.open]
        if self.best is not None:
            scores.append(self.best.score)
        return tuple(min(column) for column in zip(*scores, strict=True)) if scores else None

    def _note(self, *, force: bool = False) -> None:
        if not force and self.watch.clock.seconds - self._noted < QUIET:
            return
        self._noted = self.watch.clock.seconds
        level = 0
        value = None if self.best is None else self.best.score[level]
        bound = value if not self.open else self.open[0][0][level]
        if value is not None and bound is not None:
            bound = min(value, bound)
        self.watch.note(level, value, bound, f"{self.visited} level vectors judged")
