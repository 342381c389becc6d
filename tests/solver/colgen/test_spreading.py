"""First groups where shares of values matter: a release whose groups have about the table's shares."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from cases.people import people
from clocks import Asked
from oracle.partition import random_problem

from optanon.models.requirements import KCAnonymity, TCloseness
from optanon.solver.colgen.neighbours import near_places
from optanon.solver.colgen.primal.annealing import ANNEALED, Annealing
from optanon.solver.colgen.primal.near_shares import NearShares
from optanon.solver.colgen.primal.spreading import spread
from optanon.solver.colgen.primal.start import halved
from optanon.solver.colgen.structure.histograms import Judge
from optanon.solver.colgen.structure.marked import Closeness
from optanon.solver.colgen.table import Rows
from optanon.solver.settings import Clock

ORDERS = [None, ("b", "a", "d", "c"), ("x", "a", "b", "y", "c", "d")]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("t", ["0", "0.1", "0.4"])
def test_every_tuple_is_in_one_admissible_group(seed: int, t: str):
    problem = random_problem(seed, 60, [KCAnonymity(k=3), TCloseness(t=t, order=ORDERS[seed % 3])])
    rows, judge = Rows.of(problem), Judge(problem)
    groups = spread(rows, judge, Clock())
    assert groups is not None
    assert Counter(row for group in groups for row in group) == dict(enumerate(rows.count.tolist()))
    left = [list(behind) for behind in rows.tuples]
    release = problem.assemble([[left[row].pop() for row in group] for group in groups])
    assert next(problem.check(release), None) is None


def test_there_are_more_groups_than_near_tuples_alone_make():
    problem = random_problem(1, 240, [KCAnonymity(k=4), TCloseness(t="0.2")])
    rows, judge = Rows.of(problem), Judge(problem)
    dealt, near = spread(rows, judge, Clock()), halved(rows, judge)
    assert dealt is not None
    assert near is not None
    assert len(dealt) > 2 * len(near)


def test_nothing_is_dealt_without_time():
    problem = random_problem(0, 60, [TCloseness(t="0.2")])
    assert spread(Rows.of(problem), Judge(problem), Clock(0.0)) is None
    assert NearShares(Rows.of(problem), Judge(problem), 0).run(Clock(0.0)) is None


@pytest.mark.parametrize("seed", range(3))
def test_groups_of_near_tuples_with_about_the_shares_lose_far_less_than_values_dealt(seed: int):
    problem = people(300, seed, KCAnonymity(k=4), TCloseness(t="0.2"), values="abcdefghijklmn")
    rows, judge = Rows.of(problem), Judge(problem)
    groups, dealt = NearShares(rows, judge, seed).run(Clock()), spread(rows, judge, Clock())
    assert groups is not None
    assert dealt is not None
    assert Counter(row for group in groups for row in group) == dict(enumerate(rows.count.tolist()))
    left = [list(behind) for behind in rows.tuples]
    release = problem.assemble([[left[row].pop() for row in group] for group in groups])
    assert next(problem.check(release), None) is None
    assert 3 * sum(rows.group_costs(groups)) < 2 * sum(rows.group_costs(dealt))


def test_sizes_of_groups_that_there_was_no_time_for_are_tried_later():
    problem = people(300, 1, KCAnonymity(k=4), TCloseness(t="0.2"), values="abcdefghijklmn")
    rows, judge = Rows.of(problem), Judge(problem)

    def least(*clocks: Clock) -> list[int]:
        near = NearShares(rows, judge, 1)
        found = [near.run(clock) for clock in clocks]
        return [sum(rows.group_costs(groups)) for groups in found if groups is not None]

    (at_once,) = least(Clock(), Clock())  # every size is tried once
    assert least(Clock(stop=Asked(2)), Clock()) == [at_once]  # nothing came of the first one
    parts = [least(Clock(stop=Asked(until)), Clock()) for until in range(3, 16)]
    assert [min(costs) for costs in parts] == [at_once] * len(parts)
    assert max(map(len, parts)) == 2


def test_near_tuples_are_not_looked_for_where_shares_of_values_up_to_each_matter():
    problem = random_problem(0, 60, [KCAnonymity(k=3), TCloseness(t="0.4", order=ORDERS[1])])
    assert NearShares(Rows.of(problem), Judge(problem), 0).run(Clock()) is None


def test_moves_are_cool_where_shares_matter():
    problem = people(300, 2, KCAnonymity(k=4), TCloseness(t="0.2"), values="abcdefghijklmn")
    rows, judge = Rows.of(problem), Judge(problem)
    near = near_places(rows, Clock())
    groups = NearShares(rows, judge, 1).run(Clock())
    assert near is not None
    assert groups is not None
    cost = sum(rows.group_costs(groups))
    hot = Annealing(rows, judge, near, groups, 1)
    hot.exactly(ANNEALED, Clock())
    assert hot.cost > 0.95 * cost
    for _ in (moved := Annealing(rows, judge, near, groups, 1)).rounds(replace(ANNEALED, rounds=1), Clock()):
        pass
    assert moved.cost < 0.85 * cost


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("t", [Fraction(0), Fraction(1, 7), Fraction(2, 5), Fraction(1)])
def test_compiled_sums_say_what_the_requirement_says(t: Fraction, order: tuple[str, ...] | None):
    problem = random_problem(2, 40, [KCAnonymity(k=2), TCloseness(t=t, order=order)])
    judge, random = Judge(problem), np.random.default_rng(0)
    known = Closeness.of(judge, 40)
    assert known is not None
    assert known.others.blind
    counts = random.integers(0, 6, size=(200, len(judge.names)))
    counts = counts[counts.sum(axis=1) > 1]
    numbers, table = known.close
    shares = np.where(numbers >= 0, counts[:, numbers], 0)
    gaps = known.within[0] * shares - counts.sum(axis=1)[:, None] * table
    if known.within[3]:
        gaps = gaps.cumsum(axis=1)
    far = known.within[1] * np.abs(gaps).sum(axis=1)
    assert (far <= known.within[2] * counts.sum(axis=1)).tolist() == judge.verdicts(counts).tolist()


@pytest.mark.parametrize("order", ORDERS)
def test_the_evenest_counts_are_the_nearest_of_their_size(order: tuple[str, ...] | None):
    problem = random_problem(2, 40, [TCloseness(t="0", order=order)])
    judge = Judge(problem)
    known = Closeness.of(judge, 40)
    assert known is not None
    table = np.array([problem.table.histogram[name] for name in judge.names])
    assert known.evenest(40).tolist() == table.tolist()
    for size in range(1, 12):
        counts = known.evenest(size)
        assert counts.sum() == size
        assert (counts >= 0).all()
        assert (np.abs(40 * counts - size * table) < 40).all()


def test_values_that_an_order_lacks_are_left_to_the_requirement():
    problem = random_problem(2, 40, [TCloseness(t="0.2", order=("a", "b"))])
    assert Closeness.of(Judge(problem), 40) is None
