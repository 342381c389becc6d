"""The verifier's listing: against all sets of tuples of small tables, the engines' searches, plain Python."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from cases.series import KINDS, LEVELS, series
from oracle.partition import POLICIES, optimum, random_problem
from oracle.series import best, people, table
from oracle.verify import (
    cheapest,
    cost_of,
    filled,
    group_of,
    needed_in_series,
    needed_sets,
    penalty,
    random_duals,
)

from optanon.bench.engine import engine_table
from optanon.models.errors import CertificateError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import DistinctLDiversity, HcSafety, KCAnonymity, WeakMInvariance
from optanon.solver.colgen.column import columns_of
from optanon.solver.colgen.duals import Duals as EngineDuals
from optanon.solver.colgen.histogram_pricing import HistogramPricing
from optanon.solver.colgen.neighbours import around
from optanon.solver.colgen.signature_neighbours import neighbours
from optanon.solver.colgen.signature_pricing import SignaturePricing
from optanon.solver.colgen.structure.histograms import Histograms, Judge
from optanon.solver.colgen.structure.signatures import Rules
from optanon.solver.colgen.structure.types import Types
from optanon.solver.colgen.table import Rows as EngineRows
from optanon.solver.search import partition_engine
from optanon.solver.settings import Settings, Watch
from optanon.solver.verify import histograms, listing, priced
from optanon.solver.verify.duals import ClaimedDuals
from optanon.solver.verify.histograms import Needed, judged
from optanon.solver.verify.kinds import Kinds
from optanon.solver.verify.listing import TooLongError
from optanon.solver.verify.parts import units_of
from optanon.solver.verify.priced import Single
from optanon.solver.verify.rows import CheckedRows, row_of

SEEDS = [seed for seed in range(2 * len(KINDS)) if seed not in (1, 13)]
"""Of series with enough values for their requirements."""


def listed(single: Single, duals: ClaimedDuals, target: int) -> set[tuple[int, ...]]:
    return {tuple(r for r in line if r >= 0) for line in single.columns(duals, target)[0].tolist()}


# -- rows -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_a_group_costs_its_information_loss(seed: int):
    problem, random = random_problem(seed, 12), Random(seed)
    rows = CheckedRows.of(problem.table, units_of(problem))
    assert rows.exact
    for _ in range(20):
        tuples = sorted(random.sample(range(12), random.randint(1, 6)))
        group = np.array([group_of(rows, tuples)], dtype=np.int32)
        assert int(rows.costs(group)[0]) == cost_of(problem, tuples) * rows.one


def test_costs_too_large_for_64_bits_are_rounded_down(monkeypatch: pytest.MonkeyPatch):
    from optanon.solver.verify import rows as module

    problem = random_problem(3, 12)
    monkeypatch.setattr(module, "MOST_COST", 400)
    rows = CheckedRows.of(problem.table, units_of(problem))
    assert not rows.exact
    assert rows.most <= 400
    for tuples in ([0, 1], [2, 5, 7], [0, 3, 4, 11]):
        group = np.array([group_of(rows, tuples)], dtype=np.int32)
        assert int(rows.costs(group)[0]) <= cost_of(problem, tuples) * rows.one


# -- histograms -------------------------------------------------------------------------


def words(step: Any, whole: Any, alike: bool, room: list[int]) -> set[tuple[int, ...]]:
    """Histograms by value that lead to a state that is needed."""
    found: set[tuple[int, ...]] = set()
    values = len(room)
    edge = {((0,) * values, 0)}
    while edge:
        found |= {counts for counts, state in edge if whole[state]}
        edge = {
            ((*counts[:v], counts[v] + 1, *counts[v + 1 :]), int(step[state, counts[v] if alike else v]))
            for counts, state in edge
            for v in range(values)
            if counts[v] < room[v]
            and (counts[v] if alike else v) < step.shape[1]
            and step[state, counts[v] if alike else v] >= 0
        }
    return found


@pytest.mark.parametrize("seed", range(len(POLICIES)))
def test_needed_histograms_are_those_of_sets_that_are_not_made_up_of_two(seed: int):
    problem = random_problem(seed, 9)
    names = sorted(problem.table.histogram)
    verdicts = judged(problem)
    needed = Needed.of(verdicts)
    values = [p.value for p in problem.table.members]
    expected = {
        (len(s),) if verdicts.blind else tuple(sum(values[t] == v for t in s) for v in names)
        for s in needed_sets(problem)
    }
    room = [9] if verdicts.blind else [problem.table.histogram[v] for v in names]
    assert words(needed.step, needed.whole, needed.alike, room) == expected


@pytest.mark.parametrize("seed", range(len(POLICIES)))
def test_needed_histograms_are_the_engine_s(seed: int):
    problem = random_problem(seed, 45)
    engine, verdicts = Histograms.of(problem), judged(problem)
    assert isinstance(engine, Histograms)
    mine, steps = Needed.of(verdicts), engine.steps
    assert (mine.largest, mine.beyond, mine.alike) == (steps.largest, steps.beyond, steps.alike)
    assert int(mine.whole.sum()) == int(steps.needed.sum())
    room = [45] if verdicts.blind else [n for _, n in sorted(problem.table.histogram.items())]
    if mine.largest <= 8:
        own = words(mine.step, mine.whole, mine.alike, room)
        assert own == words(steps.step, steps.needed, steps.alike, room)


def test_histograms_too_many_to_write_down_are_said_to_be(monkeypatch: pytest.MonkeyPatch):
    problem = random_problem(3, 45)
    monkeypatch.setattr(histograms, "MOST_STATES", 12)
    with pytest.raises(CertificateError, match="too many to check"):
        Needed.of(judged(problem))


@pytest.mark.parametrize("part", [[5], [-1], [0, 9]])
def test_a_part_names_requirements_that_are_there(part: list[int]):
    problem = random_problem(13, 9)
    with pytest.raises(CertificateError, match="does not have"):
        Single.of(problem, part)


def test_a_part_needs_the_groups_of_its_requirements_and_the_least_size_of_all():
    problem = random_problem(13, 9)  # k = 3 and two values
    needed = Single.of(problem, [1]).needed
    alone = Needed.of(judged(random_problem(13, 9, [KCAnonymity(k=3), DistinctLDiversity(l=2)])))
    assert needed.whole.tolist() == alone.whole.tolist()
    blind = Single.of(problem, [0])
    assert np.flatnonzero(blind.needed.whole).tolist() == [3, 4, 5]
    assert not blind.rows.value.any()
    assert len(blind.rows) == len(Single.of(problem).rows)


# -- groups without a past --------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2 * len(POLICIES)))
def test_all_needed_groups_above_a_floor_are_listed(seed: int):
    problem, random = random_problem(seed, 8), Random(seed)
    single = Single.of(problem)
    rows = single.rows
    needed = needed_sets(problem)
    for _ in range(4):
        duals = random_duals(random, rows, high=random.choice([0.1, 0.4, 0.9]))
        profits = {
            group: int(duals.rows[list(group)].sum())
            + penalty(duals.cuts, group)
            - int(cost_of(problem, tuples) * rows.one * duals.scale)
            for tuples in needed
            for group in [group_of(rows, tuples)]
        }
        value = int(duals.rows @ rows.count) + sum(d * c.limit(rows.count) for c, d in duals.cuts)
        assert value == duals.value(rows.count)
        if any(profit > 0 for profit in profits.values()):
            with pytest.raises(CertificateError, match="prove nothing"):
                single.columns(duals, None)
            duals = duals.lowered(np.full(len(rows), max(profits.values()), dtype=np.int64))
            profits = {g: p - max(profits.values()) * len(g) for g, p in profits.items()}
            value = duals.value(rows.count)
        single.columns(duals, None)
        for target in (value // duals.scale + 1, random.randint(0, 3 * rows.one), rows.most + 1):
            slack = max(0, (target - 1) * duals.scale - value)
            assert listed(single, duals, target) == {g for g, p in profits.items() if p >= -slack}


@pytest.mark.parametrize("seed", range(len(POLICIES)))
def test_needed_groups_make_up_a_best_release(seed: int):
    problem = random_problem(seed, 8)
    single = Single.of(problem)
    rows, zero = (
        single.rows,
        ClaimedDuals(rows=np.zeros(len(single.rows), dtype=np.int64), cuts=(), fake=0, scale=1),
    )
    priced = {
        tuples: [(0, cost_of(problem, tuples))]
        for group in listed(single, zero, single.rows.most + 1)
        for tuples in filled(rows, group)
    }
    found, expected = cheapest(8, priced), optimum(problem)
    per = len(problem.table) if "average_information_loss" in problem.policy.levels[0].losses else 1
    assert (None if found is None else found[1] / per) == expected


def test_columns_come_in_the_order_of_tuples():
    problem = random_problem(4, 9, [KCAnonymity(k=2)])
    single = Single.of(problem)
    zero = ClaimedDuals(rows=np.zeros(len(single.rows), dtype=np.int64), cuts=(), fake=0, scale=1)
    columns = [
        tuple(r for r in line if r >= 0) for line in single.columns(zero, single.rows.most + 1)[0].tolist()
    ]
    assert columns == sorted(columns)
    assert len(set(columns)) == len(columns) > 10


@pytest.mark.parametrize("seed", range(12))
def test_groups_too_large_for_the_list_are_ruled_out_or_lower_the_duals(
    seed: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(histograms, "LARGEST", 4)
    problem, random = random_problem(seed, 9, [DistinctLDiversity(l=2)]), Random(seed)
    single = Single.of(problem)
    assert single.needed.beyond
    rows = single.rows
    needed = [(group_of(rows, t), cost_of(problem, t) * rows.one) for t in needed_sets(problem)]
    duals = random_duals(random, rows, cuts=False)
    most = max(int(duals.rows[list(g)].sum() - cost * duals.scale) for g, cost in needed if len(g) <= 4)
    duals = duals.lowered(np.full(len(rows), max(0, most), dtype=np.int64))
    feasible = single.columns(duals, None)[1]
    assert (feasible.rows <= duals.rows).all()
    for group, cost in needed:
        assert feasible.rows[list(group)].sum() <= cost * duals.scale
    # Far below all costs, nothing is left to be unsure of.
    low = duals.lowered(np.full(len(rows), 10**10, dtype=np.int64))
    assert (single.columns(low, None)[1].rows == low.rows).all()
    with pytest.raises(TooLongError, match="larger than the listed"):
        single.columns(duals, rows.most + 1)


def test_a_target_above_all_releases_is_refused():
    problem = random_problem(4, 9, [KCAnonymity(k=2)])
    single = Single.of(problem)
    zero = ClaimedDuals(rows=np.zeros(len(single.rows), dtype=np.int64), cuts=(), fake=0, scale=1)
    for target in (single.rows.most + 2, 10**30):
        with pytest.raises(CertificateError, match="more than any"):
            single.columns(zero, target)


def test_a_table_without_admissible_groups_has_no_columns():
    single = Single.of(random_problem(4, 9, [KCAnonymity(k=10)]))
    zero = ClaimedDuals(rows=np.zeros(len(single.rows), dtype=np.int64), cuts=(), fake=0, scale=1)
    groups, _ = single.columns(zero, 5)
    assert len(groups) == len(single.rows.costs(groups)) == 0


def test_time_that_is_over_ends_a_listing_that_is_not_short(monkeypatch: pytest.MonkeyPatch):
    problem = random_problem(4, 9, [KCAnonymity(k=2)])
    single = Single.of(problem)
    zero = ClaimedDuals(rows=np.zeros(len(single.rows), dtype=np.int64), cuts=(), fake=0, scale=1)
    whole = listed(single, zero, single.rows.most + 1)
    late, _ = single.columns(zero, single.rows.most + 1, over=lambda: True)
    assert len(late) == len(whole)
    monkeypatch.setattr(listing, "LATE_VISITED", -1)
    with pytest.raises(TooLongError, match="in time"):
        single.columns(zero, single.rows.most + 1, over=lambda: True)


def test_lists_longer_than_their_room_are_whole(monkeypatch: pytest.MonkeyPatch):
    problem = random_problem(4, 10, [KCAnonymity(k=2)])
    single = Single.of(problem)
    zero = ClaimedDuals(rows=np.zeros(len(single.rows), dtype=np.int64), cuts=(), fake=0, scale=1)
    whole = listed(single, zero, single.rows.most + 1)
    monkeypatch.setattr(listing, "FIRST_ROOM", 1)
    assert listed(single, zero, single.rows.most + 1) == whole
    with monkeypatch.context() as short:
        short.setattr(listing, "MOST_VISITED", 20)
        with pytest.raises(TooLongError, match="too many"):
            single.columns(zero, single.rows.most + 1)
    monkeypatch.setattr(listing, "MOST_LISTED", 10)
    with pytest.raises(TooLongError, match="too many"):
        single.columns(zero, single.rows.most + 1)


@pytest.mark.parametrize("kind", ["kc", "m3", "m6"])
def test_the_engine_s_search_finds_the_same_groups(kind: str):
    requirement = WeakMInvariance(m=int(kind[1:])) if kind[0] == "m" else KCAnonymity(k=3, c="1/2")
    problem = Problem(table=engine_table(kind, 90, 1), policy=Policy([requirement]))
    single = Single.of(problem)
    rows = single.rows
    engine = EngineRows.of(problem, blind=Judge(problem).blind)
    pricing = HistogramPricing(engine, Histograms.of(problem))  # pyright: ignore[reportArgumentType]
    own = [int(row_of(rows)[behind[0]]) for behind in engine.tuples]
    guess = np.floor(0.9 * 16 * around(engine, pricing.histograms.steps)).astype(np.int64)
    duals = EngineDuals(rows=guess, cuts=np.zeros(0, dtype=np.int64), scale=16)
    lowered = duals.made_feasible(pricing.price(duals, per_anchor=1).worst)
    at = np.empty(len(rows), dtype=np.int64)
    at[own] = lowered.rows
    duals = ClaimedDuals(rows=at, cuts=(), fake=0, scale=16)
    value = duals.value(rows.count)
    for target in (value // duals.scale + rows.one // 50, value // duals.scale + rows.one // 5):
        found = pricing.all_below(lowered, (target - 1) * duals.scale - value, room=200_000)
        assert found is not None
        assert found.complete
        expected = {tuple(sorted(own[r] for r in column.rows)) for column in columns_of(found.lines)}
        assert listed(single, duals, target) == expected
        assert expected


# -- groups with a past -----------------------------------------------------------------


@pytest.mark.parametrize("counting", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_all_needed_groups_of_a_series_above_a_floor_are_listed(seed: int, counting: bool):
    problem, _, _ = series(seed, 7, releases=1 + seed % 3)
    random = Random(seed)
    kinds = Kinds.of(problem, counting=counting)
    rows = kinds.rows
    needed = needed_in_series(problem, kinds.past)
    for high in (0.2, 0.6):
        duals = random_duals(random, rows, fake=True, high=high)
        if counting:
            duals = ClaimedDuals(rows=duals.rows, cuts=duals.cuts, fake=-duals.scale, scale=duals.scale)
        profits = {
            (group, times): int(duals.rows[list(group)].sum())
            + penalty(duals.cuts, group)
            + duals.fake * fakes
            - (0 if counting else int(cost_of(problem, tuples) * rows.one * duals.scale))
            for (tuples, times), fakes in needed.items()
            for group in [group_of(rows, tuples)]
        }
        best_ = max(profits.values())
        if best_ > 0:
            with pytest.raises(CertificateError, match="prove nothing"):
                kinds.columns(duals, 3)
            duals = duals.lowered(np.full(len(rows), best_, dtype=np.int64))
            profits = {(g, c): p - best_ * len(g) for (g, c), p in profits.items()}
        assert kinds.columns(duals, 3) == []
        value = duals.value(rows.count, 3)
        for target in (value // duals.scale + 1, random.randint(0, 2 * rows.one), kinds.most + 1):
            slack = max(0, (target - 1) * duals.scale - value)
            assert kinds.columns(duals, 3, target) == sorted(c for c, p in profits.items() if p >= -slack)


@pytest.mark.parametrize("seed", SEEDS)
def test_needed_groups_of_a_series_make_up_a_best_release(seed: int):
    problem, present, past = series(seed, 7, releases=1 + seed % 3)
    _, checks = KINDS[seed % len(KINDS)]
    for counting in (False, True):
        kinds = Kinds.of(problem, counting=counting)
        assert not any(bucket.loose for bucket in kinds.past.buckets)
        zero = ClaimedDuals(rows=np.zeros(len(kinds.rows), dtype=np.int64), cuts=(), fake=0, scale=1)
        priced: dict[tuple[int, ...], list[tuple[int, object]]] = {}
        for column in kinds.columns(zero, 0, kinds.most + 1):
            for tuples in filled(kinds.rows, column[0]):
                assert counting or kinds.cost(column) == cost_of(problem, tuples) * kinds.rows.one
                cost = (
                    kinds.fakes(column),
                    0 * cost_of(problem, tuples) if counting else cost_of(problem, tuples),
                )
                priced.setdefault(tuples, []).append(cost)
        found, expected = cheapest(7, priced), best(present, checks, past, problem.values)  # pyright: ignore[reportArgumentType]
        assert found is None or expected is not None
        if expected is not None:
            assert found is not None
            assert found[0] == expected[0]
            assert counting or found == expected


@pytest.mark.parametrize("hc", [2, 3])
def test_the_engine_s_search_finds_the_same_groups_of_a_series(hc: int):
    random, history = Random(hc), History()
    policy = Policy([WeakMInvariance(m=3), HcSafety(n=hc)], LEVELS)
    present = people(random, 40, "abcde")
    for number in range(3):
        problem = Problem(table=table(present), policy=policy, history=history)
        kinds, types = Kinds.of(problem), Types.of(problem, Rules.of(problem))  # pyright: ignore[reportArgumentType]
        pricing = SignaturePricing(types)
        own = [int(row_of(kinds.rows)[behind[0]]) for behind in types.rows.tuples]
        guess = np.floor(16 * neighbours(types)).astype(np.int64)
        duals = EngineDuals(rows=guess, cuts=np.zeros(0, dtype=np.int64), limit=-int(guess.max()), scale=16)
        lowered = duals.made_feasible(pricing.price(duals, per_anchor=1).worst)
        at = np.empty(len(own), dtype=np.int64)
        at[own] = lowered.rows
        duals = ClaimedDuals(rows=at, cuts=(), fake=duals.limit, scale=16)
        value = duals.value(kinds.rows.count, 2)
        target = value // 16 + 3 * kinds.rows.one
        found = pricing.all_below(lowered, (target - 1) * duals.scale - value, room=100_000)
        assert found is not None
        assert found.complete
        expected = sorted(
            (tuple(sorted(own[r] for r in column.rows)), types.times(column))
            for column in columns_of(found.lines)
        )
        assert kinds.columns(duals, 2, target) == expected
        assert len(expected) > 10
        release = partition_engine().solve(problem, Settings(time_limit=5), Watch()).release
        assert release is not None
        history.append(release)
        assert number == 0 or any(bucket.times > 1 for bucket in kinds.past.buckets)
        present = random.sample(present, 32) + people(random, 8, "abcde", first=100 * (number + 1))


# -- without numba ------------------------------------------------------------------------


def fresh(name: str) -> ModuleType:
    """A module's source loaded once more."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_without_numba_the_same_source_lists_the_same_groups(monkeypatch: pytest.MonkeyPatch):
    problem = random_problem(3, 9)
    single = Single.of(problem)
    zero = ClaimedDuals(rows=np.zeros(len(single.rows), dtype=np.int64), cuts=(), fake=0, scale=1)
    expected = listed(single, zero, single.rows.most + 1)
    monkeypatch.setitem(sys.modules, "numba", None)
    plain = fresh("optanon.models.compiled")
    monkeypatch.setitem(sys.modules, "optanon.models.compiled", plain)
    searching = fresh("optanon.solver.verify.listing_search")
    monkeypatch.setitem(sys.modules, "optanon.solver.verify.listing_search", searching)
    slow = fresh("optanon.solver.verify.listing")
    assert plain.compiled(slow.listed) is slow.listed
    assert slow.search is searching.search
    assert isinstance(slow.search, type(slow.listed))
    monkeypatch.setattr(priced, "listed", slow.listed)
    assert listed(single, zero, single.rows.most + 1) == expected
    assert len(expected) > 10
    monkeypatch.setattr(searching, "PAUSE", 1)  # after each partial group, and on from there
    monkeypatch.setattr(slow, "LATE_VISITED", -1)
    looks: list[None] = []
    pausing, _ = single.columns(zero, single.rows.most + 1, over=lambda: bool(looks.append(None)))
    assert len(looks) > 10 * len(single.rows)
    assert len(pausing) == len(expected)
    assert listed(single, zero, single.rows.most + 1) == expected
