"""The linear program by boxes: solved, cut, rounded and written down."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from cases.people import people
from numpy.typing import NDArray

from optanon.solver.colgen.boxes.pricing import BoxPricing
from optanon.solver.colgen.boxes.separation import TabuEffort, rank_one
from optanon.solver.colgen.column import lines_of
from optanon.solver.colgen.covering import Ints
from optanon.solver.colgen.duals import DualBound
from optanon.solver.colgen.master import Proposal
from optanon.solver.colgen.pool import Pool
from optanon.solver.colgen.primal.diving import Dives
from optanon.solver.colgen.primal.rounding import rounded
from optanon.solver.colgen.primal.start import halved
from optanon.solver.colgen.structure.histograms import Histograms, Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition import by_boxes
from optanon.solver.engines.partition.by_boxes import Boxed
from optanon.solver.engines.partition.progress import Progress
from optanon.solver.engines.partition.proof import describe
from optanon.solver.exact.incidence import Members
from optanon.solver.limits import HISTOGRAM_LIMITS as LIMITS
from optanon.solver.settings import Clock, Watch
from optanon.solver.verify.priced import priced_loss


def test_boxes_solve_the_linear_program_cuts_raise_it_and_the_verifier_proves_as_much():
    problem = people(120, 1)
    judge, rows, histograms = Judge(problem), Rows.of(problem, blind=True), Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    pricing = BoxPricing.of(rows, histograms)
    assert pricing is not None
    progress = Progress(problem, rows, Watch(), 0, Fraction(1))
    progress.start(halved(rows, judge))
    best, begun = DualBound(pricing), progress.cost
    boxed = Boxed(pricing, progress, best)
    assert boxed.solve()
    proposal, without = boxed.generation.proposal, best.value
    assert proposal is not None
    assert proposal.missing < 1e-6
    assert abs(float(without) - proposal.value) < 1e-3 * proposal.value
    boxed.tighten(seed=1)
    assert best.value > without
    assert max(pricing.cuts.divisors) == 3
    boxed.combined(1)
    chosen = progress.cost
    assert best.bound <= chosen < begun
    boxed.rounded(judge, None, 1, patience=3)
    assert best.bound <= progress.cost <= chosen
    assert best.duals is not None
    claim = describe(rows, pricing.cuts, best.duals, None, level=0, part=None)
    assert priced_loss(problem, claim, None) == rows.loss(best.bound)


def halved_people(size: int, seed: int) -> tuple[Boxed, Rows, Judge]:
    """Column generation over boxes that begins with halves of a table."""
    problem = people(size, seed)
    judge, rows, histograms = Judge(problem), Rows.of(problem, blind=True), Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    pricing = BoxPricing.of(rows, histograms)
    assert pricing is not None
    progress = Progress(problem, rows, Watch(), 0, Fraction(1))
    progress.start(halved(rows, judge))
    boxed = Boxed(pricing, progress, DualBound(pricing))
    return boxed, rows, judge


def test_a_linear_program_with_many_new_columns_is_solved_roughly_first_and_exactly_in_the_end():
    boxed, _, _ = halved_people(300, 2)
    asked, solve = list[bool](), boxed.generation.master.solve

    def told(seconds: float | None = None, *, roughly: bool = False) -> Proposal | None:
        asked.append(roughly)
        return solve(seconds, roughly=roughly)

    boxed.generation.master.solve = told
    assert boxed.solve()
    assert any(asked)
    assert not asked[-1]
    exact = boxed.generation.master.solve()
    assert exact is not None
    assert float(boxed.progress.bound) >= exact.value * (1 - LIMITS.box_close) - 1


def test_a_linear_program_that_was_cut_off_goes_on_roughly_and_under_cuts_it_keeps_its_basis(
    monkeypatch: pytest.MonkeyPatch,
):
    # Any new column is many, and none of the tables is small enough for dives.
    monkeypatch.setattr(by_boxes, "LIMITS", replace(LIMITS, box_many=10_000, finished_rows=100))
    boxed, _, _ = halved_people(300, 2)
    asked, solve = list[bool](), boxed.generation.master.solve

    def told(seconds: float | None = None, *, roughly: bool = False) -> Proposal | None:
        asked.append(roughly)
        return None if len(asked) == 3 else solve(seconds, roughly=roughly)

    boxed.generation.master.solve = told
    assert not boxed.solve()
    assert boxed.solve()
    assert asked[2:4] == [True, True]  # no basis is left of what was solved roughly
    asked[:] = [False] * 3
    boxed.tighten(seed=1)
    assert len(asked) > 4
    assert not any(asked)


def test_the_larger_the_linear_program_the_more_often_cuts_are_sought(monkeypatch: pytest.MonkeyPatch):
    boxed, _, _ = halved_people(300, 2)
    assert boxed.solve()
    tried = list[tuple[int, int]]()

    def told(
        lines: Members,
        amount: NDArray[np.float64],
        count: Ints,
        known: Collection[tuple[tuple[int, ...], int]],
        divisors: Sequence[int],
        effort: TabuEffort,
        seed: int,
    ) -> list[tuple[tuple[int, ...], int]]:
        tried.append((effort.starts, len(lines)))
        return rank_one(lines, amount, count, known, divisors, effort, seed)

    monkeypatch.setattr(by_boxes, "rank_one", told)
    boxed.tighten(seed=1)
    monkeypatch.setattr(by_boxes, "TabuEffort", lambda: TabuEffort(starts=1))
    boxed.tighten(seed=1)
    assert tried[0][0] == TabuEffort().starts
    assert tried[-1][0] == tried[-1][1] // LIMITS.box_starts > 1


def test_dives_solve_the_rest_again_and_beat_roundings_and_a_dive_out_of_time_is_one():
    boxed, rows, judge = halved_people(300, 2)
    assert boxed.solve()
    proposal = boxed.generation.proposal
    assert proposal is not None
    lines = lines_of(boxed.generation.master.columns[: len(proposal.amount)])
    columns = Pool(boxed.pricing, lines.shape[1])
    columns.add(lines)
    none = np.zeros(len(columns))
    dives = Dives(rows, columns, proposal.amount, boxed.pricing.cuts, proposal.rows)
    cost = list[int]()
    for found in (
        rounded(rows, judge, columns, proposal.amount, none, buckets=False),
        dives.run(judge, none, Clock(0.0)),
        dives.run(judge, none, Clock()),
    ):
        assert found is not None
        assert np.bincount([r for group in found for r in group]).tolist() == rows.count.tolist()
        cost.append(sum(rows.group_costs(found)))
    assert cost[2] < cost[0]
    assert cost[2] < cost[1]
