"""The linear program of a whole table: what it proves, and releases it is rounded to.

1. Tasks go through all boxes of the table and find the groups that pay (`sweeping`); first-order steps
   propose duals (`Relaxation`). It begins with what the tuples pay in a release. Each sweep proves a bound.
2. Groups that the linear program takes mostly are taken. The tuples of no such group are a table of their
   own, grouped by hot moves; then all are moved, cold: heat would destroy what the linear program knows.
3. Cuts, sought in large pieces of the table, and a release again.

How often each is done, and in which order, is a course (`plan`). Where needed groups of the whole
policy have no form (`form_of`), the bound is that of groups of the least size: leaving requirements out only
adds releases. Of its groups a release takes those that the whole policy admits. So it is where groups of any
size would have to be looked for in boxes of nested intervals: there are too many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .....models.moment import moment
from .....models.problem import Problem
from ....colgen.boxes.form import form_of
from ....colgen.boxes.question import BoxForm
from ....colgen.boxes.sweeping import TablePricing
from ....colgen.covering import Ints
from ....colgen.duals import DualBound
from ....colgen.pool import Pool
from ....colgen.primal.annealing import Cooling
from ....colgen.primal.crossing import crossed
from ....colgen.primal.rounding import balanced, fitting
from ....colgen.relaxation import Relaxation
from ....colgen.structure.histograms import Histograms
from ....colgen.table import Rows
from ....exact.incidence import Members
from ....limits import BLOCKS as LIMITS, HISTOGRAM_LIMITS
from ....schedule import BLOCKS
from ..easier import Part, part_of
from .cutting import Grouping
from .plan import Kind, Size, Step
from .search import Rounds
from .separating import broken

__all__ = ["prove"]


def prove(
    rounds: Rounds, groups: Grouping, problem: Problem, best: DualBound, plain: DualBound
) -> Part | None:
    """Offer duals that are right for the whole table, and releases; the part the duals are about.

    Parameters
    ----------
    rounds
    groups : Grouping
        What the rounds before came to.
    problem
    best, plain : DualBound
        Of all duals, and of those without cuts.

    Returns
    -------
    tuple of int or None
        None if they are about the whole policy; see `loosened`.
    """
    histograms, rows, part = Histograms.of(problem), rounds.rows, None
    form = None if isinstance(histograms, str) else form_of(histograms)
    if form is None or (form.endless and Size.of(rows).nested):
        part = ()
        histograms = Histograms.of(part_of(problem, part))
        rows = replace(rows, value=np.zeros_like(rows.value))
        form = None if isinstance(histograms, str) else form_of(histograms)
    assert isinstance(histograms, Histograms)
    assert form is not None
    TableProgram(rounds, rows, histograms, form, best).run(groups, plain)
    return part


class TableProgram:
    """The linear program of all groups of a form, in all boxes."""

    def __init__(
        self, rounds: Rounds, rows: Rows, histograms: Histograms, form: BoxForm, best: DualBound
    ) -> None:
        self.rounds, self.rows, self.best, self.clock = rounds, rows, best, rounds.clock
        self.pricing = TablePricing(self.rows, histograms, form, rounds.tasks, self.clock)
        self.pricing.cuts = best.priced.cuts
        self._cold = self._sought = 0
        self._planned = self._took = 0.0
        self._solved = False
        self._ends: Grouping | None = None

    def run(self, groups: Grouping, plain: DualBound) -> None:
        """Bounds, and releases; the best duals without cuts are `plain`, too."""
        relaxation, again, kept = None, False, 0.0
        for step in self.rounds.laid.program():
            derived = step.derived(self.rounds.size) * self._slowness
            self.clock.keep(max(0.0, derived - kept))
            kept = max(kept, derived)
            if self.clock.over or self.rounds.progress.closed:
                break
            if step.kind is Kind.OTHERS:
                groups = self._crossed(groups)
                self.rounds.others()
                continue
            if relaxation is None:
                relaxation = self._begun(groups)
            if step.kind is Kind.SWEEP:
                if not self._solved:
                    self._swept(relaxation, LIMITS.box, step, again=again)
                again = True
                if self.best.duals is not None and not len(self.pricing.cuts):
                    plain.offer(self.best.duals)
            elif step.kind is Kind.CUT:
                if self._cut(relaxation):
                    self._swept(relaxation, LIMITS.cut_box, step, again=True)
            elif step.kind is Kind.ROUND:
                groups = self._release(relaxation, step)
            else:
                groups = self._cooled(groups, step)

    @property
    def _slowness(self) -> float:
        """How many times as long as usual sweeps take: what runs beside may do so at the end, too."""
        planned = BLOCKS.usual.value * self._planned
        return min(BLOCKS.slowest.value, max(1.0, self._took / planned)) if planned else 1.0

    def _swept(self, relaxation: Relaxation, box: float, step: Step, *, again: bool) -> None:
        """The step's rounds of the linear program, or until it is solved."""
        began = moment()
        self._solved = relaxation.run(
            LIMITS.close,
            box=box,
            smoothing=LIMITS.smoothing,
            rounds=step.times,
            iterations=LIMITS.iterations,
            again=again,
        )
        self._took += moment() - began
        self._planned += step.seconds(self.rounds.size, self.rounds.tasks.workers)

    def _begun(self, known: Grouping) -> Relaxation:
        """The linear program of a release's groups, with what its tuples pay."""
        paid, often = np.zeros(len(self.rows)), np.zeros(len(self.rows))
        groups = known.tuples()
        sizes = np.diff(known.start)
        each = np.repeat(self.rows.group_costs(groups) / sizes, sizes)
        np.add.at(paid, known.member, each)
        np.add.at(often, known.member, 1)
        duals = self.pricing.duals(paid / often, np.zeros(0))
        found = Relaxation(
            self.pricing,
            self.clock,
            self.best,
            lambda: self.rounds.progress.lift(self.best.bound, "linear program"),
            begin=duals,
            feasible=True,
        )
        found.start(groups)
        return found

    def _cut(self, relaxation: Relaxation) -> bool:
        """Post cuts that the latest solution breaks; whether there are some."""
        lines, amount = self._taken(relaxation, HISTOGRAM_LIMITS.taken)
        seed, cuts = self.rounds.seed + 1_000_003 * self._sought, self.pricing.cuts
        self._sought += 1
        divisors = tuple(self.pricing.form.divisors)
        found = broken(self.rows, lines, amount, cuts, divisors, self.rounds.tasks, seed, self.clock)
        for rows, divisor in found:
            cuts.add([rows], divisor)
        self.rounds.progress.note(f"{len(cuts)} cuts")
        return bool(found)

    @staticmethod
    def _taken(relaxation: Relaxation, least: float) -> tuple[Members, NDArray[np.float64]]:
        """The columns of which the latest solution takes more than that, and how much of each."""
        amount = relaxation.program.amount
        taken = np.flatnonzero(amount > least)
        return relaxation.columns.lines[taken], amount[taken]

    def _release(self, relaxation: Relaxation, step: Step) -> Grouping:
        """Round the linear program; tuples that are in no group yet are by themselves."""
        lines, amount = self._taken(relaxation, LIMITS.sure)
        if not self.rounds.judge.blind:
            admitted = self._admitted(lines)
            lines, amount = lines[admitted], amount[admitted]
        columns = Pool(self.pricing, lines.shape[1])
        columns.add(lines)
        copies = np.rint(amount).astype(np.int64)
        groups, left = fitting(self.rows, columns, amount, np.zeros(len(amount)), copies)
        found = self.completed(groups, left, step.rest)
        self._offered(found)
        return found

    def _cooled(self, groups: Grouping, step: Step) -> Grouping:
        """The groups after cold moves in blocks."""
        rounds = self.rounds
        self._cold += 1
        cooling = Cooling(first=step.moves, hot=step.hot, cold=LIMITS.coldest)
        found = rounds.across(groups, 1 + LIMITS.rounds + self._cold, cooling, rounds.clock)
        self._offered(found)
        return found

    def _crossed(self, groups: Grouping) -> Grouping:
        """The best of a phase's release and of the phases' before, part by part."""
        if not self._whole(groups):
            return groups
        if self._ends is not None:
            groups = Grouping.of(crossed(self.rounds.rows, self._ends.tuples(), groups.tuples()))
            self.rounds.progress.offer(groups.tuples(), "crossed")
        self._ends = groups
        return groups

    def _whole(self, groups: Grouping) -> bool:
        """Whether no tuples are left that are in no group yet."""
        return int(np.diff(groups.start).min()) >= self.rounds.judge.least

    def _offered(self, groups: Grouping) -> None:
        """Offer a release, if it is one."""
        if self._whole(groups):
            self.rounds.progress.offer(groups.tuples(), "rounded")

    def completed(self, groups: list[tuple[int, ...]], left: Ints, moves: Sequence[int]) -> Grouping:
        """With groups of the tuples that are in none; by themselves if they may not be released so."""
        judge, value = self.rounds.judge, self.rounds.rows.value
        if judge.different:
            groups, left = balanced(judge, value, groups, left)
        counts = np.bincount(judge.seen(value[left]), minlength=judge.told_apart)
        if len(left) and judge.divisible(counts[None, :])[0]:
            rest = self.rounds.anew(left, moves, LIMITS.rounds + self._cold)
            return Grouping.joined([Grouping.of(groups), rest]) if groups else rest
        return Grouping.of([*groups, *((int(row),) for row in left)])

    def _admitted(self, lines: Members) -> NDArray[np.bool_]:
        """Whether the whole policy admits a group."""
        judge, value = self.rounds.judge, self.rounds.rows.value
        histograms = np.zeros((len(lines), len(judge.names)), dtype=np.int64)
        line, place = np.nonzero(lines >= 0)
        np.add.at(histograms, (line, value[lines[line, place]]), 1)
        kinds, kind = np.unique(histograms, axis=0, return_inverse=True)
        return np.asarray(judge.verdicts(kinds), dtype=np.bool_)[kind.ravel()]
