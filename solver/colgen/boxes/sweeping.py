"""The boxes of a whole table priced by tasks: a column source for tables of too many boxes to be listed.

Large tables have them, and those with several attributes without taxonomies: intervals of one are nested in
intervals of another.

Boxes are shared out in waves of parts: parts of one wave have no row in common, or the least of their duals
is taken, which is right for all (`nodes`). A group that pays where a part comes across it is a column. Each
worker goes through about as much of a wave as the others, by what its parts took in the last sweep; which
parts are in one task, and how many workers there are, changes nothing of what is found.

A sweep that is begun fits the time that is left, by how long those before it took. One that takes far longer,
as under cuts it may, is given up when time is over.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from threading import Timer

import numpy as np
from numpy.typing import NDArray

from ....models.moment import moment
from ...cluster.here import Here
from ...exact.incidence import Members
from ...limits import BLOCKS as LIMITS
from ...settings import Clock, Tasks
from ..column import in_order
from ..covering import Ints
from ..duals import Duals
from ..histogram_pricing import HistogramPricing
from ..kernels.question import CutIndex
from ..limits import PRICING
from ..pricing import Priced, joined
from ..structure.histograms import Histograms
from ..table import Rows
from .desk import slender
from .form import form_of
from .grid import MOST_CODES
from .nodes import Nodes, codes_of, entered, lower, nodes_of
from .question import BoxForm, BoxGrid, ScanInput
from .scan import desk, room

__all__ = ["TablePricing", "of_rows"]

SHARED = 2
"""Attributes by whose nodes boxes are dealt to tasks."""


@dataclass(frozen=True, kw_only=True)
class SweepSent:
    """What sweeps share: what boxes cost, codes and values of all rows, nodes, what groups are needed."""

    rows: Rows
    codes: NDArray[np.integer]
    value: NDArray[np.int32]
    count: NDArray[np.int32]
    nodes: Nodes
    form: BoxForm


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Duals and cuts of all rows, and parts: the nodes through which boxes are entered.

    Attributes
    ----------
    seconds : float or None
        After which it is given up, wherever it is.
    """

    dual: Ints
    scale: int
    cuts: CutIndex
    parts: tuple[NDArray[np.bool_], ...]
    per_anchor: int
    seconds: float | None


@dataclass(frozen=True, kw_only=True)
class Swept:
    """Of a part: rows whose duals are lowered as a group in one of the boxes pays, and to what.

    Attributes
    ----------
    rows : int array
    dual : int array
    lines : Members
        Such groups.
    short : int
        Searches cut short.
    seconds : float
    """

    rows: NDArray[np.int32]
    dual: Ints
    lines: Members
    short: int
    seconds: float


def sweep(shared: SweepSent, job: Sweep, clock: Clock) -> list[Swept]:
    """Go through the boxes of some parts, each with the same duals; of as many as there is time for."""
    found = list[Swept]()
    with stopped(job.seconds) as stop:
        for allowed in job.parts:
            swept = None if clock.over else _swept(shared, job, allowed, stop)
            if swept is None:
                break
            found.append(swept)
    return found


@contextmanager
def stopped(seconds: float | None) -> Generator[NDArray[np.bool_]]:
    """A flag that says stop after so many seconds, which compiled code can read."""
    stop = np.zeros(1, dtype=np.bool_)
    timer = None if seconds is None else Timer(seconds, stop.fill, (True,))
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield stop
    finally:
        if timer is not None:
            timer.cancel()


def _swept(
    shared: SweepSent, job: Sweep, allowed: NDArray[np.bool_], stop: NDArray[np.bool_]
) -> Swept | None:
    """Go through the boxes of a part; None if it was stopped."""
    began, nodes = moment(), shared.nodes
    rows = np.flatnonzero(held(nodes, shared.codes, allowed))
    g = shared.rows.geometry._replace(codes=shared.codes[rows].astype(np.int64))
    code = np.zeros(len(rows), dtype=np.int64) if nodes.walked < 0 else g.codes[:, nodes.walked].copy()
    grid = BoxGrid(
        np.zeros(2, dtype=np.int64),
        np.zeros(0, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
        code,
        0 if nodes.walked < 0 else int(g.weight[nodes.walked]),
    )
    asked = ScanInput(
        grid,
        shared.value[rows].astype(np.int64),
        shared.count[rows].astype(np.int64),
        job.dual[rows],
        job.scale,
        shared.form,
        _some(job.cuts, rows),
        PRICING.nodes,
    )
    inside = np.argsort(code, kind="stable").astype(np.int32)
    memory = entered(len(code), nodes, shared.form.least)
    best = room(asked, job.per_anchor)
    short = lower(asked, g, nodes, allowed, inside, memory, desk(asked, stop), best)
    if short < 0:
        return None
    lines = np.unique(in_order(slender(best.member[best.profit > 0])), axis=0)
    lowered = np.flatnonzero(asked.dual < job.dual[rows])
    return Swept(
        rows=rows[lowered].astype(np.int32),
        dual=asked.dual[lowered],
        lines=of_rows(lines, rows),
        short=short,
        seconds=moment() - began,
    )


@dataclass
class Wave:
    """Parts that may be gone through at the same time, and what each takes: how many rows, at first."""

    parts: list[NDArray[np.bool_]]
    seconds: NDArray[np.float64]

    def shares(self, most: int) -> list[list[int]]:
        """Numbers of parts, dealt to so many tasks: the longest first, to the one that has least to do."""
        own, busy = [list[int]() for _ in range(most)], [0.0] * most
        for part in np.argsort(-self.seconds, kind="stable").tolist():
            task = busy.index(min(busy))
            own[task].append(part)
            busy[task] += float(self.seconds[part])
        return [parts for parts in own if parts]


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
        self._codes = codes_of(rows, self.nodes)
        self._clock, self._took = clock, 0.0

    @cached_property
    def _shared(self) -> SweepSent:
        """What is sent once."""
        rows = self.rows
        return SweepSent(
            rows=rows.bare(),
            codes=self._codes.astype(np.min_scalar_type(-int(self._codes.max(initial=0)) - 1)),
            value=rows.value.astype(np.int32),
            count=rows.count.astype(np.int32),
            nodes=self.nodes,
            form=self.form,
        )

    @classmethod
    def of(cls, rows: Rows, histograms: Histograms, workers: int, clock: Clock) -> TablePricing | None:
        """In threads; None if groups have no form, or an attribute too many intervals."""
        form, g = form_of(histograms), rows.geometry
        many = sorted(len(np.unique(g.codes[:, a])) for a in np.flatnonzero(g.tree < 0))
        if form is None or any(codes > MOST_CODES for codes in many[:-1]):
            return None
        return cls(rows, histograms, form, Here(workers), clock)

    def price(self, duals: Duals, *, per_anchor: int, nodes: int = PRICING.nodes) -> Priced:
        """As `ColumnSource` says; `worst` is what the repair lowers."""
        del nodes
        cuts, dual = self.cuts.index(duals.cuts), duals.rows.copy()
        lines, short, began = [np.empty((0, 1), dtype=np.int32)], 0, self._clock.seconds
        late, rest = not self._clock.fits(self._took), self._clock.rest
        most = None if rest is None else max(rest, LIMITS.patience * self._took)
        for wave in () if late else self._waves:
            shares = wave.shares(self.tasks.workers)
            jobs = [
                Sweep(
                    dual=dual,
                    scale=duals.scale,
                    cuts=cuts,
                    parts=tuple(wave.parts[part] for part in share),
                    per_anchor=per_anchor,
                    seconds=None if most is None else max(0.0, most - (self._clock.seconds - began)),
                )
                for share in shares
            ]
            answers = dict(self.tasks.run(sweep, self._shared, jobs, self._clock))
            found = {p: a for job, own in answers.items() for p, a in zip(shares[job], own, strict=False)}
            late = len(found) < len(wave.parts)
            if late:
                break
            dual = dual.copy()  # what was sent may still be read
            for part, answer in sorted(found.items()):
                dual[answer.rows] = np.minimum(dual[answer.rows], answer.dual)
                lines.append(answer.lines)
                short += answer.short
                wave.seconds[part] = answer.seconds
        self._took = max(self._took, self._clock.seconds - began)
        priced = Priced(lines=joined(lines), worst=duals.rows - dual, short=short, bounded=not late)
        return self.beside(priced, duals)

    def _holds(self, allowed: NDArray[np.bool_], levels: int = SHARED) -> NDArray[np.bool_]:
        """Rows in some allowed node of each of the first attributes."""
        return held(self.nodes, self._codes, allowed, levels)

    @cached_property
    def _waves(self) -> list[Wave]:
        """Wave by wave, the nodes allowed to each part."""
        n, waves = self.nodes, list[Wave]()
        heights = [banded(heights_of(n, level)) for level in range(min(SHARED, len(n.order)))]
        for chosen in product(*(range(int(h.max()) + 1) for h in heights)):
            allowed = np.ones(len(n.low), dtype=np.bool_)
            for level, (height, wanted) in enumerate(zip(heights, chosen, strict=True)):
                allowed[n.start[level] : n.start[level + 1]] = height == wanted
            parts = self._parts(allowed)
            size = np.array([float(self._holds(part).sum()) for part in parts])
            waves.append(Wave([part for part, many in zip(parts, size, strict=True) if many], size[size > 0]))
        return waves

    def _parts(self, allowed: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
        """Allowed nodes of the attribute that has most of them, dealt to some parts.

        What holds most rows is dealt once more by nodes of another attribute, and once more.
        """
        n = self.nodes
        own = [
            np.flatnonzero(allowed[n.start[level] : n.start[level + 1]]) + n.start[level]
            for level in range(min(SHARED, len(n.order)))
        ]
        shares = self._dealt(allowed, max(own, key=len)) if own else [allowed]
        half = len(self.rows) / 2
        for level in range(SHARED, min(SHARED + LIMITS.further, len(n.order))):
            further = np.arange(n.start[level], n.start[level + 1])
            shares = [
                part
                for share in shares
                for part in (
                    self._dealt(share, further) if self._holds(share, level).sum() > half else [share]
                )
            ]
        return shares

    @staticmethod
    def _dealt(allowed: NDArray[np.bool_], own: Ints) -> list[NDArray[np.bool_]]:
        """Allowed nodes, those of one attribute dealt to some parts."""
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
    if (nodes.after[own] > np.arange(own.start + 1, own.stop + 1)).any():
        return high - low  # intervals of numbered codes
    found = np.full(len(low), -1, dtype=np.int64)
    for node in np.argsort(high - low, kind="stable"):
        inside = (low[node] <= low) & (high <= high[node])
        found[node] = 1 + found[inside].max()
    return found


def banded(heights: Ints) -> Ints:
    """Heights in a few bands: ranges have as many heights as numbers, and each wave waits for its tasks."""
    most = int(heights.max(initial=0)) + 1
    return heights if most <= LIMITS.bands else heights * LIMITS.bands // most


def held(
    nodes: Nodes, codes: NDArray[np.integer], allowed: NDArray[np.bool_], levels: int = SHARED
) -> NDArray[np.bool_]:
    """Rows in some allowed node of each of the first attributes."""
    found = np.ones(len(codes), dtype=np.bool_)
    for level in range(min(levels, len(nodes.order))):
        code, own = codes[:, nodes.order[level]], np.arange(nodes.start[level], nodes.start[level + 1])
        inside = np.zeros(int(nodes.high[own].max()) + 2, dtype=np.int64)
        chosen = own[allowed[own]]
        np.add.at(inside, nodes.low[chosen], 1)
        np.add.at(inside, nodes.high[chosen] + 1, -1)
        found &= np.cumsum(inside)[code] > 0
    return found


def _some(cuts: CutIndex, rows: Ints) -> CutIndex:
    """The cuts of some rows."""
    sizes = np.diff(cuts.start)[rows]
    start = np.append(0, np.cumsum(sizes)).astype(np.int64)
    place = np.repeat(cuts.start[rows] - start[:-1], sizes) + np.arange(start[-1])
    return CutIndex(start, cuts.cut[place], cuts.dual, cuts.divisor)


def of_rows(lines: Members, rows: Ints) -> Members:
    """Lines of numbers of some rows as lines of the rows themselves."""
    return np.where(lines < 0, -1, rows[np.maximum(lines, 0)]).astype(np.int32)
