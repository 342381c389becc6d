"""Prices of a policy's groups: of all it admits, or of those that a part of it does."""

from __future__ import annotations

from ....models.problem import Problem
from ....models.problem_view import smallest_group
from ....models.structure import RecursiveRule, SharesRule
from ....models.verdicts import GroupJudge
from ....models.whole_values import whole_values
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
        and any(isinstance(r.structure(problem).values, SharesRule) for r in problem.policy.requirements)
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
        found = None
        if isinstance(requirement, GroupJudge):
            found = _form(requirement, judge, int(rows.count.sum()))
        if found is None:
            continue
        form, exact = found
        others = Judge(problem, [r for r in judge.requirements if r is not requirement])
        whole = exact and by_sizes_alone(others)
        pricing = SharesPricing.of(rows, sizes, form, None if whole else judge, clock)
        return None if pricing is None else ((index,), pricing)
    return None


def _form(requirement: GroupJudge, judge: Judge, tuples: int) -> tuple[SharesForm, bool] | None:
    """What a requirement asks of values in whole numbers, and whether that is all; None if it has no form."""
    rule, reference = requirement.structure(judge.problem).values, judge.context.reference
    if rule is None or (isinstance(rule, RecursiveRule) and tuples < HISTOGRAM_LIMITS.recursive_tuples):
        return None
    asked = whole_values(rule, {name: reference.get(name, 0) for name in judge.names}, reference)
    return None if asked is None else (SharesForm.of(asked, judge.least), asked.exact)
