"""Levels one after the other, each an integer program over shapes of groups.

Where the shapes are not exactly the groups that can be needed (`Shapes.complete`), each level is solved
twice: with stand-ins, for a bound, and, if the solution needs them, without, for a release. Bounds of later
levels are stated as long as both agree. If a bound leaves room for larger groups, more shapes are made.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from enum import Enum

from .....models.errors import CertificateError, TooLargeError
from .....models.problem import Problem
from ....backends.cpsat import MADE_BY
from ....claims import TrustedRefusal
from ....ending import concluded
from ....exact.program import Program
from ....incumbent import BestRelease
from ....schedule import COUNTS
from ....settings import Answer, Settings, Watch
from ....verify.by_sizes import BySizes
from .deal import lacking, release_of
from .evened import evened
from .explicit import explicit
from .level import limit, minimized
from .limits import COUNTS_LIMITS as LIMITS
from .prices import Prices
from .program import Frame, Row
from .proof import ProvenCounts, described, proven
from .shapes import Shapes
from .solving import Solved, solved

__all__ = ["CountsSearch"]

STEP = "integer program over histograms"


class Mode(Enum):
    """What is minimized."""

    BOTH = "with stand-ins for a bound, then without them for a release"
    RELEASES = "without stand-ins only"


class CountsSearch:
    """State of one solve; `refusal` says when that is possible."""

    def __init__(self, problem: Problem, settings: Settings, watch: Watch) -> None:
        self.problem, self.settings = problem, settings
        self.clock = settings.clock(watch.clock.began)
        self.prices = [Prices.of(problem, level) for level in problem.policy.levels]
        self.incumbent = BestRelease(problem, watch)
        self.proofs: dict[int, ProvenCounts] = {}
        self.asked: dict[int, BySizes] = {}
        self.shapes: Shapes | None = None
        self.top = 0
        self.mode = Mode.BOTH
        self.wide: Frame
        self.tight: Frame
        self.infeasible = self.interrupted = False
        self.rounds = 0

    def run(self) -> Answer:
        """Everything in order; Ctrl-C keeps what there is."""
        try:
            self.incumbent.offer(self.settings.initial)
            self.incumbent.offer(self.settings.known)
            with suppress(TooLargeError):  # if larger groups cost what does not fit, what is known stays
                self._levels()
        except KeyboardInterrupt:
            self.interrupted = True
        return concluded(self._answer)

    # -- levels ----------------------------------------------------------------------------------

    def _levels(self) -> None:
        for top in LIMITS.tops:
            shapes = evened(self.problem, top) or explicit(self.problem, top)
            if self.shapes is not None and shapes.beyond == self.shapes.beyond:
                return
            self.shapes, self.top = shapes, top
            self._all_levels(shapes, last=top == LIMITS.tops[-1])
            if self.infeasible or self.incumbent.closed or shapes.beyond is None or self._over:
                return

    def _all_levels(self, shapes: Shapes, *, last: bool) -> None:
        """Minimize level by level; unless these are the `last` shapes, as long as bounds are reached."""
        self.wide = Frame(problem=self.problem, shapes=shapes, loose=True)
        self.tight = self.wide if shapes.complete else replace(self.wide, loose=False)
        self.mode, outer_rows, inner_rows = Mode.BOTH, list[Row](), list[Row]()
        costs: list[int] = []
        for index, prices in enumerate(self.prices):
            outer: Solved | None = None
            if self.mode is Mode.BOTH:
                outer = self._minimized(True, prices, outer_rows)
                if outer.empty:
                    self.infeasible = self.incumbent.best is None
                    return
                self._bounded(index, outer, costs)
            inner = self._published(outer, prices, inner_rows)
            if inner.reached is None or not inner.closed or self._over:
                return
            if outer is None or outer.reached != inner.reached or not outer.closed:
                # Later levels of what the stand-ins bound are not those of releases.
                self.mode = Mode.RELEASES
                if not last and shapes.beyond is not None:
                    return
            costs.append(inner.reached)
            outer_rows.append(limit(self.wide, prices, inner.reached))
            inner_rows.append(limit(self.tight, prices, inner.reached))

    def _published(self, outer: Solved | None, prices: Prices, before: list[Row]) -> Solved:
        """A level's solution without stand-ins: the one there is, or another, whose release is offered."""
        if outer is None or outer.x is None or self.wide.stands_in(outer.x):
            inner = self._minimized(False, prices, before)
            frame = self.tight  # sets of values may have been added to it
        else:
            frame, inner = self.wide, outer
        if inner.x is not None:
            self.incumbent.offer(release_of(self.problem, frame, inner.x), STEP)
        return inner

    def _minimized(self, loose: bool, prices: Prices, before: list[Row]) -> Solved:
        """Minimize a level; where more groups are better, all must be able to have a real tuple."""
        counted = any(price.kind == "ratio" for price in self.prices)
        while True:
            found = minimized(self.wide if loose else self.tight, prices, before, self._call)
            if found.x is None or not counted or self._over:
                return found
            broken = lacking(self.wide if loose else self.tight, found.x)
            if not broken:
                return found
            sets = (*self.wide.sets, broken)
            same = self.tight is self.wide
            self.wide = replace(self.wide, sets=sets)
            self.tight = self.wide if same else replace(self.tight, sets=sets)

    @property
    def _over(self) -> bool:
        return self.interrupted or self.clock.over

    def _call(self, program: Program) -> Solved:
        self.rounds += 1
        found = solved(program, self.settings, self.clock, self.wide.parts["totals"])
        self.interrupted |= found.interrupted
        return found

    def _bounded(self, index: int, found: Solved, costs: list[int]) -> None:
        """Keep a level's bound, and what proves it."""
        if found.bound is None:
            return
        prices = self.prices[index]
        old = self.proofs.get(index)
        if old is not None and old.bound > found.bound:
            return
        self.incumbent.raise_bound(index, prices.value(found.bound), STEP)
        derived, text, sets = None, None, ()
        if found.closed and not self._over:
            share = self.clock.share(COUNTS.proof)
            # What the verifier knows too little of stays the solver's word.
            with suppress(CertificateError):
                sets = self._named_sets()
                derived, text = proven(self._sizes, index, costs, found.bound, sets, share)
        self.proofs[index] = ProvenCounts(
            top=self.top,
            costs=tuple(costs),
            bound=found.bound,
            derived=derived,
            sets=sets,
            proof=text,
        )

    @property
    def _sizes(self) -> BySizes:
        """What the verifier will ask about groups of the sizes that are looked at."""
        if self.top not in self.asked:
            self.asked[self.top] = BySizes.of(self.problem, self.top)
        return self.asked[self.top]

    def _named_sets(self) -> tuple[tuple[int, ...], ...]:
        """Sets of values as the verifier numbers them."""
        if not self.wide.sets or self.shapes is None:
            return ()
        place = {name: row for row, name in enumerate(self._sizes.shapes.names)}
        values = self.shapes.values
        return tuple(tuple(sorted(place[values[v]] for v in inside)) for inside in self.wide.sets)

    def _answer(self) -> Answer:
        if self.infeasible:
            return self.incumbent.refused(TrustedRefusal(solver=MADE_BY, why=STEP), self.rounds)
        return self.incumbent.answer(
            () if self.incumbent.best is None else described(self.proofs, self.prices, MADE_BY),
            interrupted=self.interrupted,
            late=self.clock.ended,
            rounds=self.rounds,
        )
