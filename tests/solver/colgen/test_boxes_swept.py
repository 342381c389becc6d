"""Boxes gone through at each price: several numbers among taxonomies, against all groups one by one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from cases.box_pricing import drawn, everything, profits
from oracle.partition import LEAVES, REGIONS

from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import KCAnonymity
from optanon.models.table import Microdata
from optanon.solver.colgen.boxes import grid
from optanon.solver.colgen.boxes.sweeping import TablePricing
from optanon.solver.colgen.histogram_pricing import HistogramPricing
from optanon.solver.colgen.structure.histograms import Histograms, Judge
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition.places import boxes_of
from optanon.solver.search import solve_problem
from optanon.solver.settings import Clock
from optanon.solver.verify.checking import verify

FORMS: list[Requirement] = [KCAnonymity(k=2), KCAnonymity(k=3), KCAnonymity(k=3, c="1/2")]


def mixed(tuples: int, seed: int, requirements: Sequence[Requirement], suppressed: int = 0) -> Problem:
    """Two numbers, an order, and a taxonomy; some tuples tie."""
    chance = random.Random(seed)
    frame = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(tuples)],
            "age": [chance.randrange(12) for _ in range(tuples)],
            "hours": [chance.randrange(6) for _ in range(tuples)],
            "grade": [chance.choice("ABC") for _ in range(tuples)],
            "region": [chance.choice(LEAVES) for _ in range(tuples)],
            "value": [chance.choice("abc") for _ in range(tuples)],
        }
    )
    roles: dict[str, object] = {
        "age": "numeric",
        "hours": "numeric",
        "grade": ["A", "B", "C"],
        "region": REGIONS,
    }
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=roles, sensitive="value")
    least = ["information_loss"] if not suppressed else [{"suppressed": 1, "information_loss": 1}]
    return Problem(table=table, policy=Policy(list(requirements), least, max_suppressed=suppressed))


def swept(problem: Problem, workers: int = 1) -> TablePricing:
    histograms = Histograms.of(problem)
    assert isinstance(histograms, Histograms)
    found = TablePricing.of(Rows.of(problem, blind=Judge(problem).blind), histograms, workers, Clock())
    assert found is not None
    return found


@pytest.mark.parametrize("cuts", [0, 2])
@pytest.mark.parametrize("requirement", FORMS, ids=repr)
@pytest.mark.parametrize("seed", range(8))
def test_groups_that_are_found_pay_and_after_a_sweep_none_does(
    seed: int, requirement: Requirement, cuts: int
):
    problem = mixed(10, seed, [requirement])
    pricing = swept(problem)
    groups, duals = everything(pricing, problem), drawn(pricing, seed, cuts, divisor=3, penalty=0.2)
    found = pricing.price(duals, per_anchor=2)
    assert found.complete
    lines = [column.rows for column in found.columns]
    assert (profits(pricing, duals, lines) > 0).all()
    assert bool(lines) == bool((profits(pricing, duals, groups) > 0).any())
    assert int(profits(pricing, duals.made_feasible(found.worst), groups).max()) <= 0


@pytest.mark.parametrize("requirement", FORMS[1:], ids=repr)
def test_larger_tables_are_swept_as_the_search_over_sets_of_tuples_says(requirement: Requirement):
    problem = mixed(70, 3, [requirement])
    pricing, other = swept(problem, workers=2), swept(problem)
    duals = drawn(pricing, 3, 0)
    found, again = pricing.price(duals, per_anchor=2), other.price(duals, per_anchor=2)
    assert len(found.lines) > 10
    assert (found.worst == again.worst).all()
    assert (found.lines == again.lines).all()
    sets = HistogramPricing(pricing.rows, pricing.histograms)
    priced = sets.price(duals.made_feasible(found.worst), per_anchor=1, nodes=1_000_000)
    assert priced.complete
    assert not len(priced.lines)


def test_boxes_that_hold_rows_are_in_one_part_each():
    chance = random.Random(4)
    roles = {**dict.fromkeys(("first", "second", "third", "fourth"), REGIONS), "age": "numeric"}
    columns = {name: [chance.choice(LEAVES) for _ in range(60)] for name in roles if name != "age"}
    frame = pd.DataFrame({"id": range(60), **columns, "age": range(60), "value": ["a", "b"] * 30})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=roles, sensitive="value")
    pricing = swept(Problem(table=table, policy=Policy([KCAnonymity(k=3)])))
    start = pricing.nodes.start
    assert len(start) == 5
    often = np.zeros(np.diff(start), dtype=np.int64)
    parts = [part for wave in pricing._waves for part in wave.parts]
    for part in parts:
        own = [part[low:high] for low, high in pairwise(start.tolist())]
        often += np.einsum("i,j,k,l->ijkl", *(each.astype(np.int64) for each in own))
    assert often.max() == 1
    one = np.array([[o.any() for o in row] for row in often])
    for first, second in np.argwhere(~one):
        allowed = np.zeros(start[-1], dtype=np.bool_)
        allowed[[first, start[1] + second]] = True
        assert not pricing._holds(allowed).any()
    assert all((each == 1).all() for each in often[one])
    assert any(not part[start[3] :].all() for part in parts)  # the fourth attribute is dealt, too


def numbers(rows: Sequence[tuple[int, int, str]], requirement: Requirement) -> Problem:
    """People of an age, hours and a value."""
    frame = pd.DataFrame(rows, columns=["age", "hours", "value"])
    frame["id"] = [f"r{i}" for i in range(len(frame))]
    table = Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={"age": "numeric", "hours": "numeric"},
        sensitive="value",
    )
    return Problem(table=table, policy=Policy([requirement]))


@pytest.mark.parametrize("much", np.linspace(0.5, 3, 11).tolist())
def test_ends_that_pay_nothing_are_carried_by_two_others_where_values_allow_no_smaller_group(much: float):
    people = [(0, 0, "a"), (1, 1, "a"), (2, 1, "b"), (3, 2, "b"), (40, 2, "c")]
    problem = numbers(people, KCAnonymity(k=3, c="1/2"))
    pricing = swept(problem)
    age, groups = pricing.rows.geometry.codes[:, 0], everything(pricing, problem)
    worth = np.where((age == 1) | (age == 2), much, 0.0) - np.where(age == 40, 10.0, 0.0)
    duals = pricing.duals(worth * pricing.rows.dearest / 2, np.zeros(0))
    found = pricing.price(duals, per_anchor=2)
    assert bool(len(found.lines)) == bool((profits(pricing, duals, groups) > 0).any())
    assert int(profits(pricing, duals.made_feasible(found.worst), groups).max()) <= 0


def test_numbers_far_apart_take_no_more_room_than_near_ones():
    chance = random.Random(1)
    near = [(chance.randrange(9), chance.randrange(6), chance.choice("ab")) for _ in range(10)]
    far = [(age, hours * 10**9, value) for age, hours, value in near]
    for seed in range(3):
        problem = numbers(far, KCAnonymity(k=3))
        pricing = swept(problem)
        groups, duals = everything(pricing, problem), drawn(pricing, seed, 0)
        found = pricing.price(duals, per_anchor=2)
        assert bool(len(found.lines)) == bool((profits(pricing, duals, groups) > 0).any())
        assert int(profits(pricing, duals.made_feasible(found.worst), groups).max()) <= 0
    result = solve_problem(problem, time_limit=5.0, workers=1, engine="partition", display=False)
    assert result.certificate is not None
    assert verify(result.certificate, problem, result.release).whole


def test_boxes_are_listed_where_there_is_room_for_them(monkeypatch: pytest.MonkeyPatch):
    problem = mixed(30, 1, FORMS[1:2])
    histograms, rows = Histograms.of(problem), Rows.of(problem, blind=True)
    assert isinstance(histograms, Histograms)
    assert not isinstance(boxes_of(rows, histograms, 1, Clock(), most=30), TablePricing)
    monkeypatch.setattr(grid, "MOST_PAIRS", 10)
    assert isinstance(boxes_of(rows, histograms, 1, Clock(), most=30), TablePricing)
    assert boxes_of(rows, histograms, 1, Clock(), most=20) is None


@pytest.mark.parametrize("suppressed", [0, 4])
def test_a_search_by_swept_boxes_proves_what_the_verifier_derives_again(
    suppressed: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(grid, "MOST_PAIRS", 10)
    problem = mixed(240, 5, FORMS[1:2], suppressed)
    found = solve_problem(problem, time_limit=6.0, workers=1, display=False)
    assert found.release is not None
    assert found.certificate is not None
    (level,) = found.levels
    assert level.bound is not None
    assert 0.8 * level.value < level.bound <= level.value
    assert verify(found.certificate, problem, found.release).whole
