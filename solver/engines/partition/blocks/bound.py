"""What blocks prove together: the best duals of each, lowered until they are right for the whole table.

0. What it costs each tuple to reach others proves something at once (`colgen.reach`).
1. The linear program of each block (`by_boxes` without cuts) gives its rows duals. No group inside the block
   costs less than they add up to; a group across the borders may.
2. All boxes of the table are gone through (`nodes`), shared out in waves: those of one wave that different
   tasks go through have no row in common, or the least of their duals is taken, which is right for all.
3. Other blocks come to other duals; the mean of all goes through the boxes again.

Where more than sizes matters, the bound is that of groups of the least size: leaving requirements out only
adds releases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from .....models.problem import Problem
from ....colgen.boxes.form import BoxForm, form_of
from ....colgen.boxes.grid import BoxGrid
from ....colgen.boxes.pricing import BoxPricing
from ....colgen.boxes.scan import ScanInput, desk, room
from ....colgen.column import Column
from ....colgen.covering import Ints
from ....colgen.duals import DualBound, Duals, whole
from ....colgen.generation import Generation
from ....colgen.kernels.question import CutIndex
from ....colgen.limits import PRICING
from ....colgen.master import RestrictedMaster
from ....colgen.primal.annealing import Cooling
from ....colgen.reach import at_sight
from ....colgen.structure.histograms import Histograms
from ....colgen.table import Rows
from ....limits import BLOCKS as LIMITS, HISTOGRAM_LIMITS
from ....schedule import BLOCKS
from ....settings import Clock
from ..easier import Part, part_of
from .cutting import Grouping, cut_groups
from .nodes import Nodes, entered, lower, nodes_of
from .search import Rounds
from .task import Sent, TableBlock, block_of

__all__ = ["prove"]

SHARED = 2
"""Attributes by whose nodes boxes are dealt to tasks."""


@dataclass(frozen=True, kw_only=True)
class PricedSent:
    """What blocks share while they are priced."""

    sent: Sent
    histograms: Histograms
    seconds: float | None


def price_block(shared: PricedSent, block: TableBlock, clock: Clock) -> NDArray[np.float64]:
    """Duals of a block's rows, in costs: those that prove most of it, or what its groups cost."""
    rows = block.rows(shared.sent)
    rows = replace(rows, value=np.zeros_like(rows.value))
    assert block.groups is not None
    groups = block.groups.tuples()
    paid, often = np.zeros(len(rows)), np.zeros(len(rows))
    for group, cost in zip(groups, rows.group_costs(groups), strict=True):
        np.add.at(paid, list(group), cost / len(group))
        np.add.at(often, list(group), 1)
    own = clock if shared.seconds is None else clock.part(shared.seconds)
    pricing = BoxPricing.of(rows, shared.histograms, 1, own)
    if pricing is None or own.over:
        return paid / often
    best = DualBound(pricing)
    generation = Generation(
        pricing,
        RestrictedMaster(pricing, pricing.cuts, sum(paid) / int(rows.count.sum())),
        own,
        best,
        per_anchor=HISTOGRAM_LIMITS.per_anchor,
        most_nodes=HISTOGRAM_LIMITS.box_nodes,
        close=LIMITS.close,
        few=len(rows) // HISTOGRAM_LIMITS.box_few,
    )
    generation.master.add([Column(tuple(sorted(group))) for group in groups])
    generation.begin(paid / often)
    generation.run()
    return paid / often if best.duals is None else best.duals.rows / best.duals.scale


@dataclass(frozen=True, kw_only=True)
class SweepSent:
    """What sweeps share: rows without any row, nodes, what groups are needed."""

    rows: Rows
    nodes: Nodes
    form: BoxForm
    scale: int


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Rows with their duals, and the nodes through which boxes are entered."""

    codes: NDArray[np.int32]
    count: NDArray[np.int32]
    dual: Ints
    allowed: NDArray[np.bool_]


def sweep(shared: SweepSent, job: Sweep, clock: Clock) -> Ints:
    """The duals, lowered where a group in one of the boxes pays."""
    g = shared.rows.geometry._replace(codes=job.codes.astype(np.int64))
    nodes, walked = shared.nodes, shared.nodes.walked
    code = np.zeros(len(job.codes), dtype=np.int64) if walked < 0 else g.codes[:, walked].copy()
    grid = BoxGrid(
        np.zeros(2, dtype=np.int64),
        np.zeros(0, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
        code,
        0 if walked < 0 else int(g.weight[walked]),
    )
    none = np.zeros(0, dtype=np.int64)
    asked = ScanInput(
        grid,
        np.zeros(len(code), dtype=np.int64),
        job.count.astype(np.int64),
        job.dual.copy(),
        shared.scale,
        shared.form,
        CutIndex(np.zeros(len(code) + 1, dtype=np.int64), none, none, none),
        PRICING.nodes,
    )
    inside = np.argsort(code, kind="stable").astype(np.int32)
    memory = entered(len(code), len(nodes.order), shared.form.least)
    lower(asked, g, nodes, job.allowed, inside, memory, desk(asked), room(asked, 1))
    return asked.dual


def prove(rounds: Rounds, problem: Problem, best: DualBound) -> Part | None:
    """Offer duals that are right for the whole table, as often as there is time; the part they are about.

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
    TableProof(rounds, histograms, best).run()
    return part


class TableProof:
    """Duals of blocks, then sweeps over all boxes."""

    def __init__(self, rounds: Rounds, histograms: Histograms, best: DualBound) -> None:
        self.rounds, self.best, self.clock, self.tasks = rounds, best, rounds.clock, rounds.tasks
        self.rows = replace(rounds.rows, value=np.zeros_like(rounds.rows.value))
        self.histograms = histograms
        form = form_of(histograms)
        assert form is not None
        self.form = form
        self.nodes = nodes_of(self.rows)
        self.bare = Sent.of(self.rows, rounds.judge)

    def run(self) -> None:
        """One bound from what blocks prove."""
        groups = self.rounds.progress.groups
        if groups is None or self.clock.over:
            return
        seen = at_sight(self.rows, self.form.least, self.tasks.workers, self.clock)
        if seen is not None:
            self.best.offer(seen)
            self.rounds.progress.lift(self.best.bound, "nearest tuples")
        places, total = int(self.rows.count.sum()), np.zeros(len(self.rows))
        for number in range(LIMITS.passes):
            if number and self.clock.spent(BLOCKS.priced):
                break
            total += self._priced(Grouping.of(groups), number)
            guess = total / (number + 1)
            duals = whole(guess, np.zeros(0), 0.0, costly=self.rows.dearest, places=places)
            swept = self.swept(duals)
            if swept is None:
                break
            self.best.offer(replace(duals, rows=swept))
            self.rounds.progress.lift(self.best.bound, "blocks")

    def _priced(self, groups: Grouping, number: int) -> NDArray[np.float64]:
        """Duals of each block by itself; of rows that are in several, the mean."""
        pieces, blocks = list[Ints](), list[TableBlock]()
        for part in cut_groups(self.rows, groups, LIMITS.priced, self.rounds.seed + number):
            piece, block = block_of(self.rows, groups.some(part), Cooling(first=0), 0)
            pieces.append(piece)
            blocks.append(block)
        left = self.clock.allowed(BLOCKS.priced)
        seconds = None if left is None else left * self.tasks.workers / len(blocks)
        if seconds is not None and not number:
            seconds *= LIMITS.first_pass
        shared = PricedSent(sent=self.bare, histograms=self.histograms, seconds=seconds)
        paid, often = np.zeros(len(self.rows)), np.zeros(len(self.rows))
        for done, (place, found) in enumerate(self.tasks.run(price_block, shared, blocks, self.clock), 1):
            np.add.at(paid, pieces[place], found * blocks[place].count)
            np.add.at(often, pieces[place], blocks[place].count)
            self.rounds.progress.note(f"bound: {done} of {len(blocks)} blocks")
        return paid / np.maximum(often, 1)

    def swept(self, duals: Duals) -> Ints | None:
        """The duals, lowered until no group pays in any box; None if time is over."""
        shared = SweepSent(rows=self.bare.rows, nodes=self.nodes, form=self.form, scale=duals.scale)
        codes, found = self.rows.geometry.codes, duals.rows.copy()
        for wave in self._waves():
            inside = [np.flatnonzero(self._holds(allowed)) for allowed in wave]
            jobs = [
                Sweep(
                    codes=codes[rows].astype(np.int32),
                    count=self.rows.count[rows].astype(np.int32),
                    dual=found[rows],
                    allowed=allowed,
                )
                for rows, allowed in zip(inside, wave, strict=True)
                if len(rows)
            ]
            inside = [rows for rows in inside if len(rows)]
            done = 0
            for place, lowered in self.tasks.run(sweep, shared, jobs, self.clock):
                found[inside[place]] = np.minimum(found[inside[place]], lowered)
                done += 1
            if done < len(jobs) or self.clock.over:
                return None
            self.rounds.progress.note("bound: all boxes")
        return found

    def _holds(self, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Rows in some allowed node of each of the first attributes."""
        n, held = self.nodes, np.ones(len(self.rows), dtype=np.bool_)
        for level in range(min(SHARED, len(n.order))):
            code, own = (
                self.rows.geometry.codes[:, n.order[level]],
                np.arange(n.start[level], n.start[level + 1]),
            )
            inside = np.zeros(int(code.max()) + 2, dtype=np.int64)
            chosen = own[allowed[own]]
            np.add.at(inside, n.low[chosen], 1)
            np.add.at(inside, n.high[chosen] + 1, -1)
            held &= np.cumsum(inside)[code] > 0
        return held

    def _waves(self) -> Iterator[list[NDArray[np.bool_]]]:
        """Nodes allowed to each task, wave by wave."""
        n = self.nodes
        heights = [heights_of(n, level) for level in range(min(SHARED, len(n.order)))]
        for chosen in product(*(range(int(h.max()) + 1) for h in heights)):
            allowed = np.ones(len(n.low), dtype=np.bool_)
            for level, (height, wanted) in enumerate(zip(heights, chosen, strict=True)):
                allowed[n.start[level] : n.start[level + 1]] = height == wanted
            yield self._shares(allowed)

    def _shares(self, allowed: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
        """Allowed nodes of the attribute that has most of them, dealt to some tasks."""
        n = self.nodes
        own = [
            np.flatnonzero(allowed[n.start[level] : n.start[level + 1]]) + n.start[level]
            for level in range(min(SHARED, len(n.order)))
        ]
        if not own:
            return [allowed]
        most = max(own, key=len)
        found = list[NDArray[np.bool_]]()
        for place in range(min(LIMITS.shares, len(most))):
            part = allowed.copy()
            part[most] = False
            part[most[place :: LIMITS.shares]] = True
            found.append(part)
        return found


def heights_of(nodes: Nodes, level: int) -> Ints:
    """How many nodes of an attribute are nested in each: those of one height lie side by side."""
    own = slice(nodes.start[level], nodes.start[level + 1])
    low, high = nodes.low[own], nodes.high[own]
    found = np.zeros(len(low), dtype=np.int64)
    for node in range(len(low)):  # smaller ones come first
        inside = (low[node] <= low[:node]) & (high[:node] <= high[node])
        found[node] = 1 + found[:node][inside].max(initial=-1)
    return found
