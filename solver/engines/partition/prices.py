"""Prices of a policy's groups: of all it admits, or of those that a part of it does."""

from __future__ import annotations

import numpy as np

from ....models.parameters import in_int64
from ....models.problem import Problem
from ....models.problem_view import smallest_group
from ....models.verdicts import GroupJudge
from ...colgen.boxes.shares_pricing import SharesPricing
from ...colgen.boxes.shares_question import SharesForm
from ...colgen.histogram_pricing import HistogramPricing
from ...colgen.structure.histograms import Histograms, Judge, by_sizes_alone
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
        int(rows.count.sum()) <= HISTOGRAM_LIMITS.finished_rows
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
    """Prices of groups with shares near the table's, or mixed ones, and the part that asks for them.

    None if nothing does, or boxes are too many.
    """
    sizes = Histograms.of(part_of(problem, ()))
    if isinstance(sizes, str):
        return None
    for index, requirement in enumerate(problem.policy.requirements):
        form = None
        if isinstance(requirement, GroupJudge):
            form = _form(requirement, judge, int(rows.count.sum()))
        if form is None:
            continue
        others = Judge(problem, [r for r in judge.requirements if r is not requirement])
        exact = requirement.structure(problem).shares is not None and by_sizes_alone(others)
        pricing = SharesPricing.of(rows, sizes, form, None if exact else judge, clock)
        return None if pricing is None else ((index,), pricing)
    return None


def _form(requirement: GroupJudge, judge: Judge, tuples: int) -> SharesForm | None:
    """What a requirement asks of values in whole numbers, if it has such a form."""
    structure, counts = requirement.structure(judge.problem), judge.context.reference
    if structure.entropy is not None:
        return SharesForm.mixed(structure.entropy.least, len(judge.names), judge.least, tuples)
    if structure.recursive is not None and tuples >= HISTOGRAM_LIMITS.recursive_tuples:
        rule = structure.recursive
        if not in_int64(4 * (tuples + rule.rank) * (rule.c.numerator + rule.c.denominator)):
            return None
        return SharesForm.recursive(rule.c, rule.rank, len(judge.names), judge.least, tuples)
    if structure.shares is None:
        return None
    if structure.shares.order is not None:
        number, order = {name: v for v, name in enumerate(judge.names)}, structure.shares.order
        numbers, known = [number.get(name, -1) for name in order], [counts.get(name, 0) for name in order]
        return SharesForm.in_order(numbers, known, structure.shares.most, judge.least, tuples)
    share = np.array([counts.get(name, 0) for name in judge.names], dtype=np.int64)
    return SharesForm.near_shares(share, sum(counts.values()), structure.shares.most, judge.least, tuples)
