"""Bound and releases by boxes: a linear program by simplex, cut and rounded, and moves that respect it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...colgen.boxes.separation import TabuEffort, rank_one
from ...colgen.choice import best_of
from ...colgen.column import Column, Group, lines_of, slim
from ...colgen.covering import Ints
from ...colgen.duals import DualBound
from ...colgen.generation import Generation
from ...colgen.master import RestrictedMaster
from ...colgen.pool import Pool
from ...colgen.primal.annealing import COLD, Annealing
from ...colgen.primal.crossing import crossed
from ...colgen.primal.diving import Dives
from ...colgen.primal.regrouping import regrouped
from ...colgen.primal.rounding import completed, fitting
from ...colgen.structure.histograms import Judge
from ...exact.incidence import Members
from ...limits import HISTOGRAM_LIMITS as LIMITS
from ...schedule import HISTOGRAM, WORK
from ...settings import Clock, Settings
from ...shares import Share
from ...work import spend
from .places import Boxes, PlacedBoxes
from .progress import Progress
from .scale import annealed

__all__ = ["Boxed", "by_boxes"]

Floats = NDArray[np.float64]


def by_boxes(boxed: Boxed, judge: Judge, settings: Settings, annealing: Annealing | None) -> bool:
    """Prove a bound, and improve releases by what the linear program says; False if there is no release.

    There must be a release already. Called again with more time, it goes on where it stopped.
    """
    progress, solved = boxed.progress, boxed.solve()
    if progress.bound > boxed.pricing.rows.most:
        return False
    seen = judge, annealing, settings.seed
    if boxed.dives or not solved or not boxed.begun:  # what takes long waits for more cuts
        boxed.rounded(*seen, patience=1, share=HISTOGRAM.box_first if solved else HISTOGRAM.box_moves)
    if solved:
        # Cuts that gain little wait until there are releases.
        last = HISTOGRAM.box_releases if boxed.dives else HISTOGRAM.box_longer
        for gain, until in zip(LIMITS.box_gain, (HISTOGRAM.box_early, last), strict=True):
            boxed.tighten(settings.seed, gain)
            boxed.rounded(*seen, patience=LIMITS.box_stalled, until=until)
            boxed.combined(settings.seed)
    if annealing is not None and not progress.closed and not (solved and boxed.dives):
        annealed(annealing, progress, boxed.clock.share(HISTOGRAM.annealing_again))
    return True


class Boxed:
    """The linear program over columns of boxes; with `places`, the pricing's rows are places.

    Attributes
    ----------
    solved : bool
        Without cuts.
    """

    def __init__(
        self, pricing: Boxes, progress: Progress, best: DualBound, places: PlacedBoxes | None = None
    ) -> None:
        self.pricing, self.progress, self.places = pricing, progress, places
        self.clock, self._again, self.solved = pricing.clock or Clock(), 0, False
        rows = pricing.rows
        self.dives = len(rows) <= LIMITS.finished_rows and not rows.spare
        assert progress.groups is not None
        self.generation = Generation(
            pricing,
            RestrictedMaster(pricing, pricing.cuts, progress.cost / int(rows.count.sum())),
            self._linear,
            best,
            per_anchor=LIMITS.per_anchor,
            most_nodes=LIMITS.box_nodes,
            close=LIMITS.box_close,
            few=len(rows) // LIMITS.box_few,
            many=max(1, len(rows) // LIMITS.box_many),
            raised=lambda: progress.lift(best.bound, "linear program"),
        )
        known, groups = slim([*progress.starts, *progress.groups]), list(progress.groups)
        if places is not None:
            known, groups = places.of_rows(known), places.of_rows(groups)
        self.generation.master.add([Column(tuple(sorted(group))) for group in known])
        paid, often = np.zeros(len(rows)), np.zeros(len(rows))
        for group, cost in zip(groups, rows.group_costs(groups), strict=True):
            np.add.at(paid, list(group), cost / len(group))
            np.add.at(often, list(group), 1)
        self.generation.begin(paid / often)

    @property
    def _apart(self) -> bool:
        """Whether the linear program does not know of all attributes: it says nothing of releases then."""
        return self.places is not None and bool(self.places.unpriced)

    @property
    def _linear(self) -> Clock:
        """The linear program's time, cuts included."""
        later = HISTOGRAM.boxes_later if self.dives else HISTOGRAM.boxes_larger
        few = HISTOGRAM.boxes_few, HISTOGRAM.boxes_few_later
        shares = few if self._apart else (HISTOGRAM.boxes, later)
        return self.clock.share(max(shares, key=lambda share: self.clock.allowed(share) or 0.0))

    def solve(self) -> bool:
        """Solve the linear program, if it is not; False if time ran out first."""
        self.generation.clock = self._linear
        self.solved = self.solved or self.generation.run()
        return self.solved

    @property
    def begun(self) -> bool:
        """Whether it was rounded."""
        return self._again > 0

    def tighten(self, seed: int, gain: float = LIMITS.box_gain[0]) -> None:
        """Add cuts as long as they raise what is proven by so much, and the clock allows."""
        best, gained = self.generation.best, 0
        self.generation.exactly()
        for number in range(LIMITS.cut_rounds):
            before = float(best.value)
            if (
                self.generation.clock.over
                or self.progress.closed
                or not self._cut(seed + len(self.pricing.cuts))
            ):
                break
            solved = self.generation.run(LIMITS.box_smoothing)
            if float(best.value) - before >= gain * before:
                gained = number
            if not solved or number - gained >= LIMITS.box_patience:
                break

    def _cut(self, seed: int) -> bool:
        """Post cuts that the latest solution breaks; whether there are some."""
        lines, amount = self._taken()
        cuts, divisors = self.pricing.cuts, self.pricing.form.divisors
        if not divisors:
            return False
        known = list(zip(cuts.sets, cuts.divisors, strict=True))
        effort = TabuEffort()
        effort = replace(effort, starts=max(effort.starts, len(lines) // LIMITS.box_starts))
        found = rank_one(lines, amount, self.pricing.rows.count, known, divisors, effort, seed + len(cuts))
        for rows, divisor in found:
            cuts.add([rows], divisor)
        self.generation.master.extend()
        return bool(found)

    def _taken(self) -> tuple[Members, Floats]:
        """The columns of the latest solution, and how much of each."""
        proposal, known = self.generation.proposal, self.generation.master.columns
        if proposal is None:
            return np.empty((0, 1), dtype=np.int32), np.zeros(0)
        taken = np.flatnonzero(proposal.amount > LIMITS.taken)
        return lines_of(known[j] for j in taken.tolist()), proposal.amount[taken]

    def rounded(
        self,
        judge: Judge,
        annealing: Annealing | None,
        seed: int,
        *,
        patience: int,
        share: Share = HISTOGRAM.box_moves,
        until: Share | None = None,
    ) -> None:
        """Round the linear program in many ways, each improved by cool moves, until that is of no use.

        Under a time limit that is when time (or a share of it, `until`) is over. Where simplex is fast it is
        not rounded but dived into, and dives that gain nothing leave the share's rest to a search tree.
        """
        clock, seen = self.clock, judge if self.places is None else self.places.judge
        limit, stalled = clock if until is None else clock.share(until), 0
        if limit.over or self.progress.closed or self._apart:
            return
        began = limit.seconds
        for groups in self._roundings(seen, seed, limit):
            before, took = self.progress.cost, limit.seconds - began
            if not limit.fits(HISTOGRAM.box_last.value * took):  # there may be no other one
                share = HISTOGRAM.box_moves
            if self.places is not None and groups is not None:
                groups = self.places.dealt(groups, judge, clock)
            if clock.ends:
                break  # what was cut off may be better by luck than what it would have become
            known = self.progress.groups
            self.progress.offer(groups, "rounded")
            if annealing is not None and groups is not None:
                annealing.begin(groups)
                for better in annealing.rounds(COLD, limit.share(share)):
                    groups = better
                    self._keep(better)
                    self.progress.offer(better, "annealed")
            spend(HISTOGRAM.rounding.value * len(self.progress.rows))
            crosses = not (limit.ends or self.progress.rows.spare)  # ends: as above
            if known is not None and groups is not None and crosses:
                self.progress.offer(crossed(self.progress.rows, known, groups), "crossed")
            began, stalled = limit.seconds, stalled + 1 if self.progress.cost == before else 0
            enough = stalled >= patience and (clock.limit is None or (self.dives and until is not None))
            if patience == 1 or enough or limit.over or self.progress.closed:
                break

    def _roundings(self, judge: Judge, seed: int, clock: Clock) -> Iterator[list[Group] | None]:
        """The linear program rounded in one way after the other."""
        proposal, master = self.generation.proposal, self.generation.master
        if proposal is None or self.generation.best.duals is None:
            return
        random, rows, cuts = np.random.default_rng([seed, self._again]), self.pricing.rows, self.pricing.cuts
        lines, noise = lines_of(master.columns[: len(proposal.amount)]), 0.0 if self._again == 0 else 1.0
        self._again += 1
        if self.dives:
            kept = np.flatnonzero((self._reduced(lines) <= self._slack) | (proposal.amount > LIMITS.taken))
            posted = cuts.some(rows, np.flatnonzero(proposal.cuts < 0).tolist())
        else:
            kept, posted = np.flatnonzero(proposal.amount > LIMITS.taken), cuts.some(rows, ())
        columns, amount = Pool(self.pricing, lines.shape[1]), proposal.amount[kept]
        columns.add(lines[kept])
        none, many = np.zeros(len(amount)), LIMITS.box_left * int(rows.count.sum())
        dives = Dives(rows, columns, amount, posted, proposal.rows) if self.dives else None
        while len(amount):
            other = noise * random.random(len(amount))
            if dives is None:
                other = LIMITS.box_noise * other + amount
                groups, left = fitting(rows, columns, other, none)
                if judge.blind or len(left) <= many:
                    found = completed(rows, judge, groups, left, buckets=False, clock=self.clock)
                else:
                    found = regrouped(
                        rows, judge, groups, left, dear=LIMITS.dear, seed=seed + self._again, clock=clock
                    )
                if found is None:
                    return
                yield found
            else:
                yield dives.run(judge, LIMITS.dive_noise * other, clock.share(HISTOGRAM.box_dive), self.clock)
            noise = 1.0

    def _keep(self, groups: Sequence[Group]) -> None:
        """Let the linear program know the groups of a release."""
        known = groups if self.places is None else self.places.of_rows(groups)
        self.generation.master.add([Column(tuple(sorted(group))) for group in known])

    @property
    def _slack(self) -> int:
        """The most that a column of a better release may lose against what is proven."""
        duals, pricing = self.generation.best.duals, self.pricing
        if duals is None:
            return 0
        return (self.progress.cost - 1) * duals.scale - duals.value(
            pricing.rows, pricing.cuts, pricing.rows.spare
        )

    def _reduced(self, lines: Members) -> Ints:
        """Reduced costs of columns under the duals that prove most."""
        duals, cuts = self.generation.best.duals, self.pricing.cuts
        assert duals is not None
        known = Pool(self.pricing, lines.shape[1])
        known.add(lines)
        spend(WORK.column.value * len(lines))
        prices = np.concatenate([duals.rows, np.pad(duals.cuts, (0, len(cuts) - len(duals.cuts)))])
        return known.cost * duals.scale - known.total(known.sparse(cuts), prices)

    def combined(self, seed: int) -> None:
        """The best release of the known columns that a better one may hold; not in large tables."""
        pricing, progress, duals = self.pricing, self.progress, self.generation.best.duals
        late = self.clock.over or progress.closed or self.places is not None
        if duals is None or late or len(pricing.rows) > LIMITS.finished_rows:
            return
        lines = lines_of(self.generation.master.columns)
        reduced = self._reduced(lines)
        near = np.argsort(reduced, kind="stable")[: LIMITS.box_program_columns]
        found, _ = best_of(
            pricing,
            lines[near[reduced[near] <= self._slack]],
            progress.groups,
            duals=duals,
            cuts=pricing.cuts,
            nodes=LIMITS.box_program_nodes,
            seed=seed,
            clock=self.clock.share(HISTOGRAM.box_program),
        )
        progress.offer(found, "integer program")
