"""Prices of a policy's groups: of all it admits, or of those that a part of it does."""

from __future__ import annotations

from ....models.problem import Problem
from ....models.problem_view import smallest_group
from ....models.verdicts import GroupJudge
from ...colgen.boxes.shares_pricing import SharesPricing
from ...colgen.histogram_pricing import HistogramPricing
from ...colgen.structure.histograms import Histograms, Judge
from ...colgen.structure.marked import Closeness
from ...colgen.table import Rows
from ...limits import HISTOGRAM_LIMITS
from ...settings import Clock
from .easier import Part, finite, part_of, part_rows

__all__ = ["near_shares", "priced"]


def priced(problem: Problem, rows: Rows, workers: int, clock: Clock) -> tuple[HistogramPricing, bool]:
    """Prices of groups, and whether all are known: else admissible histograms are too many to be listed.

    Then they are of a part of the policy. So they are of small tables in which shares matter, unless
    all groups are listed that are too small to be split in two: others are priced by `near_shares`.
    """
    histograms = Histograms.of(problem)
    listed = isinstance(histograms, Histograms) and not (
        len(rows) <= HISTOGRAM_LIMITS.finished_rows
        and histograms.steps.beyond
        and histograms.steps.largest < 2 * smallest_group(problem) - 1
        and any(r.structure(problem).shares for r in problem.policy.requirements)
    )
    if isinstance(histograms, str) or not listed:
        _, part, histograms = finite(problem)
        rows = part_rows(rows, part)
    return HistogramPricing(rows, histograms, workers, clock), listed


def near_shares(
    problem: Problem, rows: Rows, judge: Judge, clock: Clock
) -> tuple[Part, SharesPricing] | None:
    """Prices of groups with shares near the table's, and the part that asks for them.

    None if nothing does, or boxes are too many.
    """
    close, sizes = Closeness.of(judge, int(rows.count.sum())), Histograms.of(part_of(problem, ()))
    if close is None or isinstance(sizes, str):
        return None
    pricing, asked = SharesPricing.of(rows, sizes, judge, close, clock), judge.requirements[close.number]
    known = enumerate(problem.policy.requirements)
    places = (i for i, r in known if isinstance(r, GroupJudge) and r is asked)
    return None if pricing is None else ((next(places),), pricing)
