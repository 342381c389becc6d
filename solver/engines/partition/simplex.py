"""The root's bound by the simplex method: exact duals, for tables of up to a few hundred rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...colgen.column import Column, Group, lines_of
from ...colgen.duals import DualBound
from ...colgen.generation import Generation
from ...colgen.histogram_pricing import HistogramPricing
from ...colgen.master import Proposal, RestrictedMaster
from ...colgen.pool import Pool
from ...colgen.primal.annealing import Annealing
from ...colgen.primal.diving import Dives
from ...colgen.structure.histograms import Judge
from ...limits import HISTOGRAM_LIMITS as LIMITS
from ...schedule import HISTOGRAM
from ...settings import Clock
from .progress import Progress
from .scale import annealed_again

__all__ = ["RootProgram"]


class RootProgram:
    """The root's linear program and its cuts; run again with more time, it goes on where it stopped.

    There may be no release yet: then tuples may be left out at a price that rises.

    Attributes
    ----------
    apart : bool
        Whether prices are of a part of the policy: the linear program says nothing of releases then.
    done : bool
        Whether nothing more can be proven this way.
    far : bool
        Whether the bound is far below the linear program where groups of any size may be needed: they are not
        ruled out in time.
    """

    def __init__(
        self,
        pricing: HistogramPricing,
        progress: Progress,
        best: DualBound,
        clock: Clock,
        judge: Judge,
        seed: int,
        *,
        apart: bool = False,
    ) -> None:
        self.pricing, self.clock, self.judge, self.seed, self.apart = pricing, clock, judge, seed, apart
        self._random, self._known = np.random.default_rng(seed), set[Group]()
        rows = pricing.rows
        tuples = int(rows.count.sum())
        unit = progress.cost / tuples if progress.groups is not None else rows.most / (8 * tuples)
        self.progress, self.best, self.rows = progress, best, rows
        self.done, self.far, self._cuts, self._solved, self._moved = False, False, 0, False, 0.0
        self._penalty = None if progress.groups is not None else float(rows.most / tuples)
        self._master = RestrictedMaster(pricing, pricing.cuts, unit, penalty=self._penalty)
        self._generation = Generation(
            pricing, self._master, clock, best, per_anchor=LIMITS.per_anchor, most_nodes=LIMITS.most_nodes
        )
        guess = np.full(len(rows), 0.3 * unit)
        if progress.groups is not None:
            self._master.add([Column(group) for group in (*progress.starts, *progress.groups)])
            for group, cost in zip(progress.groups, rows.group_costs(progress.groups), strict=True):
                guess[list(group)] = 0.6 * cost / len(group)
        self._generation.begin(guess)

    def run(self, annealing: Annealing | None) -> bool:
        """Solve the linear program and cut it, and move what was dived; False if there is no release."""
        progress, best, generation = self.progress, self.best, self._generation
        if not self._solved and not self._root():
            return False
        self._dived()
        while not self.done:
            before = progress.bound
            if not self._solved or not generation.cut():
                self.done = self._solved
                break
            self._cuts += 1
            self._solved = generation.run(0.3)
            progress.lift(best.bound, f"{len(generation.source.cuts)} cuts")
            little = progress.bound - before < 1e-5 * progress.bound
            self.done = self._solved and (little or self._cuts >= LIMITS.simplex_cut_rounds)
            if not self._solved:
                break
            self._dived()
        if self.done:
            self._on()
        if annealing is not None and self.clock.limit is not None:
            self._move(annealing)
        return True

    def _move(self, annealing: Annealing) -> None:
        """Moves take a share of all the time so far: lists alone may close what is left."""
        began = self.clock.seconds
        seconds = HISTOGRAM.annealing_dived.value * began - self._moved
        annealed_again(annealing, self.progress, self.clock.part(seconds))
        self._moved += self.clock.seconds - began

    def _on(self) -> None:
        """More dives until they gain nothing, and the best release of the groups of all."""
        clock, stalled = self.clock.share(HISTOGRAM.dives), 0
        while stalled < LIMITS.dives_stalled and not (self.progress.closed or clock.over):
            before = self.progress.cost
            self._dived(LIMITS.noises_on)
            stalled = 0 if self.progress.cost < before else stalled + 1
        self._combined()

    def _dived(self, noises: Sequence[float] = LIMITS.noises) -> None:
        """Releases from the linear program: lists are short only if a good one is known."""
        proposal, rows = self._generation.proposal, self.rows
        if proposal is None or self._penalty is not None or rows.spare or self.apart:
            return
        taken = np.flatnonzero(proposal.amount > LIMITS.taken)
        lines = lines_of(self._master.columns[j] for j in taken.tolist())
        columns = Pool(self.pricing, lines.shape[1])
        columns.add(lines)
        posted = self.pricing.cuts.some(rows, np.flatnonzero(proposal.cuts < 0).tolist())
        given = rows, columns, proposal.amount[taken], posted, proposal.rows
        dives = Dives(*given, buckets=self.pricing.buckets)
        for strength in noises:
            noise = strength * self._random.random(len(taken))
            found = dives.run(self.judge, noise, self.clock.share(HISTOGRAM.box_dive))
            if found is not None and not self.clock.ends:
                # What was cut off may be better by luck than what it would have become.
                self.progress.offer(found, "dived")
                self._known.update(found)

    def _combined(self) -> None:
        """The best release of the groups of all dives."""
        if self.best.duals is None or self.progress.closed or not self._known:
            return
        clock = self.clock.share(HISTOGRAM.combined)
        self.progress.combine(self.pricing, self._known, self.best.duals, self.seed, clock)

    def _root(self) -> bool:
        """Solve it as it is, with dives meanwhile; False if there is no release."""
        generation, most = self._generation, self.rows.most
        while True:
            seconds = self.clock.allowed(HISTOGRAM.root)
            until = None if seconds is None else self.clock.seconds + seconds
            self._solved = generation.run(0.3 if self._cuts else 0.5, seconds=seconds)
            self.progress.lift(self.best.bound, "linear program")
            proposal = generation.proposal
            if until is not None and not self._solved and self.clock.seconds > until and not self.clock.over:
                self._dived()
                self.far = self._is_far(proposal)
                if self.far:
                    return True
                continue
            missing = proposal.missing if proposal is not None else 0.0
            if self.progress.bound > most:
                return False
            penalty = self._penalty
            if penalty is None or missing < 1e-6 or not self._solved or penalty > 1e3 * most:
                return True
            self._penalty = 10 * penalty
            self._master.penalize(self._penalty)

    def _is_far(self, proposal: Proposal | None) -> bool:
        """Whether a linear program of releases is hardly bounded, for all its columns."""
        if proposal is None or self._penalty is not None or not self.pricing.histograms.steps.beyond:
            return False
        return float(self.best.value) < LIMITS.simplex_far * proposal.value
