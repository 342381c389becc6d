"""Rank-1 cuts sought in large pieces of a table, by as many searches as groups are taken in part.

A cut is of rows of one piece. Of groups across the border only the members inside count in it, so that what
a task sees of them is all there is to know of its cuts. Borders move from time to time: in pieces that stay,
cuts that are missing across borders end the bound's rise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ....colgen.boxes.separation import TabuEffort, rank_one
from ....colgen.column import in_order
from ....colgen.covering import Ints
from ....colgen.cuts import Cuts
from ....colgen.table import Rows
from ....exact.incidence import Members
from ....limits import BLOCKS as LIMITS
from ....settings import Clock, Tasks
from .cutting import pieces_of

__all__ = ["broken"]

Cut = tuple[tuple[int, ...], int]
"""Rows and a divisor."""


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What a linear program takes of groups in a piece, and the cuts that are known there."""

    lines: Members
    amount: NDArray[np.float64]
    count: NDArray[np.int32]
    known: list[Cut]
    starts: int
    seed: int


def sought(divisors: tuple[int, ...], job: Solution, clock: Clock) -> list[Cut]:
    """Cuts of a piece that its solution breaks."""
    if clock.over:
        return []
    effort, count = TabuEffort(starts=job.starts), job.count.astype(np.int64)
    return rank_one(job.lines, job.amount, count, job.known, divisors, effort, job.seed)


def broken(
    rows: Rows,
    lines: Members,
    amount: NDArray[np.float64],
    cuts: Cuts,
    divisors: tuple[int, ...],
    tasks: Tasks,
    seed: int,
    clock: Clock,
) -> list[Cut]:
    """Cuts that groups, so much of each, break; piece by piece, the worst first.

    Each piece has `LIMITS.searches` tasks, which may find the same: it is told once.
    """
    jobs, places = list[Solution](), list[Ints]()
    for piece in pieces_of(rows, LIMITS.separated, seed):
        place = np.full(len(rows) + 1, -1, dtype=np.int32)
        place[piece] = np.arange(len(piece))
        inside = place[lines]
        there = (inside >= 0).any(axis=1)
        job = Solution(
            lines=in_order(inside[there]),
            amount=amount[there],
            count=rows.count[piece].astype(np.int32),
            known=_within(cuts, place),
            starts=max(LIMITS.cut_starts, int(there.sum()) // LIMITS.cut_groups) // LIMITS.searches,
            seed=seed,
        )
        jobs += [replace(job, seed=seed + len(jobs) + number) for number in range(LIMITS.searches)]
        places += [piece] * LIMITS.searches
    answers = dict(tasks.run(sought, divisors, jobs, clock))
    found = (
        (tuple(places[job][list(own)].tolist()), divisor)
        for job in sorted(answers)
        for own, divisor in answers[job]
    )
    return list(dict.fromkeys(found))


def _within(cuts: Cuts, place: NDArray[np.int32]) -> list[Cut]:
    """The cuts of rows that all have a place, by places."""
    if not len(cuts):
        return []
    ends = np.cumsum([len(own) for own in cuts.sets])
    first = np.append(0, ends[:-1])
    flat = place[np.fromiter((row for own in cuts.sets for row in own), dtype=np.int64, count=int(ends[-1]))]
    inside = np.flatnonzero(np.minimum.reduceat(flat, first) >= 0)
    return [(tuple(flat[first[cut] : ends[cut]].tolist()), cuts.divisors[cut]) for cut in inside.tolist()]
