"""Rank-1 cuts sought in blocks of rows: the larger the table, the more of them, by as many tasks.

A cut is of rows of one block. Of groups across the border only the members inside count in it, so that what
a task sees of them is all there is to know of its cuts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....colgen.boxes.separation import TabuEffort, rank_one
from ....colgen.column import in_order
from ....colgen.cuts import Cuts
from ....colgen.structure.histograms import Judge
from ....colgen.table import Rows
from ....exact.incidence import Members
from ....limits import BLOCKS as LIMITS
from ....settings import Clock, Tasks
from .cutting import cut_rows

__all__ = ["broken"]

Cut = tuple[tuple[int, ...], int]
"""Rows and a divisor."""


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What a linear program takes of groups in a block, and the cuts that are known there."""

    lines: Members
    amount: NDArray[np.float64]
    count: NDArray[np.int32]
    known: list[Cut]
    seed: int


def sought(divisors: tuple[int, ...], job: Solution, clock: Clock) -> list[Cut]:
    """Cuts of a block that its solution breaks."""
    if clock.over:
        return []
    effort, count = TabuEffort(starts=LIMITS.cut_starts), job.count.astype(np.int64)
    return rank_one(job.lines, job.amount, count, job.known, divisors, effort, job.seed)


def broken(
    rows: Rows,
    judge: Judge,
    lines: Members,
    amount: NDArray[np.float64],
    cuts: Cuts,
    divisors: tuple[int, ...],
    tasks: Tasks,
    seed: int,
    clock: Clock,
) -> list[Cut]:
    """Cuts that groups, so much of each, break; block by block, the worst first."""
    ends = np.array([piece[-1] + 1 for piece in cut_rows(rows, judge, LIMITS.tuples)])
    ends.sort()
    known = [list[Cut]() for _ in ends]
    for own, divisor in zip(cuts.sets, cuts.divisors, strict=True):
        block = int(np.searchsorted(ends, own[0], side="right"))
        first = int(ends[block - 1]) if block else 0
        known[block].append((tuple(row - first for row in own), divisor))
    jobs, firsts = list[Solution](), [0, *ends[:-1].tolist()]
    for block, (first, end) in enumerate(zip(firsts, ends.tolist(), strict=True)):
        inside = (lines >= first) & (lines < end)
        there = inside.any(axis=1)
        jobs.append(
            Solution(
                lines=in_order(np.where(inside[there], lines[there] - first, -1)),
                amount=amount[there],
                count=rows.count[first:end].astype(np.int32),
                known=known[block],
                seed=seed + block,
            )
        )
    answers = dict(tasks.run(sought, divisors, jobs, clock))
    return [
        (tuple(row + firsts[block] for row in own), divisor)
        for block in sorted(answers)
        for own, divisor in answers[block]
    ]
