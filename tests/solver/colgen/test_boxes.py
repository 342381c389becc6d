"""Box pricing against all groups, one by one, and against the search by histograms."""

from __future__ import annotations

import numpy as np
import pytest
from cases.box_pricing import drawn, everything, profits
from oracle.partition import optimum, random_problem

from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import DistinctLDiversity, KCAnonymity, TCloseness, WeakMInvariance
from optanon.solver.colgen.boxes.pricing import BoxPricing
from optanon.solver.colgen.boxes.separation import TabuEffort, rank_one
from optanon.solver.colgen.column import lines_of
from optanon.solver.colgen.duals import DualBound
from optanon.solver.colgen.histogram_pricing import HistogramPricing
from optanon.solver.colgen.pricing import Priced
from optanon.solver.colgen.structure.histograms import Histograms, Judge
from optanon.solver.colgen.table import Rows

TUPLES = 9


def boxes_of(problem: Problem, workers: int = 1) -> BoxPricing | None:
    """Box pricing of a problem, if it has it."""
    histograms = Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    return BoxPricing.of(Rows.of(problem, blind=Judge(problem).blind), histograms, workers)


def pricing_of(problem: Problem, workers: int = 1) -> BoxPricing:
    found = boxes_of(problem, workers)
    assert found is not None
    return found


def rows_of(found: Priced) -> list[tuple[int, ...]]:
    """The groups that were found."""
    return [column.rows for column in found.columns]


FORMS: list[Requirement] = [
    KCAnonymity(k=2),
    KCAnonymity(k=3),
    KCAnonymity(k=3, c="1/2"),
    KCAnonymity(k=2, c="2/3"),
    WeakMInvariance(m=3, multiplicity=1),
    DistinctLDiversity(l=2),
]


@pytest.mark.parametrize("cuts", [0, 3])
@pytest.mark.parametrize("requirement", FORMS, ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_the_best_group_is_found_and_after_the_repair_none_pays(
    seed: int, requirement: Requirement, cuts: int
):
    problem = random_problem(seed, TUPLES, [requirement])
    pricing = pricing_of(problem)
    groups, duals = everything(pricing, problem), drawn(pricing, seed, cuts)
    assert groups
    found = pricing.price(duals, per_anchor=3)
    best = int(profits(pricing, duals, groups).max())
    assert found.complete
    assert best == max(profits(pricing, duals, rows_of(found)).tolist(), default=best)
    assert (best > 0) == bool(len(found.lines))
    feasible = duals.made_feasible(found.worst)
    assert int(profits(pricing, feasible, groups).max()) <= 0
    least = optimum(problem)
    factor = 1 if problem.policy.levels[0].name == "information_loss" else len(problem.table)
    if least is not None:
        assert pricing.rows.loss(feasible.bound(pricing.rows, pricing.cuts)) <= least * factor


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("requirement", FORMS[1:3], ids=repr)
def test_a_search_cut_short_still_leaves_feasible_duals(seed: int, requirement: Requirement):
    problem = random_problem(seed, TUPLES, [requirement])
    pricing = pricing_of(problem)
    duals = drawn(pricing, seed, 3)
    feasible = duals.made_feasible(pricing.price(duals, per_anchor=1, nodes=0).worst)
    assert int(profits(pricing, feasible, everything(pricing, problem)).max()) <= 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("requirement", FORMS[1:3], ids=repr)
def test_boxes_and_histograms_find_equally_good_groups_for_any_number_of_workers(
    seed: int, requirement: Requirement
):
    problem = random_problem(seed, 60, [requirement])
    pricing = pricing_of(problem, workers=2)
    duals = drawn(pricing, seed, 2)
    other = HistogramPricing(pricing.rows, pricing.histograms)
    other.cuts = pricing.cuts
    found, searched = pricing.price(duals, per_anchor=3), other.price(duals, per_anchor=3)
    assert searched.complete
    best = [int(profits(pricing, duals, rows_of(priced)).max()) for priced in (found, searched)]
    assert best[0] == best[1]
    alone = pricing_of(problem, workers=1)
    alone.cuts = pricing.cuts
    again = alone.price(duals, per_anchor=3)
    assert (again.lines == found.lines).all()
    assert (again.worst == found.worst).all()
    assert not len(other.price(duals.made_feasible(found.worst), per_anchor=1).lines)


def test_a_release_costs_no_less_than_the_bound_and_its_groups_do_not_pay():
    pricing = pricing_of(random_problem(1, 40, [KCAnonymity(k=3)]))
    best, duals = DualBound(pricing), drawn(pricing, 1, 0)
    best.offer(duals.made_feasible(pricing.price(duals, per_anchor=3).worst))
    units = np.repeat(np.arange(len(pricing.rows)), pricing.rows.count)
    groups = [tuple(part.tolist()) for part in np.array_split(units, 13)]
    assert best.bound <= int(pricing.costs(lines_of(groups)).sum())


@pytest.mark.parametrize("requirement", [DistinctLDiversity(l=3), TCloseness(t="0.3")], ids=repr)
def test_where_more_than_sizes_and_the_largest_count_matters_there_are_no_boxes(requirement: Requirement):
    assert boxes_of(random_problem(2, 20, [requirement])) is None


def test_cuts_that_are_found_are_broken_by_the_solution_and_new():
    # Three groups of two share three rows, each taken half; the other one is whole.
    lines = np.array([[0, 1, -1, -1], [1, 2, -1, -1], [0, 2, -1, -1], [3, 4, 5, 6]], dtype=np.int32)
    amount, count = np.array([0.5, 0.5, 0.5, 1.0]), np.ones(7, dtype=np.int64)
    effort = TabuEffort(starts=60, steps=12)
    found = rank_one(lines, amount, count, [], (2, 3), effort, 0)
    assert ((0, 1, 2), 2) in found
    for rows, divisor in found:
        inside = np.isin(lines, rows).sum(axis=1) // divisor
        assert float(inside @ amount) > len(rows) // divisor + effort.least / 2
    again = rank_one(lines, amount, count, found, (2, 3), effort, 0)
    assert not set(again) & set(found)


def test_whole_solutions_break_no_cut():
    lines, count = np.array([[0, 1, 1], [2, 3, -1]], dtype=np.int32), np.array([1, 2, 2, 2])
    assert rank_one(lines, np.array([1.0, 2.0]), count, [], (2, 3), TabuEffort(), 0) == []
