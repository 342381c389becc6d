"""The linear program of a whole table: what it proves, and releases it is rounded to.

1. Tasks go through all boxes of the table and find the groups that pay (`sweeping`); first-order steps
   propose duals (`Relaxation`). It begins with what the tuples pay in a release. Each sweep proves a bound.
2. Groups that the linear program takes mostly are taken. The tuples of no such group are a table of their
   own, grouped by hot moves; then all are moved, cold: heat would destroy what the linear program knows.
3. Cuts, sought block by block, as many as the table is large, and a release again.

How often each is done is laid down before (`plan`). Where more than sizes matters, the bound is that of
groups of the least size: leaving requirements out only adds releases. Of its groups a release takes those
that the whole policy admits.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .....models.problem import Problem
from ....colgen.boxes.form import form_of
from ....colgen.boxes.question import BoxForm
from ....colgen.boxes.sweeping import TablePricing
from ....colgen.covering import Ints
from ....colgen.duals import DualBound
from ....colgen.pool import Pool
from ....colgen.primal.annealing import Cooling
from ....colgen.primal.rounding import fitting
from ....colgen.relaxation import Relaxation
from ....colgen.structure.histograms import Histograms
from ....exact.incidence import Members
from ....limits import BLOCKS as LIMITS, HISTOGRAM_LIMITS
from ....schedule import BLOCKS
from ..easier import Part, part_of
from .cutting import Grouping
from .search import Rounds
from .separating import broken

__all__ = ["prove"]


def prove(rounds: Rounds, problem: Problem, best: DualBound, plain: DualBound) -> Part | None:
    """Offer duals that are right for the whole table, and releases; the part the duals are about.

    Parameters
    ----------
    rounds, problem
    best, plain : DualBound
        Of all duals, and of those without cuts.

    Returns
    -------
    tuple of int or None
        None if they are about the whole policy; see `loosened`.
    """
    histograms, part = Histograms.of(problem), None
    if not rounds.judge.blind or isinstance(histograms, str) or form_of(histograms) is None:
        part = ()
        histograms = Histograms.of(part_of(problem, part))
    assert isinstance(histograms, Histograms)
    form = form_of(histograms)
    assert form is not None
    TableProgram(rounds, histograms, form, best).run(plain)
    return part


class TableProgram:
    """The linear program of all groups that sizes allow, in all boxes."""

    def __init__(self, rounds: Rounds, histograms: Histograms, form: BoxForm, best: DualBound) -> None:
        self.rounds, self.best, self.laid = rounds, best, rounds.laid
        self.clock = rounds.clock.share(BLOCKS.proving) if self.laid.cold else rounds.clock
        self.rows = replace(rounds.rows, value=np.zeros_like(rounds.rows.value))
        self.pricing = TablePricing(self.rows, histograms, form, rounds.tasks, self.clock)
        self.pricing.cuts = best.priced.cuts

    def run(self, plain: DualBound) -> None:
        """Bounds, and releases if some are laid down; the best duals without cuts are `plain`, too."""
        groups = self.rounds.progress.groups
        if groups is None or self.clock.over or not self.laid.generations:
            return
        relaxation = self._begun(groups)
        relaxation.run(LIMITS.close, box=LIMITS.box, smoothing=LIMITS.smoothing, rounds=self.laid.generations)
        if self.best.duals is not None:
            plain.offer(self.best.duals)
        self._release(relaxation, 0)
        for number in range(self.laid.cuts):
            if self.clock.over or self.rounds.progress.closed or not self._cut(relaxation, number):
                break
            relaxation.run(
                LIMITS.close,
                box=LIMITS.cut_box,
                smoothing=LIMITS.smoothing,
                rounds=LIMITS.cut_sweeps,
                again=True,
            )
        if self.laid.cuts:
            self._release(relaxation, 1)

    def _begun(self, groups: tuple[tuple[int, ...], ...]) -> Relaxation:
        """The linear program of a release's groups, with what its tuples pay."""
        paid, often = np.zeros(len(self.rows)), np.zeros(len(self.rows))
        known = Grouping.of(groups)
        sizes = np.diff(known.start)
        each = np.repeat(self.rows.group_costs(groups) / sizes, sizes)
        np.add.at(paid, known.member, each)
        np.add.at(often, known.member, 1)
        duals = self.pricing.duals(paid / often, np.zeros(0))
        found = Relaxation(
            self.pricing,
            self.clock,
            self.best,
            lambda: self._lift("linear program"),
            begin=duals,
            feasible=True,
        )
        found.start(groups)
        return found

    def _lift(self, step: str) -> None:
        self.rounds.progress.lift(self.best.bound, step)

    def _cut(self, relaxation: Relaxation, number: int) -> bool:
        """Post cuts that the latest solution breaks; whether there are some."""
        lines, amount = self._taken(relaxation, HISTOGRAM_LIMITS.taken)
        seed, cuts = self.rounds.seed + 1_000_003 * number, self.pricing.cuts
        divisors = tuple(range(2, self.pricing.form.least + 1))
        tasks = self.rounds.tasks
        found = broken(self.rows, self.rounds.judge, lines, amount, cuts, divisors, tasks, seed, self.clock)
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

    def _release(self, relaxation: Relaxation, number: int) -> None:
        """Round the linear program, and improve that by cold moves in blocks."""
        rounds, progress, judge = self.rounds, self.rounds.progress, self.rounds.judge
        if not self.laid.cold or progress.closed or rounds.clock.over:
            return
        lines, amount = self._taken(relaxation, LIMITS.sure)
        if not judge.blind:
            admitted = self._admitted(lines)
            lines, amount = lines[admitted], amount[admitted]
        columns = Pool(self.pricing, lines.shape[1])
        columns.add(lines)
        groups, left = fitting(self.rows, columns, amount, np.zeros(len(amount)))
        found = self.completed(groups, left)
        for again, moves in enumerate(self.laid.cold):
            hot = LIMITS.cool[again * len(LIMITS.cool) // len(self.laid.cold)]
            place = LIMITS.rounds + number * len(LIMITS.cool) + again + 1
            cooling = Cooling(first=moves, hot=hot, cold=LIMITS.coldest)
            found = rounds.across(found, place, cooling, rounds.clock)
            if int(np.diff(found.start).min()) < judge.least:
                return  # time was over before all tuples were in groups
            progress.offer(found.tuples(), "rounded")

    def completed(self, groups: list[tuple[int, ...]], left: Ints) -> Grouping:
        """With groups of the tuples that are in none; by themselves if they may not be released so."""
        judge, values = self.rounds.judge, 1 if self.rounds.judge.blind else len(self.rounds.judge.names)
        value = np.zeros_like(left) if judge.blind else self.rounds.rows.value[left]
        counts = np.bincount(value, minlength=values)
        if len(left) and judge.admits(tuple(counts.tolist())):
            rest = self.rounds.anew(left, self.laid.rest, LIMITS.rounds)
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
