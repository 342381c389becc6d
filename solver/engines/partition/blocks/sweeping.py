"""The boxes of a whole table priced by tasks: a column source for tables too large for a list of boxes.

Boxes are shared out in waves: those of one wave that different tasks go through have no row in common, or
the least of their duals is taken, which is right for all (`nodes`). A group that pays where a task comes
across it is a column. How many workers there are changes nothing of what is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ....colgen.boxes.form import BoxForm
from ....colgen.boxes.grid import BoxGrid
from ....colgen.boxes.scan import ScanInput, desk, room
from ....colgen.column import in_order
from ....colgen.covering import Ints
from ....colgen.duals import Duals
from ....colgen.histogram_pricing import HistogramPricing
from ....colgen.kernels.question import CutIndex
from ....colgen.limits import PRICING
from ....colgen.pricing import Priced, joined
from ....colgen.structure.histograms import Histograms
from ....colgen.table import Rows
from ....exact.incidence import Members
from ....limits import BLOCKS as LIMITS
from ....settings import Clock, Tasks
from .nodes import Nodes, entered, lower, nodes_of
from .task import bare

__all__ = ["TablePricing", "of_rows"]

SHARED = 2
"""Attributes by whose nodes boxes are dealt to tasks."""


@dataclass(frozen=True, kw_only=True)
class SweepSent:
    """What sweeps share: rows without any row, nodes, what groups are needed."""

    rows: Rows
    nodes: Nodes
    form: BoxForm


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Rows with their duals and cuts, and the nodes through which boxes are entered."""

    codes: NDArray[np.int32]
    count: NDArray[np.int32]
    dual: Ints
    scale: int
    cuts: CutIndex
    allowed: NDArray[np.bool_]
    per_anchor: int


@dataclass(frozen=True, kw_only=True)
class Swept:
    """The duals, lowered where a group in one of the boxes pays; such groups; searches cut short."""

    dual: Ints
    lines: Members
    short: int


def sweep(shared: SweepSent, job: Sweep, clock: Clock) -> Swept:
    """Go through the boxes of some nodes."""
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
    asked = ScanInput(
        grid,
        np.zeros(len(code), dtype=np.int64),
        job.count.astype(np.int64),
        job.dual.copy(),
        job.scale,
        shared.form,
        job.cuts,
        PRICING.nodes,
    )
    inside = np.argsort(code, kind="stable").astype(np.int32)
    memory = entered(len(code), len(nodes.order), shared.form.least)
    found = room(asked, job.per_anchor)
    short = lower(asked, g, nodes, job.allowed, inside, memory, desk(asked), found)
    return Swept(dual=asked.dual, lines=found.member[found.profit > 0], short=short)


class TablePricing(HistogramPricing):
    """Groups of a form, in all boxes of a table.

    Parameters
    ----------
    rows, histograms, clock
    form : BoxForm
    tasks : Tasks
        Where boxes are gone through.
    """

    def __init__(self, rows: Rows, histograms: Histograms, form: BoxForm, tasks: Tasks, clock: Clock) -> None:
        super().__init__(rows, histograms, tasks.workers, clock)
        self.form, self.nodes, self.tasks = form, nodes_of(rows), tasks
        self._shared = SweepSent(rows=bare(rows), nodes=self.nodes, form=form)
        self._clock, self._took = clock, 0.0

    def price(self, duals: Duals, *, per_anchor: int, nodes: int = PRICING.nodes) -> Priced:
        """As `ColumnSource` says; `worst` is what the repair lowers."""
        del nodes
        cuts, dual = self.cuts.index(duals.cuts), duals.rows.copy()
        lines, short, began = [np.empty((0, 1), dtype=np.int32)], 0, self._clock.seconds
        late = not self._clock.fits(self._took)  # what is begun is carried to its end
        for wave in () if late else self._waves():
            inside = [np.flatnonzero(self._holds(allowed)) for allowed in wave]
            jobs = [
                Sweep(
                    codes=self.rows.geometry.codes[rows].astype(np.int32),
                    count=self.rows.count[rows].astype(np.int32),
                    dual=dual[rows],
                    scale=duals.scale,
                    cuts=_some(cuts, rows),
                    allowed=allowed,
                    per_anchor=per_anchor,
                )
                for rows, allowed in zip(inside, wave, strict=True)
                if len(rows)
            ]
            inside = [rows for rows in inside if len(rows)]
            answers = dict(self.tasks.run(sweep, self._shared, jobs, self._clock))
            late = len(answers) < len(jobs)
            if late:
                break
            for place, rows in enumerate(inside):
                answer = answers[place]
                dual[rows] = np.minimum(dual[rows], answer.dual)
                lines.append(of_rows(answer.lines, rows))
                short += answer.short
        self._took = max(self._took, self._clock.seconds - began)
        known = np.unique(in_order(joined(lines)), axis=0)
        return Priced(lines=known, worst=duals.rows - dual, short=short, bounded=not late)

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
        heights = [banded(heights_of(n, level)) for level in range(min(SHARED, len(n.order)))]
        for chosen in product(*(range(int(h.max()) + 1) for h in heights)):
            allowed = np.ones(len(n.low), dtype=np.bool_)
            for level, (height, wanted) in enumerate(zip(heights, chosen, strict=True)):
                allowed[n.start[level] : n.start[level + 1]] = height == wanted
            yield self._shares(allowed)

    def _shares(self, allowed: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
        """Allowed nodes of the attribute that has most of them, dealt to some tasks.

        What holds most rows is dealt once more, by nodes of another attribute.
        """
        n = self.nodes
        own = [
            np.flatnonzero(allowed[n.start[level] : n.start[level + 1]]) + n.start[level]
            for level in range(min(SHARED, len(n.order)))
        ]
        shares = self._dealt(allowed, max(own, key=len)) if own else [allowed]
        if len(n.order) <= SHARED:
            return shares
        further = np.arange(n.start[SHARED], n.start[SHARED + 1])
        half = len(self.rows) / 2
        return [
            part
            for share in shares
            for part in (self._dealt(share, further) if self._holds(share).sum() > half else [share])
        ]

    @staticmethod
    def _dealt(allowed: NDArray[np.bool_], own: Ints) -> list[NDArray[np.bool_]]:
        """Allowed nodes, those of one attribute dealt to some tasks."""
        found = list[NDArray[np.bool_]]()
        for place in range(min(LIMITS.shares, len(own))):
            part = allowed.copy()
            part[own] = False
            part[own[place :: LIMITS.shares]] = allowed[own[place :: LIMITS.shares]]
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


def banded(heights: Ints) -> Ints:
    """Heights in a few bands: ranges have as many heights as numbers, and each wave waits for its tasks."""
    most = int(heights.max(initial=0)) + 1
    return heights if most <= LIMITS.bands else heights * LIMITS.bands // most


def _some(cuts: CutIndex, rows: Ints) -> CutIndex:
    """The cuts of some rows."""
    sizes = np.diff(cuts.start)[rows]
    start = np.append(0, np.cumsum(sizes)).astype(np.int64)
    place = np.repeat(cuts.start[rows] - start[:-1], sizes) + np.arange(start[-1])
    return CutIndex(start, cuts.cut[place], cuts.dual, cuts.divisor)


def of_rows(lines: Members, rows: Ints) -> Members:
    """Lines of numbers of some rows as lines of the rows themselves."""
    return np.where(lines < 0, -1, rows[np.maximum(lines, 0)]).astype(np.int32)
